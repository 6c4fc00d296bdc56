#!/usr/bin/env python3
"""The measurements themselves: their arithmetic, their verdicts on a stand-in for the binary, and
the pieces of the soak with stand-ins for the programs that they run."""
import contextlib
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from directory_case import DirectoryCase

MEASURE = Path(os.environ["SOURCE"]) / "tests/measure"
TARGETS = len(list((MEASURE.parent / "fuzz").glob("fuzz_*.c")))
sys.path.insert(0, str(MEASURE))
import bench  # noqa: E402
import measure  # noqa: E402
import deviations  # noqa: E402
import random_settings  # noqa: E402
import rates  # noqa: E402
import research  # noqa: E402
import scoreboard  # noqa: E402
import tables  # noqa: E402

# Regret t^GROWTH (e^eps - 1)^-FALL, times 1 for ols, 2 PENALTY for sotto, 3 for others, and 100 at
# epsilon BUMP.
BINARY = """#!/usr/bin/env python3
import math, os, sys
if "--constants" in sys.argv:
    print('{"eta0": 5}')
    sys.exit()
value = {name: text for name, text in zip(sys.argv, sys.argv[1:])}
growth, fall = float(os.environ["GROWTH"]), float(os.environ["FALL"])
horizon = int(value["--horizon"])
print("method,epsilon,seed,t,regret,estimation_error")
for method in value["--method"].split(","):
    rank = {"ols": 1, "sotto": 2 * float(os.environ["PENALTY"])}.get(method, 3)
    for epsilon in map(float, value["--epsilon"].split(",")):
        for seed in range(1, int(value["--seeds"]) + 1):
            for t in map(int, value.get("--checkpoints", str(horizon)).split(",")):
                regret = rank * t ** growth * math.expm1(epsilon) ** -fall
                regret *= 100 if epsilon == float(os.environ["BUMP"]) else 1
                print(f"{method},{epsilon:g},{seed},{t},{regret},0")
"""


class Arithmetic(unittest.TestCase):
    def test_command(self):
        options = dict(first_seed=3, quiet=True, csv=False, out=None)
        line = measure.command("sotto", "simulate", options)
        self.assertEqual(line, ["sotto", "simulate", "--first-seed", "3", "--quiet"])

    def test_mean_and_standard_error(self):
        self.assertEqual(measure.mean([1, 2, 6]), 3)
        self.assertAlmostEqual(measure.standard_error([1, 2, 6]), math.sqrt(7 / 3))

    def test_line(self):
        a, b = measure.line([1, 2, 4], [5, 7, 11])
        self.assertAlmostEqual(a, 3)
        self.assertAlmostEqual(b, 2)
        self.assertAlmostEqual(measure.line([0, 1, 2], [0, 1, 5])[1], 2.5)

    def test_exponent(self):
        self.assertAlmostEqual(measure.exponent({t: 7 * t**0.25 for t in (10, 300, 1e5)}), 0.25)

    def test_bootstrap_of_a_mean_is_its_standard_error(self):
        values = [math.sin(i) for i in range(50)]
        error = measure.bootstrap({1: values}, lambda means: means[1], draws=4000)
        # the factor (n - 1)/n under the root, and 5 of its own standard errors, 1/sqrt(2 x 4000)
        ratio = error / measure.standard_error(values)
        self.assertAlmostEqual(ratio, math.sqrt(49 / 50), delta=0.056)

    def test_bootstrap_draws_the_seeds_of_a_run_together(self):
        values = [1, 5, 2, 9]
        columns = {10: values, 100: [2 * value for value in values]}
        self.assertLess(measure.bootstrap(columns, measure.exponent), 1e-9)
        columns[100] = [1, 1, 1, 1, 1]
        self.assertGreater(measure.bootstrap(columns, measure.exponent), 0.05)

    def test_least_ratio(self):
        # k = e^0.5 x (16/pi^2) x 2/3 = 1.7818 at d = 2, epsilon 0.25
        least = (1 - math.exp(-1.7818)) / 6.3164
        self.assertAlmostEqual(rates.least_ratio(2, 0.25), least, places=4)
        self.assertLess(rates.least_ratio(2, 1), rates.least_ratio(2, 0.5))

    def test_growth_does_not_see_a_constant(self):
        times = (100, 1000, 10000)
        for a in (-5, 0, 1000):
            self.assertAlmostEqual(rates.growth({t: a + 3 * t**0.25 for t in times}), 0.25)
            self.assertAlmostEqual(rates.growth({t: a + 3 * math.log(t) for t in times}), 0)

    def test_bar(self):
        lengths = [len(rates.bar(value, 1, 100, width=5)) for value in (1, 10, 100)]
        self.assertEqual(lengths, [1, 3, 5])


