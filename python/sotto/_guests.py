"""What people bring to a sweep: their objects, one per run, and what they raised."""

from __future__ import annotations

import copy
import ctypes
import signal
import threading
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from sotto import _c
from sotto._lab import ffi
from sotto._rng import Rng

# What C is told if even telling what went wrong failed.
LOST = ffi.new("char[]", b"it failed, and how is not known")

RAISED_MAX = 1000  # exceptions that are kept with their tracebacks
SENTENCE_BYTES = 350  # the lab puts the name and the round before it


@dataclass(frozen=True)
class Problem:
    """The problem that a run poses, as your method or environment sees it."""

    dim: int
    arms: int
    parameters: str  #: "shared" or "per-arm"
    link: str  #: from x . theta to the mean reward
    reward_kind: str  #: "continuous", "binary" or "count"
    context_shape: tuple[int, ...]  #: (arms, dim); per-arm: (dim,)
    theta_shape: tuple[int, ...]  #: (dim,); per-arm: (arms, dim)
    reward_lo: float
    reward_hi: float
    context_norm_max: float  #: no row of a context is longer
    theta_norm_max: float  #: what is known of the true parameter's length
    horizon: int | None  #: rounds; None: not told
    worth: NDArray[numpy.float64] | None  #: what a unit of reward is worth, one number per arm; None: the same


def problem_of(told: Any) -> Problem:
    """A copy of a sotto_problem."""
    found = _c.get(told[0])
    dim, arms = found["dim"], found["arms"]
    per_arm = found["parameters"] == "per-arm"
    counts = {"context_count", "theta_count"}
    rest = {name: value for name, value in found.items() if name not in counts | {"horizon"}}
    return Problem(context_shape=(dim,) if per_arm else (arms, dim), theta_shape=(arms, dim) if per_arm else (dim,),
                   horizon=found["horizon"] or None,
                   worth=None if told.worth == ffi.NULL else numbers(told.worth, (arms,)), **rest)


def numbers(memory: Any, shape: tuple[int, ...]) -> NDArray[numpy.float64]:
    """A copy of C's numbers that cannot be written to: it is still there when C has moved on."""
    count = 1
    for size in shape:
        count *= size
    return numpy.frombuffer(bytes(ffi.buffer(memory, 8 * count)), dtype=numpy.float64).reshape(shape)


def own(given: Any) -> Any:
    """A fresh object for one run, of a class or of an object that stands for all runs."""
    return given() if isinstance(given, type) else copy.deepcopy(given)


def name_of(given: Any) -> str:
    """The name of a custom class or object."""
    name = getattr(given, "name", "") or (given if isinstance(given, type) else type(given)).__name__
    return str(name)


def overrides(given: Any, base: type, function: str) -> bool:
    """Whether an optional function is there."""
    owner = given if isinstance(given, type) else type(given)
    return getattr(owner, function) is not getattr(base, function) or function in getattr(given, "__dict__", {})


class Stopping(Exception):
    """The sweep ends: nothing more is asked of custom code."""


class Guests:
    """The custom code of one sweep."""

    def __init__(self) -> None:
        self.stopping = False  # Ctrl-C, here or in custom code
        self.running: set[int] = set()  # threads that are in a function of custom code
        self.held: list[Any] = []  # what tables point to
        self.states: dict[int, Any] = {}  # handles in use
        self.raised: list[tuple[str, str, BaseException, bool]] = []  # who, the sentence, the exception, if C knows

    def hold(self, memory: Any) -> Any:
        self.held.append(memory)
        return memory

    def string(self, words: str | None) -> Any:
        return ffi.NULL if words is None else self.hold(ffi.new("char[]", words.encode()))

    def handle(self, thing: Any) -> Any:
        return self.hold(ffi.new_handle(thing))

    def interrupt(self) -> None:
        """Raises KeyboardInterrupt in all custom code and does not come back. A call that waits for the system,
        such as time.sleep, ends before it notices."""
        for thread in list(self.running):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))

    def cause_of(self, fault: str) -> tuple[str, BaseException | None]:
        """The sentence of a run that failed, and the exception behind it, if there is one. What cannot be said to C, as
        that of `estimate`, is said here."""
        unsaid = "estimate is nan" in fault or "theta is nan" in fault
        for who, sentence, exception, said in self.raised:
            if not fault.startswith((f"{who}:", f"{who},")):
                continue
            if said and for_c(sentence) in fault:
                return fault.replace(for_c(sentence), sentence), exception
            if unsaid and not said:
                return f"{fault} ({sentence})", exception
        return fault, None


