#!/usr/bin/env python3
"""sotto doctor: what it finds wrong, and what it shows of this machine."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from sotto_binary import SOTTO, identity, sotto

SOURCE = Path(os.environ["SOURCE"])
CC = os.environ["CC"]


def doctor(*words, **more):
    done = subprocess.run([SOTTO, "doctor", "--json", *words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **more})
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


class Doctor(unittest.TestCase):
    def test_wrong_usage_is_refused(self):
        for words, says in ((("--seconds", "-1"), "--seconds = -1"), (("now",), "now: unexpected word"), (("--quick",), "--quick")):
            done = sotto("doctor", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(says, done.stderr)

    def test_a_directory_that_takes_no_data_is_told(self):
        code, facts = doctor("--seconds", "0", "--directory", "/nowhere")
        self.assertEqual((code, facts["verdict"]), (1, "not fit"))
        self.assertIn("No such file or directory", facts["fsync"])
        self.assertNotIn("fsync_us", facts)

    def test_a_library_of_another_version_is_told(self):
        if os.environ.get("SANITIZE"):
            self.skipTest("libraries without sanitizers cannot be loaded")
        series = ".".join(identity()["version"].split(".")[:2])
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([CC, "-shared", "-fPIC", "-x", "c", "-", "-o", f"{directory}/libsotto-server.so.{series}"], check=True,
                           input=f'const char *sotto_version(void) {{ return "{series}.99"; }}', text=True)
            code, facts = doctor("--seconds", "0", LD_LIBRARY_PATH=directory)
        self.assertEqual((code, facts["verdict"], facts["library_server"]), (1, "not fit", f"{series}.99"))

    def test_a_machine_without_randomness_is_told(self):
        if os.environ.get("SANITIZE"):
            self.skipTest("a library is loaded before the sanitizer's")
        code, facts = doctor("--seconds", "0", LD_PRELOAD=os.environ["NO_ENTROPY_LIBRARY"], NO_ENTROPY="/")
        self.assertEqual((code, facts["verdict"]), (1, "not fit"))
        self.assertIn("entropy", facts)

    def test_randomness_that_repeats_is_a_violation(self):
        code, facts = self.self_test_with(os.environ["FEW_DRAWS"])
        self.assertEqual((code, facts["verdict"]), (1, "not fit"))
        self.assertEqual((facts["same_bits"], facts["codebook"], facts["gaussian"]), (True, "violation", "violation"))

    def test_wrong_mathematics_change_the_id_of_terms(self):
        code, facts = self.self_test_with(os.environ["WRONG_EXP"])
        self.assertEqual((code, facts["verdict"], facts["same_bits"]), (1, "not fit", False))

    def self_test_with(self, library):
        if os.environ.get("SANITIZE"):
            self.skipTest("a library is loaded before the sanitizer's")
        return doctor("--seconds", "0.1", LD_PRELOAD=library)

    def test_a_fit_machine_is_shown(self):
        with tempfile.TemporaryDirectory() as directory:
            code, facts = doctor("--seconds", "0.5", "--directory", directory)
            self.assertEqual(os.listdir(directory), [])
        self.assertEqual((code, facts["verdict"], facts["same_bits"]), (0, "fit", True), facts)
        self.assertEqual({name: facts[name] for name in identity()}, identity())
        self.assertEqual((facts["codebook"], facts["gaussian"]), ("no_violation", "no_violation"))
        self.assertGreaterEqual(facts["codebook_trials"], 2000)
        self.assertEqual(facts["cores"], len(os.sched_getaffinity(0)))
        for name in ("entropy_us", "clock_ns", "fsync_us", "fsync_us_max"):
            self.assertGreater(facts[name], 0)

    def test_the_known_id_is_that_of_the_golden_terms(self):
        known = re.search(r'KNOWN_ID "(\w+)"', (SOURCE / "src/cli/doctor/self_test.c").read_text())[1]
        self.assertIn(known, sotto("inspect", "spec", SOURCE / "tests/golden/spec_default.bin").stdout)


if __name__ == "__main__":
    unittest.main()
