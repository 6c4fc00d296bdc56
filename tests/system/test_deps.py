#!/usr/bin/env python3
"""packaging/deps.sh, with stand-ins for the programs that it calls: what it would install, and as whom."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

DEPS = Path(os.environ["SOURCE"]) / "packaging/deps.sh"


class Deps(unittest.TestCase):
    def run_deps(self, *purposes, user, installed, sudo=True):
        """Output lines of deps.sh and its calls of apt-get, with the words before them."""
        with tempfile.TemporaryDirectory() as folder:
            calls = Path(folder) / "calls"
            stand_ins = {
                "id": f"echo {user}",
                "dpkg-query": "echo 'ii '" if installed else "exit 1",
                "apt-get": f'echo "apt-get $* $DEBIAN_FRONTEND" >> {calls}',
            }
            if sudo:
                # like the real one, it does not hand on the environment
                stand_ins["sudo"] = f'printf "sudo " >> {calls}; exec /usr/bin/env -i PATH="$PATH" "$@"'
            for name, body in stand_ins.items():
                path = Path(folder) / name
                path.write_text(f"#!/bin/sh\n{body}\n")
                path.chmod(0o755)
            for name in ("sh", "env"):
                (Path(folder) / name).symlink_to(f"/usr/bin/{name}")
            result = subprocess.run(["/bin/sh", DEPS, *purposes], env={"PATH": folder}, capture_output=True, text=True)
            return result, calls.read_text() if calls.exists() else ""

    def test_silent_when_nothing_is_missing(self):
        for user in (0, 1000):
            result, calls = self.run_deps("build", "test", "format", user=user, installed=True, sudo=False)
            self.assertEqual((result.returncode, result.stdout, result.stderr, calls), (0, "", "", ""))

    def test_root_installs_without_sudo_and_without_questions(self):
        result, calls = self.run_deps("build", user=0, installed=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("sudo", calls)
        self.assertRegex(calls, r"install .*gcc .*cmake .*scdoc gnuplot-nox noninteractive")

    def test_others_install_by_sudo_and_are_not_asked_either(self):
        result, calls = self.run_deps("test", user=1000, installed=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(calls, r"sudo apt-get -qq update\s+sudo apt-get .*libcmocka-dev .* chromium-driver noninteractive")

    def test_without_sudo_it_says_what_to_install(self):
        result, calls = self.run_deps("build", user=1000, installed=False, sudo=False)
        self.assertEqual((result.returncode, calls), (1, ""))
        self.assertIn("please install as root: gcc", result.stderr)

    def test_an_unknown_purpose_is_wrong_usage(self):
        result, _ = self.run_deps("everything", user=0, installed=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("everything: allowed build, test, format", result.stderr)


if __name__ == "__main__":
    unittest.main()
