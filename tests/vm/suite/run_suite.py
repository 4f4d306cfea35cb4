#!/usr/bin/env python3
"""Boots one guest, lets it run a list of cases, and judges what only the host can see.

run_suite.py [--gpu CHIP] [--driver NAMES] [--kernel WHICH] [--device-program FILE]
             [--include PROGRAM]... [--answers RECORDED [--differences FILE]]
             GEM-UPLOAD CASES [ARGUMENT]...

CASES, a script, runs in the guest with its arguments and writes TAP; this program passes that on,
adds its own lines, and writes the plan. What the probe left in /share/answers must be what is
RECORDED, but for the differences that are listed for the chip. Where there is no QEMU or no kernel
package the whole suite is skipped.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LIMIT = 600  # seconds; about five times what it takes on a quiet machine
COMPARE_ANSWERS = pathlib.Path(__file__).parents[1] / "probe" / "compare_answers.py"
CANNOT_START = 128  # gem-upload vm: something that it needs is missing


class Tap:
    """Numbers the lines of several sources as one sequence."""

    def __init__(self):
        self.number = 0

    def point(self, good, name, explanation=""):
        self.number += 1
        print(f"{'ok' if good else 'not ok'} {self.number} - {name}")
        for line in explanation.splitlines():
            print(f"# {line}")

    def pass_on(self, line):
        found = re.match(r"(not )?ok \d+ - (.*)", line)
        if found:
            self.point(not found[1], found[2])
        elif line.startswith("#"):
            print(line)

    def plan(self):
        print(f"1..{self.number}")


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="none")
    parser.add_argument("--driver")
    parser.add_argument("--kernel")
    parser.add_argument("--device-program")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--hang")
    parser.add_argument("--answers", type=pathlib.Path)
    parser.add_argument("--differences", type=pathlib.Path)
    parser.add_argument("gem_upload")
    parser.add_argument("cases", nargs=argparse.REMAINDER)
    return parser.parse_args()


def vm_command(arguments, folder):
    command = [arguments.gem_upload, "vm", "--gpu", arguments.gpu, "--timeout", str(LIMIT),
               "--allow", "gpu-hang", "--json", str(folder / "record"),
               "--dmesg", str(folder / "dmesg"), "--share", str(folder)]
    for option, value in (("--driver", arguments.driver), ("--kernel", arguments.kernel),
                          ("--device-program", arguments.device_program),
                          ("--hang", arguments.hang)):
        if value:
            command += [option, value]
    for program in arguments.include:
        command += ["--include", program]
    return [*command, "--", *arguments.cases]


def judge_device(tap, record):
    """What a bound driver and a passing case do not prove."""
    device = record["device"]
    unknown = [*device["unknown_registers"], *device["unknown_commands"]]
    tap.point(not unknown, "the model knows every register and command that the kernel uses",
              json.dumps(unknown))
    worked = sum(engine["batches"] for engine in device["engines"])
    tap.point(worked > 0, f"engines ran: {worked} batches")
    tap.point(device["interrupts"] > 0, f"interrupts were sent: {device['interrupts']}")


def judge_answers(tap, arguments, answers):
    command = [COMPARE_ANSWERS, arguments.answers, "--answers", answers]
    if arguments.differences:
        command += ["--differences", arguments.differences, "--chip", arguments.gpu]
    compared = subprocess.run(command, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    tap.point(compared.returncode == 0, "the kernel answers as recorded", compared.stdout)


def judge_kernel(tap, record):
    """Only the hang that the cases cause may stand in the kernel's log."""
    troubles = [finding for finding in record["kernel_log"] if finding["kind"] != "gpu-hang"]
    tap.point(not troubles, "the kernel complains of nothing", json.dumps(troubles, indent=1))


def run(arguments, folder):
    tap = Tap()
    seen = []
    with subprocess.Popen(vm_command(arguments, folder), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as guest:
        for line in guest.stdout:
            seen.append(line)
            tap.pass_on(line.rstrip("\n"))
            sys.stdout.flush()
    report = "".join(line for line in seen if not re.match(r"(not )?ok \d|#", line))
    if guest.returncode == CANNOT_START:
        print(f"1..0 # SKIP {seen[-1].strip()}")
        return
    finished = re.search(r"^1\.\.(\d+)$", report, re.MULTILINE)
    tap.point(finished is not None and int(finished[1]) == tap.number,
              "the guest came to the end of its cases", report)
    tap.point(guest.returncode == 0, f"gem-upload vm ends with {guest.returncode}")
    if arguments.answers:
        judge_answers(tap, arguments, folder / "answers")
    if (folder / "record").exists():
        record = json.loads((folder / "record").read_text(encoding="utf-8"))
        judge_kernel(tap, record)
        if record.get("device"):
            judge_device(tap, record)
    else:
        tap.point(False, "gem-upload vm left a record")
    tap.plan()


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments, pathlib.Path(folder))


if __name__ == "__main__":
    main()
