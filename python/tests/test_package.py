"""The package as it is installed: versions, what it needs, examples in docstrings, types."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import unittest

import sotto

SOURCE = os.environ["SOURCE"]
BUILD = os.environ["BUILD"]
PACKAGE = os.path.dirname(sotto.__file__)


def modules():
    return [importlib.import_module(f"sotto.{found.name}") for found in pkgutil.iter_modules(sotto.__path__)
            if found.name not in ("_lab", "_wire")]


class Package(unittest.TestCase):
    def test_what_is_tested_is_the_wheel(self):
        self.assertTrue(PACKAGE.startswith(os.path.join(BUILD, "python/venv")), PACKAGE)

    def test_dir_is_complete(self):
        self.assertLessEqual({*sotto.__all__, "PrivateBandit"}, set(dir(sotto)))
        for name in dir(sotto):
            getattr(sotto, name)

    def test_the_version_is_that_of_the_header(self):
        with open(os.path.join(SOURCE, "include/sotto/core.h"), encoding="utf-8") as file:
            version = re.search(r'SOTTO_VERSION "(.*?)"', file.read()).group(1)
        self.assertEqual((version, version), (sotto.__version__, sotto.library_version()))

    def test_the_lab_needs_no_library_but_those_that_every_debian_has(self):
        printed = subprocess.run(["readelf", "-d", os.path.join(PACKAGE, "_lab.abi3.so")], check=True, capture_output=True,
                                 text=True).stdout
        needed = set(re.findall(r"NEEDED.*\[(.*?)\]", printed))
        self.assertLessEqual({name.split(".so")[0] for name in needed}, {"libc", "libm", "libz", "libpthread", "ld-linux-aarch64",
                                                                         "ld-linux-x86-64"})

    def test_symbols_of_the_libraries_are_hidden(self):
        for module in ("_lab", "_wire"):
            printed = subprocess.run(["nm", "-D", "--defined-only", os.path.join(PACKAGE, f"{module}.abi3.so")], check=True,
                                     capture_output=True, text=True).stdout
            self.assertEqual([f"PyInit_{module}"], [line.split()[2] for line in printed.splitlines()])

    def test_another_version_of_the_library_in_the_process_does_no_harm(self):
        other = os.path.join(BUILD, "python/other.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", other], check=True, text=True,
                       input='const char *sotto_version(void) { return "9.9.9"; } int sotto_spec_resolve(void) { return 7; }')
        script = ("import ctypes; other = ctypes.CDLL(%r, mode=ctypes.RTLD_GLOBAL); "
                  "other.sotto_version.restype = ctypes.c_char_p; assert other.sotto_version() == b'9.9.9'; "
                  "import sotto; print(sotto.library_version())" % other)
        for environment in ({}, {"LD_PRELOAD": other}):
            printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True,
                                     env=dict(os.environ, **environment)).stdout
            self.assertEqual(sotto.__version__, printed.strip())

    def test_pandas_and_matplotlib_are_loaded_when_they_are_needed(self):
        script = "import sys, sotto; print([name for name in ('pandas', 'matplotlib', 'sotto._wire') if name in sys.modules])"
        printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        self.assertEqual("[]", printed.strip())

    def test_without_pandas_there_is_a_sentence_before_anything_is_played(self):
        script = ("import sys; sys.modules['pandas'] = None; import sotto\n"
                  "told = []\n"
                  "plan = sotto.plan(dim=2, arms=2, epsilon=1)\n"
                  "def played():\n"
                  "    return sotto.simulate(dim=2, arms=2, horizon=10, seeds=1, progress=lambda *_: told.append(1))\n"
                  "for call in (played, lambda: sotto.summary([]), lambda: sotto.plot([]), lambda: plan.summary):\n"
                  "    try:\n        call()\n    except ImportError as fault:\n        print(fault)\n"
                  "assert not told")
        printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        self.assertEqual(4, len(printed.splitlines()), printed)
        for sentence in printed.splitlines():
            self.assertRegex(sentence, "^sotto needs pandas.*`pip install pandas`, or Debian's python3-pandas$")

    def test_examples_in_docstrings(self):
        for module in [sotto, *modules()]:
            with self.subTest(module=module.__name__):
                failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
                self.assertEqual(0, failed)

    def test_all_that_is_public_is_documented(self):
        for name in sotto.__all__:
            with self.subTest(name=name):
                self.assertTrue(name == "__version__" or getattr(sotto, name).__doc__)

    def test_types(self):
        ran = subprocess.run([sys.executable, "-m", "mypy", "--config-file", os.path.join(SOURCE, "python/pyproject.toml"),
                              "--cache-dir", os.path.join(BUILD, "python/mypy")], check=False, capture_output=True, text=True,
                             cwd=os.path.join(SOURCE, "python"))
        self.assertEqual(0, ran.returncode, ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main()
