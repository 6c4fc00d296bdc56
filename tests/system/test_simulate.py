#!/usr/bin/env python3
"""sotto simulate: rows, summary, resume, and everything a person can get wrong."""
import csv
import fcntl
import hashlib
import functools
import io
import json
import math
import os
import re
import resource
import signal
import statistics
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from directory_case import DirectoryCase
from sotto_binary import SLOWER, SOTTO, on_terminal, sotto

HEADER = "method,epsilon,seed,t,regret,estimation_error"
SUMMARY = ("method,epsilon,seeds,t,regret_mean,regret_se,regret_median,regret_p10,regret_p90,"
           "estimation_error_mean,cost,rounds_per_second,floor_proved,floor_start")
SIZE = ("--dim", 3, "--arms", 4)
BASE = ("simulate", "--method", "sotto,ols", *SIZE, "--horizon", 3000, "--epsilon", "0.5,2", "--seeds", 3)
RUNS, POINTS = 3 * 2 * 3, 12  # best-arm is played along; t = 1, 2, 5, ..., 2000, 3000


def simulate(method, *words, horizon=100):
    return sotto("simulate", "--method", method, *SIZE, "--horizon", horizon, *words)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@functools.cache
def played_once(*words):
    """Plays once what many tests compare with."""
    return sotto(*words)


