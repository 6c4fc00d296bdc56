#!/usr/bin/env python3
"""The version stands in sotto/core.h, and everything else agrees with it."""
import ctypes
import re
import unittest

from outside import BUILD, SOTTO, SOURCE, run

VERSION = re.search(r'^#define SOTTO_VERSION "(\d+\.\d+\.\d+)"', (SOURCE / "include/sotto/core.h").read_text(), re.M)[1]
PACKAGING = BUILD / "packaging"


class Version(unittest.TestCase):
    def test_the_binary(self):
        self.assertEqual(run(SOTTO, "--version").splitlines()[0], f"sotto {VERSION}")

    def test_the_shared_libraries_by_function_and_by_name(self):
        libraries = sorted(PACKAGING.glob(f"libsotto-*.so.{VERSION}"))
        self.assertGreaterEqual(len(libraries), 2)
        self.assertEqual({path.resolve() for path in PACKAGING.glob("libsotto-*.so")}, set(libraries))
        for library in libraries:
            function = ctypes.CDLL(library).sotto_version
            function.restype = ctypes.c_char_p
            self.assertEqual(function().decode(), VERSION, library)

    def test_pkg_config(self):
        files = sorted(PACKAGING.glob("*.pc"))
        self.assertGreaterEqual(len(files), 2)
        for file in files:
            self.assertIn(f"\nVersion: {VERSION}\n", file.read_text(), file)

    def test_the_cmake_package(self):
        self.assertIn(f'set(PACKAGE_VERSION "{VERSION}")', (PACKAGING / "sottoConfigVersion.cmake").read_text())

    def test_the_newest_section_of_the_changelog(self):
        self.assertEqual(re.findall(r"^## (\S+)", (SOURCE / "CHANGELOG.md").read_text(), re.M)[0], VERSION)

    def test_the_citation(self):
        self.assertEqual(re.findall(r"^version: (\S+)$", (SOURCE / "CITATION.cff").read_text(), re.M), [VERSION])

    def test_the_packages_and_the_image(self):
        series = ".".join(VERSION.split(".")[:2])
        control = (SOURCE / "packaging/debian/control").read_text()
        self.assertEqual(set(re.findall(r"libsotto-(?:client|server|transport|lab)([\d.]*\d)", control)), {series})
        self.assertEqual(re.findall(r"newTag: \"(.*)\"", (SOURCE / "packaging/kustomize/kustomization.yaml").read_text()), [VERSION])

    def test_it_is_written_nowhere_else(self):
        kinds = ("CMakeLists.txt", "CMakePresets.json", "Makefile", "*.cmake", "*.in", "*.scd", "*.sh", "*.[ch]", "Dockerfile", "docs/*.md")
        parts = ("*", "include/**/*", "src/**/*", "cmake/*", "packaging/*", "examples/*", "bench/*", "docs/*")
        files = {file for part in parts for file in SOURCE.glob(part)
                 if file.is_file() and any(file.match(kind) for kind in kinds)}
        self.assertGreater(len(files), 300)
        found = [str(file.relative_to(SOURCE)) for file in files
                 if re.search(rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])", file.read_text())]
        self.assertEqual(found, ["include/sotto/core.h"])


if __name__ == "__main__":
    unittest.main()
