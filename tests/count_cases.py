#!/usr/bin/env python3
"""Counts the test cases of the last `meson test` in a build folder.

usage: count_cases.py BUILD

Prints `N passed, N failed, N skipped`. A GoogleTest binary counts by its cases, a test that speaks
TAP by its lines, any other test counts one. A binary that failed although none of its cases did (it crashed, leaked, or timed out)
counts as one failure more, as does one without a single case. Exits 1 if anything failed or
nothing passed.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree
from collections import Counter

GOOD = ("OK", "EXPECTEDFAIL")
CLOCK_SLACK = 0.1  # seconds by which a file's time may lag behind the clock's


def protocols(build):
    """What each test speaks, by its name: "gtest", "tap", "exitcode"."""
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text())
    return {test["name"]: test["protocol"] for test in tests}


def read_points(output):
    """Outcomes of the lines of TAP."""
    points = re.findall(r"^(not )?ok\b([^#\n]*)(# *SKIP)?", output, re.MULTILINE | re.IGNORECASE)
    return ["skipped" if skip else "failed" if bad else "passed" for bad, _, skip in points]


def read_cases(build, name, starttime):
    """Outcomes of a GoogleTest binary's cases; none where it did not come to write its file (one
    of an older run may lie there)."""
    path = build / f"{name}.xml"
    if not path.exists() or path.stat().st_mtime < starttime - CLOCK_SLACK:
        return []
    root = xml.etree.ElementTree.parse(path).getroot()
    return [outcome(case) for case in root.iter("testcase")]


def outcome(case):
    """passed, failed or skipped, of one <testcase>."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def count_test(test, build, protocol):
    """Counter of one line of meson's testlog.json."""
    good = test["result"] in GOOD
    name = test["name"].rsplit(" / ", 1)[-1]  # meson puts suites before it
    skipped = test["result"] == "SKIP"
    if protocol[name] == "gtest":
        counts = Counter(read_cases(build, name, test["starttime"]))
    elif protocol[name] == "tap" and not skipped:
        counts = Counter(read_points(test.get("stdout", "")))
    else:
        return Counter(["skipped" if skipped else "passed" if good else "failed"])
    if counts["failed"] == 0 and (not good or not counts):
        counts["failed"] = 1
    return counts


def count(build):
    """Counter of all tests of the last run in the folder."""
    protocol = protocols(build)
    log = build / "meson-logs" / "testlog.json"
    tests = [json.loads(line) for line in log.read_text().splitlines()]
    return sum((count_test(test, build, protocol) for test in tests), Counter())


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    try:
        counts = count(pathlib.Path(arguments[0]))
    except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"the tests' results cannot be read: {error}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format_map(
        {name: counts[name] for name in ("passed", "failed", "skipped")}))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
