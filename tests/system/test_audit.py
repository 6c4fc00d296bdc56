#!/usr/bin/env python3
"""sotto audit: the library's own mechanisms, and external programs that behave and misbehave."""
import json
import os
import shlex
import subprocess
import sys
import time
import unittest
from pathlib import Path

from directory_case import DirectoryCase
from sotto_binary import SOTTO, on_terminal, sotto

KEYS = {"mechanism", "dim", "epsilon_claimed", "delta_claimed", "epsilon_lower", "confidence", "trials", "alpha",
        "pairs", "layers", "verdict", "seconds", "version", "seed"}
ROW_KEYS = {"layer", "name", "statistic", "bound", "p_value", "passed"}
EXIT = {"no_violation": 0, "violation": 1, "inconclusive": 2}
MECHANISMS = ("codebook", "l2ball", "privunit", "gaussian", "laplace")

# Every program reads lines of numbers into x, clipped to the unit ball; `n` counts them from 1.
FRAME = """
import math, os, random, sys, time
def clip(x):
    norm = math.sqrt(sum(v * v for v in x))
    return [v / norm for v in x] if norm > 1 else x
def gauss(x, sigma):
    return " ".join(repr(v + random.gauss(0, sigma)) for v in x)
held, n = [], 0
random.seed(7)
for line in sys.stdin:
    n += 1
    x = clip([float(v) for v in line.split()])
    {body}
{end}
"""
SLOW = unittest.skipIf(os.environ.get("SANITIZE"),
                       "many trials: played by the plain build; the tests of programs that are caught go the same ways here")
LAPLACE = "random.expovariate(0.5) - random.expovariate(0.5)"  # of epsilon 1, dimension 1
SIGMA = 7.462  # of epsilon 1, delta 1e-5, diameter 2


