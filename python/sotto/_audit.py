"""Measures how much a mechanism reveals: one of ours, a command, or a function of yours."""

from __future__ import annotations

import html
import inspect
import math
import re
from typing import Any, Callable, Optional

import numpy

from sotto import errors
from sotto._c import check, get, masked, pointer, put, refuse, text
from sotto._frame import frame, html_table, number
from sotto._lab import ffi, lib
from sotto._mechanism import kind_of, settings_of
from sotto._progress import Hearing, Watch, lost
from sotto._rng import Rng

_BATCH_ROWS = 4096
_BATCH_NUMBERS = 2**20
_FAILED = ffi.new("char[]", b"it failed")


# ---- what was found ---------------------------------------------------------------------------


class Audit:
    """The result of an audit. `print` shows it as `sotto audit` does.

    verdict           "no_violation", "violation" or "inconclusive"
    violation         True if the claim is refuted
    epsilon_lower     a lower bound on the true epsilon, at confidence `confidence`
    epsilon_claimed, delta_claimed
    reason            why the audit ended early or is inconclusive, or ""
    rows              one line per comparison, as a DataFrame
    layers            the same as a list of dicts"""

    def __init__(self, subject: str, settings: Any, result: Any, foreign: bool) -> None:
        claim = settings.mechanism
        has_delta = foreign or claim.kind == lib.SOTTO_MECHANISM_GAUSSIAN
        self.mechanism = subject
        self.dim: int = claim.dim
        self.epsilon_claimed: float = claim.epsilon
        self.delta_claimed: float = claim.delta if has_delta else 0.0
        self.epsilon_lower: float = result.epsilon_lower
        self.confidence: float = 1 - settings.alpha
        self.trials: int = settings.trials
        self.alpha: float = settings.alpha
        self.pairs: int = result.pairs
        self.layers: list[dict[str, Any]] = [get(result.row[i]) for i in range(result.rows_count)]
        self.verdict = text(lib.sotto_audit_verdict_name(result.verdict))
        self.violation: bool = result.verdict == lib.SOTTO_AUDIT_VIOLATION
        self.reason = text(result.reason.sentence)
        self.seconds: float = result.seconds
        self.seed: Optional[int] = claim.seed if claim.seeded else None

    @property
    def rows(self) -> Any:
        """The comparisons as a DataFrame: layer, name, statistic, bound, p_value, passed."""
        return frame(self.layers, ["layer", "name", "statistic", "bound", "p_value", "passed"])

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        bound = (f"epsilon >= {self.epsilon_lower:.4g} (claimed {self.epsilon_claimed:g}), with confidence "
                 f"{self.confidence:g}.")
        if self.verdict == "no_violation":
            return f"No violation found: {bound} This does not prove the claim."
        if self.violation:
            failed = sum(not row["passed"] for row in self.layers)
            return f"VIOLATION: {failed} of {len(self.layers)} rows failed; {bound}"
        return f"Inconclusive: {self.reason}."

    def _title(self) -> str:
        return (f"{self.mechanism}, dim {self.dim}, epsilon {self.epsilon_claimed:g}: {self.trials} trials of each of "
                f"{self.pairs} pairs, {self.seconds:.1f} s")

    def __str__(self) -> str:
        lines = [self.sentence, "", self._title()]
        if self.layers:
            lines += ["", f"{'layer':5} {'measured':>10} {'allowed':>10} {'p':>8} passed what"]
            lines += [f"{row['layer']:<5} {number(row['statistic'], 5):>10} {number(row['bound'], 5):>10} "
                      f"{number(row['p_value'], 2):>8} {'ok' if row['passed'] else 'FAILED':>6} {row['name']}"
                      for row in self.layers]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Audit of {self.mechanism}: {self.sentence}>"

    def _repr_html_(self) -> str:
        rows = [[str(row["layer"]), row["name"], number(row["statistic"], 5), number(row["bound"], 5),
                 number(row["p_value"], 2), "ok" if row["passed"] else "FAILED"] for row in self.layers]
        table = html_table(["layer", "what", "measured", "allowed", "p", ""], rows,
                           [not row["passed"] for row in self.layers])
        return (f"<p><b>{html.escape(self.sentence)}</b></p><p>{html.escape(self._title())}</p>{table if rows else ''}")


# ---- a mechanism of your own ------------------------------------------------------------------


