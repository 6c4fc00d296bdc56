"""The server's side: takes reports, already private, and learns from their sums."""

from __future__ import annotations

import os
import struct
from typing import Any, NamedTuple, Union

import numpy
from numpy.typing import NDArray

from sotto import _c, errors
from sotto._guard import Guard
from sotto._lab import ffi, lib
from sotto._model import Model
from sotto._nonces import DUPLICATE, NonceSet, rows_of
from sotto._terms import Spec, Terms, octets, terms_of

_MAGIC = b"sotto learner, kept by Python, 1\n"
_NONCE = slice(24, 40)  # of a frame: magic, id, epoch, nonce (docs/protocol.md)


class Interval(NamedTuple):
    """An estimate with its confidence interval; NaN if there is no report yet."""

    value: float
    lo: float
    hi: float

    def __str__(self) -> str:
        return f"{self.value:.3f} in [{self.lo:.3f}, {self.hi:.3f}]"


class ArmMeasurement(NamedTuple):
    """The value of one arm for everybody, and the uplift of the policy over it."""

    arm: int
    reports: int
    mean: Interval
    uplift: Interval


class Measurement(NamedTuple):
    """The value of the policy, from measure rounds: mean rewards of people who follow it and of people with a random
    arm. The intervals stay valid however often you look."""

    alpha: float
    follow_count: int
    control_count: int
    follow: Interval
    control: Interval
    uplift: Interval
    recent_follow_count: int
    recent_control_count: int
    recent_uplift: Interval
    arms: list[ArmMeasurement]

    def __str__(self) -> str:
        sure = f"{100 * (1 - self.alpha):g} % at any time"
        lines = [f"follow   {self.follow_count:9} reports, mean {self.follow}",
                 f"control  {self.control_count:9} reports, mean {self.control}", f"uplift   {self.uplift}, {sure}"]
        return "\n".join(lines + [f"  over arm {arm.arm} for everybody: {arm.uplift}" for arm in self.arms])


class Harm(NamedTuple):
    """Whether people who follow the policy get less than people with a random arm: "yes" (false in at most one experiment
    of 1,000), "no" (not certain) or "unknown" (no measure rounds)."""

    verdict: str
    since_epoch: Union[int, None]
    uplift_hi: float
    recent_uplift_hi: float
    better_arm: Union[int, None]
    served_epoch: Union[int, None]
    restarts: int
    ends: bool


class Taken:
    """What happened to frames. `taken`, `duplicates` and `refused` are counts. `status` has a number per frame: 0 if it was
    taken, 255 for a duplicate, otherwise a status of sotto/core.h. `why` counts the reasons."""

    def __init__(self, status: NDArray[numpy.uint8]) -> None:
        self.status = status
        self.taken = int((status == 0).sum())
        self.duplicates = int((status == DUPLICATE).sum())
        self.refused = len(status) - self.taken - self.duplicates

    @property
    def why(self) -> dict[str, int]:
        """How many frames were refused, by reason."""
        codes, counts = numpy.unique(self.status, return_counts=True)
        return {_c.text(lib.sotto_status_text(int(code))): int(count) for code, count in zip(codes, counts)
                if code not in (0, DUPLICATE)}

    def check(self) -> Taken:
        """Raises the matching exception, such as FrameError, if a frame was refused. Duplicates are not an error."""
        bad = numpy.flatnonzero((self.status != 0) & (self.status != DUPLICATE))
        if len(bad):
            code = int(self.status[bad[0]])
            _c.fail(code, f"frame {bad[0]}: {_c.text(lib.sotto_status_text(code))}")
        return self

    def __repr__(self) -> str:
        more = "".join(f", {count} refused: {why}" for why, count in self.why.items())
        return f"<Taken: {self.taken} taken, {self.duplicates} duplicates{more}>"


