#!/usr/bin/env python3
"""Golden files that a script writes are what the script writes."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GOLDEN = Path(os.environ["GOLDEN"])


class Golden(unittest.TestCase):
    def test_ticks(self):
        made = subprocess.run([sys.executable, GOLDEN / "make_ticks.py"], capture_output=True, timeout=120)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout, (GOLDEN / "ticks.txt").read_bytes())

    def test_learners(self):
        with tempfile.TemporaryDirectory() as folder:
            for spec in GOLDEN.glob("spec_*.bin"):
                shutil.copy(spec, folder)
            subprocess.run([sys.executable, GOLDEN / "make_learner.py", folder], check=True, timeout=120)
            learners = sorted(path.name for path in GOLDEN.glob("learner_*.bin"))
            self.assertEqual(sorted(path.name for path in Path(folder).glob("learner_*.bin")), learners)
            for name in learners:
                self.assertEqual((Path(folder) / name).read_bytes(), (GOLDEN / name).read_bytes(), name)

    def test_tally(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(GOLDEN / "spec_nulls.bin", folder)
            subprocess.run([sys.executable, GOLDEN / "make_tally.py", folder], check=True, timeout=120)
            made = (Path(folder) / "tally_nulls.bin").read_bytes()
            self.assertEqual(made, (GOLDEN / "tally_nulls.bin").read_bytes())

    def test_each_kind_of_file_has_a_magic_of_its_own(self):
        kinds = {}
        for path in GOLDEN.glob("*.bin"):
            kind = path.name.split("_")[0]
            if kind != "entries":       # of a ledger behind calls, whose anchor has one
                kinds.setdefault(path.read_bytes()[:3], set()).add(kind)
        self.assertEqual({magic: names for magic, names in kinds.items() if len(names) > 1}, {})


if __name__ == "__main__":
    unittest.main()
