#!/usr/bin/env python3
"""sotto simulate with dishonest clients, and with epochs that no server has."""
import csv
import io
import tempfile
import unittest
from pathlib import Path

from sotto_binary import sotto

SIZE = ("--dim", 3, "--arms", 4)
METHODS = "sotto,sotto-ols,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc"


def simulate(method, *words, horizon=300, seeds=1):
    return sotto("simulate", "--method", method, *SIZE, "--horizon", horizon, "--seeds", seeds, *words)


def regrets(text):
    """{method: regret at the last round, of all seeds together}."""
    found, last = {}, {}
    for row in csv.DictReader(io.StringIO(text)):
        last[(row["method"], row["seed"])] = float(row["regret"])
    for (method, _), regret in last.items():
        found[method] = found.get(method, 0) + regret
    return found


class Case(unittest.TestCase):
    def good(self, *words, **settings):
        result = simulate(*words, **settings)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result


class Refusals(Case):
    def test_values_out_of_range_are_named_with_the_range(self):
        for words, *parts in (
                (("--liars", -0.1), "--liars", "-0.1", "0 to 0.5"), (("--liars", 0.6), "--liars", "0.6", "0 to 0.5"),
                (("--liars", "nan"), "--liars", "nan", "0 to 0.5"), (("--liars", "few"), "--liars", "few", "0 to 0.5"),
                (("--grind", 0), "--grind", "0", "1 to 10000"), (("--grind", 10001), "--grind", "10001", "1 to 10000"),
                (("--epoch", "growth"), "--epoch", "growth", "growth:G"),
                (("--epoch", "growth:"), "--epoch", "growth:", "growth:G"),
                (("--epoch", "growth:0"), "--epoch", "growth:0", "above 0, to 1"),
                (("--epoch", "growth:1.5"), "--epoch", "growth:1.5", "above 0, to 1"),
                (("--epoch", "growth:nan"), "--epoch", "growth:nan", "above 0, to 1"),
                (("--epoch", "growth:0.5x"), "--epoch", "growth:0.5x", "above 0, to 1")):
            result = simulate("sotto", *words)
            self.assertEqual(result.returncode, 2, words)
            for part in parts:
                self.assertIn(part, result.stderr)

    def test_other_calibrations_have_neither_liars_nor_growing_epochs(self):
        for calibration in ("paper", "published"):
            for words in (("--liars", 0.1), ("--epoch", "growth:0.5")):
                result = simulate("ldp-ols", "--calibration", calibration, *words)
                self.assertEqual(result.returncode, 2, words)
                self.assertIn("exact", result.stderr)


class Liars(Case):
    def test_nobody_lies_unless_told(self):
        plain = self.good(METHODS, seeds=2).stdout
        self.assertEqual(plain, self.good(METHODS, "--liars", 0, "--grind", 7, seeds=2).stdout)

    def test_lies_cost_every_method(self):
        """If half of them lie, what the others report is useless."""
        plain = regrets(self.good(METHODS, "--epsilon", 5, horizon=5000, seeds=2).stdout)
        lied = regrets(self.good(METHODS, "--epsilon", 5, "--liars", 0.5, horizon=5000, seeds=2).stdout)
        self.assertEqual(plain.keys() - lied.keys(), {"best-arm"})  # the lab has no liars for it
        for method, regret in ((m, plain[m]) for m in lied):
            self.assertGreater(lied[method], 1.2 * regret, method)

    def test_lies_cost_per_arm_parameters_too(self):
        words = ("sotto,ldp-sgd", "--parameters", "per-arm", "--epsilon", 5)
        plain = regrets(self.good(*words, horizon=5000, seeds=2).stdout)
        lied = regrets(self.good(*words, "--liars", 0.5, horizon=5000, seeds=2).stdout)
        self.assertEqual(plain.keys() - lied.keys(), {"best-arm"})  # the lab has no liars for it
        for method, regret in ((m, plain[m]) for m in lied):
            self.assertGreater(lied[method], 1.2 * regret, method)

    def test_grinding_reaches_the_runs_and_says_where_it_does_not(self):
        one = self.good("sotto", "--liars", 0.2)
        two = self.good("sotto", "--liars", 0.2, "--grind", 2)
        self.assertNotEqual(one.stdout, two.stdout)
        self.assertNotIn("changes nothing", two.stderr)
        idle = self.good("ldp-ols", "--liars", 0.2, "--grind", 2)
        self.assertIn("--grind changes nothing here: it is for sotto sotto-ols ldp-sgd", idle.stderr)
        honest = self.good("sotto", "--grind", 2)
        self.assertIn("--grind changes nothing here: it is for --liars", honest.stderr)
        self.assertEqual(idle.stdout, self.good("ldp-ols", "--liars", 0.2).stdout)

    def test_baselines_beside_them_have_no_liars(self):
        both = self.good("sotto,ols", "--liars", 0.2)
        self.assertEqual(regrets(both.stdout)["ols"], regrets(self.good("ols").stdout)["ols"])
        self.assertIn("--liars changes nothing here", self.good("ols", "--liars", 0.2).stderr)


class Growth(Case):
    def test_the_rule_is_as_good_as_a_model_after_every_report(self):
        plain = regrets(self.good("sotto", "--epsilon", 5, horizon=20000).stdout)["sotto"]
        auto = regrets(self.good("sotto", "--epsilon", 5, "--epoch", "auto", horizon=20000).stdout)["sotto"]
        self.assertLess(auto, 2 * plain)

    def test_epochs_beyond_the_rule_cost_little_more_than_the_first_at_random_arms(self):
        random = regrets(self.good("random", horizon=20000).stdout)["random"]
        for epoch, first in (("growth:0.5", 1), (1000, 1000)):
            large = regrets(self.good("sotto", "--epsilon", 5, "--epoch", epoch, horizon=20000).stdout)["sotto"]
            self.assertLess(large, (first / 20000 + 0.02) * random)

    def test_baselines_beside_it_have_no_epochs(self):
        both = self.good("sotto,ols", "--epoch", "growth:0.5")
        self.assertEqual(regrets(both.stdout)["ols"], regrets(self.good("ols").stdout)["ols"])


class Resume(Case):
    def test_another_sweep_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            kept = Path(directory) / "sweep.jsonl"
            words = ("sotto", "--liars", 0.1, "--resume", kept)
            first = self.good(*words)
            self.assertEqual(first.stdout, self.good(*words).stdout)
            for other in (("sotto", "--liars", 0.2), ("sotto", "--liars", 0.1, "--grind", 2),
                          ("sotto", "--liars", 0.1, "--epoch", "growth:0.5")):
                result = simulate(*other, "--resume", kept)
                self.assertNotEqual(result.returncode, 0, other)
                self.assertIn("the file belongs to sweep", result.stderr)


if __name__ == "__main__":
    unittest.main()