class Case(DirectoryCase):
    def good(self, *words):
        result = (played_once if words in (BASE, (*BASE, "--json")) else sotto)(*words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result


class Rows(Case):
    def test_rows_are_those_of_the_contract(self):
        result = self.good(*BASE)
        self.assertEqual(result.stdout.split("\n")[0], HEADER)
        found = rows(result.stdout)
        self.assertEqual(len(found), RUNS * POINTS)
        wanted = [(m, e, str(s), str(t)) for m in ("sotto", "ols", "best-arm") for e in ("0.5", "2") for s in (1, 2, 3)
                  for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3000)]
        self.assertEqual([(r["method"], r["epsilon"], r["seed"], r["t"]) for r in found], wanted)
        for before, row in zip(found, found[1:]):
            if before["seed"] == row["seed"] and before["t"] != "3000":
                self.assertLessEqual(float(before["regret"]), float(row["regret"]))
            self.assertEqual(f"{float(row['regret']):.17g}", row["regret"])

    def test_seeds_differ_and_methods_learn(self):
        last = [r for r in rows(self.good(*BASE).stdout) if r["t"] == "3000"]
        self.assertEqual(len({r["regret"] for r in last if r["method"] == "sotto"}), 6)
        chance = rows(self.good("simulate", "--method", "random", *SIZE, "--horizon", 3000, "--seeds", 3).stdout)
        regret = {m: max(float(r["regret"]) for r in last if r["method"] == m) for m in ("ols", "sotto")}
        self.assertLess(regret["ols"], 0.2 * min(float(r["regret"]) for r in chance if r["t"] == "3000"))

    def test_json_lines_hold_the_same_numbers(self):
        table, lines = self.good(*BASE).stdout, self.good(*BASE, "--json").stdout
        parsed = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual(list(parsed[0]), HEADER.split(","))
        for row, line in zip(rows(table), parsed, strict=True):
            for key, text in row.items():
                self.assertEqual(text if key == "method" else None if text == "nan" else float(text), line[key])

    def test_threads_change_nothing(self):
        wanted = self.good(*BASE, "--threads", 1).stdout
        for threads in (2, 3, 8, 1000):
            self.assertEqual(self.good(*BASE, "--threads", threads).stdout, wanted, threads)

    def test_runs_do_not_know_each_other(self):
        """A run gives the same rows alone, with another method, and with another first seed."""
        whole = rows(self.good(*BASE).stdout)
        alone = rows(self.good("simulate", "--method", "sotto", *SIZE, "--horizon", 3000, "--epsilon", 2, "--seeds", 1,
                               "--first-seed", 3).stdout)
        self.assertEqual(alone, [r for r in whole if (r["method"], r["epsilon"], r["seed"]) == ("sotto", "2", "3")])

    def test_checkpoints(self):
        for given, wanted in (("7", "7 100"), ("7,30,100", "7 30 100"), ("1,1e1,99", "1 10 99 100")):
            found = rows(simulate("random", "--seeds", 1, "--checkpoints", given).stdout)
            self.assertEqual(" ".join(r["t"] for r in found), wanted)
        many = ",".join(map(str, range(1, 4096)))
        found = rows(simulate("random", "--seeds", 1, "--checkpoints", many, horizon=5000).stdout)
        self.assertEqual((len(found), found[-1]["t"]), (4096, "5000"))

    def test_a_horizon_of_one(self):
        found = rows(self.good("simulate", "--method", "sotto", *SIZE, "--horizon", 1, "--seeds", 2).stdout)
        self.assertEqual([(r["seed"], r["t"]) for r in found], [("1", "1"), ("2", "1")])

    def test_rewards_that_never_differ(self):
        """All regrets are 0: nobody loses anything, and every number is finite."""
        for words in ((), ("--parameters", "per-arm"), ("--lag", 4, "--epoch", 100), ("--measure", 0.1, "--fallback", 2)):
            said = self.good("simulate", "--method", "sotto", *SIZE, "--reward-kind", "binary", "--theta-norm", 1e-6,
                             "--horizon", 2000, "--seeds", 2, *words)
            for row in rows(said.stdout):
                self.assertTrue(0 <= float(row["regret"]) < 0.01 and math.isfinite(float(row["estimation_error"])), row)

    def test_whole_numbers_may_be_written_short(self):
        self.assertEqual(rows(simulate("random", "--seeds", "1e0", horizon="1e2").stdout)[-1]["t"], "100")

    def test_rows_into_a_file(self):
        out = self.directory / "rows.csv"
        out.write_text("something longer than what comes " * 10000)
        result = self.good(*BASE, "--out", out)
        self.assertEqual(result.stdout, "")
        self.assertEqual(out.read_text(), self.good(*BASE).stdout)

    def test_options_reach_the_runs(self):
        """Each of these changes the numbers."""
        for method, *words in (
                ("sotto", "--noise", 0.5), ("sotto", "--score", "self"), ("sotto", "--score", "huber:0.2"),
                ("sotto", "--epoch", 10), ("sotto", "--environment", "ball"), ("sotto", "--theta-norm", 0.5),
                ("sotto", "--context-norm-max", 0.9), ("sotto", "--reward-range=-3,3"), ("sotto", "--window", 20),
                ("ldp-sgd", "--eta0", 1), ("ldp-sgd", "--step", "1/sqrt"), ("ldp-ols", "--noise-law", "laplace"),
                ("ldp-ols", "--delta", 1e-8), ("ldp-ols", "--shift-scale", 3), ("ldp-ols", "--exact-noise"),
                ("ldp-ucb", "--alpha", 0.5), ("ldp-ucb", "--calibration", "paper"), ("sotto", "--lag", 2),
                ("sotto", "--delay", "2,1,20"), ("ols", "--delay", "2,1,20"),
                ("sgd", "--eta0", 1), ("sgd", "--step", "1/sqrt")):
            plain = simulate(method, "--seeds", 1, horizon=300)
            other = simulate(method, "--seeds", 1, *words, horizon=300)
            self.assertEqual((plain.returncode, other.returncode), (0, 0), (words, other.stderr))
            self.assertNotEqual(plain.stdout, other.stdout, words)

    def test_a_delay_of_nothing_changes_nothing(self):
        for method in ("sotto", "sotto,sotto-ols,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc", "ols,linucb,sgd,random,oracle"):
            for epoch in (1, 50, "auto"):
                words = (method, "--seeds", 2, "--epoch", epoch, "--lag", 0)
                plain = simulate(*words, horizon=500)
                other = simulate(*words, "--delay", "0,0,7", "--epoch-seconds-min", 0, horizon=500)
                self.assertEqual((other.returncode, other.stdout), (0, plain.stdout), other.stderr)

    def test_delays_are_the_same_on_any_number_of_threads(self):
        words = ("sotto,ols", "--seeds", 6, "--delay", "3,2,50", "--measure", 0.1)
        found = [simulate(*words, "--threads", threads, horizon=2000).stdout for threads in (1, 4)]
        self.assertEqual(found[0], found[1])
        self.assertIn("ols", found[0])

    def test_the_summary_says_what_was_late_and_how_old_reports_were(self):
        def lines(*words):
            result = simulate("sotto,ols", "--seeds", 3, "--summary", "--csv", *words, horizon=3000)
            self.assertEqual(result.returncode, 0, result.stderr)
            return rows(result.stdout)
        sotto_line, ols, best = lines("--delay", "8,8,20", "--epoch-seconds-min", 2)  # at most 8 epochs late
        self.assertEqual((sotto_line["late_share"], ols["late_share"], ols["age"]), ("0", "0", "nan"))
        self.assertTrue(4 < float(sotto_line["age"]) < 8, sotto_line)
        self.assertTrue(4 < float(best["age"]) < 8, best)
        sotto_line, ols, _ = lines("--delay", "8,8,20", "--lag", 4, "--epoch-seconds-min", 2)
        self.assertTrue(0.5 < float(sotto_line["late_share"]) < 1, sotto_line)
        self.assertTrue(float(sotto_line["age"]) <= 4, sotto_line)
        self.assertNotIn("age", lines()[0])

    def test_a_fallback_under_delay(self):
        """The world has turned by half a circle by the time reports come."""
        words = ("sotto", "--environment", "drift", "--drift", 0.001, "--window", 2000, "--measure", 0.2, "--epsilon", 2,
                 "--delay", "1,0,500", "--epoch-seconds-min", 4, "--seeds", 1, "--dim", 2, "--arms", 5)
        plain, served = (simulate(*words, "--fallback", fallback, horizon=40000) for fallback in ("none", "random"))
        self.assertRegex(served.stderr, r"Harm in this run: yes, seen after \d+ people, fallback after \d+;")
        last = [float(rows(result.stdout)[-1]["regret"]) for result in (plain, served)]
        self.assertLess(last[1], 0.9 * last[0])

    def test_corrections_reach_the_runs_they_belong_to(self):
        per_arm = ("--parameters", "per-arm")
        second = ("--step", "1/sqrt")
        for correction, method, *words in (
                ("regulariser", "ldp-ols"), ("noise", "ldp-ols"), ("noise", "ldp-ucb", *second), ("radius", "ldp-sgd"),
                ("step", "ldp-sgd", "--eta0", 2), ("bounded", "ldp-gloc"), ("exploration", "ldp-gloc", *second),
                ("shift", "ldp-ucb", *second), ("dimension", "ldp-sgd", *per_arm), ("rank", "ldp-gloc", *per_arm),
                ("radius,step", "ldp-sgd")):
            words = (method, "--seeds", 1, "--calibration", "published", "--delta", 0.1, *words)
            plain = simulate(*words, horizon=4000)
            other = simulate(*words, "--correct", correction, horizon=4000)
            self.assertEqual((plain.returncode, other.returncode), (0, 0), (words, other.stderr))
            self.assertNotEqual(plain.stdout, other.stdout, correction)

    def test_corrections_that_cannot_be(self):
        published = ("--calibration", "published", "--delta", 0.1)
        for method, words, *parts in (
                ("ldp-sgd", ("--correct", "radius"), "correct = radius", "calibration published"),
                ("ldp-sgd", (*published, "--correct", "nois"), "--correct = nois", "did you mean noise?"),
                ("ldp-sgd", (*published, "--correct", "radius,radius"), "--correct = radius", "each correction may be given only once"),
                ("ldp-sgd", (*published, "--correct", "shift"), "correct = shift", "ldp-ucb does"),
                ("ldp-ols", (*published, "--correct", "noise", "--parameters", "per-arm"), "environment sphere")):
            result = simulate(method, *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), (words, result.stderr))
            for part in parts:
                self.assertIn(part, result.stderr)

    def test_options_of_per_arm_parameters_reach_the_runs(self):
        for method, *words in (("sotto", "--warmup", 30), ("ldp-sgd", "--split", "per-arm"),
                               ("sotto", "--unknown-horizon"), ("ldp-ols", "--elimination", "0")):
            plain = simulate(method, "--seeds", 1, "--parameters", "per-arm", horizon=1000)
            other = simulate(method, "--seeds", 1, "--parameters", "per-arm", *words, horizon=1000)
            self.assertEqual((plain.returncode, other.returncode), (0, 0), (words, other.stderr))
            self.assertNotEqual(plain.stdout, other.stdout, words)

    def test_numbers_of_environments_and_scores_reach_the_runs(self):
        for option, one, other, *words in (("--drift", 0.1, 0.01, "--environment", "drift", "--arms", 4),
                                           ("--margin", 0.1, 0.9, "--environment", "margin", "--arms", 2),
                                           ("--score", "huber:0.2", "huber:2", "--arms", 4)):
            base = ("simulate", "--method", "sotto", "--dim", 3, "--horizon", 300, "--seeds", 1, *words, option)
            self.assertNotEqual(self.good(*base, one).stdout, self.good(*base, other).stdout, option)

    def test_a_range_without_zero_has_a_default_reward(self):
        self.assertEqual(simulate("sotto", "--seeds", 1, "--link", "log", "--reward-kind", "continuous",
                                  "--reward-range=0.2,3").returncode, 0)

    def test_an_epoch_may_be_longer_than_a_spec_s_default(self):
        found = rows(self.good("simulate", "--method", "ldp-ols", "--dim", 1, "--arms", 2, "--horizon", 1000001,
                               "--epoch", 1000001, "--seeds", 1, "--checkpoints", 1000000).stdout)
        self.assertEqual([float(r["estimation_error"]) == 1 for r in found], [True, False])

    def test_steps_have_their_own_first_step(self):
        for step, eta0 in (("1/t", 5), ("1/sqrt", 0.03)):
            self.assertEqual(simulate("ldp-sgd", "--seeds", 1, "--step", step).stdout,
                             simulate("ldp-sgd", "--seeds", 1, "--step", step, "--eta0", eta0).stdout)

    def test_an_option_of_some_methods_leaves_the_others_alone(self):
        plain = rows(simulate("sotto,ldp-sgd,ldp-ols", "--seeds", 1).stdout)
        other = rows(simulate("sotto,ldp-sgd,ldp-ols", "--seeds", 1, "--score", "self", "--delta", "1e-9").stdout)
        same = {r["method"] for r, s in zip(plain, other, strict=True) if r == s and r["t"] == "100"}
        self.assertEqual(same, {"ldp-sgd", "best-arm"})


    def test_best_arm_is_played_along_behind_what_was_asked_for(self):
        """The other methods have the rows of each played alone, and its own are those of --method
        best-arm --epoch auto."""
        found = self.good(*BASE).stdout.splitlines(keepends=True)
        methods = [line.split(",")[0] for line in found[1:]]
        self.assertEqual(list(dict.fromkeys(methods)), ["sotto", "ols", "best-arm"])
        for method, words in (("sotto", ()), ("ols", ()), ("best-arm", ("--epoch", "auto"))):
            alone = self.good("simulate", "--method", method, *BASE[3:], *words).stdout.splitlines(keepends=True)
            self.assertEqual([line for line in found if line.startswith(method + ",")], alone[1:])
        for words in (("sotto,ols", "--liars", 0.1), ("ols,random",), ("ldp-sgd,ols", "--calibration", "paper"),
                      ("ldp-ols,ols", "--epsilon", 20)):
            result = simulate(*words, "--seeds", 1)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("best-arm", result.stdout)

    def test_beside_others_best_arm_has_no_measure_rounds_and_the_summary_says_so(self):
        words = ("--seeds", 1, "--measure", 0.1, "--fallback", "random")
        result = simulate("sotto,best-arm", *words, horizon=1000)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("best-arm at epsilon 1: played without measure rounds", result.stderr)
        plain = simulate("sotto,best-arm", "--seeds", 1, horizon=1000).stdout
        one, other = ([r for r in rows(text) if r["method"] == "best-arm"] for text in (result.stdout, plain))
        self.assertEqual(one, other)
        alone = simulate("best-arm", *words)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("measure = 0.1: every round of best-arm reports its reward already", alone.stderr)


