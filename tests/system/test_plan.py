#!/usr/bin/env python3
"""sotto plan: answers, JSON, wrong input, and predictions compared with played runs."""
import csv
import io
import json
import math
import statistics
import unittest

from sotto_binary import sotto

SIZE = ("--dim", 10, "--arms", 5)
KEYS = {"method", "dim", "arms", "parameters", "link", "reward_kind", "reward_lo", "reward_hi", "noise",
        "theta_norm_max", "horizon", "per_day", "within_percent", "best_reward", "chance_reward", "plans", "version"}
COST = {"epsilon", "regret", "regret_per_person", "share_of_best_reward", "regret_without_privacy", "cost", "target",
        "target_people", "within_people"}
DAYS = {"target_days", "within_days"}
PLAN = COST | {"best_arm_lead", "checked", "half", "chosen", "budget", "floor", "points"}
POINT = {"people", "regret", "regret_per_person", "regret_next_person", "regret_without_privacy",
         "regret_next_person_without_privacy", "epoch_reports"}


class Case(unittest.TestCase):
    def good(self, *words):
        result = sotto("plan", *words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        return result.stdout

    def json(self, *words):
        return json.loads(self.good(*words, "--json"))

    def one(self, *words):
        return self.json(*words)["plans"][0]


class Answers(Case):
    def test_the_words_and_the_json_agree(self):
        words = self.good(*SIZE, "--per-day", 1000)
        plan = self.one(*SIZE, "--per-day", 1000)
        for said in (f"a regret of about {plan['regret']:.4g}:", f" {plan['regret_per_person']:.3g} per person",
                     f" {100 * plan['share_of_best_reward']:.3g} % of the best",
                     f"without privacy would lose {plan['regret_without_privacy']:.4g}:",
                     f"costs {plan['cost']:.3g} times", f"at 0.5 regret is {plan['half']['regret']:.4g}, "
                     f"{plan['half']['ratio']:.3g} times as much", "M = 64 codewords, k = 23, B = 7.839",
                     "reports of 42 bytes", "allows 8 such reports in a life",
                     f"{plan['target_people']} people, {plan['target_days']} days at 1000 per day",
                     f"{plan['within_people']} people, {plan['within_days']} days at 1000 per day",
                     "prediction", "sphere", "within a factor 2"):
            self.assertIn(said, " ".join(words.split()))
        self.assertTrue(words.startswith("Epsilon 1 costs a regret of about "), words)
        for point in plan["points"]:
            row = [line.split() for line in words.splitlines() if line.split()[:1] == [str(point["people"])]]
            self.assertIn([str(point["people"]), f"{point['regret']:.4g}", f"{point['regret_per_person']:.3g}",
                           f"{point['regret_next_person']:.3g}", f"{point['regret_without_privacy']:.4g}",
                           f"{point['regret'] / point['regret_without_privacy']:.3g}", str(point["epoch_reports"])], row)

    def test_two_people(self):
        for words in ((), ("--measure", 0.1, "--uplift", 0.1), ("--parameters", "per-arm", "--reward-kind", "binary")):
            plan = self.one(*SIZE, "--horizon", 2, *words)
            self.assertTrue(0 < plan["regret_without_privacy"] <= plan["regret"], plan)
            self.assertEqual(plan["points"][-1]["people"], 2)

    def test_what_was_not_checked_says_so(self):
        outside = "is outside that"
        counts = ("--dim", 5, "--arms", 5, "--link", "log")
        for words in (("--dim", 5, "--arms", 20, "--epsilon", "0.5,5"), counts,
                      ("--dim", 5, "--arms", 5, "--horizon", 100000, "--noise", 0.1)):
            self.assertNotIn(outside, self.good(*words))
            self.assertTrue(self.one(*words)["checked"])
        for words in (("--dim", 4, "--arms", 5), (*counts, "--reward-range", "0,20"), (*SIZE, "--horizon", 99999),
                      (*SIZE, "--noise", 0.11), (*SIZE, "--theta-norm-max", 0.9)):
            self.assertIn(f"This setting, with epsilon 1, {outside}", self.good(*words), words)
            self.assertFalse(self.one(*words)["checked"])
        words = self.good("--dim", 5, "--arms", 5, "--epsilon", "0.4,1,6")
        self.assertEqual(words.count(outside), 2)
        self.assertNotIn(f"This setting, with epsilon 1, {outside}", words)

    def test_rewards_have_their_own_sentence(self):
        chances = ("--reward-kind", "binary", "--link", "identity", "--horizon", 20000)
        words = self.good("--dim", 5, "--arms", 5, *chances)
        self.assertIn("dim 5 to 20, 3 to 20 arms", words)
        self.assertNotIn("is outside that", words)
        for more in (("--dim", 21, "--arms", 5), ("--dim", 5, "--arms", 2),
                     ("--dim", 5, "--arms", 5, "--parameters", "per-arm"), ("--dim", 5, "--arms", 5, "--horizon", 20001)):
            self.assertIn("is outside that", self.good(*chances[:4], *more), more)

    def test_a_line_says_how_far_off_it_was(self):
        for words, times in ((("--link", "log"), "0.6 to 2.2"), (("--parameters", "per-arm"), "0.6 to 2.2"),
                             (("--link", "identity", "--reward-kind", "binary"), "0.7 to 3.6")):
            said = self.good("--dim", 1, "--arms", 3, *words)
            self.assertIn(f"With dim 1, simulated regret was {times} times that on average", said)
            self.assertIn("is outside that", said)
        self.assertNotIn("With dim 1", self.good("--dim", 2, "--arms", 3))

    def test_a_target_holds_from_there_on(self):
        """With 14 people two get random arms, with 15 three: 14 are enough only by chance."""
        line = ("--dim", 1, "--arms", 2, "--parameters", "per-arm", "--epsilon", 5)
        target = self.one(*line, "--horizon", 14)["regret_per_person"]
        self.assertGreater(self.one(*line, "--horizon", 15)["regret_per_person"], target)
        people = self.one(*line, "--target", target)["target_people"]
        self.assertGreater(people, 15)
        self.assertGreater(self.one(*line, "--horizon", people - 1)["regret_per_person"], target)
        for more in (0, 1, 2, 3, 4, 5, 10, 100, 10000):
            self.assertLessEqual(self.one(*line, "--horizon", people + more)["regret_per_person"], target, more)

    def test_privacy_does_not_help(self):
        words = ("--dim", 2, "--arms", 10, "--parameters", "per-arm", "--reward-kind", "binary", "--link", "identity",
                 "--epsilon", 5, "--horizon", 20000)
        plan = self.one(*words)
        self.assertLess(plan["cost"], 1)
        said = self.good(*words)
        self.assertIn("no cost of privacy shows here", said)
        self.assertIn("<= 1", said)
        self.assertNotIn("privacy costs", said)

    def test_what_simulate_plays_is_not_refused(self):
        for dim, arms in ((1, 5), (2, 10), (3, 15), (5, 100)):
            self.one("--dim", dim, "--arms", arms, "--parameters", "per-arm", "--reward-kind", "binary",
                     "--link", "identity", "--horizon", 1000)

    def test_days_of_several_epsilons(self):
        words = self.good(*SIZE, "--epsilon", "1,2", "--per-day", 1000)
        for plan in self.json(*SIZE, "--epsilon", "1,2", "--per-day", 1000)["plans"]:
            self.assertIn(f"Epsilon {plan['epsilon']:g}: the target takes {plan['target_people']} people, "
                          f"{plan['target_days']} day", words)
        self.assertNotIn("per day", self.good(*SIZE, "--epsilon", "1,2"))

    def test_several_epsilons_start_with_what_they_cost(self):
        words = ("--epsilon", "0.5,1,2")
        share = [f"{100 * plan['share_of_best_reward']:.3g} %" for plan in self.json(*SIZE, *words)["plans"]]
        self.assertTrue(" ".join(self.good(*SIZE, *words).split()).startswith(
            f"Regret is about {share[0]} of the best reward at epsilon 0.5, {share[1]} at epsilon 1 and {share[2]} at epsilon 2. "
            "Random arms would lose 100 %."))

    def test_delay_is_told_and_costs(self):
        plain, late = self.one(*SIZE), self.one(*SIZE, "--delay", "60,30,10")
        self.assertNotIn("delay_regret", plain)
        self.assertAlmostEqual(late["regret"], plain["regret"] + late["delay_regret"], delta=1e-6 * late["regret"])
        self.assertEqual(late["delay_people"], 975)  # 10 x (60 + 30/2), and half of an epoch of 45 s
        self.assertGreater(late["half"]["delay_regret"], 0)
        self.assertFalse(late["checked"])
        said = self.good(*SIZE, "--delay", "60,30,10")
        self.assertIn(f"Delay: it adds {late['delay_regret']:.4g} to the regret: at 10 people per second", said)
        self.assertNotIn("Delay", self.good(*SIZE))
        by_day = self.one(*SIZE, "--delay", "60,30", "--per-day", 864000)
        self.assertEqual(by_day["regret"], late["regret"])
        self.assertIn("Delay: it adds", self.good(*SIZE, "--epsilon", "1,2", "--delay", "60,30,10"))
        self.assertIn("with reports 60 s after decisions", " ".join(self.good(*SIZE, "--delay", "60,0,10").split()))

    def test_people_until_harm_and_below_best_arm_are_told(self):
        words = (*SIZE, "--link", "logit", "--measure", 0.1, "--uplift", 0.1)
        found = self.one(*words, "--per-day", 1000)["measuring"]
        harm, below = found["harm_people"], found["below_best_arm_people"]
        self.assertTrue(80000 < harm < found["people"] < below < 1e6, found)
        self.assertEqual((found["harm_days"], found["below_best_arm_days"]), (math.ceil(harm / 1000), math.ceil(below / 1000)))
        said = " ".join(self.good(*words).split())
        self.assertIn(f"A policy that is 0.1 worse than random arms shows harm after {harm} people.", said)
        self.assertIn(f"One that is 0.1 worse than the best arm shows below-best-arm after {below} people.", said)
        rows = [line.split() for line in self.good(*words, "--epsilon", "1,2").splitlines()]
        self.assertIn([str(harm), str(below)], [row[-2:] for row in rows])
        self.assertNotIn("harm_days", self.one(*words)["measuring"])

    def test_what_shuffling_adds_is_told_with_its_conditions(self):
        found = self.one(*SIZE, "--shuffle", 10000)["shuffle"]
        self.assertEqual((found["reports"], found["delta"]), (10000, 1e-6))
        self.assertAlmostEqual(found["epsilon"], 0.039, delta=1e-3)
        self.assertLess(found["epsilon"], self.one(*SIZE, "--shuffle", 10000, "--measure", 0.1)["shuffle"]["epsilon"])
        for words in ((*SIZE,), (*SIZE, "--epsilon", "0.5,1")):
            said = " ".join(self.good(*words, "--shuffle", 10000).split())
            self.assertIn(f"{found['epsilon']:.4g}", said)
            self.assertIn(found["conditions"], said)
        self.assertNotIn("shuffle", self.one(*SIZE))
        self.assertNotIn("Shuffled", self.good(*SIZE))

    def test_the_floor_is_told_where_it_exists(self):
        floor = self.one(*SIZE)["floor"]
        words = self.good(*SIZE)
        self.assertEqual(floor["times"], self.one(*SIZE)["regret"] / floor["start_heuristic"])
        self.assertTrue(0 < floor["proved"] < floor["local_estimate"] < floor["start_heuristic"])
        at_most = self.one(*SIZE)["regret"] / floor["proved"]
        words = " ".join(words.split())
        for said in (f"Floor: expected regret is {floor['times']:.3g} times the estimated minimum ({floor['start_heuristic']:.4g}) "
                     f"for any method that starts from nothing, and at most {at_most:.3g} times the proved minimum "
                     f"({floor['proved']:.4g}). A local estimate, not a bound, is {floor['local_estimate']:.4g}.",):
            self.assertIn(said, words)
        many = ("--dim", 2, "--arms", 100, "--epsilon", 0.5, "--horizon", 20000)  # the heuristic is above what is predicted
        floor_of_many = self.one(*many)["floor"]
        self.assertIsNone(floor_of_many["start_heuristic"])
        at_most = self.one(*many)["regret"] / floor_of_many["proved"]
        self.assertIn(f"Floor: expected regret is at most {at_most:.3g} times the proved minimum "
                      f"({floor_of_many['proved']:.4g}). ", " ".join(self.good(*many).split()))
        bent = self.one(*SIZE, "--link", "logit")["floor"]
        self.assertEqual((bent["proved"], bent["start_heuristic"], bent["times"]), (None, None, None))
        self.assertIn(f"Floor: only a local estimate, not a bound: {bent['local_estimate']:.4g}.\n",
                      self.good(*SIZE, "--link", "logit"))
        self.assertEqual(set(self.one("--dim", 1, "--arms", 3)["floor"].values()), {None})
        self.assertNotIn("Floor", self.good("--dim", 1, "--arms", 3, "--epsilon", "1,2"))
        several = self.good(*SIZE, "--epsilon", "0.5,1")
        row = ["1", f"{floor['times']:.3g}", f"{floor['start_heuristic']:.4g}", f"{floor['proved']:.4g}",
               f"{floor['local_estimate']:.4g}"]
        self.assertIn(row, [line.split() for line in several.splitlines()])

    def test_json_has_a_plan_with_all_keys_for_each_epsilon(self):
        found = self.json(*SIZE, "--epsilon", "0.5,2")
        self.assertEqual(set(found), KEYS)
        self.assertEqual([plan["epsilon"] for plan in found["plans"]], [0.5, 2])
        for plan in found["plans"]:
            self.assertEqual(set(plan), PLAN)
            self.assertEqual(set(plan["half"]), COST | {"ratio"})
            self.assertEqual([set(point) for point in plan["points"]], [POINT] * 5)
            self.assertEqual(set(plan["budget"]), {"epsilon_per_report", "epsilon_per_report_max", "epsilon_lifetime",
                                                   "reports_per_person"})
            self.assertEqual(set(plan["chosen"]), {"score", "estimator", "along_weight", "report_bytes",
                                                   "warm_up_reports", "codebook"})
        with_days = self.json(*SIZE, "--per-day", 50)
        self.assertEqual((set(with_days), set(with_days["plans"][0])), (KEYS, PLAN | DAYS))
        self.assertIn("warm_up_codebook", self.one(*SIZE, "--parameters", "per-arm")["chosen"])

    def test_the_numbers_hang_together(self):
        found = self.json(*SIZE, "--per-day", 300, "--within", 2, "--target", 0.01)
        plan = found["plans"][0]
        last = plan["points"][-1]
        self.assertEqual([point["people"] for point in plan["points"]], [10, 100, 1000, 10000, 100000])
        self.assertEqual((found["horizon"], plan["regret"]), (100000, last["regret"]))
        self.assertAlmostEqual(plan["regret_per_person"], plan["regret"] / 1e5)
        self.assertAlmostEqual(plan["share_of_best_reward"], plan["regret_per_person"] / found["best_reward"])
        self.assertAlmostEqual(plan["cost"], plan["regret"] / plan["regret_without_privacy"])
        self.assertEqual((plan["target"], found["within_percent"]), (0.01, 2))
        self.assertEqual(plan["target_days"], math.ceil(plan["target_people"] / 300))
        self.assertEqual(plan["within_days"], math.ceil(plan["within_people"] / 300))
        self.assertAlmostEqual(plan["half"]["ratio"], plan["half"]["regret"] / plan["regret"])
        half = self.one(*SIZE, "--epsilon", 0.5, "--per-day", 300, "--within", 2, "--target", 0.01)
        self.assertEqual({key: half[key] for key in COST | DAYS}, {key: plan["half"][key] for key in COST | DAYS})
        at_target = self.one(*SIZE, "--horizon", plan["target_people"])
        self.assertAlmostEqual(at_target["regret_per_person"], 0.01, delta=1e-6)
        at_within = self.one(*SIZE, "--horizon", plan["within_people"])["points"][-1]
        rewards = [found["best_reward"] - at_within["regret_next_person" + open] for open in ("", "_without_privacy")]
        self.assertAlmostEqual(rewards[0] / rewards[1], 0.98, delta=5e-4)
        self.assertAlmostEqual(self.one(*SIZE)["target"], 0.05 * found["best_reward"])

    def test_what_is_chosen_is_what_a_spec_gets(self):
        for words in ((), ("--parameters", "per-arm"), ("--link", "logit")):
            kind = ("--reward-kind", "binary") if "logit" in words else ()
            spec = json.loads(sotto("inspect", "spec", *SIZE, "--epsilon", 5, "--json", *kind,
                                    *(words if not kind else ())).stdout)
            chosen = self.one(*SIZE, "--epsilon", 5, *words)["chosen"]
            codebook = {key: spec["main_" + key] for key in ("size", "groups", "top", "scale")}
            self.assertEqual(chosen["codebook"], codebook)
            self.assertEqual((chosen["along_weight"], chosen["report_bytes"]),
                             (spec["along_weight"], spec["report_bytes"]))

    def test_options_reach_the_prediction(self):
        plain = self.one(*SIZE)
        for words in (("--noise", 0.3), ("--link", "logit"), ("--parameters", "per-arm"), ("--epsilon", 2),
                      ("--reward-range=-2,2", "--theta-norm-max", 2), ("--horizon", 50000), ("--link", "log")):
            self.assertNotEqual(self.one(*SIZE, *words)["regret"], plain["regret"], words)
        for option, key in (("--target", "target_people"), ("--within", "within_people")):
            self.assertNotEqual(self.one(*SIZE, option, 0.02)[key], plain[key])
        wide = self.one(*SIZE, "--link", "log", "--reward-range", "0,20")
        self.assertEqual(wide["regret"], self.one(*SIZE, "--link", "log")["regret"], "counts need no tight range")
        chances = self.one(*SIZE, "--parameters", "per-arm", "--reward-kind", "binary", "--link", "identity")
        self.assertNotEqual(chances["regret"], self.one(*SIZE, "--parameters", "per-arm", "--link", "logit")["regret"])
        self_score = self.json("--dim", 3, "--arms", 3, "--reward-kind", "binary", "--link", "logit")
        self.assertEqual((self_score["reward_kind"], self_score["noise"]), ("binary", None))

    def test_what_does_not_exist_is_null(self):
        self.assertIsNone(self.one(*SIZE, "--epsilon", 0.015)["half"])
        self.assertIsNone(self.json(*SIZE)["per_day"])
        hard = self.one("--dim", 1024, "--arms", 2, "--epsilon", 0.01, "--target", 1e-9, "--per-day", 1)
        self.assertEqual((hard["target_people"], hard["target_days"]), (None, None))
        words = self.good("--dim", 1024, "--arms", 2, "--epsilon", 0.01, "--target", 1e-9)
        self.assertIn("takes more than 1e+12 people", " ".join(words.split()))
        self.assertNotIn("Half", words)

    def test_a_device_refuses_a_large_epsilon(self):
        self.assertIn("allows 2 and would refuse it", " ".join(self.good(*SIZE, "--epsilon", 3).split()))
        self.assertEqual(self.one(*SIZE, "--epsilon", 3)["budget"]["reports_per_person"], 0)

    def test_several_epsilons_are_compared(self):
        words = self.good(*SIZE, "--epsilon", "0.02,0.015,8")
        rows = [line.split() for line in words.split("Floors")[0].splitlines() if line.startswith("  ")]
        found = {row[0]: row for row in rows if row and row[0] in ("0.02", "0.015", "8")}
        self.assertEqual(len(found), 3)
        self.assertEqual(found["0.015"][5], "-")
        self.assertRegex(found["0.02"][5], "x$")
        self.assertIn("1 epsilon 0.02   2 epsilon 0.015   3 epsilon 8", words)

    def test_the_chart_rises_and_fits(self):
        for horizon in (11, 1000, 123456, 10**12):
            lines = self.good(*SIZE, "--epsilon", 0.5, "--horizon", horizon).splitlines()
            self.assertLessEqual(max(map(len, lines)), 80)
            chart = [line.split("|")[1] for line in lines if "|" in line]
            self.assertTrue(3 <= len(chart) <= 16, chart)
            top = [min(row for row, cells in enumerate(chart) if cells[x] == "*") for x in range(42)
                   if any(cells[x] == "*" for cells in chart)]
            self.assertGreater(len(top), 20)
            self.assertEqual(top, sorted(top, reverse=True))
        self.assertNotIn("|", self.good(*SIZE, "--horizon", 1))

    def test_warnings_can_be_turned_off(self):
        result = sotto("plan", *SIZE, "--link", "logit", "--noise", 0.5)
        self.assertEqual(result.returncode, 0)
        self.assertIn("--noise changes nothing here", result.stderr)
        self.good(*SIZE, "--link", "logit", "--noise", 0.5, "--quiet")


class Mistakes(Case):
    def test_words_that_cannot_be_used_are_named(self):
        for words, said in (
                (("--arms", 5), "--dim is needed"), (("--dim", 5), "--arms is needed"),
                ((*SIZE, "extra"), "extra: unexpected word"),
                ((*SIZE, "--epsilon", "1,x"), "--epsilon = x: allowed 0.01 to 8"),
                ((*SIZE, "--epsilon", "1,1"), "--epsilon = 1: each value may be given only once"),
                ((*SIZE, "--epsilon", "1,2,3,4,5,6,7,8,.5"), "--epsilon = 0.5: allowed at most 8 values"),
                ((*SIZE, "--epsilon", 9), "--epsilon = 9: allowed 0.01 to 8"),
                ((*SIZE, "--link", "probit", "--theta-norm-max", 10), "theta-norm-max = 10: rewards of"),
                ((*SIZE, "--horizon", 0), "--horizon = 0: allowed whole numbers 1 to 1e12"),
                ((*SIZE, "--per-day", 0), "--per-day = 0: allowed"),
                ((*SIZE, "--within", 0), "--within = 0: allowed 0.01 to 99"),
                ((*SIZE, "--target", 0), "--target = 0: allowed"),
                ((*SIZE, "--noise", -1), "--noise = -1: allowed 0 to"),
                ((*SIZE, "--method", "ldp-sgd"), "method = ldp-sgd: only sotto is predicted; simulate plays all"),
                ((*SIZE, "--method", "ols"), "method = ols: only sotto is predicted"),
                ((*SIZE, "--method", "soto"), "did you mean sotto?"),
                ((*SIZE, "--link", "logit", "--reward-kind", "continuous", "--reward-range", "0.4,1"), "--reward-range = 0.4, 1: "),
                ((*SIZE, "--theta-norm-max", 3), "give a wider reward range"),
                ((*SIZE, "--delay", "60,30,10", "--per-day", 1000),
                 "--per-day = 1000: the delay has 10 people per second, allowed 855446 to 872727 per day"),
                ((*SIZE, "--delay", "60,30"), "--delay = 60,30: needs RATE, people per second, or --per-day"),
                ((*SIZE, "--delay", "60"), "--delay = 60: allowed WINDOW,SPREAD,RATE"),
                ((*SIZE, "--delay", "60,-1,1"), "--delay = 60,-1,1: allowed WINDOW,SPREAD,RATE"),
                ((*SIZE, "--delay", "60,30,nan"), "--delay = 60,30,nan: allowed WINDOW,SPREAD,RATE"),
                ((*SIZE, "--delay", "60,30,10", "--horizon", 900), "delay = 60,30,10: window and spread last 90 s; allowed"),
                ((*SIZE, "--horizn", 5), "did you mean --horizon?"),
                (("--dim", 1024, "--arms", 1024), "--arms = 1024: --dim x --arms is at most")):
            result = sotto("plan", *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn(said, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)

    def test_a_full_disk_is_a_failure(self):
        import os
        import subprocess
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([os.environ["SOTTO"], "plan", *map(str, SIZE)], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write the output", result.stderr)


class Played(Case):
    """A few cells against the median of 5 seeds; tests/measure/plan.py has the whole grid. The seeds are
    fixed, so that a run either always passes or never does."""

    def median(self, *words):
        result = sotto("simulate", "--method", "sotto", *words, "--horizon", 10000, "--seeds", 5, "--checkpoints",
                       10000, "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        return statistics.median(float(row["regret"]) for row in csv.DictReader(io.StringIO(result.stdout)))

    def test_predictions_are_near_to_what_is_played(self):
        for words in (("--dim", 5, "--arms", 10, "--epsilon", 1), ("--dim", 10, "--arms", 5, "--epsilon", 5),
                      ("--dim", 10, "--arms", 2, "--epsilon", 2, "--noise", 0.5),
                      ("--dim", 5, "--arms", 5, "--epsilon", 2, "--link", "logit"),
                      ("--dim", 3, "--arms", 5, "--epsilon", 5, "--link", "probit"),
                      ("--dim", 5, "--arms", 2, "--epsilon", 1, "--parameters", "per-arm"),
                      ("--dim", 10, "--arms", 5, "--epsilon", 5, "--parameters", "per-arm"),
                      ("--dim", 5, "--arms", 3, "--epsilon", 2, "--link", "log"),
                      ("--dim", 10, "--arms", 5, "--epsilon", 2, "--reward-kind", "binary", "--link", "identity"),
                      ("--dim", 1, "--arms", 5, "--epsilon", 1, "--parameters", "per-arm")):
            with self.subTest(words):
                ratio = self.one(*words, "--horizon", 10000)["regret"] / self.median(*words)
                self.assertTrue(1 / 2.5 < ratio < 2.5, ratio)


if __name__ == "__main__":
    unittest.main()
