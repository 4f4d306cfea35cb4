#!/usr/bin/env python3
"""Compares the probe's answers with those recorded of a real kernel, line by line.

compare_answers.py [--differences FILE --chip CHIP] RECORDED (--answers FILE | -- COMMAND...)

The answers are those of a file, or what a command writes. They must be the recorded ones, but for
the differences that FILE lists for the chip, each of which must be there. Says what is otherwise;
exits 1 if anything is, and 0 if not. A command is not run for others than root, who would get other
answers than the recorded ones: that is a test skipped (77).

Worse than useless: a comparison that passes when questions are missing, or when a listed difference
has gone and nobody notices.
"""

import argparse
import os
import pathlib
import subprocess
import sys


def parse_arguments(arguments):
    command = []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, command = arguments[:split], arguments[split + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("--differences", type=pathlib.Path)
    parser.add_argument("--chip")
    parser.add_argument("--answers", type=pathlib.Path)
    parser.add_argument("recorded", type=pathlib.Path)
    parsed = parser.parse_args(arguments)
    parsed.command = command
    if bool(parsed.answers) == bool(command) or bool(parsed.differences) != bool(parsed.chip):
        parser.error("either --answers or a command; --differences and --chip together")
    return parsed


def read_lines(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def read_differences(path, chip):
    """{recorded line: answered line} of a chip."""
    differences = {}
    for line in read_lines(path.read_text()):
        chips, question, recorded, answered = (part.strip() for part in line.split(" | "))
        if chip in chips.split():
            differences[f"{question}: {recorded}"] = f"{question}: {answered}"
    return differences


def answers_of(arguments):
    if arguments.answers:
        return read_lines(arguments.answers.read_text())
    run = subprocess.run(arguments.command, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"the command ended with status {run.returncode}")
    return read_lines(run.stdout)


def compare(recorded, answers, differences):
    """Sentences about everything that is otherwise, and the number of equal lines."""
    complaints = []
    equal = 0
    unseen = dict(differences)
    for line, answer in zip(recorded, answers):
        listed = unseen.pop(line, None)
        if listed is None and line == answer:
            equal += 1
        elif listed is None:
            complaints.append(f"the kernel: {line}\n     here: {answer}")
        elif listed != answer:
            complaints.append(f"listed as: {listed}\n     here: {answer}")
    complaints += [f"listed, but never asked: {line}" for line in unseen]
    if len(recorded) != len(answers):
        complaints.append(f"{len(answers)} answers, {len(recorded)} are recorded")
    return complaints, equal


def main(arguments):
    parsed = parse_arguments(arguments)
    if parsed.command and os.geteuid() != 0:
        print("skipped: the recorded answers are those that root gets")
        return 77
    recorded = read_lines(parsed.recorded.read_text())
    differences = {}
    if parsed.differences:
        differences = read_differences(parsed.differences, parsed.chip)
    complaints, equal = compare(recorded, answers_of(parsed), differences)
    for complaint in complaints:
        print(complaint)
    print(f"{equal} of {len(recorded)} answers are equal, {len(differences)} differ as listed, "
          f"{len(complaints)} are otherwise")
    return 1 if complaints or not recorded else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
