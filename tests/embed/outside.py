"""What the tests of this directory share."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD, SOTTO = (Path(os.environ[name]) for name in ("SOURCE", "BUILD", "SOTTO"))
HERE = Path(__file__).parent
EXAMPLE = SOURCE / "examples/00_one_round.c"
ROUND = r"^42 bytes, codeword \d+ of 64, 1 report folded, epsilon spent: 1 of 8\n$"

# Pairs of a C and a C++ compiler. Both are wanted: a pair that is missing would be a test that nobody ran.
COMPILERS = (("gcc", "g++"), ("clang", "clang++"))
MISSING = [compiler for pair in COMPILERS for compiler in pair if shutil.which(compiler) is None]
if MISSING:
    raise SystemExit(f"not installed: {', '.join(MISSING)}; `make deps-test` installs all four compilers")


def run(*words, **more):
    """What the command printed. Fails with all of it."""
    result = attempt(*words, **more)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def attempt(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)


def configure(source, build, *options, compilers=COMPILERS[0], **more):
    """The call of cmake, with errors and warnings in stderr."""
    c, cxx = compilers
    return attempt("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_C_COMPILER={c}",
                   f"-DCMAKE_CXX_COMPILER={cxx}", *options, **more)


class InDirectory(unittest.TestCase):
    """Each test has a directory of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def configured(self, *words, **more):
        result = configure(*words, **more)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result
