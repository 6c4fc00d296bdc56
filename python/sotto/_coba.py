"""A learner with the calls that coba's learners have: predict(context, actions) and learn(...)."""

from __future__ import annotations

import collections
import warnings
from typing import Any, Callable, Hashable, Mapping, Sequence, Union

import numpy
from numpy.typing import NDArray

from sotto import _c, errors
from sotto._client import Client, Round
from sotto._lab import lib
from sotto._learner import Learner
from sotto._terms import Policy, Spec, Terms, policy_of

SCALES_MAX = 30  # one column may vary this many times as much as another without a warning
_SCALES_PEOPLE = 100  # whose contexts a learner looks at for that
_OPEN_MAX = 10000  # rounds whose reward is still to come; the oldest is given up


def one_report_policy(terms: Terms) -> Policy:
    """Of people who send one report of these terms, and no other."""
    return Policy(epsilon_per_report_max=terms.epsilon, epsilon_lifetime=terms.epsilon, delta_max=terms.delta,
                  delta_lifetime=min(0.5, 2 * terms.delta), measure_share_max=min(0.5, terms.measure * 1.000001))


def warn_of_scales(what: str, deviations: NDArray[numpy.float64]) -> None:
    """Rows longer than 1 are scaled down whole: a column of large numbers then leaves nothing of the others. Names the line
    that called the caller."""
    spread = deviations[deviations > 0]
    if len(spread) > 1 and spread.max() > SCALES_MAX * spread.min():
        warnings.warn(f"the columns of {what} have standard deviations from {spread.min():.3g} to {spread.max():.3g}, and rows "
                      f"are scaled to length 1, so that small columns vanish: scale {what} first, for example by "
                      "sklearn.preprocessing.StandardScaler", stacklevel=3)


class _Scales:
    """Standard deviations of the numbers of the first people, by Welford's sums: no row is kept."""

    def __init__(self) -> None:
        self.people = self._count = 0
        self._mean: Any = 0.0
        self._squares: Any = 0.0

    def add(self, rows: NDArray[numpy.float64]) -> None:
        self.people += 1
        for row in numpy.atleast_2d(rows):
            self._count += 1
            step = row - self._mean
            self._mean = self._mean + step / self._count
            self._squares = self._squares + step * (row - self._mean)

    def deviations(self) -> NDArray[numpy.float64]:
        found: NDArray[numpy.float64] = numpy.sqrt(numpy.atleast_1d(self._squares / self._count))
        return found


def numbers_of(field: str, value: Any) -> list[float]:
    """The numbers of a context or an action: none, one, or a list of them."""
    if value is None:
        return []
    items = value if isinstance(value, (list, tuple, numpy.ndarray)) else [value]
    found: list[float] = []
    for item in items:
        if isinstance(item, (list, tuple, numpy.ndarray)):
            found += numbers_of(field, item)
        elif isinstance(item, (bool, numpy.bool_)):
            found.append(float(item))
        else:
            try:
                found.append(_c.real(field, item))
            except errors.FaultError:
                raise errors.FaultError(f"{field} = {value!r}: expected numbers; `encode` may turn anything else into "
                                        "some") from None
    return found


def per_arm(context: Any, _: Sequence[Any]) -> list[float]:
    """One vector for all actions: 1, and the numbers of the context."""
    return [1.0, *numbers_of("context", context)]


def shared(context: Any, actions: Sequence[Any]) -> NDArray[numpy.float64]:
    """One row per action: its own numbers, and their products with those of the context."""
    around = numpy.array([1.0, *numbers_of("context", context)])
    rows = [numpy.outer(around, numbers_of("action", action)).ravel() for action in actions]
    if len({len(row) for row in rows}) != 1:
        raise errors.FaultError("actions: expected as many numbers in each")
    return numpy.stack(rows)