class Outside(DirectoryCase):
    def program(self, body, end="", unbuffered=False):
        path = self.directory / "program.py"
        path.write_text(FRAME.format(body=body, end=end))
        return shlex.join([sys.executable, *(["-u"] if unbuffered else []), str(path)])

    def audit(self, command, *words, trials=4000, epsilon=1, delta=0, dim=2, timeout=100):
        result = sotto("audit", "--exec", command, "--dim", dim, "--epsilon", epsilon, "--delta", delta, "--trials",
                       trials, "--timeout", timeout, "--seed", 3, "--json", *words)
        found = json.loads(result.stdout)
        self.assertEqual(result.returncode, EXIT[found["verdict"]], result.stderr)
        self.assertEqual(set(found) - {"reason"}, KEYS)
        self.assertEqual(found["mechanism"], command)
        found["stderr"] = result.stderr
        return found

    def misbehaves(self, command, part, **settings):
        found = self.audit(command, **settings)
        self.assertEqual(found["verdict"], "inconclusive", found)
        self.assertIn(part, found["reason"])
        self.assertIn(found["reason"], found["stderr"])
        self.assertIsNone(found["epsilon_lower"])

    def assertIsGone(self, marker):
        """Waits until no process has the marker as a word of its command line."""
        self.assertTrue(self.comes(lambda: not self.is_there(marker)))

    @staticmethod
    def comes(condition):
        end = time.monotonic() + 60
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        return condition()

    @staticmethod
    def is_there(marker):
        words = set()
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words |= set(path.read_bytes().split(b"\0"))
            except OSError:
                pass  # it has ended meanwhile
        return marker.encode() in words

    def test_honest_randomised_response(self):
        """The sign of the first number, true with chance e/(1+e)."""
        found = self.audit(self.program(
            "print((1 if x[0] > 0 else -1) * (1 if random.random() < math.e / (1 + math.e) else -1))"), trials=20000)
        self.assertEqual(found["verdict"], "no_violation", found)
        self.assertGreater(found["epsilon_lower"], 0.85)
        self.assertLessEqual(found["epsilon_lower"], 1)

    def test_randomised_response_of_a_larger_epsilon(self):
        found = self.audit(self.program(
            "print((1 if x[0] > 0 else -1) * (1 if random.random() < 0.8 else -1))"), trials=20000)
        self.assertEqual(found["verdict"], "violation")
        self.assertGreater(found["epsilon_lower"], 1.2)

    @SLOW
    def test_honest_gaussian(self):
        found = self.audit(self.program(f"print(gauss(x, {SIGMA}))"), delta=1e-5, trials=20000)
        self.assertEqual(found["verdict"], "no_violation", found)
        self.assertEqual([row["layer"] for row in found["layers"]], [1] * 4 + [2] * 5 + [3] * 13)

    def test_gaussian_with_too_little_noise(self):
        found = self.audit(self.program(f"print(gauss(x, {SIGMA} / 2))"), delta=1e-5, trials=20000)
        self.assertEqual(found["verdict"], "violation")
        self.assertIn(2, [row["layer"] for row in found["layers"] if not row["passed"]])
        self.assertGreater(found["epsilon_lower"], 1)

    def test_noise_that_is_not_normal_is_left_to_layer_3(self):
        """Randomised response is pure, so it satisfies every delta; its accuracy must not count
        against it."""
        found = self.audit(self.program(
            "print((1 if x[0] > 0 else -1) * (1 if random.random() < math.e / (1 + math.e) else -1))"),
            delta=1e-6, trials=20000)
        self.assertEqual(found["verdict"], "no_violation", found)
        self.assertTrue(any("does not look normal" in row["name"] for row in found["layers"]))

    def test_no_clipping(self):
        found = self.audit(self.program(f"print(gauss([float(v) for v in line.split()], {SIGMA}))"), delta=1e-5)
        self.assertEqual(found["verdict"], "violation")
        failed = [row["name"] for row in found["layers"] if not row["passed"]]
        self.assertTrue(any("10 R w" in name for name in failed))
        self.assertTrue(all("10 R w" in name or "a diameter apart" in name for name in failed), failed)

    def test_a_number_without_noise(self):
        found = self.audit(self.program(f"print(gauss(x[:1], {SIGMA}), x[1])"), delta=1e-5)
        self.assertEqual(found["verdict"], "violation")

    def test_deterministic_answers(self):
        found = self.audit(self.program("print(*x)"))
        self.assertEqual(found["verdict"], "violation")
        self.assertGreater(found["epsilon_lower"], 4)

    def test_the_input_itself_once_in_200_answers(self):
        """All other answers keep the claim; the leak is too rare for any single event of a tenth of
        the trials."""
        found = self.audit(self.program(
            "print(*(x if random.random() < 0.005 else [v + random.gauss(0, 9) for v in x]))"), delta=1e-5,
            trials=30000)
        self.assertEqual(found["verdict"], "violation", found)
        self.assertTrue(any("sure guesses" in row["name"] for row in found["layers"] if not row["passed"]), found)

    def test_too_little_noise_that_does_not_look_normal(self):
        """A twentieth of the draws is small, so layer 2 cannot judge; the others have half of the
        claimed noise."""
        found = self.audit(self.program(
            f"print(x[0] + random.gauss(0, {SIGMA} * (0.1 if random.random() < 0.05 else 0.5)))"), delta=1e-5, dim=1,
            trials=60000)
        self.assertEqual(found["verdict"], "violation", found)
        self.assertEqual({row["layer"] for row in found["layers"] if not row["passed"]}, {3}, found)

    @SLOW
    def test_honest_noise_that_does_not_look_normal(self):
        """A twentieth of the draws is ten times as large as necessary: the claim holds."""
        found = self.audit(self.program(
            f"print(x[0] + random.gauss(0, {SIGMA} * (10 if random.random() < 0.05 else 1)))"), delta=1e-5, dim=1,
            trials=20000)
        self.assertEqual(found["verdict"], "no_violation", found)
        self.assertTrue(any("does not look normal" in row["name"] for row in found["layers"]))

    def test_re_used_noise(self):
        found = self.audit(self.program(
            f"noise = noise if n % 2 == 0 else random.gauss(0, {SIGMA})\n    print(x[0] + noise)"), delta=1e-5)
        self.assertEqual(found["verdict"], "violation")
        self.assertIn(1, [row["layer"] for row in found["layers"] if not row["passed"]])

    def remembers(self, body, row, layer, trials=4000):
        """Laplace noise in one dimension with a memory of noise or inputs: the row of this name
        must detect it."""
        found = self.audit(self.program(body), dim=1, trials=trials)
        self.assertEqual(found["verdict"], "violation", found)
        self.assertIn(layer, [one["layer"] for one in found["layers"] if not one["passed"] and row in one["name"]],
                      found["layers"])

    def test_the_input_before(self):
        self.remembers("held.append(x[0])\n    print(held[-2] if n > 1 else 0)", "of the input 1 before", 3)

    def test_the_input_four_before_in_an_honest_answer(self):
        self.remembers(f"held.append(x[0])\n    print(x[0] + {LAPLACE} + (held[-5] if n > 4 else 0))",
                       "of the input 4 before", 3)

    def test_the_noise_of_two_answers_ago_negated(self):
        self.remembers(f"held.append(-held[-2] if (n - 1) % 4 > 1 else {LAPLACE})\n    print(x[0] + held[-1])",
                       "correlation with the answer, 2 before", 1)

    def test_the_size_of_the_noise_of_100_answers_ago(self):
        self.remembers(f"held.append(held[-100] * random.choice((1, -1)) if (n - 1) // 100 % 2 == 1 else {LAPLACE})\n"
                       "    print(x[0] + held[-1])", "with that, 100 before", 1)

    def test_the_first_answers_in_clear(self):
        """A twentieth of the trials of one pair, at its start."""
        self.remembers(f"print(x[0] if n < 200 else x[0] + {LAPLACE})", "sure guesses", 3)

    def test_the_first_responses_in_clear(self):
        """If every answer is one of two, only a stretch of them reveals anything."""
        self.remembers("print((1 if x[0] > 0 else -1) * (1 if n < 400 or random.random() < 0.73 else -1))",
                       "in the worst stretch", 3, trials=20000)

    def test_whether_the_input_is_the_one_before(self):
        """Independent of each single input, and of every other answer."""
        self.remembers("held.append(x[0])\n    print(1 if n > 1 and held[-1] == held[-2] else -1)",
                       "of whether the input is that 1 before", 3)

    def test_the_first_answers_in_a_code_of_their_own(self):
        """Negated, negated in turn, and by a blank that means nothing later."""
        for code, tail in (("-x[0] * (0.5 + random.random())", "''"),
                           ("x[0] * (-1) ** n * (0.5 + random.random())", "''"),
                           (f"x[0] + {LAPLACE}", "' ' * (x[0] > 0 if n <= 1000 else random.randrange(2))")):
            with self.subTest(code=code):
                self.remembers(f"print(repr({code} if n <= 1000 else x[0] + {LAPLACE}) + {tail})",
                               "in the worst stretch", 3, trials=20000)

    def test_answers_in_clear_for_a_while(self):
        self.remembers(f"print(x[0] if 3000 < n < 3200 else x[0] + {LAPLACE})", "sure guesses", 3)

    def test_a_bit_in_the_spelling(self):
        for spelled in ("print(repr(y) + ' ' * (x[0] > 0))", "print('+' * (x[0] > 0 and y > 0) + repr(y))",
                        "print(repr(y) + '0' * (x[0] > 0))", "print(('%.17e', '%.17E')[x[0] > 0] % y)"):
            with self.subTest(spelled=spelled):
                self.remembers(f"y = round(x[0] + {LAPLACE}, 3)\n    {spelled}", "epsilon, at least (", 3)

    def test_a_bit_of_the_input_before_in_the_spelling(self):
        self.remembers(f"held.append(x[0])\n    print(repr(x[0] + {LAPLACE}) + ' ' * (n > 2 and held[-3] > 0))",
                       "of the input 2 before", 3)

    def test_spellings_that_tell_nothing(self):
        """Random blanks and signs, and the shortest digits that give the number."""
        found = self.audit(self.program(
            f"y = x[0] + {LAPLACE}\n    print(random.choice(('', '+'))[:y > 0] + repr(y) + ' ' * random.randrange(3))"),
            dim=1, trials=10000)
        self.assertEqual(found["verdict"], "no_violation", found)
        self.assertGreater(found["epsilon_lower"], 0.7)

    def test_the_careless_example_is_caught(self):
        """It has half the noise that it claims. Its random numbers come from the clock, and 1e-6 of
        all seconds would let it pass."""
        found = self.audit(shlex.quote(str(Path(os.environ["BUILD"]) / "02_careless_gaussian")), delta=1e-6,
                           trials=30000)
        self.assertEqual(found["verdict"], "violation", found)
        self.assertGreater(found["epsilon_lower"], 1.5)

    def test_our_own_reports_are_honest(self):
        for mechanism in ("l2ball", "privunit", "laplace"):
            with self.subTest(mechanism=mechanism):
                found = self.audit(f"{shlex.quote(SOTTO)} privatise --mechanism {mechanism} --dim 2 --epsilon 1 "
                                   "--seed 5 --quiet", trials=4000)
                self.assertEqual(found["verdict"], "no_violation", found)
                self.assertGreater(found["epsilon_lower"], 0.5)

    @SLOW
    def test_accuracy_is_not_held_against_noise_that_only_looks_normal(self):
        """PrivUnit is pure, and in 10 dimensions so close to normal that no test of normality
        rejects it; its accuracy is far above that of a Gaussian mechanism with the same claim."""
        found = self.audit(f"{shlex.quote(SOTTO)} privatise --mechanism privunit --dim 10 --epsilon 1 --seed 7 --quiet",
                           dim=10, delta=1e-6, trials=20000)
        self.assertEqual(found["verdict"], "no_violation", found)

    def test_slow_but_alive(self):
        found = self.audit(self.program("time.sleep(0.001)\n    print(random.random(), flush=True)"), trials=100)
        self.assertEqual(found["verdict"], "no_violation", found)

    def test_all_answers_at_the_end(self):
        found = self.audit(self.program("held.append(random.random())", "print(*held, sep='\\n')"), trials=20000)
        self.assertEqual(found["verdict"], "no_violation", found)

    def test_one_answer_at_a_time(self):
        found = self.audit(self.program("print(random.random())", unbuffered=True), trials=2000)
        self.assertEqual(found["verdict"], "no_violation", found)

    def test_always_the_same(self):
        self.misbehaves(self.program("print(1)"), "the same to every input")

    def test_text(self):
        self.misbehaves(self.program("print('hello', 'you')"), 'answer 1 contains "hello"')

    def test_not_finite(self):
        self.misbehaves(self.program("print('nan' if n == 5 else n)"), "answer 5 contains nan")
        self.misbehaves(self.program("print('-Infinity')"), "answer 1 contains -Infinity")

    def test_nothing(self):
        self.misbehaves(self.program("pass"), "ended early, with status 0, after 0 of")

    def test_too_much(self):
        self.misbehaves(self.program("print(n); print(n)"), "more lines than it received")
        self.misbehaves(self.program("print(n)", "print(1)"), "more lines than it received (20000)")

    def test_another_count(self):
        self.misbehaves(self.program("print(*range(1 + n // 100))"), "another count")

    def test_early_end(self):
        self.misbehaves(self.program("print(n)\n    if n == 10: sys.exit(3)"), "with status 3, after 10 of")
        self.misbehaves("exec " + self.program("os.kill(os.getpid(), 9)"), "by signal 9")

    def test_not_to_be_started(self):
        self.misbehaves("/no/such/program", "could not be started")

    def test_a_line_that_never_ends_is_no_answer(self):
        self.misbehaves("while :; do printf 1; sleep 0.1; done", "gave no answer for 0.5 seconds", timeout=0.5)

    @SLOW
    def test_laplace_noise_in_doubles_is_honest(self):
        """Its low bits leak, as those of all noise in doubles do, but an audit does not look for
        that."""
        found = self.audit(self.program("print(repr(x[0] + random.expovariate(0.5) - random.expovariate(0.5)))"),
                           dim=1, trials=30000)
        self.assertEqual(found["verdict"], "no_violation", found)
        self.assertGreater(found["epsilon_lower"], 0.8)

    def test_the_program_dies_with_the_audit(self):
        marker = f"5432.{os.getpid()}"
        audit = subprocess.Popen([SOTTO, "audit", "--exec", f"exec sleep {marker}", "--dim", "1", "--epsilon", "1"])
        self.assertTrue(self.comes(lambda: self.is_there(marker)))
        audit.terminate()
        audit.wait(timeout=60)
        self.assertIsGone(marker)

    def test_a_hanging_program_is_killed_with_its_children(self):
        start = time.monotonic()
        marker = f"4321.{os.getpid()}"
        self.misbehaves(f"sleep {marker} & sleep {marker}", "gave no answer for 0.5 seconds", timeout=0.5)
        self.assertLess(time.monotonic() - start, 60)
        self.assertIsGone(marker)

    def test_the_command_is_quoted_in_json(self):
        command = "cat > /dev/null; true \"a\\b\"\t'\n'"
        self.assertEqual(self.audit(command)["mechanism"], command)


