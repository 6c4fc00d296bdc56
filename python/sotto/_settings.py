"""From arguments to a comparison of the lab: what was not given follows from what was, as on the command line."""

from __future__ import annotations

from typing import Any, Iterable

import numpy

from sotto import _c, _environment, _guests, _method, _plugin, errors
from sotto._lab import ffi, lib

# Arguments that change a field of all matches, if they are given.
CHANGES = {
    "context_norm_max": "spec.context_norm_max",
    "theta_norm_max": "spec.theta_norm_max",
    "correct": "corrections",
    "score": "spec.score",
    "split": "spec.split",
    "noise_law": "spec.noise_law",
    "exact_noise": "exact_noise",
    "reward_range": "spec.reward_lo",
    "reward_rate": "spec.reward_rate",
    "noise": "environment.noise",
    "theta_norm": "environment.theta_norm",
    "margin": "environment.margin",
    "drift": "environment.drift",
    "warmup": "learning.warm_up",
    "mean_phase": "learning.mean_phase",
    "prior_variance": "learning.prior_variance",
    "alpha": "learning.alpha",
    "step": "learning.step",
    "eta0": "learning.eta0",
    "shift_scale": "learning.shift_scale",
    "elimination": "learning.elimination_scale",
    "lag": "spec.epoch_lag_max",
    "delay": "people_per_second",
    "epoch_seconds_min": "epoch_seconds_min",
    "window": "spec.window_reports",
    "liars": "liars",
    "grind": "grind",
    "measure": "spec.measure",
    "fallback": "learning.fallback",
}
# Fields of the lab that have another name as arguments here.
_KEYWORDS = {field.split(".")[-1]: argument for argument, field in CHANGES.items()}
_KEYWORDS.update({"players_count": "method", "epsilons_count": "epsilon", "at_count": "checkpoints", "at": "checkpoints",
                  "reward_lo, reward_hi": "reward_range", "huber_tau": "score huber:TAU", "player": "method"})


def listed(argument: str, given: Any) -> list[Any]:
    """A list, one thing, or a text with commas."""
    if isinstance(given, str):
        found: list[Any] = [word.strip() for word in given.split(",")]
        if "" in found:
            raise errors.FaultError(f"{argument} = {given!r}: a value is missing")
        return found
    if isinstance(given, Iterable) and not isinstance(given, type):
        found = list(given)
        if not found:
            raise errors.FaultError(f"{argument}: a list needs at least one value")
        return found
    return [given]


def plain(value: Any) -> Any:
    """A setting as it is kept with rows: no objects of numpy, no tuples."""
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        value = value.tolist()
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _of_own(argument: str, given: Any, base: type) -> bool:
    if isinstance(given, base) or (isinstance(given, type) and issubclass(given, base)):
        return True
    if isinstance(given, str):
        return False
    raise errors.FaultError(f"{argument} = {given!r}: expected a name, or a class or an object of "
                            f"sotto.{base.__name__}")


def own_method(guests: _guests.Guests, method: Any) -> tuple[dict[str, Any], Any] | None:
    """What a method of one's own is known by, and its table; None of ours."""
    if _plugin.is_path(method):
        table = _plugin.opened(guests, method, "player")
        return _plugin.known_method(table), table
    if _of_own("method", method, _method.Method):
        known = _method.told(method)
        return known, _method.table(guests, known, method)
    return None


def _real_after(words: str, prefix: str) -> float | None:
    try:
        return float(words[len(prefix):])
    except ValueError:
        return None


def delayed(given: Any, least: int) -> tuple[int, int, float]:
    """The argument `delay`: window and spread in seconds, and people per second; of two numbers the last is 0."""
    parts = listed("delay", given)
    if not least <= len(parts) <= 3:
        raise errors.FaultError(f"delay = {given!r}: expected window and spread in seconds, and people per second")
    if isinstance(given, str):
        parts = [_real_after(part, "") for part in parts]
    window, spread = (_c.whole("delay", part, 0, 31536000) for part in parts[:2])
    rate = _c.real("delay", parts[2]) if len(parts) == 3 else 0.0
    if len(parts) == 3 and not 1e-6 <= rate <= 1e9:
        raise errors.FaultError(f"delay = {given!r}: people per second are {rate!r}: allowed 1e-06 to 1e+09")
    return window, spread, rate


