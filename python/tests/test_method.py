"""sotto.Method: a method of one's own beside ours; the same bits as in C; all that can go wrong."""

import gc
import itertools
import math
import os
import signal
import subprocess
import sys
import unittest
import warnings
import weakref

import numpy
import pandas

import sotto

SOTTO = os.environ["SOTTO"]
SOURCE = os.environ["SOURCE"]
BUILD = os.environ["BUILD"]
HEAR = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # also where signals were ignored
SMALL = {"dim": 3, "arms": 4, "horizon": 300, "seeds": 2}


def best(context, direction):
    """The first arm that points that way, with sums in the order of the C examples."""
    values = []
    for row in context.tolist():
        value = 0.0
        for x, y in zip(row, direction):
            value += x * y
        values.append(value)
    return values.index(max(values))


class Coin(sotto.Method):
    """examples/plugin_coin.c."""

    name = "coin"
    claims_privacy = True

    def begin(self, problem, epsilon, delta, rng):
        if problem.parameters != "shared":
            raise ValueError("only shared parameters")
        self.dim = problem.dim
        self.bias = math.tanh(epsilon / 2)
        self.scale = problem.context_norm_max * max(abs(problem.reward_lo), abs(problem.reward_hi))
        self.sum = [0.0] * problem.dim

    def decide(self, context, rng):
        return best(context, self.sum)

    def report(self, context, arm, reward, rng):
        j = int(rng.uniform() * self.dim)
        v = max(-1.0, min(1.0, reward * float(context[arm, j]) / self.scale))
        return bytes((j & 255, j >> 8, rng.uniform() < (1 + v * self.bias) / 2))

    def learn(self, report):
        self.sum[report[0] + 256 * report[1]] += 1 if report[2] else -1


class Counted(Coin):
    """Knows how many of its objects there are at once."""

    name = "counted"
    there, most = weakref.WeakSet(), 0

    def begin(self, problem, epsilon, delta, rng):
        super().begin(problem, epsilon, delta, rng)
        Counted.there.add(self)
        Counted.most = max(Counted.most, len(Counted.there))


class Noisy(sotto.Method):
    """examples/06_own_method.c."""

    name = "noisy"
    claims_privacy = True

    def begin(self, problem, epsilon, delta, rng):
        reward = max(abs(problem.reward_lo), abs(problem.reward_hi))
        self.scale = 2 * reward * problem.context_norm_max * math.sqrt(problem.dim) / epsilon
        self.sum = numpy.zeros(problem.dim)

    def decide(self, context, rng):
        return best(context, self.sum.tolist())

    def report(self, context, arm, reward, rng):
        found = []
        for x, u in zip(context[arm].tolist(), (rng.uniform(len(self.sum)) - 0.5).tolist()):
            found.append(reward * x - math.copysign(self.scale * math.log(1 - 2 * abs(u)), u))
        return numpy.array(found)

    def learn(self, report):
        self.sum += report


class Plain(sotto.Method):
    """Does nothing; tests change one of its functions."""

    def decide(self, context, rng):
        return 0

    def report(self, context, arm, reward, rng):
        return b""

    def learn(self, report):
        pass


def changed(**functions):
    return type("Changed", (Plain,), functions)


