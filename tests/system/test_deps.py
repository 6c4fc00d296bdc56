#!/usr/bin/env python3
"""packaging/deps.sh, with stand-ins for the programs that it calls: what it would install, and as whom."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

DEPS = Path(os.environ["SOURCE"]) / "packaging/deps.sh"
FOREIGN = Path(os.environ["SOURCE"]) / "packaging/foreign.sh"


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
            result, calls = self.run_deps("build", "test", "format", "cross", user=user, installed=True, sudo=False)
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
        self.assertIn("everything: allowed build, test, format, cross", result.stderr)


class Foreign(unittest.TestCase):
    def run_foreign(self, folder, *words):
        """foreign.sh, with an apt-get that downloads one empty package and a dpkg-deb that unpacks one file."""
        stand_ins = {
            "apt-get": f'echo "$*" >> {folder}/calls; case "$*" in *download*) : > one.deb ;; esac',
            "dpkg-deb": 'mkdir -p "$3/usr" && : > "$3/usr/file"',
        }
        for name, body in stand_ins.items():
            path = Path(folder) / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        environment = {"PATH": f"{folder}:/usr/bin:/bin"}
        return subprocess.run(["/bin/sh", FOREIGN, *words], env=environment, capture_output=True, text=True)

    def test_missing_words_are_wrong_usage(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_foreign(folder, "amd64", f"{folder}/to")
            self.assertEqual(result.returncode, 2)
            self.assertIn("usage: foreign.sh ARCHITECTURE FOLDER PACKAGE...", result.stderr)

    def test_packages_are_unpacked_once_and_apt_keeps_its_lists_in_the_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = (self.run_foreign(folder, "amd64", f"{folder}/to", "libone", "libtwo") for _ in range(2))
            self.assertEqual((first.returncode, first.stdout), (0, "unpacking for amd64: libone libtwo\n"), first.stderr)
            self.assertEqual((second.returncode, second.stdout, second.stderr), (0, "", ""))
            self.assertTrue((Path(folder) / "to/usr/file").exists())
            calls = (Path(folder) / "calls").read_text().splitlines()
            self.assertEqual(len(calls), 2)
            for call in calls:
                self.assertIn("APT::Architectures=amd64", call)
                self.assertIn(f"Dir::State={folder}/to/apt ", call)
            third = self.run_foreign(folder, "amd64", f"{folder}/to", "libthree")
            self.assertEqual(third.stdout, "unpacking for amd64: libthree\n")


if __name__ == "__main__":
    unittest.main()
