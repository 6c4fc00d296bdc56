"""A person who takes part in an experiment of a running `sottod`, over HTTP."""

from __future__ import annotations

import collections
import os
import time
from typing import Any, Callable, NamedTuple, Union

from sotto import _c, errors
from sotto._client import reward_of
from sotto._guard import Guard
from sotto._ledger import Ledger
from sotto._model import Model
from sotto._terms import Policy, Terms, policy_of

_EVENTS_MAX = 1000
_STATES = ("asking", "ready", "refused", "gone")
_SLICE_S = 0.1  # while waiting, for Ctrl-C and for other threads


class Event(NamedTuple):
    """What happened to a report: "sent", "acknowledged", "put off" or "dropped", and for the last two the reason."""

    kind: str
    round: int
    frame: Union[bytes, None]
    why: Union[str, None]


class Counts(NamedTuple):
    """What a device has done since it was made."""

    begun: int
    finished: int
    sent: int
    sent_default: int
    acknowledged: int
    dropped: int
    put_off: int
    served: int


_loaded: Union[tuple[Any, Any], None] = None


def _wire() -> tuple[Any, Any]:
    """The bindings over libcurl: loaded when the first device is made."""
    global _loaded
    if _loaded is None:
        try:
            from sotto._wire import ffi, lib
        except ImportError as fault:
            raise ImportError(f"sotto.Device needs libcurl 7.87 or later, which is not there ({fault}): install it, "
                              "such as with `apt install libcurl4`") from fault
        kinds = {number: name.removeprefix("SOTTO_DEVICE_").lower().replace("_", " ")
                 for number, name in ffi.typeof("sotto_device_event_kind").elements.items()}

        @ffi.def_extern(name="sotto_py_device_event")  # type: ignore[misc]
        def event(state: Any, told: Any) -> None:
            frame = None if told.frame == ffi.NULL else bytes(ffi.buffer(told.frame, told.frame_bytes))
            why = None if told.why == ffi.NULL else ffi.string(told.why).decode("utf-8", "replace")
            ffi.from_handle(state).append(Event(kinds[told.kind], told.round, frame, why))

        _loaded = ffi, lib
    return _loaded