class Inside(unittest.TestCase):
    def audit(self, *words):
        result = sotto("audit", *words, "--json", "--seed", 11)
        found = json.loads(result.stdout)
        self.assertEqual(result.returncode, EXIT[found["verdict"]], result.stderr)
        return found

    def test_every_mechanism_passes(self):
        for mechanism in MECHANISMS:
            with self.subTest(mechanism=mechanism):
                found = self.audit("--mechanism", mechanism, "--dim", 3, "--epsilon", 1, "--trials", 5000)
                self.assertEqual(found["verdict"], "no_violation", found)
                self.assertEqual(set(found), KEYS)
                self.assertTrue(0.3 < found["epsilon_lower"] <= 1)
                self.assertEqual((found["mechanism"], found["dim"], found["epsilon_claimed"], found["seed"]),
                                 (mechanism, 3, 1, 11))
                self.assertEqual(found["delta_claimed"], 1e-6 if mechanism == "gaussian" else 0)
                self.assertEqual((found["trials"], found["alpha"], found["confidence"], found["pairs"]),
                                 (5000, 0.01, 0.99, 5))
                for row in found["layers"]:
                    self.assertEqual(set(row), ROW_KEYS)
                    self.assertIn(row["layer"], range(4))
                    self.assertIs(row["passed"], True)
                    for key in ("statistic", "bound", "p_value"):
                        self.assertIsInstance(row[key], (float, int, type(None)))

    def test_options_reach_the_mechanism(self):
        for words in (("--mechanism", "codebook", "--dim", 2, "--epsilon", 1, "--codebook-size", 8, "--radius", 5),
                      ("--mechanism", "gaussian", "--dim", 2, "--epsilon", 1, "--delta", 0.01, "--allow-weak-delta"),
                      ("--mechanism", "laplace", "--dim", 4, "--epsilon", 3, "--radius", 0.25),
                      ("--mechanism", "privunit", "--dim", 7, "--epsilon", 2, "--alpha", 0.1)):
            with self.subTest(words=words):
                self.assertEqual(self.audit(*words, "--trials", 3000)["verdict"], "no_violation")

    def test_without_a_seed_no_two_audits_are_alike(self):
        words = ("audit", "--mechanism", "l2ball", "--dim", 2, "--epsilon", 1, "--trials", 2000, "--json")
        first, second = (json.loads(sotto(*words).stdout) for _ in range(2))
        self.assertIsNone(first["seed"])
        self.assertNotEqual([row["p_value"] for row in first["layers"]], [row["p_value"] for row in second["layers"]])

    def test_too_few_trials(self):
        for epsilon, trials in ((8, 1000), (1, 1), (1, 10), (1, 99)):
            for subject in (("--mechanism", "l2ball"), ("--mechanism", "gaussian"), ("--exec", "cat")):
                if epsilon == 8 and "l2ball" not in subject:
                    continue
                found = self.audit(*subject, "--dim", 2, "--epsilon", epsilon, "--trials", trials)
                self.assertEqual(found["verdict"], "inconclusive", (subject, epsilon, trials))
                self.assertIn("too few trials", found["reason"])

    def test_people_get_a_table_and_a_sentence(self):
        result = sotto("audit", "--mechanism", "gaussian", "--dim", 2, "--epsilon", 1, "--trials", 2000, "--seed", 1)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^layer +measured +allowed +p passed what$")
        self.assertTrue(result.stdout.startswith("No violation found: epsilon >= 0."))
        self.assertNotIn("verified", result.stdout)
        broken = sotto("audit", "--exec", "cat", "--dim", 2, "--epsilon", 1, "--trials", 2000)
        self.assertEqual(broken.returncode, 1)
        self.assertIn("FAILED", broken.stdout)
        self.assertTrue(broken.stdout.startswith("VIOLATION: "))

    def test_a_terminal_shows_progress_unless_told_to_be_quiet(self):
        for quiet in ((), ("--quiet",)):
            found = on_terminal("audit", "--mechanism", "l2ball", "--dim", 2, "--epsilon", 1, "--trials", 100000, *quiet)
            if found is None:
                self.skipTest("no terminal to be had here")
            self.assertEqual((found[0], b" trials, " in found[1]), (0, not quiet))


