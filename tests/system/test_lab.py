#!/usr/bin/env python3
"""The files of `make install` are enough to build the README's example, shared and static, and to
read the man page; and a program outside the project, with only installed headers and libsotto-lab,
gets the numbers of the commands: it simulates, plans, audits and replays. Runs on the packed build
in BUILD."""
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD, CC = Path(os.environ["SOURCE"]), Path(os.environ["BUILD"]), os.environ["CC"]
SOTTO = os.environ["SOTTO"]
METHODS = ["--method", "sotto,ldp-sgd,glm-ucb", "--environment", "ball", "--link", "logit", "--dim", "4", "--arms", "3",
           "--horizon", "500", "--epsilon", "0.5,2", "--first-seed", "3", "--seeds", "4", "--theta-norm", "0.5",
           "--eta0", "2", "--quiet"]


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True, **more)


def numbers(text, first):
    """The words of the lines whose first word is this one."""
    return [line.split()[1:] for line in text.splitlines() if line.split()[0] == first]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.prefix = Path(cls.directory.name) / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libdir = next(cls.prefix.glob("lib*/**/pkgconfig")).parent
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(cls.libdir / "pkgconfig"),
                           "LD_LIBRARY_PATH": str(cls.libdir)}


class Install(Installed):
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
        def headers(directory):
            return sorted(str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file())
        own = [header for header in headers(SOURCE / "include") if header != "sotto/flat.h"]  # of no installed library
        self.assertEqual(headers(self.prefix / "include"), own)

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


