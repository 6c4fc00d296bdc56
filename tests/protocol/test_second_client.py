#!/usr/bin/env python3
"""A client written from docs/protocol.md alone and the C client say the same bytes on one tape."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FIRST = os.environ["SOTTO_FIRST_CLIENT"].split()
SECOND = [sys.executable, str(Path(__file__).with_name("second_client.py"))]
GOLDEN = os.environ["SOTTO_GOLDEN"]
CASES = int(os.environ.get("SOTTO_CASES", 60))
SEED = os.environ.get("SOTTO_SEED", "7")


def said(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


class SecondClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([*FIRST, "make", cls.folder.name, str(CASES), SEED], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def parts(self, number):
        return [f"{self.folder.name}/{number}.{part}" for part in ("terms", "model", "people", "tape")]

    def test_it_refuses_terms_with_any_byte_of_a_weight_raised(self):
        """Of the first case: the last byte of weight_top, which makes it far too large."""
        terms, model, people, tape = self.parts(0)
        bytes_ = bytearray(Path(terms).read_bytes())
        at = (128 if bytes_[:4] == b"STS2" else 104) + (20 if bytes_[:4] == b"STS2" else 16)
        bytes_[at + 7] = 1
        Path(terms + ".weak").write_bytes(bytes_)
        for client in ([*FIRST, "play"], SECOND):
            answer = said([*client, terms + ".weak", model, people, tape])
            self.assertEqual((answer.returncode, answer.stdout), (1, ""), client)

    def test_the_worked_example_and_the_golden_files(self):
        answer = said([*SECOND, "--self-test", GOLDEN])
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_both_clients_say_the_same_bytes(self):
        for number in range(CASES):
            with self.subTest(case=number):
                first = said([*FIRST, "play", *self.parts(number)])
                second = said([*SECOND, *self.parts(number)])
                self.assertEqual(first.returncode, 0, first.stderr)
                self.assertEqual(second.returncode, 0, second.stderr)
                self.assertEqual(first.stdout, second.stdout)
                self.assertGreater(first.stdout.count("\n"), 3)


if __name__ == "__main__":
    unittest.main()
