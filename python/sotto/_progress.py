"""How far a sweep is: a bar on a terminal, a line in a notebook, or a function of your own."""

from __future__ import annotations

import sys
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
