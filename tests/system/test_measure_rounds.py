#!/usr/bin/env python3
"""Measure rounds on the command line: sotto simulate --measure, sotto plan --measure."""
import csv
import io
import json
import math
import os
import tempfile
import unittest

from sotto_binary import sotto

SIZE = ("--dim", 5, "--arms", 4)
KEYS = ["method", "epsilon", "seed", "what", "arm", "reports", "value", "lo", "hi", "truth"]


def simulate(*words, method="sotto", horizon=20000, seeds=1):
    return sotto("simulate", "--method", method, *SIZE, "--horizon", horizon, "--seeds", seeds, *words)


def measured(*words, **rest):
    result = simulate(*words, "--measured", "--csv", **rest)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def half_width(n, alpha):
    """W(n) of docs/methods.md."""
    l = 2 * math.log(1 / alpha)
    rho2 = (l + math.log(1 + l)) / 1e4
    return math.sqrt(2 * (n * rho2 + 1) / (n * n * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha))


class Case(unittest.TestCase):
    def good(self, *words):
        result = sotto(*words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout


class Usage(Case):
    def test_a_bad_share_names_field_value_and_range(self):
        for command in (("simulate", "--method", "sotto", "--horizon", 10), ("plan",)):
            for share in ("0.7", "-1", "0.0001", "x", "nan", ""):
                result = sotto(*command, *SIZE, "--measure", share)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(f"--measure = {share}: allowed 0, or 0.001 to 0.5", result.stderr)

    def test_who_cannot_measure_is_told_who_can(self):
        for method in ("ldp-ols", "ldp-ucb", "ldp-gloc"):
            result = simulate("--measure", 0.1, method=method, horizon=10)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr, f"sotto simulate: --method {method}: --measure = 0.1: method {method} adds "
                             "lattice noise, and its rounds cannot be measured; sotto, sotto-ols and ldp-sgd have "
                             "measure rounds\n")
        result = simulate("--measure", 0.1, "--summary", method="ols", horizon=10)
        self.assertEqual(result.returncode, 0)
        self.assertIn("--measure changes nothing here: it is for sotto sotto-ols ldp-sgd", result.stderr)
        result = simulate("--measure", 0.1, "--calibration", "paper", method="ldp-sgd", horizon=10)
        self.assertEqual(result.returncode, 2)
        self.assertIn("calibration paper has no measure rounds; exact has them", result.stderr)

    def test_worths_and_liars_cannot_be_measured(self):
        result = sotto("simulate", "--environment", "loan", "--revenue", "--measure", 0.1, "--method", "sotto",
                       "--horizon", 10, "--quiet")
        self.assertEqual(result.returncode, 2)
        self.assertIn("measure = 0.1: not with worths", result.stderr)
        result = simulate("--measure", 0.1, "--liars", 0.1, horizon=10)
        self.assertEqual(result.returncode, 2)
        self.assertIn("measure = 0.1: not with liars", result.stderr)

    def test_outputs_that_do_not_go_together(self):
        for words, said in ((("--measured",), "--measured: only with --measure SHARE"),
                            (("--measured", "--measure", 0.1, "--summary"), "--summary and --measured: give only one"),
                            (("--measured", "--measure", 0.1, "--resume", "x"), "--measured cannot be used with --resume")):
            result = simulate(*words, horizon=10)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(said, result.stderr)
        result = sotto("plan", *SIZE, "--uplift", 0.1)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--uplift: only with --measure SHARE", result.stderr)

    def test_more_than_a_device_allows_by_itself_is_said(self):
        said = "--measure = 0.2: a device allows at most 0.1 unless its policy allows more"
        self.assertIn(said, simulate("--measure", 0.2, horizon=10).stderr)
        self.assertNotIn("a device allows", simulate("--measure", 0.2, "--quiet", horizon=10).stderr)
        self.assertNotIn("a device allows", simulate("--measure", 0.1, horizon=10).stderr)
        self.assertIn(said, sotto("plan", *SIZE, "--measure", 0.2).stderr)


