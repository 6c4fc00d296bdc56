"""Between Python and C: statuses become exceptions, keywords become fields of structs, arrays become pointers."""

from __future__ import annotations

import difflib
import math
import operator
import os
from typing import Any, Iterable, Mapping, NoReturn

import numpy
from numpy.typing import NDArray

from sotto import errors
from sotto._lab import ffi, lib


def text(pointer: Any) -> str:
    """A C string."""
    return str(ffi.string(pointer).decode("utf-8", "replace"))


# ---- statuses -------------------------------------------------------------------------------------

_EXCEPTIONS = {
    "MEMORY": MemoryError,
    "LENGTH": errors.FaultError,
    "FAULT": errors.FaultError,
    "FRAME": errors.FrameError,
    "SPEC": errors.FrameError,
    "EPOCH": errors.FrameError,
    "PHASE": errors.FrameError,
    "INDEX": errors.FrameError,
    "TICK": errors.FrameError,
    "POLICY": errors.PolicyError,
    "WEAK": errors.PolicyError,
    "BUDGET": errors.BudgetError,
    "ORDER": errors.OrderError,
    "SERVED": errors.OrderError,
    "LEDGER": errors.LedgerError,
    "EXISTS": errors.LedgerError,
    "PLUGIN": errors.GuestError,
}


def fail(status: int, about: str | None = None) -> NoReturn:
    """Raises the exception of a status: its own sentence, or a better one."""
    name = ffi.typeof("sotto_status").elements[status].removeprefix("SOTTO_E_")
    raise _EXCEPTIONS.get(name, errors.Error)(about or text(lib.sotto_status_text(status)))


def check(status: int, about: str | None = None) -> None:
    """Raises unless the status is SOTTO_OK."""
    if status != lib.SOTTO_OK:
        fail(status, about)


def spelled(wrong: Any, keywords: Mapping[str, str]) -> str:
    """The sentence of a fault, with keywords for fields; in what is allowed, these stand in backquotes."""
    field, value, allowed, sentence = map(text, (wrong.field, wrong.value, wrong.allowed, wrong.sentence))
    if not field:
        return sentence
    rest = f" = {value}: " if value else ": "
    name, bracket, index = field.partition("[")
    parts = allowed.split("`")
    parts[1::2] = [keywords.get(part, part) for part in parts[1::2]]
    return sentence.partition(field + rest)[0] + keywords.get(name, name) + bracket + index + rest + "".join(parts)


def fault(function: Any, *arguments: Any, keywords: Mapping[str, str] | None = None) -> str | None:
    """What a C function that ends in `sotto_fault *fault` says is wrong, or None. Fields of a fault that have other names
    as keywords are called so."""
    wrong = ffi.new("sotto_fault *")
    return None if function(*arguments, wrong) == lib.SOTTO_OK else spelled(wrong, keywords or {})


def refuse(function: Any, *arguments: Any, keywords: Mapping[str, str] | None = None) -> None:
    """Raises FaultError with the sentence of such a function, if it has one."""
    sentence = fault(function, *arguments, keywords=keywords)
    if sentence is not None:
        raise errors.FaultError(sentence)


def path_bytes(path: Any, field: str = "path") -> bytes:
    """A path as C takes it."""
    try:
        found = os.fsencode(path)
    except TypeError:
        raise errors.FaultError(f"{field} = {path!r}: expected a path") from None
    if b"\0" in found:
        raise errors.FaultError(f"{field} = {path!r}: a path has no NUL")
    return found


# ---- names ----------------------------------------------------------------------------------------


