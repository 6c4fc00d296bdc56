"""People as the lab reads them: a file, and a schema that says what its columns mean and which values they have."""

from __future__ import annotations

import math
import numbers
import os
import re
import tempfile
from types import TracebackType
from typing import Any, Mapping, Sequence

from sotto import errors
from sotto._c import fault, nearest, path_bytes, real, text, whole
from sotto._frame import pandas
from sotto._lab import ffi, lib

_HEADERS = {"guess": 0, "no": 1, "yes": 2}
_SEPARATORS = {"guess": "\0", "comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blank": " "}
_DECIMALS = {"guess": "\0", "point": ".", "comma": ","}
_FORMATS = {"csv": 0, "libsvm": 1}
_LEVELS_MAX = 256  # of a column, as in a draft
_WORD = re.compile(r'"(?:[^"]|"")*"|[^\s"]+')


def _plain(word: str) -> str:
    """A word of a schema without its quotes."""
    return word[1:-1].replace('""', '"') if word.startswith('"') else word


def choice(field: str, value: Any, allowed: Mapping[str, Any]) -> Any:
    """What a name stands for."""
    if not isinstance(value, str) or value not in allowed:
        raise errors.FaultError(f"{field} = {value!r}: allowed {', '.join(allowed)}")
    return allowed[value]


# ---- a frame ----------------------------------------------------------------------------------


