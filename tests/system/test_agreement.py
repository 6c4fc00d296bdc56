#!/usr/bin/env python3
"""Published calibration gives the authors' figures, and the comparison can detect when it does
not."""
import csv
import math
import os
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["SOURCE"]) / "tests/measure"))
import agreement  # noqa: E402
from rank_test import orders, rank_test  # noqa: E402

SOTTO = os.environ["SOTTO"]
FULL = os.environ.get("SOTTO_REFERENCE")
SEEDS = 30


class RankTest(unittest.TestCase):
    def test_equal_values_are_refused(self):
        with self.assertRaises(ValueError):
            rank_test([1.0, 2.0], [2.0, 3.0])

    def test_orders_of_two_and_two(self):
        self.assertEqual(orders(2, 2), [1, 1, 2, 1, 1])

    def test_all_orders_are_counted_by_hand(self):
        for m, n in ((1, 6), (3, 4), (4, 3), (5, 2)):
            wanted = [0] * (m * n + 1)
            for mask in range(1 << (m + n)):
                first = [i for i in range(m + n) if mask >> i & 1]
                if len(first) == m:
                    wanted[sum(first) - m * (m - 1) // 2] += 1
            self.assertEqual(orders(m, n), wanted)

    def test_known_values(self):
        self.assertEqual(rank_test([1], [2]), 1)
        self.assertEqual(rank_test([1, 2, 3], [4, 5, 6]), 0.1)
        self.assertEqual(rank_test([4, 5, 6], [1, 2, 3]), 0.1)
        apart = rank_test(range(10), range(10, 40))
        self.assertAlmostEqual(apart, 2 / math.comb(40, 10), delta=1e-20)
        # Compared with scipy.stats.mannwhitneyu(method="exact").
        before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
        after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.061, 3.14, 1.291]
        self.assertAlmostEqual(rank_test(before, after), 0.13591114767585355, delta=1e-15)

    def test_the_level_is_kept(self):
        """p <= 0.05 has chance 0.0464 with 8 and 9 values of one law; fewer than 121 or more than
        275 of 4,000 such pairs have a chance of 1e-7 each."""
        rng = random.Random(1)
        samples = ([rng.random() for _ in range(17)] for _ in range(4000))
        low = sum(rank_test(sample[:8], sample[8:]) <= 0.05 for sample in samples)
        self.assertLessEqual(low, 275)
        self.assertGreater(low, 120)


class Verdict(unittest.TestCase):
    """The rules, with made-up regrets."""

    def cell(self, method):
        return next(c for c in agreement.read_reference()
                    if c.setting.scheme == "Scheme2" and c.method == method)

    def judge(self, method, ours):
        return agreement.judge(self.cell(method), ours, [100, 101, 102], 1e-4)

    def test_the_median_is_printed_with_three_seeds(self):
        around = [v + 0.125 for v in (*range(60, 100), *range(103, 143))]
        for factor in (0.75, 1, 1.3):
            row = self.judge("ldp-sgd", [factor * v for v in around])
            self.assertTrue(row.passed, row)
            self.assertIn(f"median {factor:.2f} of theirs", row.got)
            self.assertIn("% of triples", row.got)

    def test_a_good_median_does_not_excuse_the_ranks(self):
        row = self.judge("ldp-sgd", [90 + v / 8 for v in range(79)])
        self.assertFalse(row.passed, row)
        self.assertIn("median 0.94 of theirs", row.got)

    def test_the_cells_share_one_chance_in_a_thousand(self):
        theirs = agreement.read_reference()
        ours = {cell: [value + 0.5 for value in values] for cell, values in theirs.items()}
        rows = agreement.compare(ours, theirs)
        self.assertEqual(len(rows), 24)
        self.assertTrue(all(row.passed and row.wanted.startswith("p >= 4.2e-05") for row in rows))

    def test_ranks_can_reject_every_cell(self):
        theirs = agreement.read_reference()
        for cell, values in theirs.items():
            far = [max(values) + 1 + v for v in range(agreement.seeds_against(values))]
            self.assertLess(rank_test(far, values), agreement.LEVEL / len(theirs), cell)

    def test_the_share_of_triples(self):
        self.assertAlmostEqual(agreement.median_share([1, 2, 3, 4, 5], [2, 2.5, 9]), 0.3)
        self.assertAlmostEqual(agreement.median_share([1, 2, 3, 4, 5], [0, 3.5, 9]), 0.3)
        self.assertEqual(agreement.median_share([1, 2, 3, 4, 5], [0, 0.5, 9]), 0)

    def test_large_numbers_have_separators(self):
        self.assertEqual(agreement.spread([20.4, 7704, 177063.6]), "7,704 (20 to 177,064)")

    def test_the_share_of_triples_that_miss(self):
        self.assertEqual(agreement.miss_share([100, 101, 102, 103, 104]), 0)
        # two below and one above: medians outside come from triples with two values below
        self.assertAlmostEqual(agreement.miss_share([10, 20, 100, 100, 100, 101, 200]), 5 / 35)


