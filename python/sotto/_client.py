"""A person on a device: rounds of begin, decide and finish, which end in bytes that may leave."""

from __future__ import annotations

import math
import time
import weakref
from typing import Any, Union

import numpy

from sotto import _c, errors
from sotto._lab import ffi, lib
from sotto._ledger import Ledger
from sotto._model import Model
from sotto._terms import Policy, Spec, Terms, policy_of, terms_of


def reward_of(reward: Any) -> float:
    """A reward as C takes it: NaN if none came."""
    if reward is None:
        return math.nan
    if type(reward) is float and math.isfinite(reward):
        return reward
    if isinstance(reward, (bool, numpy.bool_)):
        return float(reward)
    if isinstance(reward, (float, numpy.floating)) and math.isnan(reward):
        return math.nan
    found = _c.real("reward", reward)
    if math.isinf(found):
        raise errors.FaultError(f"reward = {reward!r}: expected a finite number, or None if none came")
    return found


class Card:
    """What a person should know before taking part. It is computed from checked terms and the person's own policy and
    ledger, never from what a server says. Its numbers are attributes, as in `sotto_card` of sotto/client.h. `version`,
    `commit` and `sources`, a SHA-256, are what the library says about itself: no proof.

        >>> import sotto
        >>> print(sotto.Client().card(sotto.Spec(dim=2, arms=3)))
        What leaves:    one report of 42 bytes per round, and nothing else.
        What it tells:  one report changes anyone's odds on what you did by at most a factor of e^1 = 2.72.
        Spent before:   nothing.
        Left:           8 more rounds of this experiment, within epsilon 8 for a lifetime.
        This program:   sotto ..., commit ..., sources .... This is self-reported."""

    def __init__(self, terms: Terms, policy: Policy, ledger: Any) -> None:
        out = ffi.new("sotto_card *")
        status = lib.sotto_card_make(terms._struct, policy._struct, ledger, out)
        _c.check(status, _c.fault(lib.sotto_terms_fault, terms._struct))
        self._numbers = {**_c.get(out[0]), "version": _c.text(lib.sotto_version()), "commit": _c.text(lib.sotto_commit()),
                         "sources": _c.text(lib.sotto_sources())}
        self.refusal = policy.refusal(terms)

    def fields(self) -> dict[str, Any]:
        """All attributes by name."""
        return dict(self._numbers)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._numbers:
            raise AttributeError(f"Card has no {name!r}")
        return self._numbers[name]

    def __str__(self) -> str:
        odds = self.odds_factor
        rows = [("What leaves", f"one report of {self.report_bytes} bytes per round, and nothing else.")]
        if self.reward_window_s or self.send_spread_s:
            rows.append(("When",
                         f"{self.reward_window_s} s after the round begins, and up to {self.send_spread_s} s later, "
                         "by chance."))
        more = f" The chance that it changes them by more is about {self.delta:.3g}." if self.delta else ""
        rows.append(("What it tells",
                     "one report changes anyone's odds on what you did by at most a factor of "
                     f"e^{self.epsilon:.4g} = {odds:.{3 if odds < 100 else 4}g}.{more}"))
        if self.measure_share:
            rows.append(("Measuring",
                         f"{100 * self.measure_share:.3g} % of the rounds measure how good the choices are. "
                         "Half of these play an arm at random."))
        spent = "nothing."
        if self.rounds_before:
            spent = (f"{self.rounds_before} rounds of all experiments: epsilon {self.epsilon_before:.4g} by the sum, "
                     f"{self.epsilon_before_optimal:.4g} by optimal composition at delta {self.delta_lifetime:.3g}.")
        rows.append(("Spent before", spent))
        if self.refused:
            rows.append(("Refused", f"{self.refusal}."))
        else:
            more = "or more" if self.rounds_left == lib.SOTTO_CARD_ROUNDS_MAX else "more"
            rows.append(("Left", f"{self.rounds_left} {more} rounds of this experiment, within epsilon "
                         f"{self.epsilon_lifetime:g} for a lifetime."))
        rows.append(("This program",
                     f"sotto {self.version}, commit {self.commit}, sources {self.sources}. This is self-reported."))
        return "\n".join(f"{label + ':':<16}{words}" for label, words in rows)

    def __repr__(self) -> str:
        return f"<Card: epsilon {self.epsilon:g}, {self.rounds_left} rounds left>"


