#!/usr/bin/env python3
"""Says what i915 of two kernels answers differently: a uAPI regression test that needs no hardware.

compare_kernels.py [--gem-upload FILE] [--probe FILE] [--gpu CHIP[,CHIP]] [--modules DIR] OLD NEW

OLD and NEW are kernels as gem-upload vm --kernel takes them: debian:X.Y, an image (--modules is for
those), a package, a folder. Each boots with each chip and is asked the questions of the probe. A
line a difference, in the form of tests/vm/data/6.12.txt: "CHIPS | QUESTION | OLD'S ANSWER | NEW'S".
How the guest ended is an answer, too. Exits 0 where there is no difference, 1 where there is one,
125 where that cannot be told, 128 for wrong usage or where something is missing.

Worse than useless: to report no difference where a kernel was not asked.
"""

import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

GOOD, BAD, CANNOT_TELL, WRONG_USAGE = 0, 1, 125, 128
INTERRUPTED = 130


class CannotCompare(Exception):
    def __init__(self, message, status=CANNOT_TELL):
        super().__init__(message)
        self.status = status


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(WRONG_USAGE, f"{self.prog}: {message}\n")


def parse_arguments(arguments):
    parser = Parser(description="Says what i915 of two kernels answers differently.")
    parser.add_argument("--gem-upload", default="gem-upload", metavar="FILE")
    parser.add_argument("--probe", type=pathlib.Path, metavar="FILE",
                        default=pathlib.Path("build/tests/vm/probe/probe"))
    parser.add_argument("--gpu", default="snb,skl,adls", metavar="CHIP[,CHIP]")
    parser.add_argument("--modules", metavar="DIR")
    parser.add_argument("old")
    parser.add_argument("new")
    parsed = parser.parse_args(arguments)
    parsed.chips = [chip for chip in parsed.gpu.split(",") if chip]
    if not parsed.chips:
        parser.error("--gpu names no chip")
    if not os.access(parsed.probe, os.X_OK):
        parser.error(f"there is no program {parsed.probe}; build the probe, or name it by --probe")
    parsed.probe = parsed.probe.resolve()
    return parsed


def vm_command(arguments, chip, kernel, folder):
    command = [arguments.gem_upload, "vm", "--gpu", chip, "--kernel", kernel]
    if arguments.modules and pathlib.Path(kernel).is_file() and not kernel.endswith(".deb"):
        command += ["--modules", arguments.modules]
    return [*command, "--json", folder / "record", "--share", folder, "--include", arguments.probe,
            "--", "sh", "-c", '"$0" >/share/answers', arguments.probe]


def ask(arguments, chip, kernel):
    """The lines that the probe wrote, and how the guest ended."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            guest = subprocess.run(vm_command(arguments, chip, kernel, folder), check=False,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, errors="replace")
        except OSError as error:
            raise CannotCompare(f"{arguments.gem_upload} cannot be started: {error.strerror}",
                                WRONG_USAGE) from error
        if guest.returncode not in (GOOD, BAD):
            said = guest.stderr.strip().splitlines() or ["gem-upload vm said nothing"]
            raise CannotCompare(f"{chip}, {kernel}: {said[-1]}", guest.returncode)
        try:
            outcome = json.loads((folder / "record").read_text(encoding="utf-8"))["outcome"]
            answers = (folder / "answers").read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError, KeyError) as error:
            raise CannotCompare(f"{chip}, {kernel}: nothing was recorded: {error}") from error
    return answers.splitlines(), outcome


def split(old, new):
    """Of two lines "QUESTION: ANSWER", where both parts may have colons: the question, which is
    the same, and the answers."""
    same = os.path.commonprefix([old, new])
    end = same.rfind(": ")
    if end < 0:
        raise CannotCompare(f"these do not answer the same question: '{old}', '{new}'")
    return old[:end], old[end + 2:], new[end + 2:]


def differences(old, new):
    """(question, old answer, new answer) of two kernels' answers and outcomes."""
    (old_lines, old_outcome), (new_lines, new_outcome) = old, new
    if old_outcome != new_outcome:
        yield "the guest's end", old_outcome, new_outcome
    elif len(old_lines) != len(new_lines):
        raise CannotCompare(f"one kernel gave {len(old_lines)} answers, and one {len(new_lines)}")
    if not old_lines:
        raise CannotCompare("the old kernel gave no answer")
    for before, after in itertools.zip_longest(old_lines, new_lines):
        if before is None or after is None:
            return  # one guest ended early, which has been said
        if before != after:
            yield split(before, after)


def compare(arguments):
    """{(question, old answer, new answer): chips}"""
    found = {}
    for chip in arguments.chips:
        answers = []
        for kernel in (arguments.old, arguments.new):
            print(f"asking {kernel} on {chip}", file=sys.stderr)
            answers.append(ask(arguments, chip, kernel))
        for difference in differences(*answers):
            found.setdefault(difference, []).append(chip)
    return found


def main(arguments):
    parsed = parse_arguments(arguments)
    try:
        found = compare(parsed)
    except CannotCompare as error:
        print(f"compare_kernels: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return INTERRUPTED
    for (question, old, new), chips in found.items():
        print(f"{' '.join(chips)} | {question} | {old} | {new}")
    return BAD if found else GOOD


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
