"""sotto.Environment: an environment of one's own; the same bits as in C; all that can go wrong."""

import math
import os
import subprocess
import unittest

import numpy
import pandas

import sotto

SOTTO = os.environ["SOTTO"]
SOURCE = os.environ["SOURCE"]
BUILD = os.environ["BUILD"]
SMALL = {"dim": 3, "arms": 4, "horizon": 200, "seeds": 2}


class Tastes(sotto.Environment):
    """examples/plugin_tastes.c."""

    name = "tastes"
    reward_lo, reward_hi = -2, 2

    @staticmethod
    def direction(rng, dim, length):
        numbers, squares = rng.normal(dim).tolist(), 0.0
        for x in numbers:
            squares += x * x
        return [x * (length / math.sqrt(squares)) for x in numbers]

    def begin(self, problem, rng):
        self.problem = problem
        self.true = self.direction(rng, problem.dim, 1)

    def context(self, rng):
        care = 0.5 + 0.5 * rng.uniform()
        return [self.direction(rng, self.problem.dim, care) for _ in range(self.problem.arms)]

    def means(self, context):
        found = []
        for row in context.tolist():
            fit = 0.0
            for x, y in zip(row, self.true):
                fit += x * y
            found.append(math.copysign(math.sqrt(abs(fit)), fit))
        return found

    def reward(self, context, arm, mean, rng):
        return mean + 2 * rng.uniform() - 1


class Plain(sotto.Environment):
    """Nothing to learn; tests change one of its functions."""

    def begin(self, problem, rng):
        self.problem = problem

    def context(self, rng):
        return numpy.full(self.problem.context_shape, 0.1)

    def means(self, context):
        return numpy.full(self.problem.arms, 0.5)


def changed(**functions):
    return type("Changed", (Plain,), functions)


class TheSameAsInC(unittest.TestCase):
    def test_a_port_of_the_example_gives_the_rows_of_the_plug_in(self):
        plugin = os.path.join(BUILD, "python/tastes.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-ffp-contract=off",
                        f"-I{SOURCE}/include", f"{SOURCE}/examples/plugin_tastes.c", "-o", plugin, "-lm"], check=True)
        printed = subprocess.run([SOTTO, "simulate", "--method", "sotto,ols", "--environment", plugin, "--dim", "3",
                                  "--arms", "4", "--horizon", "500", "--seeds", "3", "--quiet", "--csv"], check=True,
                                 capture_output=True, text=True).stdout
        rows = sotto.simulate("sotto,ols", environment=Tastes, dim=3, arms=4, horizon=500, seeds=3, threads=2)
        found = [line.split(",") for line in printed.splitlines()][1:]
        self.assertEqual([float(line[4]) for line in found], rows["regret"].tolist())
        self.assertEqual([line[0] for line in found], rows["method"].tolist())
        self.assertTrue(rows["estimation_error"].isna().all())

    def test_the_same_people_come_to_every_method(self):
        class Watch(Tastes):
            def context(self, rng):
                found = super().context(rng)
                people.setdefault(id(self), []).append((found, self))
                return found

        people = {}
        sotto.simulate("sotto,ols,random", environment=Watch, dim=3, arms=4, horizon=50, seeds=1, threads=2)
        first, *others = ([person for person, _ in seen] for seen in people.values())
        self.assertEqual(3, len(others))  # best-arm is played along
        for other in others:
            self.assertEqual(first, other)


