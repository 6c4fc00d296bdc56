"""Thousands of people at once."""

from __future__ import annotations

import math
from typing import Any, Union

import numpy
from numpy.typing import NDArray

from sotto import _c, errors
from sotto._guard import Guard
from sotto._lab import ffi, lib
from sotto._model import Model
from sotto._terms import Policy, Spec, Terms, policy_of, terms_of


class _Handles:
    """The rounds of many people, each with a client and a ledger in memory of their own; freed together."""

    def __init__(self, terms: Terms, policy: Policy, count: int) -> None:
        ledger, client, round = ffi.new("sotto_ledger **"), ffi.new("sotto_client **"), ffi.new("sotto_round **")
        self.made: list[Any] = []
        self.rounds: list[Any] = []
        self.ledgers: list[Any] = []
        for _ in range(count):
            _c.check(lib.sotto_ledger_memory_new(ledger))
            self.ledgers.append(ledger[0])
            _c.check(lib.sotto_client_new(policy._struct, ledger[0], client))
            self.made.append(client[0])
            _c.check(lib.sotto_round_new(client[0], terms._struct, round))
            self.rounds.append(round[0])

    def __del__(self) -> None:
        for free, handles in ((lib.sotto_round_free, self.rounds), (lib.sotto_client_free, self.made),
                              (lib.sotto_ledger_free, self.ledgers)):
            while handles:
                free(handles.pop())


class People:
    """`count` people in one experiment, each with a policy, a ledger in memory and rounds. Each call of begin, decide
    and finish serves all of them. Randomness is the system's.

        >>> import numpy, sotto
        >>> model = sotto.Model(sotto.Spec(dim=2, arms=3))
        >>> people = sotto.People(model.terms, 500)
        >>> people.begin(model).all()
        True
        >>> arms = people.decide(numpy.ones((500, 3, 2)))
        >>> arms.shape, sorted(set(arms.tolist()))
        ((500,), [0, 1, 2])
        >>> people.finish(numpy.zeros(500)).shape
        (500, 42)

    A slice or a mask of people is People again: `people[:100].begin(model)`. They share ledgers and rounds with the
    others. After each call `status` has a number for each person, 0 if all is well, and `why` counts the sentences of
    the others."""

    def __init__(self, terms: Union[Terms, Spec], count: int, policy: Union[Policy, None] = None) -> None:
        self.terms = terms_of(terms)
        self.policy = policy_of(policy)
        count = _c.whole("count", count, 0, 2**31 - 1)
        sentence = self.policy.refusal(self.terms)
        if sentence is not None:
            raise errors.PolicyError(sentence)
        self._guard = Guard("group of people")
        self._handles = _Handles(self.terms, self.policy, count)
        self._choose(numpy.arange(count))

    def _choose(self, who: NDArray[numpy.intp]) -> None:
        self._who = who
        rounds = self._handles.rounds
        self._rounds = ffi.new("sotto_round *[]", rounds if len(who) == len(rounds) else [rounds[i] for i in who])
        self._status = numpy.zeros(len(who), dtype=numpy.uint32)

    def __getitem__(self, chosen: Any) -> People:
        if isinstance(chosen, (bool, numpy.bool_)):
            raise errors.FaultError(f"people[{chosen}]: expected a number, a slice, a mask, or a list")
        try:
            who = self._who[numpy.array([chosen]) if isinstance(chosen, (int, numpy.integer)) else chosen]
        except IndexError as fault:
            raise IndexError(f"people: {fault}") from None
        if who.ndim != 1 or len(numpy.unique(who)) != len(who):
            raise errors.FaultError("people: expected a slice, a mask, or a list in which nobody is twice")
        part = People.__new__(People)
        part.terms, part.policy, part._guard, part._handles = self.terms, self.policy, self._guard, self._handles
        part._choose(who)
        return part

    def __len__(self) -> int:
        return len(self._who)

    def _settle(self, answer: int) -> None:
        """A failure that is nobody's own is one of the call."""
        if len(self) and not self._status.any():
            _c.check(answer)

    def begin(self, model: Model) -> NDArray[numpy.bool_]:
        """Books a round for each person and returns who takes part: all whose budget covers another report."""
        if not isinstance(model, Model):
            raise errors.FaultError(f"model = {model!r}: expected a sotto.Model")
        if model.terms != self.terms:
            _c.fail(lib.SOTTO_E_SPEC,
                    f"the model belongs to terms {model.terms.id}, and these people to {self.terms.id}")
        with self._guard:
            self._settle(lib.sotto_rounds_begin(self._rounds, len(self), model._pointer, self._statuses()))
            return self.ok

    def decide(self, contexts: Any, *, allow_nan: bool = False) -> NDArray[numpy.int64]:
        """The arm of each person; -1 for those who do not take part in this round. `contexts` has one context per person:
        n x arms x dim, or n x dim with per-arm parameters."""
        shape = self.terms.context_shape
        array = _c.vector("contexts", contexts, len(self), *shape, finite=not allow_nan)
        arms = numpy.empty(len(self), dtype=numpy.uint32)
        with self._guard:
            answer = lib.sotto_rounds_decide(self._rounds, len(self), _c.pointer(array), math.prod(shape),
                                             _c.pointer(arms, "uint32_t"), self._statuses())
            self._settle(answer)
            return numpy.where(self._status == 0, arms.astype(numpy.int64), -1)

    def finish(self, rewards: Any) -> NDArray[numpy.uint8]:
        """The reports, one row of bytes per person; zeros for those who did not take part or were served a fallback. NaN
        stands for a reward that never came."""
        array = _c.vector("rewards", rewards, len(self), finite=False)
        if numpy.isinf(array).any():
            raise errors.FaultError(f"rewards[{numpy.flatnonzero(numpy.isinf(array))[0]}] is infinite: expected finite "
                                    "numbers, or NaN if none came")
        frames = numpy.zeros((len(self), self.terms.report_bytes), dtype=numpy.uint8)
        with self._guard:
            answer = lib.sotto_rounds_finish(self._rounds, len(self), _c.pointer(array), _c.pointer(frames, "uint8_t"),
                                             frames.shape[1], self._statuses())
            self._settle(answer)
        return frames

    def _statuses(self) -> Any:
        return _c.pointer(self._status, "sotto_status")

    @property
    def status(self) -> NDArray[numpy.uint32]:
        """Result of the last call, one number per person: 0 if all is well, otherwise a status of sotto/core.h."""
        return self._status.copy()

    @property
    def ok(self) -> NDArray[numpy.bool_]:
        """For whom the last call succeeded."""
        return numpy.equal(self._status, 0)

    @property
    def why(self) -> dict[str, int]:
        """For how many people the last call failed, by reason."""
        codes, counts = numpy.unique(self._status[self._status != 0], return_counts=True)
        return {_c.text(lib.sotto_status_text(int(code))): int(count) for code, count in zip(codes, counts)}

    @property
    def epsilon(self) -> NDArray[numpy.float64]:
        """The epsilon that each person has spent."""
        with self._guard:
            return numpy.array([lib.sotto_ledger_epsilon(self._handles.ledgers[i]) for i in self._who], dtype=float)

    def __reduce__(self) -> Any:
        raise errors.OrderError("people cannot be copied: what their copies spend would not add up")

    def __repr__(self) -> str:
        return f"<{len(self)} People of terms {self.terms.id}>"
