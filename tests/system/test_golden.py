#!/usr/bin/env python3
"""Golden files that a script writes are what the script writes."""
import os
import re
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

    def test_shuffle(self):
        """Only crowds of at most 1,000: the others take minutes."""
        rows = GOLDEN.parent / "unit/server/test_shuffle.c"
        made = subprocess.run([sys.executable, GOLDEN / "make_shuffle.py", rows, "1000"], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertGreaterEqual(len(made.stdout.splitlines()), 10)

    def test_learners(self):
        with tempfile.TemporaryDirectory() as directory:
            for spec in GOLDEN.glob("spec_*.bin"):
                shutil.copy(spec, directory)
            subprocess.run([sys.executable, GOLDEN / "make_learner.py", directory], check=True, timeout=120)
            learners = sorted(path.name for path in GOLDEN.glob("learner_*.bin"))
            self.assertEqual(sorted(path.name for path in Path(directory).glob("learner_*.bin")), learners)
            for name in learners:
                self.assertEqual((Path(directory) / name).read_bytes(), (GOLDEN / name).read_bytes(), name)

    def test_tally(self):
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(GOLDEN / "spec_nulls.bin", directory)
            subprocess.run([sys.executable, GOLDEN / "make_tally.py", directory], check=True, timeout=120)
            made = (Path(directory) / "tally_nulls.bin").read_bytes()
            self.assertEqual(made, (GOLDEN / "tally_nulls.bin").read_bytes())

    def test_journal(self):
        made = subprocess.run([sys.executable, GOLDEN / "make_journal.py"], capture_output=True, timeout=120)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout, (GOLDEN / "journal.sql").read_bytes())

    def test_the_program_that_checks_a_journal(self):
        program = GOLDEN.parent.parent / "examples" / "check_journal.py"
        damages = {"UPDATE journal SET late = 7 WHERE seq = 5": "row 5 of experiment 1",
                   "UPDATE experiment SET quarantine = 0 WHERE number = 1": "experiment 1",
                   "UPDATE experiment SET report_key = x'' WHERE number = 3": "experiment 3",
                   "UPDATE history SET alarms = 4 WHERE alarms = 5": "history of experiment 1",
                   "PRAGMA user_version = 1": "format 1"}
        for sql, words in damages.items():
            with tempfile.TemporaryDirectory() as directory:
                path = Path(directory) / "journal.sqlite"
                journal = sqlite3.connect(path)
                journal.executescript((GOLDEN / "journal.sql").read_text())
                check = [sys.executable, program, path]
                self.assertEqual(subprocess.check_output(check, text=True, timeout=60), "whole\n")
                journal.execute(sql)
                journal.commit()
                journal.close()
                found = subprocess.run(check, capture_output=True, text=True, timeout=60)
                self.assertNotEqual(found.returncode, 0, sql)
                self.assertIn(words, found.stderr)

    def test_the_program_has_the_layouts_of_the_page(self):
        page = (GOLDEN.parent.parent / "docs" / "formats.md").read_text()
        section = page[page.index("\n## 4."):page.index("\n## 5.")]
        layouts = {}
        for name, fields in re.findall(r"^    (\w*) +(\S.*:.*)$", section, re.M):
            last = name or last
            layouts.setdefault(last, []).extend(fields.split())
        program = (GOLDEN.parent.parent / "examples" / "check_journal.py").read_text()
        tables = {}
        exec(program[program.index("TABLES"):program.index("def digest")], tables)
        wanted = {**tables["TABLES"], "journal": tables["JOURNAL"]}
        self.assertEqual(layouts, {name: layout.split() for name, layout in wanted.items()})

    def test_each_kind_of_file_has_a_magic_of_its_own(self):
        kinds = {}
        for path in GOLDEN.glob("*.bin"):
            kind = path.name.split("_")[0]
            if kind != "entries":       # of a ledger behind calls, whose anchor has one
                kinds.setdefault(path.read_bytes()[:3], set()).add(kind)
        self.assertEqual({magic: names for magic, names in kinds.items() if len(names) > 1}, {})


if __name__ == "__main__":
    unittest.main()
