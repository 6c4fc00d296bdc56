#!/usr/bin/env python3
"""Golden files that a script writes are what the script writes."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

GOLDEN = Path(os.environ["GOLDEN"])


class Golden(unittest.TestCase):
    def test_ticks(self):
        made = subprocess.run([sys.executable, GOLDEN / "make_ticks.py"], capture_output=True, timeout=120)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout, (GOLDEN / "ticks.txt").read_bytes())


if __name__ == "__main__":
    unittest.main()