class Lab(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data, cls.schema = Path(cls.directory.name) / "people.csv", Path(cls.directory.name) / "people.schema"
        cls.data.write_text("x,y\n" + "".join(f"{i * 37 % 100 / 100},{'ab'[i * 37 % 100 > 50]}\n" for i in range(600)))
        cls.schema.write_text("number x 0 1\nlabel y a b\n")
        cls.output = cls.outside(cls.flags("--libs", "sotto-lab"))

    @classmethod
    def flags(cls, *words):
        return run("pkg-config", "--cflags", *words, env=cls.environment).stdout.split()

    @classmethod
    def outside(cls, flags):
        program = Path(cls.directory.name) / "outside"
        run(CC, "-std=c11", "-Wall", "-Wextra", "-pedantic-errors", "-Werror", SOURCE / "tests/support/outside.c",
            "-o", program, *flags)
        return run(program, cls.data, cls.schema, env=cls.environment).stdout

    def test_plug_ins_need_the_installed_header_alone_and_the_installed_binary_plays_them(self):
        place, strict = Path(self.directory.name), ["-std=c11", "-Wall", "-Wextra", "-pedantic-errors", "-Werror"]
        for name in ("coin", "tastes"):
            run(CC, *strict, "-shared", "-fPIC", "-O2", SOURCE / f"examples/plugin_{name}.c", "-o", place / f"{name}.so",
                f"-I{self.prefix}/include", "-lm")
            wanted = run("nm", "-D", "--undefined-only", place / f"{name}.so").stdout
            self.assertNotIn("sotto", wanted)
        found = run(self.prefix / "bin/sotto", "simulate", "--method", "sotto,./coin.so", "--environment", "./tastes.so",
                    "--dim", 4, "--arms", 3, "--horizon", 2000, "--epsilon", "2,8", "--seeds", 3, cwd=place).stdout
        self.assertEqual(found.count("coin,"), 2 * 3 * 11)
        parts = []
        for name, more in (("examples/plugin_coin", []), ("examples/plugin_tastes", ["-Dsotto_plugin_get=tastes_get"]),
                           ("tests/support/outside_guests", [])):
            parts.append(place / f"{Path(name).name}.o")
            run(CC, *strict, "-O2", "-c", SOURCE / f"{name}.c", "-o", parts[-1], f"-I{self.prefix}/include", *more)
        for libraries in (self.flags("--libs", "sotto-lab"), [self.libdir / "libsotto-lab.a", "-lm", "-lpthread", "-lz"]):
            run(CC, *parts, "-o", place / "guests", *libraries, "-lm")
            self.assertEqual(run(place / "guests", env=self.environment).stdout, found)

    def test_a_method_of_one_s_own_builds_on_the_installed_lab(self):
        program = Path(self.directory.name) / "own_method"
        run(CC, "-std=c11", "-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-O2", SOURCE / "examples/06_own_method.c",
            "-o", program, *self.flags("--libs", "sotto-lab"), "-lm")
        self.assertRegex(run(program, env=self.environment).stdout, r"noisy +regret +\d+\.\d after 20000 rounds\n$")

    def test_rows_are_those_of_simulate_byte_by_byte(self):
        wanted = run(SOTTO, "simulate", *METHODS).stdout
        self.assertEqual(wanted.count("\n"), 1 + 4 * 2 * 4 * 9)
        self.assertTrue(self.output.startswith(wanted))

    def test_the_summary_is_that_of_simulate(self):
        lines = [json.loads(line) for line in run(SOTTO, "simulate", *METHODS, "--summary", "--json").stdout.splitlines()]
        got = numbers(self.output, "summary")
        self.assertEqual([len(got), len(lines)], [7, 7])  # the method without privacy has one line
        for line, (method, epsilon, seeds, mean, p90, cost) in zip(lines, got):
            self.assertEqual((line["method"], line["epsilon"] or math.inf, line["seeds"]),
                             (method, float(epsilon), int(seeds)))
            self.assertEqual((line["regret_mean"], line["regret_p90"], line["cost"]),
                             (float(mean), float(p90), float(cost)))

    def test_customers_of_the_loan_are_those_of_simulate(self):
        wanted = run(SOTTO, "simulate", "--method", "sotto", "--environment", "loan", "--revenue", "--horizon", "300",
                     "--seeds", "2", "--quiet").stdout.splitlines()[1:]
        self.assertEqual([words[0] for words in numbers(self.output, "loan")], wanted)

    def test_the_plan_is_that_of_the_command(self):
        wanted = json.loads(run(SOTTO, "plan", "--dim", "6", "--arms", "4", "--horizon", "50000", "--json").stdout)
        [[regret, people]] = numbers(self.output, "plan")
        self.assertEqual(float(regret), wanted["plans"][0]["regret_per_person"])
        self.assertEqual(int(people), wanted["plans"][0]["target_people"])

    def test_the_audit_is_that_of_the_command(self):
        wanted = json.loads(run(SOTTO, "audit", "--mechanism", "l2ball", "--dim", "3", "--epsilon", "1", "--trials", "20000",
                                "--seed", "7", "--json").stdout)
        [[verdict, lower]] = numbers(self.output, "audit")
        self.assertEqual((verdict, float(lower)), (wanted["verdict"], wanted["epsilon_lower"]))

    def test_the_replay_is_that_of_the_command(self):
        command = [SOTTO, "replay", "--data", self.data, "--schema", self.schema, "--seeds", "3", "--quiet"]
        wanted = [[row["method"], *(float(row[c]) for c in ("epsilon", "seed", "t", "reward", "regret"))]
                  for row in csv.DictReader(io.StringIO(run(*command).stdout))]
        got = [[m, *map(float, rest)] for m, *rest in (words[0].split(",") for words in numbers(self.output, "replay"))]
        self.assertGreater(len(got), 50)
        self.assertEqual(got, wanted)
        lines = [json.loads(line) for line in run(*command, "--summary", "--json").stdout.splitlines()]
        self.assertEqual([[line["method"], line["reward_mean"]] for line in lines],
                         [[name, float(mean)] for name, mean in numbers(self.output, "replayed")])

    def test_the_static_library_gives_the_same(self):
        private = [f for f in self.flags("--static", "--libs", "sotto-lab") if f != "-lsotto-lab"]
        self.assertIn("-lpthread", private)
        self.assertEqual(self.outside([self.libdir / "libsotto-lab.a", *private]), self.output)

    def test_it_can_stand_next_to_the_other_libraries_in_any_order(self):
        cflags = self.flags("sotto-lab")
        for names in (["client", "server", "lab"], ["lab", "server", "client"]):
            static = [self.libdir / f"libsotto-{name}.a" for name in names]
            self.assertEqual(self.outside([*cflags, *static, "-lm", "-lpthread", "-lz"]), self.output)
            shared = [f"-lsotto-{name}" for name in names]
            self.assertEqual(self.outside([*cflags, f"-L{self.libdir}", "-Wl,--no-as-needed", *shared]), self.output)

    def test_cxx_can_use_it_where_there_is_a_compiler(self):
        source, program = Path(self.directory.name) / "lab.cc", Path(self.directory.name) / "lab"
        source.write_text('#include <sotto/lab.h>\n#include <cstdio>\n'
                          'int main() { sotto_scene scene{}; scene.dim = 3; scene.arms = 2; scene.horizon = 50;\n'
                          'sotto_comparison_request r = sotto_comparison_request_default(&scene);\n'
                          'bool changed = SOTTO_COMPARISON_CHANGE(&r, environment.noise, 0.5);\n'
                          'sotto_comparison *c; if (!changed || sotto_comparison_new(&r, &c) != SOTTO_OK) return 1;\n'
                          'std::printf("%g", sotto_comparison_sweep(c)->match[0].environment.noise);\n'
                          'sotto_comparison_free(c); }\n')
        try:
            run("c++", "-std=c++17", "-Wall", "-Werror", source, "-o", program, *self.flags("--libs", "sotto-lab"))
        except FileNotFoundError:
            self.skipTest("no c++ here")
        self.assertEqual(run(program, env=self.environment).stdout, "0.5")


if __name__ == "__main__":
    unittest.main()