class Words(Case):
    def test_the_summary_of_csv_is_that_of_the_rows(self):
        last = [r for r in rows(self.good(*BASE).stdout) if r["t"] == "3000"]
        result = self.good(*BASE, "--summary", "--csv")
        self.assertEqual(result.stdout.split("\n")[0], SUMMARY)
        found = rows(result.stdout)
        self.assertEqual([(r["method"], r["epsilon"], r["seeds"], r["t"]) for r in found],
                         [("sotto", "0.5", "3", "3000"), ("sotto", "2", "3", "3000"), ("ols", "inf", "3", "3000"),
                          ("best-arm", "0.5", "3", "3000"), ("best-arm", "2", "3", "3000")])
        means = {}
        for row in found:
            epsilon = row["epsilon"] if row["method"] != "ols" else "0.5"
            mine = [r for r in last if (r["method"], r["epsilon"]) == (row["method"], epsilon)]
            regret = sorted(float(r["regret"]) for r in mine)
            means[row["method"], row["epsilon"]] = statistics.fmean(regret)
            for key, wanted in (("regret_mean", statistics.fmean(regret)), ("regret_median", regret[1]),
                                ("regret_se", statistics.stdev(regret) / 3**0.5),
                                ("regret_p10", regret[0] + 0.2 * (regret[1] - regret[0])),
                                ("regret_p90", regret[1] + 0.8 * (regret[2] - regret[1])),
                                ("estimation_error_mean",
                                 statistics.fmean(float(r["estimation_error"]) for r in mine))):
                if row["method"] == "best-arm" and key == "estimation_error_mean":
                    self.assertEqual(row[key], "nan")  # it estimates no parameter
                    continue
                self.assertAlmostEqual(float(row[key]) / wanted, 1, delta=1e-12, msg=key)
            self.assertGreater(float(row["rounds_per_second"]), 0)
            floor = json.loads(self.good("plan", *SIZE, "--horizon", 3000, "--epsilon", epsilon, "--json").stdout)
            floor = floor["plans"][0]["floor"]
            private = row["method"] != "ols"  # ols needs no epsilon, and has no floor
            self.assertEqual((row["floor_proved"], row["floor_start"]) == ("nan", "nan"), not private)
            if private:
                self.assertEqual((float(row["floor_proved"]), float(row["floor_start"])),
                                 (floor["proved"], floor["start_heuristic"]))
                self.assertGreater(float(row["regret_mean"]), floor["proved"])
        for row in found:
            cost = means[row["method"], row["epsilon"]] / means["ols", "inf"]
            self.assertAlmostEqual(float(row["cost"]) / cost, 1, delta=1e-12)

    def test_the_cost_is_that_of_the_same_epsilon(self):
        """The parameter of environment gaussian has the length that epsilon sets."""
        found = rows(self.good(*BASE, "--environment", "gaussian", "--summary", "--csv").stdout)
        free = [row for row in found if row["method"] == "ols"]
        self.assertEqual([row["epsilon"] for row in free], ["0.5", "2"])  # of the world
        self.assertNotEqual(free[0]["regret_mean"], free[1]["regret_mean"])
        self.assertEqual([row["cost"] for row in free], ["1", "1"])

    def test_the_cost_under_other_links_is_that_over_glm_ucb(self):
        found = rows(self.good("simulate", "--method", "sotto,glm-ucb", *SIZE, "--link", "logit", "--horizon", 300,
                               "--seeds", 2, "--summary", "--csv").stdout)
        private, free, _ = (float(row["regret_mean"]) for row in found)
        self.assertAlmostEqual(float(found[0]["cost"]), private / free, delta=1e-12 * private / free)
        self.assertEqual(found[1]["cost"], "1")

    def test_repairs_are_summed_over_seeds(self):
        def repairs(*words):
            table = self.good("simulate", "--method", "ldp-ols", *SIZE, "--horizon", 100, "--shift-scale", 0,
                              "--summary", *words).stdout
            return int(re.search(r"\nldp-ols, epsilon 1: shifts were doubled (\d+) times", table)[1])

        self.assertEqual(repairs("--seeds", 2), repairs("--seeds", 1) + repairs("--seeds", 1, "--first-seed", 2))

    def test_the_summary_of_json(self):
        lines = [json.loads(line) for line in self.good(*BASE, "--summary", "--json").stdout.splitlines()]
        self.assertEqual([list(line) for line in lines], [SUMMARY.split(",")] * 5)
        self.assertEqual([(line["method"], line["epsilon"]) for line in lines], 
                         [("sotto", 0.5), ("sotto", 2), ("ols", None), ("best-arm", 0.5), ("best-arm", 2)])
        alone = json.loads(simulate("sotto", "--seeds", 1, "--summary", "--json").stdout)
        self.assertEqual((alone["cost"], alone["regret_se"]), (None, None))

    def test_the_table(self):
        result = self.good(*BASE, "--summary")
        self.assertIn("18 of 18 runs", result.stdout)
        self.assertRegex(result.stdout, r"\nols +- +3 +[\d.]+ .*\n +\S+ +1 +[\d.e-]+ +- +-\n")
        self.assertEqual(result.stderr, "")

    def test_the_table_goes_to_stderr_after_rows_unless_quiet(self):
        self.assertRegex(self.good(*BASE).stderr, r"\nmethod +epsilon +seeds +regret ")
        self.assertEqual(self.good(*BASE, "--quiet").stderr, "")

    def test_constants(self):
        wanted = {"kappa_u", "kappa_l_p", "lambda_min", "margin_beta", "margin_gamma", "zeta", "random_regret", "eta0", "exponent", "draws"}
        found = json.loads(self.good("simulate", "--constants", *SIZE, "--json").stdout)
        self.assertEqual(set(found), wanted)
        self.assertGreater(found["random_regret"], 0)
        self.assertRegex(self.good("simulate", "--constants", *SIZE).stdout, r"^kappa_u +\d")

    def test_constants_stand_under_their_names(self):
        """P(gap <= h) = (h/2)^beta; a random arm costs half of the mean gap: 1/(1 + 1/beta)."""
        margin = ("simulate", "--constants", "--environment", "margin", "--margin", 0.5, "--dim", 3, "--arms", 2,
                  "--json")
        found = json.loads(self.good(*margin).stdout)
        for name, wanted in (("margin_beta", 0.5), ("margin_gamma", 0.5**0.5), ("random_regret", 1 / 3), ("zeta", 1)):
            self.assertAlmostEqual(found[name], wanted, delta=0.05, msg=name)
        self.assertNotEqual(found, json.loads(self.good(*margin, "--first-seed", 2).stdout))

    def test_an_epoch_whose_model_nobody_gets_is_told(self):
        said = "--epoch = 100: method sotto publishes no model before the last of 100 people"
        for words, told in ((("--epoch", 100), True), (("--epoch", 99), False), (("--epoch", 100, "--quiet"), False),
                            (("--epoch", 100, "--parameters", "per-arm"), False)):  # there the warm-up ends an epoch
            self.assertEqual(said in simulate("sotto", "--seeds", 1, *words).stderr, told, words)
        late = simulate("sotto", "--seeds", 1, "--epoch", 80, "--delay", "20,0,1")
        self.assertIn("--epoch = 80: method sotto publishes no model before the last of 100 people", late.stderr)
        self.assertNotIn("no model", simulate("ols", "--seeds", 1, "--epoch", 100).stderr)

    def test_calibrations_that_promise_too_much_say_so(self):
        paper = simulate("ldp-ols", "--seeds", 1, "--calibration", "paper", "--delta", 0.1, "--epsilon", 1)
        self.assertRegex(paper.stderr, r"ldp-ols claims epsilon 1, delta 0\.1: .* epsilon [\d.]+ at .* delta [\d.e-]+ ")
        pair = simulate("ldp-gloc", "--seeds", 1, "--calibration", "paper", "--delta", 0.1, "--epsilon", 1)
        self.assertIn("ldp-gloc claims epsilon 1", pair.stderr)
        published = simulate("ldp-ols", "--seeds", 1, "--calibration", "published")
        self.assertIn("lab only: reproduces the authors' code, which is not private as claimed", published.stderr)
        for calibration in ("paper", "published"):
            self.assertEqual(simulate("ldp-ols", "--seeds", 1, "--calibration", calibration, "--quiet").stderr, "")

    def test_a_terminal_shows_share_rounds_and_time_left(self):
        for quiet in ((), ("--quiet",)):
            found = on_terminal("simulate", "--method", "sotto", *SIZE, "--horizon", 30000 // SLOWER,
                                "--seeds", 4, "--threads", 1, *quiet)
            if found is None:
                self.skipTest("no terminal to be had here")
            self.assertEqual(found[0], 0)
            shown = re.search(rb"\] +\d+ %, [\d.e]+ of [\d.e]+ rounds, \d+ s left", found[1])
            self.assertEqual(shown is None, bool(quiet), found[1])

    def test_help(self):
        text = self.good("simulate", "--help").stdout
        for word in ("--method", "ldp-gloc", "--horizon", "1 to 1e12", "--resume", "examples:"):
            self.assertIn(word, text)


