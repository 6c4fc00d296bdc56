"""Which reports were seen before."""

from __future__ import annotations

import os
from typing import Any, Union

import numpy
from numpy.typing import NDArray

from sotto import _c, errors
from sotto._guard import Guard
from sotto._lab import ffi, lib
from sotto._terms import Spec, Terms, terms_of

DUPLICATE = 255  # beside the statuses of sotto/core.h


def rows_of(terms: Terms, frames: Any) -> NDArray[numpy.uint8]:
    """Frames as rows of bytes, without a copy: bytes of one or many, an array of n x report_bytes, or a list of
    bytes."""
    size = terms.report_bytes
    if isinstance(frames, (list, tuple)):
        if not all(isinstance(frame, (bytes, bytearray)) and len(frame) == size for frame in frames):
            raise errors.FrameError(f"frames: expected a list of bytes, {size} each")
        frames = b"".join(frames)
    if isinstance(frames, memoryview):
        frames = bytes(frames)
    if isinstance(frames, (bytes, bytearray)):
        if len(frames) % size:
            raise errors.FrameError(f"{len(frames)} bytes of frames: expected a multiple of {size}, the length of a "
                                    "report of these terms")
        return numpy.frombuffer(frames, dtype=numpy.uint8).reshape(-1, size)
    if not isinstance(frames, numpy.ndarray) or frames.dtype != numpy.uint8:
        what = f"an array of {frames.dtype}" if isinstance(frames, numpy.ndarray) else type(frames).__name__
        raise errors.FaultError(f"frames: expected bytes or an array of uint8, not {what}")
    if frames.ndim != 2 and (frames.ndim != 1 or frames.size % size) or frames.ndim == 2 and frames.shape[1] != size:
        raise errors.FrameError(f"frames have shape {frames.shape}: expected n x {size}, the length of a report of "
                                "these terms")
    return numpy.ascontiguousarray(frames).reshape(-1, size)


class NonceSet:
    """The nonces of the reports of open epochs, so that each report counts once. It grows as needed. Its key comes from
    the system, so that nobody can choose nonces that are slow to look up. `Learner` has one.

        >>> import sotto
        >>> learner = sotto.Learner(sotto.Spec(dim=2, arms=3))
        >>> round = sotto.Client().join(learner.terms)
        >>> round.begin(learner.model); arm = round.decide([[0, 1], [1, 0], [1, 1]]); frame = round.finish(1)
        >>> nonces = sotto.NonceSet(learner.terms)
        >>> nonces.see(frame), nonces.see(frame), len(nonces)
        ('new', 'same', 1)"""

    def __init__(self, terms: Union[Terms, Spec], capacity: int = 1024) -> None:
        self.terms = terms_of(terms)
        capacity = _c.whole("capacity", capacity, 1, lib.SOTTO_NONCES_MAX)
        self._guard = Guard("set of nonces", copies=True)
        out, report = ffi.new("sotto_nonce_set **"), ffi.new("sotto_report **")
        _c.check(lib.sotto_nonce_set_new(self.terms._struct, os.urandom(lib.SOTTO_NONCE_KEY_BYTES), capacity, out))
        self._pointer = ffi.gc(out[0], lib.sotto_nonce_set_free)
        _c.check(lib.sotto_report_new(self.terms._struct, report))
        self._report = ffi.gc(report[0], lib.sotto_report_free)
        self._seen = ffi.new("sotto_seen *")

    def __len__(self) -> int:
        with self._guard:
            return int(lib.sotto_nonce_set_count(self._pointer))

    def see(self, frame: bytes) -> str:
        """Adds the nonce of a report and returns "new", or for a duplicate "same" (the same bytes) or "other"."""
        rows = rows_of(self.terms, frame)
        if len(rows) != 1:
            raise errors.FrameError(f"{len(rows)} frames: expected one")
        with self._guard:
            start = _c.pointer(rows, "uint8_t")
            _c.check(lib.sotto_report_decode(self.terms._struct, start, rows.size, self._report))
            self._make_room(1)
            _c.check(lib.sotto_nonce_set_see(self._pointer, self._report, start, rows.size, self._seen))
            return _c.text(lib.sotto_seen_name(self._seen[0]))

    def _make_room(self, count: int) -> None:
        """Grows if so many new nonces would not fit."""
        capacity = lib.sotto_nonce_set_capacity(self._pointer)
        needed = lib.sotto_nonce_set_count(self._pointer) + count
        if needed > capacity:
            wanted = min(max(2 * capacity, needed), lib.SOTTO_NONCES_MAX)
            _c.check(lib.sotto_nonce_set_grow(self._pointer, wanted))

    def _restore(self, epoch: int, nonces: bytes) -> None:
        """Makes nonces of an epoch known."""
        report = ffi.new("sotto_report *", self._report[0])
        report.epoch = epoch
        self._make_room(len(nonces) // lib.SOTTO_NONCE_BYTES)
        for at in range(0, len(nonces), lib.SOTTO_NONCE_BYTES):
            report.nonce = nonces[at:at + lib.SOTTO_NONCE_BYTES]
            _c.check(lib.sotto_nonce_set_see(self._pointer, report, b"", 0, self._seen))

    def advance(self, epoch: int) -> None:
        """Sets the current epoch and forgets the nonces of epochs that accept no more reports."""
        epoch = _c.whole("epoch", epoch, 0, 2**32 - 1)
        with self._guard:
            _c.check(lib.sotto_nonce_set_advance(self._pointer, epoch))

    def __reduce__(self) -> Any:
        raise errors.OrderError("a set of nonces cannot be copied: Learner.save keeps those of a learner")

    def __repr__(self) -> str:
        return f"<NonceSet of {len(self)} reports>"