class TheSameAsInC(unittest.TestCase):
    def setUp(self):
        self.directory = os.path.join(BUILD, "python")

    def test_a_port_of_the_coin_gives_the_rows_of_the_plug_in(self):
        plugin = os.path.join(self.directory, "coin.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-ffp-contract=off",
                        f"-I{SOURCE}/include", f"{SOURCE}/examples/plugin_coin.c", "-o", plugin, "-lm"], check=True)
        printed = subprocess.run([SOTTO, "simulate", "--method", f"sotto,{plugin},ols", "--dim", "3", "--arms", "4",
                                  "--horizon", "1000", "--seeds", "3", "--epsilon", "0.5,2", "--quiet", "--csv"],
                                 check=True, capture_output=True, text=True).stdout
        rows = sotto.simulate(["sotto", Coin, "ols"], dim=3, arms=4, horizon=1000, seeds=3, epsilon=[0.5, 2], threads=2)
        ours = rows.to_csv(index=False, float_format="%.17g", na_rep="nan").splitlines()
        found = [line.split(",") for line in printed.splitlines()]
        self.assertEqual(len(found), len(ours))
        for expected, line in zip(found[1:], (line.split(",") for line in ours[1:])):
            self.assertEqual([expected[0], *map(float, expected[1:5])], [line[0], *map(float, line[1:5])])

    def test_a_port_of_an_example_gives_its_numbers(self):
        program = os.path.join(self.directory, "own_method")
        prefix = os.path.join(self.directory, "prefix")
        flags = subprocess.run(["pkg-config", "--static", "--cflags", "--libs", "sotto-lab"], check=True,
                               capture_output=True, text=True,
                               env=dict(os.environ, PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig")).stdout.split()
        with open(f"{SOURCE}/examples/06_own_method.c", encoding="utf-8") as file:
            source = file.read().replace("HORIZON = 20000", "HORIZON = 2000").replace("%7.1f", "%.17g")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-ffp-contract=off", "-x", "c", "-", "-o", program, "-x",
                        "none", *flags, f"-Wl,-rpath,{prefix}/lib"], check=True, input=source, text=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        expected = {line.split()[0]: float(line.split()[2]) for line in printed.splitlines()}
        rows = sotto.simulate(["sotto", "ldp-sgd", "random", Noisy], dim=3, arms=4, horizon=2000, seeds=3)
        last = rows[rows["t"] == 2000]
        found = {name: sum(last[last["method"] == name]["regret"].tolist()) / 3 for name in expected}
        self.assertEqual(expected, found)


class TheSamePeople(unittest.TestCase):
    def test_ours_are_not_moved_by_a_method_of_ones_own(self):
        alone = sotto.simulate("sotto,ols", **SMALL)
        beside = sotto.simulate([Coin, "sotto", Noisy, "ols"], **SMALL)
        ours = beside[beside["method"].isin(["sotto", "ols", "best-arm"])].reset_index(drop=True)
        pandas.testing.assert_frame_equal(alone, ours, check_exact=True)

    def test_all_meet_the_same_contexts_and_get_the_same_luck(self):
        seen = {}

        class Watch(Plain):
            def __init__(self, name, arm):
                self.name, self.arm, self.people = name, arm, []

            def decide(self, context, rng):
                rng.normal(self.arm)  # a method's draws are its own
                self.people.append(context)
                seen[self.name] = self.people
                return self.arm

            def report(self, context, arm, reward, rng):
                self.people.append(reward if self.arm == arm else None)
                return b""

        sotto.simulate([Watch("first", 1), Watch("second", 1), Watch("third", 2)], dim=3, arms=4, horizon=50, seeds=1,
                       threads=1)
        self.assertEqual(100, len(seen["first"]))
        for one, two, three in zip(*(seen[name] for name in ("first", "second", "third"))):
            numpy.testing.assert_array_equal(one, two)
            if isinstance(one, numpy.ndarray):
                numpy.testing.assert_array_equal(one, three)

    def test_threads_change_nothing_and_each_run_has_its_own_object(self):
        one = sotto.simulate([Coin, Noisy], **SMALL, threads=1)
        for threads in (2, 8):
            pandas.testing.assert_frame_equal(one, sotto.simulate([Coin, Noisy], **SMALL, threads=threads),
                                              check_exact=True)

    def test_the_object_of_a_run_is_gone_when_the_run_is_over(self):
        sotto.simulate(Counted, dim=2, arms=2, horizon=2, seeds=50, threads=1)
        self.assertLessEqual(Counted.most, 2)

    def test_an_object_stands_for_all_runs_and_is_not_changed(self):
        noisy = Noisy()
        pandas.testing.assert_frame_equal(sotto.simulate(Noisy, **SMALL), sotto.simulate(noisy, **SMALL))
        self.assertFalse(hasattr(noisy, "sum"))


class WhatIsHandedOver(unittest.TestCase):
    def test_the_problem(self):
        told = []
        watch = changed(begin=lambda self, problem, epsilon, delta, rng: told.append((problem, epsilon, delta)))
        sotto.simulate(watch, dim=2, arms=3, horizon=10, seeds=1, epsilon=0.5)
        problem, epsilon, delta = told.pop()
        self.assertEqual((2, 3, "shared", "identity", "continuous", (3, 2), (2,), 10, None, 0.5, 1e-6),
                         (problem.dim, problem.arms, problem.parameters, problem.link, problem.reward_kind,
                          problem.context_shape, problem.theta_shape, problem.horizon, problem.worth, epsilon, delta))
        sotto.simulate(watch, dim=2, arms=3, horizon=10, seeds=1, parameters="per-arm", unknown_horizon=True)
        problem = told.pop()[0]
        self.assertEqual(((2,), (3, 2), None), (problem.context_shape, problem.theta_shape, problem.horizon))
        sotto.simulate(watch, environment="loan", revenue=True, horizon=10, seeds=1)
        self.assertEqual((25,), told.pop()[0].worth.shape)

    def test_contexts_cannot_be_written_to_and_can_be_kept(self):
        kept = []

        def decide(self, context, rng):
            kept.append(context)
            context[0] = 1
            return 0

        with self.assertRaisesRegex(sotto.GuestError, "decide raised ValueError: .*read-only"):
            sotto.simulate(changed(decide=decide), **SMALL)
        self.assertTrue(numpy.isfinite(kept[0]).all())

    def test_reports_come_back_as_they_were(self):
        got = []
        for report in (b"", b"\0abc", bytearray(b"xyz"), memoryview(b"12"), numpy.array([1.5, -0.0]),
                       numpy.arange(3, dtype="f4"), numpy.arange(6.0)[::2], [1, 2.5], numpy.empty(0)):
            got.clear()
            sotto.simulate(changed(report=lambda self, *_: report, learn=lambda self, found: got.append(found)), dim=2,
                           arms=2, horizon=3, seeds=1)
            self.assertEqual(3, len(got))
            if isinstance(report, (bytes, bytearray, memoryview)):
                self.assertEqual((bytes, bytes(report)), (type(got[0]), got[0]))
            else:
                self.assertEqual((numpy.dtype("f8"), numpy.asarray(report, dtype="f8").tobytes()),
                                 (got[0].dtype, got[0].tobytes()))

    def test_the_estimate_has_a_column(self):
        rows = sotto.simulate(changed(estimate=lambda self: numpy.zeros(3)), **SMALL)
        numpy.testing.assert_allclose(1, rows["estimation_error"])  # theta* has length 1
        self.assertTrue(sotto.simulate(Plain, **SMALL)["estimation_error"].isna().all())
        self.assertTrue(sotto.simulate(changed(estimate=lambda self: None), **SMALL)["estimation_error"].isna().all())

    def test_chance_is_good_during_the_call_only(self):
        kept = []

        def decide(self, context, rng):
            kept.append(rng)
            numbers = [rng.bits(), rng.uniform(), rng.normal(), rng.uniform((2, 3)), rng.normal(4)]
            assert 0 <= numbers[0] < 2**64 and 0 < numbers[1] < 1 and numbers[3].shape == (2, 3)
            return 0

        sotto.simulate(changed(decide=decide), **SMALL)
        for draw in (kept[0].bits, kept[0].uniform, lambda: kept[0].normal(3)):
            with self.assertRaisesRegex(sotto.OrderError, "rng: it is valid during the call"):
                draw()

    def test_arrays_of_chance_are_the_numbers_one_by_one(self):
        drawn = {}

        def watch(name, draw):
            return type(name, (Plain,), {"begin": lambda self, problem, epsilon, delta,
                                         rng: drawn.update({name: draw(rng)})})

        sotto.simulate([watch("one", lambda rng: [rng.normal() for _ in range(6)] + [rng.uniform() for _ in range(6)]),
                        watch("all", lambda rng: [*rng.normal((2, 3)).ravel(), *rng.uniform(6)])], dim=2, arms=2,
                       horizon=1, seeds=1)
        self.assertEqual(drawn["one"], drawn["all"])


class Failing(unittest.TestCase):
    def failed(self, method, why, **more):
        with self.assertRaisesRegex(sotto.GuestError, why) as caught:
            sotto.simulate(method, **{**SMALL, **more})
        return caught.exception

    def test_what_is_raised_is_the_cause(self):
        class Mine(Exception):
            pass

        def bad(*_):
            raise Mine("no luck")

        for function in ("begin", "decide", "report", "learn", "estimate"):
            with self.subTest(function=function):
                exception = self.failed(changed(**{function: bad}),
                                        f"method Changed.*: .*{function} raised Mine: no luck.*, in the run of "
                                        "Changed at epsilon 1, seed 1; the rows of 2 of 2 seeds are missing")
                self.assertIsInstance(exception.__cause__, Mine)
        self.assertIsInstance(self.failed(type("Bad", (Plain,), {"__init__": bad}), "Mine: no luck").__cause__, Mine)

    def test_a_later_round_is_named(self):
        def learn(self, report):
            self.count = getattr(self, "count", 0) + 1
            if self.count == 17:
                raise ValueError("seventeen")

        self.failed(changed(learn=learn), "method Changed, round 17: learn raised ValueError: seventeen")

    def test_functions_that_are_missing(self):
        self.failed(type("Empty", (sotto.Method,), {}), "a method needs the function decide")

    def test_an_arm_that_is_none(self):
        for arm, why in ((4, "decide: arm = 4: allowed 0 to 3"), (-1, "decide: arm = -1: allowed 0 to 3"),
                         (2**40, "allowed 0 to 3"), (None, "decide: arm = None: expected a whole number"),
                         ("1", "expected a whole number"), (1.5, "expected a whole"), (True, "expected a whole"),
                         (float("nan"), "expected a whole"), (numpy.array([1, 2]), "expected a whole")):
            with self.subTest(arm=arm):
                self.failed(changed(decide=lambda self, context, rng: arm), why)
        for arm in (1, numpy.int64(1), numpy.uint8(3), 2.0):
            sotto.simulate(changed(decide=lambda self, context, rng: arm), **SMALL)

    def test_reports_that_are_none(self):
        for report, why in ((3.0, "report: float with 0 dimensions: expected bytes, or an array"),
                            (None, "report: NoneType with 0 dim"), ("text", "report: str with 0"),
                            (numpy.eye(2), "report: ndarray with 2 dimensions"),
                            ([1, None], "report: expected numbers, not object"), (["a"], "report: expected numbers"),
                            ([1j], "expected numbers"), ([1, float("nan")], r"report\[1\] = nan: expected finite"),
                            (b"x" * 4097, "report: 4097 bytes: allowed 0 to its own"),
                            (numpy.ones(513), "report: 4104 bytes: allowed 0 to its own report_bytes_max = 4096")):
            with self.subTest(report=repr(report)[:40]):
                self.failed(changed(report=lambda self, *_: report), why)
        sotto.simulate(changed(report=lambda self, *_: b"x" * 4097, report_bytes_max=5000), **SMALL)
        for room in (-1, 10**9, "many", None):
            self.failed(changed(report_bytes_max=room), "report_bytes_max = ")

    def test_estimates_that_are_none(self):
        for estimate, why in ((1.0, r"estimate has shape \(\): expected 3"), ([1, 2], "estimate has shape"),
                              ("abc", "expected numbers"), ([1, 2, float("nan")], "number 2 of its estimate is nan")):
            with self.subTest(estimate=estimate):
                self.failed(changed(estimate=lambda self: estimate), why)

    def test_others_keep_their_rows(self):
        def decide(self, context, rng):
            raise RuntimeError("not today")

        alone = sotto.simulate("sotto,random", **SMALL).query("method != 'random'").reset_index(drop=True)
        with self.assertWarnsRegex(sotto.GuestWarning,
                                   "method Changed, round 1: decide raised RuntimeError: not today, in the run of"):
            rows = sotto.simulate(["sotto", changed(decide=decide)], **SMALL, threads=2)
        pandas.testing.assert_frame_equal(alone, rows)
        self.assertFalse(rows.attrs["complete"])
        self.assertEqual([("Changed", 1.0, 1, 2)], [(one["method"], one["epsilon"], one["seed"], one["seeds_missing"])
                                                    for one in rows.attrs["failed"]])
        self.assertEqual(["sotto", "best-arm"], list(sotto.summary(rows)["method"]))
        again = sotto.simulate(["sotto", type("Changed", (Plain,), {})], **SMALL, keep=rows)
        self.assertTrue(again.attrs["complete"])

    def test_tables_that_are_refused(self):
        for bad, why in ((changed(name="sotto"), "its name \"sotto\" is that of a built-in one"),
                         (changed(name="a b"), "its name is \"a b\""), (changed(name="x" * 40), "its name is"),
                         (changed(version=5), "version = 5: expected a text"),
                         (changed(claims_privacy=1), "claims_privacy = 1: expected True or False"),
                         ([Plain, Plain], "each method may be given only once"),
                         ([Coin, object()], "expected a name, or a class")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                sotto.simulate(bad, **SMALL)

    def test_words_of_any_length_and_letter(self):
        def decide(self, context, rng):
            raise ValueError("\0ö" * 1000)

        exception = self.failed(changed(decide=decide), "ValueError:  ö ö ö")
        self.assertIsInstance(exception.__cause__, ValueError)

        class Speechless(Exception):
            def __str__(self):
                raise RuntimeError

        def learn(self, report):
            raise Speechless

        exception = self.failed(changed(learn=learn), "learn raised Speechless: it has no words")
        self.assertIsInstance(exception.__cause__, Speechless)

    def test_each_failure_has_its_own_cause(self):
        def bad(*_):
            raise LookupError("hidden")

        one = type("one", (Plain,), {"estimate": bad})
        other = type("one.more", (Plain,), {"decide": lambda self, context, rng: 9})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sotto.simulate(["random", one, other], **SMALL)
        words = sorted(str(warning.message) for warning in caught)
        self.assertIn("(estimate raised LookupError: hidden)", words[0])
        self.assertIn("method one.more, round 1: decide: arm = 9: allowed 0 to 3, in the run", words[1])


class Stopping(unittest.TestCase):
    def test_ctrl_c_in_a_method_keeps_what_is_finished(self):
        rounds = itertools.count(1)

        def learn(self, report):
            if next(rounds) == 700:
                raise KeyboardInterrupt

        with self.assertWarnsRegex(sotto.Stopped, "2 of 10 runs are finished"):
            rows = sotto.simulate(changed(learn=learn), **{**SMALL, "seeds": 10}, threads=1)
        self.assertEqual({1, 2}, set(rows["seed"]))
        whole = sotto.simulate(changed(), **{**SMALL, "seeds": 10})
        pandas.testing.assert_frame_equal(whole, sotto.simulate(changed(), **{**SMALL, "seeds": 10}, keep=rows))

    def test_rows_of_another_version_are_not_kept(self):
        rows = sotto.simulate(changed(version="1"), **SMALL)
        with self.assertRaisesRegex(sotto.FaultError, "keep: its rows are of another version of method Changed"):
            sotto.simulate(changed(version="2"), **SMALL, keep=rows)

    def interrupted(self, decide, *signals):
        """What a child prints whose method decides like that, after so many seconds between signals."""
        script = (HEAR + "import time, sotto\n"
                  "class Mine(sotto.Method):\n"
                  "    def decide(self, context, rng):\n"
                  "        print('here', flush=True)\n"
                  f"        {decide}\n"
                  "        return 0\n"
                  "    def report(self, *_): return b''\n"
                  "    def learn(self, report): pass\n"
                  "rows = sotto.simulate(['random', Mine], dim=2, arms=2, horizon=10000, seeds=3, threads=1)\n"
                  "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                  "print(sorted(set(rows['method'])), rows.attrs['complete'], rows.attrs['failed'])")
        child = subprocess.Popen([sys.executable, "-W", "always", "-c", script], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual("here\n", child.stdout.readline())
        for seconds in signals:
            child.send_signal(signal.SIGINT)
            try:
                out, error = child.communicate(timeout=seconds)
                break
            except subprocess.TimeoutExpired:
                pass
        else:
            child.kill()
            child.communicate()
            self.fail("it went on")
        self.assertIn("Stopped: stopped: 3 of 6 runs", error)
        return out.replace("here\n", "")

    def test_a_signal_while_answers_are_slow(self):
        self.assertEqual("['random'] False []\n", self.interrupted("time.sleep(0.05)", 30))

    def test_more_signals_while_an_answer_does_not_come(self):
        self.assertEqual("['random'] False []\n", self.interrupted("while True: pass", *[1] * 30))

    def test_nothing_is_held_when_a_sweep_is_over(self):
        alive = weakref.WeakSet()
        method = changed(begin=lambda self, *_: alive.add(self))
        sotto.simulate(method, **SMALL)
        gc.collect()
        self.assertEqual(0, len(alive))


if __name__ == "__main__":
    unittest.main(warnings="error")