class Client:
    """A person: a policy, a ledger, and the system's randomness. There is no seed.

    policy   the person's limits; default `sotto.Policy()`
    ledger   what was spent; default: one in memory. All experiments of a person share one ledger.

        >>> import sotto
        >>> person = sotto.Client()
        >>> learner = sotto.Learner(sotto.Spec(dim=2, arms=3))
        >>> round = person.join(learner.terms)
        >>> round.begin(learner.model)
        >>> arm = round.decide([[0.5, 0.1], [0.2, 0.3], [-0.4, 0.2]])
        >>> frame = round.finish(0.7)
        >>> len(frame), person.ledger.epsilon
        (42, 1.0)
        >>> learner.take(frame).taken
        1"""

    def __init__(self, policy: Union[Policy, None] = None, ledger: Union[Ledger, None] = None) -> None:
        self.policy = policy_of(policy)
        if ledger is not None and not isinstance(ledger, Ledger):
            raise errors.FaultError(f"ledger = {ledger!r}: expected a sotto.Ledger")
        self.ledger = Ledger() if ledger is None else ledger
        self._guard = self.ledger._guard
        out = ffi.new("sotto_client **")
        with self._guard:
            _c.check(lib.sotto_client_new(self.policy._struct, self.ledger._pointer, out))
            self._pointer = ffi.gc(out[0], lib.sotto_client_free)
            self.ledger._users.add(self)
        self._rounds: weakref.WeakSet[Round] = weakref.WeakSet()

    def _release(self) -> None:
        for round in list(self._rounds):
            ffi.release(round._pointer)
        ffi.release(self._pointer)

    def join(self, terms: Union[Terms, Spec]) -> Round:
        """This person's part in an experiment. PolicyError if the policy refuses the terms."""
        return Round(self, terms_of(terms))

    def card(self, terms: Union[Terms, Spec]) -> Card:
        """What the person should know before taking part."""
        with self._guard:
            return Card(terms_of(terms), self.policy, self.ledger._pointer)

    def __reduce__(self) -> Any:
        raise errors.OrderError("a client cannot be copied: what its copies spend would not add up")

    def __repr__(self) -> str:
        return f"<Client of {self.ledger!r}>"


