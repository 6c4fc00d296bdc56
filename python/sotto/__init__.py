"""Contextual bandits under local differential privacy: simulate, plan, audit, replay; clients and learners.

    >>> import sotto
    >>> sotto.__version__ == sotto.library_version()
    True

The lab (simulate, plan, audit, replay) can be seeded, and protects nobody. Client and Ledger draw from the system."""

from importlib.metadata import version as _version

from sotto._c import text as _text
from sotto._environment import Environment
from sotto._guests import Problem
from sotto._lab import lib as _lib
from sotto._method import Method
from sotto._plot import plot
from sotto._rng import Rng
from sotto._simulate import simulate
from sotto._summary import summary
from sotto.errors import (BudgetError, Error, FaultError, FrameError, GuestError, GuestWarning, LedgerError, OrderError,
                          PolicyError, Stopped)

__version__ = _version("sotto")


def library_version() -> str:
    """The version of the C libraries that are linked into this package."""
    return _text(_lib.sotto_version())


if library_version() != __version__:
    raise ImportError(f"sotto {__version__} was built with libraries of version {library_version()}: install it again")

__all__ = ["BudgetError", "Environment", "Error", "FaultError", "FrameError", "GuestError", "GuestWarning",
           "LedgerError", "Method", "OrderError", "PolicyError", "Problem", "Rng", "Stopped", "__version__",
           "library_version", "plot", "simulate", "summary"]