def learning_of(terms: Terms, horizon: Union[int, None], settings: dict[str, Any]) -> Any:
    """How to learn, checked. Epochs by the rule, unless they are given."""
    horizon = 0 if horizon is None else _c.whole("horizon", horizon, 0, lib.SOTTO_HORIZON_MAX)
    learning = ffi.new("sotto_learning *", lib.sotto_learning_default(terms._struct, horizon))
    learning.epoch = 0
    _c.put(learning[0], settings)
    _c.refuse(lib.sotto_learning_fault, terms._struct, learning)
    return learning


class Learner:
    """The server: it learns from reports and sees nothing else. It draws no random numbers.

    terms      of the experiment, or its spec
    horizon    expected number of reports, if known
    unique     drop reports whose nonce came before; otherwise a report that is taken twice counts twice
    ...        how it learns, as in `sotto_learning` of sotto/server.h: warm_up, epoch, alpha, ...

        >>> import numpy, sotto
        >>> learner = sotto.Learner(sotto.Spec(dim=2, arms=3, epsilon=2))
        >>> people = sotto.People(learner.terms, 1000)
        >>> people.begin(learner.model).all()
        True
        >>> arms = people.decide(numpy.tile([[0.8, 0], [0, 0.8], [0.5, 0.5]], (1000, 1, 1)))
        >>> frames = people.finish(numpy.where(arms == 0, 1, -1))
        >>> learner.take(frames)
        <Taken: 1000 taken, 0 duplicates>
        >>> learner.take(frames[:10])
        <Taken: 0 taken, 10 duplicates>
        >>> learner.publish().epoch
        1

    Threads may share it."""

    def __init__(self, terms: Union[Terms, Spec], horizon: Union[int, None] = None, *, unique: bool = True,
                 **learning: Any) -> None:
        terms = terms_of(terms)
        out = ffi.new("sotto_learner **")
        _c.check(lib.sotto_learner_new(terms._struct, learning_of(terms, horizon, learning), out))
        self._settle(terms, out[0], unique)

    def _settle(self, terms: Terms, pointer: Any, unique: bool) -> None:
        self.terms = terms
        self._guard = Guard("learner", copies=True)
        self._pointer = ffi.gc(pointer, lib.sotto_learner_free)
        self._model: Union[Model, None] = None
        self._nonces = NonceSet(terms) if unique else None
        self._kept: dict[int, list[bytes]] = {}  # the same nonces by epoch, for `save`
        if self._nonces is not None:
            self._nonces.advance(lib.sotto_learner_model(pointer).epoch)

    # ---- the model

    @property
    def model(self) -> Model:
        """The model of the current epoch; `publish` replaces it."""
        with self._guard:
            if self._model is None:
                self._model = Model._copy_of(self.terms, lib.sotto_learner_model(self._pointer))
            return self._model

    @property
    def taken(self) -> int:
        """Number of learn reports since the last publish."""
        with self._guard:
            return int(lib.sotto_learner_taken(self._pointer))

    @property
    def wanted(self) -> int:
        """Number of learn reports that the current epoch should have."""
        with self._guard:
            return int(lib.sotto_learner_wanted(self._pointer))

    @property
    def unpublished(self) -> dict[str, Any]:
        """Number of reports since the last publish, by role."""
        with self._guard:
            return _c.get(lib.sotto_learner_unpublished(self._pointer))

    @property
    def repairs(self) -> int:
        """How often a noisy matrix needed a larger shift."""
        with self._guard:
            return int(lib.sotto_learner_repairs(self._pointer))

    # ---- reports

    def take(self, frames: Any) -> Taken:
        """Takes reports: the bytes of one or many, a list of bytes, or an array of n x report_bytes. Each is taken or refused
        separately; `take(...).check()` raises if one was refused."""
        rows = rows_of(self.terms, frames)
        status = numpy.zeros(len(rows), dtype=numpy.uint8)
        if len(rows) == 0:
            return Taken(status)
        with self._guard:
            if self._nonces is None:
                status[:] = self._fold(rows)
                return Taken(status)
            with self._nonces._guard:
                status[:] = self._fold_once(rows, self._nonces)
                self._keep(rows[status == 0])
        return Taken(status)

    def _fold(self, rows: NDArray[numpy.uint8]) -> NDArray[numpy.uint32]:
        status = numpy.zeros(len(rows), dtype=numpy.uint32)
        self._told(lib.sotto_learner_take_frames(self._pointer, _c.pointer(rows, "uint8_t"), rows.size,
                                                 _c.pointer(status, "sotto_status")))
        return status

    def _fold_once(self, rows: NDArray[numpy.uint8], nonces: NonceSet) -> NDArray[numpy.uint32]:
        """The status of each frame, or DUPLICATE."""
        status, seen = numpy.zeros(len(rows), dtype=numpy.uint32), numpy.zeros(len(rows), dtype=numpy.uint32)
        nonces._make_room(len(rows))
        self._told(lib.sotto_learner_take_frames_once(
            self._pointer, nonces._pointer, _c.pointer(rows, "uint8_t"), rows.size,
            _c.pointer(status, "sotto_status"), _c.pointer(seen, "sotto_seen")))
        status[seen != 0] = DUPLICATE
        return status

    def _told(self, answer: int) -> None:
        """Any other answer is that of a frame, which has it too."""
        if answer in (lib.SOTTO_E_ARGUMENT, lib.SOTTO_E_LENGTH, lib.SOTTO_E_MEMORY):
            _c.fail(answer)

    def _keep(self, rows: NDArray[numpy.uint8]) -> None:
        epochs = rows[:, 20:24].copy().view("<u4").ravel()
        for epoch in numpy.unique(epochs):
            self._kept.setdefault(int(epoch), []).append(rows[epochs == epoch, _NONCE].tobytes())

    def publish(self) -> Model:
        """Ends the epoch: its reports update the estimate. Returns the next model."""
        return self._end(lib.sotto_learner_publish)

    def discard(self) -> Model:
        """Ends the epoch and ignores its reports, for example because they cannot be trusted."""
        return self._end(lib.sotto_learner_discard)

    def _end(self, end: Any) -> Model:
        with self._guard:
            _c.check(end(self._pointer))
            self._model = None
            epoch = lib.sotto_learner_model(self._pointer).epoch
            if self._nonces is not None:
                self._nonces.advance(epoch)
            lag = self.terms.epoch_lag_max
            self._kept = {open: nonces for open, nonces in self._kept.items() if open + lag >= epoch}
        return self.model

    def publish_if_due(self) -> bool:
        """Publishes if the epoch has enough reports; returns whether it did."""
        due = self.taken >= self.wanted
        if due:
            self.publish()
        return due

    # ---- measure rounds

    def measure(self, alpha: float = 0.05) -> Measurement:
        """The value of the policy compared with random arms and with each arm for everybody. The intervals hold with
        probability 1 - alpha, however often you look. FaultError if the terms have no measure rounds."""
        alpha = _c.real("alpha", alpha)
        if not 0 < alpha < 1:
            raise errors.FaultError(f"alpha = {alpha:g}: allowed above 0 to below 1")
        if not self.terms.measure:
            raise errors.FaultError("measure = 0: these terms have no measure rounds; give their spec a share, such as "
                                    "measure=0.1")
        out, one = ffi.new("sotto_measurement *"), ffi.new("sotto_arm_measurement *")
        arms = []
        with self._guard:
            _c.check(lib.sotto_learner_measure(self._pointer, alpha, out))
            for arm in range(self.terms.arms):
                _c.check(lib.sotto_learner_measure_arm(self._pointer, alpha, arm, one))
                arms.append(ArmMeasurement(arm, one.count, Interval(**_c.get(one.mean)),
                                           Interval(**_c.get(one.uplift))))
        found = {name: Interval(**value) if isinstance(value, dict) else value
                 for name, value in _c.get(out[0]).items()}
        return Measurement(alpha=alpha, arms=arms, **found)

    def harm(self) -> Harm:
        """Whether the policy is worse than random arms, by measure rounds, as of the last publish."""
        out = ffi.new("sotto_harm *")
        with self._guard:
            _c.check(lib.sotto_learner_harm(self._pointer, out))
        better = None if out.better_arm == 2**32 - 1 else int(out.better_arm)
        return Harm(_c.text(lib.sotto_harm_verdict_name(out.verdict)), out.since_epoch or None, out.uplift_hi,
                    out.recent_uplift_hi, better, out.served_epoch or None, out.restarts, out.ends)

    def end_fallback(self) -> None:
        """Ends the current fallback at the next publish. OrderError if there is none."""
        with self._guard:
            _c.check(lib.sotto_learner_end_fallback(self._pointer))

    # ---- bytes

    def to_bytes(self) -> bytes:
        """The whole learner except the nonces that it has seen, in the format of C. A learner made from these bytes continues
        bit for bit."""
        with self._guard:
            out = ffi.new("uint8_t[]", lib.sotto_learner_bytes(self._pointer))
            _c.check(lib.sotto_learner_encode(self._pointer, out, len(out)))
        return bytes(ffi.buffer(out))

    @classmethod
    def from_bytes(cls, terms: Union[Terms, Spec], data: bytes, *, unique: bool = True) -> Learner:
        """A learner from its bytes. It knows no nonces, so reports of open epochs that were taken before would count
        again."""
        terms, data = terms_of(terms), octets("data", data)
        sentence = _c.fault(lib.sotto_learner_bytes_fault, terms._struct, data, len(data))
        if sentence is not None:
            raise errors.FrameError(sentence)
        out = ffi.new("sotto_learner **")
        _c.check(lib.sotto_learner_decode(terms._struct, data, len(data), out))
        learner = cls.__new__(cls)
        learner._settle(terms, out[0], unique)
        return learner

    def __getstate__(self) -> bytes:
        with self._guard:
            parts = [self.terms.to_bytes(), self.to_bytes(), b"" if self._nonces is None else b"unique"]
            for epoch, nonces in self._kept.items():
                parts += [struct.pack("<I", epoch), b"".join(nonces)]
        return _MAGIC + b"".join(struct.pack("<Q", len(part)) + part for part in parts)

    def __setstate__(self, data: bytes) -> None:
        parts, at = [], len(_MAGIC)
        if not data.startswith(_MAGIC):
            raise errors.FrameError("these bytes are not a learner that Learner.save wrote")
        while at < len(data):
            size = int.from_bytes(data[at:at + 8], "little")
            parts.append(data[at + 8:at + 8 + size])
            at += 8 + size
        if at != len(data) or len(parts) < 3 or len(parts) % 2 == 0 or any(len(part) % 16 for part in parts[4::2]):
            raise errors.FrameError("these bytes are not a whole learner")
        again = Learner.from_bytes(Terms.from_bytes(parts[0]), parts[1], unique=parts[2] == b"unique")
        self.__dict__.update(again.__dict__)
        if self._nonces is not None:
            for epoch, nonces in zip(parts[3::2], parts[4::2]):
                number = int.from_bytes(epoch, "little")
                self._nonces._restore(number, nonces)
                self._kept[number] = [nonces]

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the learner to a file, with its terms and the nonces of open epochs. The file is written whole or not at all."""
        path = os.fspath(path)
        beside = f"{path}.{os.getpid()}.new"
        try:
            with open(beside, "wb") as file:
                file.write(self.__getstate__())
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        finally:
            if os.path.exists(beside):
                os.remove(beside)

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Learner:
        """A learner that `save` wrote. It continues bit for bit."""
        with open(path, "rb") as file:
            data = file.read()
        learner = cls.__new__(cls)
        try:
            learner.__setstate__(data)
        except errors.FrameError as fault:
            raise errors.FrameError(f"{os.fspath(path)}: {fault}") from None
        return learner

    def __repr__(self) -> str:
        return f"<Learner of terms {self.terms.id}: epoch {self.model.epoch}, {self.taken} of {self.wanted} reports>"
