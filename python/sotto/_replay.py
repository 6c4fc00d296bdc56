"""Methods on people from a DataFrame or a file, as `sotto replay` plays them."""

from __future__ import annotations

import contextlib
import html
import math
import os
import warnings
from typing import Any, Callable, Iterable, Mapping, Sequence

from sotto import errors
from sotto._c import check, cores, fault, nearest, number_of, path_bytes, put, real, refuse, text, whole
from sotto._frame import frame, html_table, number, table_and_notes, wrapped
from sotto._guests import Guests, Interrupts
from sotto._lab import ffi, lib
from sotto._progress import Hearing, Watch, lost
from sotto._people_file import (Directory, Schema, as_words, checked, choice, count_of, counts_of, draft_schema, is_frame,
                                propensity_of, read_schema, schema_text)
from sotto._settings import listed, own_method

# Fields of a request that have another name as arguments here.
_KEYWORDS = {"player": "method", "players_count": "method", "epsilons_count": "epsilon", "at": "checkpoints",
             "at_count": "checkpoints", "people_max": "horizon", "seeds_count": "seeds"}

_STOPPED = "the replay was stopped"
_ORDERS = {"shuffled": True, "file": False}

_LABEL_ROW = ("method", "epsilon", "seed", "t", "reward", "regret", "passes", "ranges")
_LOG_ROW = ("method", "epsilon", "seed", "t", "learnt", "replay", "replay_lo", "replay_hi", "ips", "ips_lo", "ips_hi",
            "self_normalised", "effective_size", "passes", "ranges")


# ---- what was found ---------------------------------------------------------------------------


def _log_numbers(of: Any) -> dict[str, Any]:
    return {"learnt": of.learnt, "replay": of.replayed.value, "replay_lo": of.replayed.lo, "replay_hi": of.replayed.hi,
            "ips": of.weighted.value, "ips_lo": of.weighted.lo, "ips_hi": of.weighted.hi,
            "self_normalised": of.self_normalised, "effective_size": of.effective_size}


def _rows(replay: Any, log: bool, common: Mapping[str, Any]) -> list[dict[str, Any]]:
    row, found = ffi.new("sotto_replay_row *"), []
    for i in range(lib.sotto_replay_rows(replay)):
        lib.sotto_replay_row_at(replay, i, row)
        values = _log_numbers(row) if log else {"reward": row.reward, "regret": row.regret}
        found.append({"method": text(row.method), "epsilon": row.epsilon, "seed": row.seed, "t": row.t, **values,
                      **common})
    return found


def _estimates(replay: Any, summary: Any) -> dict[int, dict[str, Any]]:
    """Of a log, for each line of a method: estimates by their names, and the share of choices that it never gave."""
    out, found = ffi.new("sotto_replay_estimates *"), {}
    for i in range(summary.lines_count if summary.log else 0):
        if summary.line[i].yardstick:
            continue
        check(lib.sotto_replay_estimate_line(replay, summary, i, out))
        by = {}
        for j in range(lib.SOTTO_REPLAY_ESTIMATORS):
            one = out.by[j]
            by[text(lib.sotto_replay_estimator_name(j))] = {
                "value": one.value, "lo": one.lo, "hi": one.hi, "bootstrap_lo": one.bootstrap_lo,
                "bootstrap_hi": one.bootstrap_hi, "unavailable": text(lib.sotto_replay_unavailable_text(one.unavailable))}
        found[i] = {"by": by, "unseen_share": out.unseen_share}
    return found


def _estimate_columns(estimates: Mapping[str, Any] | None) -> dict[str, Any]:
    by = estimates["by"] if estimates is not None else {}

    def value(name: str, field: str) -> float:
        return float(by[name][field]) if by else math.nan
    found = {f"self_normalised_{end}": value("self_normalised", end) for end in ("lo", "hi")}
    for name in ("direct", "doubly_robust"):
        found.update({name: value(name, "value"), f"{name}_lo": value(name, "lo"), f"{name}_hi": value(name, "hi")})
    for name in ("replay", "ips", "self_normalised", "direct", "doubly_robust"):
        found.update({f"{name}_bootstrap_{end}": value(name, f"bootstrap_{end}") for end in ("lo", "hi")})
    found["unseen_share"] = estimates["unseen_share"] if estimates is not None else math.nan
    unavailable = "; ".join(f"{name}: {one['unavailable']}" for name, one in by.items() if one["unavailable"])
    return {**found, "unavailable": unavailable}


