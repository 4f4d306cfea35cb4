# Worse than useless: an interval too narrow, so that noise is called a regression, or a verdict
# that is always good.
import contextlib
import io
import unittest

import pairs


def quiet_judge(ratios, floor):
    with contextlib.redirect_stdout(io.StringIO()):
        return pairs.judge("x", ratios, floor)


class Pairs(unittest.TestCase):
    def test_ranks_are_those_of_the_binomial_tables(self):
        # Conover, Practical Nonparametric Statistics, table A3: P(Bin(20, 1/2) <= 5) = 0.0207,
        # so ranks 6 and 15; P(Bin(10, 1/2) <= 1) = 0.0107: 2 and 9; six pairs: 1 and 6.
        self.assertEqual(pairs.median_interval(list(range(1, 21))), (6, 15))
        self.assertEqual(pairs.median_interval(list(range(10, 0, -1))), (2, 9))
        self.assertEqual(pairs.median_interval([3, 1, 2, 6, 5, 4]), (1, 6))

    def test_five_pairs_have_no_interval(self):
        with self.assertRaises(ValueError):
            pairs.median_interval([1, 2, 3, 4, 5])

    def test_falls_short_only_if_wholly_below(self):
        below = [0.97] * 15 + [1.0] * 5  # the 15th of 20 is below
        self.assertFalse(quiet_judge(below, 0.98))
        self.assertTrue(quiet_judge([0.97] * 14 + [1.0] * 6, 0.98))
        self.assertTrue(quiet_judge([1.0] * 20, 1.0))

    def test_pairs_are_interleaved_both_ways(self):
        calls = []

        def program(name, value):
            calls.append(name)
            return value

        ratios = pairs.ratios_of_pairs(lambda: program("a", 3), lambda: program("b", 2), 4)
        self.assertEqual("".join(calls), "abbaabba")
        self.assertEqual(ratios, [1.5] * 4)


if __name__ == "__main__":
    unittest.main()
