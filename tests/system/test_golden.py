#!/usr/bin/env python3
"""Golden files that a script writes are what the script writes."""
import os
import shutil
import sqlite3
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

    def test_journal(self):
        for number, name in ((1, "journal.sql"), (2, "journal_2.sql")):
            made = subprocess.run([sys.executable, GOLDEN / "make_journal.py", str(number)], capture_output=True,
                                  timeout=120)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual(made.stdout, (GOLDEN / name).read_bytes())

    def test_the_program_on_the_page_of_the_journal(self):
        page = (GOLDEN.parent.parent / "docs" / "journal.md").read_text()
        program = page.split("```python\n")[1].split("```")[0]
        damages = {"UPDATE journal SET late = 7 WHERE seq = 5": "row 5 of experiment 1"}
        of_2 = {"UPDATE experiment SET quarantine = 0 WHERE number = 1": "experiment 1",
                "UPDATE experiment SET report_key = x'' WHERE number = 3": "experiment 3",
                "UPDATE history SET alarms = 4 WHERE alarms = 5": "history of experiment 1"}
        for name, sentences in (("journal.sql", damages), ("journal_2.sql", damages | of_2)):
            for sql, words in sentences.items():
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "journal.sqlite"
                    journal = sqlite3.connect(path)
                    journal.executescript((GOLDEN / name).read_text())
                    check = [sys.executable, "-c", program, path]
                    self.assertEqual(subprocess.check_output(check, text=True, timeout=60), "whole\n")
                    journal.execute(sql)
                    journal.commit()
                    journal.close()
                    found = subprocess.run(check, capture_output=True, text=True, timeout=60)
                    self.assertNotEqual(found.returncode, 0, sql)
                    self.assertIn(words, found.stderr)

    def test_each_kind_of_file_has_a_magic_of_its_own(self):
        kinds = {}
        for path in GOLDEN.glob("*.bin"):
            kind = path.name.split("_")[0]
            if kind != "entries":       # of a ledger behind calls, whose anchor has one
                kinds.setdefault(path.read_bytes()[:3], set()).add(kind)
        self.assertEqual({magic: names for magic, names in kinds.items() if len(names) > 1}, {})


if __name__ == "__main__":
    unittest.main()
