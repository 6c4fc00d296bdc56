#!/usr/bin/env python3
"""sotto privatise, as an external program uses it."""
import json
import math
import os
import re
import subprocess
import unittest

from sotto_binary import SLOWER, SOTTO, codeword, on_terminal, sotto

BASE = ("privatise", "--mechanism", "codebook", "--dim", 3, "--epsilon", 1)


def noise(mechanism, dim, epsilon, *words):
    return "privatise", "--mechanism", mechanism, "--dim", dim, "--epsilon", epsilon, *words


def constants(result):
    """sigma and step of the header, and sigma in ticks."""
    sigma, step = (float(re.search(rf" {name}=(\S+)", result.stdout).group(1)) for name in ("sigma", "step"))
    return sigma, step, sigma / step


def gaussian_sigma(epsilon, delta, diameter):
    """The smallest sigma with Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m) <= delta, m = diameter/sigma."""
    def spent(sigma):
        m = diameter / sigma
        phi = [math.erfc(-v / math.sqrt(2)) / 2 for v in (m / 2 - epsilon / m, -m / 2 - epsilon / m)]
        return phi[0] - math.exp(epsilon) * phi[1]
    low, high = diameter * 1e-3, diameter * 1e4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if spent(middle) <= delta else (middle, high)
    return high


def rows(result):
    return [[float(x) for x in line.split()] for line in result.stdout.splitlines() if line[0] != "#"]