def _table_name(function: Any) -> str:
    name = getattr(function, "__name__", None) or type(function).__name__
    return re.sub(r"[^A-Za-z0-9._-]", "", name)[:lib.SOTTO_TABLE_NAME_BYTES - 1] or "callable"


def _rng_by(function: Any) -> str | None:
    """How a function wants its rng: None, not at all; "rng", by that name; "", as its second argument."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C
        return None
    if any(p.name == "rng" and p.kind != p.POSITIONAL_ONLY for p in parameters[1:]):
        return "rng"
    needed = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(needed) > 2:
        raise errors.FaultError(f"mechanism {_table_name(function)} wants {len(needed)} arguments: allowed f(x) or "
                                "f(x, rng)")
    return "" if len(needed) == 2 else None


class _Rehearsal(Rng):
    """Chance for a call whose answer is not used. It is not the lab's."""

    def __init__(self) -> None:
        super().__init__()
        self._source = numpy.random.default_rng(0)

    def bits(self) -> int:
        return int(self._source.integers(2**64, dtype=numpy.uint64))

    def _draw(self, function: Any, size: Any) -> Any:
        return self._source.normal(size=size) if function == lib.sotto_py_stream_normal else self._source.uniform(1e-9, 1, size)


class _Guest:
    """A function that is audited: calls it, checks what it returns, keeps what it raises."""

    def __init__(self, function: Callable[..., Any], dim: int, radius: float, batch: bool) -> None:
        self.function = function
        self.name = _table_name(function)
        self.rng_by = _rng_by(function)
        self.dim, self.batch = dim, batch
        self.rng = Rng()
        self.queues: dict[bytes, list[Any]] = {}
        self.count = 0
        self.error: BaseException | None = None
        self._rehearse(radius)

    def _misfit(self, why: str) -> errors.GuestError:
        return errors.GuestError(f"mechanism {self.name}: {why}")

    def _call(self, x: Any, rng: Rng) -> Any:
        if self.rng_by is None:
            return self.function(x)
        return self.function(x, rng) if self.rng_by == "" else self.function(x, rng=rng)

    def _array(self, answer: Any) -> Any:
        if masked(answer):
            raise self._misfit("some numbers of its answer are masked; expected numbers")
        try:
            found = numpy.asarray(answer)
        except ValueError:
            raise self._misfit("its answer has rows of several lengths; expected numbers") from None
        if found.dtype.kind not in "fiub":
            raise self._misfit(f"its answer is {answer!r:.60}; expected numbers")
        return numpy.ascontiguousarray(found, dtype=numpy.float64)

    def _finite(self, found: Any, shown: Any) -> None:
        if not numpy.isfinite(found).all():
            raise self._misfit(f"its answer is {shown!r:.60}; only finite numbers can be audited")

    def _rehearse(self, radius: float) -> None:
        """Calls once to see how many numbers an answer has."""
        x = numpy.zeros((2, self.dim) if self.batch else self.dim)
        x[..., 0] = radius
        try:
            answer = self._call(x, _Rehearsal())
        except Exception as raised:
            raise self._misfit(f"{type(raised).__name__}: {raised}") from raised
        found = self._array(answer)
        if self.batch:
            if found.ndim not in (1, 2) or found.shape[0] != 2:
                raise self._misfit(f"its answer to 2 vectors has shape {numpy.shape(answer)}: expected (2,) or (2, m)")
            self.count = found.size // 2
        elif numpy.ndim(answer) > 1:
            raise self._misfit(f"its answer has shape {numpy.shape(answer)}: expected a number, or one row of them")
        else:
            self.count = found.size
        if not 1 <= self.count <= lib.SOTTO_ANSWER_COUNT_MAX:
            raise self._misfit(f"its answer has {self.count} numbers: allowed 1 to {lib.SOTTO_ANSWER_COUNT_MAX}")
        self._finite(found, answer)
        self.shape = numpy.shape(answer)

    def draw(self, x: Any, answer: Any) -> None:
        """One answer. x is a copy: what the function does to it does no harm."""
        given = numpy.frombuffer(ffi.buffer(x, 8 * self.dim)).copy()
        returned = self._call(given, self.rng)
        plain = type(returned) is numpy.ndarray and returned.dtype == numpy.float64 and returned.flags.c_contiguous
        found = returned if plain else self._array(returned)
        if (found.shape if plain else numpy.shape(returned)) != self.shape:
            raise self._misfit(f"its answer is {returned!r:.60}, of shape {numpy.shape(returned)}; the first had "
                               f"{self.shape}")
        if not math.isfinite(numpy.vdot(found, found)):  # quick; a finite number may have an infinite square
            self._finite(found, returned)
        ffi.memmove(answer, ffi.from_buffer(found), 8 * self.count)

    def draw_of_batch(self, x: Any, answer: Any) -> None:
        """One answer of a batch of answers to the same x."""
        key = bytes(ffi.buffer(x, 8 * self.dim))
        queue = self.queues.get(key)
        if queue is None or queue[2] == 0:
            if queue is None and len(self.queues) == 2:  # another pair of inputs
                self.queues.clear()
            queue = self.queues[key] = self._fill(key)
        queue[2] -= 1
        ffi.memmove(answer, queue[1] + self.count * queue[2], 8 * self.count)

    def _fill(self, key: bytes) -> list[Any]:
        rows = max(1, min(_BATCH_ROWS, _BATCH_NUMBERS // max(self.dim, self.count)))
        returned = self._call(numpy.tile(numpy.frombuffer(key), (rows, 1)), self.rng)
        found = numpy.array(self._array(returned))  # a copy: the function may write its next answers to the same memory
        wanted = (rows, *self.shape[1:])
        if found.shape != wanted:
            raise self._misfit(f"its answer to {rows} vectors has shape {numpy.shape(returned)}: expected {wanted}")
        self._finite(found, returned)
        return [found, pointer(found), rows]


@ffi.def_extern()  # type: ignore[misc]
def sotto_py_mechanism_make(user: Any, _dim: int, _epsilon: float, _delta: float, _radius: float, answer_count: Any,
                            state: Any, _text: Any) -> Any:
    answer_count[0] = ffi.from_handle(user).count
    state[0] = user
    return ffi.NULL


@ffi.def_extern(error=_FAILED, onerror=lost)  # type: ignore[misc]
def sotto_py_mechanism_draw(state: Any, stream: Any, x: Any, answer: Any, _text: Any) -> Any:
    guest = ffi.from_handle(state)
    guest.rng._stream = stream
    try:
        if guest.batch:
            guest.draw_of_batch(x, answer)
        else:
            guest.draw(x, answer)
    except BaseException as raised:
        guest.error = raised
        return _FAILED
    finally:
        guest.rng._stream = ffi.NULL
    return ffi.NULL


# ---- following it -----------------------------------------------------------------------------


@ffi.def_extern(error=False, onerror=lost)  # type: ignore[misc]
def sotto_py_audit_show(state: Any, done: int, total: int) -> bool:
    return bool(ffi.from_handle(state).hear(done, total))


# ---- the audit --------------------------------------------------------------------------------


def _claim(mechanism: Any, command: str | None, dim: Any, epsilon: Any, seed: Any, **values: Any) -> Any:
    """What is audited and what it claims, as settings of a mechanism; of a name all of them count."""
    if (mechanism is None) == (command is None):
        raise errors.FaultError("mechanism: give a name, a function f(x), or command= instead")
    if command is not None and (not isinstance(command, str) or not command.strip() or "\0" in command):
        raise errors.FaultError(f"command = {command!r}: expected a shell command")
    if mechanism is not None and not callable(mechanism):
        return settings_of(kind_of(mechanism, ", or a function f(x)"), dim, epsilon, seed, **values)
    foreign = [name for name in ("codebook_size", "allow_weak_delta") if values[name] is not None]
    if foreign:
        raise errors.FaultError(f"{foreign[0]}: only with a mechanism by name")
    if values["delta"] is None:
        values["delta"] = 0
    return settings_of(lib.SOTTO_MECHANISM_CODEBOOK, dim, epsilon, seed, **values)


def _sentence_of(guest: _Guest, raised: BaseException) -> BaseException:
    if isinstance(raised, errors.GuestError) or not isinstance(raised, Exception):
        return raised
    failure = errors.GuestError(f"mechanism {guest.name}: {type(raised).__name__}: {raised}")
    failure.__cause__ = raised
    return failure


def _run(settings: Any, guest: _Guest | None, watch: Watch) -> Any:
    handle = ffi.new_handle(watch)
    hears = ffi.new("sotto_audit_progress *", {"show": lib.sotto_py_audit_show, "state": handle})
    result = ffi.new("sotto_audit_result *")
    with Hearing(watch):
        status = lib.sotto_audit_run(settings, hears, result)
    if guest is not None and guest.error is not None:
        raise _sentence_of(guest, guest.error)
    if watch.error is not None:
        raise watch.error
    check(status)
    return result


def audit(mechanism: str | Callable[..., Any] | None = None, *, dim: int, epsilon: float, delta: float | None = None,
          radius: float = 1.0, command: str | None = None, codebook_size: int | None = None,
          allow_weak_delta: bool | None = None, trials: int | None = None, alpha: float = 0.01, seed: int | None = None,
          timeout: float = 10.0, batch: bool = False, progress: Callable[[int, int], object] | None = None) -> Audit:
    """Measures how much a mechanism reveals and compares that with its claim. An audit can find a violation; it
    cannot prove that there is none.

    mechanism   one of ours ("codebook", "l2ball", "privunit", "gaussian", "laplace"), or a function f(x) or f(x, rng)
                that takes a vector of `dim` numbers and returns its private answer, a number or an array. It must clip
                vectors longer than `radius`. `rng` is the lab's randomness (`bits`, `uniform`, `normal`); `seed` repeats
                only what comes from it.
    command     a shell command instead: one line of `dim` numbers in, one line of numbers out
    epsilon, delta   the claim; delta above 0 is a claim of Gaussian noise
    trials      per pair of inputs, of which there are 5; default 1,000,000, for a function 100,000
    alpha       probability of a false alarm on a mechanism that keeps its claim
    timeout     seconds that a command may spend without reading or printing
    batch       the function is f(X): n vectors in, n answers out. X holds the same vector n times, and the answers must
                not depend on each other. Much faster.
    progress    called about ten times a second with (trials done, all trials)

    If a function raises, or changes the form of its answer, the audit ends with GuestError. Ctrl-C ends the audit.

    >>> import sotto
    >>> def careless(x, rng):  # the noise is half of what it must be, and nothing is clipped
    ...     return x + 0.5 * 2 * numpy.log(rng.uniform(len(x)) / rng.uniform(len(x)))
    >>> found = sotto.audit(careless, dim=1, epsilon=1, trials=20000, seed=1)
    >>> found.violation, found.epsilon_lower > 1.2
    (True, True)
    >>> print(sotto.audit("laplace", dim=1, epsilon=1, trials=20000, seed=1).sentence)
    No violation found: epsilon >= 0.9588 (claimed 1), with confidence 0.99. This does not prove the claim."""
    claim = _claim(mechanism, command, dim, epsilon, seed, delta=delta, radius=radius, codebook_size=codebook_size,
                   allow_weak_delta=allow_weak_delta)
    watch = Watch(progress, "(trials done, trials in all)", every=0.1)
    function = mechanism if callable(mechanism) else None
    if batch and function is None:
        raise errors.FaultError("batch = True: only with a function")
    settings = ffi.new("sotto_audit_settings *", lib.sotto_audit_default(ffi.addressof(claim)))
    put(settings[0], {"alpha": alpha, "timeout_s": timeout})
    put(settings[0], {"trials": trials if trials is not None else 100000 if function is not None else settings.trials})
    borrowed = [] if command is None else [ffi.new("char[]", command.encode())]
    if command is not None:
        settings.command = borrowed[0]
    refuse(lib.sotto_audit_fault, settings)
    guest = None
    if function is not None:
        guest = _Guest(function, claim.dim, claim.radius, batch)
        name, handle = ffi.new("char[]", guest.name.encode()), ffi.new_handle(guest)
        table = ffi.new("sotto_mechanism_table *", {
            "abi": lib.SOTTO_PLUGIN_ABI, "struct_bytes": ffi.sizeof("sotto_mechanism_table"), "name": name,
            "user": handle,
            "make": lib.sotto_py_mechanism_make, "draw": lib.sotto_py_mechanism_draw})
        borrowed += [name, handle, table]
        settings.custom = table
        refuse(lib.sotto_audit_fault, settings)
    result = _run(settings, guest, watch)
    subject = guest.name if guest is not None else command if command is not None else str(mechanism)
    return Audit(subject, settings, result, not isinstance(mechanism, str))