class WrongUsage(unittest.TestCase):
    def test_wrong_usage_names_option_value_and_range(self):
        base = ("--mechanism", "l2ball", "--dim", 2, "--epsilon", 1)
        for words, *parts in [
            ((), "--mechanism is needed"),
            (("--mechanism", "l2bal"), "--mechanism = l2bal", "did you mean l2ball?"),
            (base[:2], "--dim is needed"),
            (base[:4], "--epsilon is needed"),
            (base + ("--exec", "cat"), "--mechanism does not apply to --exec"),
            (base + ("--timeout", 3), "--timeout does not apply to --mechanism"),
            (("--exec", "cat", "--dim", 2, "--epsilon", 1, "--codebook-size", 4), "--codebook-size does not apply"),
            (base + ("--trials", 0), "--trials = 0", "1 to 1e9"),
            (base + ("--trials", "1.5"), "--trials = 1.5", "whole numbers"),
            (base + ("--alpha", 0), "--alpha = 0", "1e-05 to 0.5"),
            (base + ("--alpha", "nan"), "--alpha = nan"),
            (base[:4] + ("--epsilon", 9), "epsilon = 9"),
            (base[:4] + ("--epsilon", 51), "--epsilon = 51", "0.01 to 50"),
            (base + ("--radius", 0), "--radius = 0"),
            (base + ("--codebook-size", 4), "--codebook-size = 4"),
            (base + ("python3 mine.py",), "after --exec"),
            (("--mechanism", "gaussian", "--dim", 2, "--epsilon", 1, "--delta", 0.1), "delta = 0.1"),
            (("--exec", "cat", "--dim", 2, "--epsilon", 1, "--delta", 1e-13), "delta = 1e-13"),
            (("--exec", "cat", "--dim", 2, "--epsilon", 1, "--timeout", 0), "--timeout = 0", "0.01 to 86400"),
            (base + ("--jsn",), "did you mean --json?"),
        ]:
            with self.subTest(words=words):
                result = sotto("audit", *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(len(result.stderr.strip().splitlines()), 1)
                for part in parts:
                    self.assertIn(part, result.stderr)

    def test_help_has_an_example(self):
        text = sotto("audit", "--help").stdout
        for word in ("--exec", "--timeout", "--alpha", "of each of 5 pairs", "examples:", "sotto audit --mechanism"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