class Table(unittest.TestCase):
    def finish(self, *rows):
        """Exit status, output, and the rows added to the file."""
        with tempfile.TemporaryDirectory() as directory:
            figures = os.path.join(directory, "figures")
            had = measure.Row("before", "1", "1", True)
            Path(figures).write_text(json.dumps(had._asdict()) + "\n")
            printed = io.StringIO()
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stdout(printed):
                measure.finish(types.SimpleNamespace(figures=figures), list(rows))
            before, *kept = measure.load(figures)
            self.assertEqual(before, had)
            return end.exception.code, printed.getvalue(), kept

    def test_all_reached(self):
        rows = [measure.Row("speed", "<= 2", "1.5", True),
                measure.Row("regret", "<= 10", "9", True)]
        status, printed, kept = self.finish(*rows)
        self.assertEqual((status, kept), (0, rows))
        self.assertEqual(printed.splitlines(), ["", "figure  wanted  got  pass",
                                                "speed   <= 2    1.5  yes",
                                                "regret  <= 10   9    yes"])

    def test_one_missed(self):
        status, printed, _ = self.finish(measure.Row("a", "1", "1", True),
                                         measure.Row("b", "1", "2", False))
        self.assertEqual(status, 1)
        self.assertRegex(printed, r"b +1 +2 +NO\n$")


