"""A method of your own, as a class."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from sotto import _c, _guests, errors
from sotto._guests import LOST, Problem, State
from sotto._lab import ffi, lib
from sotto._rng import Rng


class Method:
    """A method of your own. `sotto.simulate` compares it with ours on the same people and seeds.

    One round is

        decide(context) -> arm                     on the person's device
        report(context, arm, reward) -> report     on the person's device
        learn(report)                              on the server

    Only the report goes from the person to the server: bytes, or an array of numbers, which is sent as bytes. `decide`
    and `report` must not change the object or keep what they see, because a device can tell the server nothing but its
    report. Python cannot enforce this, so it is up to you.

    Each run has its own object: a new one of the class that you give to `simulate`, or a deep copy of the object. Put
    settings into `__init__` and what is learnt into `begin`. Runs on several threads take turns.

        >>> import numpy, sotto
        >>> class Noisy(sotto.Method):
        ...     '''Each person sends reward times context with Laplace noise; the server adds it up.'''
        ...     name = "noisy"
        ...     claims_privacy = True
        ...
        ...     def begin(self, problem, epsilon, delta, rng):
        ...         largest = max(abs(problem.reward_lo), abs(problem.reward_hi))
        ...         self.scale = 2 * largest * problem.context_norm_max * problem.dim ** 0.5 / epsilon
        ...         self.sum = numpy.zeros(problem.dim)
        ...
        ...     def decide(self, context, rng):
        ...         return numpy.argmax(context @ self.sum)
        ...
        ...     def report(self, context, arm, reward, rng):
        ...         u = rng.uniform(len(self.sum)) - 0.5
        ...         return reward * context[arm] - self.scale * numpy.sign(u) * numpy.log(1 - 2 * abs(u))
        ...
        ...     def learn(self, report):
        ...         self.sum += report
        >>> rows = sotto.simulate(["sotto", Noisy], dim=3, arms=4, horizon=1000, seeds=2)
        >>> sotto.summary(rows)[["method", "seeds", "t"]]
             method  seeds     t
        0     sotto      2  1000
        1     noisy      2  1000
        2  best-arm      2  1000
    """

    #: In the column `method`: 1 to 31 letters, digits, '-', '_', '.'; not a name of ours. Default: that of the class.
    name: str = ""
    #: Which build this is: runs that are kept are taken if it is the same.
    version: str | None = None
    #: Whether reports claim to be private at epsilon and delta. A claim: `sotto.audit` can refute it.
    claims_privacy: bool = False
    #: The most bytes that a report can have; a number has 8.
    report_bytes_max: int = 4096

    def begin(self, problem: Problem, epsilon: float, delta: float, rng: Rng) -> None:
        """Called at the start of a run, before the first person. To refuse a problem, raise."""

    def decide(self, context: NDArray[numpy.float64], rng: Rng) -> int:
        """The arm for a person, 0 to arms - 1. The context has one row per arm, or is one row with per-arm parameters."""
        raise NotImplementedError("a method needs the function decide")

    def report(self, context: NDArray[numpy.float64], arm: int, reward: float,
               rng: Rng) -> bytes | NDArray[numpy.float64]:
        """What leaves the device: bytes, or a one-dimensional array of finite numbers."""
        raise NotImplementedError("a method needs the function report")

    def learn(self, report: Any) -> None:
        """Learns from a report on the server: bytes or an array, as `report` returned it."""
        raise NotImplementedError("a method needs the function learn")

    def estimate(self) -> NDArray[numpy.float64] | None:
        """The estimate that decides, of shape `problem.theta_shape`. Without this function estimation_error is nan."""
        return None


class _Player(State):
    array: bool = False  # whether the last report is an array
    room: int = 0


def _make(user: Any, told: Any, epsilon: float, delta: float, stream: Any, state: Any, text: Any) -> Any:
    guests, given = ffi.from_handle(user)
    try:
        player = _Player(guests, "method", given, told)
        try:
            player.guest.begin(player.problem, epsilon, delta, player.enter(stream))
        finally:
            player.leave()
        player.room = _c.whole("report_bytes_max", player.guest.report_bytes_max, 0, lib.SOTTO_PLAYER_REPORT_BYTES_MAX)
        player.give_out(state)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return _guests.blame(guests, "method", _guests.name_of(given), "begin", raised, text)


def _report_bytes_max(state: Any) -> int:
    return int(ffi.from_handle(state).room)


def _decide(state: Any, stream: Any, context: Any, arm: Any, text: Any) -> Any:
    player = ffi.from_handle(state)
    doing = "decide"
    try:
        rng = player.enter(stream)
        chosen = player.guest.decide(_guests.numbers(context, player.problem.context_shape), rng)
        doing = ""
        arm[0] = _c.whole("decide: arm", chosen, 0, player.problem.arms - 1)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return player.blame(doing, raised, text)
    finally:
        player.leave()


def _bytes_of(player: _Player, report: Any) -> Any:
    player.array = not isinstance(report, (bytes, bytearray, memoryview))
    if player.array:
        if numpy.ndim(report) != 1:
            raise errors.FaultError(f"report: {type(report).__name__} with {numpy.ndim(report)} dimensions: expected "
                                    "bytes, or an array of numbers with one dimension")
        report = _c.vector("report", report, None)
    sent = memoryview(report).cast("B")
    if len(sent) > player.room:
        raise errors.FaultError(f"report: {len(sent)} bytes: allowed 0 to its own report_bytes_max = {player.room}")
    return sent


def _report(state: Any, stream: Any, context: Any, arm: int, reward: float, out: Any, out_bytes: Any, text: Any) -> Any:
    player = ffi.from_handle(state)
    doing = "report"
    try:
        rng = player.enter(stream)
        report = player.guest.report(_guests.numbers(context, player.problem.context_shape), arm, reward, rng)
        doing = ""
        sent = _bytes_of(player, report)
        ffi.memmove(out, sent, len(sent))
        out_bytes[0] = len(sent)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return player.blame(doing, raised, text)
    finally:
        player.leave()


def _learn(state: Any, report: Any, report_bytes: int, text: Any) -> Any:
    player = ffi.from_handle(state)
    try:
        received = bytes(ffi.buffer(report, report_bytes))
        player.enter()
        player.guest.learn(numpy.frombuffer(received, dtype=numpy.float64) if player.array else received)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return player.blame("learn", raised, text)
    finally:
        player.leave()


def _estimate(state: Any) -> Any:
    return ffi.from_handle(state).parameter("estimate")


for _name, _function, _error in (("make", _make, LOST), ("report_bytes_max", _report_bytes_max, 0),
                                 ("decide", _decide, LOST), ("report", _report, LOST), ("learn", _learn, LOST),
                                 ("estimate", _estimate, ffi.NULL), ("free", _guests.free, None)):
    ffi.def_extern(name=f"sotto_py_player_{_name}", error=_error)(_function)


def told(given: Any) -> dict[str, Any]:
    """What the rows of a method of one's own are known by: plain, so that it can be kept with them."""
    version, claims = given.version, given.claims_privacy
    if not (version is None or isinstance(version, str)):
        raise errors.FaultError(f"version = {version!r}: expected a text")
    if not isinstance(claims, bool):
        raise errors.FaultError(f"claims_privacy = {claims!r}: expected True or False")
    return {"name": _guests.name_of(given), "version": version, "claims_privacy": claims,
            "estimate": _guests.overrides(given, Method, "estimate")}


def table(guests: _guests.Guests, known: dict[str, Any], given: Any = None) -> Any:
    """The table of a method for C; of one that is only known, and not played, without `given`."""
    made = guests.hold(ffi.new("sotto_player_table *"))
    made.abi, made.struct_bytes = lib.SOTTO_PLUGIN_ABI, ffi.sizeof("sotto_player_table")
    made.name, made.version = guests.string(known["name"]), guests.string(known["version"])
    made.claims_privacy = known["claims_privacy"]
    made.user = ffi.NULL if given is None else guests.handle((guests, given))
    made.make = lib.sotto_py_player_make
    made.report_bytes_max = lib.sotto_py_player_report_bytes_max
    made.decide = lib.sotto_py_player_decide
    made.report = lib.sotto_py_player_report
    made.learn = lib.sotto_py_player_learn
    if known["estimate"]:
        made.estimate = lib.sotto_py_player_estimate
    made.free = lib.sotto_py_player_free
    return made
