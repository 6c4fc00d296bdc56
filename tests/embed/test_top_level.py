#!/usr/bin/env python3
"""Sotto built by itself: without the optional tools, and with warnings as errors in the presets only."""
import json
import os
import re
import shutil
import unittest
from pathlib import Path

from outside import BUILD, SOURCE, InDirectory, configure, run

OPTIONAL = {"scdoc", "rsvg-convert"}


def flags(build):
    """The flags of each file of the library."""
    entries = json.loads((build / "compile_commands.json").read_text())
    return [entry["command"].split() for entry in entries if f"{SOURCE}/src/" in entry["file"]]


class TopLevel(InDirectory):
    def without_tools(self):
        """The environment of a machine that has all programs but the optional ones."""
        programs = self.directory / "programs"
        programs.mkdir()
        for directory in os.environ["PATH"].split(":"):
            for program in sorted(Path(directory).glob("*")):
                link = programs / program.name
                if program.name not in OPTIONAL and not link.is_symlink():
                    link.symlink_to(program)
        return {**os.environ, "PATH": str(programs)}

    def zlib(self):
        """Where zlib is, which is needed: a machine whose programs are hidden finds no libraries either."""
        cache = (BUILD / "CMakeCache.txt").read_text().splitlines()
        return ["-D" + line for line in cache if line.startswith(("ZLIB_INCLUDE_DIR:", "ZLIB_LIBRARY_RELEASE:"))]

    def test_without_scdoc_and_rsvg_convert_it_says_what_is_missed_and_goes_on(self):
        build = self.directory / "build"
        result = self.configured(SOURCE, build, "-DSOTTO_TESTS=OFF", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF",
                                 "-Wno-dev", *self.zlib(), env=self.without_tools())
        warnings = " ".join(result.stderr.split())
        self.assertIn("scdoc was not found: there will be no man pages. The Debian package is scdoc.", warnings)
        self.assertIn("rsvg-convert was not found: commands will draw figures as SVG, and not as PNG and PDF. "
                      "The Debian package is librsvg2-bin.", warnings)
        installed = (build / "packaging/cmake_install.cmake").read_text()
        self.assertIn("libsotto-client.a", installed)
        self.assertNotIn("man1", installed)

    def test_without_cmocka_it_skips_the_tests_and_says_so(self):
        finder = self.directory / "pkg-config"
        finder.write_text('#!/bin/sh\ncase "$*" in *cmocka*) exit 1;; esac\nexec pkg-config "$@"\n')
        finder.chmod(0o755)
        build = self.directory / "build"
        result = self.configured(SOURCE, build, f"-DPKG_CONFIG_EXECUTABLE={finder}", "-Wno-dev")
        self.assertIn("cmocka was not found: the tests are skipped, everything else is built. The Debian packages are "
                      "libcmocka-dev and pkg-config.", " ".join(result.stderr.split()))
        self.assertFalse((build / "tests").exists())
        self.assertIn("sotto: ", run("ninja", "-C", build, "-t", "targets", "all"))

    def test_parts_that_need_each_other_say_so(self):
        for options, sentence in [(["-DSOTTO_LAB=OFF"], "the command line needs the lab"),
                                  (["-DSOTTO_CLI=OFF"], "the tests need the command line")]:
            result = configure(SOURCE, self.directory / "build", *options)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(sentence, " ".join(result.stderr.split()))
            shutil.rmtree(self.directory / "build")

    def test_the_wheel_builds_only_the_libraries(self):
        build = self.directory / "build"
        self.configured(SOURCE, build, "-DSOTTO_TESTS=OFF", "-DSOTTO_CLI=OFF", "-DSOTTO_SERVICE=OFF")
        targets = run("ninja", "-C", build, "-t", "targets", "all")
        rooms = set(re.findall(r"^src/([a-z]+)/.*\.o:", targets, re.M))
        self.assertEqual(rooms, {"client", "core", "flat", "lab", "server", "text", "threads", "transport"})
        self.assertFalse("sotto.1" in targets)

    def test_warnings_are_errors_in_the_presets_only(self):
        build = self.directory / "build"
        self.configured(SOURCE, build, "-DSOTTO_TESTS=OFF")
        for directory, wanted in ((BUILD, True), (build, False)):
            found = flags(directory)
            self.assertGreater(len(found), 200)
            for words in found:
                self.assertIn("-Wconversion", words)
                self.assertEqual("-Werror" in words, wanted, words)

    def test_every_preset_makes_warnings_errors(self):
        presets = {p["name"]: p for p in json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]}
        for name in presets:
            chain = [name]
            while "inherits" in presets[chain[-1]]:
                chain.append(presets[chain[-1]]["inherits"])
            self.assertEqual(chain[-1], "base", name)
        self.assertEqual(presets["base"]["cacheVariables"]["CMAKE_COMPILE_WARNING_AS_ERROR"], "ON")


if __name__ == "__main__":
    unittest.main()
