#!/usr/bin/env python3
"""Sotto as a directory of somebody else's project: it works there, keeps its own flags, and leaves the
project's settings, targets and tests alone."""
import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from outside import COMPILERS, HERE, ROUND, SOURCE, InDirectory, attempt, configure, run

# What a project may ask for that Sotto's arithmetic must not follow.
FAST = "-DFLAGS=-ffast-math;-funsafe-math-optimizations;-ffp-contract=fast;-Wfloat-equal"


class Neighbours(unittest.TestCase):
    """What the project has after it added Sotto. Nothing is compiled."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.build = Path(directory.name)
        cls.result = configure(HERE / "subdirectory", cls.build, f"-DSOTTO={SOURCE}", FAST)

    def test_brings_the_libraries_of_the_two_sides_and_nothing_else(self):
        self.assertEqual(self.result.stderr, "")
        self.assertEqual((self.build / "targets").read_text().split(), ["sotto_core", "sotto_client", "sotto_server"])

    def test_changes_no_variable_and_no_property_of_the_project(self):
        before, after = ((self.build / name).read_text().splitlines() for name in ("before", "after"))
        self.assertIn("CMAKE_C_STANDARD=99", before)
        self.assertIn("PROJECT_VERSION=7.8.9", before)
        self.assertEqual(after, before)

    def test_the_project_has_its_own_tests_only(self):
        listed = run("ctest", "--test-dir", self.build, "-N")
        self.assertEqual(re.findall(r"Test +#\d+: (\S+)", listed), ["outside-c", "outside-cc"])

    def test_the_project_installs_nothing_of_sotto(self):
        for script in self.build.rglob("cmake_install.cmake"):
            self.assertEqual(re.findall(r'FILES "([^"]+)"', script.read_text()),
                             [f"{self.build}/programs/round-c"] if script.parent == self.build else [], script)


class Subdirectory(InDirectory):
    def configured(self, *options, **more):
        self.build = Path(tempfile.mkdtemp(dir=self.directory))
        return super().configured(HERE / "subdirectory", self.build, f"-DSOTTO={SOURCE}", *options, **more)

    def commands(self):
        """The flags of every file of Sotto."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        return {entry["file"]: entry["command"].split() for entry in entries
                if Path(entry["file"]).is_relative_to(SOURCE / "src")}

    def test_works_in_two_languages_by_every_compiler(self):
        for pair in COMPILERS:
            with self.subTest(pair):
                self.configured(FAST, compilers=pair)
                run("cmake", "--build", self.build, "-j2")
                for language in ("c", "cc"):
                    self.assertRegex(run(self.build / f"programs/round-{language}"), ROUND)

    def test_arithmetic_and_assertions_are_sotto_s_own(self):
        for pair in COMPILERS:
            self.configured(FAST, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-Ofast -flto", compilers=pair)
            found = self.commands()
            self.assertGreater(len(found), 50)
            for file, words in found.items():
                self.assertIn("-fPIC", words)
                self.assertIn("-std=c17", words)
                last = {word: i for i, word in enumerate(words)}
                for ours, theirs in [("-fno-fast-math", "-Ofast"), ("-fno-fast-math", "-ffast-math"),
                                     ("-fno-fast-math", "-funsafe-math-optimizations"),
                                     ("-ffp-contract=off", "-ffp-contract=fast"),
                                     ("-ffp-contract=off", "-fno-fast-math"), ("-UNDEBUG", "-DNDEBUG"),
                                     ("-fno-lto", "-flto"), ("-Wno-error", "-Werror")]:
                    self.assertGreater(last[ours], last[theirs], f"{file}: {ours} {theirs}")

    def test_the_code_is_the_same_under_fast_math(self):
        """Of a file that sums and multiplies: the same instructions as without the project's flags."""
        for pair in COMPILERS:
            code = []
            for flags in ("-DFLAGS=", FAST):
                self.configured(flags, "-DCMAKE_C_FLAGS=-O2", compilers=pair)
                words = next(words for file, words in self.commands().items() if file.endswith("core/linalg.c"))
                run(*words, cwd=self.build)
                text = run("objdump", "-d", self.build / words[words.index("-o") + 1])
                code.append(text[text.index("Disassembly"):])
            self.assertIn("sotto__", code[0])
            self.assertEqual(code[0], code[1], pair)

    def test_other_builds_with_fast_math_are_told_what_is_wrong(self):
        for pair in COMPILERS:
            result = attempt(pair[0], "-ffast-math", "-fsyntax-only", SOURCE / "src/core/linalg.c",
                             f"-I{SOURCE}/include", "-DSOTTO_SIDE_CORE")
            self.assertIn("compile it without -ffast-math", result.stderr)

    def test_the_lab_can_be_asked_for_and_works_in_two_languages_by_every_compiler(self):
        """The library is built once, by the first pair; the programs by each pair, with the same flags."""
        self.configured("-DSOTTO_LAB=ON")
        found = (self.build / "targets").read_text().split()
        self.assertIn("sotto_lab_run", found)
        self.assertNotIn("sotto", found)
        run("cmake", "--build", self.build, "-j2", "--target", "lab-c", "lab-cc")
        said = [run(self.build / f"programs/lab-{language}") for language in ("c", "cc")]
        self.assertRegex(said[0], r"^sotto [\d.]+, ols [\d.]+\n$")
        for which, language in enumerate(("c", "cc")):
            program = f"programs/lab-{language}"
            lines = run("ninja", "-C", self.build, "-t", "commands", program).splitlines()
            own = [line for line in lines if f"lab-{language}.dir/" in line]
            self.assertEqual(len(own), 2, "one that compiles, one that links")
            self.assertIn("-Wall -Wextra -Wconversion -Werror", own[0])
            for pair in COMPILERS[1:]:
                first, other = (shutil.which(compilers[which]) for compilers in (COMPILERS[0], pair))
                for line in own:
                    self.assertIn(f"{first} ", line)
                    run("sh", "-c", line.replace(f"{first} ", f"{other} "), cwd=self.build)
                said.append(run(self.build / program))
        self.assertEqual(len(set(said)), 1, said)

    def test_what_cannot_be_built_here_is_told(self):
        by_itself = "Sotto is a directory of outside: its tests run where it is built by itself"
        for options, sentence in [(["-DSOTTO_CLI=ON"], "the command line needs the lab"),
                                  (["-DSOTTO_TESTS=ON"], by_itself),
                                  (["-DSOTTO_LAB=ON", "-DSOTTO_CLI=ON", "-DSOTTO_TESTS=ON"], by_itself)]:
            result = configure(HERE / "subdirectory", tempfile.mkdtemp(dir=self.directory), f"-DSOTTO={SOURCE}", *options)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(sentence, " ".join(result.stderr.split()))


if __name__ == "__main__":
    unittest.main()
