#!/usr/bin/env python3
"""Boots one guest, lets it run a list of cases, and judges what only the host can see.

run_suite.py [--gpu CHIP] [--driver NAMES] [--device-program FILE]
             [--include PROGRAM]... [--recorded FILE] GEM-UPLOAD CASES [ARGUMENT]...

CASES, a script, runs in the guest with its arguments and writes TAP; this program passes that on,
adds its own lines, and writes the plan. With --recorded, the cases leave the probe's answers in
/share/answers, and they must be those recorded in FILE. Where there is no QEMU or no kernel package the whole
suite is skipped.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LIMIT = 600  # seconds; about five times what it takes on a quiet machine
COMPARE = pathlib.Path(__file__).parents[1] / "probe" / "compare_answers.py"
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
    parser.add_argument("--device-program")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--recorded")
    parser.add_argument("gem_upload")
    parser.add_argument("cases", nargs=argparse.REMAINDER)
    return parser.parse_args()


def vm_command(arguments, folder):
    command = [arguments.gem_upload, "vm", "--gpu", arguments.gpu, "--timeout", str(LIMIT),
               "--allow", "gpu-hang", "--json", str(folder / "record"),
               "--dmesg", str(folder / "dmesg"), "--share", str(folder)]
    for option, value in (("--driver", arguments.driver),
                          ("--device-program", arguments.device_program)):
        if value:
            command += [option, value]
    for program in arguments.include:
        command += ["--include", program]
    return [*command, "--", *arguments.cases]


def judge_device(tap, record):
    """What a bound driver and a passing case do not prove. Interrupts are counted over all cases:
    i915 polls for up to 8 ms before it asks for one (DRM_I915_MAX_REQUEST_BUSYWAIT)."""
    device, guest = record["device"], record["guest"]
    unknown = [*device["unknown_registers"], *device["unknown_commands"]]
    tap.point(not unknown, "the model knows every register and command that the kernel uses",
              json.dumps(unknown))
    worked = sum(engine["batches"] for engine in device["engines"])
    tap.point(worked > 0, f"engines ran: {worked} batches")
    raised = guest["interrupts_after"] - guest["interrupts_before"]
    tap.point(raised > 0 and device["interrupts"] >= raised,
              f"interrupts arrived: {raised} in the guest, {device['interrupts']} sent")


def judge_kernel(tap, record):
    """Only the hang that the cases cause may stand in the kernel's log."""
    troubles = [finding for finding in record["kernel_log"] if finding["kind"] != "gpu-hang"]
    tap.point(not troubles, "the kernel complains of nothing", json.dumps(troubles, indent=1))


def judge_answers(tap, recorded, answers):
    """The model was made to agree with the recorded answers: the kernel must still give them."""
    if not answers.exists():
        tap.point(False, "the probe left its answers")
        return
    run = subprocess.run([sys.executable, COMPARE, recorded, "--answers", answers],
                         stdout=subprocess.PIPE, text=True, check=False)
    *others, result = run.stdout.splitlines()
    tap.point(run.returncode == 0, f"the probe: {result}", "\n".join(others))


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
    if arguments.recorded:
        judge_answers(tap, arguments.recorded, folder / "answers")
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
