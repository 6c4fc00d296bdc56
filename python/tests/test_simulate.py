"""sotto.simulate: the rows of the command line, bit by bit; bad arguments; progress, Ctrl-C and what is kept."""

import io
import math
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import types
import unittest
import warnings
from unittest import mock

import numpy
import pandas

import sotto
from sotto import _progress

SOTTO = os.environ["SOTTO"]
HEAR = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # also where signals were ignored
ROWS = ["method", "epsilon", "seed", "t", "regret", "estimation_error"]
SMALL = {"dim": 3, "arms": 3, "horizon": 300, "seeds": 2}


def option(name, value):
    if value is True:
        return [f"--{name}"]
    words = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return [f"--{name}", words]


def printed(*more, **settings):
    words = [word for name, value in settings.items() for word in option(name.replace("_", "-"), value)]
    ran = subprocess.run([SOTTO, "simulate", "--quiet", "--csv", *words, *more], check=False, capture_output=True,
                         text=True)
    if ran.returncode != 0:
        raise AssertionError(ran.stderr)
    return pandas.read_csv(io.StringIO(ran.stdout), float_precision="round_trip",
                           dtype={"epsilon": float, "regret": float, "estimation_error": float})


def same(test, expected, found):
    """The same bits; read_csv knows no difference between nan and nan."""
    pandas.testing.assert_frame_equal(expected, found, check_exact=True)
    test.assertEqual(list(expected.columns), list(found.columns))
    for name in ("regret", "estimation_error", "epsilon"):
        there = expected[name].notna()
        test.assertEqual(expected[name][there].to_numpy().tobytes(), found[name][there].to_numpy().tobytes(), name)