class Round:
    """One person's part in one experiment, one round at a time: begin, decide, finish. `Client.join` makes it."""

    def __init__(self, client: Client, terms: Terms) -> None:
        self.client = client
        self.terms = terms
        self._guard = client._guard
        self._ledger = client.ledger
        self._count = math.prod(terms.context_shape)
        self._shape = terms.context_shape
        out = ffi.new("sotto_round **")
        with self._guard:
            status = lib.sotto_round_new(client._pointer, terms._struct, out)
            if status == lib.SOTTO_E_POLICY:
                raise errors.PolicyError(client.policy.refusal(terms) or _c.text(lib.sotto_status_text(status)))
            self._ledger._check(status)
            self._pointer = ffi.gc(out[0], lib.sotto_round_free)
            client._rounds.add(self)
        self._arm = ffi.new("uint32_t *")
        self._frame = ffi.new("uint8_t[]", terms.report_bytes)
        self._bytes = ffi.buffer(self._frame)

    def begin(self, model: Model) -> None:
        """Books a round under a model, before any context is known. A round that is begun and not finished is
        abandoned and stays spent: never abandon one because of a context, an arm or a reward. BudgetError if the person's
        budget does not cover another report."""
        if not isinstance(model, Model):
            raise errors.FaultError(f"model = {model!r}: expected a sotto.Model")
        with self._guard:
            self._ledger._check(lib.sotto_round_begin(self._pointer, model._pointer))

    def _array(self, context: Any, allow_nan: bool) -> Any:
        """A context that C can read. The usual one is recognised at once: the sum of its squares is finite."""
        if (type(context) is numpy.ndarray and context.dtype == numpy.float64 and context.shape == self._shape
                and context.flags.c_contiguous and math.isfinite(numpy.vdot(context, context))):
            return context
        return _c.vector("context", context, *self._shape, finite=not allow_nan)

    def decide(self, context: Any, *, worth: Any = None, allow_nan: bool = False) -> int:
        """The arm to play.

        context     arms x dim numbers, one row per arm, if parameters are shared; otherwise dim numbers
        worth       what a unit of reward is worth, one number per arm, the same for everybody
        allow_nan   count NaN and infinities in a context as 0 instead of raising"""
        array = self._array(context, allow_nan)
        if worth is not None:
            worth = _c.vector("worth", worth, self.terms.arms)
            if (worth < 0).any():
                raise errors.FaultError(f"worth = {worth.tolist()}: expected numbers from 0 on")
            if self.terms.measure > 0:
                raise errors.FaultError("worth: not under terms with measure rounds, which measure the mean reward")
        with self._guard:
            if worth is None:
                numbers = ffi.from_buffer("double[]", array)
                status = lib.sotto_round_decide(self._pointer, numbers, self._count, self._arm)
            else:
                status = lib.sotto_round_decide_worth(self._pointer, _c.pointer(array), self._count, _c.pointer(worth),
                                                      self._arm)
            self._ledger._check(status)
            return int(self._arm[0])

    @property
    def reports(self) -> bool:
        """Whether this round ends in a report. It is False for a learn round under a model that serves a fallback: such
        a round books nothing, `decide` returns the arm that is served, and `hold` and `finish` raise OrderError."""
        with self._guard:
            return bool(lib.sotto_round_reports(self._pointer))

    def finish(self, reward: Any = None) -> bytes:
        """The report, already private: these bytes may leave. If no reward came, pass `None` or NaN; the default reward of
        the terms replaces it. Rewards outside the range are clamped."""
        value = reward_of(reward)
        with self._guard:
            self._ledger._check(lib.sotto_round_finish(self._pointer, value, self._frame, len(self._frame)))
            return bytes(self._bytes)

    def resend(self) -> bytes:
        """The bytes of the last report again, for a retry; with a ledger in a file also after a restart."""
        with self._guard:
            self._ledger._check(lib.sotto_round_resend(self._pointer, self._frame, len(self._frame)))
            return bytes(self._bytes)

    def hold(self, now: Union[float, None] = None) -> float:
        """Call it after begin if this round's reward may come late. `decide` then stores a report of the default reward in the
        ledger, `finish` replaces it, and `seal` returns the bytes to send. Returns the send time in seconds since 1970,
        drawn now from the reward window and the spread of the terms."""
        seconds = time.time() if now is None else _c.real("now", now)
        if math.isinf(seconds):
            raise errors.FaultError(f"now = {now!r}: expected seconds since 1970")
        milliseconds = _c.whole("now in milliseconds", math.floor(seconds * 1000), 1, 2**62)
        out = ffi.new("uint64_t *")
        with self._guard:
            self._ledger._check(lib.sotto_round_hold_at(self._pointer, milliseconds, out))
        return float(out[0] / 1000)

    def seal(self) -> bytes:
        """The bytes to send, which nothing replaces from now on. Call it after finish, or after decide if the round is held."""
        with self._guard:
            self._ledger._check(lib.sotto_round_seal(self._pointer, self._frame, len(self._frame)))
            return bytes(self._bytes)

    def acknowledge(self) -> None:
        """The server has the report, so it is not sent again."""
        with self._guard:
            self._ledger._check(lib.sotto_round_acknowledge(self._pointer))

    @property
    def entry(self) -> int:
        """The number, in the ledger, of the round that was begun last; 0 if there was none."""
        with self._guard:
            return int(lib.sotto_round_entry(self._pointer))

    def __reduce__(self) -> Any:
        raise errors.OrderError("a round cannot be copied: two reports from one draw would tell more than epsilon")

    def __repr__(self) -> str:
        return f"<Round of terms {self.terms.id}>"