def _findings(summary: Any) -> dict[float, Any]:
    """What came of each epsilon."""
    found = summary.findings
    return {found.finding[i].epsilon: found.finding[i] for i in range(found.findings_count)}


def _sentences(summary: Any) -> list[str]:
    """What to do, then one sentence per epsilon: the lab's words."""
    room = ffi.new("char[]", lib.SOTTO_SENTENCE_BYTES)
    return [text(lib.sotto_replay_sentence(summary, i, room)) for i in range(summary.findings.findings_count + 1)]


def _line(summary: Any, i: int, estimates: Mapping[int, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    line, said = summary.line[i], _findings(summary).get(summary.line[i].epsilon)
    room = ffi.new("char[]", lib.SOTTO_VERDICT_BYTES)
    found = {"method": text(line.name), "epsilon": line.epsilon, "seeds": summary.seeds, "t": line.people}
    if summary.log:
        found.update(_log_numbers(line), **_estimate_columns(estimates.get(i)))
    else:
        found.update(reward_mean=line.reward_mean, reward_se=line.reward_se, last_mean=line.last_mean,
                     last_se=line.last_se,
                     share=line.share.value, share_lo=line.share.lo, share_hi=line.share.hi)
    found.update(reason=text(lib.sotto_replay_reason_name(said.reason)) if said else "",
                 people_needed=(said.people_needed if said else 0) or math.nan,
                 lead_lo=line.ahead.lo, lead_hi=line.ahead.hi, best_arm_lead_lo=line.ahead_best_arm.lo,
                 best_arm_lead_hi=line.ahead_best_arm.hi,
                 devices="" if math.isinf(line.epsilon) else "refuse" if line.refused else "accept")
    seeds = 0 if summary.log else summary.seeds
    found["verdict"] = text(lib.sotto_replay_verdict_text(line.verdict, seeds, room))
    return {**found, **common}


class Replay:
    """The result of a replay. `print` explains it.

    recommendation   what to do, in a sentence: a method and an epsilon, one arm for all, or nothing to learn
    rows        one line per checkpoint of each run, as a DataFrame
    summary     one line per method and epsilon, then two baselines, as a DataFrame
    estimates   for a log: five estimates of each method with 95 % intervals, as a DataFrame
    verdicts    sentences: the recommendation, the result of each epsilon, then the verdict on each method
    counts      what was read: rows, missing, clipped, unknown, unlabelled
    schema      the schema used, as text
    log         whether this is a log of actions and rewards rather than labelled rows"""

    def __init__(self, replay: Any, schema: Schema, counts: dict[str, int], passes: int, shown: str,
                 claims: Sequence[str]) -> None:
        out = ffi.new("sotto_replay_summary **")
        check(lib.sotto_replay_summarise(replay, out))
        summary = ffi.gc(out[0], lib.sotto_replay_summary_free)
        common = {"passes": passes, "ranges": schema.ranges}
        self._by_line = _estimates(replay, summary)
        self._lines = [_line(summary, i, self._by_line, common) for i in range(summary.lines_count)]
        self._rows = _rows(replay, schema.log, common)
        self.log, self.schema, self.counts, self.ranges = schema.log, schema.text, counts, schema.ranges
        self.dim, self.arms = schema.dim, schema.arms
        self.people: int = summary.people
        self.passes = passes
        self.best_arm = schema.arms[summary.best_arm]
        self._shown = shown
        self._claims = claims  # names of methods of one's own that claim privacy
        self._words = self._words_of(summary)
        self._found = _sentences(summary)
        self.recommendation = self._found[0]
        self.verdicts = self._found + [f"{line['method']} {self._at(line['epsilon'])}: {line['verdict']}"
                                       for line in self._lines if line["verdict"]]

    @staticmethod
    def _at(epsilon: float) -> str:
        return "without privacy" if math.isinf(epsilon) else f"at epsilon {epsilon:g}"

    @property
    def rows(self) -> Any:
        """The rows of `sotto replay`; epsilon is infinite without privacy."""
        return frame(self._rows, _LOG_ROW if self.log else _LABEL_ROW)

    @property
    def summary(self) -> Any:
        """The lines of `sotto replay --summary --csv`."""
        return frame(self._lines, list(self._lines[0]))

    @property
    def estimates(self) -> Any:
        """For a log: method, epsilon, estimator, value, lo, hi, bootstrap_lo, bootstrap_hi, and why one is missing."""
        rows = [{"method": self._lines[i]["method"], "epsilon": self._lines[i]["epsilon"], "estimator": name, **one}
                for i, found in self._by_line.items() for name, one in found["by"].items()]
        return frame(rows, ["method", "epsilon", "estimator", "value", "lo", "hi", "bootstrap_lo", "bootstrap_hi",
                            "unavailable"])

    # ---- words ----

    def _words_of(self, summary: Any) -> list[str]:
        words = self._log_words(summary) if summary.log else self._label_words(summary)
        if summary.rows > summary.people:
            words.append(f"The last two lines of the table are for all {summary.rows} rows that were read; each seed "
                         f"plays its own {summary.people} of them.")
        met = [f"{self.counts[name]} {what}" for name, what in (
            ("clipped", "numbers were clipped to their range"), ("missing", "fields were missing"),
            ("unknown", "fields had unknown levels"), ("unlabelled", "rows without a label were left out"))
               if self.counts[name]]
        words += [", ".join(met) + "."] if met else []
        words += [f"Nobody has checked that the reports of {name} are private: its author claims it, and sotto.audit can "
                  "refute it." for name in self._claims]
        if summary.known == lib.SOTTO_KNOWN_ROWS:
            words.append("Besides the reports, methods know roughly how many events they will learn from, by the "
                         f"number of events and their propensities, of which the smallest is {summary.propensity_min:.3g}; "
                         "epsilon does not cover these." if summary.log else
                         "Besides the reports, methods know the number of people; epsilon does not cover that.")
        if self.ranges == "data":
            words.append("Ranges or levels were taken from people's rows: epsilon does not cover that.")
        return words

    def _label_words(self, summary: Any) -> list[str]:
        by = (f"by a table. The best fixed arm is {self.best_arm}, which earns most if everybody gets it, known only in "
              "hindsight." if summary.by_table else
              f"1 for the right label. The majority arm is {self.best_arm}, known only in hindsight.")
        first = " of the first pass" if self.passes > 1 else ""
        words = [f"reward: mean per person, {by}",
                 f"Verdicts are on the last tenth of people{first}: 3 standard errors of the difference over seeds, to "
                 "the best arm in hindsight and to best-arm."]
        found = summary.findings
        if found.gains:
            gainer = found.explorer if summary.line[found.explorer].ahead.lo > 0 else found.greedy
            words.append(f"share: the part that a method wins of the lead of {text(summary.line[gainer].name)} over that "
                         f"arm, {found.gain:.2g}.")
        if self.passes > 1:
            words.append(f"A person met {self.passes} times spends {self.passes} times epsilon and delta. Later passes "
                         "meet people who were learnt from; their rewards are in the mean nevertheless.")
        if summary.sorted:
            words.append("There are no verdicts, because the file seems sorted: labels have other shares in the last "
                         "tenth than in all rows. Shuffle it first.")
        return words

    def _log_words(self, summary: Any) -> list[str]:
        words = [f"{100 * found['unseen_share']:.3g} % of the choices of {self._lines[i]['method']} are arms that the "
                 "log never gave: no estimate covers what these earn." for i, found in self._by_line.items()
                 if found["unseen_share"] > 0]
        choices, near = (summary.choices.lo + summary.choices.hi) / 2, 0.05
        if summary.choices.lo > summary.arms * (1 + near):
            words.append(f"The propensities are wrong: according to them an event had {choices:.3g} arms to choose from, "
                         f"but there are {summary.arms}. So ips and all that follows from it is wrong, too.")
        elif summary.choices.hi - summary.choices.lo < 1e-6 and choices < summary.arms * (1 - near):
            words.append(f"By the propensities an event had {choices:.3g} of {summary.arms} arms to choose from. If it had "
                         "all of them, propensities are too large, and ips is too small.")
        return [*words,
                "All estimates value the method while it learns along the log, event by event, not the policy that it has "
                "at the end. Intervals of the direct one do not include the bias of a wrong model.",
                "replay: mean reward of the events learnt from; ips: of all events by clipped inverse propensity; lo, "
                "hi: 95 % intervals.",
                f"The best fixed arm is {self.best_arm}, the best of {summary.arms} in hindsight; its interval does not "
                "allow for that choice, verdicts do. They are on differences of self-normalised values, event by event, "
                "over the whole log: what it costs to learn counts.",
                f"{100 * summary.clipped_share:.3g} % of events have a propensity below the "
                f"clip, {summary.clip:g}."]

    @property
    def title(self) -> str:
        """One line that says what was replayed."""
        return (f"{self._shown}: {self.people} {'events' if self.log else 'people'}, contexts of {self.dim} numbers, "
                f"{len(self.arms)} arms")

    def _table(self) -> tuple[list[str], list[list[str]]]:
        if self.log:
            columns = {"learnt": ("learnt", 7), "replay": ("replay", 4), "replay_lo": ("lo", 4), "replay_hi": ("hi", 4),
                       "ips": ("ips", 4), "ips_lo": ("lo", 4), "ips_hi": ("hi", 4),
                       "doubly_robust": ("doubly robust", 4),
                       "doubly_robust_lo": ("lo", 4), "doubly_robust_hi": ("hi", 4)}
        else:
            columns = {"reward_mean": ("reward", 4), "reward_se": ("se", 2), "last_mean": ("last tenth", 4),
                       "last_se": ("se", 2), "share": ("share", 2)}
        head = ["method", "epsilon", "seeds", *(title for title, _ in columns.values()), ""]
        rows = [[line["method"], "-" if math.isinf(line["epsilon"]) else f"{line['epsilon']:.4g}", str(line["seeds"]),
                 *(number(line[name], digits) for name, (_, digits) in columns.items()),
                 line["verdict"] + ("; devices refuse this epsilon" if line["devices"] == "refuse" else "")]
                for line in self._lines]
        return head, rows

    def __str__(self) -> str:
        head, rows = self._table()
        return "\n\n".join([wrapped("\n".join([*self._found, "", self.title])),
                            table_and_notes(head, rows, left=(0,), spare="se"), wrapped("\n".join(self._words))])

    def __repr__(self) -> str:
        return f"<Replay of {self.title}>"

    def _repr_html_(self) -> str:
        said = [f"<p>{html.escape(sentence)}</p>" for sentence in (*self._found, self.title)]
        return "".join([*said, html_table(*self._table()), *(f"<p>{html.escape(word)}</p>" for word in self._words)])


# ---- playing ----------------------------------------------------------------------------------


@ffi.def_extern(error=False, onerror=lost)  # type: ignore[misc]
def sotto_py_replay_progress(state: Any, done: int) -> bool:
    return bool(ffi.from_handle(state).hear(done))


class _Playing(Watch):
    """A replay while it is played. Ctrl-C ends it, also if a method of one's own met it."""

    def __init__(self, progress: Callable[[int], object] | None, guests: Guests) -> None:
        super().__init__(progress, "(rounds that were played)")
        self.guests = guests
        self.playing = True

    def hear(self, *numbers: int) -> bool:
        if self.guests.stopping and self.error is None:
            self.error = KeyboardInterrupt()
        return self.error is None and super().hear(*numbers)

    def lost(self, raised: BaseException) -> None:
        self.error = self.error or raised
        self.guests.stopping = True


def _play(request: Any, schema: Schema, path: str, progress: Callable[[int], object] | None,
          shown: tuple[str, str], guests: Guests) -> Any:
    watch = _Playing(progress, guests)
    handle = ffi.new_handle(watch)
    listener = ffi.new("sotto_replay_listener *", {"progress": lib.sotto_py_replay_progress, "state": handle})
    out = ffi.new("sotto_replay **")
    with contextlib.ExitStack() as stack:
        if request.custom != ffi.NULL:
            stack.enter_context(Interrupts(watch))
        stack.enter_context(Hearing(watch))
        wrong = fault(lib.sotto_replay_run, request, schema.handle, os.fsencode(path), listener, out)
    played = ffi.gc(out[0], lib.sotto_replay_free) if out[0] != ffi.NULL else None
    if watch.error is not None:
        raise watch.error
    if guests.stopping:
        raise KeyboardInterrupt
    if wrong is not None or played is None:
        sentence, cause = guests.cause_of(wrong or _STOPPED)
        kind = errors.GuestError if _is_of_own(request, sentence) else errors.FaultError
        raise kind(sentence.replace(*shown)) from cause
    return played


def _is_of_own(request: Any, sentence: str) -> bool:
    """Whether a sentence says what a method of one's own did wrong while it played."""
    tables = [request.custom[i] for i in range(request.players_count)] if request.custom != ffi.NULL else []
    own = [f"method {text(table.name)}" for table in tables if table != ffi.NULL]
    return any(sentence.startswith((f"{name}: ", f"{name}, round ")) for name in own)


def _set_methods(request: Any, method: Any, guests: Guests) -> list[str]:
    """Answers the names of methods of one's own that claim privacy."""
    methods = listed("method", method)
    players, tables, claims = [], [], []  # a player beside a table does not count
    for one in methods:
        custom = own_method(guests, one)
        players.append(number_of("player", "method", one) if custom is None else lib.SOTTO_PLAYER_RANDOM)
        tables.append(ffi.NULL if custom is None else custom[1])
        claims += [custom[0]["name"]] if custom is not None and custom[0]["claims_privacy"] else []
    request.player, request.players_count = guests.hold(ffi.new("sotto_player[]", players)), len(players)
    if any(table != ffi.NULL for table in tables):
        request.custom = guests.hold(ffi.new("sotto_player_table *[]", tables))
    return claims


def _request(method: Any, epsilon: Any, values: Mapping[str, Any], checkpoints: Any,
             guests: Guests) -> tuple[Any, list[str]]:
    """What is asked of a replay; `guests` holds what it borrows. And which of one's own methods claim privacy."""
    epsilons = [real("epsilon", value) for value in listed("epsilon", epsilon)]
    for value in epsilons:
        if not 0.01 <= value <= 50:
            raise errors.FaultError(f"epsilon = {value:.15g}: allowed 0.01 to 50")
    request = ffi.new("sotto_replay_request *", lib.sotto_replay_request_default())
    put(request[0], {name: value for name, value in values.items() if value is not None})
    claims = _set_methods(request, method, guests)
    request.epsilon, request.epsilons_count = guests.hold(ffi.new("double[]", epsilons)), len(epsilons)
    if checkpoints is not None:
        points = [whole("checkpoints", value, 1, lib.SOTTO_HORIZON_MAX) for value in listed("checkpoints", checkpoints)]
        request.at, request.at_count = guests.hold(ffi.new("uint64_t[]", points)), len(points)
    return request, claims


def _roles(label: Any, action: Any, reward: Any, propensity: Any, ignore: Any) -> tuple[dict[str, Any], list[str]]:
    for field, name in (("label", label), ("action", action), ("reward", reward)):
        if name is not None and not isinstance(name, str):
            raise errors.FaultError(f"{field} = {name!r:.60}: expected the name of a column")
    if ignore is not None and not isinstance(ignore, Iterable):
        raise errors.FaultError(f"ignore = {ignore!r}: expected the names of columns")
    ignored = [str(name) for name in ([ignore] if isinstance(ignore, str) else ignore or ())]
    return {"label": label, "action": action, "reward": reward, "propensity": propensity_of(propensity)}, ignored


def _fit(roles: Mapping[str, Any], ignored: Sequence[str], schema: Any, ranges: Any, ranges_from_data: bool,
         libsvm: bool) -> None:
    """Which arguments go together."""
    log = [name for name in ("action", "reward", "propensity") if roles[name] is not None]
    if schema is not None:
        given = [name for name, column in roles.items() if column is not None] + ["ignore"] * bool(ignored)
        given += ["ranges"] * (ranges is not None) + ["ranges_from_data"] * bool(ranges_from_data)
        if given:
            raise errors.FaultError(f"{given[0]}: only without schema, which defines the columns")
        return
    if log and roles["label"] is not None:
        raise errors.FaultError("label: a log has an action instead")
    if log and len(log) < 3:
        raise errors.FaultError("action: a log needs action, reward and propensity")
    if not log and roles["label"] is None and not libsvm:
        raise errors.FaultError("data: the roles of its columns are unknown. Give label=, or for a log action=, reward= "
                                "and propensity=, or schema=")
    if ranges is not None and ranges_from_data:
        raise errors.FaultError("ranges and ranges_from_data: give only one of them")
    if ranges is None and not ranges_from_data:
        raise errors.FaultError("ranges: schema= or ranges= must say which values the columns have; or "
                                "ranges_from_data=True takes them from people's rows, which epsilon does not cover")


def _cover(ranges: Any, roles: Mapping[str, Any], columns: Sequence[str]) -> None:
    """Every feature of the frame has its range or levels, and nothing else has."""
    if not isinstance(ranges, Mapping):
        return
    for name in ranges:
        if name not in columns:
            raise errors.FaultError(f"ranges: data has no column {name!r}{nearest(str(name), columns)}")
    for name in columns:
        if name not in ranges and name not in roles.values():
            raise errors.FaultError(f"ranges has no {name!r}: give its range (lo, hi) or a list of its levels, or leave the "
                                    f"column out by ignore=[{name!r}]")


def replay(data: Any, *, label: str | None = None, action: str | None = None, reward: str | None = None,
           propensity: str | float | None = None, ignore: str | Sequence[str] | None = None, schema: Any = None,
           ranges: Mapping[str, Any] | None = None, ranges_from_data: bool = False,
           method: Any = "sotto",
           epsilon: float | Sequence[float] = 1.0, parameters: str = "per-arm", link: str = "identity",
           delta: float = 1e-6,
           allow_weak_delta: bool = False, warmup: int | None = None, seeds: int = 10, order: str = "shuffled",
           passes: int = 1, horizon: int | None = None, clip: float = 0.01, checkpoints: Sequence[int] | None = None,
           threads: int | None = None, format: str = "csv", header: str = "guess", separator: str = "guess",
           decimal: str = "guess", progress: Callable[[int], object] | None = None) -> Replay:
    """Plays methods on people from a DataFrame or a file: labelled rows, or a log of arms and rewards. The numbers are
    those of `sotto replay` on the same rows. Two methods without privacy and best-arm are always played too.

    data        a DataFrame with one person per row, whose index is ignored; or the path of a file
    label       the column with the right arm of each person; or
    action, reward, propensity   the columns of a log: the arm given, its reward, and the probability with which it was
                chosen, which may be one number for all
    ignore      columns that are not used
    schema      the path of a schema file, which defines all of this and the values of columns (docs/data.md)
    ranges      the same as a dict of publicly known values: (lo, hi) or (lo, hi, "log") for numbers, a list of levels
                for all other columns, including the label or action
    ranges_from_data   True takes ranges and levels from people's rows, which epsilon does not cover
    method      one or several: names, and your own as in `sotto.simulate`. Your own method plays at every epsilon if it
                claims privacy, otherwise once, with epsilon infinite. If it fails, the replay ends with
                `sotto.GuestError`
    epsilon     one, or several
    horizon     play no more people than this
    progress    called about ten times a second with the number of rounds played

    A DataFrame passes through a temporary file that only this user can read and that is removed afterwards. Text, flags
    and pandas categories become categories, even if they look like numbers. Features may have missing values; rows
    without a label are left out. Ctrl-C ends the replay.

    >>> import numpy, pandas, sotto
    >>> age = numpy.random.default_rng(1).integers(18, 80, 2000)
    >>> people = pandas.DataFrame({"age": age, "buys": numpy.where(age > 40, "yes", "no")})
    >>> found = sotto.replay(people, label="buys", ranges={"age": (0, 120), "buys": ["no", "yes"]}, epsilon=8, seeds=4)
    >>> found.summary.loc[0, "reward_mean"] > 0.8
    True"""
    roles, ignored = _roles(label, action, reward, propensity, ignore)
    _fit(roles, ignored, schema, ranges, ranges_from_data, format == "libsvm")
    if warmup is not None and parameters == "shared":
        raise errors.FaultError("warmup: only per-arm parameters warm up")
    guests = Guests()
    request, claims = _request(method, epsilon, {
        "delta": delta, "allow_weak_delta": allow_weak_delta, "passes": passes, "clip": clip,
        "shuffle": choice("order", order, _ORDERS), "seeds_count": count_of("seeds", seeds, 10000),
        "threads": cores() if threads is None else count_of("threads", threads, lib.SOTTO_THREADS_MAX),
        "people_max": None if horizon is None else count_of("horizon", horizon, lib.SOTTO_HORIZON_MAX),
        "warm_up": None if warmup is None else whole("warmup", warmup, 0, lib.SOTTO_HORIZON_MAX)}, checkpoints, guests)
    request.parameters = number_of("parameters", "parameters", parameters)
    request.link = number_of("link", "link", link)
    options = {"format": format, "header": header, "separator": separator, "decimal": decimal}
    with Directory() as directory:
        taken, path, shown = _path(data, roles, ignored, options, directory)
        if taken is not None:
            ignored = []  # they are not in the file
        if schema is not None:
            found = read_schema(schema, directory)
        elif ranges is not None:
            words = schema_text(ranges, roles, ignored)
            if taken is not None:
                _cover(ranges, roles, list(taken.columns))
            written = directory.write_text("ranges.schema", words)
            found = read_schema(written, directory, (written, "ranges"))
        else:
            found = draft_schema(path, roles, ignored, options, directory, shown)
            found = as_words(taken, found, directory) if taken is not None else found
        for note in found.notes if ranges_from_data else []:
            warnings.warn(note, stacklevel=2)
        refuse(lib.sotto_replay_request_fault, request, found.log, keywords=_KEYWORDS)
        played = _play(request, found, path, progress, shown, guests)
        made = Replay(played, found, counts_of(found, path, shown), request.passes, shown[1], claims)
    return made


def _path(data: Any, roles: Mapping[str, Any], ignored: Sequence[str], options: dict[str, Any],
          directory: Directory) -> tuple[Any, str, tuple[str, str]]:
    """The frame as it was written, the file with the people, and what to call it."""
    if is_frame(data):
        if options != {"format": "csv", "header": "guess", "separator": "guess", "decimal": "guess"}:
            raise errors.FaultError("format, header, separator and decimal: only with the path of a file")
        needed = {field: column for field, column in roles.items() if isinstance(column, str)}
        taken = checked(data, ignored, needed)
        path = directory.write_frame(taken)
        options.update(header="yes", separator="comma", decimal="point")
        return taken, path, (path, "the frame")
    if not isinstance(data, (str, os.PathLike)):
        raise errors.FaultError(f"data = {data!r:.60}: expected a DataFrame or the path of a file")
    path = os.fsdecode(path_bytes(data, "data"))
    if path == "-":
        raise errors.FaultError("data = '-': expected a DataFrame or the path of a file")
    return None, path, (path, path)
