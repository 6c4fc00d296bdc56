"""Who may use a C object: one thread at a time, not after it was closed, and not in a child of a fork."""

from __future__ import annotations

import os
import threading
from typing import Any

from sotto import errors


class Guard:
    """Held while C works on an object, and on all that belong to it: other threads wait.

    A copy of a person in a forked child would report twice from one draw, so that it is refused there, unless `copies`
    says that a copy does no harm."""

    def __init__(self, what: str, copies: bool = False) -> None:
        self._what = what
        self._copies = copies
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._closed = False

    def __enter__(self) -> Guard:
        if self._process != os.getpid():
            if not self._copies:
                raise errors.OrderError(f"this {self._what} belongs to the process that forked this one: make or open "
                                        "one here")
            self._process, self._lock = os.getpid(), threading.RLock()
        self._lock.acquire()
        if self._closed:
            self._lock.release()
            raise errors.OrderError(f"this {self._what} is closed")
        return self

    def __exit__(self, *_: Any) -> None:
        self._lock.release()

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> bool:
        """Nothing passes any more. True the first time."""
        if self._process != os.getpid():
            return False
        with self._lock:
            first, self._closed = not self._closed, True
        return first