class SameAsTheCommandLine(unittest.TestCase):
    def check(self, **settings):
        settings = {"method": "sotto", **SMALL, **settings}
        with self.subTest(**settings):
            expected = printed(**settings)
            self.assertGreater(len(expected), 0)
            same(self, expected, sotto.simulate(**settings, threads=2))

    def test_every_method(self):
        self.check(method="sotto,sotto-ols,ldp-sgd,ldp-ols,ldp-ucb,ols,linucb,sgd,random,oracle", epsilon=[0.5, 1, 2])
        self.check(method="sotto,ldp-gloc,glm,glm-ucb,sgd", link="logit", epsilon=2)

    def test_links_parameters_and_rewards(self):
        for link in ("logit", "probit", "log"):
            self.check(method="sotto,glm", link=link)
        self.check(method="sotto,ldp-sgd,ldp-ols,ols", parameters="per-arm", warmup=50)
        self.check(reward_kind="binary", reward_rate=0.2)
        self.check(reward_range=(-1.25, 1.5), noise=0.3)
        self.check(method="sotto", parameters="per-arm", score="self", mean_phase=40, prior_variance=0.25)

    def test_environments(self):
        for environment in ("ball", "gaussian", "anisotropic"):
            self.check(method="sotto,ols", environment=environment)
        self.check(environment="margin", arms=2, margin=0.5)
        self.check(environment="drift", drift=0.001, window=100)
        self.check(context_norm_max=0.7, theta_norm_max=2, theta_norm=1.5, reward_range=(-2, 2))

    def test_loan(self):
        rows = sotto.simulate("sotto", environment="loan", horizon=100, seeds=1)
        same(self, printed(method="sotto", environment="loan", horizon=100, seeds=1), rows)
        rows = sotto.simulate("sotto,glm", environment="loan", horizon=100, seeds=1, revenue=True)
        same(self, printed(method="sotto,glm", environment="loan", horizon=100, seeds=1, revenue=True), rows)

    def test_scores_and_splits(self):
        for score in ("sign", "self", "huber:0.5"):
            self.check(score=score)
        self.check(link="log", score="centred")
        for split in ("joint", "per-arm"):
            self.check(method="ldp-sgd", parameters="per-arm", split=split, warmup=30)
        self.check(method="ldp-sgd", parameters="per-arm", split="paper", calibration="paper", warmup=30)

    def test_calibrations(self):
        self.check(method="ldp-sgd,ldp-ols,ldp-ucb", calibration="paper")
        self.check(method="ldp-sgd,ldp-ols,ldp-ucb", calibration="published")
        self.check(method="ldp-ols", calibration="published", correct=["regulariser", "noise"])
        self.check(method="ldp-ucb", calibration="published", environment="sphere", step="1/sqrt")

    def test_epochs_delay_lies_and_measure_rounds(self):
        for epoch in (1, 10, "auto", "growth:0.1"):
            self.check(method="sotto,ldp-ols,ols", epoch=epoch)
        self.check(epoch=10, lag=2, window=100)
        self.check(method="sotto,ols", delay="3,2,20")
        self.check(method="sotto,ldp-ols", delay="3,2,20", epoch_seconds_min=0, lag=3, epoch=10)
        same(self, sotto.simulate("sotto", delay=(3, 2, 20), **SMALL), sotto.simulate("sotto", delay="3,2,20", **SMALL))
        self.check(window="none")
        self.check(liars=0.1, grind=4)
        self.check(method="sotto,ldp-sgd", measure=0.1)
        for fallback in ("random", "none", 0, 2):
            self.check(measure=0.5, fallback=fallback, delay="3,2,20")
        for bad, why in (("rando", "fallback = 'rando': allowed 'none', 'random', or"), (-1, "fallback = -1"),
                         (3, "fallback = 3: allowed arms 0 to 2, random, none"), (1.5, "fallback = 1.5")):
            with self.subTest(fallback=bad), self.assertRaisesRegex(sotto.FaultError, why):
                sotto.simulate("sotto", **{**SMALL, "arms": 3}, measure=0.5, fallback=bad)
        with self.assertRaisesRegex(sotto.FaultError, "fallback = 1: allowed only none while measure is 0"):
            sotto.simulate("sotto", **SMALL, fallback=1)
        with self.assertRaisesRegex(sotto.FaultError, "lag = 2: the first epoch has 200 reports"):
            sotto.simulate("sotto", **{**SMALL, "horizon": 600}, lag=2, epoch=200)

    def test_how_methods_learn(self):
        self.check(method="ldp-sgd", step="1/sqrt")
        self.check(method="ldp-sgd", eta0=2, alpha=0.05)
        self.check(method="ldp-ols", shift_scale=0.5, noise_law="laplace")
        self.check(method="ldp-ols", exact_noise=True, horizon=50)
        self.check(method="ldp-ols", delta=1e-5, allow_weak_delta=True)
        self.check(method="sotto,ldp-ols", unknown_horizon=True)
        same(self, printed(method="ldp-sgd", parameters="per-arm", elimination="inf", warmup=40, **SMALL),
             sotto.simulate("ldp-sgd", parameters="per-arm", elimination=float("inf"), warmup=40, **SMALL))

    def test_seeds_checkpoints_and_epsilons(self):
        self.check(checkpoints=[7, 100, 299])
        self.check(checkpoints=[300], first_seed=12345, seeds=3)
        self.check(first_seed=0, seeds=1)
        self.check(first_seed=2**53 - 5, seeds=3)
        self.check(epsilon=[0.1, 1 / 3, 8])
        self.check(horizon=1)

    def test_arguments_as_python_writes_them(self):
        expected = sotto.simulate("sotto,ols", epsilon=[1, 2], checkpoints=[10, 300], **SMALL)
        found = sotto.simulate(["sotto", "ols"], epsilon=numpy.array([1.0, 2.0]), checkpoints=numpy.array([10]),
                               dim=numpy.int32(3), arms=3.0, horizon=3e2, seeds=numpy.uint8(2), threads=1)
        same(self, expected, found)
        same(self, expected, sotto.simulate("sotto, ols", epsilon=(1, 2), checkpoints=10, **SMALL))

    def test_a_seed_above_what_is_signed(self):
        rows = sotto.simulate("sotto", first_seed=2**63, **SMALL)
        self.assertEqual([2**63, 2**63 + 1], sorted(set(rows["seed"])))
        same(self, rows, sotto.simulate("sotto", first_seed=2**63, keep=rows, **SMALL))


