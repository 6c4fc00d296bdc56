#!/usr/bin/env python3
"""What `make install` gives is enough to build the README's example, shared and static, and to read
the man page. Runs on the packed build in BUILD."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD, CC = Path(os.environ["SOURCE"]), Path(os.environ["BUILD"]), os.environ["CC"]


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True, **more)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = Path(cls.folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libdir = next(cls.prefix.glob("lib*/**/pkgconfig")).parent
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(cls.libdir / "pkgconfig"),
                           "LD_LIBRARY_PATH": str(cls.libdir)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def build_and_run(self, flags):
        program = self.prefix / "one_round"
        run(CC, "-std=c17", SOURCE / "examples/00_one_round.c", "-o", program, *flags)
        output = run(program, env=self.environment).stdout
        self.assertRegex(output, r"^42 bytes, codeword \d+ of 64, 1 report folded, epsilon spent: 1 of 8\n$")

    def test_the_example_builds_on_the_shared_libraries(self):
        flags = run("pkg-config", "--cflags", "--libs", "sotto-client", "sotto-server", env=self.environment)
        self.build_and_run(flags.stdout.split())

    def test_the_example_builds_on_the_static_libraries(self):
        flags = run("pkg-config", "--cflags", "sotto-client", env=self.environment).stdout.split()
        self.build_and_run([*flags, self.libdir / "libsotto-client.a", self.libdir / "libsotto-server.a", "-lm"])

    def test_every_public_header_is_installed_and_nothing_else(self):
        def headers(folder):
            return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        self.assertEqual(headers(self.prefix / "include"), headers(SOURCE / "include"))

    def test_binary_and_man_page_are_there(self):
        self.assertEqual(run(self.prefix / "bin/sotto", "--version").stdout[:6], "sotto ")
        if shutil.which("scdoc") is None:
            self.skipTest("no scdoc here, so no man page")
        page = (self.prefix / "share/man/man1/sotto.1").read_text()
        for command in ("simulate", "replay", "plan", "privatise", "inspect", "audit"):
            options = re.findall(r"^  (--[\w-]+)", run(self.prefix / "bin/sotto", command, "--help").stdout, re.M)
            self.assertGreater(len(options), 5)
            for option in options:
                self.assertIn(option, page.replace("\\", ""), f"{command} {option}")

    def test_shells_find_what_they_complete(self):
        programs = [path.name for path in (self.prefix / "bin").glob("sotto*")]
        self.assertIn("sotto", programs)
        for program in programs:
            for shell, path in (("bash", f"bash-completion/completions/{program}"),
                                ("zsh", f"zsh/site-functions/_{program}"),
                                ("fish", f"fish/vendor_completions.d/{program}.fish")):
                self.assertEqual((self.prefix / "share" / path).read_text(),
                                 run(self.prefix / "bin" / program, "completion", shell).stdout)


if __name__ == "__main__":
    unittest.main()
