#!/usr/bin/env python3
"""sotto simulate --environment loan: the auto-loan study on synthetic customers."""
import csv
import io
import tempfile
import unittest
from pathlib import Path

from sotto_binary import sotto

STUDY = ("simulate", "--environment", "loan", "--horizon", 300, "--seeds", 1)


def last_regret(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return {row["method"]: float(row["regret"]) for row in rows if row["t"] == "300"}


class Loan(unittest.TestCase):
    def good(self, *words):
        result = sotto(*STUDY, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *words):
        result = sotto(*STUDY, *words)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def test_other_shapes_are_refused(self):
        method = ("--method", "sotto")
        self.assertIn("environment loan has 18", self.refused(*method, "--dim", 3))
        self.assertIn("environment loan has 25", self.refused(*method, "--arms", 10))
        self.assertIn("the demand of environment loan is logit", self.refused(*method, "--link", "probit"))
        self.assertIn("at most", self.refused(*method, "--theta-norm-max", 1))
        self.assertIn("exact has worths", self.refused("--method", "ldp-sgd", "--calibration", "paper", "--revenue"))

    def test_every_method_for_logit_plays(self):
        methods = "sotto,ldp-sgd,ldp-gloc,sgd,glm-ucb,random,oracle"
        random = []
        for words in ((), ("--revenue",)):
            result = self.good("--method", methods, *words)
            self.assertIn("SYNTHETIC customers: 50000 rows of the stand-in", result.stderr)
            regret = last_regret(result.stdout)
            # best-arm has no worths
            self.assertEqual(list(regret), methods.split(",") + ([] if words else ["best-arm"]))
            self.assertEqual(regret["oracle"], 0)
            random.append(regret["random"])
        self.assertGreater(random[0], 2 * random[1])  # another regret
        self.assertGreater(random[1], 0)
        published = self.good("--method", "ldp-sgd,ldp-gloc", "--calibration", "published", "--delta", 0.01, "--quiet")
        self.assertNotIn("SYNTHETIC", published.stderr)
        self.assertEqual(set(last_regret(published.stdout)), {"ldp-sgd", "ldp-gloc"})

    def test_revenue_is_for_the_loan_study(self):
        result = sotto("simulate", "--method", "random", "--dim", 3, "--arms", 4, "--horizon", 10, "--revenue")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--revenue changes nothing here", result.stderr)

    def test_a_sweep_goes_on_only_with_the_same_worths(self):
        with tempfile.TemporaryDirectory() as directory:
            resume = Path(directory) / "resume"
            first = self.good("--method", "random", "--resume", resume)
            again = self.good("--method", "random", "--resume", resume)
            self.assertEqual(first.stdout, again.stdout)
            other = sotto(*STUDY, "--method", "random", "--resume", resume, "--revenue")
            self.assertNotEqual(other.returncode, 0)


if __name__ == "__main__":
    unittest.main()