class WrongUsage(Case):
    def test_wrong_usage_names_option_value_and_range(self):
        size = ("--dim", 3, "--arms", 4, "--horizon", 10)
        base = ("--method", "sotto", *size)
        for words, *parts in [
            ((), "--method is needed"),
            (("--method", "sotto"), "--horizon is needed"),
            (("--method", "sotto", "--horizon", 5), "--dim is needed"),
            (("--method", "sotto", "--horizon", 5, "--dim", 5), "--arms is needed"),
            (("extra", *base), "extra"),
            (("--method", "soto", *size), "--method = soto", "did you mean sotto?"),
            (("--method", "sotto,ldp-slg", *size), "--method = ldp-slg", "did you mean ldp-sgd?"),
            (("--method", "sotto,", *size), "--method = sotto,: a value is missing after the last comma"),
            (("--method", "sotto,ols,sotto", *size), "--method = sotto", "once"),
            (base + ("--environment", "sfere"), "--environment = sfere", "did you mean sphere?"),
            (base + ("--link", "logitt"), "--link = logitt", "did you mean logit?"),
            (base + ("--calibration", "papr"), "did you mean paper?"),
            (base + ("--seedz", 3), "--seedz", "did you mean --seeds?"),
            (base + ("--horizon", 0), "--horizon = 0", "whole numbers 1 to 1e12"),
            (base + ("--horizon", "2e12"), "--horizon = 2e12", "1 to 1e12"),
            (base + ("--horizon", "1.5"), "--horizon = 1.5", "whole"),
            (base + ("--horizon", "-1"), "--horizon = -1"),
            (base + ("--horizon", "1e999"), "--horizon = 1e999"),
            (base + ("--horizon", "0x10"), "--horizon = 0x10"),
            (base + ("--horizon", "nan"), "--horizon = nan"),
            (base + ("--seeds", 0), "--seeds = 0", "1 to 1000000"),
            (base + ("--threads", 0), "--threads = 0", "1 to 1024"),
            (base + ("--threads", 2000), "--threads = 2000", "1 to 1024"),
            (base + ("--epsilon", "1,"), "--epsilon = 1,: a value is missing after the last comma"),
            (base + ("--epsilon", "1,x"), "--epsilon = x", "0.01 to 50"),
            (base + ("--epsilon", "1,0.001"), "--epsilon = 0.001", "0.01 to 50"),
            (base + ("--epsilon", "nan"), "--epsilon = nan"),
            (base + ("--epsilon", "1,2,1"), "--epsilon = 1", "once"),
            (base + ("--epsilon", 9), "--method sotto: --epsilon = 9"),
            (base + ("--checkpoints", "5,5"), "--checkpoints = 5", "rounds must increase"),
            (base + ("--checkpoints", "10,5"), "--checkpoints = 5", "rounds must increase"),
            (base + ("--checkpoints", "0"), "--checkpoints = 0", "1 to the horizon"),
            (base + ("--checkpoints", "11"), "--checkpoints = 11", "1 to the horizon"),
            (base + ("--checkpoints", ""), "--checkpoints = '': a list needs"),
            (base + ("--correct", "noise,"), "--correct = noise,: a value is missing"),
            (("--method", "sotto", "--dim", 3, "--arms", 4, "--horizon", 5000, "--checkpoints",
              ",".join(map(str, range(1, 4097)))), "--checkpoints = 4096", "4095 rounds"),
            (base + ("--score", "sing"), "--score = sing", "did you mean sign?"),
            (base + ("--score", "huber"), "--score = huber", "huber:TAU"),
            (base + ("--score", "huber:0"), "--score = huber:0", "huber:TAU"),
            (base + ("--epoch", "often"), "--epoch = often", "auto"),
            (base + ("--epoch", 0), "--epoch = 0", "1 to 2147483648"),
            (base + ("--window", "all"), "--window = all", "none"),
            (base + ("--window", "3e9"), "--window = 3e9", "1 to 2147483648"),
            (base + ("--delay", "1,2"), "--delay = 1,2", "WINDOW,SPREAD,RATE"),
            (base + ("--delay=-1,2,3",), "--delay = -1,2,3", "whole seconds 0 to 31536000"),
            (base + ("--delay", "1,2,0"), "--delay = 1,2,0", "1e-06 to 1e+09"),
            (base + ("--delay", "1,2,nan"), "--delay = 1,2,nan", "1e-06 to 1e+09"),
            (base + ("--delay", "0,10,1"), "delay = 0,10,1", "less than 10 s", "10 people of the horizon"),
            (base + ("--delay", "0,0,10"), "--epoch-seconds-min = 1", "less than 1 s", "no epoch ends"),
            (base + ("--delay", "0,0,1", "--lag", 17), "--lag = 17", "0 to 16"),
            (base + ("--lag", 1, "--epoch", 5), "lag = 1: the first epoch has 5 reports", "after 10 people; allowed less than the horizon, 10"),
            (base + ("--lag", 16), "lag = 16: the first epoch has 1 report,", "after 17 people"),
            (base + ("--lag", 9, "--epoch", "auto"), "lag = 9: the first epoch has 1 report,", "after 10 people"),
            (base + ("--lag", 9, "--epoch", "growth:0.5"), "lag = 9: the first epoch has 1 report,", "after 10 people"),
            (base + ("--fallback", 1), "fallback = 1: allowed only none while measure is 0"),
            (base + ("--fallback", 9, "--measure", 0.1), "fallback = 9: allowed arms 0 to"),
            (base + ("--epoch-seconds-min", 1), "--epoch-seconds-min: only with --delay"),
            (base + ("--csv", "--json"), "--csv and --json"),
            (base + ("--warmup", 5), "--warmup", "per-arm"),
            (base + ("--warmup", 1), "--warmup", "per-arm"),
            (base + ("--epoch", "growth:0"), "--epoch", "growth:G with G above 0"),
            (base + ("--epsilon", "1." + 70 * "0" + "x"), "--epsilon = 1.0"),
            (base + ("--epsilon", "1,1.0000000000000002"), "once"),
            (base + ("--alpha", 1), "--alpha = 1", "1e-09 to 0.999999999"),
            (("--method", "SOTTO", *size), "did you mean sotto?"),
            (("--method", "ucb", *size), "did you mean ldp-ucb?"),
            (("--constants", "--dim", 257, "--arms", 2), "--dim = 257", "1 to 256"),
            (("--constants", "--environment", "margin", "--dim", 5, "--arms", 3), "arms = 3", "2 arms"),
            (("--method", "ldp-sgd", *size, "--split", "paper"), "--split paper", "--parameters per-arm"),
            (("--method", "ldp-sgd", *size, "--split", "per-arms"), "did you mean per-arm?"),
        ]:
            result = sotto("simulate", *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            for part in ("sotto simulate: ", *parts):
                self.assertIn(part, result.stderr, words)

    def test_what_does_not_fit_together(self):
        for method, words, *parts in [
            ("ldp-ols", ("--link", "logit"), "link = logit", "identity"),
            ("sotto,ols", ("--link", "logit"), "--method ols: --link = logit", "glm-ucb"),
            ("sotto-ols", ("--parameters", "per-arm"), "parameters = per-arm"),
            ("sotto", ("--score", "sign", "--reward-kind", "binary", "--link", "logit"), "score = sign", "self"),
            ("ldp-ols", ("--delta", 0.1), "delta = 0.1", "only with --allow-weak-delta"),
            ("sotto", ("--calibration", "paper"), "calibration = paper"),
            ("sotto", ("--reward-kind", "binary", "--link", "log"), "reward-kind = binary", "logit"),
            ("sotto", ("--score", "centred"), "score = centred", "log link"),
            ("sotto", ("--theta-norm", 3), "theta-norm = 3"),
            ("sotto", ("--reward-range", "1,0"), "--reward-range = 1, 0"),
            ("sotto", ("--arms", 1024, "--dim", 1024), "--dim x --arms"),
            ("sotto", ("--horizon", "1e12"), "horizon = 1000000000000", "epoch auto"),
        ]:
            result = simulate(method, *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), (method, words, result.stderr))
            for part in ("sotto simulate: --method ", *parts):
                self.assertIn(part, result.stderr)

    def test_options_of_other_methods_change_nothing_and_say_so(self):
        plain = simulate("sotto", "--seeds", 2).stdout
        for words, owners in [
            (("--split", "joint"), "ldp-sgd"),
            (("--eta0", 1), "ldp-sgd sgd"),
            (("--step", "1/sqrt"), "ldp-sgd sgd"),
            (("--noise-law", "laplace"), "ldp-ols ldp-ucb ldp-gloc"),
            (("--elimination", 1), "ldp-sgd ldp-ols"),
            (("--margin", 0.5), "environment margin"),
            (("--drift", 0.5), "environment drift"),
        ]:
            result = simulate("sotto", "--seeds", 2, *words)
            self.assertEqual((result.returncode, result.stdout), (0, plain), words)
            self.assertIn(f"{words[0]} changes nothing here: it is for {owners}\n", result.stderr)

    def test_what_changes_something_is_not_said_to_be_idle(self):
        private = "sotto sotto-ols ldp-sgd ldp-ols ldp-ucb ldp-gloc best-arm"
        for method, words, said in [
            ("ols", ("--epoch", 5), f"--epoch changes nothing here: it is for {private}\n"),
            ("ols", ("--unknown-horizon",), f"--unknown-horizon changes nothing here: it is for {private}\n"),
            ("sotto", ("--grind", 2), "--grind changes nothing here: it is for --liars\n"),
            ("sotto", ("--epoch", 5), None),
            ("ols,sotto", ("--unknown-horizon",), None),
            ("sotto", ("--grind", 2, "--liars", 0.1), None),
            ("sotto", ("--environment", "drift", "--drift", 0.01), None),
            ("sotto", ("--environment", "margin", "--margin", 0.5, "--arms", 2), None),
            ("sotto", ("--eta0", 1, "--drift", 0.5, "--quiet"), None),
            ("sotto", ("--constants", "--eta0", 1), None),
        ]:
            result = simulate(method, "--seeds", 1, *words)
            self.assertEqual(result.returncode, 0, (words, result.stderr))
            if said is None:
                self.assertNotIn("changes nothing", result.stderr, words)
            else:
                self.assertIn(said, result.stderr, words)

    def test_no_window_is_the_default(self):
        self.assertEqual(simulate("sotto", "--seeds", 2).stdout, simulate("sotto", "--seeds", 2, "--window", "none").stdout)

    def test_consent_to_a_weak_delta_changes_nothing_where_none_is(self):
        self.assertEqual(simulate("ldp-ols", "--seeds", 2).stdout,
                         simulate("ldp-ols", "--seeds", 2, "--allow-weak-delta").stdout)

    def test_a_pipe_that_nobody_reads_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            pipe = Path(directory) / "pipe"
            os.mkfifo(pipe)
            result = simulate("random", "--out", pipe)
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot write", result.stderr)

    def test_a_seed_has_its_numbers_for_good(self):
        words = ("sotto,ldp-sgd,ldp-ols,ols", "--dim", 2, "--arms", 10, "--seeds", 2, "--csv", "--summary", "--quiet")
        found = {row["method"]: f'{float(row["regret_mean"]):.9g}'
                 for row in rows(simulate(*words, horizon=2000).stdout)}
        self.assertEqual(found, {"sotto": "68.4170372", "ldp-sgd": "676.808795", "ldp-ols": "683.25139",
                                 "ols": "1.2128594", "best-arm": "1838.31888"})
        self.assertEqual(simulate("sotto", "--terms-version", 1).returncode, 2)

    def test_the_examples_of_help_that_need_no_time(self):
        words = [line.split() for line in sotto("simulate", "--help").stdout.splitlines() if "--constants --" in line]
        self.assertEqual(len(words), 1)
        self.assertEqual(sotto(*words[0][1:]).returncode, 0)

    def test_slow_rounds_can_be_stopped_too(self):
        words = ("--method", "ldp-ols", "--dim", 400, "--arms", 2, "--horizon", 1000, "--seeds", 1, "--threads", 1)
        started = subprocess.Popen([SOTTO, "simulate", *map(str, words)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertEqual(started.stdout.readline(), HEADER + "\n")  # from here on signals are heard
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=300)  # all of it would take minutes
        self.assertEqual(started.returncode, 1)
        self.assertIn("0 of 1 runs are finished", said)

    def test_a_scheme_of_the_authors_is_for_all_their_methods(self):
        words = ("--calibration", "published", "--delta", 0.01, "--seeds", 2)
        one, two = simulate("ldp-ols", *words), simulate("ldp-ols", *words, "--step", "1/sqrt")
        self.assertNotIn("changes nothing", two.stderr)
        self.assertEqual((one.returncode, two.returncode), (0, 0))
        self.assertNotEqual(one.stdout, two.stdout)

    def test_delta_is_for_those_that_have_one(self):
        self.assertEqual(simulate("sotto,ldp-ols,ols", "--seeds", 1, "--delta", 1e-7).returncode, 0)
        self.assertEqual(simulate("ldp-ols", "--seeds", 1, "--delta", 0.1, "--allow-weak-delta").returncode, 0)


class Outputs(Case):
    """Outputs that cannot be written, detected before the first run where possible."""

    # Never runs to its end.
    ENDLESS = ("simulate", "--method", "random", *SIZE, "--horizon", "1e12", "--seeds", 1)

    def test_a_full_standard_output_is_found_before_the_run(self):
        for words in ((), ("--json",), ("--summary",)):
            with open("/dev/full", "w") as full:
                result = subprocess.run([SOTTO, *map(str, self.ENDLESS), *words], stdout=full, stderr=subprocess.PIPE,
                                        text=True, timeout=300)
            self.assertEqual((result.returncode, result.stderr),
                             (1, "sotto simulate: cannot write the output: No space left on device\n"))

    def test_a_closed_standard_output_is_found_before_the_run(self):
        words = " ".join(map(str, self.ENDLESS))
        result = subprocess.run(["sh", "-c", f"exec {SOTTO} {words} --resume {self.directory}/r >&-"],
                                stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write the output", result.stderr)

    def test_a_file_that_cannot_be_written_is_found_before_the_run(self):
        for path, why in (("/dev/full", "No space"), (self.directory / "no/such", "No such file"),
                          (self.directory, "directory")):
            for words in ((), ("--json",)):
                result = sotto(*self.ENDLESS, "--out", path, *words)
                self.assertEqual(result.returncode, 1)
                self.assertIn(f"cannot write {path}: ", result.stderr)
                self.assertIn(why, result.stderr)

    def test_a_resume_file_that_cannot_be_is_found_before_the_run(self):
        for path in ("/dev/full", "/dev/null", self.directory / "no/such", self.directory):
            result = sotto(*self.ENDLESS, "--resume", path)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(f"--resume {path}: ", result.stderr)

    def test_rows_and_resume_are_two_files(self):
        path = self.directory / "both"
        result = sotto(*BASE, "--resume", path, "--out", path)
        self.assertEqual(result.returncode, 2)
        self.assertIn("this is the file of --resume", result.stderr)

    def limited(self, bytes_max, *words):
        """Runs with a limit on the size of files, as on a full disk."""
        if os.environ.get("SANITIZE") == "thread":
            self.skipTest("ThreadSanitizer keeps memory in a file, which the limit would cut")
        return subprocess.run([SOTTO, *map(str, words)], capture_output=True, text=True, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max)))

    def test_a_disk_that_fills_under_the_resume_file(self):
        path = self.directory / "r"
        room = 4000  # the header and two runs of 12 rows
        result = self.limited(room, *BASE, "--resume", path)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"cannot write {path}: File too large", result.stderr)
        kept = len(path.read_text().splitlines()) // POINTS
        self.assertGreater(kept, 0)
        self.assertEqual(len(path.read_text().splitlines()), 1 + kept * POINTS)
        self.assertIn(f", {kept} are kept in {path}", result.stderr)
        self.assertEqual(self.good(*BASE, "--resume", path).stdout, self.good(*BASE).stdout)

    def test_a_disk_that_fills_under_the_rows(self):
        out, path = self.directory / "rows", self.directory / "r"
        result = self.limited(2000, *BASE, "--out", out)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"cannot write {out}: File too large", result.stderr)
        self.assertRegex(result.stderr, r"stopped: \d+ of 18 runs are finished; with --resume FILE ")
        result = self.limited(6000, *BASE, "--out", "/dev/stdout", "--resume", path)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.good(*BASE, "--resume", path).stdout, self.good(*BASE).stdout)

    def test_writes_that_stutter_are_continued(self):
        out, path = self.directory / "rows", self.directory / "r"
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        stuttering = {**os.environ, "LD_PRELOAD": os.environ["STUTTER"], "ASAN_OPTIONS": asan}
        words = ("simulate", "--method", "sotto,ols", *SIZE, "--horizon", 1000, "--seeds", 3)
        for format in ((), ("--json",)):
            path.unlink(missing_ok=True)
            result = sotto(*words, *format, "--out", out, "--resume", path, env=stuttering)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("LD_PRELOAD", result.stderr)
            self.assertEqual(out.read_text(), self.good(*words, *format).stdout)
            self.assertEqual(self.good(*words, *format, "--resume", path).stdout, out.read_text())