class BadInput(unittest.TestCase):
    def test_changed_vectors_are_counted(self):
        for text, words, said in (("3 4 0\n0.6 0.8 0\n", BASE, "1 of 2 vectors were longer than --radius 1 and were clipped"),
                                  ("3 4 0\n", (*BASE, "--quiet"), ""), ("0.6 0.8 0\n", BASE, ""),
                                  ("3 4 0\n", (*BASE, "--radius", 5), ""),
                                  ("nan 0 0\n0 inf 0\n0 0 1\n", BASE, "2 of 3 vectors had nan or inf, which count as 0")):
            result = sotto(*words, stdin=text)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(said, result.stderr)
            self.assertEqual(bool(said), bool(result.stderr), result.stderr)

    def refused(self, words, *parts, code=2, stdin=""):
        result = sotto(*words, stdin=stdin)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1)

    def test_wrong_usage_names_option_value_and_range(self):
        for words, *parts in [
            (("privatise",), "--mechanism is needed"),
            (("privatise", "--mechanism", "codebok"), "--mechanism = codebok", "did you mean codebook?"),
            (("privatise", "--mechanism", "none"), "codebook, l2ball, privunit"),
            (BASE[:3] + ("--dim", 0), "--dim = 0", "whole numbers 1 to 1024"),
            (BASE + ("--count", "1.5"), "--count = 1.5", "whole numbers 1 to 1e15"),
            (BASE[:3] + ("--dim", -3), "--dim = -3", "1 to 1024"),
            (BASE[:3] + ("--dim", 1025), "--dim = 1025"),
            (BASE[:3] + ("--dim", "3x"), "--dim = 3x"),
            (BASE[:3] + ("--dim", "99999999999999999999"), "1 to 1024"),
            (BASE[:5] + ("--epsilon", 0), "--epsilon = 0", "0.01 to 50"),
            (BASE[:5] + ("--epsilon", -1), "0.01 to 50"),
            (BASE[:5] + ("--epsilon", 1e-9), "0.01 to 50"),
            (BASE[:5] + ("--epsilon", 8.1), "epsilon = 8.1", "0.01 to 8\n"),
            (BASE[:5] + ("--epsilon", 1e300), "0.01 to 50"),
            (BASE[:5] + ("--epsilon", "nan"), "--epsilon = nan", "0.01 to 50"),
            (BASE[:5], "--epsilon is needed"),
            (BASE + ("--count", 0), "--count = 0"),
            (BASE + ("--radius", 0), "--radius = 0"),
            (BASE + ("--codebook-size", 3), "--codebook-size = 3", "even"),
            (BASE + ("--codebook-size", 5000), "2 to 4096"),
            (BASE + ("--formt", "raw"), "--formt", "did you mean --format?"),
            (BASE + ("--format",), "--format needs a value"),
            (BASE + ("--header=yes",), "--header takes no value"),
            (BASE + ("vectors.txt",), "vectors are read from the standard input"),
            (("privatize",), "did you mean privatise?"),
            (("privatise", "--mechanism", "privunit", "--dim", 2, "--epsilon", 1, "--format", "raw"), "no report"),
            (("privatise", "--mechanism", "l2ball", "--dim", 2, "--epsilon", 1, "--codebook-size", 4), "size 2"),
            (noise("gaussian", 3, 1, "--delta", 0), "delta = 0", "1e-12 to 0.5"),
            (noise("gaussian", 3, 1, "--delta", 1e-13), "delta = 1e-13", "1e-12 to 0.5"),
            (noise("gaussian", 3, 1, "--delta", 1e-3), "delta = 0.001", "only with --allow-weak-delta"),
            (noise("gaussian", 3, 1, "--delta", 0.6, "--allow-weak-delta"), "--delta = 0.6", "0 to 0.5"),
            (noise("gaussian", 3, 1, "--delta", "nan"), "--delta = nan", "0 to 0.5"),
            (noise("gaussian", 3, 1e-4), "--epsilon = 0.0001", "0.01 to 50"),
            (noise("gaussian", 3, 51), "--epsilon = 51", "0.01 to 50"),
            (noise("laplace", 3, 1e-4), "--epsilon = 0.0001", "0.01 to 50"),
            (noise("laplace", 3, 51), "--epsilon = 51", "0.01 to 50"),
            (noise("gaussian", 1025, 1), "--dim = 1025", "1 to 1024"),
        ]:
            with self.subTest(words=words):
                self.refused(words, *parts)

    def test_bad_lines_are_named(self):
        self.refused(BASE, "line 1: numbers = 2: --dim is 3", code=1, stdin="1 2\n")
        self.refused(BASE, "line 2: numbers = 4", code=1, stdin="\n1 2 3 4\n")
        self.refused(BASE, 'line 1, number 2: "" is not a number', code=1, stdin="1,,3\n")
        self.refused(BASE, 'number 1: ""', code=1, stdin=",1,2,3\n")
        self.refused(BASE, 'number 4: ""', code=1, stdin="1,2,3,\n")
        self.refused(BASE, "line 1 contains a zero byte", code=1, stdin="1 2 3\0 4\n")
        self.refused(BASE, 'line 1, number 2: "zwei"', code=1, stdin="1 zwei 3\n")
        self.refused(BASE, 'number 1: "1x"', code=1, stdin="1x 2 3\n")
        self.refused(BASE, 'number 2: "?[2Jx?"', code=1, stdin="1 \x1b[2Jx\x7f 3\n")
        self.refused(BASE, f'number 1: "{"x" * 60}..."', code=1, stdin="x" * 10000 + "\n")

    def test_reports_before_a_bad_line_are_kept(self):
        result = sotto(*BASE, stdin="1 2 3\n1 2\n")
        self.assertEqual((result.returncode, len(rows(result))), (1, 1))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_fails(self):
        code = os.system(f"echo 1 0 0 | {SOTTO} {' '.join(map(str, BASE))} > /dev/full 2> /dev/null")
        self.assertEqual(os.waitstatus_to_exitcode(code), 1)

    def test_strange_numbers_are_replaced_and_still_reported(self):
        result = sotto(*BASE, stdin="nan 0 1\ninf -inf 0\n1e308 -1e308 1e308\n5e-324 0 0\n-0 0 -0\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(rows(result)), 5)
        for row in rows(result):
            self.assertTrue(all(map(math.isfinite, row)))
            self.assertEqual(len(row), 3)


class Contract(unittest.TestCase):
    def test_each_line_gives_count_lines_of_dim_numbers(self):
        for mechanism in ("codebook", "l2ball", "privunit", "gaussian", "laplace"):
            for dim in (1, 2, 7, 40):
                line = ",".join(["0.1"] * dim) + "\n"
                result = sotto("privatise", "--mechanism", mechanism, "--dim", dim, "--epsilon", 0.7,
                               "--count", 3, stdin=2 * line)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual([len(r) for r in rows(result)], [dim] * 6)

    def test_every_estimate_has_length_radius_times_b(self):
        for mechanism in ("codebook", "l2ball", "privunit"):
            result = sotto("privatise", "--mechanism", mechanism, "--dim", 5, "--epsilon", 2, "--header",
                           "--radius", 3, "--count", 50, stdin="1 0 2 0 0\n")
            scale = float(re.search(r" B=(\S+)", result.stdout).group(1))
            for row in rows(result):
                self.assertAlmostEqual(math.hypot(*row) / (3 * scale), 1, delta=1e-8)

    def test_blanks_tabs_commas_and_dos_lines_are_all_the_same(self):
        lines = ("1 2 3\n", "1,2,3\r\n", " 1 , 2\t,3 ", "\t1\t2\t3\n")
        answers = {sotto(*BASE, "--seed", 1, stdin=line).stdout for line in lines}
        self.assertEqual(len(answers), 1)
        self.assertNotIn("", answers)

    def test_each_line_is_answered_before_the_next_is_read(self):
        with subprocess.Popen([SOTTO, *map(str, BASE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            for _ in range(3):
                process.stdin.write("1 0 0\n")
                process.stdin.flush()
                self.assertEqual(len(process.stdout.readline().split()), 3)
            process.stdin.close()

    def test_json_says_the_same(self):
        plain = sotto(*BASE, "--seed", 2, "--count", 4, stdin="1 0 0\n")
        objects = sotto(*BASE, "--seed", 2, "--count", 4, "--json", stdin="1 0 0\n")
        self.assertEqual([json.loads(line) for line in objects.stdout.splitlines()], rows(plain))
        raw = sotto(*BASE, "--seed", 2, "--json", "--header", "--format", "raw", stdin="1 0 0\n").stdout.splitlines()
        self.assertEqual((json.loads(raw[0])["M"], set(json.loads(raw[1]))), (64, {"nonce", "index"}))
        yardstick = sotto("privatise", "--mechanism", "privunit", "--dim", 3, "--epsilon", 1, "--json", "--header",
                          stdin="1 0 0\n").stdout.splitlines()
        self.assertIsNone(json.loads(yardstick[0])["spec_id"])

    def test_header_of_codebook(self):
        result = sotto(*BASE, "--header", stdin="1 0 0\n")
        self.assertRegex(result.stdout, r"^# spec_id=[0-9a-f]{32} M=64 k=24 w_top=729683222 "
                                        r"w_rest=268435456 B=[\d.]+ sigma=- step=-\n")

    def test_raw_and_vector_are_the_same_report(self):
        seeded = (*BASE, "--seed", 7, "--count", 20, "--codebook-size", 16)
        raw, vector = sotto(*seeded, "--header", "--format", "raw", stdin="1 2 2\n"), sotto(*seeded, stdin="1 2 2\n")
        spec_id = bytes.fromhex(re.search(r"spec_id=(\w+)", raw.stdout).group(1))
        scale = float(re.search(r" B=(\S+)", raw.stdout).group(1))
        for line, estimate in zip(raw.stdout.splitlines()[1:], rows(vector), strict=True):
            nonce, index = line.split()
            expected = codeword(spec_id, bytes.fromhex(nonce), 3, 16, int(index))
            for got, integer in zip(estimate, expected, strict=True):
                self.assertAlmostEqual(got, scale * integer / 2**30, delta=1e-15 * scale)

    def test_a_seed_repeats_and_warns_and_no_seed_does_neither(self):
        seeded = [sotto(*BASE, "--seed", 3, stdin="1 0 0\n") for _ in range(2)]
        self.assertEqual(seeded[0].stdout, seeded[1].stdout)
        self.assertIn("lab only", seeded[0].stderr)
        self.assertEqual(sotto(*BASE, "--seed", 3, "--quiet", stdin="1 0 0\n").stderr, "")
        free = [sotto(*BASE, "--format", "raw", stdin="1 0 0\n") for _ in range(2)]
        self.assertNotEqual(free[0].stdout, free[1].stdout)
        self.assertEqual(free[0].stderr, "")

    def test_the_system_s_randomness_gives_unbiased_estimates(self):
        """20,000 fresh draws of each mechanism: |z| < 5.5 on every coordinate, false alarm 1e-6."""
        truth, count = (0.5, -0.4, 0.3), 20000
        for mechanism in ("codebook", "l2ball", "privunit", "gaussian", "laplace"):
            result = sotto("privatise", "--mechanism", mechanism, "--dim", 3, "--epsilon", 2, "--count", count,
                           stdin=" ".join(map(str, truth)) + "\n")
            columns = list(zip(*rows(result)))
            for column, wanted in zip(columns, truth):
                mean = sum(column) / count
                variance = sum((x - mean) ** 2 for x in column) / (count - 1)
                self.assertLess(abs(mean - wanted), 5.5 * math.sqrt(variance / count), mechanism)

    def test_inputs_are_clipped_to_the_radius(self):
        seeded = ("privatise", "--mechanism", "codebook", "--dim", 2, "--epsilon", 3, "--seed", 5, "--count", 200)
        far, near = sotto(*seeded, stdin="300 400\n"), sotto(*seeded, stdin="0.6 0.8\n")
        self.assertEqual(far.stdout, near.stdout)

    def test_a_terminal_shows_progress_unless_told_to_be_quiet(self):
        for quiet in ((), ("--quiet",)):
            found = on_terminal(*BASE, "--count", 150000 // SLOWER, *quiet, stdin=b"1 0 0\n")
            if found is None:
                self.skipTest("no terminal to be had here")
            self.assertEqual((found[0], b" reports, " in found[1]), (0, not quiet))

    def test_help_shows_every_option_and_an_example(self):
        result = sotto("privatise", "--help")
        self.assertEqual(result.returncode, 0)
        for word in ("--mechanism", "--epsilon", "0.01 to 50", "others: to 8", "--delta", "--seed", "examples:", "echo"):
            self.assertIn(word, " ".join(result.stdout.split()))


class Noise(unittest.TestCase):
    """gaussian and laplace: ticks, and a scale that is what the promise needs."""

    def run_noise(self, *words, stdin):
        result = sotto(*words, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_sigma_is_the_analytic_one_within_a_tick(self):
        """Of the diameter 2 R and of rounding, step sqrt(dim): rounded up, and one tick to spare."""
        for dim, epsilon, delta, radius in [(1, 1, 1e-6, 1), (3, 0.5, 1e-7, 2), (20, 8, 1e-6, 0.25), (5, 50, 1e-12, 1),
                                            (1024, 1, 1e-6, 1), (4, 0.01, 1e-6, 1e3), (2, 3, 0.001, 1), (2, 3, 0.5, 1)]:
            weak = ("--allow-weak-delta",) if delta > 1e-6 else ()
            result = self.run_noise(*noise("gaussian", dim, epsilon, "--delta", delta, "--radius", radius, "--header"),
                                    *weak, stdin="0 " * dim + "\n")
            sigma, step, ticks = constants(result)
            needed = gaussian_sigma(epsilon, delta, 2 * radius + step * math.sqrt(dim))
            self.assertEqual(math.frexp(step)[0], 0.5)  # a power of two
            self.assertEqual(ticks, int(ticks))
            self.assertTrue(2**10 <= ticks <= 2**24)
            self.assertTrue(1 <= ticks - needed / step < 2.05, (ticks, needed / step))

    def test_b_of_laplace_is_the_l1_diameter_over_epsilon(self):
        for dim, epsilon, radius in [(1, 1, 1), (3, 0.5, 2), (20, 50, 0.25), (1024, 0.01, 1)]:
            result = self.run_noise(*noise("laplace", dim, epsilon, "--radius", radius, "--header"),
                                    stdin="0 " * dim + "\n")
            _, step, ticks = constants(result)
            needed = (2 * radius * math.sqrt(dim) + step * dim) / epsilon / step
            self.assertEqual(ticks, int(ticks))
            self.assertTrue(1 <= ticks - needed < 2.0001, (ticks, needed))

    def test_delta_of_laplace_changes_nothing(self):
        plain = self.run_noise(*noise("laplace", 2, 1, "--seed", 1, "--quiet", "--header"), stdin="1 0\n")
        given = self.run_noise(*noise("laplace", 2, 1, "--seed", 1, "--quiet", "--header", "--delta", 1e-9), stdin="1 0\n")
        self.assertEqual(plain.stdout, given.stdout)

    def test_the_default_delta_is_a_millionth(self):
        words = noise("gaussian", 2, 1, "--seed", 1, "--quiet", "--header")
        self.assertEqual(self.run_noise(*words, stdin="1 0\n").stdout,
                         self.run_noise(*words, "--delta", 1e-6, stdin="1 0\n").stdout)

    def test_raw_ticks_times_the_step_are_the_vector(self):
        for mechanism in ("gaussian", "laplace"):
            words = noise(mechanism, 3, 2, "--seed", 9, "--quiet", "--count", 50, "--header")
            vector = self.run_noise(*words, stdin="1 2 2\n")
            raw = self.run_noise(*words, "--format", "raw", stdin="1 2 2\n")
            json_raw = self.run_noise(*words, "--format", "raw", "--json", stdin="1 2 2\n").stdout.splitlines()
            _, step, _ = constants(raw)
            ticks = [[int(t) for t in line.split()] for line in raw.stdout.splitlines()[1:]]
            self.assertEqual(len(ticks), 50)
            self.assertEqual([[t * step for t in row] for row in ticks], rows(vector))
            self.assertEqual([json.loads(line) for line in json_raw[1:]], ticks)
            header = json.loads(json_raw[0])
            self.assertEqual((header["step"], header["B"], header["spec_id"], header["M"]), (step, 1, None, None))

    def test_the_spread_is_that_of_the_header(self):
        """20,000 fresh draws: the variance within 5.5 standard errors, false alarm 1e-6 for two tests."""
        for mechanism, fourth in (("gaussian", 3), ("laplace", 6)):
            result = self.run_noise(*noise(mechanism, 2, 1, "--count", 20000, "--header"), stdin="0.5 -0.5\n")
            sigma, _, _ = constants(result)
            variance = sigma**2 * (2 if mechanism == "laplace" else 1)
            squares = [(row[0] - 0.5)**2 for row in rows(result)]
            self.assertLess(abs(sum(squares) / 20000 / variance - 1), 5.5 * math.sqrt((fourth - 1) / 20000), mechanism)

    def test_inputs_are_clipped_and_strange_numbers_replaced(self):
        for mechanism in ("gaussian", "laplace"):
            words = noise(mechanism, 2, 3, "--seed", 5, "--quiet", "--format", "raw", "--count", 20)
            for given, same in (("300 400", "0.6 0.8"), ("nan 1", "0 1"), ("inf -inf", "0 0"), ("1e308 0", "1 0"),
                                ("5e-324 0", "0 0")):
                self.assertEqual(self.run_noise(*words, stdin=given + "\n").stdout,
                                 self.run_noise(*words, stdin=same + "\n").stdout, given)


if __name__ == "__main__":
    unittest.main()