class Research(DirectoryCase):
    """Tables that scripts write into research/, and how pages show them."""

    def setUp(self):
        super().setUp()
        (self.directory / "index.csv").write_text("file,what,command,commit\nx.csv,a thing,a command,old\n")

    def kept(self, *rows, columns=("set", "regret", "value", "median", "said"), write=True, keys=0):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            table = research.Table(types.SimpleNamespace(write=write), "x", columns, keys=keys, directory=str(self.directory))
            for row in rows:
                table.row(*row)
            table.close()
        self.assertEqual(len(printed.getvalue().splitlines()), 2 + len(rows))
        return (self.directory / "x.csv").read_text().splitlines() if write else None

    def test_quick_runs_keep_nothing(self):
        result = subprocess.run([sys.executable, MEASURE / "drift.py", "--quick", "--write"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--quick plays too few seeds for --write", result.stderr)

    def test_nothing_is_written_unless_asked(self):
        self.kept(("a", "1", "1", "1", "1"), write=False)
        self.assertFalse((self.directory / "x.csv").exists())

    def test_a_cell_holds_one_number(self):
        lines = self.kept(("a", "1,234 ± 5.6", "3 (-2 to 4e-05)", "7 (1,000)", "3 of 4"), ("b", "9", "-", "8 (9)", ""))
        self.assertEqual(lines, ["set,regret,regret ±,value,value low,value high,median,median mean,said",
                                 "a,1234,5.6,3,-2,4e-05,7,1000,3 of 4", "b,9,,-,,,8,9,"])
        commit = (self.directory / "index.csv").read_text().splitlines()[1]
        self.assertRegex(commit, '^x.csv,a thing,a command,"?[0-9a-f]{8}')

    def test_rows_that_were_not_played_stay(self):
        self.kept(("a", "1 ± 1"), ("b", "2 ± 1"), columns=("set", "regret"))
        lines = self.kept(("b", "3 ± 4"), ("c", "5 ± 6"), columns=("set", "regret"), keys=1)
        self.assertEqual(lines, ["set,regret,regret ±", "a,1,1", "b,3,4", "c,5,6"])

    def test_rows_of_make_bench_are_found(self):
        text = """
step              dim arms     M         ns     random   ratio
decide              2   20    64        118
fold                2   20    64         81         54    1.51
         64       1  nginx      126,641                0.24    0.90  
         64       1  sottod      96,827      96,966    0.57    3.14           9.11
         64       1  ratio         0.76
in memory                                   2    10      86.3       6.7       0       0.0     1.0
in memory           2    10   10000      4175      4179      5725      5723      119856
idle              10,000    10,000   9,997        36,010  46,329   1.29     0.96        62,996 102,658   1.63        1,000        4.8          20%  x
idle              10,000    10,000   9,997        36,010  46,329   1.29     0.96        62,996 102,658   1.63        1,000        4.8          20%
"""
        tables_of = {name: bench.found(text, pattern) for name, _, pattern in bench.TABLES}
        self.assertEqual(tables_of["speed_steps"], [["decide", "2", "20", "64", "118", "", ""],
                                                    ["fold", "2", "20", "64", "81", "54", "1.51"]])
        self.assertEqual(tables_of["service"], [["64", "1", "nginx", "126,641", "", "0.24", "0.90", ""],
                                                ["64", "1", "sottod", "96,827", "96,966", "0.57", "3.14", "9.11"]])
        self.assertEqual([len(tables_of[name]) for name in ("device_rounds", "device_memory", "fleet", "fold")], [1, 1, 0, 0])
        self.assertEqual([row[0] for row in bench.with_limits(tables_of["abuse"])], ["on", "off"])
        for name, columns, pattern in bench.TABLES:
            self.assertEqual(re.compile(pattern).groups, len(columns), name)
            with open(MEASURE.parents[1] / f"research/{name}.csv", encoding="utf-8") as file:
                self.assertEqual(next(csv.reader(file)), list(columns))

    def test_pages_show_what_a_file_has(self):
        self.kept(("a", "1,234 ± 5.6", "3 (-2 to 4)", "7 (1,000)", "3|4"), ("b", "9 ± 1", "3 (2 to 4)", "8 (9)", "x"))
        (self.directory / "research").mkdir()
        (self.directory / "x.csv").rename(self.directory / "research/x.csv")
        with mock.patch.object(tables, "ROOT", self.directory):
            self.assertEqual(tables.table("research/x.csv"),
                             "| set | regret | value | median | said |\n|---|---|---|---|---|\n"
                             "| a | 1,234 ± 5.6 | 3 (-2 to 4) | 7 (1,000) | 3\\|4 |\n| b | 9 ± 1 | 3 (2 to 4) | 8 (9) | x |\n")
            page = "x\n<!-- table: research/x.csv; columns: regret = Loss, set; where: set = b -->\nold\n<!-- end of table -->\ny"
            wanted = page.replace("old\n", "| Loss | set |\n|---|---|\n| 9 ± 1 | b |\n")
            self.assertEqual(tables.page(page), wanted)
            self.assertEqual(tables.page(wanted), wanted)
            for words, sentence in (("; columns: regrets", 'no column "regrets"'), ("; where: set = c", "no rows"),
                                    ("; rows: 1", "rows: allowed columns, where")):
                with self.assertRaisesRegex(ValueError, sentence):
                    tables.table("research/x.csv" + words)


class Directory(DirectoryCase):
    def program(self, path, text):
        path = self.directory / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path


class Verdicts(Directory):
    """Verdicts of the scripts on known regrets."""

    def law(self, growth=0.0, fall=0.0, penalty=1, bump=0):
        """Sets what the binary does from now on."""
        law = dict(GROWTH=growth, FALL=fall, PENALTY=penalty, BUMP=bump)
        patch = mock.patch.dict(os.environ, {name: str(value) for name, value in law.items()})
        patch.start()
        self.addCleanup(patch.stop)
        return str(self.program("sotto", BINARY))

    def run_script(self, name, *flags, **law):
        binary = self.law(**law)
        return subprocess.run([sys.executable, MEASURE / name, "--sotto", binary, *flags],
                              capture_output=True, text=True, timeout=60)

    def missed(self, result):
        """Names of the figures marked NO."""
        return [row.split("  ")[0] for row in result.stdout.splitlines() if row.endswith("  NO")]

    def test_simulate_keeps_seeds_in_order_and_stops_at_a_failure(self):
        rows = "method,epsilon,seed,t,regret ols,1,10,5,3 ols,1,9,7,2 ols,1,10,7,4 best-arm,1,9,5,7 ols,1,9,5,1"
        binary = self.program("shuffled", f"#!/bin/sh\nprintf '%s\\n' {rows}\n")
        points = measure.simulate(str(binary), method="sotto,ols")  # without best-arm
        self.assertEqual(points, {("ols", 1.0): {5: [1.0, 3.0], 7: [2.0, 4.0]}})
        self.assertEqual(measure.last(points), {("ols", 1.0): [2.0, 4.0]})
        broken = self.program("broken", "#!/bin/sh\nexit 3\n")
        with self.assertRaises(SystemExit) as end:
            measure.simulate(str(broken), method="ols", dim=2)
        self.assertIn("--dim 2", str(end.exception))

    def test_data_shows_best_arm_beside_sotto(self):
        """Even if sotto was not requested: replay also plays best-arm."""
        binary = self.program("sotto", """#!/usr/bin/env python3
import sys
names = sys.argv[sys.argv.index("--method") + 1].split(",") + ["best-arm"]
rows = [(name, e) for name in names for e in (0.5, 1, 2, 4, 8)]
rows += [(name, "inf") for name in ("ols", "linucb", "majority-arm")]
print("method,epsilon,t,verdict,reward_mean,reward_se,last_mean,last_se")
for name, e in rows:
    print(name, e, 5, "", 0.648, 0, len(name) / 10, 0, sep=",")
""")
        data = self.program("magic/magic04.data", "")
        for methods, lines in (("sotto,ldp-sgd", ["sotto", "best-arm"]), ("ldp-sgd", ["best-arm"])):
            result = subprocess.run([sys.executable, MEASURE / "data.py", "--sotto", binary, "--directory", data.parent.parent,
                                     "--only", "magic", "--methods", methods, "--quick"],
                                    capture_output=True, text=True, timeout=60)
            shown = [row.strip("| ").split(" | ") for row in result.stdout.splitlines() if row.startswith("| magic |")]
            last, paper, without = [*lines, "ldp-sgd"], shown[len(lines)], shown[len(lines) + 1]
            self.assertEqual([row[1] for row in shown[:len(last)]], last, result.stderr)
            self.assertEqual([row[1] for row in shown[len(last) + 1:-1]], lines)
            self.assertEqual(paper[2:], 5 * ["0.700 ± 0.000"])
            self.assertEqual(without[1:], ["0.300 ± 0.000", "0.600 ± 0.000", "1.200 ± 0.000"])

    def test_figures_reached(self):
        result = self.run_script("figures.py")
        self.assertEqual((result.returncode, self.missed(result)), (0, []), result.stderr)
        self.assertEqual(result.stdout.count(" seeds  "), 27 + 8)
        self.assertEqual(result.stdout.count("sotto over the paper's best, shared d=2 "), 3)
        self.assertEqual(result.stdout.count("sotto over the paper's best, shared d=20 "), 2)
        self.assertRegex(result.stdout, r"d=2 K=10 eps 1 .* 2 ± 0, below 0.6 of the figure +yes")
        self.assertRegex(result.stdout, r"d=20 K=3 eps 5 +ols +ols 1, then sotto 2 +yes")

    def test_figures_missed(self):
        """A regret of 300 is too much for some cells, and for a tenth of some of the paper's."""
        result = self.run_script("figures.py", penalty=150)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.missed(result), [
            "sotto, shared d=2 K=10 eps 0.5", "sotto, shared d=2 K=10 eps 1",
            "sotto, shared d=2 K=10 eps 5", "sotto, shared d=20 K=20 eps 5",
            "sotto, shared d=5 K=50 eps 5", "sotto, logistic d=2 K=10 eps 5",
            "sotto, counts d=2 K=10 eps 5", "sotto, per-arm d=20 K=2 eps 5",
            "sotto over the paper's best, shared d=2 K=10 eps 1",
            "sotto over the paper's best, shared d=2 K=10 eps 5"])

    def test_private_below_ols_is_missed(self):
        result = self.run_script("figures.py", "--quick", penalty=0.25)
        self.assertEqual(self.missed(result), ["least regret, shared d=2 K=10 eps 5"])

    def test_rates(self):
        instance = "lower bound's instance, d=2, sotto: "
        result = self.run_script("rates.py", "--quick", growth=0.05)
        self.assertEqual(self.missed(result), [instance + "over the least possible"])
        result = self.run_script("rates.py", "--quick", growth=0.05, penalty=4)
        self.assertEqual((result.returncode, self.missed(result)), (0, []), result.stderr)
        result = self.run_script("rates.py", "--quick", growth=0.5)
        self.assertEqual(self.missed(result), [
            f"exponent in T, margin beta 1, {method}" for method in rates.PURE] +
            [instance + "largest ratio - 2 se"])

    def against_epsilon(self, **law):
        """Names of the figures that miss their target."""
        args = types.SimpleNamespace(sotto=self.law(**law))
        with contextlib.redirect_stdout(io.StringIO()):
            rows = rates.against_epsilon(args, 2, 10, 1000, 2)
        return [row.figure.split(",")[0] for row in rows if not row.passed]

    def test_against_epsilon(self):
        self.assertEqual(self.against_epsilon(fall=2), [])
        self.assertEqual(self.against_epsilon(fall=2.2), ["exponent in 1/(e^eps - 1)"] * 2)
        self.assertEqual(self.against_epsilon(fall=1, bump=2), ["regret falls with epsilon"])


class Scoreboard(unittest.TestCase):
    def judged(self, **regret):
        promises = {"sotto": "local", "ldp-ols": "local, delta", "best-arm": "local", "joint": "joint", "linucb": "none"}
        return scoreboard.judged([{"world": "two", "method": method, "promise": promises[method], "regret_or_reward": str(value)}
                                  for method, value in ((name.replace("_", "-"), value) for name, value in regret.items())])

    def test_sotto_must_be_first_of_the_local_methods(self):
        self.assertTrue(self.judged(sotto=3, ldp_ols=4, best_arm=2, joint=1, linucb=0).passed)
        row = self.judged(sotto=3, ldp_ols=2)
        self.assertFalse(row.passed)
        self.assertEqual(row.got, "0 worlds, not in two")

    def test_a_ratio_outside_of_the_factor_is_missed(self):
        for ratio, passed in ((0.6, False), (0.7, True), (1.4, True), (1.6, False)):
            with mock.patch.object(scoreboard, "joint", lambda args, key, calibration, wanted: {
                    ("joint-glm", float(epsilon)): [ratio * theirs] for epsilon, theirs in wanted.items()}):
                with mock.patch.dict(scoreboard.PRINTED, {("probit", 3, 20, 2.0, 5000): {4: 100}}, clear=True):
                    row = scoreboard.printed(None, mock.Mock())
            self.assertEqual((row.passed, row.got), (passed, f"{ratio:.2f} to {ratio:.2f}"))


class Deviations(unittest.TestCase):
    def test_median(self):
        self.assertEqual(deviations.median([5, 1, 3]), 3)
        self.assertEqual(deviations.median([4, 1, 3, 9]), 3.5)

    def test_sign_test(self):
        """5 of 5 by chance: 2/32. 1 of 4 or as uneven: 2 (1 + 4)/16. Equal pairs do not count."""
        self.assertEqual(deviations.sign_test([2] * 5, [1] * 5), (5, 5, 2 / 32))
        self.assertEqual(deviations.sign_test([1] * 5, [2] * 5), (0, 5, 2 / 32))
        self.assertEqual(deviations.sign_test([1, 1, 1, 2, 7], [2, 2, 2, 1, 7]), (1, 4, 10 / 16))
        self.assertEqual(deviations.sign_test([1, 2], [2, 1]), (1, 2, 1))
        self.assertEqual(deviations.sign_test([3], [3]), (0, 0, 1))

    def test_what_gaussian_noise_gives(self):
        """sigma^2 = 55.670 is the smallest for (1, 1e-5) and the diameter 2."""
        apart = 2 / math.sqrt(55.670)
        self.assertAlmostEqual(deviations.delta_of(1, apart) / 1e-5, 1, places=3)
        self.assertAlmostEqual(deviations.epsilon_of(1e-5, apart), 1, places=4)
        self.assertAlmostEqual(deviations.authors_sigma(1, 0.01), 19.939, places=3)

    def test_a_claim_needs_the_side_and_the_chance(self):
        low, high = [1] * 12, [2] * 12
        self.assertTrue(deviations.judge("", "lower", high, low).passed)
        self.assertFalse(deviations.judge("", "lower", low, high).passed)
        self.assertTrue(deviations.judge("", "higher", low, high).passed)
        self.assertFalse(deviations.judge("", "higher", high, low).passed)
        self.assertFalse(deviations.judge("", "lower", high[:9], low[:9]).passed)


class Soak(Directory):
    """The pieces with stand-ins for make, ctest and the scripts."""

    def setUp(self):
        super().setUp()
        directory = self.directory / "tests/measure"
        directory.mkdir(parents=True, exist_ok=True)
        for name in ("measure.py", "promises.py", "soak.py"):
            shutil.copy(MEASURE / name, directory / name)
        self.stand_in("make", "exit 0")
        self.stand_in("ctest", 'echo "$@" >> "$CALLS"; case "$*" in *"$FAILS"*) exit 8;; esac')
        for name in ("figures", "rates", "epochs", "delay", "drift", "liars", "watch"):
            self.program(f"tests/measure/{name}.py", self.reports(name, True))
        for line in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@x",
                                                    "commit", "-qm", "x"]):
            subprocess.run(["git", "-C", self.directory, *line], check=True)

    def stand_in(self, name, body):
        (self.directory / "bin").mkdir(exist_ok=True)
        self.program(f"bin/{name}", f"#!/bin/sh\n{body}\n")

    def reports(self, name, passed):
        return ("from measure import Row, arguments, finish\nargs = arguments('')\n"
                f"finish(args, [Row('figure of {name}', '1', '1', {passed})])\n")

    def soak(self, *words, fails="nothing"):
        calls = self.directory / "calls"
        calls.write_text("")
        environment = dict(os.environ, CALLS=str(calls), FAILS=fails,
                           PATH=f"{self.directory / 'bin'}:{os.environ['PATH']}")
        result = subprocess.run([sys.executable, self.directory / "tests/measure/soak.py", *words],
                                capture_output=True, text=True, timeout=60, env=environment)
        return result, calls.read_text().splitlines()

    def test_an_unknown_piece_is_refused(self):
        result, calls = self.soak("fuz")
        self.assertEqual((result.returncode, calls), (2, []))
        self.assertIn("fuz: allowed fuzz, threads,", result.stderr)

    def test_what_passed_is_not_run_again_and_what_failed_is(self):
        result, calls = self.soak("fuzz", fails="fuzz_tally")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(len(calls), TARGETS)
        self.assertRegex(result.stdout, r"fuzz_tally +exit status 0 +exit status 8 +NO")
        self.assertIn(f"== {TARGETS} figures, of them missed: 1; steps left: 0", result.stdout)
        result, calls = self.soak("fuzz")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(calls), 1)
        self.assertIn("^fuzz_tally$", calls[0])
        self.assertIn(f"== {TARGETS} figures, of them missed: 0; steps left: 0", result.stdout)

    def test_counts_that_steps_print_are_added_up(self):
        self.stand_in("ctest", 'echo "7: .figure: 600 kills of 3"; echo "7: Done 40 runs in 2 second(s)"')
        result, _ = self.soak("faults")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("| faults: 4 of 4 steps run: 2,400 kills of 12; 160 inputs<br>cluster: not run on this code |", result.stdout)

    def test_figures_of_a_release_are_kept(self):
        self.stand_in("make", 'case "$*" in *try-packages) echo "try: figure: systemd-analyze security 1.2";; esac')
        self.program("packaging/try-signature.sh", "#!/bin/sh\nexit 1\n")
        result, _ = self.soak("release")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stdout, "(?m)^the packages in a Debian root +a figure +systemd-analyze security 1.2 +yes$")
        self.assertRegex(result.stdout, "(?m)^a signed release +exit status 0 +exit status 1 +NO$")

    def test_a_promise_says_how_many_of_its_steps_were_run_and_which_failed(self):
        import promises

        def entry(status, *said):
            rows = [measure.Row("x", "exit status 0", f"exit status {status}", status == 0)]
            return {"rows": [row._asdict() for row in rows + [measure.Row("x", "a figure", text, True) for text in said]]}
        entries = {("fuzz", "fuzz_report"): entry(0, "5 inputs")}
        self.assertEqual(promises.summary(entries, "fuzz", "fuzz_"), f"fuzz: 1 of {TARGETS} steps run: 5 inputs")
        entries |= {("fuzz", "fuzz_model"): entry(8), ("fuzz", "fuzz_that_is_gone"): entry(0, "7 inputs"),
                    ("threads", "fuzz_spec"): entry(0, "7 inputs")}
        self.assertEqual(promises.summary(entries, "fuzz", "fuzz_"), f"fuzz: 2 of {TARGETS} steps run, 1 FAILED: 5 inputs")
        self.assertEqual(promises.summary(entries, "fuzz", "fuzz_spec"), "fuzz: not run on this code")

    def test_counts_are_added_up_and_other_numbers_are_not(self):
        import promises
        self.assertEqual(promises.together(["at 0.01 1 of 9999", "at 0.01 2 of 1", "at 0.5 2 of 1", "1 kill -9", "2 kill -9"]),
                         ["at 0.01 3 of 10,000", "at 0.5 2 of 1", "3 kill -9"])

    def test_a_promise_says_what_a_script_measured(self):
        self.program("tests/measure/week.py", "from measure import Row, arguments, finish\n"
                     "args = arguments('', minutes='', days='', twin='')\n"
                     "finish(args, [Row('growth', '<= 9 KiB', '1.5 KiB', True), Row('growth', '<= 9 KiB', '2.5 KiB', True)])\n")
        result, _ = self.soak("week")
        self.assertIn("| week: 1 of 1 steps run: growth: 1.5 KiB; growth: 2.5 KiB |", result.stdout)

    def test_tests_and_steps_of_all_promises_exist(self):
        import promises
        import soak
        self.assertEqual(promises.missing(soak.PIECES), [])
        with mock.patch.object(promises, "PROMISES", (promises.Promise("", ("no_test",), (("fuzz", "no step"), ("no", ""))),)):
            self.assertEqual(promises.missing(soak.PIECES), ["no_test", "fuzz, no step", "no, "])

    def test_other_code_is_run_again(self):
        self.soak("crashes")
        _, calls = self.soak("crashes")
        self.assertEqual(calls, [])
        (self.directory / "tests/measure/drift.py").write_text("")
        _, calls = self.soak("crashes")
        self.assertEqual(len(calls), 1)

    def test_a_record_cut_short_counts_for_nothing(self):
        self.soak("crashes")
        record = self.directory / "build/soak/steps.jsonl"
        record.write_text(record.read_text()[:-20])
        _, calls = self.soak("crashes")
        self.assertEqual(len(calls), 1)

    def with_clock(self, step="4 * HOUR_S"):
        """Two pieces that have steps, and a clock that advances by TICK seconds each time it is
        read."""
        script = self.directory / "tests/measure/soak.py"
        text = script.read_text().replace("STEP_S = 4 * HOUR_S", f"STEP_S = {step}")
        clock = ('import itertools\nTICKS = itertools.count(0, int(os.environ["TICK"]))\n'
                 'time.monotonic = lambda: next(TICKS)\n'
                 'PIECES = {piece: known if piece in ("fuzz", "crashes") else ((), list) for piece, known in PIECES.items()}\n')
        script.write_text(text.replace("# ---- what is kept", f"{clock}# ---- what is kept", 1))
        self.stand_in("ctest", 'echo "$@" >> "$CALLS"; case "$*" in *model*) sleep "$FAILS";; esac')

    def test_a_piece_by_name_ends_with_its_hour_and_goes_on(self):
        self.with_clock()
        with mock.patch.dict(os.environ, TICK="2000"):
            result, calls = self.soak("fuzz", fails="30")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(len(calls), 2)
        self.assertIn("its hour is over", result.stdout)
        self.assertIn(f"steps left: {TARGETS - 1}", result.stdout)
        with mock.patch.dict(os.environ, TICK="0"):
            result, calls = self.soak("fuzz", fails="0")
        self.assertEqual((result.returncode, len(calls)), (0, TARGETS - 1))

    def test_all_pieces_go_on_to_their_end_past_the_hour(self):
        self.with_clock()
        with mock.patch.dict(os.environ, TICK="2000"):
            result, calls = self.soak(fails="3")
        self.assertEqual((result.returncode, len(calls)), (0, TARGETS + 1), result.stdout)
        self.assertIn("steps left: 0", result.stdout)

    def test_a_step_that_does_not_end_is_left_and_stops_no_other(self):
        self.with_clock(step="5")
        with mock.patch.dict(os.environ, TICK="2000"):
            result, calls = self.soak(fails="60")
        self.assertEqual((result.returncode, len(calls)), (3, TARGETS + 1), result.stdout)
        self.assertRegex(result.stdout, "fuzz_model takes more than .* hours, and is left")
        self.assertIn("steps left: 1", result.stdout)

    def test_scripts_that_end_badly_are_told_apart(self):
        self.program("tests/measure/figures.py", self.reports("figures", False))
        self.program("tests/measure/rates.py", "raise ValueError\n")
        self.program("tests/measure/epochs.py", "")
        (self.directory / "tests/measure/drift.py").unlink()
        result, _ = self.soak("learning")
        self.assertEqual(result.returncode, 1)
        for wanted in (r"figure of figures +1 +1 +NO", r"rates.py +figures +exit status 1, 0 figures +NO",
                       r"epochs.py +figures +exit status 0, 0 figures +NO",
                       r"drift.py +figures +exit status 2, 0 figures +NO",
                       r"figure of liars +1 +1 +yes"):
            self.assertRegex(result.stdout, wanted)
        table, _ = self.soak("--table")
        self.assertIn("| learning | figure of liars | 1 | 1 | yes |", table.stdout)
        self.assertIn("| learning | figure of figures | 1 | 1 | NO |", table.stdout)

    def test_every_law_and_every_target_is_in_a_piece(self):
        import soak
        tests = MEASURE.parent
        for steps, files in ((soak.statistics(), (tests / "statistical").glob("test_*.c")),
                             (soak.fuzz(), (tests / "fuzz").glob("fuzz_*.c"))):
            ours = {step.name.replace("statistical_", "test_") for step in steps}
            self.assertEqual(ours, {file.stem for file in files})

    def test_audits_are_judged_by_what_they_should_find(self):
        import soak
        step = soak.Step("correct gaussian", [])
        self.assertEqual(soak.power_row(step, "| x | 3 | 1 | 9 | 10 of 300 | 0 |").passed, True)
        self.assertEqual(soak.power_row(step, "| x | 3 | 1 | 9 | 12 of 300 | 0 |").passed, False)
        step = soak.Step("twin gaussian", [])
        self.assertEqual(soak.power_row(step, "| x | 3 | 1 | 9 | 300 of 300 | 0 |").passed, True)
        self.assertEqual(soak.power_row(step, "| x | 3 | 1 | 9 | 299 of 300 | 0 |").passed, False)
        self.assertEqual(soak.power_row(step, "").passed, False)