class _Handles:
    """The C objects of a device, freed in the order that they need."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.ledger = self.wire = self.site = self.device = None
        self.kept: list[Any] = []  # texts and handles that C borrows

    def free(self) -> None:
        if self.process != os.getpid():
            return  # connections and files are those of the process that forked
        _, lib = _wire()
        for name, free in (("device", lib.sotto_device_free), ("site", lib.sotto_site_free),
                           ("wire", lib.sotto_wire_free), ("ledger", lib.sotto_ledger_free)):
            pointer = getattr(self, name)
            setattr(self, name, None)
            if pointer is not None:
                free(pointer)

    def __del__(self) -> None:
        self.free()


class Device:
    """One person in one experiment of a `sottod`. Rounds never wait for the server: only `turn` speaks to it.

    url      https://HOST[:PORT]/v1/experiments/ID, or http:// on this machine
    ledger   the path of the person's ledger (`sotto.Ledger.create` makes it, once in a person's life), or a `sotto.Ledger`
             in a file, which the device opens itself. None: a ledger in memory, for trials
    policy   the person's limits
    wait     seconds to wait for terms and model; `sotto.Error` if they do not come

    proxy, ca_file, timeout_ms, requests_max, keep_connections, relay, report_key, refresh_ms, rounds_max, queue_max,
    age_max_s are as in sotto/transport.h. `on_event` is called with each `Event`, after the call that caused it.

        with sotto.Device(url, ledger="person.ledger") as device:
            round = device.begin()
            arm = device.decide(round, context)
            device.finish(round, reward)        # if a reward comes
            device.wait()                       # an app calls turn on a timer instead

    Threads may share a device: their calls wait for each other. After a fork, the child makes its own."""

    def __init__(self, url: str, ledger: Union[str, os.PathLike[str], Ledger, None] = None,
                 policy: Union[Policy, None] = None, *, wait: float = 30,
                 on_event: Union[Callable[[Event], Any], None] = None, **options: Any) -> None:
        self._ffi, self._lib = _wire()
        self.url = url
        self.policy = policy_of(policy)
        self._guard = Guard("device")
        self._told: list[Event] = []
        self.events: collections.deque[Event] = collections.deque(maxlen=_EVENTS_MAX)
        self._on_event = on_event
        self._terms: Union[Terms, None] = None
        self._handles = handles = _Handles()
        wait = _c.real("wait", wait)
        structs = self._settings(options)
        handles.ledger = self._open(ledger)
        self._person(structs["device"])
        handles.wire = self._new("wire", structs["wire"])
        handles.site = self._new("site", handles.wire, structs["site"])
        self._find(wait)
        self._join(structs["device"])

    # ---- making one

    def _text(self, field: str, value: Any) -> Any:
        if not isinstance(value, (str, os.PathLike)) or "\0" in os.fspath(value):
            raise errors.FaultError(f"{field} = {value!r}: expected text")
        text = self._ffi.new("char[]", os.fsencode(value))
        self._handles.kept.append(text)
        return text

    def _settings(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options by the struct that has them, checked."""
        ffi, lib = self._ffi, self._lib
        structs = {name: ffi.new(f"sotto_{name}_options *", getattr(lib, f"sotto_{name}_options_default")())
                   for name in ("wire", "site", "device")}
        structs["site"].url = self._text("url", self.url)
        known = {field: struct for struct in structs.values() for field in _c.fields(struct[0])}
        for name, value in options.items():
            if name not in known or name in ("url", "policy", "ledger", "event", "state"):
                raise errors.FaultError(f"{name}: there is no such setting{_c.nearest(name, known)}")
            if _c.fields(known[name][0])[name].kind == "pointer":
                setattr(known[name], name, ffi.NULL if value is None else self._text(name, value))
            else:
                _c.put(known[name][0], {name: value})
        self._refuse(lib.sotto_wire_options_fault, structs["wire"])
        self._refuse(lib.sotto_site_options_fault, structs["site"])
        return structs

    def _open(self, ledger: Any) -> Any:
        """A ledger of its own: memory of the other bindings is not for this one."""
        ffi, lib = self._ffi, self._lib
        out = ffi.new("sotto_ledger **")
        if ledger is None:
            self._check(lib.sotto_ledger_memory_new(out))
            return out[0]
        path = ledger.path if isinstance(ledger, Ledger) else ledger
        if path is None:
            raise errors.FaultError("ledger is in memory, and a device opens its own: give a path, or None")
        name = _c.path_bytes(path)
        fault = ffi.new("sotto_fault *")
        if lib.sotto_ledger_file_fault(name, fault) != lib.SOTTO_OK:
            hint = "" if os.path.exists(path) else "; sotto.Ledger.create(path) makes one, once in a person's life"
            raise errors.LedgerError(f"{os.fsdecode(name)}: {_c.text(fault.sentence)}{hint}")
        self._check(lib.sotto_ledger_file_open(name, out))
        return out[0]

    def _new(self, kind: str, *arguments: Any) -> Any:
        out = self._ffi.new(f"sotto_{kind} **")
        self._check(getattr(self._lib, f"sotto_{kind}_new")(*arguments, out))
        return out[0]

    def _find(self, wait: float) -> None:
        """Waits for terms and model."""
        end = time.monotonic() + wait
        while self.state != "ready":
            if self.state in ("refused", "gone"):
                raise errors.Error(f"{self.url}: {self.state}: {self._site_fault() or 'no reason given'}")
            if time.monotonic() >= end:
                raise errors.Error(f"{self.url}: no terms and model in {wait:g} s: {self._site_fault() or 'no answer'}")
            self.turn(_SLICE_S)

    def _person(self, options: Any) -> None:
        """Policy, ledger and ear of the person."""
        for name in _c.fields(self.policy._struct[0]):
            setattr(options.policy, name, getattr(self.policy._struct, name))
        options.ledger = self._handles.ledger
        options.event = self._lib.sotto_py_device_event
        handle = self._ffi.new_handle(self._told)
        self._handles.kept.append(handle)
        options.state = handle
        self._refuse(self._lib.sotto_device_options_fault, options)

    def _join(self, options: Any) -> None:
        refusal = self.policy.refusal(self.terms)
        if refusal is not None:
            raise errors.PolicyError(refusal)
        with self._guard:
            self._handles.device = self._new("device", self._handles.site, options)
        self._tell()

    def _refuse(self, function: Any, *arguments: Any) -> None:
        sentence = self._sentence(function, *arguments)
        if sentence is not None:
            raise errors.FaultError(sentence)

    def _sentence(self, function: Any, *arguments: Any) -> Union[str, None]:
        fault = self._ffi.new("sotto_fault *")
        return None if function(*arguments, fault) == self._lib.SOTTO_OK else _c.text(fault.sentence)

    def _check(self, status: int) -> None:
        if status == self._lib.SOTTO_OK:
            return
        device = self._handles.device
        why = None if device is None else self._sentence(self._lib.sotto_device_fault, device)
        sentence = _c.text(self._lib.sotto_status_text(status))
        _c.fail(status, sentence if why is None else f"{sentence}: {why}")

    def _tell(self) -> None:
        """Hands out what was told during the last call: not from within it, so that `on_event` may do what it likes."""
        with self._guard:
            told = self._told[:]
            del self._told[:]
        self.events.extend(told)
        if self._on_event is not None:
            for event in told:
                self._on_event(event)

    # ---- rounds

    def begin(self) -> int:
        """Books a round under the newest model, before there is a context, and returns the round's number. OrderError while
        no round can begin, for example after the experiment was closed."""
        out = self._ffi.new("uint64_t *")
        with self._guard:
            self._check(self._lib.sotto_device_begin(self._handles.device, out))
        return int(out[0])

    def decide(self, round: int, context: Any, *, allow_nan: bool = False) -> int:
        """The arm to play. Call it soon after begin."""
        round = _c.whole("round", round, 0, 2**64 - 1)
        array = _c.vector("context", context, *self.terms.context_shape, finite=not allow_nan)
        out = self._ffi.new("uint32_t *")
        with self._guard:
            self._check(self._lib.sotto_device_decide(self._handles.device, round,
                                                      self._ffi.from_buffer("double[]", array),
                                                      array.size, out))
        self._tell()
        return int(out[0])

    def finish(self, round: int, reward: Any) -> None:
        """Passes the reward of a round; the report leaves at its send time. If no reward comes, do not call it. OrderError
        if it is too late."""
        round = _c.whole("round", round, 0, 2**64 - 1)
        value = reward_of(reward)
        with self._guard:
            self._check(self._lib.sotto_device_finish(self._handles.device, round, value))

    # ---- the network

    def turn(self, timeout: float = 0) -> None:
        """Reads answers, asks for models, sends the reports that are due, and waits up to `timeout` seconds for something
        to do. Call it on a timer, never because of what the person does."""
        milliseconds = int(1000 * min(max(_c.real("timeout", timeout), 0), 1e6))
        with self._guard:
            self._check(self._lib.sotto_wire_turn(self._handles.wire, milliseconds))
        self._tell()

    def wait(self, timeout: Union[float, None] = None) -> bool:
        """Calls `turn` until no report is waiting, which takes longer than the reward window. False if `timeout` seconds
        passed first."""
        end = float("inf") if timeout is None else time.monotonic() + _c.real("timeout", timeout)
        while self.waiting > 0:
            if time.monotonic() >= end:
                return False
            self.turn(_SLICE_S)
        return True

    @property
    def due(self) -> float:
        """Seconds until the next turn is useful; infinite if nothing is due."""
        with self._guard:
            found = int(self._lib.sotto_wire_due_ms(self._handles.wire))
        return float("inf") if found == 2**32 - 1 else found / 1000

    @property
    def waiting(self) -> int:
        """Number of reports that were neither acknowledged nor dropped."""
        with self._guard:
            return int(self._lib.sotto_device_waiting(self._handles.device))

    @property
    def counts(self) -> Counts:
        """What the device has done since it was made."""
        with self._guard:
            return Counts(**_c.get(self._lib.sotto_device_counts_of(self._handles.device)))

    @property
    def state(self) -> str:
        """State of the experiment: "asking", "ready", "refused" or "gone"."""
        with self._guard:
            return _STATES[self._lib.sotto_site_state_of(self._handles.site)]

    @property
    def fault(self) -> Union[str, None]:
        """The last failure: what was refused and by whom, or that there was no answer. None if all is well."""
        with self._guard:
            return self._sentence(self._lib.sotto_device_fault, self._handles.device) or self._site_fault()

    def _site_fault(self) -> Union[str, None]:
        with self._guard:
            return self._sentence(self._lib.sotto_site_fault, self._handles.site)

    @property
    def epsilon(self) -> float:
        """The epsilon that the person has spent in all experiments."""
        with self._guard:
            return float(self._lib.sotto_ledger_epsilon(self._handles.ledger))

    @property
    def terms(self) -> Terms:
        """The terms of the experiment, checked."""
        if self._terms is None:
            with self._guard:
                out = self._ffi.new("uint8_t[]", self._lib.SOTTO_TERMS_BYTES)
                count = self._lib.sotto_terms_encode(self._lib.sotto_site_terms(self._handles.site), out)
                self._terms = Terms.from_bytes(bytes(self._ffi.buffer(out, count)))
        return self._terms

    @property
    def model(self) -> Model:
        """The newest model that the device has."""
        with self._guard:
            site = self._handles.site
            terms, model = self._lib.sotto_site_terms(site), self._lib.sotto_site_model(site)
            out = self._ffi.new("uint8_t[]", self._lib.sotto_model_bytes(terms))
            self._check(self._lib.sotto_model_encode(terms, model, out, len(out)))
        return Model.from_bytes(self.terms, bytes(self._ffi.buffer(out)))

    def close(self) -> None:
        """Closes the device. With a ledger in a file, unsent reports stay there, and another device sends them."""
        if self._guard.close():
            self._handles.free()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise errors.OrderError("a device cannot be copied: it has connections and a ledger")

    def __repr__(self) -> str:
        return f"<Device at {self.url}>"