class BadArguments(unittest.TestCase):
    def test_what_is_wrong_is_said_in_words_of_python(self):
        for bad, why in (
                ({"method": "soto"}, "method = 'soto': allowed sotto, .*; did you mean 'sotto'?"),
                ({"method": ""}, "method = '': a value is missing"), ({"method": "sotto,"}, "a value is missing"),
                ({"method": []}, "method: a list needs at least one value"),
                ({"method": "sotto,sotto"}, r"method\[1\] = sotto: each method may be given only once"),
                ({"dim": -1}, "dim = -1: allowed 1 to 1024"), ({"arms": 1}, "arms = 1: allowed 2 to 1024"),
                ({"horizon": 1e30}, "horizon = 1000000000000000019884624838656: allowed 1 to 1000000000000$"),
                ({"epsilon": 10**400}, "epsilon is a number beyond the range of float"),
                ({"method": {"name": "x"}}, "method = {'name': 'x'}: expected a name"),
                ({"environment": {"name": "x"}}, "environment = {'name': 'x'}: expected a name"),
                ({"method": b"ols"}, "method = b'ols': expected a name"),
                ({"method": [3]}, "method = 3: expected a name, or a class or an object of sotto.Method"),
                ({"method": int}, "expected a name, or a class"), ({"method": None}, "method = None: expected a name"),
                ({"environment": "spere"}, "environment = 'spere': allowed sphere, .*did you mean 'sphere'"),
                ({"environment": 5}, "environment = 5: expected a name"),
                ({"dim": 0}, "dim = 0: allowed 1 to"), ({"dim": -1}, "dim = -1: allowed"),
            ({"dim": "3"}, "dim = '3': expected a whole"),
                ({"dim": None}, "dim: it is needed"), ({"arms": None}, "arms: it is needed"),
            ({"horizon": None}, "horizon: it is needed"),
                ({"horizon": 0}, "horizon = 0: allowed 1 to"), ({"horizon": 1.5}, "horizon = 1.5: expected a whole"),
                ({"horizon": float("nan")}, "horizon = nan: expected a whole"),
            ({"horizon": 10**13}, "horizon = 10000000000000: allowed"),
                ({"epsilon": 0}, "epsilon = 0: allowed 0.01 to 8"),
            ({"epsilon": "1"}, "epsilon = '1': expected a number"),
                ({"epsilon": [1, 1]}, "epsilon = 1: each value"), ({"epsilon": []}, "epsilon: a list needs"),
                ({"epsilon": numpy.nan}, "epsilon = nan"), ({"epsilon": None}, "epsilon = None: expected a number"),
                ({"seeds": 0}, "seeds = 0: allowed 1 to"), ({"seeds": 2**32}, "seeds = 4294967296: allowed 1 to"),
                ({"first_seed": -1}, "first_seed = -1: allowed"),
            ({"first_seed": 2**64}, "first_seed = 18446744073709551616: allowed"),
                ({"first_seed": 2**64 - 1}, "first_seed = 18446744073709551615: allowed 0 to"),
            ({"seeds": True}, "seeds = True: expected"),
                ({"threads": 0}, "threads = 0: allowed 1 to 1024"), ({"threads": 5000}, "threads = 5000: allowed"),
                ({"link": "logitt"}, "link = 'logitt': allowed identity, .*did you mean 'logit'"),
                ({"method": "ols", "link": "logit"}, "method ols: link = logit: method ols needs the identity link"),
                ({"parameters": "each"}, "parameters = 'each': allowed shared, per-arm"),
                ({"score": "huber"}, "score = 'huber': allowed 'sign'"),
            ({"score": "huber:x"}, "score = 'huber:x': allowed"),
                ({"score": "huber:-1"}, "score huber:TAU = -1: allowed"), ({"score": 1}, "score = 1: allowed"),
                ({"split": "no"}, "split = 'no': allowed 'joint', 'per-arm', 'paper'"),
            ({"split": "paper"}, "split = 'paper': only with"),
                ({"epoch": 0}, "epoch = 0: allowed 1 to"), ({"epoch": "often"}, "epoch = 'often': allowed 'auto'"),
                ({"epoch": "growth:2"}, "epoch = 'growth:2': allowed"),
            ({"lag": 99, "epoch": 10}, "lag = 99: allowed 0 to"),
                ({"lag": "x"}, "lag = 'x': expected a whole"), ({"window": -3}, "window = -3: allowed 0 to"),
                ({"delay": (1, 2)}, "delay = .*: expected window and spread"),
                ({"delay": (-1, 2, 3)}, "delay = -1: allowed 0 to 31536000"), ({"delay": (1, 2, 0)}, "allowed 1e-06 to"),
                ({"delay": (1, float("nan"), 3)}, "delay = nan: expected"), ({"delay": (1, 2, "x")}, "delay = 'x': exp"),
                ({"delay": "1,2,x"}, "delay"), ({"delay": (0, 3600, 1)}, "delay = 0,3600,1: window and spread last"),
                ({"epoch_seconds_min": 5}, "epoch_seconds_min: only with delay"),
                ({"measure": 0.7}, "measure = 0.7: allowed 0, or 0.001 to 0.5"),
            ({"measure": 1e-9}, "measure = 1e-09: allowed"),
                ({"liars": 2}, "liars = 2: allowed 0 to 0.5"), ({"grind": 0}, "grind = 0: allowed 1 to"),
                ({"warmup": 5}, "warmup = 5: only per-arm parameters warm up"), ({"alpha": 2}, "alpha = 2: allowed"),
                ({"alpha": "x"}, "alpha = 'x': expected a number"),
            ({"eta0": -1, "method": "ldp-sgd"}, "eta0 = -1: allowed"),
                ({"elimination": -1, "method": "ldp-ols"}, "elimination = -1: allowed"),
                ({"noise": -1}, "noise = -1: allowed"),
                ({"noise": numpy.nan}, "noise = nan: expected"),
            ({"reward_range": (1, 0)}, "reward_range = 1, 0: the first must be"),
                ({"reward_range": 1}, "reward_range has shape"),
            ({"reward_range": (0, numpy.inf)}, r"reward_range\[1\] = inf"),
                ({"checkpoints": [0]}, "checkpoints = 0: allowed 1 to 300"),
            ({"checkpoints": [301]}, "checkpoints = 301: allowed"),
                ({"checkpoints": [5, 5]}, "checkpoints = 5: they must increase"),
            ({"checkpoints": ["5"]}, "expected a whole"),
                ({"checkpoints": range(1, 10000), "horizon": 10**6}, "checkpoints = 10000: allowed 1 to 4096"),
                ({"calibration": "ours"}, "calibration = 'ours': allowed exact, paper, published"),
                ({"correct": "noise"}, "correct = noise: only under calibration published"),
                ({"correct": "noisy", "calibration": "published"}, "correct = 'noisy': allowed .*did you mean 'noise'"),
                ({"correct": "noise,noise", "calibration": "published"}, "only once"),
                ({"revenue": 1}, "revenue = 1: expected True or False"),
            ({"exact_noise": "yes"}, "exact_noise = 'yes': expected True"),
                ({"delta": 0.9, "method": "ldp-ols"}, "delta = 0.9: allowed"),
            ({"delta": None}, "delta = None: expected a number"),
                ({"progress": "yes"}, "progress = 'yes': expected True, False, None, or a function"),
                ({"keep": 5}, "keep: expected a frame of sotto.simulate"),
                ({"keep": pandas.DataFrame({"t": [1]})}, "keep: expected a frame of sotto.simulate"),
                ({"keep": pandas.DataFrame({name: ["1"] for name in ROWS}, dtype=object)},
                 "epsilon: expected numbers, not object")):
            with self.subTest(**{name: repr(value) for name, value in bad.items()}):
                with self.assertRaisesRegex(sotto.FaultError, why) as caught:
                    sotto.simulate(**{"method": "sotto", **SMALL, **bad})
                self.assertNotIn("--", str(caught.exception))

    def test_an_argument_that_does_not_exist(self):
        with self.assertRaisesRegex(TypeError, "epsilom"):
            sotto.simulate(epsilom=1, **SMALL)