class Cross(Directory):
    """`make cross` and its parts in the soak, on both kinds of machines."""

    def make(self, machine, *words):
        """What make would run, or prints, on such a machine."""
        uname = self.program("bin/uname", f"#!/bin/sh\necho {machine}\n")
        environment = {**os.environ, "PATH": f"{uname.parent}:{os.environ['PATH']}"}
        for name in ("MAKEFLAGS", "MAKELEVEL"):
            environment.pop(name, None)
        done = subprocess.run(["make", "-C", MEASURE.parents[1], "--no-print-directory", "-n", *words], capture_output=True,
                              text=True, timeout=60, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def parts(self, machine):
        import soak
        with mock.patch("platform.machine", return_value=machine):
            return soak.cross()

    def test_make_cross_builds_runs_the_tests_and_compares(self):
        for machine, debian in (("aarch64", "amd64"), ("x86_64", "arm64")):
            said = self.make(machine, "cross")
            order = [said.index(word) for word in (f"deps.sh build cross-{debian}", f"foreign.sh {debian} build/foreign",
                                                   "cmake --preset cross", "ctest --preset cross", "same_bytes.py",
                                                   "--random 600")]
            self.assertEqual(order, sorted(order))

    def test_the_parts_of_the_soak_are_all_of_it(self):
        for machine, other, name in (("aarch64", "x86_64", "x86-64"), ("x86_64", "aarch64", "64-bit ARM")):
            steps = self.parts(machine)
            said = [self.make(machine, *step.line[3:]) for step in steps]
            self.assertEqual(len({step.name for step in steps}), 8)
            self.assertEqual(steps[0].name, f"building for {name}")
            self.assertIn("cmake --preset cross", said[0])
            for i in (1, 2, 3):
                self.assertIn(f"-I {i},,3", said[i])
                self.assertIn(f"--random 600 --part {i}/3 build/release/sotto build/cross/sotto", said[4 + i])
            self.assertIn(f'"qemu-{other} -L /usr/{other}-linux-gnu -cpu max"  build/release/sotto build/cross/sotto', said[4])


class SameBytes(unittest.TestCase):
    def compare(self, *options):
        """same_bytes.py on five random settings, with `echo` for both binaries."""
        done = subprocess.run([sys.executable, MEASURE / "same_bytes.py", "--random", "5", *options, "/bin/echo", "/bin/echo"],
                              capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout.splitlines()[-1]

    def test_the_new_binary_is_run_by_the_emulator(self):
        self.assertEqual(self.compare(), (0, "5 passed, 0 failed"))
        self.assertEqual(self.compare("--emulator", "env -u NOTHING"), (0, "5 passed, 0 failed"))
        self.assertEqual(self.compare("--emulator", "sh -c 'echo other'"), (1, "0 passed, 5 failed"))

    def test_no_more_than_the_allowed_number_may_differ(self):
        self.assertEqual(self.compare("--emulator", "sh -c 'echo other'", "--differing-max", "5")[0], 0)
        self.assertEqual(self.compare("--emulator", "sh -c 'echo other'", "--differing-max", "4"), (1, "0 passed, 5 failed"))

    def test_parts_are_all_of_it_once(self):
        self.assertEqual([self.compare("--part", f"{i}/3") for i in (1, 2, 3)],
                         [(0, "2 passed, 0 failed"), (0, "2 passed, 0 failed"), (0, "1 passed, 0 failed")])
        for wrong in ("0/3", "4/3", "2", "x/y"):
            done = subprocess.run([sys.executable, MEASURE / "same_bytes.py", "--part", wrong, "x", "x"],
                                  capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("argument --part: invalid part value", done.stderr)

    def test_random_settings_are_always_the_same_and_have_everything(self):
        drawn = " ".join(random_settings.settings(600))
        self.assertEqual(drawn, " ".join(random_settings.settings(600)))
        words = set(re.split("[ ,]", drawn))
        wanted = {*random_settings.METHODS, *random_settings.PLAIN, "identity", "logit", "probit", "log", "loan", "published",
                  "shared", "per-arm", "paper"}
        self.assertEqual(wanted - words, set())


class Settings(unittest.TestCase):
    """The page of settings: a row that the script cannot read is an error, not an omission."""

    def test_a_value_that_is_no_number_is_refused(self):
        import settings
        for text in ("sizeof x", "A_MAX", "1.5", "(1u << x)", ""):
            with self.assertRaises(ValueError, msg=text):
                settings.number(text)

    def test_rows_of_another_form_are_refused(self):
        import settings
        real = settings.read
        for wrong, call in (("{\"data\", FIELD(data)", settings.settings), ('"sottod_uptime_seconds", "gauge"', settings.metrics)):
            with mock.patch.object(settings, "read", lambda path, wrong=wrong: real(path).replace(wrong, wrong[:-1] + " +")), \
                    self.assertRaises(ValueError, msg=wrong):
                call()

    def test_values_are_those_of_the_compiler(self):
        import settings
        for text, value in (("16u", 16), ("(UINT64_C(1) << 31)", 1 << 31), ("((size_t)4 << 20)", 4 << 20), ("0x1p53", 1 << 53)):
            self.assertEqual(settings.number(text), value, text)


if __name__ == "__main__":
    unittest.main()
