"""Random numbers of the lab, for methods and environments of your own."""

from __future__ import annotations

from typing import Any, Sequence, Union, overload

import numpy
from numpy.typing import NDArray

from sotto import errors
from sotto._lab import ffi, lib

Size = Union[int, Sequence[int]]


class Rng:
    """Seeded random numbers of the lab, handed to your method or environment.

    Draw only from it: then a run gives the same numbers every time, and all methods meet the same people. It is valid
    only during the call that receives it, and raises if used later. For other distributions, seed a generator with it:
    `numpy.random.default_rng(rng.bits())`. Never use it for a report that leaves a real device."""

    __slots__ = ("_stream",)

    def __init__(self, stream: Any = ffi.NULL) -> None:
        self._stream = stream

    def _open(self) -> Any:
        if self._stream == ffi.NULL:
            raise errors.OrderError("rng: it is valid during the call that it was handed to, and not later")
        return self._stream

    def bits(self) -> int:
        """64 random bits, as a whole number."""
        stream = self._open()
        return int(stream.bits(stream))

    @overload
    def uniform(self, size: None = None) -> float: ...

    @overload
    def uniform(self, size: Size) -> NDArray[numpy.float64]: ...

    def uniform(self, size: Size | None = None) -> float | NDArray[numpy.float64]:
        """A number between 0 and 1, ends excluded, or an array of this size."""
        return self._draw(lib.sotto_py_stream_uniform, size)

    @overload
    def normal(self, size: None = None) -> float: ...

    @overload
    def normal(self, size: Size) -> NDArray[numpy.float64]: ...

    def normal(self, size: Size | None = None) -> float | NDArray[numpy.float64]:
        """A standard normal number, or an array of this size with the numbers that single calls would return."""
        return self._draw(lib.sotto_py_stream_normal, size)

    def _draw(self, function: Any, size: Size | None) -> float | NDArray[numpy.float64]:
        stream = self._open()
        if size is None:
            room = ffi.new("double *")
            function(stream, room, 1)
            return float(room[0])
        found: NDArray[numpy.float64] = numpy.empty(size, dtype=numpy.float64)
        function(stream, ffi.cast("double *", found.ctypes.data), found.size)
        return found
