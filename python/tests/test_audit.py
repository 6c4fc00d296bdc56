"""Audits of names, commands and functions: the numbers of `sotto audit`, and what functions do wrong."""

import html
import json
import math
import os
import re
import signal
import subprocess
import threading
import time
import unittest

import numpy

import sotto

SOTTO = os.environ["SOTTO"]


def command_line(*words, code=0):
    ran = subprocess.run([SOTTO, "audit", *map(str, words), "--quiet"], check=False, capture_output=True, text=True,
                         env={**os.environ, "COLUMNS": "1000"})
    assert ran.returncode == code, ran.stderr
    return ran.stdout


def plain(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def laplace(scale):
    """A function of the lab's randomness: a seed gives the same audit every time."""
    def mechanism(x, rng):
        return numpy.clip(x, -1, 1) + scale * numpy.log(rng.uniform(1) / rng.uniform(1))
    return mechanism


class Interrupt:
    """Ctrl-C after a while, unless the block ends before."""

    def __init__(self, after=0.3):
        self.timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))

    def __enter__(self):
        self.timer.start()
        self.start = time.monotonic()
        return self

    def __exit__(self, *_):
        self.took = time.monotonic() - self.start
        self.timer.cancel()
        self.timer.join()


class Names(unittest.TestCase):
    def test_the_numbers_are_those_of_the_command_line(self):
        for name, words, options in (
                ("codebook", ["--codebook-size", 64, "--radius", 2], {"codebook_size": 64, "radius": 2}),
                ("l2ball", [], {}),
                ("privunit", [], {}), ("gaussian", ["--delta", 1e-5, "--allow-weak-delta"],
                                       {"delta": 1e-5, "allow_weak_delta": True}),
                ("laplace", ["--alpha", 0.02], {"alpha": 0.02})):
            with self.subTest(name=name):
                found = sotto.audit(name, dim=3, epsilon=1, trials=2000, seed=7, **options)
                printed = json.loads(command_line("--mechanism", name, "--dim", 3, "--epsilon", 1, "--trials", 2000,
                                                  "--seed", 7,
                                                  "--json", *words))
                for field in ("mechanism", "dim", "epsilon_claimed", "delta_claimed", "epsilon_lower", "confidence",
                              "trials",
                              "alpha", "pairs", "verdict", "seed"):
                    self.assertEqual(printed[field], getattr(found, field), field)
                self.assertEqual(printed["layers"], [{key: plain(row[key]) for key in printed["layers"][0]}
                                                     for row in found.layers])

    def test_it_prints_as_the_command_line_does(self):
        found = sotto.audit("laplace", dim=2, epsilon=1, trials=2000, seed=1)
        printed = command_line("--mechanism", "laplace", "--dim", 2, "--epsilon", 1, "--trials", 2000, "--seed", 1)
        without_time = [re.sub(r", [\d.]+ s\n", "\n", shown) for shown in (printed, f"{found}\n")]
        self.assertEqual(*without_time)
        self.assertIn(found.sentence, html.unescape(found._repr_html_()))
        self.assertIn(found.sentence, repr(found))
        self.assertEqual(len(found.layers), found._repr_html_().count("<td>ok</td>"))

    def test_rows_are_a_frame(self):
        found = sotto.audit("codebook", dim=2, epsilon=1, trials=500, seed=1)
        self.assertEqual(["layer", "name", "statistic", "bound", "p_value", "passed"], list(found.rows.columns))
        self.assertEqual(len(found.layers), len(found.rows))
        self.assertTrue(found.rows.passed.all())

    def test_without_a_seed_no_two_audits_are_the_same(self):
        one, other = (sotto.audit("privunit", dim=2, epsilon=1, trials=500) for _ in range(2))
        self.assertIsNone(one.seed)
        self.assertNotEqual([row["statistic"] for row in one.layers], [row["statistic"] for row in other.layers])

    def test_bad_arguments_are_refused(self):
        good = {"dim": 2, "epsilon": 1, "trials": 100}
        for mechanism, wrong, why in (
                ("laplac", {}, "did you mean 'laplace'"), (None, {}, "give a name"),
                (3, {}, "mechanism = 3: allowed codebook"),
                ("laplace", {"command": "cat"}, "give a name"), ("laplace", {"dim": 0}, "dim = 0: allowed 1"),
                ("laplace", {"dim": 2.5}, "dim = 2.5: expected a whole"),
                ("laplace", {"epsilon": 0}, "epsilon = 0: allowed"),
                ("laplace", {"epsilon": "1"}, "epsilon = '1': expected a number"),
                ("codebook", {"epsilon": 9}, "epsilon = 9"),
                ("gaussian", {"delta": 1e-3}, "delta = 0.001"), ("laplace", {"radius": 0}, "radius = 0"),
                ("codebook", {"codebook_size": 3}, "codebook_size = 3"),
                ("laplace", {"trials": 0}, "trials = 0: allowed 1"),
                ("laplace", {"alpha": 1e-6}, "alpha = 1e-06: allowed"), ("laplace", {"seed": -1}, "seed = -1: allowed"),
                ("laplace", {"progress": 5}, "progress = 5: expected None, or a function"),
                ("laplace", {"progress": True}, "progress = True: expected None, or a function"),
                ("laplace", {"seed": 2**64}, "allowed 0 to 18446744073709551615"),
                ("laplace", {"timeout": 0}, "timeout_s = 0"),
                ("laplace", {"batch": True}, "batch = True: only with a function"),
                (None, {"command": ""}, "expected a shell"),
                (None, {"command": "a\0b"}, "expected a shell"),
                (abs, {"codebook_size": 4}, "only with a mechanism by name"),
                (lambda x, y, z: x, {}, "wants 3 arguments")):
            with self.subTest(mechanism=mechanism, wrong=wrong), self.assertRaises(sotto.FaultError) as caught:
                sotto.audit(mechanism, **{**good, **wrong})
            self.assertIn(why, str(caught.exception))

    def test_huge_seeds(self):
        self.assertEqual(2**64 - 1, sotto.audit("laplace", dim=1, epsilon=1, trials=100, seed=2**64 - 1).seed)

    def test_control_c_ends_it_soon(self):
        with Interrupt() as interrupt, self.assertRaises(KeyboardInterrupt):
            sotto.audit("gaussian", dim=20, epsilon=1, trials=10**7)
        self.assertLess(interrupt.took, 30)

    def test_progress(self):
        heard = []
        sotto.audit("codebook", dim=2, epsilon=1, trials=2000, progress=lambda done, total: heard.append((done, total)))
        self.assertTrue(heard and all(done < total == 12000 for done, total in heard))

    def test_what_a_progress_function_raises_comes_out(self):
        def bad(_done, _total):
            raise RuntimeError("mine")
        with self.assertRaisesRegex(RuntimeError, "mine"):
            sotto.audit("codebook", dim=2, epsilon=1, trials=10**6, progress=bad)

    def test_audits_in_threads(self):
        found = {}
        workers = [threading.Thread(target=lambda i=i: found.update({i: sotto.audit(laplace(2), dim=1, epsilon=1,
                                                                                    trials=500, seed=i % 2)}))
                   for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        told = {i: [repr(row["statistic"]) for row in one.layers] for i, one in found.items()}  # nan is no nan
        self.assertEqual(told[0], told[2])
        self.assertNotEqual(told[0], told[1])


class Commands(unittest.TestCase):
    def test_a_command_is_audited_as_on_the_command_line(self):
        found = sotto.audit(command="cat", dim=2, epsilon=1, trials=500, seed=3)
        printed = json.loads(command_line("--exec", "cat", "--dim", 2, "--epsilon", 1, "--trials", 500, "--seed", 3,
                                          "--json", code=1))
        self.assertTrue(found.violation)
        self.assertEqual(("cat", printed["epsilon_lower"]), (found.mechanism, found.epsilon_lower))

    def test_a_command_that_misbehaves_is_inconclusive(self):
        found = sotto.audit(command="sleep 100", dim=2, epsilon=1, trials=500, timeout=0.2)
        self.assertEqual(("inconclusive", False), (found.verdict, found.violation))
        self.assertIn("gave no answer for 0.2 seconds", found.reason)
        self.assertIn(found.reason, str(found))
        self.assertTrue(math.isnan(found.epsilon_lower) and len(found.rows) == 0)

    def test_control_c_ends_a_command_that_keeps_silent(self):
        with Interrupt() as interrupt, self.assertRaises(KeyboardInterrupt):
            sotto.audit(command="sleep 1000", dim=2, epsilon=1, timeout=1000)
        self.assertLess(interrupt.took, 30)


class Functions(unittest.TestCase):
    """Seeds are fixed and functions draw from the lab, so that each verdict is the same every time."""

    def test_half_of_the_noise_is_caught(self):
        found = sotto.audit(laplace(1), dim=1, epsilon=1, trials=8000, alpha=1e-5, seed=1)
        self.assertEqual(("violation", True), (found.verdict, found.violation))
        self.assertTrue(1.3 < found.epsilon_lower < 2, found)
        self.assertIn("VIOLATION", str(found))
        self.assertIn("FAILED", found._repr_html_())

    def test_enough_noise_is_not(self):
        found = sotto.audit(laplace(2), dim=1, epsilon=1, trials=8000, alpha=1e-5, seed=1)
        self.assertEqual("no_violation", found.verdict, found)
        self.assertTrue(0.6 < found.epsilon_lower < 1, found)
        self.assertEqual(("mechanism", 0.0), (found.mechanism, found.delta_claimed))

    def test_a_seed_repeats_an_audit(self):
        one, same, other = (sotto.audit(laplace(2), dim=1, epsilon=1, trials=500, seed=seed) for seed in (1, 1, 2))
        self.assertEqual(one.rows.to_json(), same.rows.to_json())
        self.assertNotEqual(one.rows.to_json(), other.rows.to_json())

    def test_a_function_may_bring_its_own_randomness(self):
        own = numpy.random.default_rng(1)
        found = sotto.audit(lambda x: numpy.clip(x, -1, 1) + own.laplace(scale=1, size=1), dim=1, epsilon=1,
                            trials=6000, seed=1)
        self.assertTrue(found.violation)
        self.assertEqual("lambda", found.mechanism)

    def test_batches(self):
        own = numpy.random.default_rng(1)
        for scale, violation in ((1, True), (2, False)):
            def mechanism(X, scale=scale):
                return numpy.clip(X, -1, 1) + own.laplace(scale=scale, size=X.shape)
            found = sotto.audit(mechanism, dim=1, epsilon=1, trials=20000, alpha=1e-5, seed=1, batch=True)
            self.assertEqual(violation, found.violation, found)

    def test_a_batch_whose_memory_is_used_again_is_seen_as_it_was(self):
        memory, draws = numpy.empty((4096, 1)), numpy.random.default_rng(1)

        def careless(X):
            memory[:len(X)] = X + draws.laplace(scale=0.01, size=X.shape)
            return memory[:len(X)]
        self.assertTrue(sotto.audit(careless, dim=1, epsilon=1, trials=5000, batch=True).violation)

    def test_answers_of_a_batch_that_depend_on_each_other_are_seen(self):
        own = numpy.random.default_rng(1)
        found = sotto.audit(lambda X: numpy.clip(X, -1, 1) + own.laplace(scale=2), dim=1, epsilon=1, trials=20000,
                            seed=1, batch=True)
        self.assertTrue(found.violation)
        self.assertTrue((~found.rows.passed[found.rows.layer == 1]).any())

    def test_a_batch_of_one_number_each(self):
        own = numpy.random.default_rng(1)
        found = sotto.audit(lambda X: numpy.clip(X[:, 0], -1, 1) + own.laplace(scale=2, size=len(X)), dim=3, epsilon=1,
                            trials=2000,
                            alpha=1e-5, seed=1, batch=True)
        self.assertFalse(found.violation)

    def test_answers_may_be_of_any_type_of_number(self):
        own = numpy.random.default_rng(1)
        for answer in (lambda: 3, lambda: own.normal(), lambda: numpy.float32(own.normal()), lambda: [own.normal(), 1],
                       lambda: (True, own.integers(9)), lambda: own.normal(size=6)[::2],
                       lambda: own.normal(size=2).astype(">f8"),
                       lambda: numpy.array(own.normal())):
            self.assertIn(sotto.audit(lambda x, answer=answer: answer(), dim=2, epsilon=8, trials=120, seed=1).verdict,
                          ("no_violation", "inconclusive"))

    def test_the_same_answer_to_everything_says_nothing(self):
        found = sotto.audit(lambda x: 3, dim=2, epsilon=1, trials=2000)
        self.assertEqual("inconclusive", found.verdict)
        self.assertIn("answers the same to every input", found.reason)

    def test_what_a_function_does_to_its_vector_does_no_harm(self):
        seen = []

        def greedy(x, rng):
            seen.append(tuple(x))
            noise = 20 * numpy.log(rng.uniform(1) / rng.uniform(1))
            x[:] = 1e300
            return noise
        sotto.audit(greedy, dim=2, epsilon=1, trials=300, seed=1)
        self.assertEqual(10, len(set(seen[1:])))  # 5 pairs
        self.assertNotIn(1e300, {number for x in seen for number in x})

    def test_an_rng_is_of_one_call(self):
        kept = []

        def mechanism(x, rng):
            kept.append(rng)
            bits = rng.bits()
            assert isinstance(bits, int) and 0 <= bits < 2**64
            uniform = rng.uniform((2, 3))
            assert uniform.shape == (2, 3) and (uniform > 0).all() and (uniform < 1).all()
            return 20 * rng.normal()
        sotto.audit(mechanism, dim=2, epsilon=1, trials=100, seed=1)
        with self.assertRaisesRegex(sotto.OrderError, "valid during the call"):
            kept[-1].normal()

    def test_an_rng_by_its_name(self):
        sotto.audit(lambda x, scale=2, *, rng: scale * rng.normal(), dim=2, epsilon=1, trials=100, seed=1)
        sotto.audit(lambda x, coins: 2 * coins.normal(3), dim=2, epsilon=1, trials=100, seed=1)


class Faults(unittest.TestCase):
    def late(self, wrong, first=lambda rng: rng.normal(3), after=70):
        """An audit of a function whose answers go wrong after a while."""
        calls = []

        def mechanism(x, rng):
            calls.append(x)
            return first(rng) if len(calls) < after else wrong()
        return sotto.audit(mechanism, dim=2, epsilon=1, trials=200, seed=1)

    def test_what_a_function_raises_is_the_cause(self):
        def fail():
            raise ZeroDivisionError("mine")
        for after in (1, 70):
            with self.assertRaisesRegex(sotto.GuestError, "mechanism mechanism: ZeroDivisionError: mine") as caught:
                self.late(fail, after=after)
            self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)

    def test_answers_that_cannot_be_used(self):
        for wrong, why in ((lambda: 1.0, r"is 1.0, of shape \(\); the first had \(3,\)"),
                           (lambda: [1, 2], r"shape \(2,\); the first"),
                           (lambda: [1, 2, numpy.nan], "only finite"), (lambda: [numpy.inf, 1, 2], "only finite"),
                           (lambda: "abc", "is 'abc'; expected numbers"), (lambda: ["1", "2", "3"], "expected numbers"),
                           (lambda: None, "is None; expected numbers"),
                           (lambda: [1, [2, 3], 4], "several lengths|expected numbers"),
                           (lambda: [1j, 2, 3], "expected numbers"),
                           (lambda: [[1, 2, 3]], r"shape \(1, 3\); the first")):
            with self.subTest(why=why), self.assertRaisesRegex(sotto.GuestError,
                                                               f"mechanism mechanism: its answer.*({why})"):
                self.late(wrong)

    def test_numbers_whose_squares_are_infinite_are_finite(self):
        self.late(lambda: [1e300, 1, 2])

    def test_what_is_behind_a_mask_is_not_audited(self):
        with self.assertRaisesRegex(sotto.GuestError, "some numbers of its answer are masked"):
            sotto.audit(lambda x: numpy.ma.array(x, mask=True), dim=1, epsilon=1, trials=100)

    def test_first_answers_that_cannot_be_used(self):
        for wrong, why in ((lambda: [], "0 numbers: allowed 1 to 65535"), (lambda: numpy.ones(65536), "65536 numbers"),
                           (lambda: numpy.ones((2, 2)), r"shape \(2, 2\)"), (lambda: numpy.nan, "only finite"),
                           (lambda: {}, "expected numbers")):
            with self.subTest(why=why), self.assertRaisesRegex(sotto.GuestError, why):
                self.late(wrong, after=1)

    def test_batches_that_cannot_be_used(self):
        for wrong, why in ((lambda X: 1.0, "to 2 vectors has shape"), (lambda X: X[:1], "to 2 vectors has shape"),
                           (lambda X: X[:, :, None], "to 2 vectors"),
                           (lambda X: X if len(X) == 2 else X[:5], "to 4096 vectors has shape"),
                           (lambda X: X if len(X) == 2 else X * numpy.nan, "only finite"),
                           (lambda X: X if len(X) == 2 else X.astype(str), "expected numbers")):
            with self.subTest(why=why), self.assertRaisesRegex(sotto.GuestError, why):
                sotto.audit(wrong, dim=2, epsilon=1, trials=200, batch=True)

    def test_control_c_ends_a_function_that_is_slow(self):
        with Interrupt() as interrupt, self.assertRaises(KeyboardInterrupt):
            sotto.audit(lambda x: time.sleep(0.01) or 1.0, dim=2, epsilon=1)
        self.assertLess(interrupt.took, 30)

    def test_control_c_ends_a_function_that_never_answers(self):
        def mechanism(x, rng):
            while type(rng) is sotto.Rng:
                pass
            return 1.0
        with self.assertRaises(KeyboardInterrupt), Interrupt():
            sotto.audit(mechanism, dim=2, epsilon=1)

    def test_control_c_is_never_lost(self):
        """Wherever it comes: in the function, in the package's own lines before or after it, or in C."""
        for attempt in range(20):
            with self.assertRaises(KeyboardInterrupt), Interrupt(0.02 + 0.001 * attempt):
                sotto.audit(lambda x, rng: rng.normal(), dim=2, epsilon=1, trials=10**6)


if __name__ == "__main__":
    unittest.main()
