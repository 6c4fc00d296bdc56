"""Plans and floors: the numbers and the sentences of `sotto plan`."""

import copy
import html
import json
import math
import os
import pickle
import subprocess
import unittest
import warnings

import sotto

SOTTO = os.environ["SOTTO"]


def command_line(*words):
    return subprocess.run([SOTTO, "plan", *map(str, words), "--quiet"], check=True, capture_output=True,
                          text=True).stdout


def plain(value):
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value


CASES = (
    (["--dim", 10, "--arms", 5], {"dim": 10, "arms": 5}),
    (["--dim", 4, "--arms", 3, "--epsilon", "0.01,1,8", "--horizon", 1e6, "--parameters", "per-arm", "--per-day", 300],
     {"dim": 4, "arms": 3, "epsilon": [0.01, 1, 8], "horizon": 1e6, "parameters": "per-arm", "per_day": 300}),
    (["--dim", 5, "--arms", 4, "--link", "logit", "--target", 0.01, "--within", 2, "--theta-norm-max", 2],
     {"dim": 5, "arms": 4, "link": "logit", "target": 0.01, "within": 2, "theta_norm_max": 2}),
    (["--dim", 6, "--arms", 2, "--measure", 0.1, "--uplift", 0.2, "--noise", 0.3, "--reward-range", "-2,3", "--per-day",
      7],
     {"dim": 6, "arms": 2, "measure": 0.1, "uplift": 0.2, "noise": 0.3, "reward_range": (-2, 3), "per_day": 7}),
    (["--dim", 6, "--arms", 2, "--epsilon", 4, "--reward-kind", "binary", "--horizon", 1],
     {"dim": 6, "arms": 2, "epsilon": 4, "reward_kind": "binary", "horizon": 1}),
    (["--dim", 5, "--arms", 2, "--delay", "60,30,10"], {"dim": 5, "arms": 2, "delay": (60, 30, 10)}),
    (["--dim", 5, "--arms", 2, "--delay", "60,30", "--per-day", 1000],
     {"dim": 5, "arms": 2, "delay": (60, 30), "per_day": 1000}),
    (["--dim", 7, "--arms", 2, "--epsilon", "0.5,2", "--measure", 0.05],
     {"dim": 7, "arms": 2, "epsilon": (0.5, 2), "measure": 0.05}),
    (["--dim", 7, "--arms", 2, "--epsilon", "0.5,2", "--shuffle", 5000, "--measure", 0.05],
     {"dim": 7, "arms": 2, "epsilon": (0.5, 2), "shuffle": 5000, "measure": 0.05}),
)


