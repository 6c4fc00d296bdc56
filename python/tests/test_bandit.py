"""An estimator after scikit-learn's conventions: its checks that apply, and what it learns."""

import functools
import pickle
import subprocess
import sys
import unittest
import unittest.mock
import warnings

import numpy
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import sotto

# They compare two fits, or ask for what 300 private reports cannot give: _more_tags of the estimator says why for each.
CANNOT = {"check_fit_idempotent", "check_classifier_data_not_an_array", "check_supervised_y_2d",
          "check_classifiers_classes"}
SKIPPED = {"check_pipeline_consistency"}  # scikit-learn skips it itself: two fits again


def rows(count, seed=1):
    generator = numpy.random.default_rng(seed)
    X = generator.normal(size=(count, 2))
    return X, numpy.where(X[:, 0] > 0, "right", "left")


class Checks(unittest.TestCase):
    def test_checks_of_scikit_learn(self):
        skipped, passed = set(), 0
        for estimator, check in estimator_checks.check_estimator(sotto.PrivateBandit(), generate_only=True):
            name = check.func.__name__ if isinstance(check, functools.partial) else check.__name__
            with self.subTest(check=name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    check(estimator)
                    passed += 1
                except unittest.SkipTest:
                    skipped.add(name)
        self.assertEqual(CANNOT | SKIPPED, skipped)
        self.assertGreater(passed, 30)

    def test_one_model_predicts_the_same_in_any_order_and_in_parts(self):
        for check in (estimator_checks.check_methods_sample_order_invariance,
                      estimator_checks.check_methods_subset_invariance):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check("PrivateBandit", sotto.PrivateBandit(epsilon=8))

    def test_the_learner_is_told_how_many_rows_there_will_be(self):
        X, y = rows(50)
        for given, told in ((None, 50), (1000, 1000)):
            with unittest.mock.patch("sotto._bandit.Learner", wraps=sotto.Learner) as made:
                sotto.PrivateBandit(horizon=given).fit(X, y)
            self.assertEqual(told, made.call_args.args[1])

    def test_a_column_of_labels_is_taken_with_a_warning(self):
        X, y = rows(50)
        with self.assertWarns(DataConversionWarning):
            sotto.PrivateBandit().fit(X, y[:, None])

    def test_scikit_learn_is_loaded_when_it_is_asked_for(self):
        script = ("import sys, sotto; print('sklearn' in sys.modules); sotto.PrivateBandit; "
                  "print('sklearn' in sys.modules); print(hasattr(sotto, 'nothing'))")
        printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        self.assertEqual(["False", "True", "False"], printed.split())
        script = ("import sys; sys.modules['sklearn'] = None; import sotto\n"
                  "try:\n    sotto.PrivateBandit\nexcept ImportError as fault:\n    print(fault)")
        printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        self.assertRegex(printed, "^sotto.PrivateBandit needs scikit-learn.*: `pip install scikit-learn`, or Debian's "
                                  "python3-sklearn$")


class Learning(unittest.TestCase):
    def test_it_learns_from_labels(self):
        X, y = rows(10000)
        bandit = make_pipeline(StandardScaler(), sotto.PrivateBandit(epsilon=2)).fit(X, y)
        self.assertGreater(bandit.score(*rows(2000, 2)), 0.7)
        self.assertEqual((["left", "right"], 10000), (bandit[-1].classes_.tolist(), bandit[-1].learner_.model.reports))

    def test_it_learns_bit_by_bit(self):
        X, y = rows(10000)
        bandit = sotto.PrivateBandit(epsilon=2, horizon=10000)
        for at in range(0, 10000, 2000):
            bandit.partial_fit(X[at:at + 2000], y[at:at + 2000], classes=["right", "left"])
        self.assertGreater(bandit.score(*rows(2000, 2)), 0.7)

    def test_it_learns_from_rewards(self):
        X, _ = rows(10000)
        rewards = numpy.stack([X[:, 0] > 0, X[:, 0] <= 0, numpy.zeros(10000)], axis=1).astype(float)
        bandit = sotto.PrivateBandit(epsilon=2, horizon=10000).partial_fit(X, classes=[0, 1, 2], rewards=rewards)
        X, _ = rows(2000, 2)
        self.assertGreater((bandit.predict(X) == (X[:, 0] <= 0)).mean(), 0.65)

    def test_it_predicts_what_devices_play(self):
        X, y = rows(5000)
        bandit = sotto.PrivateBandit(epsilon=2, fit_intercept=False).fit(X, y)
        one = sotto.Client(sotto.Policy(epsilon_lifetime=numpy.inf)).join(bandit.terms_)
        played = []
        for row in X[:100]:
            one.begin(bandit.learner_.model)
            played.append(one.decide(row))
        self.assertEqual(bandit.predict(X[:100]).tolist(), bandit.classes_[played].tolist())

    def test_copies(self):
        X, y = rows(3000)
        bandit = sotto.PrivateBandit(epsilon=2).fit(X, y)
        self.assertEqual(bandit.get_params(), clone(bandit).get_params())
        again = pickle.loads(pickle.dumps(bandit))
        self.assertEqual(bandit.predict(X).tolist(), again.predict(X).tolist())
        self.assertEqual(3.0, bandit.set_params(epsilon=3.0).epsilon)

    def test_bad_input(self):
        X, y = rows(30)
        with self.assertRaises(NotFittedError):
            sotto.PrivateBandit().predict(X)
        for fit, why in ((lambda: sotto.PrivateBandit(epsilon=99).fit(X, y), "epsilon = 99"),
                         (lambda: sotto.PrivateBandit(method="soto").fit(X, y), "did you mean 'sotto'"),
                         (lambda: sotto.PrivateBandit(spec={"dim": 5}).fit(X, y), "dim follows"),
                         (lambda: sotto.PrivateBandit(learning={"epok": 5}).fit(X, y), "did you mean 'epoch'"),
                         (lambda: sotto.PrivateBandit().fit(X, ["one"] * 30), "1 class"),
                         (lambda: sotto.PrivateBandit().partial_fit(X, y), "classes: must be given"),
                         (lambda: sotto.PrivateBandit().partial_fit(X, y, classes=["left", "up"]), "y has 'right'"),
                         (lambda: sotto.PrivateBandit().partial_fit(X, classes=[0, 1], rewards=numpy.ones((30, 3))),
                          "shape"),
                         (lambda: sotto.PrivateBandit().fit(X, y).partial_fit(X, y, classes=["a", "b"]),
                          "expected those of the first"),
                         (lambda: sotto.PrivateBandit().fit(X, y).predict(X[:, :1]), "features"),
                         (lambda: sotto.PrivateBandit().fit(X * numpy.nan, y), "NaN")):
            with self.subTest(why=why), self.assertRaisesRegex(ValueError, why):
                fit()

    def test_columns_of_other_scales_are_warned_of(self):
        X, y = rows(500)
        with self.assertWarnsRegex(UserWarning, "standard deviations from .* scale X first"):
            sotto.PrivateBandit().fit(X * [1, 1000], y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sotto.PrivateBandit().fit(X * [1, 5], y)


if __name__ == "__main__":
    unittest.main()
