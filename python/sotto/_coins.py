"""The lab's seeded randomness, as what people write in Python meets it."""

from __future__ import annotations

from typing import Any

import numpy

from sotto import errors
from sotto._lab import ffi

_LIVE = "the coins of a call are used after it: draw what you need before you return"


class Coins:
    """Randomness of the lab, valid during one call. With a seed the same numbers come every time.

    `bits`, `uniform` and `normal` give one number, or an array with `size=`."""

    __slots__ = ("_stream",)

    def __init__(self, stream: Any = None) -> None:
        self._stream = stream

    def _draw(self, kind: str, size: Any, dtype: type) -> Any:
        stream = self._stream
        if stream is None:
            raise errors.OrderError(_LIVE)
        draw = getattr(stream, kind)
        if size is None:
            return draw(stream)
        found: Any = numpy.empty(size, dtype=dtype)
        flat = found.reshape(-1)
        for at in range(flat.size):
            flat[at] = draw(stream)
        return found

    def bits(self, size: Any = None) -> Any:
        """64 random bits, as a whole number."""
        return self._draw("bits", size, numpy.uint64)

    def uniform(self, size: Any = None) -> Any:
        """Between 0 and 1, both excluded."""
        return self._draw("uniform", size, numpy.float64)

    def normal(self, size: Any = None) -> Any:
        """Standard normal."""
        return self._draw("normal", size, numpy.float64)


class Rehearsal(Coins):
    """Coins for a call whose answer is not used. They are not the lab's."""

    __slots__ = ("_source",)

    def __init__(self) -> None:
        super().__init__(ffi.NULL)
        self._source = numpy.random.default_rng(0)

    def _draw(self, kind: str, size: Any, dtype: type) -> Any:
        if kind == "bits":
            found = self._source.integers(2**64, size=size, dtype=numpy.uint64)
            return int(found) if size is None else found
        found = self._source.normal(size=size)
        return found if kind == "normal" else numpy.clip(abs(found) % 1, 1e-9, 1 - 1e-9)