class Plans(unittest.TestCase):
    def test_the_numbers_are_those_of_the_command_line(self):
        for words, options in CASES:
            with self.subTest(options=options):
                printed = json.loads(command_line(*words, "--json"))
                found = sotto.plan(**options)
                self.assertEqual(printed.pop("version"), sotto.__version__)
                self.assertEqual(printed, {key: plain(getattr(found, key)) for key in printed})

    def test_the_sentences_are_those_of_the_command_line(self):
        for words, options in CASES:
            found = sotto.plan(**options)
            printed = " ".join(command_line(*words).split())
            several = len(found.plans) > 1
            said = [found._legend(), *found._days().splitlines()] if several else found._paragraphs(0)
            for sentence in [found._scene(), found._caveat(), *said]:
                self.assertIn(" ".join(sentence.split()), printed)
                if not several:
                    self.assertIn(" ".join(sentence.split()), " ".join(str(found).split()))
            self.assertIn(html.escape(found._scene()), found._repr_html_())
            self.assertIn("costs", repr(found))

    def test_a_table_of_several(self):
        found = sotto.plan(dim=10, arms=5, epsilon=[0.01, 8])
        self.assertIn("> 1e12", sotto.plan(dim=1000, arms=2, epsilon=[0.01, 8], target=1e-9).__str__())
        self.assertIn("Epsilon 0.01. Floor: ", str(found))

    def test_a_summary_and_points(self):
        found = sotto.plan(dim=1000, arms=2, epsilon=[0.01, 8], per_day=5, measure=0.1, target=1e-9)
        summary = found.summary
        self.assertEqual([0.01, 8], list(summary.epsilon))
        self.assertTrue(summary.target_people.isna()[0] and summary.target_days.isna()[0])
        self.assertEqual([plan["regret"] for plan in found.plans], list(summary.regret))
        self.assertEqual("Int64", str(summary.target_people.dtype))
        self.assertIn("measure_price", summary)
        points = found.points
        self.assertEqual(sum(len(plan["points"]) for plan in found.plans), len(points))
        self.assertEqual(list(found.plans[1]["points"][2].values()), points[points.epsilon == 8].iloc[2].tolist()[1:])

    def test_a_curve(self):
        found = sotto.plan(dim=10, arms=5, epsilon=[1, 2])
        curve = found.curve(25)
        self.assertEqual((50, 10, 100000), (len(curve), curve.people.min(), curve.people.max()))
        self.assertAlmostEqual(1, curve.regret.iloc[-1] / found.plans[1]["regret"], 6)  # other steps on the way
        with self.assertRaisesRegex(sotto.FaultError, "count = 1: allowed 2"):
            found.curve(1)
        with self.assertRaisesRegex(sotto.FaultError, "a curve begins at 10 people"):
            sotto.plan(dim=10, arms=5, horizon=10).curve()

    def test_copies_say_the_same(self):
        found = sotto.plan(dim=3, arms=4, epsilon=iter([1, 2]), horizon=1000, per_day=10)
        for again in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
            self.assertEqual((found.plans, str(found)), (again.plans, str(again)))
            self.assertTrue(found.curve(5).equals(again.curve(5)))

    def test_warnings(self):
        with self.assertWarnsRegex(UserWarning, "noise changes nothing here"):
            sotto.plan(dim=3, arms=2, link="logit", noise=0.1)
        with self.assertWarnsRegex(UserWarning, "measure = 0.5: a device allows at most"):
            sotto.plan(dim=3, arms=2, measure=0.5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sotto.plan(dim=3, arms=2, noise=0.1, measure=0.01)

    def test_bad_arguments_are_refused(self):
        for wrong, why in (
                ({"dim": 0}, "dim = 0: allowed 1"), ({"arms": 1}, "arms = 1: allowed 2"),
                ({"dim": "3"}, "expected a whole"),
                ({"epsilon": 0}, "epsilon = 0: allowed 0.01 to 8"),
                ({"epsilon": []}, "epsilon has 0 values: allowed 1 to 8"),
                ({"epsilon": range(1, 10)}, "epsilon has 9 values"), ({"epsilon": [1, 1.0]}, "it is there twice"),
                ({"epsilon": "1"}, "epsilon = '1': expected a number"), ({"epsilon": [1, None]}, "epsilon = None"),
                ({"horizon": 0}, "horizon = 0: allowed 1"), ({"horizon": 1e13}, "allowed 1 to 1000000000000"),
                ({"link": "logitt"}, "did you mean 'logit'"),
                ({"parameters": "each"}, "parameters = 'each': allowed shared"),
                ({"method": "ldp-sgd"}, "only sotto is predicted"),
                ({"reward_range": 3}, "reward_range = 3: expected two"),
                ({"reward_range": (3, 1)}, "reward"), ({"noise": -1}, "noise = -1"),
                ({"theta_norm_max": 0}, "theta_norm_max = 0"),
                ({"target": 0}, "target = 0"), ({"within": 0}, "within"), ({"per_day": 0}, "per_day = 0: allowed 1"),
                ({"measure": 0.6}, "measure = 0.6: allowed 0, or 0.001"), ({"uplift": 1}, "uplift: only with measure"),
                ({"measure": 0.1, "uplift": 0}, "uplift = 0: allowed"), ({"noise": math.nan}, "noise = nan")):
            with self.subTest(wrong=wrong), self.assertRaises(sotto.FaultError) as caught:
                sotto.plan(**{"dim": 3, "arms": 2, **wrong})
            self.assertIn(why, str(caught.exception))


class Floors(unittest.TestCase):
    def test_the_numbers_are_those_of_the_plan(self):
        for options in ({"dim": 10, "arms": 5, "epsilon": 2},
                        {"dim": 3, "arms": 2, "parameters": "per-arm", "horizon": 500},
                        {"dim": 5, "arms": 3, "link": "logit"}, {"dim": 1, "arms": 2}):
            floor, wanted = sotto.floor(**options), sotto.plan(**options).plans[0]["floor"]
            for one, other in ((floor.proved, wanted["proved"]), (floor.local, wanted["local_estimate"]),
                               (floor.start, wanted["start_heuristic"])):
                self.assertTrue(one == other or (math.isnan(one) and math.isnan(other)), options)

    def test_words(self):
        self.assertIn("there is no floor", str(sotto.floor(dim=1, arms=2)))
        self.assertIn("(proved)", repr(sotto.floor(dim=10, arms=5)))

    def test_bad_arguments_are_refused(self):
        for wrong, why in (({"epsilon": [1, 2]}, "epsilon"), ({"epsilon": 9}, "epsilon = 9: allowed"),
                           ({"dim": 0}, "dim = 0")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(sotto.FaultError, why):
                sotto.floor(**{"dim": 3, "arms": 2, **wrong})


if __name__ == "__main__":
    unittest.main()
