"""Plug-ins of the command line, from Python: the same rows, and files that are none."""

import io
import os
import subprocess
import unittest

import pandas

import sotto

SOTTO = os.environ["SOTTO"]
SOURCE = os.environ["SOURCE"]
DIRECTORY = os.path.join(os.environ["BUILD"], "python")
SMALL = {"dim": 3, "arms": 4, "horizon": 300, "seeds": 2}


def built(name, source):
    path = os.path.join(DIRECTORY, f"{name}.so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", f"-I{SOURCE}/include", "-x", "c", "-", "-o",
                    path, "-lm"],
                   check=True, input=source, text=True)
    return path


def example(name):
    with open(f"{SOURCE}/examples/plugin_{name}.c", encoding="utf-8") as file:
        return built(f"test_{name}", file.read())


class Plugins(unittest.TestCase):
    def test_the_rows_of_the_command_line(self):
        coin, tastes = example("coin"), example("tastes")
        printed = subprocess.run([SOTTO, "simulate", "--method", f"sotto,{coin},ols", "--environment", tastes, "--dim",
                                  "3", "--arms", "4",
                                  "--horizon", "300", "--seeds", "2", "--quiet", "--csv"], check=True,
                                 capture_output=True, text=True).stdout
        rows = sotto.simulate(f"sotto,{coin},ols", environment=tastes, **SMALL)
        expected = pandas.read_csv(io.StringIO(printed), float_precision="round_trip", dtype={"epsilon": float})
        pandas.testing.assert_frame_equal(expected, rows, check_exact=True)
        self.assertEqual(["sotto", "coin", "ols", "best-arm"], list(sotto.summary(rows)["method"]))
        pandas.testing.assert_frame_equal(rows,
                                          sotto.simulate(f"sotto,{coin},ols", environment=tastes, **SMALL, keep=rows))

    def test_beside_a_class(self):
        class Coin(sotto.Method):
            name = "coin"

        with self.assertRaisesRegex(sotto.FaultError, r"method\[1\] = coin: each method may be given only once"):
            sotto.simulate([example("coin"), Coin], **SMALL)

    def test_files_that_are_none(self):
        head = "#include <sotto/lab/plugins.h>\n"
        player = head + ("const sotto_plugin *sotto_plugin_get(void) { static const sotto_player_table t = "
                         "{SOTTO_TABLE(sotto_player_table), %s}; static const sotto_plugin p = "
                         "{SOTTO_TABLE(sotto_plugin), &t}; return &p; }")
        text = os.path.join(DIRECTORY, "text.so")
        with open(text, "w", encoding="utf-8") as file:
            file.write("no shared object")
        for path, why in (
                ("./missing.so", "./missing.so: No such file"), ("missing.so", "./missing.so: No such file"),
            (f"{DIRECTORY}/", "Is a directory"),
                (text, "text.so: cannot be loaded as a shared object"),
                (built("empty", "int nothing;"), "has no function sotto_plugin_get, so it is not a plug-in of Sotto"),
                (built("null", head + "const sotto_plugin *sotto_plugin_get(void) { return 0; }"),
                 "sotto_plugin_get returned NULL"),
                (built("other", head + "const sotto_plugin *sotto_plugin_get(void)"
                       "{ static const sotto_plugin p = {99, sizeof p}; return &p; }"),
                 "plug-in: its ABI version is 99; allowed 1"),
                (built("short", head + "const sotto_plugin *sotto_plugin_get(void)"
                       "{ static const sotto_plugin p = {SOTTO_PLUGIN_ABI, 8}; return &p; }"),
                 "plug-in: its table has 8 bytes"),
                (example("tastes"), "contains no method"),
                (built("hollow", player % '.name = "hollow"'), "method hollow: its function make is missing"),
                (built("nameless", player % ""), "its name is missing")):
            with self.subTest(path=path), self.assertRaisesRegex(sotto.FaultError, why):
                sotto.simulate(path, **SMALL)
        with self.assertRaisesRegex(sotto.FaultError, "contains no environment"):
            sotto.simulate("sotto", environment=example("coin"), **SMALL)


if __name__ == "__main__":
    unittest.main(warnings="error")
