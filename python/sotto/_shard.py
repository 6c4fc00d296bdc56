"""A sweep on several machines: each plays a shard of the runs and writes a file of it, and `merge` joins the files."""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Union

from sotto import _c, errors
from sotto._frame import pandas as load_pandas
from sotto._lab import ffi, lib

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

Path = Union[str, "os.PathLike[str]"]


class Shard:
    """Part `index` of `count` of the runs of a sweep. The lab says which runs those are."""

    def __init__(self, index: int = 1, count: int = 1) -> None:
        _c.refuse(lib.sotto_shard_fault, index, count)
        self.index, self.count = index, count

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def holds(self, run: int) -> bool:
        return bool(lib.sotto_shard_holds(run, self.index, self.count))

    def runs(self, all_runs: int) -> int:
        return int(lib.sotto_shard_runs(all_runs, self.index, self.count))

    def write(self, comparison: Any, path: Path) -> None:
        _c.refuse(lib.sotto_comparison_write_shard, comparison, self.index, self.count, _c.path_bytes(path, "out"))


def shard_of(given: str | Sequence[int] | None) -> Shard:
    """The shard that "2/8" or (2, 8) means; all of the sweep for None."""
    if given is None:
        return Shard()
    words: Any = given
    if isinstance(given, str):
        words = given.split("/") if re.fullmatch(r"[0-9]{1,9}/[0-9]{1,9}", given) else ()
    if not isinstance(words, (list, tuple)) or len(words) != 2:
        raise errors.FaultError(f"shard = {given!r}: expected I/N, such as '2/8', with I from 1 to N")
    numbers = [_c.whole("shard", int(word) if isinstance(word, str) else word, 0, 2**32 - 1) for word in words]
    try:
        return Shard(*numbers)
    except errors.FaultError as wrong:
        raise errors.FaultError(f"shard = {given!r}: {wrong}") from None


def check_out(out: Path | None, shard: Any) -> None:
    """Refuses a file that cannot be written, before anything is played."""
    if out is None:
        return
    if shard is None:
        raise errors.FaultError("out: only of a shard; all rows are written by to_csv of the frame")
    path = os.fsdecode(_c.path_bytes(out, "out"))
    directory = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(directory):
        raise errors.FaultError(f"out = {path}: there is no directory {directory}")


def merge(paths: Iterable[Path], out: Path | None = None) -> pandas.DataFrame:
    """Joins the files of all shards of a sweep, written by `simulate(..., shard=, out=)` or by `sotto simulate --shard`,
    and returns the rows, bit for bit those of one machine.

    Unless each shard of the same sweep is there exactly once and complete, it writes nothing and raises FaultError, which
    names the shards to run again. With `out` it also writes the rows to that file, byte for byte as `sotto simulate` does
    on one machine.

        >>> import os, sotto, tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     files = [os.path.join(directory, f"part{i}.csv") for i in (1, 2)]
        ...     for i, file in enumerate(files, 1):
        ...         part = sotto.simulate("ols", dim=2, arms=3, horizon=100, seeds=5, shard=(i, 2), out=file)
        ...     rows = sotto.merge(files)
        >>> rows.equals(sotto.simulate("ols", dim=2, arms=3, horizon=100, seeds=5))
        True
    """
    if isinstance(paths, (str, bytes, os.PathLike)) or not isinstance(paths, Iterable):
        raise errors.FaultError(f"paths = {paths!r:.60}: expected a list of files")
    names = [ffi.new("char[]", _c.path_bytes(path, "paths")) for path in paths]
    with tempfile.TemporaryDirectory() as directory:
        written = _c.path_bytes(os.path.join(directory, "rows") if out is None else out, "out")
        _c.refuse(lib.sotto_shards_merge, ffi.new("char *[]", names), len(names), written)
        try:
            with open(written, encoding="utf-8") as file:
                return _read(file.read())
        except (ValueError, KeyError, TypeError, RecursionError) as wrong:
            raise errors.FaultError(f"paths: a shard has rows that no sweep gives: {wrong!s:.200}") from None


def _read(text: str) -> Any:
    """Rows as `sotto simulate` writes them: CSV, or JSON lines."""
    pandas = load_pandas()
    if text.startswith("{"):
        found = pandas.DataFrame([json.loads(line) for line in text.splitlines()])
    else:
        found = pandas.read_csv(io.StringIO(text), float_precision="round_trip")
    return found.astype({"epsilon": float, "regret": float, "estimation_error": float})
