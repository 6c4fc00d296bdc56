"""Plug-ins, as the command line takes them: shared objects that bring a table of functions (docs/lab.md)."""

from __future__ import annotations

import ctypes
import hashlib
import os
from typing import Any

from sotto import _c, errors
from sotto._guests import Guests
from sotto._lab import ffi, lib

_SYMBOL = "sotto_plugin_get"
_CALLED = {"player": "method"}  # what people call a part


def is_path(word: Any) -> bool:
    """Whether a word names a file: it has a slash in it, or ends in ".so"."""
    return isinstance(word, str) and ("/" in word or (len(word) > 3 and word.endswith(".so")))


def _check(path: str, what: str, table: Any, kind: str) -> None:
    if table.abi != lib.SOTTO_PLUGIN_ABI:
        raise errors.FaultError(f"{path}: {what}: its ABI version is {table.abi}; allowed {lib.SOTTO_PLUGIN_ABI}")
    if table.struct_bytes != ffi.sizeof(kind):
        raise errors.FaultError(f"{path}: {what}: its table has {table.struct_bytes} bytes; that of this version has "
                                f"{ffi.sizeof(kind)}")


def _library(path: str) -> Any:
    try:
        return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as wrong:
        raise errors.FaultError(f"{path}: cannot be loaded as a shared object: {wrong}") from None


def opened(guests: Guests, path: str, part: str) -> Any:
    """A copy of a table of a plug-in: `part` is player, environment or mechanism. Its version is the SHA-256 of the
    file. The file stays loaded. Its functions run in this process, and so does a crash of theirs."""
    path = path if "/" in path else f"./{path}"
    try:
        with open(path, "rb") as file:
            version = f"sha256:{hashlib.sha256(file.read()).hexdigest()}"
    except OSError as wrong:
        raise errors.FaultError(f"{path}: {wrong.strerror}") from None
    library = _library(path)
    if not hasattr(library, _SYMBOL):
        raise errors.FaultError(f"{path}: has no function {_SYMBOL}, so it is not a plug-in of Sotto")
    get = getattr(library, _SYMBOL)
    get.restype = ctypes.c_void_p
    address = get()
    if not address:
        raise errors.FaultError(f"{path}: {_SYMBOL} returned NULL")
    plugin = ffi.cast("const sotto_plugin *", address)
    _check(path, "plug-in", plugin, "sotto_plugin")
    table, what = getattr(plugin, part), _CALLED.get(part, part)
    if table == ffi.NULL:
        raise errors.FaultError(f"{path}: contains no {what}")
    _check(path, what, table, f"sotto_{part}_table")
    copy = guests.hold(ffi.new(f"sotto_{part}_table *", table[0]))
    copy.version = guests.string(version)
    return copy


def known_method(table: Any) -> dict[str, Any]:
    """What the rows of its method are known by, as of `sotto.Method`."""
    return {"name": _name(table), "version": _c.text(table.version), "claims_privacy": bool(table.claims_privacy),
            "estimate": table.estimate != ffi.NULL}


def known_environment(table: Any) -> dict[str, Any]:
    """What its environment is known by, as of `sotto.Environment`."""
    names = ("dim", "arms", "shared", "per_arm", "context_norm_max", "theta_norm_max", "reward_lo", "reward_hi")
    return {"name": _name(table), "version": _c.text(table.version), **{name: getattr(table, name) for name in names},
            "reward": table.reward != ffi.NULL, "theta": table.theta != ffi.NULL}


def _name(table: Any) -> str:
    return "" if table.name == ffi.NULL else _c.text(table.name)
