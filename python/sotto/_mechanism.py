"""The settings of a mechanism, for an audit and for reports."""

from __future__ import annotations

from typing import Any

from sotto import errors
from sotto._c import names, nearest, put, real, whole
from sotto._lab import lib

SEED_MAX = 2**64 - 1


def kind_of(name: Any, others: str = "") -> int:
    """The number of a mechanism's name; `others` is what else would have been allowed."""
    kinds = names("mechanism_kind")
    if not isinstance(name, str) or name not in kinds:
        raise errors.FaultError(f"mechanism = {name!r:.60}: allowed "
                                f"{', '.join(kinds)}{others}{nearest(str(name), kinds)}")
    return kinds[name]


def settings_of(kind: int, dim: Any, epsilon: Any, seed: Any, **values: Any) -> Any:
    """Settings with these values; None leaves the default. What does not fit together is for C to refuse."""
    made = lib.sotto_mechanism_default(kind, whole("dim", dim, 1, lib.SOTTO_DIM_MAX), real("epsilon", epsilon))
    put(made, {name: value for name, value in values.items() if value is not None})
    if seed is not None:
        made.seeded, made.seed = True, whole("seed", seed, 0, SEED_MAX)
    return made
