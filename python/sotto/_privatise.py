"""Turns vectors into private reports."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Optional

import numpy
from numpy.typing import NDArray

from sotto import errors
from sotto._c import check, pointer, refuse, vector, whole
from sotto._lab import ffi, lib
from sotto._mechanism import kind_of, settings_of

_COUNT_MAX = 10**9


class Raw(NamedTuple):
    """Reports as a device sends them.

    nonce   16 bytes each, for codebook and l2ball; None for gaussian and laplace
    value   the index of a codeword, or one tick per number, as int32"""

    nonce: Optional[NDArray[numpy.uint8]]
    value: NDArray[numpy.int32]


def _rows(X: Any) -> tuple[NDArray[Any], bool]:
    """The vectors as rows, and whether it is one alone."""
    try:
        single = numpy.ndim(X) == 1
    except ValueError:  # rows of several lengths
        single = False
    return (vector("X", X, None).reshape(1, -1), True) if single else (vector("X", X, None, None), False)


def _new(settings: Any) -> Any:
    out = ffi.new("sotto_mechanism **")
    check(lib.sotto_mechanism_new(settings, out))
    return ffi.gc(out[0], lib.sotto_mechanism_free)


def _estimates(mechanism: Any, given: NDArray[Any], count: int) -> NDArray[Any]:
    rows, dim = given.shape
    found = numpy.empty((rows, count, dim))
    x, estimate = pointer(given), pointer(found)
    draw = lib.sotto_mechanism_draw
    for i in range(rows):
        for _ in range(count):
            status = draw(mechanism, x, estimate)
            if status:
                check(status)
            estimate += dim
        x += dim
    return found


def _reports(mechanism: Any, given: NDArray[Any], count: int, ticks: bool) -> Raw:
    rows, dim = given.shape
    width = dim if ticks else 1
    value = numpy.empty((rows, count, width), dtype=numpy.int32)
    nonce = numpy.zeros((rows, count, lib.SOTTO_NONCE_BYTES), dtype=numpy.uint8)
    estimate, x = ffi.new("double[]", dim), pointer(given)
    for i in range(rows):
        for j in range(count):
            check(lib.sotto_mechanism_draw(mechanism, x, estimate))
            report = lib.sotto_mechanism_report(mechanism)
            value[i, j] = numpy.frombuffer(ffi.buffer(report.value, 4 * width), dtype=numpy.int32)
            nonce[i, j] = numpy.frombuffer(ffi.buffer(report.nonce), dtype=numpy.uint8)
        x += dim
    return Raw(None if ticks else nonce, value if ticks else value[..., 0])


def privatise(X: Any, *, mechanism: str = "codebook", epsilon: float, delta: float | None = None, radius: float = 1.0,
              codebook_size: int | None = None, allow_weak_delta: bool = False, seed: int | None = None,
              count: int | None = None, format: str = "vector") -> Any:
    """Privatises vectors: each row of X belongs to one person, and each report is private at epsilon. This is the lab:
    nothing counts how many reports a person makes. On a device use `Client`.

    X           n x dim numbers, or one vector of dim numbers; longer vectors are clipped to `radius`
    mechanism   "codebook", "l2ball", "privunit", "gaussian" or "laplace"
    seed        gives the same reports every time, which are not private; default: the system's randomness
    count       reports per vector
    format      "vector": unbiased estimates with the shape of X, or n x count x dim with count; "raw": what a device
                sends (see `Raw`)

    >>> import numpy, sotto
    >>> X = numpy.tile([0.6, 0.8], (20000, 1))
    >>> sotto.privatise(X, epsilon=2).mean(axis=0).round(1)
    array([0.6, 0.8])"""
    kind = kind_of(mechanism)
    given, single = _rows(X)
    each = 1 if count is None else whole("count", count, 1, _COUNT_MAX)
    if format not in ("vector", "raw"):
        raise errors.FaultError(f"format = {format!r}: allowed vector, raw")
    if format == "raw" and mechanism == "privunit":
        raise errors.FaultError("format = 'raw': privunit has no report, use 'vector'")
    settings = ffi.new("sotto_mechanism_settings *", settings_of(
        kind, given.shape[1], epsilon, seed, delta=delta, radius=radius, codebook_size=codebook_size,
        allow_weak_delta=allow_weak_delta))
    refuse(lib.sotto_mechanism_fault, settings)
    if seed is not None:
        warnings.warn("lab only: seeded reports are not private", stacklevel=2)
    longer = int((numpy.linalg.norm(given, axis=1) > radius * (1 + 1e-9)).sum())
    if longer:
        warnings.warn(f"{longer} of {len(given)} vectors {'was' if longer == 1 else 'were'} longer than radius = {radius:g} "
                      "and clipped to it; estimates are of the clipped vectors", stacklevel=2)
    made = _new(settings)
    if format == "vector":
        return _shaped(_estimates(made, given, each), single, count)
    ticks = lib.sotto_mechanism_lattice(made) != ffi.NULL
    raw = _reports(made, given, each, ticks)
    return Raw(None if raw.nonce is None else _shaped(raw.nonce, single, count), _shaped(raw.value, single, count))


def _shaped(found: NDArray[Any], single: bool, count: int | None) -> NDArray[Any]:
    each: NDArray[Any] = found if count is not None else found[:, 0]
    return numpy.asarray(each[0]) if single else each
