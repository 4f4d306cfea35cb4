#!/usr/bin/env python3
"""Worse than useless: a comparison of answers that lets a wrong one through."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).with_name("compare_answers.py")
RECORDED = "# kernel\nA: ok\nB x: y: EINVAL\nC: 1\n"
LISTED = "# why\nchip | C | 1 | 2\nother | A | ok | EIO\n"


class CompareAnswers(unittest.TestCase):
    def compare(self, answers, differences=None, chip="chip"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "recorded").write_text(RECORDED)
            (folder / "answers").write_text(answers)
            command = [sys.executable, PROGRAM]
            if differences:
                (folder / "differences").write_text(differences)
                command += ["--differences", folder / "differences", "--chip", chip]
            return subprocess.run([*command, folder / "recorded", "--answers", folder / "answers"],
                                  capture_output=True, text=True, check=False)

    def test_equal(self):
        self.assertEqual(self.compare("A: ok\nB x: y: EINVAL\nC: 1\n").returncode, 0)

    def test_one_other_answer(self):
        run = self.compare("A: ok\nB x: y: ENOENT\nC: 1\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn("ENOENT", run.stdout)

    def test_missing_answer(self):
        self.assertEqual(self.compare("A: ok\nB x: y: EINVAL\n").returncode, 1)

    def test_nothing(self):
        self.assertEqual(self.compare("").returncode, 1)

    def test_further_answer(self):
        self.assertEqual(self.compare("A: ok\nB x: y: EINVAL\nC: 1\nD: 1\n").returncode, 1)

    def test_listed_difference(self):
        self.assertEqual(self.compare("A: ok\nB x: y: EINVAL\nC: 2\n", LISTED).returncode, 0)

    def test_listed_difference_that_is_gone(self):
        self.assertEqual(self.compare("A: ok\nB x: y: EINVAL\nC: 1\n", LISTED).returncode, 1)

    def test_listed_difference_with_another_answer(self):
        self.assertEqual(self.compare("A: ok\nB x: y: EINVAL\nC: 3\n", LISTED).returncode, 1)

    def test_listed_for_another_chip(self):
        self.assertEqual(self.compare("A: EIO\nB x: y: EINVAL\nC: 2\n", LISTED).returncode, 1)

    def test_listed_and_never_asked(self):
        gone = LISTED + "chip | D | 1 | 2\n"
        self.assertEqual(self.compare("A: ok\nB x: y: EINVAL\nC: 2\n", gone).returncode, 1)


if __name__ == "__main__":
    unittest.main()
