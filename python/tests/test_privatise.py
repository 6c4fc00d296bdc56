"""Private reports: the numbers of `sotto privatise`, shapes, and vectors that cannot be used."""

import os
import subprocess
import unittest
import warnings

import numpy

import sotto

SOTTO = os.environ["SOTTO"]
MECHANISMS = ("codebook", "l2ball", "privunit", "gaussian", "laplace")


def command_line(X, *words):
    lines = "\n".join(" ".join(f"{number:.17g}" for number in row) for row in X)
    ran = subprocess.run([SOTTO, "privatise", "--dim", str(X.shape[1]), "--epsilon", "1", "--quiet", *map(str, words)],
                         check=True,
                         input=lines, capture_output=True, text=True)
    return [line.split() for line in ran.stdout.splitlines()]


def privatise(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sotto.privatise(X, epsilon=1, **options)


class Reports(unittest.TestCase):
    def setUp(self):
        self.X = numpy.random.default_rng(1).normal(size=(5, 3))

    def test_estimates_are_those_of_the_command_line(self):
        for name in MECHANISMS:
            for count in (None, 3):
                printed = command_line(self.X, "--mechanism", name, "--seed", 7, "--count", count or 1)
                found = privatise(self.X, mechanism=name, seed=7, count=count)
                self.assertEqual((5, 3) if count is None else (5, 3, 3), found.shape)
                numpy.testing.assert_array_equal(numpy.array(printed, dtype=float), found.reshape(-1, 3), name)

    def test_options_are_those_of_the_command_line(self):
        for words, options in ((["--mechanism", "codebook", "--codebook-size", 16, "--radius", 2],
                                {"codebook_size": 16, "radius": 2}),
                               (["--mechanism", "gaussian", "--delta", 0.01, "--allow-weak-delta"],
                                {"mechanism": "gaussian", "delta": 0.01, "allow_weak_delta": True})):
            printed = command_line(self.X, *words, "--seed", 7)
            numpy.testing.assert_array_equal(numpy.array(printed, dtype=float), privatise(self.X, seed=7, **options))

    def test_raw_reports_are_those_of_the_command_line(self):
        for name in MECHANISMS:
            if name == "privunit":
                continue
            printed = command_line(self.X, "--mechanism", name, "--seed", 7, "--count", 2, "--format", "raw")
            found = privatise(self.X, mechanism=name, seed=7, count=2, format="raw")
            if found.nonce is None:
                self.assertEqual((5, 2, 3), found.value.shape)
                self.assertEqual(printed, found.value.reshape(-1, 3).astype(str).tolist())
            else:
                self.assertEqual(((5, 2, 16), (5, 2)), (found.nonce.shape, found.value.shape))
                mine = [[nonce.tobytes().hex(), str(value)] for nonce,
                        value in zip(found.nonce.reshape(-1, 16), found.value.ravel())]
                self.assertEqual(printed, mine)

    def test_one_vector(self):
        self.assertEqual((3,), privatise(self.X[0]).shape)
        self.assertEqual((2, 3), privatise(self.X[0], count=2).shape)
        self.assertEqual(((16,), ()), tuple(part.shape for part in privatise(self.X[0], format="raw")))
        self.assertEqual((0, 3), privatise(numpy.zeros((0, 3))).shape)

    def test_without_a_seed_no_two_reports_are_the_same(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one, other = (sotto.privatise(self.X, radius=5, epsilon=1, mechanism="privunit") for _ in range(2))
        self.assertFalse((one == other).any())

    def test_clipped_vectors_are_warned_of(self):
        with self.assertWarnsRegex(UserWarning, "1 of 2 vectors was longer than radius = 1 and clipped to it"):
            sotto.privatise([[3.0, 4.0], [0.6, 0.8]], epsilon=1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sotto.privatise([[3.0, 4.0], [0.6, 0.8]], epsilon=1, radius=5)

    def test_a_seed_is_warned_of(self):
        with self.assertWarnsRegex(UserWarning, "lab only: seeded reports are not private"):
            sotto.privatise(self.X, epsilon=1, seed=1)

    def test_estimates_are_unbiased(self):
        x = numpy.array([0.6, -0.3])
        for name in MECHANISMS:
            found = privatise(x, mechanism=name, count=20000, seed=1)
            error = (found.mean(axis=0) - x) / (found.std(axis=0) / 20000**0.5)
            self.assertLess(abs(error).max(), 5, name)  # the seed is fixed

    def test_arrays_of_any_kind(self):
        wide = numpy.arange(12.0).reshape(3, 4) / 12
        wanted = privatise(wide[:, ::2].copy(), seed=1)
        for given in (wide[:, ::2], wide[:, ::2].tolist(), numpy.asfortranarray(wide[:, ::2])):
            numpy.testing.assert_array_equal(wanted, privatise(given, seed=1))
        numpy.testing.assert_array_equal(wide, numpy.arange(12.0).reshape(3, 4) / 12)

    def test_bad_arguments_are_refused(self):
        good = numpy.ones((2, 3))
        for X, options, why in (
                ([[1, 2], [3]], {}, "X: expected numbers"), (numpy.ones((2, 2, 2)), {},
                                                             "X has shape (2, 2, 2): expected n x n"),
                (3, {}, "X has shape ()"), ([[1, numpy.nan]], {}, "X[0, 1] = nan: expected finite"),
                ([["a"]], {}, "X: expected numbers"),
                (numpy.array([[1, None]]), {}, "not object"), (numpy.ones((2, 0)), {}, "dim = 0"),
                (numpy.ones((1, 2000)), {}, "dim = 2000"),
                (good, {"mechanism": "codebok"}, "did you mean 'codebook'"),
                (good, {"mechanism": None}, "mechanism = None: allowed"),
                (good, {"count": 0}, "count = 0: allowed 1"),
                (good, {"format": "json"}, "format = 'json': allowed vector, raw"),
                (good, {"format": "raw", "mechanism": "privunit"}, "privunit has no report"),
                (good, {"radius": -1}, "radius = -1"),
                (good, {"codebook_size": 3}, "codebook_size = 3"),
                (good, {"seed": 2**64}, "seed = 18446744073709551616"),
                (good, {"mechanism": "gaussian", "delta": 0.1}, "delta = 0.1")):
            with self.subTest(options=options, why=why), self.assertRaises(sotto.FaultError) as caught:
                privatise(X, **options)
            self.assertIn(why, str(caught.exception))
        with self.assertRaisesRegex(sotto.FaultError, "epsilon = 9"):
            sotto.privatise(good, epsilon=9)


if __name__ == "__main__":
    unittest.main()
