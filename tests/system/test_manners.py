#!/usr/bin/env python3
"""What all commands have in common: what they say when options are wrong."""
import re
import tempfile
import unittest
from pathlib import Path

from sotto_binary import on_terminal, sotto


class Refusals(unittest.TestCase):
    def test_consent_is_asked_for_by_the_option_that_gives_it(self):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "people.csv"
            data.write_text("x,y\n" + "0.5,a\n0.1,b\n" * 20)
            weak = ("--delta", 0.01)
            for words in [
                ("simulate", "--method", "ldp-ols", "--dim", 2, "--arms", 2, "--horizon", 10, *weak),
                ("replay", "--data", data, "--label", "y", "--ranges-from-data", "--method", "ldp-ols", *weak),
                ("privatise", "--mechanism", "gaussian", "--dim", 2, "--epsilon", 1, *weak),
                ("audit", "--mechanism", "gaussian", "--dim", 2, "--epsilon", 1, "--trials", 100, *weak),
                ("inspect", "spec", "--method", "ldp-ols", "--score", "moments", *weak),
            ]:
                refused = sotto(*words)
                self.assertEqual(refused.returncode, 2, words)
                self.assertIn("only with --allow-weak-delta\n", refused.stderr, words)
                self.assertNotIn("_", refused.stderr, words)
                self.assertEqual(sotto(*words, "--allow-weak-delta").returncode, 0, words)

    def test_a_comma_at_the_end_of_a_list_is_refused_in_one_clear_sentence(self):
        size = ("--dim", 2, "--arms", 2)
        for command, words, option, value in [
            ("simulate", ("--method", "sotto", *size, "--horizon", 10), "--epsilon", "1,"),
            ("simulate", size, "--method", "sotto,"),
            ("plan", size, "--epsilon", "0.5,1,"),
            ("replay", ("--data", "none.csv"), "--checkpoints", "10,"),
        ]:
            refused = sotto(command, *words, option, value)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), words)
            self.assertEqual(refused.stderr,
                             f"sotto {command}: {option} = {value}: a value is missing after the last comma\n")


class Progress(unittest.TestCase):
    def test_a_resumed_sweep_starts_at_its_true_share(self):
        with tempfile.TemporaryDirectory() as folder:
            runs, horizon = Path(folder) / "runs.jsonl", 60000
            words = ("simulate", "--method", "sotto", "--dim", 5, "--arms", 3, "--horizon", horizon, "--seeds", 6,
                     "--threads", 1, "--resume", runs)
            self.assertEqual(sotto(*words).returncode, 0)
            whole = runs.read_bytes()
            runs.write_bytes(whole[:len(whole) * 3 // 4])
            result = on_terminal(*words)
            if result is None:
                self.skipTest("no terminal here")
            self.assertEqual(result[0], 0)
            shown = [float(count) for count in re.findall(rb"\] (\S+) rounds", result[1])]
            self.assertGreater(len(shown), 1)
            self.assertGreaterEqual(shown[0], 3 * horizon)
            self.assertLessEqual(shown[-1], 6 * horizon)
            self.assertEqual(runs.read_bytes(), whole)

    def test_a_short_run_prints_no_progress_into_a_file(self):
        words = ("--method", "sotto", "--dim", 5, "--arms", 3, "--horizon", 100000, "--seeds", 2, "--summary")
        self.assertEqual(sotto("simulate", *words).stderr, "")


if __name__ == "__main__":
    unittest.main()
