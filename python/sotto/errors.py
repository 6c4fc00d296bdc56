"""What can go wrong, as exceptions. All of them are `sotto.Error`; their sentences name the field, its value and what
is allowed."""


class Error(Exception):
    """Anything that Sotto refuses or cannot do."""


class FaultError(Error, ValueError):
    """An argument that cannot be used: out of range, of the wrong shape, or not together with another."""


class PolicyError(Error):
    """The terms ask for more than this person's policy allows."""


class BudgetError(PolicyError):
    """The person's privacy budget does not cover another report."""


class LedgerError(Error, OSError):
    """The ledger cannot be read, trusted or written; nothing was released."""


class OrderError(Error):
    """A round needs begin, decide and finish, in this order, each once."""


class FrameError(Error, ValueError):
    """Bytes that are no valid report, model, learner or terms, or that belong to other terms."""


class GuestError(Error):
    """A method, an environment or a mechanism of your own failed; the exception that it raised is the cause."""


class Stopped(UserWarning):
    """A sweep was interrupted: what was finished is kept, the rest is not there."""


class GuestWarning(UserWarning):
    """A method or an environment of your own failed in some runs: theirs are missing, all others are there."""
