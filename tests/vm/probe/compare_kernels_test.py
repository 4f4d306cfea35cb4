#!/usr/bin/env python3
"""Worse than useless: a comparison of kernels that finds nothing because nobody was asked, or that
a script takes for good when it could not tell."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).with_name("compare_kernels.py")

# Plays gem-upload vm: the folder of the kernel's name has, for each chip, what becomes of the guest.
FAKE = """#!/bin/sh
while [ "$1" != -- ]; do
    case $1 in
        --gpu) chip=$2 ;;
        --kernel) kernel=$2 ;;
        --share) share=$2 ;;
        --json) record=$2 ;;
    esac
    shift
done
here=$(dirname "$0")/$kernel
cp "$here/$chip" "$share/answers" 2>/dev/null
[ -f "$here/outcome" ] && cp "$here/outcome" "$record"
echo "gem-upload vm: the last word" >&2
exit "$(cat "$here/status")"
"""
OLD = "A: ok, b: 1\nQ x: y: EINVAL\nC thrice: handles: 1, closed: 2\n"
NEW = "A: ok, b: 1\nQ x: y: ENOENT\nC thrice: handles: 1, closed: 3\n"


class CompareKernels(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.fake = self.folder / "gem-upload"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)
        self.kernel("old", {"skl": OLD, "adls": OLD})

    def kernel(self, name, answers, outcome='{"outcome": "success"}', status=0):
        folder = self.folder / name
        folder.mkdir()
        for chip, text in answers.items():
            (folder / chip).write_text(text)
        if outcome:
            (folder / "outcome").write_text(outcome)
        (folder / "status").write_text(str(status))

    def compare(self, new="new", gpu="skl,adls", probe="/bin/true", tool=None):
        return subprocess.run([sys.executable, PROGRAM, "--gem-upload", tool or self.fake,
                               "--probe", probe, "--gpu", gpu, "old", new],
                              capture_output=True, text=True, check=False)

    def test_no_difference(self):
        self.kernel("new", {"skl": OLD, "adls": OLD})
        run = self.compare()
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_differences_of_one_chip(self):
        self.kernel("new", {"skl": OLD, "adls": NEW})
        run = self.compare()
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout, "adls | Q x: y | EINVAL | ENOENT\n"
                                     "adls | C thrice: handles: 1, closed | 2 | 3\n")

    def test_chips_with_the_same_difference_share_a_line(self):
        self.kernel("new", {"skl": NEW, "adls": NEW})
        run = self.compare()
        self.assertEqual(run.returncode, 1)
        self.assertIn("skl adls | Q x: y | EINVAL | ENOENT\n", run.stdout)

    def test_answers_are_missing(self):
        self.kernel("new", {"skl": OLD.splitlines()[0] + "\n", "adls": OLD})
        run = self.compare()
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assertIn("3 answers", run.stderr)

    def test_no_answers_at_all(self):
        self.kernel("new", {"skl": "", "adls": ""})
        (self.folder / "old" / "skl").write_text("")
        self.assertEqual(self.compare().returncode, 125)

    def test_no_file_of_answers(self):
        self.kernel("new", {})
        self.assertEqual(self.compare().returncode, 125)

    def test_another_order_of_questions(self):
        self.kernel("new", {"skl": "".join(reversed(OLD.splitlines(keepends=True)))})
        self.assertEqual(self.compare(gpu="skl").returncode, 125)

    def test_a_hang_is_a_difference(self):
        self.kernel("new", {"skl": OLD}, '{"outcome": "gpu-hang"}', 1)
        run = self.compare(gpu="skl")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout, "skl | the guest's end | success | gpu-hang\n")

    def test_an_early_end_is_a_difference(self):
        self.kernel("new", {"skl": NEW.splitlines()[0] + "\n"}, '{"outcome": "panic"}', 1)
        run = self.compare(gpu="skl")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout, "skl | the guest's end | success | panic\n")

    def test_no_boot(self):
        self.kernel("new", {"skl": OLD, "adls": OLD}, status=125)
        run = self.compare()
        self.assertEqual(run.returncode, 125)
        self.assertIn("skl, new: gem-upload vm: the last word", run.stderr)

    def test_no_such_kernel(self):
        self.kernel("new", {"skl": OLD, "adls": OLD}, status=128)
        self.assertEqual(self.compare().returncode, 128)

    def test_no_record(self):
        self.kernel("new", {"skl": OLD, "adls": OLD}, outcome=None)
        self.assertEqual(self.compare().returncode, 125)

    def test_no_chips(self):
        self.assertEqual(self.compare(gpu=",").returncode, 128)

    def test_no_probe(self):
        self.assertEqual(self.compare(probe="/nowhere/probe").returncode, 128)

    def test_no_gem_upload(self):
        self.assertEqual(self.compare(tool="/nowhere/gem-upload").returncode, 128)


if __name__ == "__main__":
    unittest.main()
