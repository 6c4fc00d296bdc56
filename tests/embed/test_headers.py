#!/usr/bin/env python3
"""Every public header compiles alone, without a warning, in C and in C++, by every compiler here; and
says nothing to a compiler of which it knows nothing."""
import os
import sys
import unittest

from outside import COMPILERS, HERE, SOURCE, InDirectory, attempt, run

HEADERS = sorted((SOURCE / "include/sotto").rglob("*.h"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
LANGUAGES = [(0, "c", "c11"), (0, "c", "c17"), (0, "c", "gnu17"), (1, "c++", "c++11"), (1, "c++", "c++17"),
             (1, "c++", "c++20")]


def name(header):
    return str(header.relative_to(SOURCE / "include"))


class Headers(InDirectory):
    def compile(self, header, compiler, language, standard, more=""):
        text = f"#include <{name(header)}>\n#include <{name(header)}>\n{more}\nint alone;\n"
        return attempt(compiler, "-x", language, f"-std={standard}", *WARNINGS, f"-I{SOURCE}/include",
                       "-c", "-o", "/dev/null", "-", input=text)

    def test_there_are_headers(self):
        self.assertLessEqual({"sotto/core.h", "sotto/client.h", "sotto/server.h"}, set(map(name, HEADERS)))

    def test_a_compiler_that_is_missing_is_no_test_less(self):
        for program in ("gcc", "g++", "clang"):
            (self.directory / program).symlink_to("/bin/true")
        result = attempt(sys.executable, HERE / "test_headers.py", env={**os.environ, "PATH": str(self.directory)})
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "not installed: clang++; `make deps-test` installs all four compilers\n")

    def test_each_alone_in_every_language_by_every_compiler(self):
        for header in HEADERS:
            for pair in COMPILERS:
                for which, language, standard in LANGUAGES:
                    result = self.compile(header, pair[which], language, standard)
                    self.assertEqual((result.returncode, result.stderr), (0, ""),
                                     f"{name(header)} {pair[which]} {standard}")

    def test_a_status_that_is_dropped_is_an_error_in_every_language(self):
        more = "void drop(void);\nvoid drop(void) { sotto_terms_check(nullptr); }"
        for pair in COMPILERS:
            for which, language, standard in LANGUAGES:
                text = more if language == "c++" else more.replace("nullptr", "NULL")
                result = self.compile(SOURCE / "include/sotto/core.h", pair[which], language, standard, text)
                self.assertRegex(result.stderr, "unused.result", pair[which])

    def test_no_header_asks_another_compiler_for_attributes(self):
        for standard in ("stdbool", "stddef", "stdint", "stdio"):
            (self.directory / f"{standard}.h").write_text("")
        for header in HEADERS:
            text = run(COMPILERS[0][0], "-E", "-P", "-undef", "-nostdinc", f"-I{self.directory}", f"-I{SOURCE}/include", header)
            self.assertRegex(text, r"sotto_\w+\(", "what was preprocessed is not the header")
            self.assertNotRegex(text, r"__\w+", name(header))


if __name__ == "__main__":
    unittest.main()
