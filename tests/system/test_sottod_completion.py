#!/usr/bin/env python3
"""What bash, zsh and fish complete after sottod, with the scripts that it prints."""
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import shells
from sottod import SOTTOD, plain_environment, sottod

COMMANDS = ["inspect", "export", "import", "backup", "add-token", "remove-token", "completion"]
SHELLS = ("bash", "zsh", "fish")
HELP = sottod("--help", env=plain_environment(COLUMNS="100")).stdout
FLAGS = re.findall(r"^  (--[\w-]+)", HELP, re.M)


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.script = {}
        for shell in SHELLS:
            printed = sottod("completion", shell)
            assert (printed.returncode, printed.stderr) == (0, ""), printed
            cls.script[shell] = Path(cls.directory) / f"sottod.{shell}"
            cls.script[shell].write_text(printed.stdout)
        (Path(cls.directory) / "loan of May.sqlite").write_text("")
        (Path(cls.directory) / "state").mkdir()

    def need(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"no {shell} here")

    def test_a_shell_has_to_be_named(self):
        for words in ((), ("sh",), ("bash", "zsh")):
            refused = sottod("completion", *words)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), words)
            self.assertIn("allowed bash, zsh, fish", refused.stderr)

    def test_a_wrong_setting_does_not_matter(self):
        printed = sottod("completion", "bash", env=plain_environment(SOTTOD_LISTEN="nowhere"))
        self.assertEqual((printed.returncode, printed.stdout), (0, self.script["bash"].read_text()))

    def test_bash(self):
        self.need("bash")
        self.assertGreater(len(FLAGS), 20)
        for words, expected in {
                ("",): COMMANDS + FLAGS, ("--",): FLAGS, ("in",): ["inspect"], ("inspect", ""): FLAGS,
                ("--log-level", "w"): ["warning"], ("--log-level", "=", "d"): ["debug"],
                ("--per-address", ""): ["auto", "on", "off"], ("--publish", "=", ""): ["yes", "no"],
                ("--publish", "--th"): ["--threads"], ("--listen", ""): [], ("completion", ""): list(SHELLS),
                ("--data", "st"): ["state"], ("import", "lo"): ["loan of May.sqlite"], ("backup", "st"): ["state"],
                ("import", "--da"): ["--data"], ("import", "--threads", ""): []}.items():
            found = shells.bash(self.script["bash"], "_sottod", [SOTTOD, *words], self.directory)
            self.assertEqual(found, expected, words)

    def test_fish(self):
        self.need("fish")
        for line, expected in {
                "": {*COMMANDS, *FLAGS}, "--": set(FLAGS), "in": {"inspect"},
                "--log-level w": {"warning"}, "--per-address o": {"on", "off"}, "--publish=n": {"--publish=no"},
                "--listen ": set(), "completion z": {"zsh"}, "--data st": {"state/"}, "import lo": {"loan of May.sqlite"},
                "--data state b": {"backup"}}.items():
            self.assertEqual(shells.fish(self.script["fish"], f"sottod {line}", self.directory), expected, line)

    def test_zsh(self):
        self.need("zsh")
        expected = {
            "": {*COMMANDS, *FLAGS}, "--": set(FLAGS), "in": {"inspect"}, "--log-level w": {"warning"},
            "--log-level=d": {"debug"}, "--per-address o": {"on", "off"}, "--publish=n": {"no"}, "--listen ": set(),
            "completion z": {"zsh"}, "--data st": {"state"}, "import lo": {r"loan\ of\ May.sqlite"},
            "--data state b": {"backup"}, "inspect ": set(FLAGS)}
        lines = [f"sottod {line}" for line in expected]
        for line, found in zip(expected, shells.zsh(self.script["zsh"], lines, self.directory)):
            self.assertEqual(found, expected[line], line)


if __name__ == "__main__":
    unittest.main()
