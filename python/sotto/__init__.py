"""Contextual bandits under local differential privacy: simulate, plan, audit, replay; clients and learners.

    >>> import sotto
    >>> sotto.__version__ == sotto.library_version()
    True

The lab (simulate, plan, audit, replay) can be seeded, and is then not private. Client and Ledger draw from the system."""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from sotto._audit import Audit, audit
from sotto._c import text as _text
from sotto._client import Card, Client, Round
from sotto._coba import PrivateLearner
from sotto._device import Counts, Device, Event
from sotto._environment import Environment
from sotto._guests import Problem
from sotto._lab import lib as _lib
from sotto._learner import ArmMeasurement, Harm, Interval, Learner, Measurement, Taken
from sotto._ledger import Ledger, Unsent
from sotto._method import Method
from sotto._model import Model
from sotto._nonces import NonceSet
from sotto._people import People
from sotto._plan import Floor, Plan, floor, plan
from sotto._plot import plot
from sotto._privatise import Raw, privatise
from sotto._replay import Replay, replay
from sotto._rng import Rng
from sotto._service import Service, ServiceError
from sotto._shard import merge
from sotto._simulate import simulate
from sotto._summary import summary
from sotto._terms import Policy, Shuffled, Spec, Terms
from sotto.errors import (BudgetError, Error, FaultError, FrameError, GuestError, GuestWarning, LedgerError, OrderError,
                          PolicyError, Stopped)

__version__ = _version("sotto")

if _TYPE_CHECKING:
    from sotto._bandit import PrivateBandit as PrivateBandit


def __getattr__(name: str) -> _Any:
    """PrivateBandit loads scikit-learn, so that it is there when it is asked for."""
    if name != "PrivateBandit":
        raise AttributeError(f"module 'sotto' has no attribute {name!r}")
    try:
        from sotto._bandit import PrivateBandit
    except ImportError as fault:
        raise ImportError(f"sotto.PrivateBandit needs scikit-learn, which is not there ({fault}): "
                          "`pip install scikit-learn`, or Debian's python3-sklearn") from fault
    return PrivateBandit


def __dir__() -> list[str]:
    return sorted({*globals(), "PrivateBandit"})


def library_version() -> str:
    """The version of the C libraries that are linked into this package."""
    return _text(_lib.sotto_version())


if library_version() != __version__:
    raise ImportError(f"sotto {__version__} was built with libraries of version {library_version()}: install it again")

__all__ = [
    "ArmMeasurement", "Audit", "BudgetError", "Card", "Client", "Counts", "Device", "Environment", "Error", "Event",
    "FaultError", "Floor", "FrameError", "GuestError", "GuestWarning", "Harm", "Interval", "Learner", "Ledger",
    "LedgerError", "Measurement", "Method", "Model", "NonceSet", "OrderError", "People", "Plan", "Policy", "PolicyError",
    "PrivateLearner", "Problem", "Raw", "Replay", "Rng", "Round", "Service", "ServiceError", "Shuffled", "Spec", "Stopped", "Taken",
    "Terms", "Unsent", "__version__", "audit", "floor", "library_version", "merge", "plan", "plot", "privatise",
    "replay", "simulate", "summary",
]