class PrivateLearner:
    """A learner for coba's experiments. Each `predict` is a real private round of a new person; `learn` passes the reward
    to that round and takes its report. Contexts, actions and rewards never leave the person.

    parameters   "per-arm" (default): actions are names, and a context describes the person. "shared": actions have
                 numbers; the method uses these and their products with the context
    encode       encode(context, actions) -> numbers, instead: dim numbers, or arms x dim if parameters are shared
    horizon      number of rounds, if known
    policy       of the people; by default it admits one report under these terms
    learning     settings of the learner, as a dict
    ...          fields of `sotto.Spec`: epsilon, method, reward_kind, ...; dim and arms follow from the first call

        >>> import sotto
        >>> learner = sotto.PrivateLearner(epsilon=2, reward_kind="binary")
        >>> action, probability, more = learner.predict((0.3, 0.7), ["left", "middle", "right"])
        >>> learner.learn((0.3, 0.7), action, 1.0, probability, **more)
        >>> learner.learner.taken + learner.learner.model.reports
        1

    With coba: `coba.Experiment(environments, [sotto.PrivateLearner(epsilon=2)])`. Context vectors that are longer than
    `context_norm_max`, 1 by default, are scaled down, so scale the numbers first; after 100 people a warning says if their
    scales differ much. There is no seed."""

    def __init__(self, *, parameters: str = "per-arm", encode: Union[Callable[[Any, Sequence[Any]], Any], None] = None,
                 horizon: Union[int, None] = None, policy: Union[Policy, None] = None,
                 learning: Union[Mapping[str, Any], None] = None, **spec: Any) -> None:
        for name in ("dim", "arms"):
            if name in spec:
                raise errors.FaultError(f"{name}: follows from the first call of predict")
        if spec.get("measure"):
            raise errors.FaultError("measure: not here; measure rounds play other arms than the policy")
        self._fields: dict[str, Any] = {"parameters": parameters, **spec}
        self._terms_fields: dict[str, Any] = {"epoch_lag_max": 16, **self._fields}
        Spec(dim=2, arms=2, **self._terms_fields)  # says what is wrong with them now
        self._encode = encode or (shared if parameters == "shared" else per_arm)
        self._horizon, self._learning = horizon, dict(learning or {})
        self._policy = None if policy is None else policy_of(policy)
        self.learner: Union[Learner, None] = None
        self._arms: Union[list[Hashable], None] = None  # of names: which arm each is
        self._open: collections.OrderedDict[int, tuple[Round, Any]] = collections.OrderedDict()
        self._next = 1
        self._scales: Union[_Scales, None] = _Scales()  # until there were enough people
        self.late = 0

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that coba shows."""
        return {"family": "sotto", **self._fields}

    def _settle(self, rows: NDArray[numpy.float64], actions: Sequence[Any]) -> Learner:
        """The first call says how many arms and numbers there are."""
        if self.learner is None:
            terms = Spec(dim=rows.shape[-1], arms=len(actions), **self._terms_fields).terms()
            self._policy = self._policy or one_report_policy(terms)
            self.learner = Learner(terms, self._horizon, **self._learning)
            if terms.parameters == "per-arm":
                self._arms = [_name(action) for action in actions]
                if len(set(self._arms)) != len(self._arms):
                    self.learner = None
                    raise errors.FaultError(f"actions = {actions!r}: expected no action twice")
        return self.learner

    def _rows(self, context: Any, actions: Sequence[Any]) -> NDArray[numpy.float64]:
        rows = numpy.asarray(self._encode(context, actions), dtype=float)
        if rows.ndim != (2 if self._fields["parameters"] == "shared" else 1):
            raise errors.FaultError(f"encode gave an array of shape {rows.shape}: expected dim numbers, or arms x dim "
                                    "if parameters are shared")
        return rows

    def _order(self, actions: Sequence[Any]) -> list[Any]:
        """The actions as arms have them."""
        if self._arms is None:
            return list(actions)
        here = {_name(action): action for action in actions}
        if len(actions) != len(self._arms) or set(here) != set(self._arms):
            raise errors.FaultError(f"actions = {list(actions)!r}: expected those of the first call, in any order: "
                                    f"{self._arms!r}")
        return [here[name] for name in self._arms]

    def predict(self, context: Any, actions: Sequence[Any]) -> tuple[Any, float, dict[str, int]]:
        """A new person takes part. Returns the action, its probability, and what `learn` needs."""
        if getattr(context, "is_batch", False) or getattr(actions, "is_batch", False):
            raise errors.FaultError("a batch: one person after another, which coba then does by itself")
        actions = list(actions) if actions is not None else []
        rows = self._rows(context, actions)
        learner = self._settle(rows, actions)
        ordered = self._order(actions)
        learner.publish_if_due()  # not in learn: in a batch others began their rounds under the same model
        round = Client(self._policy).join(learner.terms)
        round.begin(learner.model)
        action = ordered[round.decide(rows)]
        if self._scales is not None:
            self._scales.add(rows)
            if self._scales.people == _SCALES_PEOPLE:
                deviations, self._scales = self._scales.deviations(), None
                warn_of_scales("contexts", deviations)
        number, self._next = self._next, self._next + 1
        self._open[number] = (round, _name(action))
        if len(self._open) > _OPEN_MAX:
            self._open.popitem(last=False)
        return action, self._probability(), {"round": number}

    def _probability(self) -> float:
        """A model that decides does so without chance; before that every arm is as likely."""
        assert self.learner is not None
        return 1.0 if self.learner.model.decides else 1 / int(self.learner.terms.arms)

    def score(self, context: Any, actions: Sequence[Any], action: Any) -> float:
        """The probability with which `predict` would choose this action. It learns nothing and sends nothing."""
        chosen, probability, more = self.predict(context, actions)
        del self._open[more["round"]]
        if probability < 1:
            return probability
        return 1.0 if _name(chosen) == _name(action) else 0.0

    def learn(self, context: Any, action: Any, reward: Any, probability: Any = None, round: Union[int, None] = None,
              **_: Any) -> None:
        """Takes the reward of a round and gives its report to the learner, which publishes at the next `predict` if an
        epoch is complete. `None`: no reward came. A report more than `epoch_lag_max` models late, 16 by default, is only
        counted, in `late`."""
        if not isinstance(round, int) or round not in self._open:
            raise errors.OrderError(f"round = {round!r}: learn wants a round that predict began in this process, once; "
                                    "actions of a log are not those that a person's device chose")
        part, played = self._open[round]
        if _name(action) != played:
            raise errors.FaultError(f"action = {action!r}: this round played {played!r}")
        frame = part.finish(reward)
        del self._open[round]
        assert self.learner is not None
        taken = self.learner.take(frame)
        if taken.status[0] == lib.SOTTO_E_EPOCH:
            self.late += 1
        else:
            taken.check()

    def __getstate__(self) -> dict[str, Any]:
        """Without open rounds: a copy of a person would report twice from one draw. Without sums over contexts, too."""
        return {**self.__dict__, "_open": collections.OrderedDict(), "_scales": self._scales and _Scales()}

    def __repr__(self) -> str:
        return f"PrivateLearner({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


def _name(action: Any) -> Any:
    """An action as something that can be looked up."""
    if isinstance(action, numpy.ndarray):
        action = action.tolist()
    if isinstance(action, list):
        return tuple(_name(item) for item in action)
    if isinstance(action, dict):
        return tuple(sorted(action.items()))
    return action
