#!/usr/bin/env python3
"""What the libraries promise to programs that link them (packaging/abi.sh, on this build and on planted changes), and the bill of
materials of a release (packaging/sbom.py)."""
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
HEADER = """#ifndef TINY_H
#define TINY_H
struct tiny { int arms; double epsilon; };
enum tiny_kind { TINY_ONE = 1, TINY_TWO = 2 };
double tiny_cost(const struct tiny *tiny, enum tiny_kind kind);
int tiny_arms(const struct tiny *tiny);
struct tiny_own;
int tiny_look(const struct tiny_own *own);
%s
#endif
"""
CODE = """#include "sotto/tiny.h"
#include "../src/tiny.h"
double tiny_cost(const struct tiny *tiny, enum tiny_kind kind) { return tiny->epsilon * kind; }
int tiny_arms(const struct tiny *tiny) { return tiny->arms; }
int tiny_look(const struct tiny_own *own) { return own->secret; }
"""
OWN = "struct tiny_own { int secret; };\n"  # in a file with the name of a public header


class Abi(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        for place in ("packaging/debian", "include/sotto", "src", "build"):
            (self.root / place).mkdir(parents=True)
        shutil.copy(SOURCE / "packaging/abi.sh", self.root / "packaging")

    def build(self, header=HEADER % "", code=CODE, version="0.2", own=OWN):
        """A library of one file; returns what abi.sh says of it."""
        (self.root / "include/sotto/tiny.h").write_text(header)
        (self.root / "src/tiny.h").write_text(own)
        (self.root / "src/tiny.c").write_text(code)
        for old in (self.root / "build").iterdir():
            old.unlink()
        subprocess.run([os.environ["CC"], "-g", "-shared", "-fPIC", "-I", self.root / "include", f"-Wl,-soname,libsotto-tiny.so.{version}",
                        "-o", self.root / f"build/libsotto-tiny.so.{version}.0", self.root / "src/tiny.c"], check=True)
        return self.abi(self.root / "build")

    def abi(self, *words):
        return subprocess.run([self.root / "packaging/abi.sh", *words], capture_output=True, text=True)

    def keep(self):
        self.build()
        self.assertEqual(self.abi("--write", self.root / "build").returncode, 0)

    def test_directories_without_libraries_are_refused(self):
        result = self.abi(self.root / "build")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no library below", result.stderr)
        self.assertEqual(self.abi(self.root / "nothing").returncode, 2)

    def test_a_library_that_is_gone_is_named(self):
        self.keep()
        kept = self.root / "packaging/abi"
        shutil.copy(kept / "libsotto-tiny.so.0.2.abi.gz", kept / "libsotto-small.so.0.2.abi.gz")
        result = self.build()
        self.assertEqual((result.returncode, result.stdout),
                         (1, "libsotto-small.so.0.2: no such library\n1 libraries compared, 1 changed\n"))

    def test_planted_changes_need_a_new_soname(self):
        self.keep()
        planted = {
            "a struct that grows": ("double epsilon;", "double epsilon; double delta;"),
            "a field of another type": ("int arms;", "long arms;"),
            "fields in another order": ("int arms; double epsilon;", "double epsilon; int arms;"),
            "a constant of another value": ("TINY_TWO = 2", "TINY_TWO = 3"),
            "another parameter": ("enum tiny_kind kind)", "enum tiny_kind kind, int more)"),
            "another result": ("int tiny_arms(", "long tiny_arms("),
        }
        for name, change in planted.items():
            with self.subTest(name):
                result = self.build(HEADER.replace(*change) % "", CODE.replace(*change))
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn("libsotto-tiny.so.0.2: changed, with the same SONAME", result.stdout)
                other = self.build(HEADER.replace(*change) % "", CODE.replace(*change), version="0.3")
                self.assertIn("libsotto-tiny.so.0.3: a new SONAME", other.stdout)

    def test_a_function_that_is_gone_needs_a_new_soname(self):
        self.keep()
        result = self.build(HEADER.replace("int tiny_arms(const struct tiny *tiny);", "") % "", CODE.replace("int tiny_arms", "static int arms"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("changed, with the same SONAME", result.stdout)

    def test_a_private_struct_may_change(self):
        self.keep()
        result = self.build(own="struct tiny_own { double more; int secret; };\n")
        self.assertEqual((result.returncode, result.stdout), (0, "1 libraries compared, 0 changed\n"))

    def test_the_same_functions_pass_and_a_new_one_has_to_be_kept(self):
        self.keep()
        self.assertEqual(self.build().stdout, "1 libraries compared, 0 changed\n")
        result = self.build(HEADER % "int tiny_new(void);", CODE + "int tiny_new(void) { return 1; }\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("new functions; abi.sh --write keeps them", result.stdout)
        self.abi("--write", self.root / "build")
        self.assertEqual(self.abi(self.root / "build").returncode, 0)

    def test_a_new_soname_takes_the_place_of_the_old_one(self):
        self.keep()
        self.build(version="0.3")
        self.abi("--write", self.root / "build")
        self.assertEqual([path.name for path in (self.root / "packaging/abi").iterdir()], ["libsotto-tiny.so.0.3.abi.gz"])
        self.assertEqual(self.abi(self.root / "build").returncode, 0)

    def test_this_build_has_what_its_sonames_promise(self):
        result = subprocess.run([SOURCE / "packaging/abi.sh", Path(os.environ["BUILD"]) / "packaging"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (0, "4 libraries compared, 0 changed\n"), result.stderr)


class Bill(unittest.TestCase):
    def test_it_follows_the_rules_of_spdx(self):
        names = ("include/sotto/core.h", "packaging/debian/control", "web/CMakeLists.txt")
        with tempfile.TemporaryDirectory() as directory:
            with tarfile.open(f"{directory}/tarball", "w") as tar:
                for name in names:
                    tar.add(SOURCE / name, f"sotto-0/{name}")
            subprocess.run([SOURCE / "packaging/sbom.py", f"{directory}/tarball", f"{directory}/bill"], check=True)
            bill = json.loads(Path(f"{directory}/bill").read_text())
        relations = {(relation["relationshipType"], relation["relatedSpdxElement"]) for relation in bill["relationships"]}
        named = {thing["SPDXID"] for thing in (*bill["files"], *bill["packages"])}
        self.assertEqual({name for _, name in relations}, named)
        self.assertEqual({name for kind, name in relations if kind.endswith("LINK")},
                         {"SPDXRef-libcurl4-openssl-dev", "SPDXRef-libjansson-dev", "SPDXRef-libmicrohttpd-dev", "SPDXRef-libpq-dev",
                          "SPDXRef-libsqlite3-dev", "SPDXRef-zlib1g-dev", "SPDXRef-wasi-libc"})
        # Only a package that was analysed may contain files, and its code is a SHA-1 over theirs.
        sums = sorted(hashlib.sha1((SOURCE / name).read_bytes()).hexdigest() for name in names)
        self.assertEqual([(package["SPDXID"], package["packageVerificationCode"]["packageVerificationCodeValue"])
                          for package in bill["packages"] if package["filesAnalyzed"]],
                         [("SPDXRef-sotto", hashlib.sha1("".join(sums).encode()).hexdigest())])


if __name__ == "__main__":
    unittest.main()
