"""Specs, terms and policies: fields by name, the same bytes as C, faults in words."""

import copy
import os
import pickle
import subprocess
import tempfile
import unittest

import sotto


class Specs(unittest.TestCase):
    def test_faults_name_the_field_its_value_and_what_is_allowed(self):
        for fields, why in (({"dim": 0}, "dim = 0: allowed 1 to 1024"),
                            ({"epsilon": float("nan")}, "epsilon = nan: expected"),
                            ({"epsilom": 1}, "did you mean 'epsilon'"),
                            ({"reward_kind": "binar"}, "did you mean 'binary'"),
                            ({"measure": 0.6}, "measure = 0.6: allowed"), ({"measure": -1}, "measure = -1"),
                            ({"dim": 1.5}, "dim = 1.5: expected a whole number"),
                            ({"link": 1}, "link = 1: allowed identity"),
                            ({"method": "ldp-sgd", "score": "sign"}, "score")):
            with self.subTest(fields=fields), self.assertRaises(sotto.FaultError) as caught:
                sotto.Spec(**fields)
            self.assertIn(why, str(caught.exception))

    def test_fields_can_be_read_and_are_fixed(self):
        spec = sotto.Spec(dim=3, arms=4, reward_kind="binary", measure=0.1)
        self.assertEqual((3, 4, "logit", 0.0), (spec.dim, spec.arms, spec.link, spec.delta))
        self.assertAlmostEqual(0.1, spec.measure, places=9)
        self.assertIn("epsilon", dir(spec))
        with self.assertRaisesRegex(AttributeError, "did you mean 'epsilon'"):
            spec.epsilom
        self.assertEqual(5, spec.replace(dim=5).dim)
        self.assertEqual(3, spec.dim)

    def test_equal_copied_and_pickled(self):
        spec = sotto.Spec(dim=3, measure=0.25)
        self.assertEqual(spec, sotto.Spec(dim=3, measure=0.25))
        self.assertNotEqual(spec, sotto.Spec(dim=4, measure=0.25))
        self.assertEqual(spec, pickle.loads(pickle.dumps(spec)))
        self.assertEqual(spec, eval(repr(spec), {"Spec": sotto.Spec}))
        self.assertEqual(1, len({spec, copy.deepcopy(spec)}))


class TermsOfSpecs(unittest.TestCase):
    def test_the_same_terms_as_the_command_line(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "terms")
            subprocess.run([os.environ["SOTTO"], "inspect", "spec", "--dim", "3", "--arms", "4", "--epsilon", "2",
                            "--measure",
                            "0.1", "--out", path], check=True, capture_output=True)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), sotto.Spec(dim=3, arms=4, epsilon=2, measure=0.1).terms().to_bytes())

    def test_bytes_there_and_back(self):
        for fields in ({}, {"reward_kind": "binary"}, {"parameters": "per-arm", "dim": 2, "arms": 3},
                       {"method": "ldp-ucb", "score": "moments", "delta": 1e-6}, {"version": 2}):
            with self.subTest(fields=fields):
                terms = sotto.Spec(**fields).terms()
                again = sotto.Terms.from_bytes(terms.to_bytes())
                self.assertEqual((terms, terms.id, terms.spec), (again, again.id, again.spec))
                self.assertEqual(hash(terms), hash(pickle.loads(pickle.dumps(terms))))
                self.assertEqual(32, len(terms.id))
                self.assertTrue(terms.constants)

    def test_other_bytes_are_refused(self):
        data = sotto.Spec().terms().to_bytes()
        for bad in (b"", data[:-1], data + b"x", b"x" * len(data), data[:100] + bytes(len(data) - 100)):
            with self.assertRaises(sotto.FrameError):
                sotto.Terms.from_bytes(bad)
        for bad in (None, "text", 5, [1, 2]):
            with self.assertRaisesRegex(sotto.FaultError, "expected bytes"):
                sotto.Terms.from_bytes(bad)
        with self.assertRaisesRegex(sotto.FaultError, "version = 1: this library supports only terms of version 2"):
            sotto.Spec(version=1).terms()
        with self.assertRaisesRegex(sotto.FaultError, "expected a sotto.Spec"):
            sotto.Terms({"dim": 2})

    def test_what_shuffling_adds(self):
        terms = sotto.Terms(sotto.Spec(dim=20, arms=3, epsilon=2))
        found = terms.shuffled(1000)
        self.assertAlmostEqual(found.epsilon, 0.3411, delta=2e-4)
        self.assertIn("a party other than the server", str(found))
        self.assertLess(terms.shuffled(1000, delta=1e-3).epsilon, found.epsilon)
        for why, call in (("reports = 0", lambda: terms.shuffled(0)), ("delta = 0:", lambda: terms.shuffled(10, delta=0)),
                          ("not for lattice", lambda: sotto.Terms(sotto.Spec(method="ldp-ols", score="moments", delta=1e-6)).shuffled(10))):
            with self.assertRaisesRegex(sotto.FaultError, why):
                call()

    def test_shapes_and_words(self):
        shared, own = sotto.Spec(dim=2, arms=3).terms(), sotto.Spec(dim=2, arms=3, parameters="per-arm").terms()
        self.assertEqual(((3, 2), (2,), (2,), (3, 2)), (shared.context_shape, shared.theta_shape, own.context_shape,
                                                        own.theta_shape))
        self.assertIn("epsilon 1 and delta 0 per report, of 42 bytes", str(shared))
        self.assertIn(shared.id, repr(shared))
        self.assertFalse(hasattr(shared, "nothing"))


class Policies(unittest.TestCase):
    def test_limits(self):
        policy = sotto.Policy(epsilon_lifetime=float("inf"), methods_allowed=["sotto", "ldp-sgd"])
        self.assertEqual((float("inf"), ["sotto", "ldp-sgd"]), (policy.epsilon_lifetime, policy.methods_allowed))
        self.assertEqual(policy, pickle.loads(pickle.dumps(policy)))
        self.assertEqual(hash(policy), hash(copy.copy(policy)))

    def test_faults(self):
        for fields, why in (({"epsilon_lifetime": 0}, "epsilon_lifetime = 0"), ({"epsilon_per_report_max": 51}, "51"),
                            ({"epsilon": 1}, "no such setting"),
                            ({"methods_allowed": ["soto"]}, "did you mean 'sotto'")):
            with self.assertRaises(sotto.FaultError) as caught:
                sotto.Policy(**fields)
            self.assertIn(why, str(caught.exception))

    def test_refusals_in_words(self):
        self.assertIsNone(sotto.Policy().refusal(sotto.Spec()))
        self.assertRegex(sotto.Policy().refusal(sotto.Spec(epsilon=4)), "epsilon = 4")
        self.assertRegex(sotto.Policy().refusal(sotto.Spec(measure=0.3)), "measure")


if __name__ == "__main__":
    unittest.main()
