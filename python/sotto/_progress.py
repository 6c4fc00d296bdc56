"""How far a sweep is: a bar on a terminal, a line in a notebook, or a function of your own."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Callable, Union

from sotto import errors

Progress = Union[None, bool, Callable[[int, int], Any]]

_WIDTH = 30


def _line(done: int, total: int, seconds: float) -> str:
    part = min(1.0, done / total) if total else 1.0
    bar = ("#" * int(part * _WIDTH)).ljust(_WIDTH)
    left = f"{seconds * (1 - part) / part:.0f} s left" if 0 < part < 1 else f"{seconds:.1f} s"
    return f"[{bar}] {100 * part:3.0f} %  {done:,} of {total:,} rounds  {left}"


def _notebook() -> Any:
    """IPython's display, if this is a notebook."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or not hasattr(running, "kernel"):
        return None
    from importlib import import_module

    return import_module("IPython.display").display


# ---- what the lab says to Python while it works ---------------------------------------------------

_here = threading.local()


class Hearing:
    """While the lab works on this thread, what a callback raises and cannot pass on through C, such as Ctrl-C, goes to
    `listener.lost(raised)`. A callback may itself ask the lab for something."""

    def __init__(self, listener: Any) -> None:
        self.listener = listener

    def __enter__(self) -> None:
        self.before = getattr(_here, "listener", None)
        _here.listener = self.listener

    def __exit__(self, *_: Any) -> None:
        _here.listener = self.before


def lost(_kind: Any, raised: BaseException, _traceback: Any) -> None:
    """For callbacks: cffi calls it, instead of printing."""
    _here.listener.lost(raised)


class Watch:
    """Tells a function how far the lab is, at most once in `every` seconds. Ctrl-C and what the function raises end the
    work: see `error` afterwards."""

    def __init__(self, progress: Callable[..., object] | None, wants: str, every: float = 0) -> None:
        if not (progress is None or callable(progress)):
            raise errors.FaultError(f"progress = {progress!r}: expected None, or a function of {wants}")
        self.progress = progress
        self.every = every
        self.next = 0.0
        self.error: BaseException | None = None

    def lost(self, raised: BaseException) -> None:
        self.error = raised

    def hear(self, *numbers: int) -> bool:
        """Whether to go on."""
        if self.progress is not None and time.monotonic() >= self.next:
            try:
                self.progress(*numbers)
            except BaseException as raised:  # pylint: disable=broad-except
                self.error = raised
            self.next = time.monotonic() + self.every
        return self.error is None


class Bar:
    """One line that is written again and again."""

    def __init__(self, display: Any) -> None:
        self.began = time.monotonic()
        self.display = display
        self.shown: Any = None

    def __call__(self, done: int, total: int) -> None:
        line = _line(done, total, time.monotonic() - self.began)
        if self.display is None:
            sys.stderr.write(f"\r\x1b[K{line}" if sys.stderr.isatty() else f"\r{line}")
            sys.stderr.flush()
            self.shown = True
        elif self.shown is None:
            self.shown = self.display({"text/plain": line}, raw=True, display_id=True)
        else:
            self.shown.update({"text/plain": line}, raw=True)

    def end(self) -> None:
        if self.display is None and self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()


def shown_by(progress: Progress) -> Any:
    """What hears of (rounds_done, rounds_total): the argument `progress`, a bar, or None."""
    if callable(progress):
        return progress
    if not (progress is None or isinstance(progress, bool)):
        raise errors.FaultError(f"progress = {progress!r}: expected True, False, None, or a function of (done, total)")
    if progress is False:
        return None
    display = _notebook()
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return Bar(display) if progress or terminal or display is not None else None