class Settings:
    """Everything that goes into the comparison. `kept` is what its rows are known by."""

    def __init__(self, given: dict[str, Any], known: bool = False) -> None:
        """`known`: methods and environments of one's own may be dicts, `kept` of others, which cannot be played."""
        self.known = known
        self.guests = _guests.Guests()
        self.loan: Any = None
        self.kept = {name: plain(value) for name, value in given.items()
                     if value is not None and name not in ("method", "environment")}
        scene = ffi.new("sotto_scene *")
        self._set_scene(scene, given)
        self.request = ffi.new("sotto_comparison_request *", lib.sotto_comparison_request_default(scene))
        self._set_methods(given["method"])
        self._set_epsilons(given["epsilon"])
        self._set_plain(given)
        self._set_epoch(given["epoch"])
        self._set_points(given["checkpoints"], scene.horizon)
        for argument, field in CHANGES.items():
            if given[argument] is not None:
                self._change(argument, field, given[argument])
        self._check_together(given)

    # ---- the scene ---------------------------------------------------------------------------

    def _set_scene(self, scene: Any, given: dict[str, Any]) -> None:
        published = given["calibration"] == "published"
        where = given["environment"]
        if where is None:
            where = "published" if published else "sphere"
        values = {name: given[name] for name in ("dim", "arms", "parameters", "horizon")}
        values["parameters"] = given["parameters"] or "shared"
        values["link"] = given["link"] or "identity"
        custom = self._environment(where)
        if custom is not None:
            known, scene.custom = custom
            if given["parameters"] is None and known.get("per_arm") and not known.get("shared"):
                values["parameters"] = "per-arm"
            for name in ("dim", "arms"):
                values[name] = values[name] if values[name] is not None else known[name] or None
            self.kept["environment"] = known
        else:
            scene.environment = _c.number_of("environment_kind", "environment", where)
            self.kept["environment"] = where
        if where == "loan":
            people = self._open_loan(scene)
            for name in ("dim", "arms"):
                values[name] = values[name] if values[name] is not None else getattr(people, name)
            values["link"] = given["link"] or _c.text(lib.sotto_link_name(people.link))
        for name, lowest, highest in (("dim", 1, lib.SOTTO_DIM_MAX), ("arms", 2, lib.SOTTO_ARMS_MAX),
                                      ("horizon", 1, lib.SOTTO_HORIZON_MAX)):
            if values[name] is None:
                raise errors.FaultError(f"{name}: it is needed")
            values[name] = _c.whole(name, values[name], lowest, highest)
        _c.put(scene[0], values)
        scene.reward_kind = lib.sotto_link_reward_kind(scene.link)
        if given["reward_kind"] is not None:
            _c.put(scene[0], {"reward_kind": given["reward_kind"]})
        self.kept.update({name: _c.get(scene[0])[name] for name in (*values, "reward_kind")})

    def _environment(self, where: Any) -> tuple[dict[str, Any], Any] | None:
        """What an environment of one's own is known by, and its table; None of ours."""
        if _plugin.is_path(where):
            table = _plugin.opened(self.guests, where, "environment")
            return _plugin.known_environment(table), table
        if self.known and isinstance(where, dict):
            return where, _environment.table(self.guests, where)
        if _of_own("environment", where, _environment.Environment):
            known = _environment.told(where)
            return known, _environment.table(self.guests, known, where)
        return None

    def _open_loan(self, scene: Any) -> Any:
        out = ffi.new("sotto_loan **")
        _c.refuse(lib.sotto_loan_open, ffi.NULL, out)
        self.loan = ffi.gc(out[0], lib.sotto_loan_free)
        scene.population = lib.sotto_loan_population(self.loan)
        return scene.population

    # ---- lists -------------------------------------------------------------------------------

    def _set_methods(self, given: Any) -> None:
        methods = listed("method", [given] if isinstance(given, (dict, bytes)) else given)
        players, tables, kept = [], [], []
        for method in methods:
            kept_only = self.known and isinstance(method, dict)
            custom = (method, _method.table(self.guests, method)) if kept_only else own_method(self.guests, method)
            if custom is not None:
                players.append(lib.SOTTO_PLAYER_RANDOM)  # does not count
                kept.append(custom[0])
                tables.append(custom[1])
            else:
                players.append(_c.number_of("player", "method", method))
                tables.append(ffi.NULL)
                kept.append(method)
        self.kept["method"] = kept
        self.request.player = self.guests.hold(ffi.new("sotto_player[]", players))
        self.request.custom = self.guests.hold(ffi.new("sotto_player_table *[]", tables))
        self.request.players_count = len(players)
        self.request.best_arm = True

    def _set_epsilons(self, given: Any) -> None:
        # The epsilon of a row is that of its run: both have 15 digits.
        epsilons = [float(f"{_c.real('epsilon', value):.15g}") for value in listed("epsilon", given)]
        self.kept["epsilon"] = epsilons
        self.request.epsilon = self.guests.hold(ffi.new("double[]", epsilons))
        self.request.epsilons_count = len(epsilons)

    def _set_points(self, given: Any, horizon: int) -> None:
        if given is None:
            return
        points = [_c.whole("checkpoints", value, 1, horizon) for value in listed("checkpoints", given)]
        if points[-1] != horizon:
            points.append(horizon)
        self.request.at = self.guests.hold(ffi.new("uint64_t[]", points))
        self.request.at_count = len(points)

    # ---- single values -----------------------------------------------------------------------

    def _set_plain(self, given: dict[str, Any]) -> None:
        names = ("calibration", "delta", "allow_weak_delta", "unknown_horizon", "revenue", "seeds", "first_seed",
                 "threads")
        _c.put(self.request[0], {
            **{name: given[name] for name in names},
            "seeds": _c.whole("seeds", given["seeds"], 1, 2**32 - 1),
            "threads": _c.whole("threads", given["threads"], 1, lib.SOTTO_THREADS_MAX)})

    def _set_epoch(self, given: Any) -> None:
        self.request.epoch, self.request.growth = 1, 0
        if isinstance(given, str):
            growth = _real_after(given, "growth:") if given.startswith("growth:") else None
            if given == "auto":
                self.request.epoch = 0
            elif growth is not None and 0 < growth <= 1:
                self.request.growth = growth
            else:
                raise errors.FaultError(f"epoch = {given!r}: allowed 'auto', a whole number, or 'growth:G' with G "
                                        "above 0, to 1")
        else:
            self.request.epoch = _c.whole("epoch", given, 1, lib.SOTTO_REPORTS_MAX)

    def _change(self, argument: str, field: str, value: Any) -> None:
        wanted = self.request.wanted
        special = getattr(self, f"_set_{argument}", None)
        if special is not None:
            special(wanted, value)
        else:
            *path, name = field.split(".")
            _c.put(getattr(wanted, path[0]) if path else wanted, {name: value}, keyword=argument)
        kind = ffi.typeof("sotto_match")
        for part in field.split("."):
            kind = dict(kind.fields)[part].type
        offset = ffi.offsetof("sotto_match", *field.split("."))
        lib.sotto_comparison_request_change(self.request, offset, ffi.sizeof(kind))

    def _set_score(self, wanted: Any, value: Any) -> None:
        tau = _real_after(value, "huber:") if isinstance(value, str) and value.startswith("huber:") else None
        if tau is None and value not in ("sign", "self", "centred"):
            raise errors.FaultError(f"score = {value!r}: allowed 'sign', 'self', 'centred', 'huber:TAU' with TAU 1e-06 "
                                    "to 1000000")
        if tau is not None:
            wanted.spec.huber_tau = tau
        wanted.spec.score = _c.number_of("score", "score", value if tau is None else "huber")

    def _set_split(self, wanted: Any, value: Any) -> None:
        wanted.split_paper = value == "paper"
        if value not in ("joint", "per-arm", "paper"):
            raise errors.FaultError(f"split = {value!r}: allowed 'joint', 'per-arm', 'paper'")
        wanted.spec.split = _c.number_of("split", "split", "joint" if value == "paper" else value)

    def _set_correct(self, wanted: Any, value: Any) -> None:
        wanted.corrections = 0
        for name in listed("correct", value):
            bit = 1 << _c.number_of("correction", "correct", name)
            if wanted.corrections & bit:
                raise errors.FaultError(f"correct = {name}: each correction may be given only once")
            wanted.corrections |= bit
        self.kept["correct"] = sorted(listed("correct", value))

    def _set_reward_range(self, wanted: Any, value: Any) -> None:
        found = _c.vector("reward_range", value, 2)
        wanted.spec.reward_lo, wanted.spec.reward_hi = found

    def _set_delay(self, wanted: Any, value: Any) -> None:
        window, spread, rate = delayed(value, 3)
        wanted.spec.reward_window_s, wanted.spec.send_spread_s, wanted.people_per_second = window, spread, rate

    def _set_window(self, wanted: Any, value: Any) -> None:
        wanted.spec.window_reports = 0 if value == "none" else _c.whole("window", value, 0, lib.SOTTO_REPORTS_MAX)

    def _set_measure(self, wanted: Any, value: Any) -> None:
        share = _c.real("measure", value)
        if not (share == 0 or 0.001 <= share <= 0.5):
            raise errors.FaultError(f"measure = {share!r}: allowed 0, or 0.001 to 0.5")
        wanted.spec.measure = round(share * 2**32)

    def _set_fallback(self, wanted: Any, value: Any) -> None:
        names = {"none": 0, "random": lib.SOTTO_FALLBACK_RANDOM}
        if isinstance(value, str) and value not in names:
            raise errors.FaultError(f"fallback = {value!r}: allowed 'none', 'random', or the number of an arm")
        arm = names[value] if isinstance(value, str) else _c.whole("fallback", value, 0, lib.SOTTO_ARMS_MAX - 1) + 1
        wanted.learning.fallback = arm  # whether there is such an arm, the lab says

    def _check_together(self, given: dict[str, Any]) -> None:
        if given["epoch_seconds_min"] is not None and given["delay"] is None:
            raise errors.FaultError("epoch_seconds_min: only with delay, (window, spread, rate)")
        shared = self.request.scene.parameters == lib.SOTTO_PARAMETERS_SHARED
        if given["split"] == "paper" and shared:
            raise errors.FaultError("split = 'paper': only with parameters='per-arm' and calibration='paper'; shared "
                                    "parameters need no split")
        if self.request.wanted.learning.warm_up > 0 and shared:
            raise errors.FaultError(f"warmup = {self.request.wanted.learning.warm_up}: only per-arm parameters warm up")

    # ---- the comparison ----------------------------------------------------------------------

    def compare(self) -> Any:
        """A comparison that is not played yet; freed by Python. Keep the settings as long."""
        _c.refuse(lib.sotto_comparison_request_fault, self.request, keywords=_KEYWORDS)
        out = ffi.new("sotto_comparison **")
        _c.check(lib.sotto_comparison_new(self.request, out))
        return ffi.gc(out[0], lib.sotto_comparison_free)

    def columns(self, sweep: Any) -> list[tuple[str, float]]:
        """The columns `method` and `epsilon` of each match. Those of best-arm may come last, though nobody asked for it."""
        names = [str(known if isinstance(known, str) else known["name"]) for known in self.kept["method"]]
        asked = [(name, epsilon) for name in names for epsilon in self.kept["epsilon"]]
        return asked + [("best-arm", sweep.match[i].spec.epsilon) for i in range(len(asked), sweep.matches_count)]
