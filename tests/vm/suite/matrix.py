#!/usr/bin/env python3
"""A small matrix for real: one chip, one method, one kernel, one guest.

matrix.py GEM-UPLOAD: writes TAP.

Worse than useless: a table of results that no guest stands behind.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

CANNOT_START = 128  # gem-upload vm: something that it needs is missing
METHOD = "upload_blit_small_map"


class Tap:
    def __init__(self):
        self.number = 0

    def point(self, good, name, explanation=""):
        self.number += 1
        print(f"{'ok' if good else 'not ok'} {self.number} - {name}")
        for line in "" if good else explanation.splitlines():
            print(f"# {line}")


def run(gem_upload, folder):
    tap = Tap()
    command = [gem_upload, "vm", "--matrix", "--gpu", "g33", "--kernel", "debian:6.1", "--methods",
               METHOD, "--json", folder / "json", "--ktap", folder / "ktap"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    if ended.returncode == CANNOT_START:
        print(f"1..0 # SKIP {ended.stderr.strip().splitlines()[-1]}")
        return
    said = ended.stdout + ended.stderr
    tap.point(ended.returncode == 0, "gem-upload vm --matrix ends with 0", said)
    tap.point("g33   debian:6.1  right      ended well" in ended.stdout.splitlines(),
              "the table has the chip, the kernel and the method", said)
    tap.point("measures nothing" in ended.stdout, "the table says what it is not", said)

    matrix = json.loads((folder / "json").read_text(encoding="utf-8"))
    [row] = matrix["rows"]
    [cell] = row["cells"]
    text = json.dumps(matrix, indent=1)
    tap.point((matrix["complete"], matrix["status"]) == (True, 0), "JSON: complete", text)
    tap.point((row["gpu"], row["kernel"], row["outcome"]) == ("model:g33", "debian:6.1", "success")
              and row["release"].startswith("6.1."), "JSON: the guest", text)
    tap.point((cell["method"], cell["result"]) == (METHOD, "right"), "JSON: the method", text)
    tap.point(row["guest_seconds"] > 0, "JSON: the guest took its time", text)

    ktap = (folder / "ktap").read_text(encoding="utf-8")
    results = [line for line in ktap.splitlines() if not line.lstrip().startswith("#")]
    tap.point(results == ["KTAP version 1", "1..1", "  KTAP version 1", "  1..2",
                          f"  ok 1 {METHOD}", "  ok 2 the guest ends well",
                          "ok 1 model:g33 debian:6.1"], "KTAP", ktap)
    print(f"1..{tap.number}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(sys.argv[1], pathlib.Path(folder))


if __name__ == "__main__":
    main()