def _family(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "bool"
    if isinstance(value, numbers.Real):
        return "number"
    return type(value).__name__


def _check_objects(name: str, column: Any) -> None:
    """A column of objects is one of text, of flags or of numbers."""
    first: dict[str, Any] = {}
    present = column[column.notna()]
    text_only = pandas().api.types.infer_dtype(present, skipna=True) == "string"
    for value in present.unique() if text_only else present.array:
        family = _family(value)
        first.setdefault(family, value)
        if family == "text":
            try:
                value.encode()
            except UnicodeEncodeError:
                raise errors.FaultError(f"column {name!r} holds {value!r:.60}, which is not valid UTF-8") from None
            if "\0" in value:
                raise errors.FaultError(f"column {name!r} holds {value!r:.60}: a zero byte is not allowed")
        elif family == "number" and not math.isfinite(value):
            raise errors.FaultError(f"column {name!r} holds {value!r}: expected finite numbers")
    for family in first:
        if family not in ("text", "bool", "number"):
            raise errors.FaultError(f"column {name!r} holds {first[family]!r:.60} ({family}): expected numbers, text "
                                    "or flags")
    if len(first) > 1:
        shown = " and ".join(f"{value!r:.30} ({family})" for family, value in first.items())
        raise errors.FaultError(f"column {name!r} holds {shown}: expected values of one type")


def _check_column(name: str, column: Any) -> None:
    kind = column.dtype.kind
    if kind in "mMc" or str(column.dtype).startswith(("period", "interval", "Sparse")):
        raise errors.FaultError(f"column {name!r} is {column.dtype}: make it numbers or text, or ignore it")
    if kind == "f":
        infinite = column[(column == math.inf) | (column == -math.inf)]
        if len(infinite):
            raise errors.FaultError(f"column {name!r} holds {infinite.iloc[0]}: expected finite numbers")
    elif kind == "O":
        _check_objects(name, column)


def _names(frame: Any) -> list[str]:
    if frame.columns.nlevels > 1:
        raise errors.FaultError("data has columns of several levels: expected one name each")
    found = [str(name) for name in frame.columns]
    for at, name in enumerate(found):
        if name in found[:at]:
            raise errors.FaultError(f"column {name!r} is there twice: names must differ")
        if not name.strip() or not name.isprintable():
            raise errors.FaultError(f"column {name!r}: expected a name of printable letters")
    return found


def checked(frame: Any, ignored: Sequence[str], needed: Mapping[str, Any]) -> Any:
    """The frame as it will be written: plain names, columns of one type, what is ignored left out. `needed` are columns
    by the arguments that name them."""
    found = _names(frame)
    for field, column in [*needed.items(), *(("ignore", name) for name in ignored)]:
        if column is not None and column not in found:
            raise errors.FaultError(f"{field} = {column!r}: data has no such column{nearest(str(column), found)}")
    if len(frame) == 0:
        raise errors.FaultError("data has no rows")
    taken = frame.set_axis(found, axis=1)
    taken = taken[[name for name in found if name not in ignored]]
    for name in taken.columns:
        _check_column(name, taken[name])
    return taken


def _is_words(column: Any) -> bool:
    """Text, or one of pandas' categories: not a number, though it may look like one."""
    if str(column.dtype) == "category":
        return True
    return column.dtype.kind == "O" and any(isinstance(value, str) for value in column[column.notna()].array[:1])


def as_words(frame: Any, schema: "Schema", directory: "Directory") -> "Schema":
    """A draft sees a file, in which a postcode looks like a number. What is text in the frame becomes a category."""
    lines, changed = schema.text.splitlines(), False
    missing = set(_WORD.findall(next((line for line in lines if line.startswith("missing ")), "")))
    for at, line in enumerate(lines):
        words: list[str] = _WORD.findall(line)
        name = _plain(words[1]) if words and words[0] == "number" else None
        if name not in frame.columns or not _is_words(frame[name]):
            continue
        levels = sorted({str(value).strip() for value in frame[name].dropna().unique()} - missing)
        changed = True
        lines[at] = (_line("category", str(name), levels) if len(levels) <= _LEVELS_MAX
                     else f"# text, and more than {_LEVELS_MAX} levels\nignore {_word(name)}")
    if not changed:
        return schema
    path = directory.write_text("words.schema", "\n".join(lines) + "\n")
    made = read_schema(path, directory, (path, "the frame"))
    made.text = "\n".join(lines) + "\n"
    return made


# ---- files ------------------------------------------------------------------------------------


class Directory:
    """A directory for files of people, which nobody else can read. It is removed afterwards, whatever happens."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="sotto-")

    def __enter__(self) -> "Directory":
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None,
                 where: TracebackType | None) -> None:
        self._directory.cleanup()

    def path(self, name: str) -> str:
        """A new empty file."""
        path = os.path.join(self._directory.name, name)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return path

    def write_frame(self, frame: Any) -> str:
        """A CSV file of these rows; the index is left out, and what is missing is empty."""
        path = self.path("people.csv")
        frame.to_csv(path, index=False, encoding="utf-8")
        return path

    def write_text(self, name: str, words: str) -> str:
        """A file with this text."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(words)
        return path


# ---- a schema ---------------------------------------------------------------------------------


def _word(value: Any) -> str:
    word = str(value)
    if not word.isprintable():
        raise errors.FaultError(f"ranges: {word!r:.60}: expected printable letters")
    return '"' + word.replace('"', '""') + '"'


def _number_range(name: str, given: Any) -> str:
    lo, hi = (real(f"ranges[{name!r}]", value) for value in given[:2])
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        raise errors.FaultError(f"ranges[{name!r}] = {given!r}: expected the smallest and the largest value")
    return f"{lo!r} {hi!r}{' log' if len(given) == 3 else ''}"


def _line(kind: str, name: str, given: Any) -> str:
    """A tuple is a range of numbers, (lo, hi) or (lo, hi, "log"); a list has levels."""
    if isinstance(given, tuple):
        if len(given) not in (2, 3) or (len(given) == 3 and given[2] != "log"):
            raise errors.FaultError(f"ranges[{name!r}] = {given!r}: expected (lo, hi), (lo, hi, 'log'), or a list of "
                                    "levels")
        return f"{kind or 'number'} {_word(name)} {_number_range(name, given)}"
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise errors.FaultError(f"ranges[{name!r}] = {given!r:.60}: expected (lo, hi) or a list of levels")
    return f"{kind or 'category'} {_word(name)} {' '.join(_word(level) for level in given)}"


def schema_text(ranges: Any, roles: Mapping[str, Any], ignored: Sequence[str]) -> str:
    """A schema with these public ranges and levels; `roles` are label, action, reward and propensity."""
    if not isinstance(ranges, Mapping):
        raise errors.FaultError(f"ranges = {ranges!r:.60}: expected a dict of columns: (lo, hi) or a list of levels")
    lines = ["format csv", "separator comma", "header yes", "scale unit", "ranges public", "others fault"]
    lines += ["unlabelled skip"] if roles["label"] is not None else []
    by_column = {column: role for role, column in roles.items() if isinstance(column, str)}
    for role, column in roles.items():
        if role == "propensity":
            lines += [] if column is None else [f"propensity {_word(column)}" if isinstance(column, str)
                                               else f"propensity constant {column!r}"]
        elif column is not None and column not in ranges:
            raise errors.FaultError(f"ranges has no {column!r}: the {role} needs " +
                                    ("its range (lo, hi)" if role == "reward" else "a list of its levels"))
    for name, given in ranges.items():
        kind = by_column.get(name, "")
        if kind == "propensity":
            raise errors.FaultError(f"ranges[{name!r}]: the propensity is a chance, and needs no range")
        if (kind == "reward") != isinstance(given, tuple) and kind:
            wanted = "(lo, hi)" if kind == "reward" else "a list of levels"
            raise errors.FaultError(f"ranges[{name!r}] = {given!r:.60}: the {kind} needs {wanted}")
        lines.append(_line(kind, str(name), given))
    return "\n".join([*lines, *(f"ignore {_word(name)}" for name in ignored)]) + "\n"


class Schema:
    """A schema, and what it says."""

    def __init__(self, made: Any, directory: Directory) -> None:
        self.handle = ffi.gc(made, lib.sotto_schema_free)
        path = directory.path("written.schema")
        self.refuse(lib.sotto_schema_write, self.handle, path.encode())
        with open(path, encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        os.remove(path)
        self.ranges = "data" if re.search("^ranges data$", self.text, re.MULTILINE) else "public"
        self.log = bool(lib.sotto_schema_is_log(made))
        self.dim = int(lib.sotto_schema_dim(made))
        self.arms = [text(lib.sotto_schema_arm_name(made, arm)) for arm in range(lib.sotto_schema_arms(made))]

    @staticmethod
    def refuse(function: Any, *arguments: Any, shown: tuple[str, str] = ("", "")) -> None:
        """Raises what a function says; `shown` is a path, and what to call it."""
        wrong = fault(function, *arguments)
        if wrong is not None:
            raise errors.FaultError(wrong.replace(*shown) if shown[0] else wrong)

    @property
    def notes(self) -> list[str]:
        """What a draft decided by itself."""
        found = re.findall(r'^# (.*)\n(\w+) ("(?:[^"]|"")*"|\S+)', self.text, re.MULTILINE)
        return [f"column {_plain(name)}: {'ignored: ' if kind == 'ignore' else ''}{note}" for note, kind, name in found]


def read_schema(path: Any, directory: Directory, shown: tuple[str, str] = ("", "")) -> Schema:
    """A schema from a file."""
    if not isinstance(path, (str, os.PathLike)):
        raise errors.FaultError(f"schema = {path!r:.60}: expected the path of a file; ranges= takes a dict")
    out = ffi.new("sotto_schema **")
    Schema.refuse(lib.sotto_schema_read, path_bytes(path, "schema"), out, shown=shown)
    return Schema(out[0], directory)


def draft_schema(path: str, roles: Mapping[str, Any], ignored: Sequence[str], options: Mapping[str, Any],
                 directory: Directory,
                 shown: tuple[str, str]) -> Schema:
    """A schema from one pass over the rows: what it says of them is not private."""
    draft = ffi.new("sotto_draft *", lib.sotto_draft_default())
    kept = []
    for role, column in roles.items():
        if isinstance(column, str):
            kept.append(ffi.new("char[]", column.encode()))
            setattr(draft, role, kept[-1])
        elif column is not None:
            draft.constant_propensity = column
    kept += [ffi.new("char[]", name.encode()) for name in ignored]
    words = ffi.new("char *[]", kept[len(kept) - len(ignored):] or 1)
    draft.ignored, draft.ignored_count = words, len(ignored)
    draft.format = choice("format", options["format"], _FORMATS)
    draft.header = choice("header", options["header"], _HEADERS)
    draft.separator = choice("separator", options["separator"], _SEPARATORS).encode()
    draft.decimal = choice("decimal", options["decimal"], _DECIMALS).encode()
    out = ffi.new("sotto_schema **")
    Schema.refuse(lib.sotto_schema_draft, draft, os.fsencode(path), out, shown=shown)
    return Schema(out[0], directory)


def counts_of(schema: Schema, path: str, shown: tuple[str, str]) -> dict[str, int]:
    """What reading the file met: rows, missing fields, clipped numbers, unknown levels, rows without a label."""
    dataset, people = ffi.new("sotto_dataset **"), ffi.new("sotto_people **")
    Schema.refuse(lib.sotto_dataset_open, schema.handle, os.fsencode(path), dataset, shown=shown)
    opened = ffi.gc(dataset[0], lib.sotto_dataset_close)
    if lib.sotto_people_new(schema.dim, people) != lib.SOTTO_OK:
        raise MemoryError
    block = ffi.gc(people[0], lib.sotto_people_free)
    while True:
        Schema.refuse(lib.sotto_dataset_next, opened, block, shown=shown)
        if block.rows == 0:
            break
    counted = lib.sotto_dataset_counted(opened)
    found = {name: int(getattr(counted, name)) for name in ("rows", "missing", "clipped", "unknown", "unlabelled")}
    ffi.release(opened)
    ffi.release(block)
    return found


def is_frame(data: Any) -> bool:
    """Whether this is a DataFrame, without loading pandas for a path."""
    if isinstance(data, (str, bytes, os.PathLike)):
        return False
    return bool(isinstance(data, pandas().DataFrame))


def propensity_of(given: Any) -> Any:
    """A column, or the chance that every action had."""
    if given is None or isinstance(given, str):
        return given
    chance = real("propensity", given)
    if not 0 < chance < 1:
        raise errors.FaultError(f"propensity = {given!r}: expected a column, or one chance between 0 and 1")
    return chance


def count_of(field: str, value: Any, highest: int) -> int:
    """A number of something, at least one."""
    return whole(field, value, 1, highest)
