#!/usr/bin/env python3
"""Spin searches every interleaving of tests/model/journal.pml: the honest journal breaks no promise, and each mutant
breaks one. SOTTO_SOAK=1 also searches two gateways with two publishers that are killed (more than 99 million states)."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

MODEL = pathlib.Path(__file__).with_name("journal.pml")
LATE = "-DEPOCHS=2 -DLAG=1 -DPUBLISHERS=1"  # reports of the epoch before still count
PAIR = "-DGATEWAYS=1 -DKILLS=0"             # two publishers
HONEST = [LATE, "-DPUBLISHERS=1", PAIR]
MUTANTS = {
    "ACKNOWLEDGE_BEFORE_COMMIT": "", "NO_NONCE_CHECK": "", "NO_FENCE": "", "FORGET_BEFORE_PUBLISH": "",
    "CUT_AT_PUBLISH": "", "NONCES_NOT_LOADED": LATE, "NO_LATE_CHECK": "", "SERVE_BEFORE_COMMIT": "",
    "REMOVE_OPEN_EPOCHS": LATE, "REMOVE_UNSEEN": LATE, "KEEP_AFTER_FENCE": PAIR,
    "LATE_TOO_EARLY": "",
}


def search(flags, *options):
    """How many errors Spin found, and how many states it saw."""
    with tempfile.TemporaryDirectory() as place:
        for command in (["spin", "-a", *flags.split(), str(MODEL)],
                        ["cc", *options, "-w", "-DSAFETY", "-DMEMLIM=8000", "-o", "pan", "pan.c"],
                        ["./pan", "-m200000"]):
            done = subprocess.run(command, cwd=place, capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
    if "search not completed" in done.stdout and "errors: 0" in done.stdout:
        raise RuntimeError(f"{flags}: not all states were seen: {done.stdout}")
    return int(re.search(r"errors: (\d+)", done.stdout)[1]), int(re.search(r"(\d+) states, stored", done.stdout)[1])


class JournalModel(unittest.TestCase):
    def test_the_honest_journal_keeps_its_promises(self):
        for flags in HONEST + ([""] if os.environ.get("SOTTO_SOAK") == "1" else []):
            errors, states = search(flags, "-O2", *(() if flags else ("-DCOLLAPSE",)))  # which needs less memory and more time
            print(f"{flags or 'all of it'}: {states} states")
            self.assertEqual(errors, 0, flags)
            self.assertGreater(states, 100000, flags)

    def test_each_step_of_the_table_is_a_function_in_its_file(self):
        rows = re.findall(r"^\| .* \| `(\w+)` \| `(src/[\w/]+\.c)` \|$", MODEL.with_name("README.md").read_text(), re.M)
        self.assertEqual(len(rows), 7)
        for function, file in rows:
            self.assertRegex((MODEL.parents[2] / file).read_text(), rf"(?m)^\w[^\n;]*\b{function}\(")

    def test_every_mutant_breaks_a_promise(self):
        for mutant, flags in MUTANTS.items():
            with self.subTest(mutant):
                self.assertIn(mutant, MODEL.read_text())
                optimised = "-O2" if flags == PAIR else "-O0"  # errors of the others are found sooner than a compiler optimises
                self.assertEqual(search(f"{flags} -D{mutant}", optimised)[0], 1)


if __name__ == "__main__":
    if shutil.which("spin") is None:
        print("skipped: needs spin")
        raise SystemExit(77)
    unittest.main()