class Reference(unittest.TestCase):
    def test_the_cells(self):
        cells = agreement.read_reference()
        self.assertEqual(len(cells), 24)
        self.assertEqual(sorted({len(v) for v in cells.values()}), [3, 5, 10])

    @unittest.skipUnless(FULL, "SOTTO_REFERENCE names no file")
    def test_the_table_is_that_of_the_full_file(self):
        with open(FULL, encoding="utf-8") as file:
            wanted = [[r["source"].split("/")[1].removesuffix("+vec"), *(r[name] for name in (
                "setting", "link", "d", "K", "eps", "delta", "T", "method", "seed", "cum_regret"))]
                for r in csv.DictReader(file) if r["source"].endswith("+vec") and r["t"] == r["T"]]
        with open(agreement.REFERENCE, encoding="utf-8") as file:
            got = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
        self.assertEqual(sorted(got), sorted(wanted))


class Agreement(unittest.TestCase):
    """The cells with d = 2 at full length. If all laws were equal, one choice of seeds in 2,000
    would reject; both sides' seeds are fixed, so no rejection here is due to chance."""

    @classmethod
    def setUpClass(cls):
        everything = agreement.read_reference()
        cls.threshold = agreement.LEVEL / len(everything)
        cls.theirs = {c: v for c, v in everything.items() if c.setting.dim == 2}
        cls.linear = next(c.setting for c in cls.theirs if c.setting.link == "linear")

    def test_ours_are_theirs(self):
        self.assertEqual(len(self.theirs), 12)
        ours = agreement.play_all(SOTTO, self.theirs)
        for cell, theirs in self.theirs.items():
            row = agreement.judge(cell, ours[cell], theirs, self.threshold)
            self.assertTrue(row.passed, row)

    def rejects(self, cell, ours):
        row = agreement.judge(cell, ours, self.theirs[cell], self.threshold)
        self.assertFalse(row.passed, row)

    def test_another_calibration_is_rejected(self):
        """Least squares with the noise that its claim needs and the paper's shift."""
        cell = agreement.Cell(self.linear, "ldp-ols", 1.0)
        ours = agreement.play(SOTTO, self.linear, ["ldp-ols"], [1.0], SEEDS, calibration="exact",
                              step=None, environment="published")
        self.rejects(cell, ours[cell])

    def test_another_epsilon_is_rejected(self):
        """Ten of their seeds are enough to detect it: SGD at epsilon 5 has p = 0.008."""
        for epsilon, methods in ((5.0, ["ldp-ols", "ldp-ucb"]), (0.1, ["ldp-sgd"])):
            ours = agreement.play(SOTTO, self.linear, methods, [epsilon], SEEDS)
            for cell, regret in ours.items():
                self.rejects(cell._replace(epsilon=1.0), regret)


if __name__ == "__main__":
    unittest.main()