class WhatItSays(unittest.TestCase):
    def test_dim_and_arms_that_it_has(self):
        rows = sotto.simulate("sotto", environment=changed(dim=2, arms=3), horizon=10, seeds=1)
        self.assertEqual("Changed", rows.attrs["settings"]["environment"]["name"])
        with self.assertRaisesRegex(sotto.FaultError, "dim = 5: environment Changed has 2"):
            sotto.simulate("sotto", environment=changed(dim=2), dim=5, arms=3, horizon=10)
        with self.assertRaisesRegex(sotto.FaultError, "arms: it is needed"):
            sotto.simulate("sotto", environment=changed(dim=2), horizon=10)

    def test_parameters_bounds_and_theta(self):
        per_arm = changed(parameters="per-arm", theta=lambda self: numpy.zeros((4, 3)))
        rows = sotto.simulate("sotto", environment=per_arm, parameters="per-arm", **SMALL)
        self.assertTrue(rows["estimation_error"].notna().all())
        sotto.simulate("sotto", environment=changed(parameters=("shared", "per-arm")), **SMALL)
        with self.assertRaisesRegex(sotto.FaultError,
                                    "parameters = shared: environment Changed has per-arm parameters only"):
            sotto.simulate("sotto", environment=per_arm, parameters="shared", **SMALL)
        self.assertTrue(rows.equals(sotto.simulate("sotto", environment=per_arm, **SMALL)), "inferred: it has one kind")
        self.assertTrue(sotto.simulate("sotto", environment=changed(theta=lambda self: None),
                                       **SMALL)["estimation_error"].isna().all())

    def test_rewards_of_the_lab(self):
        seen = []
        method = type("Watch", (sotto.Method,),
                      {"decide": lambda self, context, rng: 0, "learn": lambda self, report: None,
                                                 "report": lambda self, context, arm, reward,
                       rng: seen.append(reward) or b""})
        sotto.simulate(method, environment=Plain, reward_kind="binary", **SMALL)
        self.assertEqual({0.0, 1.0}, set(seen))

    def test_an_object_with_settings_of_its_own_and_its_summary(self):
        class Even(Plain):
            def __init__(self, mean):
                self.mean = mean

            def means(self, context):
                return [self.mean] * self.problem.arms

        rows = sotto.simulate("sotto,ols", environment=Even(0.25), **SMALL)
        self.assertTrue((rows["regret"] == 0).all())
        self.assertEqual(["sotto", "ols", "best-arm"], list(sotto.summary(rows)["method"]))
        pandas.testing.assert_frame_equal(rows, sotto.simulate("sotto,ols", environment=Even(0.25), **SMALL, keep=rows))

    def test_classes_that_are_refused(self):
        for bad, why in (({"name": "sphere"}, "its name \"sphere\" is that of a built-in one"),
                         ({"context_norm_max": 0}, "context_norm_max = 0"),
                         ({"reward_lo": 2}, "environment Changed: reward_lo, reward_hi = 2, 1"),
                         ({"reward_hi": "1"}, "reward_hi = '1': expected a number"),
                         ({"dim": 0}, "dim = 0: allowed 1 to"), ({"dim": 1.5}, "dim = 1.5: expected a whole"),
                         ({"version": 2}, "version = 2"), ({"parameters": "none"}, "parameters = 'none': allowed"),
                         ({"parameters": ()}, "neither shared nor per_arm")):
            with self.subTest(**bad), self.assertRaisesRegex(sotto.FaultError, why):
                sotto.simulate("sotto", environment=changed(**bad),
                               **{**SMALL, **({"dim": None} if "dim" in bad else {})})


class Failing(unittest.TestCase):
    def failed(self, why, **functions):
        with self.assertRaisesRegex(sotto.GuestError, why) as caught:
            sotto.simulate("sotto", environment=changed(**functions), **SMALL)
        return caught.exception

    def test_what_is_raised_is_the_cause(self):
        def bad(*_):
            raise LookupError("nobody")

        for function in ("begin", "context", "means", "reward", "theta"):
            with self.subTest(function=function):
                exception = self.failed(f"environment Changed.*{function} raised LookupError: nobody",
                                        **{function: bad})
                self.assertIsInstance(exception.__cause__, LookupError)

    def test_functions_that_are_missing(self):
        with self.assertRaisesRegex(sotto.GuestError, "an environment needs the function context"):
            sotto.simulate("sotto", environment=type("Empty", (sotto.Environment,), {}), **SMALL)

    def test_contexts_that_are_none(self):
        for context, why in ((1.0, r"context has shape \(\): expected 4 x 3"),
                             (numpy.ones(12), r"context has shape \(12,\)"),
                             (None, "context: expected numbers, not object"), ("abc", "context: expected numbers"),
                             (numpy.full((4, 3), numpy.nan), r"context\[0, 0\] = nan: expected finite"),
                             (numpy.ones((4, 3)), "row 0 of the context has length 1.73.*: at most its own")):
            with self.subTest(context=repr(context)[:30]):
                self.failed(why, context=lambda self, rng: context)

    def test_means_rewards_and_thetas_that_are_none(self):
        for means, why in ((0.5, r"means has shape \(\): expected 4"), ([0.5], "means has shape"),
                           ([0.5, 0.5, 0.5, numpy.nan], r"means\[3\] = nan"),
                           ([0, 0, 0, 2], "the mean of arm 3 is 2: allowed 0 to 1"),
                           (["a"] * 4, "means: expected numbers")):
            with self.subTest(means=means):
                self.failed(why, means=lambda self, context: means)
        for reward, why in ((None, "reward = None: expected a number"), ("1", "reward = '1'"),
                            (numpy.nan, "reward = nan"), (5, "the reward of arm"),
                            ([1, 2], "reward = .*expected a number")):
            with self.subTest(reward=reward):
                self.failed(why, reward=lambda self, context, arm, mean, rng: reward)
        for theta, why in ((1.0, "theta has shape"), (numpy.full(3, numpy.nan), "number 0 of theta is nan"),
                           ("x", "theta: expected numbers")):
            with self.subTest(theta=theta):
                self.failed(why, theta=lambda self: theta)

    def test_ctrl_c_in_an_environment(self):
        def means(self, context):
            raise KeyboardInterrupt

        with self.assertWarnsRegex(sotto.Stopped, "0 of 2 runs are finished"):
            rows = sotto.simulate("sotto", environment=changed(means=means), **SMALL)
        self.assertEqual(0, len(rows))


if __name__ == "__main__":
    unittest.main(warnings="error")
