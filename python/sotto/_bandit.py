"""An estimator after scikit-learn's conventions, which learns from people who report privately. Loads scikit-learn."""

from __future__ import annotations

from typing import Any, Mapping, Union

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import]
from sklearn.utils.multiclass import check_classification_targets  # type: ignore[import]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import]

from sotto import _c, errors
from sotto._coba import one_report_policy, warn_of_scales
from sotto._learner import Learner
from sotto._people import People
from sotto._terms import Spec

_BATCH_MAX = 10000  # people who are there at once


class PrivateBandit(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that learns from bandit feedback under local differential privacy. Each row is a new person,
    whose device plays one class and reports privately whether it was right. The learner sees no row, class or label.

    epsilon         of one report
    method          "sotto" and its rivals (`sotto.Spec`); other methods need their own score in `spec`
    fit_intercept   add a 1 to each row
    horizon         number of rows in all; None: those of `fit`, unknown to `partial_fit`
    spec            more fields of `sotto.Spec`, as a dict. Rows longer than `context_norm_max`, 1, are scaled down, so
                    scale columns first; a warning says if their scales differ much
    learning        settings of `sotto.Learner`, as a dict

        >>> import numpy, sotto
        >>> generator = numpy.random.default_rng(1)
        >>> X = generator.normal(size=(10000, 2))
        >>> y = numpy.where(X[:, 0] > 0, "right", "left")
        >>> bandit = sotto.PrivateBandit(epsilon=2).fit(X, y)
        >>> bandit.score(X, y) > 0.7
        True

    Two fits of the same rows differ: what people report is drawn from the system, and there is no seed. It takes many
    more people than a classifier that sees labels takes rows.

    Attributes: `classes_`, `n_features_in_`, `learner_` (a `sotto.Learner`), `terms_`."""

    classes_: NDArray[Any]
    learner_: Learner
    n_features_in_: int

    def __init__(self, epsilon: float = 1.0, *, method: str = "sotto", fit_intercept: bool = True,
                 horizon: Union[int, None] = None, spec: Union[Mapping[str, Any], None] = None,
                 learning: Union[Mapping[str, Any], None] = None) -> None:
        self.epsilon = epsilon
        self.method = method
        self.fit_intercept = fit_intercept
        self.horizon = horizon
        self.spec = spec
        self.learning = learning

    def _more_tags(self) -> dict[str, Any]:
        """For scikit-learn before 1.6."""
        draws = "compares two fits, which draw other reports from the system: there is no seed"
        return {"non_deterministic": True, "poor_score": True, "_xfail_checks": {
            "check_fit_idempotent": draws,
            "check_classifier_data_not_an_array": draws,
            "check_supervised_y_2d": draws,
            "check_classifiers_classes": "wants every class predicted after 300 rows; private reports need more people",
        }}

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn from 1.6 on."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
        return tags

    # ---- rows

    def _validated(self, X: Any, y: Any = "no_validation", reset: bool = True) -> Any:
        """By scikit-learn, in its words."""
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:
            return self._validate_data(X, y, reset=reset, dtype=numpy.float64)
        return validate_data(self, X, y, reset=reset, dtype=numpy.float64)

    def _contexts(self, X: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        return numpy.hstack([X, numpy.ones((len(X), 1))]) if self.fit_intercept else numpy.ascontiguousarray(X)

    def _begin(self, classes: NDArray[Any], horizon: Union[int, None]) -> None:
        """Forgets everything."""
        if len(classes) < 2:
            raise errors.FaultError(f"y has {len(classes)} class: expected 2 classes or more, to choose from")
        fields = {"reward_kind": "binary", **(self.spec or {})}
        for name in ("dim", "arms", "parameters"):
            if name in fields:
                raise errors.FaultError(f"spec: {name} follows from the rows and classes")
        terms = Spec(dim=self.n_features_in_ + bool(self.fit_intercept), arms=len(classes), parameters="per-arm",
                     epsilon=self.epsilon, method=self.method, **fields).terms()
        self.classes_ = classes
        self.terms_ = terms
        self.learner_ = Learner(terms, horizon, **(self.learning or {}))

    # ---- learning

    def fit(self, X: Any, y: Any) -> PrivateBandit:
        """Learns from labels as bandit feedback: the reward is 1 if the class played is the label, otherwise 0."""
        X, y = self._validated(X, y)
        check_classification_targets(y)
        classes, labels = numpy.unique(y, return_inverse=True)
        warn_of_scales("X", X.std(axis=0))
        self._begin(classes, len(X) if self.horizon is None else self.horizon)
        self._play(X, labels, None)
        self.learner_.publish()
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, *, rewards: Any = None) -> PrivateBandit:
        """Learns from more people. The first call needs `classes`. Instead of labels you may pass `rewards`, one row per
        person and one column per class; the device of a person reads only the reward of the class that it plays."""
        first = not hasattr(self, "learner_")
        if rewards is None:
            X, y = self._validated(X, y, reset=first)
            check_classification_targets(y)
        else:
            X = self._validated(X, reset=first)
        if first:
            if classes is None:
                raise errors.FaultError("classes: must be given with the first partial_fit")
            warn_of_scales("X", X.std(axis=0))
            self._begin(numpy.unique(classes), self.horizon)
        elif classes is not None and not numpy.array_equal(numpy.unique(classes), self.classes_):
            raise errors.FaultError(f"classes = {classes!r}: expected those of the first partial_fit, "
                                    f"{self.classes_.tolist()}")
        if rewards is not None:
            self._play(X, None, _c.vector("rewards", rewards, len(X), len(self.classes_), finite=False))
        else:
            labels = numpy.minimum(numpy.searchsorted(self.classes_, y), len(self.classes_) - 1)
            other = y[self.classes_[labels] != y]
            if len(other):
                raise errors.FaultError(f"y has {other[0]!r}: expected one of the classes {self.classes_.tolist()}")
            self._play(X, labels, None)
        return self

    def _play(self, X: NDArray[numpy.float64], labels: Union[NDArray[Any], None],
              rewards: Union[NDArray[numpy.float64], None]) -> None:
        """Each row is a person who takes part once, under the newest model."""
        learner, contexts, policy = self.learner_, self._contexts(X), one_report_policy(self.terms_)
        at = 0
        while at < len(X):
            more = max(1, min(_BATCH_MAX, learner.wanted - learner.taken, len(X) - at))
            rows = slice(at, at + more)
            people = People(self.terms_, more, policy)
            people.begin(learner.model)
            arms = people.decide(contexts[rows])
            if labels is not None:
                told = (arms == labels[rows]).astype(float)
            else:
                assert rewards is not None
                told = rewards[rows][numpy.arange(more), arms]
            learner.take(people.finish(told)).check()
            learner.publish_if_due()
            at += more

    # ---- predicting

    def predict(self, X: Any) -> NDArray[Any]:
        """The class that a person's device would play under the newest model. Before the first model decides, devices play
        random classes, and `predict` returns the first class."""
        check_is_fitted(self, "learner_")
        contexts = self._contexts(self._validated(X, reset=False))
        model, policy = self.learner_.model, one_report_policy(self.terms_)
        arms = numpy.zeros(len(contexts), dtype=numpy.int64)
        if model.decides:
            for at in range(0, len(contexts), _BATCH_MAX):
                rows = contexts[at:at + _BATCH_MAX]
                people = People(self.terms_, len(rows), policy)
                people.begin(model)
                arms[at:at + _BATCH_MAX] = people.decide(rows)
        return numpy.asarray(self.classes_[arms])
