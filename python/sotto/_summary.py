"""What a comparison found, one line per method and epsilon. The lab computes it from the rows."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

from sotto import _c, errors
from sotto._frame import pandas as load_pandas
from sotto._lab import ffi, lib
from sotto._settings import Settings
from sotto._shard import Shard
from sotto._simulate import Sweep, check_rows, simulate

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

# Columns as the command line prints them, and where they are in a line of the lab.
_COLUMNS = {"method": "method", "epsilon": "epsilon", "seeds": "seeds", "t": "t", "regret_mean": "regret_mean",
            "regret_se": "regret_se", "regret_median": "regret_median", "regret_p10": "regret_p10",
            "regret_p90": "regret_p90", "estimation_error_mean": "error_mean", "cost": "cost",
            "rounds_per_second": "rounds_per_second"}
_SOMETIMES = ("floor_proved", "floor_start", "null_share", "late_share", "age")  # only if some line has one


def _lines(sweep: Sweep) -> list[dict[str, Any]]:
    """The lines of a comparison, one per match."""
    count = sweep.sweep.matches_count
    lines = ffi.new("sotto_comparison_line[]", count)
    _c.check(lib.sotto_comparison_summarise(sweep.comparison, lines, count))
    return [{**_c.get(line), "method": _c.text(line.method)} for line in lines]


def _comparison_of(settings: dict[str, Any], horizon: int) -> Sweep:
    """A comparison of these settings, of which one looks at the last round only."""
    given = {name: argument.default for name, argument in inspect.signature(simulate).parameters.items()}
    del given["progress"], given["keep"]
    given.update(settings, threads=1, checkpoints=[horizon], horizon=horizon)
    return Sweep(Settings(given, known=True), None, Shard())


def _claims(rows: Any) -> dict[str, bool]:
    """The methods of the rows, and whether epsilon says something of them: unless it is known, yes."""
    ours = _c.names("player")
    custom = {known["name"]: known["claims_privacy"] for known in rows.attrs.get("settings", {}).get("method", ())
               if isinstance(known, dict)}
    found = {}
    for name in dict.fromkeys(rows["method"]):
        if name in ours:
            found[name] = bool(lib.sotto_player_is_private(ours[name]) or lib.sotto_player_is_rival(ours[name]))
        else:
            found[name] = custom.get(name, True)
    return found


def lines_of_rows(rows: Any, t: int, claims: dict[str, bool]) -> list[dict[str, Any]]:
    """What the lab says of the rows of one round, of which it is told the numbers and nothing else."""
    names = {name: f"m{i}" for i, name in enumerate(claims)}
    seeds = {seed: i for i, seed in enumerate(sorted(set(rows["seed"])))}
    methods = [{"name": names[name], "version": None, "claims_privacy": claim, "estimate": False}
               for name, claim in claims.items()]
    sweep = _comparison_of({"method": methods, "epsilon": sorted(set(rows["epsilon"])), "seeds": len(seeds),
                            "first_seed": 0, "dim": 1, "arms": 2}, t)
    sweep.take(rows.assign(method=rows["method"].map(names), seed=rows["seed"].map(seeds)))
    back = {short: name for name, short in names.items()}
    return [{**line, "method": back[line["method"]], "t": t} for line in _lines(sweep)]


def ends(rows: Any) -> tuple[Any, int]:
    """The last row of every run, and its round."""
    check_rows("rows", rows)
    if len(rows) == 0:
        raise errors.FaultError("rows: there are none")
    last = rows.groupby(["method", "epsilon", "seed"], sort=False)["t"].max()
    shortest, longest = int(last.min()), int(last.max())
    if shortest != longest:
        raise errors.FaultError(f"rows: some runs end at t = {shortest}, others at t = {longest}: take those of one "
                                "horizon")
    found = rows[rows["t"] == longest]
    if found.duplicated(["method", "epsilon", "seed"]).any():
        raise errors.FaultError("rows: a method, epsilon and seed is there twice: take rows of one simulation")
    return found, longest


def _with_settings(rows: Any, last: Any, horizon: int) -> list[dict[str, Any]] | None:
    """With all that the lab knows of the comparison; None if the rows are not of the settings beside them."""
    settings = rows.attrs.get("settings")
    if not isinstance(settings, dict) or settings.get("horizon") != horizon:
        return None
    sweep = _comparison_of(settings, horizon)
    sweep.take(last)
    if len(sweep.blocks) != len(last):
        return None
    lines = _lines(sweep)
    for line, (runs, seconds, learn, null, repairs, came, late, learnt, epochs_late) in zip(lines, rows.attrs.get("played", ())):
        if runs == line["seeds"]:  # of some of the runs it is not known
            line["rounds_per_second"] = runs * horizon / seconds if seconds > 0 else math.nan
            line["null_share"] = null / learn if learn > 0 else math.nan
            line["repairs"] = repairs
            line["late_share"] = late / came if came > 0 else math.nan
            line["age"] = epochs_late / learnt if learnt > 0 else math.nan
    return lines


def summary(rows: pandas.DataFrame) -> pandas.DataFrame:
    """One line per method and epsilon, for the last round: the numbers of `sotto simulate --summary --csv`.

    Rows without `attrs`, such as those read from a file, do not name their problem: then cost, floors and rounds per
    second are nan. Methods without privacy have one line, with epsilon inf.

        >>> import sotto
        >>> rows = sotto.simulate("sotto,ols", dim=5, arms=3, horizon=1e4, seeds=3)
        >>> sotto.summary(rows)[["method", "epsilon", "seeds", "t"]]
             method  epsilon  seeds      t
        0     sotto      1.0      3  10000
        1       ols      inf      3  10000
        2  best-arm      1.0      3  10000
    """
    last, horizon = ends(rows)
    lines = _with_settings(rows, last, horizon)
    if lines is None:
        lines = lines_of_rows(last, horizon, _claims(rows))
    lines = [line for line in lines if line["seeds"] > 0 and not line["repeated"]]
    found = {column: [line[field] for line in lines] for column, field in _COLUMNS.items()}
    rest = {"floor_proved": [line["floor"]["proved"] for line in lines],
            "floor_start": [line["floor"]["start"] for line in lines],
            **{name: [line[name] for line in lines] for name in ("null_share", "late_share", "age")}}
    for column in _SOMETIMES:
        if not all(math.isnan(value) for value in rest[column]):
            found[column] = rest[column]
    return load_pandas().DataFrame(found)