class Progress(unittest.TestCase):
    def test_a_function_hears_how_far_it_is(self):
        heard = []
        sotto.simulate("sotto", progress=lambda *now: heard.append(now), **SMALL)
        self.assertEqual((600, 600), heard[-1])
        heard.clear()
        sotto.simulate("sotto", dim=5, arms=5, horizon=3e5, seeds=1, progress=lambda *now: heard.append(now))
        self.assertGreater(len(heard), 1)
        self.assertEqual(sorted(heard), heard)
        self.assertEqual((300000, 300000), heard[-1])

    def test_what_it_raises_comes_out(self):
        class Mine(Exception):
            pass

        def bad(done, total):
            heard.append(done)
            if len(heard) == 1:
                raise Mine("enough")

        for horizon in (100, 10**8):
            began, heard = time.monotonic(), []
            with self.assertRaisesRegex(Mine, "enough"):
                sotto.simulate("sotto", dim=5, arms=5, horizon=horizon, seeds=1, progress=bad)
            self.assertLess(time.monotonic() - began, 60)

    def test_a_bar_is_drawn_if_it_is_asked_for_or_somebody_looks(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        for stream, progress, drawn in ((io.StringIO(), True, True), (io.StringIO(), None, False),
                                        (Terminal(), None, True), (Terminal(), False, False)):
            with mock.patch("sys.stderr", stream):
                sotto.simulate("sotto", progress=progress, **SMALL)
            self.assertEqual(drawn, "100 %  600 of 600 rounds" in stream.getvalue(), stream.getvalue())
            self.assertEqual(drawn, stream.getvalue().endswith("\n"))

    def test_a_notebook_has_one_line_that_is_rewritten(self):
        shown, updated = [], []

        def display(what, raw, display_id):
            shown.append((what, raw, display_id))
            return types.SimpleNamespace(update=lambda what, raw: updated.append(what))

        shell = types.ModuleType("IPython")
        shell.get_ipython = lambda: types.SimpleNamespace(kernel=1)
        parts = types.ModuleType("IPython.display")
        parts.display = display
        with mock.patch.dict(sys.modules, {"IPython": shell, "IPython.display": parts}):
            bar = _progress.shown_by(None)
            bar(1, 4)
            bar(4, 4)
            bar.end()
        self.assertEqual(1, len(shown))
        self.assertIn("25 %", shown[0][0]["text/plain"])
        self.assertIn("100 %", updated[0]["text/plain"])
        shell.get_ipython = lambda: None
        with mock.patch.dict(sys.modules, {"IPython": shell}), mock.patch("sys.stderr", io.StringIO()):
            self.assertIsNone(_progress.shown_by(None))


class Stopping(unittest.TestCase):
    LONG = {"method": "sotto,ols", "dim": 3, "arms": 3, "horizon": 20000, "seeds": 12, "threads": 1,
            "checkpoints": [10, 1000]}

    def stopped(self, **more):
        def interrupt(done, total):
            if done > 3 * self.LONG["horizon"]:
                raise KeyboardInterrupt

        with self.assertWarnsRegex(sotto.Stopped, r"stopped: \d+ of 36 runs are finished; simulate\(..., keep=FRAME\)"):
            return sotto.simulate(**{**self.LONG, **more}, progress=interrupt)

    def test_ctrl_c_keeps_what_is_finished_and_keep_goes_on_from_there(self):
        whole = sotto.simulate(**self.LONG)
        self.assertTrue(whole.attrs["complete"])
        some = self.stopped()
        self.assertFalse(some.attrs["complete"])
        self.assertTrue(0 < len(some) < len(whole), len(some))
        keys = ["method", "epsilon", "seed", "t"]
        same(self, some, whole.merge(some[keys], on=keys))
        heard = []
        rest = sotto.simulate(**self.LONG, keep=some, progress=lambda *now: heard.append(now))
        same(self, whole, rest)
        self.assertTrue(rest.attrs["complete"])
        self.assertGreaterEqual(heard[0][0], len(some) // 3 * 20000)
        heard.clear()
        same(self, whole, sotto.simulate(**self.LONG, keep=rest, progress=lambda *now: heard.append(now)))
        self.assertEqual({(720000, 720000)}, set(heard))

    def test_best_arm_that_was_played_along_is_not_taken_for_one_that_was_asked_for(self):
        along = sotto.simulate("sotto,ols", **SMALL)  # by the rule, not after every report
        asked = sotto.simulate("sotto,best-arm", **SMALL)
        self.assertEqual(["sotto", "ols", "best-arm"], list(dict.fromkeys(along["method"])))
        same(self, asked, sotto.simulate("sotto,best-arm", **SMALL, keep=along))
        same(self, along, sotto.simulate("sotto,ols", **SMALL, keep=asked))

    def test_runs_that_are_not_whole_are_played_again(self):
        small = {"method": "sotto", **SMALL, "seeds": 4}
        whole = sotto.simulate(**small)
        same(self, whole, sotto.simulate(**small, keep=whole.head(len(whole) // 2 + 1)))
        same(self, whole, sotto.simulate(**small, keep=whole.head(0)))

    def test_more_seeds_methods_and_epsilons_beside_what_is_kept(self):
        first = sotto.simulate("sotto", **SMALL)
        more = {**SMALL, "seeds": 5, "first_seed": 0, "epsilon": [0.5, 1]}
        same(self, sotto.simulate("ols,sotto", **more), sotto.simulate("ols,sotto", keep=first, **more))

    def test_rows_of_other_settings_are_refused(self):
        first = sotto.simulate("sotto", **SMALL)
        for other, why in (({"dim": 4}, "keep: its rows are of dim = 3, and this is 4"),
                           ({"link": "logit"}, "link = 'identity', and this is 'logit'"),
                           ({"noise": 0.2}, "noise = None, and this is 0.2"),
                           ({"environment": "ball"}, "environment = 'sphere'"),
                           ({"checkpoints": [5]}, r"checkpoints = \[1, 2, 5, .*, and this is \[5, 300\]")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                sotto.simulate("sotto", **{**SMALL, **other}, keep=first)
        same(self, first, sotto.simulate(["sotto"], **SMALL, link="identity", environment="sphere", threads=1,
                                         keep=first, checkpoints=[1, 2, 5, 10, 20, 50, 100, 200, 300]))
        unknown = pandas.DataFrame(first.to_dict("list"))
        with self.assertRaisesRegex(sotto.FaultError, "the settings of these rows are not known"):
            sotto.simulate("sotto", **SMALL, keep=unknown)

    def test_kept_rows_that_no_run_gave_are_refused(self):
        kept = sotto.simulate("ols", dim=2, arms=3, horizon=100, seeds=2)
        for bad, why in ((kept.assign(regret=math.nan), "regret has values that are not finite"),
                         (kept.assign(regret=math.inf), "regret has values that are not finite"),
                         (kept.astype({"regret": "f4"}), "column regret is float32: expected float64"),
                         (kept.assign(t=kept.t + 0.5), "t = 1.5: expected whole numbers from 1 on"),
                         (kept.assign(seed=math.nan), "column seed has missing values")):
            with self.subTest(why=why), self.assertRaisesRegex(sotto.FaultError, f"keep: .*{why}"):
                sotto.simulate("ols", dim=2, arms=3, horizon=100, seeds=2, keep=bad)

    def test_what_rows_are_known_by_can_be_written_down(self):
        rows = sotto.simulate("sotto", **SMALL, epsilon=numpy.array([1.0]), reward_range=(numpy.float32(-1), 1))
        again = json.loads(json.dumps(rows.attrs))
        self.assertEqual(rows.attrs, again)
        rows.attrs = again
        same(self, rows, sotto.simulate("sotto", **SMALL, epsilon=1, reward_range=[-1, 1], keep=rows))

    def test_rows_that_are_finished_are_not_lost_by_impatience(self):
        frame = sotto._simulate.Sweep.frame

        def impatient(sweep):
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGINT)
            return frame(sweep)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with mock.patch.object(sotto._simulate.Sweep, "frame", impatient):
                rows = sotto.simulate("sotto", **SMALL)
        finally:
            signal.signal(signal.SIGINT, before)
        same(self, sotto.simulate("sotto", **SMALL), rows)

    def test_a_real_signal(self):
        script = (HEAR + "import sys, warnings, sotto\n"
                  "warnings.simplefilter('always')\n"
                  "def go(done, total, said=[]):\n"
                  "    if done > 50000 and not said: said.append(print('go', flush=True))\n"
                  "rows = sotto.simulate('sotto', dim=3, arms=3, horizon=1000, seeds=1000000, threads=2, progress=go)\n"
                  "print(len(rows) > 0, rows.attrs['complete'], len(set(rows['seed'])) * 10 == len(rows), flush=True)\n"
                  "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)")
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True)
        self.assertEqual("go\n", child.stdout.readline())
        child.send_signal(signal.SIGINT)
        out, error = child.communicate(timeout=300)
        self.assertEqual("True False True\nTrue\n", out, error)
        self.assertIn("Stopped: stopped: ", error)


def _in_child(queue):
    queue.put(sotto.simulate("sotto", **SMALL).to_numpy().tolist())


class ForksAndThreads(unittest.TestCase):
    def test_a_forked_child(self):
        expected = sotto.simulate("sotto", **SMALL)
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=_in_child, args=(queue,))
        child.start()
        found = queue.get(timeout=120)
        child.join()
        self.assertEqual(expected.to_numpy().tolist(), found)

    def test_two_threads_at_once(self):
        settings = {"dim": 4, "arms": 3, "horizon": 20000, "seeds": 4}
        expected = {name: sotto.simulate(name, **settings) for name in ("sotto", "ols", "ldp-sgd")}
        found = {}
        workers = [threading.Thread(target=lambda name=name: found.update({name: sotto.simulate(name, **settings)}))
                   for name in expected]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for name, rows in expected.items():
            same(self, rows, found[name])


if __name__ == "__main__":
    unittest.main()
