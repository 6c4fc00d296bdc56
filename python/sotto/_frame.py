"""DataFrames. pandas is loaded when the first one is asked for: it takes longer than all of the rest."""

from __future__ import annotations

import html
import importlib
import math
import shutil
import textwrap
from typing import Any, Iterable, Mapping, Sequence


def pandas() -> Any:
    """The module."""
    try:
        return importlib.import_module("pandas")
    except ImportError as missing:
        raise ImportError(f"sotto needs pandas for tables, and cannot load it ({missing}): `pip install pandas`, or "
                          "Debian's python3-pandas") from missing


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """A DataFrame with these columns, also if there is no row."""
    return pandas().DataFrame(list(rows), columns=list(columns))


def number(value: Any, digits: int) -> str:
    """A number as the command line prints it; "-" for NaN and None."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return format(value, f".{digits}g") if isinstance(value, float) else str(value)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[int] = ()) -> str:
    """Rows in columns, numbers to the right; the columns `left` hold words."""
    lines: list[list[str]] = [list(head)]
    lines += [list(row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    words = set(left)
    return "\n".join(
        "  ".join(cell.ljust(width) if i in words else cell.rjust(width)
                  for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def columns_of_output() -> int:
    """The width of the terminal, or of the variable COLUMNS; 80 if neither says it."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def wrapped(words: str) -> str:
    """Paragraphs, each within the terminal."""
    width = min(100, columns_of_output())
    return "\n".join(textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in words.split("\n"))


def table_and_notes(head: Sequence[str], rows: Sequence[Sequence[str]], left: Iterable[int] = (), spare: str = "") -> str:
    """A table whose last column holds words. Where the terminal is too narrow, these go below their rows, and then
    columns named `spare` are left out."""
    def width(text: str) -> int:
        return max(map(len, text.split("\n")))
    whole, columns = table(head, rows, [*left, len(head) - 1]), columns_of_output()
    if width(whole) <= columns:
        return whole
    if width(table(head[:-1], [row[:-1] for row in rows])) > columns:
        kept = [i for i, title in enumerate(head) if title != spare]
        head, rows = [head[i] for i in kept], [[row[i] for i in kept] for row in rows]
    lines = table(head[:-1], [row[:-1] for row in rows], left).split("\n")
    notes = [""] + [row[-1] for row in rows]
    return "\n".join(line + ("\n    " + wrapped(note).replace("\n", "\n    ") if note else "") for line, note in zip(lines, notes))


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], bad: Sequence[bool] = ()) -> str:
    """The same for a notebook; rows that are `bad` stand out."""
    def cells(tag: str, line: Sequence[str]) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line)
    red = ' style="color:#b00020;font-weight:bold"'
    body = "".join(f"<tr{red if i < len(bad) and bad[i] else ''}>{cells('td', row)}</tr>" for i, row in enumerate(rows))
    return f"<table><tr>{cells('th', head)}</tr>{body}</table>"
