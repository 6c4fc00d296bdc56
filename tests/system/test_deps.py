#!/usr/bin/env python3
"""packaging/deps.sh, with stand-ins for the programs that it calls: what it would install, and as
which user."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

DEPS = Path(os.environ["SOURCE"]) / "packaging/deps.sh"
FOREIGN = Path(os.environ["SOURCE"]) / "packaging/foreign.sh"
BASE = Path(os.environ["SOURCE"]) / "packaging/base.sh"

# The words of apt-get 2.6: who uses it, what cannot be written, what cannot be fetched, what it costs.
BUSY = ("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)\n"
        "N: Be aware that removing the lock file is not a solution and may break your system.\n"
        "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?")
READ_ONLY = ("E: Could not open lock file /var/lib/apt/lists/lock - open (30: Read-only file system)\n"
             "E: Unable to lock directory /var/lib/apt/lists/")
OFFLINE = ("E: Failed to fetch http://deb.debian.org/s/scdoc.deb  Temporary failure resolving 'deb.debian.org'\n"
           "E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?")
COST = ("0 upgraded, 23 newly installed, 0 to remove and 7 not upgraded.\n"
        "Need to get 12.3 MB/15.0 MB of archives.\n"
        "After this operation, 45.6 MB of additional disk space will be used.")


class Deps(unittest.TestCase):
    def run_deps(self, *purposes, user, installed, sudo=True, apt=":"):
        """Output lines of deps.sh and its calls of apt-get and sleep, with the words before them. The
        shell lines `apt` are the stand-in of apt-get; CALLS in them is the file of calls."""
        with tempfile.TemporaryDirectory() as directory:
            calls = Path(directory) / "calls"
            stand_ins = {
                "id": f"echo {user}",
                "dpkg-query": "echo 'ii '" if installed else "exit 1",
                "apt-get": f'echo "apt-get $* $DEBIAN_FRONTEND" >> {calls}\n{apt.replace("CALLS", str(calls))}',
                "sleep": f'echo "sleep $*" >> {calls}',
            }
            if sudo:
                # like the real sudo, it does not pass on the environment
                stand_ins["sudo"] = f'printf "sudo " >> {calls}; exec /usr/bin/env -i PATH="$PATH" "$@"'
            for name, body in stand_ins.items():
                path = Path(directory) / name
                path.write_text(f"#!/bin/sh\n{body}\n")
                path.chmod(0o755)
            for name in ("sh", "env", "sed", "head", "tail", "grep", "cat"):
                (Path(directory) / name).symlink_to(f"/usr/bin/{name}")
            result = subprocess.run(["/bin/sh", DEPS, *purposes], env={"PATH": directory}, capture_output=True, text=True)
            return result, calls.read_text() if calls.exists() else ""

    def busy(self, count, then=":"):
        """Shell lines of an apt-get that is busy for the first `count` calls."""
        return f'if [ "$(grep -c ^apt-get CALLS)" -le {count} ]; then cat >&2 <<X\n{BUSY}\nX\nexit 100; fi\n{then}'

    def test_a_busy_package_manager_is_waited_for_and_named(self):
        result, calls = self.run_deps("build", user=0, installed=False, apt=self.busy(14))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(calls.count("sleep 5\n"), 14)
        self.assertRegex(calls.splitlines()[-1], "apt-get .*install .*scdoc")
        waits = [line for line in result.stdout.splitlines() if "in use" in line]
        self.assertEqual(waits, ["deps: the package manager is in use by process 4711 (unattended-upgr); "
                                 f"waiting for it, {seconds} of at most 600 s" for seconds in (0, 60)])

    def test_one_that_gets_busy_later_is_waited_for_too(self):
        apt = f'case "$*" in *print-uris*|*update*) exit 0;; esac\n{self.busy(5)}'
        result, calls = self.run_deps("build", user=0, installed=False, apt=apt)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(calls.count("sleep 5\n"), 3)

    def test_one_that_stays_busy_is_given_up(self):
        result, calls = self.run_deps("build", user=0, installed=False, apt=self.busy(1000))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(calls.count("sleep 5\n"), 120)
        self.assertIn("deps: the package manager is still in use after 600 s; please try again later", result.stderr)

    def test_what_is_not_a_lock_is_not_waited_for(self):
        for words in (READ_ONLY, OFFLINE, "sudo: a terminal is required to read the password"):
            result, calls = self.run_deps("build", user=0, installed=False, apt=f"cat >&2 <<'X'\n{words}\nX\nexit 100")
            self.assertEqual(result.returncode, 1)
            self.assertNotIn("sleep", calls)
            self.assertIn("the package lists could not be brought up to date", result.stdout)
            self.assertIn(words, result.stderr)
            self.assertIn("deps: apt-get could not install them (its last words are above); is there a network?",
                          result.stderr)

    def test_old_package_lists_will_do(self):
        result, calls = self.run_deps("build", user=0, installed=False, apt='case "$*" in *update*) exit 100;; esac')
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(calls.splitlines()[-1], "apt-get .*install .*scdoc")

    def test_it_says_what_and_how_much_before_it_installs(self):
        apt = f'case "$*" in *print-uris*) cat <<X\n{COST}\nX\n;; esac'
        result, calls = self.run_deps("build", user=0, installed=False, apt=apt)
        said = result.stdout.splitlines()
        self.assertRegex(said[0], "^deps: missing: gcc .* scdoc librsvg2-bin")
        self.assertEqual(said[1:], ["deps: installing, with what they need: 23 packages, "
                                    "12.3 MB to download, 45.6 MB on disk"])
        self.assertLess(calls.index("--print-uris"), calls.rindex("install"))

    def test_silent_when_nothing_is_missing(self):
        for user in (0, 1000):
            result, calls = self.run_deps("build", "test", "bench", "format", "cross-amd64", "cross-arm64", user=user, installed=True, sudo=False)
            self.assertEqual((result.returncode, result.stdout, result.stderr, calls), (0, "", "", ""))

    def test_root_installs_without_sudo_and_without_questions(self):
        result, calls = self.run_deps("build", user=0, installed=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("sudo", calls)
        self.assertRegex(calls, r"install .*gcc .*cmake .*scdoc librsvg2-bin .*noninteractive")

    def test_others_install_by_sudo_and_are_not_asked_either(self):
        result, calls = self.run_deps("test", user=1000, installed=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(calls, r"sudo apt-get -q update.*\n(?:sudo .*\n)*sudo apt-get .*libcmocka-dev .* chromium-driver .*nginx-light .* zsh fish prometheus .*noninteractive")

    def test_measurements_beside_others_need_the_others(self):
        _, calls = self.run_deps("bench", user=0, installed=False)
        self.assertRegex(calls, r"install .*nginx-light openssl wrk ")

    def test_pages_need_a_compiler_for_modules_and_a_registry(self):
        _, calls = self.run_deps("web", user=0, installed=False)
        self.assertRegex(calls, r"install .*clang lld wasi-libc .* nodejs npm")

    def test_an_image_needs_a_builder_and_its_objects_a_reader(self):
        _, calls = self.run_deps("image", user=0, installed=False)
        self.assertRegex(calls, r"install .*buildah debootstrap .*kubernetes-client")

    def test_without_sudo_it_says_what_to_install(self):
        result, calls = self.run_deps("build", user=1000, installed=False, sudo=False)
        self.assertEqual((result.returncode, calls), (1, ""))
        self.assertIn("sudo was not found; please run as root: apt-get install gcc", result.stderr)

    def test_an_unknown_purpose_is_wrong_usage(self):
        result, _ = self.run_deps("everything", user=0, installed=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("everything: allowed build, test, python, bench, deb, docs, format, prove, cross-amd64, cross-arm64, cross-armhf, slurm, web, image", result.stderr)


class Foreign(unittest.TestCase):
    def run_foreign(self, directory, *words):
        """foreign.sh, with an apt-get that downloads one empty package and a dpkg-deb that unpacks one file."""
        stand_ins = {
            "apt-get": f'echo "$*" >> {directory}/calls; case "$*" in *download*) : > one.deb ;; esac',
            "dpkg-deb": 'mkdir -p "$3/usr" && : > "$3/usr/file"',
        }
        for name, body in stand_ins.items():
            path = Path(directory) / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        environment = {"PATH": f"{directory}:/usr/bin:/bin"}
        return subprocess.run(["/bin/sh", FOREIGN, *words], env=environment, capture_output=True, text=True)

    def test_missing_words_are_wrong_usage(self):
        with tempfile.TemporaryDirectory() as directory:
            result = self.run_foreign(directory, "amd64", f"{directory}/to")
            self.assertEqual(result.returncode, 2)
            self.assertIn("usage: foreign.sh ARCHITECTURE DIRECTORY PACKAGE...", result.stderr)

    def test_packages_are_unpacked_once_and_apt_keeps_its_lists_in_the_directory(self):
        with tempfile.TemporaryDirectory() as directory:
            first, second = (self.run_foreign(directory, "amd64", f"{directory}/to", "libone", "libtwo") for _ in range(2))
            self.assertEqual((first.returncode, first.stdout), (0, "unpacking for amd64: libone libtwo\n"), first.stderr)
            self.assertEqual((second.returncode, second.stdout, second.stderr), (0, "", ""))
            self.assertTrue((Path(directory) / "to/usr/file").exists())
            calls = (Path(directory) / "calls").read_text().splitlines()
            self.assertEqual(len(calls), 2)
            for call in calls:
                self.assertIn("APT::Architectures=amd64", call)
                self.assertIn(f"Dir::State={directory}/to/apt ", call)
            third = self.run_foreign(directory, "amd64", f"{directory}/to", "libthree")
            self.assertEqual(third.stdout, "unpacking for amd64: libthree\n")


class Base(unittest.TestCase):
    def test_a_root_that_was_not_finished_is_made_again(self):
        with tempfile.TemporaryDirectory() as directory:
            stand_in = Path(directory) / "debootstrap"
            for line, status, made in (("mkdir $3; kill $PPID", -15, False), ("mkdir $3; echo no network; exit 1", 1, False),
                                       ("mkdir $3", 0, True), ("exit 1", 0, True)):
                stand_in.write_text(f"#!/bin/sh\n{line}\n")
                stand_in.chmod(0o755)
                result = subprocess.run(["/bin/sh", BASE, f"{directory}/root"], env={"PATH": f"{directory}:/usr/bin:/bin"},
                                        capture_output=True, text=True)
                self.assertEqual((result.returncode, Path(directory, "root").is_dir()), (status, made), line)
                self.assertEqual(result.stderr, "no network\n" if status == 1 else "", line)


if __name__ == "__main__":
    unittest.main()
