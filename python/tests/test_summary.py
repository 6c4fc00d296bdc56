"""sotto.summary: the numbers of `sotto simulate --summary --csv`, by the lab."""

import io
import json
import math
import os
import subprocess
import unittest

import pandas

import sotto

SOTTO = os.environ["SOTTO"]
CASES = (
    {"method": "sotto,ldp-sgd,ols,random", "dim": 3, "arms": 3, "horizon": 500, "seeds": 5, "epsilon": "0.5,1"},
    {"method": "ols", "dim": 3, "arms": 3, "horizon": 100, "seeds": 1, "epsilon": "1,2"},
    {"method": "sotto,glm", "link": "log", "dim": 2, "arms": 2, "horizon": 300, "seeds": 4, "first-seed": 7},
    {"method": "sotto", "parameters": "per-arm", "reward-kind": "binary", "score": "self", "dim": 2, "arms": 2,
     "horizon": 300, "seeds": 2},
    {"method": "sotto,ols", "parameters": "per-arm", "dim": 2, "arms": 2, "horizon": 400, "seeds": 3},
    {"method": "sotto,ols", "dim": 2, "arms": 2, "horizon": 600, "seeds": 3, "delay": "4,3,20"},
)


def arguments(case):
    found = {name.replace("-", "_"): value for name, value in case.items()}
    if "epsilon" in found:
        found["epsilon"] = [float(word) for word in found["epsilon"].split(",")]
    return found


def printed(case, *more):
    words = [word for name, value in case.items() for word in (f"--{name}", str(value))]
    ran = subprocess.run([SOTTO, "simulate", "--quiet", "--csv", *words, *more], check=True, capture_output=True,
                         text=True)
    return pandas.read_csv(io.StringIO(ran.stdout), float_precision="round_trip")


class Summary(unittest.TestCase):
    def same(self, expected, found):
        self.assertEqual(list(expected.columns), list(found.columns))
        timed = "rounds_per_second"
        pandas.testing.assert_frame_equal(expected.drop(columns=timed), found.drop(columns=timed), check_exact=True,
                                          check_dtype=False)

    def test_the_numbers_of_the_command_line(self):
        for case in CASES:
            with self.subTest(**case):
                found = sotto.summary(sotto.simulate(**arguments(case)))
                self.same(printed(case, "--summary"), found)
                self.assertTrue((found["rounds_per_second"] > 0).all())

    def test_rows_that_were_read_from_a_file(self):
        for case in CASES:
            with self.subTest(**case):
                expected = printed(case, "--summary")
                found = sotto.summary(printed(case))
                self.assertTrue(found[["cost", "rounds_per_second"]].isna().all().all())
                unknown = ["cost", "rounds_per_second", "floor_proved", "floor_start", "null_share", "late_share", "age"]
                pandas.testing.assert_frame_equal(expected.drop(columns=unknown, errors="ignore"),
                                                  found.drop(columns=unknown, errors="ignore"), check_exact=True,
                                                  check_dtype=False)

    def test_settings_that_were_written_down(self):
        rows = sotto.simulate(**arguments(CASES[0]))
        expected = sotto.summary(rows)
        rows.attrs = json.loads(json.dumps(rows.attrs))
        pandas.testing.assert_frame_equal(expected, sotto.summary(rows))

    def test_some_of_the_rows(self):
        rows = sotto.simulate(**arguments(CASES[0]))
        some = rows[(rows["method"] == "sotto") & (rows["seed"] > 2)]
        found = sotto.summary(some)
        self.assertEqual(["sotto", "sotto"], list(found["method"]))
        self.assertEqual([3, 3], list(found["seeds"]))
        self.assertTrue(found["rounds_per_second"].isna().all())
        for epsilon, mean in zip(found["epsilon"], found["regret_mean"]):
            last = some[(some["t"] == 500) & (some["epsilon"] == epsilon)]["regret"]
            self.assertTrue(math.isclose(last.mean(), mean))

    def test_methods_that_nobody_knows(self):
        rows = sotto.simulate("sotto", dim=2, arms=2, horizon=100, seeds=3)
        expected = sotto.summary(rows)
        rows["method"] = "something else"
        rows["seed"] = rows["seed"] * 1000 - 5
        found = sotto.summary(rows)
        self.assertEqual(["something else"], list(found["method"]))
        self.assertEqual(list(expected["regret_se"]), list(found["regret_se"]))

    def test_what_is_no_frame_of_rows_is_refused(self):
        rows = sotto.simulate("sotto", dim=2, arms=2, horizon=100, seeds=2)
        short = pandas.concat([rows, sotto.simulate("sotto", dim=2, arms=2, horizon=50, first_seed=9, seeds=1)])
        for bad, why in ((5, "rows: expected a frame"), (rows.drop(columns="t"), "rows: expected a frame"),
                         (rows.head(0), "there are none"),
                         (rows.astype(object), "epsilon: expected numbers, not object"),
                         (short, "some runs end at t = 50, others at t = 100"),
                         (pandas.concat([rows, rows[["method"]]], axis=1), "rows: column method is there twice"),
                         (rows.assign(method=None), "rows: column method has missing values"),
                         (rows.assign(t=float("nan")), "rows: column t has missing values"),
                         (rows.assign(t=-rows.t), "rows: t = -1: expected whole numbers from 1 on"),
                         (pandas.concat([rows, rows]), "is there twice")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                sotto.summary(bad)


if __name__ == "__main__":
    unittest.main()
