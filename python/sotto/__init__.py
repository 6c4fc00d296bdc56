"""Contextual bandits under local differential privacy: simulate, plan, audit, replay; clients and learners.

    >>> import sotto
    >>> sotto.__version__ == sotto.library_version()
    True

The lab (simulate, plan, audit, replay) can be seeded, and protects nobody. Client and Ledger draw from the system."""

from importlib.metadata import version as _version

from sotto._audit import Audit, audit
from sotto._c import text as _text
from sotto._lab import lib as _lib
from sotto._plan import Floor, Plan, floor, plan
from sotto._privatise import Raw, privatise
from sotto._replay import Replay, replay
from sotto.errors import (BudgetError, Error, FaultError, FrameError, GuestError, LedgerError, OrderError, PolicyError,
                          Stopped)

__version__ = _version("sotto")


def library_version() -> str:
    """The version of the C libraries that are linked into this package."""
    return _text(_lib.sotto_version())


if library_version() != __version__:
    raise ImportError(f"sotto {__version__} was built with libraries of version {library_version()}: install it again")

__all__ = ["Audit", "BudgetError", "Error", "FaultError", "Floor", "FrameError", "GuestError", "LedgerError",
           "OrderError", "Plan", "PolicyError", "Raw", "Replay", "Stopped", "__version__", "audit", "floor",
           "library_version", "plan", "privatise", "replay"]
