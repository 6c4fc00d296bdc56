"""DataFrames. pandas is loaded when the first one is asked for: it takes longer than all of the rest."""

from __future__ import annotations

import html
import importlib
import math
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


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], bad: Sequence[bool] = ()) -> str:
    """The same for a notebook; rows that are `bad` stand out."""
    def cells(tag: str, line: Sequence[str]) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line)
    red = ' style="color:#b00020;font-weight:bold"'
    body = "".join(f"<tr{red if i < len(bad) and bad[i] else ''}>{cells('td', row)}</tr>" for i, row in enumerate(rows))
    return f"<table><tr>{cells('th', head)}</tr>{body}</table>"