def for_c(sentence: str) -> str:
    """A sentence as it comes back from C: plain letters, and not too many."""
    return sentence.encode("ascii", "replace").decode()[:SENTENCE_BYTES].rstrip()


def _words(raised: BaseException) -> str:
    try:
        return "".join(letter if letter.isprintable() else " " for letter in str(raised))
    except Exception:  # pylint: disable=broad-except
        return "it has no words"


class Interrupts:
    """Ctrl-C while custom code is played. The first asks the lab to end; the second breaks off a function that does
    not come back; further ones lose no rows. Python delivers signals to the main thread only, and handlers that are not
    its own stay in place."""

    def __init__(self, played: Any) -> None:
        """`played` has `guests`, and `playing`: whether the lab still asks anybody."""
        self.played = played
        self.mine = False

    def __enter__(self) -> None:
        main = threading.current_thread() is threading.main_thread()
        self.mine = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self.mine:
            signal.signal(signal.SIGINT, self._came)

    def _came(self, *_: Any) -> None:
        if self.played.guests.stopping and self.played.playing:
            self.played.guests.interrupt()
            raise KeyboardInterrupt
        self.played.guests.stopping = True

    def __exit__(self, *_: Any) -> None:
        if self.mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class State:
    """One custom object, in one run."""

    def __init__(self, guests: Guests, kind: str, given: Any, told: Any) -> None:
        self.guests = guests
        self.kind = kind
        self.name = name_of(given)
        self.problem = problem_of(told)
        self.guest = own(given)
        self.rng = Rng()
        self.memory: Any = None  # what C was given a pointer to last

    def give_out(self, state: Any) -> None:
        """The handle by which C knows it, until `free`."""
        handle = ffi.new_handle(self)
        self.guests.states[int(ffi.cast("uintptr_t", handle))] = handle
        state[0] = handle

    def enter(self, stream: Any = ffi.NULL) -> Rng:
        """Before a function of custom code; `leave` is after it in any case."""
        self.guests.running.add(threading.get_ident())
        if self.guests.stopping:
            raise Stopping
        self.rng._stream = stream
        return self.rng

    def leave(self) -> None:
        self.rng._stream = ffi.NULL
        self.guests.running.discard(threading.get_ident())

    def blame(self, function: str, raised: BaseException, text: Any) -> Any:
        return blame(self.guests, self.kind, self.name, function, raised, text)

    def parameter(self, function: str) -> Any:
        """What `estimate` or `theta` returns, as a pointer for C; NULL for None. C gives these no way to fail: NaN tells it
        to end the run."""
        doing = function
        try:
            self.enter()
            found = getattr(self.guest, function)()
            doing = ""
            if found is None:
                return ffi.NULL
            self.memory = _c.vector(function, found, *self.problem.theta_shape, finite=False)
        except BaseException as raised:  # pylint: disable=broad-except
            self.blame(doing, raised, None)
            self.memory = numpy.full(self.problem.theta_shape, numpy.nan)
        finally:
            self.leave()
        return _c.pointer(self.memory)


def blame(guests: Guests, kind: str, name: str, function: str, raised: BaseException, text: Any) -> Any:
    """Keeps what was raised, and the sentence for C of it. Without a function: what came back from it was wrong."""
    if isinstance(raised, (KeyboardInterrupt, Stopping)):
        guests.stopping = True
        sentence = "stopped"
    elif not function:  # what came back was wrong, and the words say what
        sentence = _words(raised)
    else:
        sentence = f"{function} raised {type(raised).__name__}: {_words(raised)}"
    if sentence != "stopped" and len(guests.raised) < RAISED_MAX:
        guests.raised.append((f"{kind} {name}", sentence, raised, text is not None))
    if text is not None:
        written = for_c(sentence).encode()
        ffi.memmove(text, written + b"\0", len(written) + 1)
    return text


def free(state: Any) -> None:
    """Forgets a state."""
    ffi.from_handle(state).guests.states.pop(int(ffi.cast("uintptr_t", state)), None)
