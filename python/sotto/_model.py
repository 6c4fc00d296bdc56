"""What a server publishes at the end of an epoch."""

from __future__ import annotations

from typing import Any, Union

import numpy
from numpy.typing import NDArray

from sotto import _c, errors
from sotto._lab import ffi, lib
from sotto._terms import Spec, Terms, octets, terms_of


class Model:
    """A model: public, the same for everybody, and constant. `Model(terms)` is the one before the first report.

        >>> import sotto
        >>> model = sotto.Model(sotto.Spec(dim=2, arms=3))
        >>> model.epoch, model.theta, model.decides
        (0, array([0., 0.]), False)
        >>> sotto.Model.from_bytes(model.terms, model.to_bytes()) == model
        True"""

    def __init__(self, terms: Union[Terms, Spec]) -> None:
        self.terms = terms_of(terms)
        out = ffi.new("sotto_model **")
        _c.check(lib.sotto_model_new(self.terms._struct, out))
        self._pointer = ffi.gc(out[0], lib.sotto_model_free)

    @classmethod
    def _copy_of(cls, terms: Terms, pointer: Any) -> Model:
        model = cls(terms)
        _c.check(lib.sotto_model_copy(terms._struct, pointer, model._pointer))
        return model

    @classmethod
    def from_bytes(cls, terms: Union[Terms, Spec], data: bytes) -> Model:
        """A model from its bytes. FrameError unless they are a complete model of these terms."""
        model, data = cls(terms), octets("data", data)
        status = lib.sotto_model_decode(model.terms._struct, data, len(data), model._pointer)
        if status == lib.SOTTO_E_LENGTH:
            raise errors.FrameError(f"{len(data)} bytes are not a model of these terms: expected "
                                    f"{lib.sotto_model_bytes(model.terms._struct)}")
        _c.check(status)
        return model

    def to_bytes(self) -> bytes:
        """The bytes of the model, as a server sends them."""
        out = ffi.new("uint8_t[]", lib.sotto_model_bytes(self.terms._struct))
        _c.check(lib.sotto_model_encode(self.terms._struct, self._pointer, out, len(out)))
        return bytes(ffi.buffer(out))

    def _array(self, name: str, *shape: int) -> Union[NDArray[numpy.float64], None]:
        """A view that cannot be written to, without a copy; it keeps the model."""
        start = getattr(self._pointer, name)
        if start == ffi.NULL:
            return None
        count = int(numpy.prod(shape))
        # An array over memory of C: cffi's buffer keeps the pointer, and the pointer gets the model to keep.
        owner = ffi.gc(start, lambda _, model=self._pointer: None)
        memory = memoryview(ffi.buffer(owner, count * 8)).toreadonly()
        return numpy.frombuffer(memory, dtype=numpy.float64).reshape(shape)

    @property
    def epoch(self) -> int:
        """The number of the epoch that this model begins: 0, 1, 2, ..."""
        return int(self._pointer.epoch)

    @property
    def phase(self) -> str:
        """"mean", "warm-up" or "main"."""
        return _c.text(lib.sotto_phase_name(self._pointer.phase))

    @property
    def reports(self) -> int:
        """Number of reports that it was learnt from."""
        return int(self._pointer.reports)

    @property
    def decides(self) -> bool:
        """Whether the model chooses arms; before that, arms are random."""
        return bool(lib.sotto_model_decides(self.terms._struct, self._pointer))

    @property
    def theta(self) -> NDArray[numpy.float64]:
        """The estimate: dim numbers, or one row per arm; 0 for best-arm, which has none."""
        found = self._array("theta", *self.terms.theta_shape)
        return numpy.zeros(self.terms.theta_shape) if found is None else found

    @property
    def tbar(self) -> Union[NDArray[numpy.float64], None]:
        """The running average of the estimate, which decides; None if the method has none."""
        return self._array("tbar", *self.terms.theta_shape)

    @property
    def estimate(self) -> NDArray[numpy.float64]:
        """The estimate that decides: `tbar` if there is one, otherwise `theta`."""
        found = self.tbar
        return self.theta if found is None else found

    @property
    def g(self) -> Union[NDArray[numpy.float64], None]:
        """The common direction of contexts, which reports leave out; None if the terms have no mean phase."""
        return self._array("g", self.terms.dim)

    @property
    def shares(self) -> Union[NDArray[numpy.float64], None]:
        """For best-arm, the share of people who get each arm; None for other methods."""
        start = self._pointer.shares
        if start == ffi.NULL:
            return None
        return numpy.array([start[arm] / 2**32 for arm in range(self.terms.arms)])

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Model) and self.terms == other.terms and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self.terms, self.epoch))

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.terms, self.to_bytes())

    def __repr__(self) -> str:
        return f"<Model of terms {self.terms.id}: epoch {self.epoch}, {self.phase}, {self.reports} reports>"