def nearest(name: str, allowed: Iterable[str]) -> str:
    """"; did you mean X?", if one of the allowed names is near."""
    near = difflib.get_close_matches(name, list(allowed), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def names(kind: str) -> dict[str, int]:
    """The names of an enumeration, such as "link", and their numbers."""
    name_of = getattr(lib, f"sotto_{kind}_name")
    found = {}
    for number in range(256):
        pointer = name_of(number)
        if pointer == ffi.NULL:
            break
        found[text(pointer)] = number
    return found


def number_of(kind: str, field: str, name: Any) -> int:
    """The number of a name; FaultError for one that is not in the list."""
    allowed = names(kind)
    if not isinstance(name, str) or name not in allowed:
        raise errors.FaultError(f"{field} = {name!r}: allowed {', '.join(allowed)}{nearest(str(name), allowed)}")
    return allowed[name]


def cores() -> int:
    """Those that this process may use, as threads of the lab."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, int(lib.SOTTO_THREADS_MAX))


# ---- numbers --------------------------------------------------------------------------------------


def _shown(number: int) -> str:
    """A number in a sentence; Python refuses to write very long ones."""
    return str(number) if number.bit_length() <= 128 else f"a number of {number.bit_length()} bits"


def whole(field: str, value: Any, lowest: int, highest: int) -> int:
    """A whole number within a range; 1e5 is one, 1.5 and True are none."""
    if isinstance(value, (bool, numpy.bool_)):
        raise errors.FaultError(f"{field} = {value!r}: expected a whole number")
    try:
        if isinstance(value, (float, numpy.floating)) and float(value).is_integer():
            value = int(value)
        found = operator.index(value)
    except TypeError:
        raise errors.FaultError(f"{field} = {value!r}: expected a whole number") from None
    if not lowest <= found <= highest:
        raise errors.FaultError(f"{field} = {_shown(found)}: allowed {lowest} to {highest}")
    return found


def real(field: str, value: Any) -> float:
    """A number that is not NaN."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise errors.FaultError(f"{field} = {value!r}: expected a number") from None
    except OverflowError:
        raise errors.FaultError(f"{field} is a number beyond the range of float: expected a smaller one") from None
    if isinstance(value, (str, bytes, bool, numpy.bool_)) or math.isnan(found):
        raise errors.FaultError(f"{field} = {value!r}: expected a number")
    return found


def masked(value: Any) -> bool:
    """Whether numbers are masked: numpy would hand out what is behind the mask."""
    return isinstance(value, numpy.ma.MaskedArray) and bool(numpy.any(value.mask))


def vector(field: str, value: Any, *shape: int | None, dtype: type = numpy.float64, finite: bool = True) -> NDArray[Any]:
    """An array of this shape (None: any length) that C can read: contiguous, of one type. It is the caller's own if that
    is so already, and a copy otherwise. Objects, text, complex numbers and masked ones are refused, and so is NaN if
    `finite`."""
    if masked(value):
        raise errors.FaultError(f"{field}: some numbers are masked: expected an array without a mask")
    try:
        given = numpy.asarray(value)
    except ValueError:
        raise errors.FaultError(f"{field}: expected numbers, in rows of one length") from None
    if given.dtype.kind not in "fiub":
        raise errors.FaultError(f"{field}: expected numbers, not {given.dtype}")
    wanted = tuple(given.shape[i] if i < given.ndim and size is None else size for i, size in enumerate(shape))
    if given.shape != wanted:
        expected = " x ".join("n" if size is None else str(size) for size in shape)
        raise errors.FaultError(f"{field} has shape {given.shape}: expected {expected}")
    found: NDArray[Any] = numpy.ascontiguousarray(given, dtype=dtype)
    if finite and not numpy.isfinite(found).all():
        where = numpy.argwhere(~numpy.isfinite(found))[0]
        at = ", ".join(map(str, where))
        raise errors.FaultError(f"{field}[{at}] = {found[tuple(where)]}: expected finite numbers")
    return found


def pointer(array: NDArray[Any], of: str = "double") -> Any:
    """The memory of a contiguous array, without a copy. Keep the array while C uses it."""
    return ffi.cast(f"{of} *", array.ctypes.data)


# ---- structs --------------------------------------------------------------------------------------


def fields(struct: Any) -> dict[str, Any]:
    """The fields of a struct and their types."""
    return {name: field.type for name, field in ffi.typeof(struct).fields}


def put(struct: Any, values: Mapping[str, Any], where: str = "", keyword: str | None = None) -> None:
    """Sets fields by name: numbers are checked against the type, kinds are given by their names. `keyword`: what errors
    call the field."""
    known = fields(struct)
    for name, value in values.items():
        said = keyword or name
        if name not in known:
            raise errors.FaultError(f"{where}{name}: there is no such setting{nearest(name, known)}")
        kind = known[name]
        if kind.kind == "enum":
            value = number_of(kind.cname.removeprefix("enum ").removeprefix("sotto_"), said, value)
        elif kind.cname == "_Bool":
            if not isinstance(value, (bool, numpy.bool_)):
                raise errors.FaultError(f"{said} = {value!r}: expected True or False")
            value = bool(value)
        elif kind.cname == "double":
            value = real(said, value)
        elif kind.kind == "primitive":
            bits = 8 * ffi.sizeof(kind)
            signed = kind.cname.startswith("int")
            value = whole(said, value, -2 ** (bits - 1) if signed else 0, 2 ** (bits - signed) - 1)
        else:
            raise errors.FaultError(f"{where}{said}: this is not set by name")
        setattr(struct, name, value)


def get(struct: Any) -> dict[str, Any]:
    """The plain fields of a struct as a dict: numbers, flags, kinds by name, bytes and texts; structs in it as dicts."""
    found: dict[str, Any] = {}
    for name, kind in fields(struct).items():
        value = getattr(struct, name)
        if kind.kind == "enum":
            found[name] = text(getattr(lib, f"{kind.cname.removeprefix('enum ')}_name")(value))
        elif kind.kind == "primitive":
            found[name] = value
        elif kind.kind == "struct":
            found[name] = get(value)
        elif kind.kind == "array" and kind.item.cname == "uint8_t":
            found[name] = bytes(ffi.buffer(value))
        elif kind.kind == "array" and kind.item.cname == "char":
            found[name] = text(value)
    return found
