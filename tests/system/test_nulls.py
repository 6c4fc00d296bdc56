#!/usr/bin/env python3
"""Nulls in simulations: requested by --reward-rate, reported by --summary."""
import json
import unittest

from sotto_binary import sotto

WORLD = ("simulate", "--method", "sotto,glm-ucb", "--dim", 5, "--arms", 4, "--link", "logit", "--horizon", 2000,
         "--epsilon", "1,6", "--seeds", 2, "--quiet")


def lines(*words):
    result = sotto(*WORLD, *words, "--summary", "--json")
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


class Nulls(unittest.TestCase):
    def test_a_rate_that_cannot_be_is_refused(self):
        for rate in (-0.1, 1.1, "often"):
            result = sotto(*WORLD, "--reward-rate", rate)
            self.assertEqual(result.returncode, 2)
            self.assertIn("--reward-rate", result.stderr)

    def test_a_method_that_does_not_know_it_says_so(self):
        result = sotto(*("glm-ucb" if w == "sotto,glm-ucb" else w for w in WORLD if w != "--quiet"), "--reward-rate", 0.1)
        self.assertIn("--reward-rate", result.stderr)

    def test_without_a_rate_nothing_is_null_and_no_column_says_so(self):
        for line in lines():
            self.assertNotIn("null_share", line)
        table = sotto(*WORLD, "--summary").stdout
        self.assertNotIn("null", table)

    def test_the_share_of_nulls_is_told_for_each_line(self):
        for parameters in ("shared", "per-arm"):
            found = lines("--reward-rate", 0.02, "--parameters", parameters)
            for line in found:
                if line["method"] == "sotto":
                    self.assertTrue(0.05 < line["null_share"] < 0.6, line)
                else:
                    self.assertIsNone(line["null_share"])
        self.assertIn(" null\n", sotto(*WORLD, "--summary", "--reward-rate", 0.02).stdout)
        head = sotto(*WORLD, "--summary", "--csv", "--reward-rate", 0.02).stdout.splitlines()[0]
        self.assertTrue(head.endswith(",rounds_per_second,null_share"), head)

    def test_a_rate_of_one_half_is_as_if_none_were_said(self):
        """Scores then have the maximal size, and terms with shared parameters have no nulls."""
        for line in lines("--reward-rate", 0.5):
            self.assertNotIn("null_share", line)


if __name__ == "__main__":
    unittest.main()
