#!/usr/bin/env python3
"""The documents say what is there: quoted code is the code, linked files exist."""
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
DOCUMENTS = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md")])


class Documents(unittest.TestCase):
    def test_the_readme_quotes_the_example(self):
        readme = (SOURCE / "README.md").read_text()
        example = (SOURCE / "examples/00_one_round.c").read_text()
        body = example[example.index("    /* The public terms"):example.index("    sotto_tally_free")].rstrip()
        self.assertIn(body, readme)

    def test_linked_files_exist(self):
        for document in DOCUMENTS:
            for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
                self.assertTrue((document.parent / target).exists(), f"{document.name}: {target}")

    def test_named_source_files_exist(self):
        for document in DOCUMENTS:
            for path in re.findall(r"`((?:src|tests|include|examples|bench)/[\w/.-]+\.\w+)`", document.read_text()):
                self.assertTrue((SOURCE / path).exists(), f"{document.name}: {path}")

    def test_every_source_file_has_its_test(self):
        elsewhere = {"codebook_table": "codebook"}
        listed = (SOURCE / "tests/unit/CMakeLists.txt").read_text()
        for folder in ("core", "client", "server", "lab"):
            for source in sorted((SOURCE / "src" / folder).glob("*.c")):
                name = elsewhere.get(source.stem, source.stem)
                self.assertTrue((SOURCE / f"tests/unit/test_{name}.c").exists(), source)
                self.assertRegex(listed, rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main()
