"""Exceptions. All are `sotto.Error`; their messages name the argument, its value and what is allowed."""


class Error(Exception):
    """Sotto refuses something or cannot do it."""


class FaultError(Error, ValueError):
    """An argument cannot be used: it is out of range, of the wrong shape, or does not fit another."""


class PolicyError(Error):
    """The terms ask for more than this person's policy allows."""


class BudgetError(PolicyError):
    """The person's privacy budget does not cover another report."""


class LedgerError(Error, OSError):
    """The ledger cannot be read, trusted or written; nothing was released."""


class OrderError(Error):
    """A round needs begin, decide and finish, in this order, each once."""


class FrameError(Error, ValueError):
    """Bytes that are not a valid report, model, learner or terms, or that belong to other terms."""


class GuestError(Error):
    """Your own method, environment or mechanism failed; the exception that it raised is the cause."""


class Stopped(UserWarning):
    """A sweep was interrupted: the rows hold only the finished runs."""


class GuestWarning(UserWarning):
    """Your own method or environment failed in some runs; the rows hold all other runs."""