class Simulate(Case):
    def test_without_a_share_nothing_changes(self):
        plain = simulate(horizon=300).stdout
        self.assertEqual(simulate("--measure", 0, horizon=300).stdout, plain)
        self.assertNotEqual(simulate("--measure", 0.1, horizon=300).stdout, plain)

    def test_every_run_is_told_by_role_and_by_arm(self):
        rows = measured("--measure", 0.1, "--epsilon", "1,4", method="sotto,ols", seeds=2)
        self.assertEqual(list(rows[0]), KEYS)
        runs = {(r["method"], r["epsilon"], r["seed"]) for r in rows}
        self.assertEqual(runs, {("sotto", e, s) for e in ("1", "4") for s in ("1", "2")})
        self.assertEqual(len(rows), 4 * 12)
        for run in sorted(runs):
            own = [r for r in rows if (r["method"], r["epsilon"], r["seed"]) == run]
            self.assertEqual([r["what"] for r in own], ["follow", "control", "uplift", "recent uplift"] +
                             4 * ["control"] + 4 * ["uplift over"])
            follow, control, uplift = own[:3]
            n, m = int(follow["reports"]), int(control["reports"])
            self.assertEqual(int(uplift["reports"]), n + m)
            self.assertEqual(sum(int(r["reports"]) for r in own[4:8]), m)
            self.assertTrue(abs(n - 1000) < 160 and abs(m - 1000) < 160)  # 5 standard deviations
            self.assertAlmostEqual(float(uplift["value"]), float(follow["value"]) - float(control["value"]))
            self.assertAlmostEqual(float(uplift["truth"]), float(follow["truth"]) - float(control["truth"]))
            scale = 1 / math.tanh(float(run[1]) / 2)
            for row, count in ((follow, n), (control, m)):
                wide = scale * half_width(count, 0.025)
                self.assertAlmostEqual(float(row["hi"]), min(1, float(row["value"]) + wide), places=5)
                self.assertAlmostEqual(float(row["lo"]), max(-1, float(row["value"]) - wide), places=5)

    def test_intervals_hold_the_truth(self):
        # All intervals of a run hold together with chance 0.95 or more; these are far wider than
        # necessary.
        rows = measured("--measure", 0.3, "--epsilon", "1,4", "--quiet", seeds=10)
        outside = [r for r in rows if not float(r["lo"]) <= float(r["truth"]) <= float(r["hi"])]
        self.assertEqual(outside, [])
        uplifts = [r for r in rows if r["what"] == "uplift"]
        self.assertTrue(all(float(r["lo"]) > 0 for r in uplifts if r["epsilon"] == "4"), uplifts)

    def test_json_and_csv_and_the_table_have_the_same_numbers(self):
        words = ("--measure", 0.1)
        rows = measured(*words)
        lines = [json.loads(line) for line in simulate(*words, "--measured", "--json").stdout.splitlines()]
        self.assertEqual([list(line) for line in lines], [KEYS] * len(rows))
        self.assertEqual([line["lo"] for line in lines], [float(r["lo"]) for r in rows])
        self.assertIsNone(lines[0]["arm"])
        table = simulate(*words, "--measured").stdout
        for text in (table, simulate(*words, "--summary").stdout, simulate(*words).stderr):
            self.assertIn("The measure rounds of seed 1, a share of 0.1 of all rounds.", " ".join(text.split()))
            for row in rows:
                cells = row["what"].split() + [row["arm"].replace("nan", "-"), row["reports"]]
                cells += [f"{float(row[key]):.4g}" for key in ("value", "lo", "hi", "truth")]
                self.assertIn(cells, [line.split() for line in text.splitlines()])
            self.assertLess(text.index("sotto at epsilon 1: mean uplift"), text.index("The measure rounds"))
        self.assertNotIn("easure rounds", simulate(*words, "--quiet").stderr)
        self.assertNotIn("easure rounds", simulate().stderr)

    def test_many_arms_are_cut_in_the_table(self):
        table = sotto("simulate", "--method", "sotto", "--dim", 3, "--arms", 40, "--horizon", 5000, "--seeds", 1,
                      "--measure", 0.1, "--measured").stdout
        self.assertIn("and 30 more arms", table)
        rows = sotto("simulate", "--method", "sotto", "--dim", 3, "--arms", 40, "--horizon", 5000, "--seeds", 1,
                     "--measure", 0.1, "--measured", "--csv").stdout.splitlines()
        self.assertEqual(len(rows), 1 + 4 + 2 * 32)

    def test_too_few_rounds_say_so(self):
        self.assertIn("no reports of measure rounds of both roles",
                      simulate("--measure", 0.001, "--measured", horizon=2).stdout)

    def test_every_form_of_report_can_be_measured(self):
        for method, words in (("sotto", ("--parameters", "per-arm")), ("sotto-ols", ()), ("ldp-sgd", ()),
                              ("ldp-sgd", ("--parameters", "per-arm", "--split", "per-arm")),
                              ("sotto", ("--link", "logit")), ("sotto", ("--lag", 2, "--epoch", 50)),
                              ("sotto", ("--parameters", "per-arm", "--epsilon", 5))):
            rows = measured("--measure", 0.5, "--quiet", *words, method=method)
            for row in rows:
                self.assertTrue(float(row["lo"]) <= float(row["truth"]) <= float(row["hi"]), row)
            self.assertGreater(int(rows[0]["reports"]), 1000)

    def test_a_resumed_run_is_the_same(self):
        with tempfile.TemporaryDirectory() as directory:
            whole = simulate("--measure", 0.1, horizon=300, seeds=2).stdout
            words = ("--measure", 0.1, "--resume", f"{directory}/kept")
            self.assertTrue(whole.startswith(simulate(*words, horizon=300, seeds=1).stdout))
            self.assertEqual(simulate(*words, horizon=300, seeds=2).stdout, whole)
            other = simulate("--measure", 0.2, "--resume", f"{directory}/kept", horizon=300, seeds=2)
            self.assertEqual(other.returncode, 2)
            self.assertIn("measure 0.2", other.stderr)


