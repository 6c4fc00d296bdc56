"""What an experiment is (Spec, Terms) and what a person allows (Policy)."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Union

import numpy

from sotto import _c, errors
from sotto._lab import ffi, lib

_SHARE = 2.0**32  # in terms a share is a whole number of 2^-32


def _shown(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def octets(field: str, value: Any) -> bytes:
    """Bytes, or anything that has some: bytearray, memoryview, an array of uint8."""
    if isinstance(value, numpy.ndarray) and value.dtype != numpy.uint8:
        raise errors.FaultError(f"{field}: expected bytes, not an array of {value.dtype}")
    if not isinstance(value, (bytes, bytearray, memoryview, numpy.ndarray)):
        raise errors.FaultError(f"{field}: expected bytes, not {type(value).__name__}")
    return bytes(value)


class _Fields:
    """A C struct that is fixed once it is made, with its fields as attributes."""

    _struct: Any

    def fields(self) -> dict[str, Any]:
        """All fields by name."""
        return _c.get(self._struct[0])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        known = self.fields()
        if name not in known:
            raise AttributeError(f"{type(self).__name__} has no {name!r}{_c.nearest(name, known)}")
        return known[name]

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.fields()]

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and bool(self.fields() == other.fields())

    def __hash__(self) -> int:
        return hash(tuple(self.fields().items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_shown(self.fields())})"


class Spec(_Fields):
    """What the owner of an experiment writes: public, and fixed before the first round.

    reward_kind   "continuous" (default), "binary" or "count"; other defaults depend on it
    dim, arms     numbers in a context vector, and arms to choose from; 10 and 10
    epsilon       of one report; 1
    measure       share of rounds that measure instead of learning; 0
    ...           every field of `sotto_spec` in sotto/core.h, kinds by their names

        >>> import sotto
        >>> spec = sotto.Spec(dim=2, arms=3, reward_kind="binary", measure=0.1)
        >>> spec.epsilon, spec.link, spec.measure
        (1.0, 'logit', 0.1...)
        >>> sotto.Spec(epsilon=99)
        Traceback (most recent call last):
        ...
        sotto.errors.FaultError: epsilon = 99: allowed 0.01 to 8..."""

    def __init__(self, *, reward_kind: str = "continuous", **fields: Any) -> None:
        kind = _c.number_of("reward_kind", "reward_kind", reward_kind)
        self._struct = ffi.new("sotto_spec *", lib.sotto_spec_default(kind))
        share = fields.pop("measure", None)
        _c.put(self._struct[0], fields)
        if share is not None:
            share = _c.real("measure", share)
            if not 0 <= share <= 0.5:
                raise errors.FaultError(f"measure = {share:g}: allowed 0, or 0.001 to 0.5, a share of the rounds")
            self._struct.measure = round(share * _SHARE)
        _c.refuse(lib.sotto_spec_fault, self._struct)

    def fields(self) -> dict[str, Any]:
        """All fields by name; `measure` as a share."""
        found = super().fields()
        found["measure"] /= _SHARE
        return found

    def replace(self, **fields: Any) -> Spec:
        """The same with other values."""
        return Spec(**{**self.fields(), **fields})

    def terms(self) -> Terms:
        """The spec with every constant that follows from it."""
        return Terms(self)

    def __reduce__(self) -> Any:
        return _spec_again, (self.fields(),)

    def __repr__(self) -> str:
        """Only what is not as by default."""
        usual = _c.get(lib.sotto_spec_default(self._struct.reward_kind))
        usual.pop("dim"), usual.pop("arms"), usual.pop("epsilon")
        return f"Spec({_shown({k: v for k, v in self.fields().items() if k == 'reward_kind' or usual.get(k) != v})})"


def _spec_again(fields: dict[str, Any]) -> Spec:
    return Spec(**fields)


class Shuffled(NamedTuple):
    """What a server learns about one person from the shuffled reports of one epoch, and when that holds."""

    reports: int
    epsilon: float
    delta: float
    conditions: str

    def __str__(self) -> str:
        return (f"epsilon {self.epsilon:.4g} at delta {self.delta:g} from {self.reports} shuffled reports. "
                f"{self.conditions}")


class Terms:
    """A spec with every constant that follows from it, and the id that names it. Terms are public; a device recomputes
    and checks them.

        >>> import sotto
        >>> terms = sotto.Terms(sotto.Spec(dim=2, arms=3))
        >>> terms.dim, terms.report_bytes, terms.context_shape
        (2, 42, (3, 2))
        >>> sotto.Terms.from_bytes(terms.to_bytes()) == terms
        True
        >>> print(terms)
        terms ...: 3 arms, 2 numbers in a context vector, parameters shared
        method sotto, score sign, rewards continuous in [-1, 1], link identity
        epsilon 1 and delta 0 per report, of 42 bytes"""

    spec: Spec

    def __init__(self, spec: Spec) -> None:
        if not isinstance(spec, Spec):
            raise errors.FaultError(f"spec = {spec!r}: expected a sotto.Spec")
        self._struct = ffi.new("sotto_terms *")
        _c.check(lib.sotto_spec_resolve(spec._struct, self._struct))
        self._settle()

    def _settle(self) -> None:
        spec = Spec.__new__(Spec)
        spec._struct = ffi.new("sotto_spec *", self._struct.spec)
        self.spec = spec
        self._fields = spec.fields()
        shared = self._struct.spec.parameters == lib.SOTTO_PARAMETERS_SHARED
        dim, arms = self._struct.spec.dim, self._struct.spec.arms
        self._context_shape = (arms, dim) if shared else (dim,)
        self._report_bytes = int(lib.sotto_report_bytes(self._struct))

    @classmethod
    def from_bytes(cls, data: bytes) -> Terms:
        """Terms from their canonical bytes. FrameError if they are not terms, or protect less than they promise."""
        data = octets("data", data)
        sentence = _c.fault(lib.sotto_terms_bytes_fault, data, len(data))
        if sentence is not None:
            raise errors.FrameError(sentence)
        terms = cls.__new__(cls)
        terms._struct = ffi.new("sotto_terms *")
        _c.check(lib.sotto_terms_decode(data, len(data), terms._struct))
        terms._settle()
        return terms

    def to_bytes(self) -> bytes:
        """The canonical bytes, as a server sends them."""
        room = ffi.new("uint8_t[]", lib.SOTTO_TERMS_BYTES)
        return bytes(ffi.buffer(room, lib.sotto_terms_encode(self._struct, room)))

    @property
    def id(self) -> str:
        """32 hexadecimal digits that name these terms."""
        return bytes(ffi.buffer(self._struct.id)).hex()

    @property
    def report_bytes(self) -> int:
        """The length of every report."""
        return self._report_bytes

    @property
    def context_shape(self) -> tuple[int, ...]:
        """Shape of one context: (arms, dim) with shared parameters, otherwise (dim,)."""
        return self._context_shape

    @property
    def theta_shape(self) -> tuple[int, ...]:
        """Shape of the parameters: (dim,) if they are shared, otherwise (arms, dim)."""
        return (self.dim,) if len(self._context_shape) == 2 else (self.arms, self.dim)

    @property
    def constants(self) -> dict[str, Any]:
        """What follows from the spec: codebooks by phase, or the lattice."""
        if lib.sotto_terms_reports_indices(self._struct):
            phases = _c.names("phase")
            return {name: _c.get(self._struct.codebook[i]) for name, i in phases.items()
                    if self._struct.codebook[i].size}
        return {"lattice": _c.get(self._struct.lattice)}

    def shuffled(self, reports: int, delta: float = 1e-6) -> Shuffled:
        """What a server learns about one person if somebody else shuffles so many reports of one epoch.

        >>> import sotto
        >>> found = sotto.Terms(sotto.Spec(dim=2, arms=3, epsilon=1)).shuffled(10000)
        >>> round(found.epsilon, 3), found.delta
        (0.041, 1e-06)"""
        reports = _c.whole("reports", reports, 1, lib.SOTTO_SHUFFLE_REPORTS_MAX)
        delta = _c.real("delta", delta)
        conditions = _c.text(lib.sotto_shuffle_text(self._struct))
        if not lib.sotto_shuffle_applies(self._struct):
            raise errors.FaultError(f"method = {self.method}: {conditions}")
        if not lib.SOTTO_SHUFFLE_DELTA_MIN <= delta < 1:
            raise errors.FaultError(f"delta = {delta:g}: allowed {lib.SOTTO_SHUFFLE_DELTA_MIN:g} to below 1")
        epsilon = ffi.new("double *")
        _c.check(lib.sotto_shuffle_epsilon(self._struct, reports, delta, epsilon))
        return Shuffled(reports, epsilon[0], delta, conditions)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(f"Terms has no {name!r}")
        return self._fields[name]

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Terms) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> Any:
        return Terms.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<Terms {self.id} of {self.spec!r}>"

    def __str__(self) -> str:
        lines = [f"terms {self.id}: {self.arms} arms, {self.dim} numbers in a context vector, "
                 f"parameters {self.parameters}",
                 f"method {self.method}, score {self.score}, rewards {self.reward_kind} in "
                 f"[{self.reward_lo:g}, {self.reward_hi:g}], link {self.link}",
                 f"epsilon {self.epsilon:g} and delta {self.delta:g} per report, of {self.report_bytes} bytes"]
        if self.measure > 0:
            lines.append(f"{100 * self.measure:.3g} % of the rounds measure; half of these play an arm at random")
        return "\n".join(lines)


def terms_of(value: Union[Terms, Spec]) -> Terms:
    """Terms as they are, or those of a spec."""
    if isinstance(value, Spec):
        return value.terms()
    if not isinstance(value, Terms):
        raise errors.FaultError(f"terms = {value!r}: expected sotto.Terms or sotto.Spec")
    return value


class Policy(_Fields):
    """A person's own limits, over all experiments. They never come from a server.

    epsilon_per_report_max   largest epsilon of one report; 2
    epsilon_lifetime         largest epsilon of all reports together; 8
    delta_max, delta_lifetime, dim_max, arms_max, measure_share_max   as in sotto/client.h
    methods_allowed          names of methods; all by default

        >>> import sotto
        >>> sotto.Policy(epsilon_lifetime=2).epsilon_lifetime
        2.0
        >>> sotto.Policy(methods_allowed=["sotto"]).methods_allowed
        ['sotto']
        >>> sotto.Policy(epsilon_lifetime=-1)
        Traceback (most recent call last):
        ...
        sotto.errors.FaultError: epsilon_lifetime = -1: ..."""

    def __init__(self, **fields: Any) -> None:
        self._struct = ffi.new("sotto_policy *", lib.sotto_policy_default())
        if isinstance(fields.get("methods_allowed"), (list, tuple, set, frozenset)):
            numbers = {_c.number_of("method", "methods_allowed", name) for name in fields["methods_allowed"]}
            fields["methods_allowed"] = sum(1 << number for number in numbers)
        _c.put(self._struct[0], fields)
        _c.refuse(lib.sotto_policy_fault, self._struct)

    def fields(self) -> dict[str, Any]:
        """All limits by name."""
        found = super().fields()
        found["methods_allowed"] = [name for name, i in _c.names("method").items() if found["methods_allowed"] >> i & 1]
        return found

    def __hash__(self) -> int:
        return hash(repr(self))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Policy) and self.fields() == other.fields()

    def __reduce__(self) -> Any:
        return _policy_again, (self.fields(),)

    def refusal(self, terms: Union[Terms, Spec]) -> Union[str, None]:
        """Why this policy refuses these terms; None if it admits them.

            >>> import sotto
            >>> sotto.Policy().refusal(sotto.Spec(epsilon=4))
            'epsilon = 4: ...'"""
        return _c.fault(lib.sotto_policy_refusal, self._struct, ffi.addressof(terms_of(terms)._struct.spec))


def _policy_again(fields: dict[str, Any]) -> Policy:
    return Policy(**fields)


def policy_of(value: Union[Policy, None]) -> Policy:
    """A policy as it is, or the usual one."""
    if value is None:
        return Policy()
    if not isinstance(value, Policy):
        raise errors.FaultError(f"policy = {value!r}: expected a sotto.Policy")
    return value
