# Worse than useless: a total that hides a failure, or counts what did not run as passed.
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import count_cases

PASSED = '<testcase name="a" status="run" result="completed"/>'
FAILED = '<testcase name="b" status="run" result="completed"><failure message="x"/></testcase>'
SKIPPED = '<testcase name="c" status="run" result="skipped"><skipped message="x"/></testcase>'
DISABLED = '<testcase name="DISABLED_d" status="notrun" result="suppressed"/>'


class CountCases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        (self.build / "meson-info").mkdir()
        (self.build / "meson-logs").mkdir()
        self.tests = []
        self.log = []

    def add(self, name, protocol, result, cases=None, starttime=0.0, stdout=""):
        self.tests.append({"name": name, "protocol": protocol})
        self.log.append({"name": name, "result": result, "starttime": starttime,
                         "stdout": stdout})
        if cases is not None:
            (self.build / f"{name}.xml").write_text(
                f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")

    def run_main(self):
        (self.build / "meson-info" / "intro-tests.json").write_text(json.dumps(self.tests))
        (self.build / "meson-logs" / "testlog.json").write_text(
            "".join(json.dumps(line) + "\n" for line in self.log))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = count_cases.main([str(self.build)])
        return status, out.getvalue()

    def test_counts_cases_of_all_binaries_and_other_tests_as_one(self):
        self.add("one", "gtest", "OK", [PASSED, PASSED, SKIPPED, DISABLED])
        self.add("two", "gtest", "OK", [PASSED])
        self.add("script", "exitcode", "OK")
        self.add("other", "exitcode", "SKIP")
        self.assertEqual(self.run_main(), (0, "4 passed, 0 failed, 3 skipped\n"))

    def test_failures(self):
        self.add("one", "gtest", "FAIL", [PASSED, FAILED])
        self.add("script", "exitcode", "TIMEOUT")
        self.assertEqual(self.run_main(), (1, "1 passed, 2 failed, 0 skipped\n"))

    def test_binary_that_leaks_after_its_cases_passed(self):
        self.add("one", "gtest", "FAIL", [PASSED])
        self.assertEqual(self.run_main(), (1, "1 passed, 1 failed, 0 skipped\n"))

    def test_binary_that_crashed_over_an_older_runs_file(self):
        self.add("one", "gtest", "FAIL", [PASSED], starttime=1e12)
        self.assertEqual(self.run_main(), (1, "0 passed, 1 failed, 0 skipped\n"))

    def test_binary_without_cases(self):
        self.add("one", "gtest", "OK", [])
        self.add("script", "exitcode", "OK")
        self.assertEqual(self.run_main(), (1, "1 passed, 1 failed, 0 skipped\n"))

    def test_tap_counts_by_its_lines(self):
        self.add("guest", "tap", "OK", stdout="ok 1 - a\n# ok 9\nok 2 - b # SKIP none\n1..2\n")
        self.add("other", "tap", "FAIL", stdout="ok 1 - a\nnot ok 2 - b\n1..2\n")
        self.add("cut off", "tap", "TIMEOUT", stdout="ok 1 - a\n")
        self.add("none here", "tap", "SKIP", stdout="1..0 # SKIP no QEMU\n")
        self.assertEqual(self.run_main(), (1, "3 passed, 2 failed, 2 skipped\n"))

    def test_only_skipped_is_no_success(self):
        self.add("one", "gtest", "OK", [SKIPPED])
        self.assertEqual(self.run_main(), (1, "0 passed, 0 failed, 1 skipped\n"))

    def test_suite_before_the_name(self):
        self.add("one", "gtest", "OK", [PASSED, PASSED])
        self.log[0]["name"] = "gem-upload-tools:slow / one"
        self.assertEqual(self.run_main(), (0, "2 passed, 0 failed, 0 skipped\n"))

    def test_no_results_is_an_error(self):
        with self.assertRaises(SystemExit) as raised:
            count_cases.main([str(self.build / "none")])
        self.assertNotEqual(raised.exception.code, 0)


if __name__ == "__main__":
    unittest.main()
