"""What a person has spent, over all experiments and servers."""

from __future__ import annotations

import os
import weakref
from typing import Any, NamedTuple, Union

from sotto import _c, errors
from sotto._guard import Guard
from sotto._lab import ffi, lib


class Unsent(NamedTuple):
    """A report that no server is known to have."""

    entry: int
    spec_id: str
    nonce: str
    frame_bytes: int
    held: bool
    sealed: bool
    begun_ms: int
    send_at_ms: int


class Ledger:
    """A person's ledger: it books a round before there is a context.

    `Ledger()` is in memory and ends with the process. `Ledger.create(path)` makes one in a file, once in a person's life;
    `Ledger(path)` opens it and never makes one. A file survives crashes, and processes can share it.

        >>> import sotto
        >>> with sotto.Ledger() as ledger:
        ...     ledger.rounds, ledger.epsilon
        (0, 0.0)

    Threads may share it. A child of a fork must open the file again; a ledger in memory stays with its process."""

    def __init__(self, path: Union[str, os.PathLike[str], None] = None) -> None:
        out = ffi.new("sotto_ledger **")
        if path is None:
            _c.check(lib.sotto_ledger_memory_new(out))
        else:
            name = _c.path_bytes(path)
            sentence = _c.fault(lib.sotto_ledger_file_fault, name)
            if sentence is not None:
                raise errors.LedgerError(f"{os.fsdecode(name)}: {sentence}")
            _c.check(lib.sotto_ledger_file_open(name, out))
        self.path = None if path is None else os.fspath(path)
        self._guard = Guard("ledger")
        self._pointer = ffi.gc(out[0], lib.sotto_ledger_free)
        self._users: weakref.WeakSet[Any] = weakref.WeakSet()

    @classmethod
    def create(cls, path: Union[str, os.PathLike[str]]) -> Ledger:
        """Makes an empty ledger at a path where no file exists, and opens it."""
        name = _c.path_bytes(path)
        ffi.errno = 0
        status = lib.sotto_ledger_file_create(name)
        told = _c.text(lib.sotto_status_text(status))
        why = os.strerror(ffi.errno) if status == lib.SOTTO_E_LEDGER and ffi.errno else told
        _c.check(status, f"{os.fsdecode(name)}: {why}")
        return cls(path)

    def close(self) -> None:
        """Closes the ledger and what uses it. Rounds that were begun are abandoned and stay spent."""
        if self._guard.close():
            for user in list(self._users):
                user._release()
            ffi.release(self._pointer)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._guard.closed

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def rounds(self) -> int:
        """Number of rounds begun, including abandoned ones."""
        with self._guard:
            return int(lib.sotto_ledger_rounds(self._pointer))

    @property
    def reports(self) -> int:
        """Number of rounds that ended in a report."""
        with self._guard:
            return int(lib.sotto_ledger_reports(self._pointer))

    @property
    def dropped(self) -> int:
        """Number of reports given up."""
        with self._guard:
            return int(lib.sotto_ledger_dropped(self._pointer))

    @property
    def epsilon(self) -> float:
        """The epsilon spent: the sum over all rounds."""
        with self._guard:
            return float(lib.sotto_ledger_epsilon(self._pointer))

    @property
    def delta(self) -> float:
        """The delta spent: the sum over all rounds."""
        with self._guard:
            return float(lib.sotto_ledger_delta(self._pointer))

    def epsilon_optimal(self, delta: float = 1e-5) -> float:
        """The epsilon spent by optimal composition at a total delta; never more than the sum."""
        delta = _c.real("delta", delta)
        with self._guard:
            return float(lib.sotto_ledger_epsilon_optimal(self._pointer, delta))

    @property
    def fault(self) -> Union[str, None]:
        """Why the last use was refused, or None."""
        with self._guard:
            return self._fault()

    def _fault(self) -> Union[str, None]:
        return _c.fault(lib.sotto_ledger_fault, self._pointer)

    def _check(self, status: int) -> None:
        """Raises, with the ledger's own words if it has some."""
        if status != lib.SOTTO_OK:
            why = self._fault() if status == lib.SOTTO_E_LEDGER else None
            _c.fail(status, f"{_c.text(lib.sotto_status_text(status))}: {why}" if why else None)

    def unsent(self) -> list[Unsent]:
        """The reports that must still be sent, including those of earlier processes. A ledger in memory knows only those of
        held rounds."""
        out = ffi.new("sotto_unsent *")
        found: list[Unsent] = []
        with self._guard:
            while True:
                self._check(lib.sotto_ledger_unsent(self._pointer, out.entry, out))
                if out.entry == 0:
                    return found
                found.append(Unsent(out.entry, bytes(out.spec_id).hex(), bytes(out.nonce).hex(), out.frame_bytes,
                                    out.held,
                                    out.sealed, out.begun_ms, out.send_at_ms))

    def seal(self, entry: int) -> bytes:
        """The bytes of an unsent report, which nothing replaces from now on. Further calls return the same bytes."""
        entry = _c.whole("entry", entry, 0, 2**64 - 1)
        sizes = {report.entry: report.frame_bytes for report in self.unsent()}
        frame = ffi.new("uint8_t[]", max(1, sizes.get(entry, 1)))
        with self._guard:
            self._check(lib.sotto_ledger_seal(self._pointer, entry, frame, len(frame)))
        return bytes(ffi.buffer(frame))

    def acknowledge(self, entry: int) -> None:
        """A server has this sealed report, so it is not sent again."""
        entry = _c.whole("entry", entry, 0, 2**64 - 1)
        with self._guard:
            self._check(lib.sotto_ledger_acknowledge(self._pointer, entry))

    def drop(self, entry: int) -> None:
        """Gives up a report; its round stays spent. Choose reports by age, never by what happened in the round."""
        entry = _c.whole("entry", entry, 0, 2**64 - 1)
        with self._guard:
            self._check(lib.sotto_ledger_drop(self._pointer, entry))

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else repr(self.path)
        try:
            return f"<Ledger {where}: {self.rounds} rounds, {self.reports} reports, epsilon {self.epsilon:g}>"
        except errors.OrderError:
            return f"<Ledger {where}, closed>"

    def __reduce__(self) -> Any:
        raise errors.OrderError("a ledger cannot be copied: what its copies spend would not add up")