class Plan(Case):
    def measuring(self, *words):
        return json.loads(self.good("plan", *SIZE, "--quiet", "--json", *words))["plans"][0]["measuring"]

    def test_without_a_share_nothing_is_said(self):
        self.assertNotIn("easuring", self.good("plan", *SIZE))
        self.assertNotIn("measuring", json.loads(self.good("plan", *SIZE, "--json"))["plans"][0])

    def test_the_words_and_the_json_agree(self):
        words = self.good("plan", *SIZE, "--measure", 0.1, "--uplift", 0.2, "--per-day", 1000)
        m = self.measuring("--measure", 0.1, "--uplift", 0.2, "--per-day", 1000)
        for said in (f"costs {m['price_per_person']:.3g} of reward per person, {m['price']:.4g} in all",
                     f"regret is {m['regret']:.4g}", f"worth {m['predicted_uplift']:.3g} more than random arms",
                     f"+-{m['half_width']:.3g} at the end (95 %", "uplift of 0.2 is not 0 takes",
                     f"{m['people']} people, {m['days']} days at 1000 per day"):
            self.assertIn(said, " ".join(words.split()))
        several = sotto("plan", *SIZE, "--measure", 0.1, "--uplift", 0.2, "--epsilon", "1,2",
                        env={**os.environ, "COLUMNS": "200"}).stdout
        cells = ["1", f"{m['price']:.4g}", f"{m['price_per_person']:.3g}", f"{m['regret']:.4g}",
                 f"{m['half_width']:.3g}", "0.2", str(m["people"]), str(m["harm_people"]),
                 str(m["below_best_arm_people"])]
        self.assertIn(cells, [line.split() for line in several.splitlines()])

    def test_the_price_is_by_the_formula(self):
        plan = json.loads(self.good("plan", *SIZE, "--json", "--measure", 0.1))
        m = plan["plans"][0]["measuring"]
        taught = json.loads(self.good("plan", *SIZE, "--json", "--horizon", 90000))["plans"][0]
        policy = plan["best_reward"] - taught["regret_per_person"]
        self.assertAlmostEqual(m["price_per_person"], 0.05 * (policy - plan["chance_reward"]), places=9)
        self.assertAlmostEqual(m["price"], 1e5 * m["price_per_person"], places=5)
        self.assertEqual(m["uplift"], m["predicted_uplift"])

    def test_played_runs_lose_what_is_predicted(self):
        # Simulation and prediction may differ by a factor of 2; most of this regret is the price.
        m = self.measuring("--measure", 0.2, "--horizon", 50000)
        rows = list(csv.DictReader(io.StringIO(
            simulate("--measure", 0.2, "--summary", "--csv", "--epoch", "auto", horizon=50000, seeds=4).stdout)))
        self.assertAlmostEqual(float(rows[0]["regret_mean"]) / m["regret"], 1, delta=0.1)

    def test_played_runs_tell_the_uplift_from_0_after_as_many_people(self):
        # With exactly that number about half of the runs do; the chance of so few or so many of 20
        # is below 1e-6.
        for epsilon in (1, 4):
            m = self.measuring("--measure", 0.5, "--epsilon", epsilon, "--horizon", 30000)
            told = []
            for times in (0.5, 1, 2):
                horizon = round(times * m["people"])
                rows = measured("--measure", 0.5, "--epsilon", epsilon, "--epoch", "auto", "--quiet", horizon=horizon,
                                seeds=20)
                told.append(sum(float(r["lo"]) > 0 for r in rows if r["what"] == "uplift"))
            self.assertLessEqual(told[0], 6, (epsilon, told))
            self.assertGreaterEqual(told[2], 16, (epsilon, told))
            self.assertLessEqual(told[0], told[1])
            self.assertLessEqual(told[1], told[2])


if __name__ == "__main__":
    unittest.main()
