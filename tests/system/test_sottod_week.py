#!/usr/bin/env python3
"""A few hours in seconds: the short version of tests/measure/week.py, which looks for leaks and replays all."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from postgres import Postgres

ROOT = pathlib.Path(os.environ["GOLDEN"]).parent.parent


class Week(unittest.TestCase):
    def run_week(self, *words):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([sys.executable, ROOT / "tests/measure/week.py", "--minutes", "0.25", *words,
                                   "--build", pathlib.Path(os.environ["SOTTOD"]).parent, "--out", out],
                                  capture_output=True, text=True, timeout=1500)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("experiments that differ from their replay", done.stdout)

    def test_hours_of_a_fast_clock_leave_nothing_behind_and_replay_to_the_same_bits(self):
        self.run_week("--days", "0.1")

    @unittest.skipUnless("POSTGRES" in os.environ, "no journal in PostgreSQL here")
    def test_minutes_over_a_database_replay_to_the_same_bits(self):
        with Postgres():  # or it is skipped
            pass
        self.run_week("--journal", "postgresql")


if __name__ == "__main__":
    unittest.main()
