"""Methods compared on the same people: the rows of `sotto simulate`, bit by bit."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Sequence

import numpy

from sotto import _c, errors
from sotto._frame import pandas as load_pandas
from sotto._guests import Interrupts
from sotto._lab import ffi, lib
from sotto._progress import Bar, Hearing, Progress, lost, shown_by
from sotto._settings import Settings
from sotto._shard import Shard, check_out, shard_of

if TYPE_CHECKING:
    import concurrent.futures

    import pandas  # type: ignore[import]

COLUMNS = ["method", "epsilon", "seed", "t", "regret", "estimation_error"]
POINT = numpy.dtype([("t", "u8"), ("regret", "f8"), ("estimation_error", "f8")])
assert POINT.itemsize == ffi.sizeof("sotto_point")

# What may differ between a sweep and rows that are kept of another one: a run depends on the rest alone.
_FREE = ("method", "epsilon", "seeds", "first_seed")


# ---- the sweep ------------------------------------------------------------------------------------


class Sweep:
    """A comparison that is played, and what came of it so far. The lab talks to it on the thread that plays."""

    def __init__(self, settings: Settings, show: Any, shard: Shard) -> None:
        self.pandas = load_pandas()  # if it is missing, that is said before anything is played
        self.settings = settings
        self.shard = shard
        self.guests = settings.guests
        self.comparison = settings.compare()
        self.sweep = lib.sotto_comparison_sweep(self.comparison)
        self.columns = settings.columns(self.sweep)
        self.show = show
        self.runs = shard.runs(self.sweep.matches_count * self.sweep.seeds_count)
        self.horizon = settings.request.scene.horizon
        self.at = numpy.frombuffer(bytes(ffi.buffer(self.sweep.at, 8 * self.sweep.at_count)), dtype="u8")
        settings.kept["checkpoints"] = self.at.tolist()
        self.blocks: dict[int, Any] = {}  # the points of runs that are finished
        self.known = 0  # runs that were kept
        self.failures: dict[int, tuple[int, int, str, BaseException | None]] = {}  # per match: how many, the first
        self.played = [[0, 0.0, 0, 0, 0, 0, 0, 0, 0] for _ in range(self.sweep.matches_count)]
        self.raised: BaseException | None = None  # by `show`
        self.playing = True  # until nobody is asked anything any more

    # ---- rows that are kept

    def take(self, keep: Any) -> None:
        """Takes the runs of an earlier frame that are whole."""
        first, seeds = self.sweep.first_seed, self.sweep.seeds_count
        matches = {column: i for i, column in enumerate(self.columns)}
        match = numpy.array([matches.get(column, -1) for column in zip(keep["method"], keep["epsilon"])], dtype="i8")
        there = (match >= 0) & ((keep["seed"] >= first) & (keep["seed"] < first + seeds)).to_numpy()
        if not self._same_best_arm(keep):
            there &= (keep["method"] != "best-arm").to_numpy()
        run = match[there].astype("u8") * numpy.uint64(seeds) + (keep["seed"].to_numpy()[there].astype("u8") - numpy.uint64(first))
        order = numpy.argsort(run, kind="stable")
        points = numpy.empty(len(order), dtype=POINT)
        for name in COLUMNS[3:]:
            points[name] = keep[name].to_numpy()[there][order]
        runs, starts, counts = numpy.unique(run[order], return_index=True, return_counts=True)
        for which, start in zip(runs[counts == len(self.at)].tolist(), starts[counts == len(self.at)].tolist()):
            block = points[start:start + len(self.at)]
            if self.shard.holds(which) and (block["t"] == self.at).all():  # others are played again
                memory = ffi.from_buffer("sotto_point[]", block)
                _c.check(lib.sotto_comparison_take(self.comparison, which, memory, len(block)))
                self.blocks[which] = block
        self.known = len(self.blocks)

    def _same_best_arm(self, keep: Any) -> bool:
        """Where nobody asked for it, best-arm may have other epochs."""
        before = keep.attrs.get("settings", self.settings.kept)["method"]
        return ("best-arm" in before) == ("best-arm" in self.settings.kept["method"])

    # ---- what the lab says

    def finished(self, run: int, point: Any, result: Any) -> bool:
        self.blocks[run] = numpy.frombuffer(bytes(ffi.buffer(point, POINT.itemsize * len(self.at))), dtype=POINT)
        sums = self.played[run // self.sweep.seeds_count]
        delay = result.delay
        for i, value in enumerate((1, result.seconds, result.learn_reports, result.null_reports, result.repairs,
                                   delay.arrived + delay.late if delay.there else 0, delay.late, delay.learnt,
                                   delay.epochs_late)):
            sums[i] += value
        return not self.guests.stopping

    def progress(self, rounds: int) -> bool:
        if self.show is not None:
            self.show(min(self.known * self.horizon + rounds, self.runs * self.horizon), self.runs * self.horizon)
        return not self.guests.stopping

    def failed(self, run: int, fault: str) -> bool:
        if self.guests.stopping:
            return False
        match = run // self.sweep.seeds_count
        count, first, sentence, cause = self.failures.get(match, (0, run, "", None))
        if count == 0 or run < first:
            first, (sentence, cause) = run, self.guests.cause_of(fault)
        self.failures[match] = count + 1, first, sentence, cause
        return True

    def lost(self, raised: BaseException) -> None:
        """Something was raised while the lab talked to us: the sweep ends."""
        if isinstance(raised, KeyboardInterrupt):
            self.guests.stopping = True
        elif self.raised is None:
            self.raised = raised

    # ---- playing

    def play(self) -> None:
        handle = ffi.new_handle(self)
        listener = ffi.new("sotto_sweep_listener *", {
            "known": lib.sotto_py_sweep_known, "finished": lib.sotto_py_sweep_finished, "progress": lib.sotto_py_sweep_progress, "state": handle,
            "failed": lib.sotto_py_sweep_failed})
        with Hearing(self):
            status = lib.sotto_comparison_play(self.comparison, listener)
        if self.raised is not None:
            raise self.raised
        _c.check(status)

    def tell_end(self) -> None:
        """The last of progress, also of sweeps too short for any."""
        if self.show is not None:
            try:
                self.show(min(self.runs, len(self.blocks)) * self.horizon, self.runs * self.horizon)
            except KeyboardInterrupt:
                self.guests.stopping = True
        self.playing = False

    # ---- what came of it

    def frame(self) -> Any:
        pandas = self.pandas
        seeds, order = self.sweep.seeds_count, sorted(self.blocks)
        points = numpy.concatenate([numpy.empty(0, dtype=POINT), *(self.blocks[run] for run in order)])
        runs = numpy.array(order, dtype="u8")
        names = numpy.array([name for name, _ in self.columns], dtype=object)
        epsilons = numpy.array([epsilon for _, epsilon in self.columns])
        match = (runs // seeds).astype(int)
        seed = runs % seeds + numpy.uint64(self.sweep.first_seed)
        wide = self.sweep.first_seed + seeds > 2**63
        times = len(self.at)
        found = pandas.DataFrame({
            "method": numpy.repeat(names[match], times),
            "epsilon": numpy.repeat(epsilons[match], times),
            "seed": numpy.repeat(seed if wide else seed.astype("i8"), times),
            "t": points["t"].astype("i8"),
            "regret": points["regret"],
            "estimation_error": points["estimation_error"],
        })
        kept = {name: value for name, value in self.settings.kept.items() if name != "threads"}
        found.attrs.update({"settings": kept, "complete": len(order) == self.runs, "failed": self._failures(),
                            "played": self.played})
        if self.shard.count > 1:
            found.attrs["shard"] = str(self.shard)
        return found

    def _where(self, match: int, run: int) -> dict[str, Any]:
        method, epsilon = self.columns[match]
        return {"method": method, "epsilon": epsilon,
                "seed": self.sweep.first_seed + run % self.sweep.seeds_count}

    def _failures(self) -> list[dict[str, Any]]:
        return [{**self._where(match, run), "seeds_missing": count, "fault": sentence}
                for match, (count, run, sentence, _) in sorted(self.failures.items())]

    def tell_failures(self) -> None:
        """Raises if nothing was finished, and warns otherwise."""
        for match, (count, run, sentence, cause) in sorted(self.failures.items()):
            where = self._where(match, run)
            text = (f"{sentence}, in the run of {where['method']} at epsilon {where['epsilon']:.15g}, seed "
                    f"{where['seed']}; the rows of {count} of {self.sweep.seeds_count} seeds are missing")
            if not self.blocks:
                raise errors.GuestError(text) from cause
            warnings.warn(errors.GuestWarning(text), stacklevel=4)


def _known(state: Any, run: int) -> bool:
    return not ffi.from_handle(state).shard.holds(run)


def _finished(state: Any, run: int, point: Any, result: Any) -> bool:
    return bool(ffi.from_handle(state).finished(run, point, result))


def _progress(state: Any, rounds: int) -> bool:
    return bool(ffi.from_handle(state).progress(rounds))


def _failed(state: Any, run: int, fault: Any) -> bool:
    return bool(ffi.from_handle(state).failed(run, _c.text(fault)))


for _name, _function in (("known", _known), ("finished", _finished), ("progress", _progress), ("failed", _failed)):
    ffi.def_extern(name=f"sotto_py_sweep_{_name}", error=False, onerror=lost)(_function)


# ---- the call -------------------------------------------------------------------------------------


def check_rows(argument: str, rows: Any) -> None:
    """Refuses what is not a frame of rows."""
    if not isinstance(rows, load_pandas().DataFrame) or not set(COLUMNS) <= set(rows.columns):
        columns = ", ".join(COLUMNS)
        raise errors.FaultError(f"{argument}: expected a frame of sotto.simulate, with the columns {columns}")
    for name in COLUMNS:
        if rows[name].ndim != 1:
            raise errors.FaultError(f"{argument}: column {name} is there twice")
        if rows[name].isna().any() and name in COLUMNS[:4]:
            raise errors.FaultError(f"{argument}: column {name} has missing values")
    for name in COLUMNS[1:]:
        _c.vector(name, rows[name].to_numpy(), None, finite=name == "t")
    odd = rows["t"][(rows["t"] < 1) | (rows["t"] % 1 != 0)]
    if len(odd):
        raise errors.FaultError(f"{argument}: t = {odd.iloc[0]}: expected whole numbers from 1 on")


def _check_kept(keep: Any, settings: Settings) -> None:
    check_rows("keep", keep)
    before = keep.attrs.get("settings")
    if not isinstance(before, dict):
        raise errors.FaultError("keep: the settings of these rows are not known: keep.attrs has none")
    now = settings.kept
    for name in sorted({*before, *now} - {*_FREE, "threads"}):
        if before.get(name) != now.get(name):
            raise errors.FaultError(f"keep: its rows are of {name} = {before.get(name)!r}, and this is "
                                    f"{now.get(name)!r}")
    for name in COLUMNS[4:]:
        if keep[name].dtype != numpy.float64:
            raise errors.FaultError(f"keep: column {name} is {keep[name].dtype}: expected float64, as simulate gives it")
    if not numpy.isfinite(keep["regret"]).all():
        raise errors.FaultError("keep: column regret has values that are not finite: no run gave them")
    mine = {known["name"]: known for known in now["method"] if isinstance(known, dict)}
    for known in before["method"]:
        if isinstance(known, dict) and mine.get(known["name"], known) != known:
            raise errors.FaultError(f"keep: its rows are of another version of method {known['name']}")


def simulate(method: Any = "sotto", *, dim: int | None = None, arms: int | None = None,
             horizon: int | float | None = None, epsilon: Any = 1, seeds: int = 10, first_seed: int = 1,
             environment: Any = None, parameters: str | None = None, link: str | None = None,
             reward_kind: str | None = None, context_norm_max: float | None = None, theta_norm_max: float | None = None,
             delta: float = 1e-6, allow_weak_delta: bool = False, calibration: str = "exact",
             correct: str | Sequence[str] | None = None, score: str | None = None, split: str | None = None,
             noise_law: str | None = None, exact_noise: bool | None = None,
             reward_range: Sequence[float] | None = None, reward_rate: float | None = None,
             noise: float | None = None, theta_norm: float | None = None, margin: float | None = None,
             drift: float | None = None, revenue: bool = False,
             warmup: int | None = None, mean_phase: int | None = None, prior_variance: float | None = None,
             alpha: float | None = None, step: str | None = None, eta0: float | None = None,
             shift_scale: float | None = None, elimination: float | None = None, unknown_horizon: bool = False,
             epoch: int | str = 1, lag: int | None = None,
             delay: Sequence[float] | str | None = None, epoch_seconds_min: int | None = None, window: int | str | None = None, liars: float | None = None,
             grind: int | None = None, measure: float | None = None, fallback: int | str | None = None, checkpoints: Any = None,
             threads: int | None = None, progress: Progress = None, keep: pandas.DataFrame | None = None,
             shard: str | Sequence[int] | None = None, out: str | os.PathLike[str] | None = None,
             executor: concurrent.futures.Executor | None = None) -> pandas.DataFrame:
    """Plays methods in an environment; returns one row per method, epsilon, seed and checkpoint.

    The rows are those of `sotto simulate` with the same options, bit for bit, in the same order. `sotto simulate --help`
    explains each option; here '-' is '_', and None is the default, which may depend on other arguments.

    method       one name, several separated by commas, or a list of names and of your own: classes or objects of
                 `sotto.Method`, or plug-ins "./FILE.so", which run in this process. If you compare two or more and one of
                 ours is private, best-arm is added where possible: it shows what epsilon buys without contexts
    dim, arms, horizon
                 the problem, needed; environment loan, and your own if it says so, has its own dim and arms
    epsilon      of each report: a number, or a list
    seeds, first_seed
                 runs of each method and epsilon, and the seed of the first
    environment  a name, a class or an object of `sotto.Environment`, or a plug-in. Default sphere; under calibration
                 published that of the authors. The customers of loan are synthetic, because the data set is not public
    parameters   "shared" or "per-arm"; default: the only kind that the environment has, otherwise shared
    calibration  exact: what ships. paper and published are only for comparison: they are less private than they claim
    score        "sign", "self", "centred" or "huber:TAU"
    epoch        reports between models, "auto", or "growth:G"
    delay        (window, spread, rate): delay as in a service. A report leaves `window` seconds plus a random part of
                 `spread` after its decision, `rate` people come per second, and epochs also end by the clock
    epoch_seconds_min
                 with delay: the shortest epoch in seconds; 0: epochs end only by `epoch`
    measure, fallback
                 the share of measure rounds, and what learn rounds play once these show that the policy harms: the number
                 of an arm, "random", or "none"
    checkpoints  rounds that get a row; default 1, 2, 5, 10, ...; the last round is always added
    threads      default: one per core; changes the time, never the rows
    progress     True: a bar; False: none; None: a bar on a terminal and in a notebook; a function is called about ten
                 times a second with (rounds_done, rounds_total)
    keep         a frame of an earlier call, whose runs are not played again. Its settings must be the same, except for
                 method, epsilon, seeds and first_seed
    shard        "2/8" or (2, 8): play the second of eight parts of the runs, for example one on each of eight machines
    out          of a shard: the file to write it to, for `sotto.merge`
    executor     a `concurrent.futures.Executor` whose workers play the runs: processes, or machines (of dask's Client:
                 `client.get_executor()`). Sotto must be installed there; the rows are the same

    Ctrl-C ends the sweep: it returns what is finished with the warning `sotto.Stopped`, and `keep` continues from there. A
    second Ctrl-C interrupts a function of yours that does not return; a call that waits for the system, such as
    time.sleep, ends first.

    If your method or environment fails, its own runs are missing, and the warning `sotto.GuestWarning` says why. If nothing
    else was finished, `sotto.GuestError` is raised. `attrs` of the frame has `settings`, `complete` (whether all runs are
    there) and `failed`.

        >>> import sotto
        >>> rows = sotto.simulate("sotto,ols", dim=5, arms=3, horizon=1e4, seeds=2, checkpoints=[100])
        >>> list(rows.columns)
        ['method', 'epsilon', 'seed', 't', 'regret', 'estimation_error']
        >>> rows[["method", "seed", "t"]].head(3)
          method  seed      t
        0  sotto     1    100
        1  sotto     1  10000
        2  sotto     2    100
        >>> sotto.simulate("sotto", dim=5, arms=3, horizon=1e4, epsilon=99)
        Traceback (most recent call last):
        ...
        sotto.errors.FaultError: method sotto: epsilon = 99: allowed 0.01 to 8
    """
    given = dict(locals())
    del given["progress"], given["keep"], given["shard"], given["out"], given["executor"]
    if executor is not None:
        if shard is not None or out is not None:
            raise errors.FaultError("executor: not with shard or out; it plays all runs")
        keep = _by_workers(executor, given, shown_by(progress), keep)
    given["threads"] = _c.cores() if threads is None else threads
    settings = Settings(given)
    check_out(out, shard)
    sweep = Sweep(settings, shown_by(progress), shard_of(shard))
    if keep is not None:
        _check_kept(keep, settings)
        sweep.take(keep)
    found = _played(sweep)
    if out is not None and found.attrs["complete"]:
        sweep.shard.write(sweep.comparison, out)
    return found


def _by_workers(executor: Any, given: dict[str, Any], show: Any, keep: Any) -> Any:
    """Plays a sweep in parts, each by one thread of a worker; answers all rows, for `keep`."""
    if not callable(getattr(executor, "submit", None)):
        raise errors.FaultError(f"executor = {executor!r:.60}: expected a concurrent.futures.Executor")
    sweep = Sweep(Settings({**given, "threads": 1}), None, Shard())  # says what is wrong before anybody is asked
    workers = getattr(executor, "_max_workers", None) or 4
    count = min(sweep.runs, 4 * workers)
    parts = [executor.submit(simulate, **{**given, "threads": 1}, progress=False, keep=keep, shard=(i, count))
             for i in range(1, count + 1)]
    frames = []
    try:
        for i, part in enumerate(parts, 1):
            frames.append(part.result())
            if show is not None:
                show(i * sweep.runs * sweep.horizon // count, sweep.runs * sweep.horizon)
    finally:
        for part in parts:
            part.cancel()
    rows = sweep.pandas.concat(frames, ignore_index=True)
    rows.attrs = {name: value for name, value in frames[0].attrs.items() if name != "shard"}
    return rows


def _played(sweep: Sweep) -> Any:
    with Interrupts(sweep):
        try:
            sweep.play()
            sweep.tell_end()
        finally:
            if isinstance(sweep.show, Bar):
                sweep.show.end()
        found = sweep.frame()
    sweep.tell_failures()
    lost = sum(count for count, *_ in sweep.failures.values())
    if len(sweep.blocks) + lost < sweep.runs:
        warnings.warn(errors.Stopped(f"stopped: {len(sweep.blocks)} of {sweep.runs} runs are finished; simulate(..., "
                                     "keep=FRAME) goes on from there"), stacklevel=3)
    return found