class Interrupted(Case):
    def start(self, *words, **more):
        process = subprocess.Popen([SOTTO, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   **more)
        self.addCleanup(process.kill)
        return process

    def started(self, *words, **more):
        """Rows go to a file; the sweep has begun when their header is there."""
        self.out = self.directory / "rows"
        self.out.unlink(missing_ok=True)
        process = self.start(*words, "--out", self.out, **more)
        while not self.out.exists() or self.out.read_text() == "":
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        return process

    def stop(self, process, number):
        process.send_signal(number)
        output = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1)
        return output

    def test_the_longest_horizon_ends_on_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.started("simulate", "--method", "random,oracle", *SIZE, "--horizon", "1e12", "--seeds", 3)
            time.sleep(1)
            self.assertIsNone(process.poll())
            words = self.stop(process, number)[1]
            self.assertEqual(self.out.read_text(), HEADER + "\n")
            self.assertIn("stopped by a signal: 0 of 6 runs are finished; with --resume FILE", words)

    def test_an_ignored_signal_stays_ignored(self):
        process = self.started("simulate", "--method", "random", *SIZE, "--horizon", "1e12", "--seeds", 1,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        self.stop(process, signal.SIGTERM)

    def test_finished_runs_are_written_and_the_rest_is_played_later(self):
        """The interrupted sweep has more seeds than can finish; the number of seeds may change."""
        path, out = self.directory / "r", self.directory / "rows"
        process = self.start(*BASE, "--seeds", 1000000, "--threads", 3, "--resume", path, "--out", out)
        while not path.exists() or path.read_text().count("\n") < 1 + 5 * POINTS:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        words = self.stop(process, signal.SIGINT)[1]
        kept = (path.read_text().count("\n") - 1) // POINTS
        self.assertIn(f"stopped by a signal: {kept} of 6000000 runs are finished, {kept} are kept in {path}; "
                      "the same command continues", words)
        self.assertEqual(len(rows(out.read_text())), kept * POINTS)
        seeds = [int(r["seed"]) for r in rows(out.read_text())]
        self.assertEqual(seeds, sorted(seeds))
        self.assertEqual(self.good(*BASE, "--seeds", kept + 1, "--resume", path).stdout,
                         self.good(*BASE, "--seeds", kept + 1).stdout)

    def test_finished_runs_behind_a_gap_are_written(self):
        path, words = self.directory / "r", ("simulate", "--method", "random", *SIZE, "--horizon", "1e12", "--checkpoints",
                                          10, "--seeds", 3, "--resume", self.directory / "r")
        self.stop(self.started(*words), signal.SIGTERM)
        row = '{"method": "random", "epsilon": 1, "seed": 2, "t": %d, "regret": 0.5, "estimation_error": null}\n'
        path.write_text(path.read_text() + row % 10 + row % 10**12)
        told = self.stop(self.started(*words), signal.SIGTERM)[1]
        self.assertEqual(self.out.read_text(), f"{HEADER}\nrandom,1,2,10,0.5,nan\nrandom,1,2,{10**12},0.5,nan\n")
        self.assertIn("1 of 3 runs are finished, 1 are kept", told)

    def test_a_killed_sweep_goes_on(self):
        path = self.directory / "r"
        process = self.start(*BASE, "--seeds", 1000000, "--resume", path)
        while not path.exists() or path.read_text().count("\n") < 1 + 3 * POINTS:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.kill()
        process.communicate()
        self.assertEqual(self.good(*BASE, "--resume", path).stdout, self.good(*BASE).stdout)


class Resume(Case):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "sweep.jsonl"
            played = sotto(*BASE, "--resume", path)
            assert played.returncode == 0, played.stderr
            cls.wanted, cls.text = played.stdout, path.read_text()

    def setUp(self):
        super().setUp()
        self.path = self.directory / "sweep.jsonl"
        self.path.write_text(self.text)

    def resumed(self, text, *words):
        self.path.write_text(text)
        return sotto(*BASE, "--resume", self.path, *words)

    def refused(self, text, line):
        result = self.resumed(text)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        why = f"damaged at line {line}: " if line > 1 else "this is not a file of rows"
        self.assertIn(f"--resume {self.path}: {why}", result.stderr)
        self.assertIn("; nothing was changed", result.stderr)
        self.assertEqual(self.path.read_text(), text)

    def test_the_file_holds_the_rows_of_json(self):
        header, *lines, end = self.text.splitlines(keepends=True)
        self.assertEqual(set(json.loads(header)), {"shard", "of", "runs", "dealt", "points", "version", "sweep", "about"})
        self.assertRegex(json.loads(header)["sweep"], "^[0-9a-f]{64}$")
        self.assertEqual("".join(lines), self.good(*BASE, "--json").stdout)
        self.assertEqual(json.loads(end), {"end": hashlib.sha256("".join([header, *lines]).encode()).hexdigest()})

    def test_a_file_of_an_older_version_is_refused(self):
        result = self.resumed('{"sweep": "%s", "runs": 18, "about": "sotto at 1"}\n' % ("0" * 64))
        self.assertEqual(result.returncode, 1)
        self.assertIn("this is the resume file of an older version of sotto; nothing was changed", result.stderr)

    def test_a_whole_file_needs_no_run(self):
        result = self.resumed(self.text)
        self.assertEqual((result.returncode, result.stdout), (0, self.wanted))
        self.assertEqual(self.path.read_text(), self.text)
        self.assertRegex(result.stderr, r"\nols +- +3 .*\n.* -\n")  # none for runs not played
        self.assertEqual(self.resumed(self.text, "--json").stdout, self.good(*BASE, "--json").stdout)

    def test_seeds_may_grow_and_shrink(self):
        for seeds in (5, 1, 4):
            result = self.good(*BASE, "--seeds", seeds, "--resume", self.path)
            self.assertEqual(result.stdout, self.good(*BASE, "--seeds", seeds).stdout)
        self.assertEqual(self.path.read_text().count("\n"), 2 + 5 * 6 * POINTS)

    def test_every_cut_is_mended(self):
        lines = self.text.splitlines(keepends=True)
        header, run = len(lines[0]), sum(map(len, lines[1:1 + POINTS]))
        for cut in (0, 1, 40, header - 1, header, header + 1, header + len(lines[1]), header + run - 1, header + run,
                    header + run + 1, header + 3 * run + 700, len(self.text) - 1):
            result = self.resumed(self.text[:cut])
            self.assertEqual((result.returncode, result.stdout), (0, self.wanted), (cut, result.stderr))
            clean = cut in (0, header, header + run)
            self.assertEqual("was cut off" in result.stderr, not clean, (cut, result.stderr))
            self.assertEqual(self.path.read_text(), self.text)

    def test_damage_is_refused_and_named(self):
        lines = self.text.splitlines(keepends=True)

        def changed(number, line):
            return "".join(lines[:number - 1]) + line + "".join(lines[number:])

        self.refused(changed(1, "not a sweep\n"), 1)
        self.refused("not even a line", 1)
        self.refused(changed(1, lines[0].replace('"sweep"', '"sweet"')), 1)
        self.refused(changed(5, "\n"), 5)
        self.refused(changed(5, lines[4][:30] + "\n"), 5)
        self.refused(changed(5, ""), 5)
        self.refused(changed(5, lines[4] * 2), 6)
        self.refused(changed(7, lines[6].replace('"t": ', '"t": 1')), 7)
        self.refused(changed(7, lines[6].replace('"regret": ', '"regret": x')), 7)
        self.refused(changed(2, lines[1].replace('"seed": ', '"seed": 7')), 3)
        self.refused(changed(2, lines[1].replace("sotto", "sotta").replace("ols", "osl")), 2)
        self.refused(self.text + "".join(lines[1:1 + POINTS]), len(lines) + 1)
        self.refused(re.sub('"seed": [0-9]+', '"seed": 0', self.text), 2)

    def test_another_sweep_is_refused_with_both_names(self):
        for words in (("--horizon", 2000), ("--first-seed", 2), ("--noise", 0.2), ("--epsilon", 0.5), ("--epoch", 2),
                      ("--method", "sotto"), ("--checkpoints", "1"), ("--window", 50), ("--environment", "ball")):
            result = self.resumed(self.text, *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            names = re.findall(r"sweep ([0-9a-f]{12}) \(sotto at 0\.5", result.stderr)
            self.assertEqual(len(set(names)), 2, result.stderr)
            self.assertEqual(self.path.read_text(), self.text)

    def test_whatever_changes_the_numbers_changes_the_name(self):
        names = set()
        turning, two = ("--environment", "drift"), ("--environment", "margin", "--arms", 2)
        arms, theirs = ("--parameters", "per-arm"), ("--method", "ldp-sgd", "--calibration", "published")
        sweeps = ((), ("--eta0", 1), ("--step", "1/sqrt"), ("--exact-noise",), ("--delta", 1e-8), ("--lag", 1),
                  ("--delay", "0,0,1"), ("--delay", "0,0,1.5"), ("--delay", "0,0,1", "--epoch-seconds-min", 0),
                  ("--alpha", 0.2), ("--shift-scale", 2), ("--score", "self"), ("--score", "huber:1"),
                  ("--score", "huber:2"), ("--theta-norm", 0.5), ("--theta-norm-max", 2), ("--reward-range=-3,3",),
                  ("--noise-law", "laplace"), ("--unknown-horizon",), turning, (*turning, "--drift", 0.1), two,
                  (*two, "--margin", 0.5), arms, (*arms, "--warmup", 1), (*arms, "--elimination", 1),
                  (*arms, "--split", "per-arm"), theirs, (*theirs, "--correct", "radius"))
        for i, words in enumerate(sweeps):
            path = self.directory / str(i)
            self.good("simulate", "--method", "sotto,ldp-sgd,ldp-ols", *SIZE, "--horizon", 3, "--seeds", 1, *words,
                      "--resume", path)
            names.add(json.loads(path.read_text().split("\n")[0])["sweep"])
        self.assertEqual(len(names), len(sweeps))

    def test_one_sweep_at_a_time(self):
        for kind in (fcntl.LOCK_EX, fcntl.LOCK_SH):
            with open(self.path) as file:
                fcntl.flock(file, kind)
                result = self.resumed(self.text)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("another sweep is writing to it", result.stderr)


if __name__ == "__main__":
    unittest.main()
