"""What an epsilon will cost, before an experiment; and the least that it costs any method."""

from __future__ import annotations

import html
import math
import warnings
from typing import Any, Iterable, Sequence

from sotto import errors
from sotto._c import check, number_of, real, refuse, text, whole
from sotto._frame import frame, html_table, number, table, wrapped
from sotto._lab import ffi, lib
from sotto._settings import delayed

_COSTS = ("epsilon", "regret", "regret_per_person", "share_of_best_reward", "regret_without_privacy", "cost", "target",
          "target_people", "within_people", "delay_people", "delay_regret", "target_days", "within_days")
_POINTS = {"people": "people", "regret": "regret", "regret_per_person": "regret_per_person",
           "regret_next": "regret_next_person", "open_regret": "regret_without_privacy",
           "open_regret_next": "regret_next_person_without_privacy", "epoch_reports": "epoch_reports"}
# What tests/measure/plan.py played, of rewards and parameters.
_PLAYED = ("dim 5 to 50, 2 to 20 arms, epsilon 0.5 to 5, with 100000 people, noise 0.1, rewards in their default range, "
           "a parameter of length 1, links identity, logit and log (per-arm: identity)")
_PLAYED_CHANCES = {
    "shared": "dim 5 to 20, 3 to 20 arms, epsilon 0.5 to 5, with 20000 people, 0/1 rewards with link identity, a shared "
              "parameter of length 1",
    "per-arm": "dim 5 to 50, 2 to 20 arms, epsilon 0.5 to 5, with 100000 people, 0/1 rewards with link identity, per-arm "
               "parameters of length 0.5",
}


# ---- the question -----------------------------------------------------------------------------


def _match(*, dim: Any, arms: Any, epsilon: float, horizon: Any, parameters: Any, link: Any, reward_kind: Any,
           reward_range: Any, noise: Any, theta_norm_max: Any, method: Any) -> Any:
    """One run of method sotto on a sphere."""
    scene = ffi.new("sotto_scene *")
    scene.dim = whole("dim", dim, 1, lib.SOTTO_DIM_MAX)
    scene.arms = whole("arms", arms, 2, lib.SOTTO_ARMS_MAX)
    scene.parameters = number_of("parameters", "parameters", parameters)
    scene.link = number_of("link", "link", link)
    scene.reward_kind = (lib.sotto_link_reward_kind(scene.link) if reward_kind is None
                         else number_of("reward_kind", "reward_kind", reward_kind))
    scene.environment = lib.SOTTO_ENVIRONMENT_SPHERE
    scene.horizon = whole("horizon", horizon, 1, lib.SOTTO_HORIZON_MAX)
    match = ffi.new("sotto_match *", lib.sotto_match_default(number_of("player", "method", method),
                                                             lib.SOTTO_CALIBRATION_EXACT,
                                                            scene, epsilon, 1e-6))
    match.environment.noise = real("noise", 0.1 if noise is None else noise)
    match.environment.theta_norm = match.spec.theta_norm_max = real("theta_norm_max", theta_norm_max)
    if reward_range is not None:
        lo, hi = _pair("reward_range", reward_range)
        match.spec.reward_lo, match.spec.reward_hi = lo, hi
        match.spec.reward_default = 0 if lo <= 0 <= hi else lo  # one that never came counts as 0 where 0 is a reward
    if noise is not None and match.environment.law != lib.SOTTO_LAW_GAUSSIAN:
        warnings.warn("noise changes nothing here: it is for continuous rewards", stacklevel=3)
    return match


def _pair(field: str, value: Any) -> tuple[float, float]:
    try:
        lo, hi = value
    except (TypeError, ValueError):
        raise errors.FaultError(f"{field} = {value!r}: expected two numbers, the smallest and the largest") from None
    return real(field, lo), real(field, hi)


def _epsilons(given: Any, most: int) -> list[float]:
    values = [given] if isinstance(given, (str, bytes)) or not isinstance(given, Iterable) else list(given)
    found = [real("epsilon", value) for value in values]
    if not 1 <= len(found) <= most:
        raise errors.FaultError(f"epsilon has {len(found)} values: allowed 1 to {most}")
    for at, value in enumerate(found):
        if not 0.01 <= value <= 8:
            raise errors.FaultError(f"epsilon = {value:.15g}: allowed 0.01 to 8")
        if value in found[:at]:
            raise errors.FaultError(f"epsilon = {value:.15g}: it is there twice")
    return found


# ---- the answers ------------------------------------------------------------------------------


def _known(value: int) -> int | None:
    return value or None


def _cost(answer: Any, days: bool) -> dict[str, Any]:
    found = {"epsilon": answer.plan.match.spec.epsilon, "regret": answer.end.regret,
             "regret_per_person": answer.end.regret_per_person, "share_of_best_reward": answer.share,
             "regret_without_privacy": answer.end.open_regret, "cost": answer.end.cost, "target": answer.target,
             "target_people": _known(answer.target_people), "within_people": _known(answer.within_people)}
    if answer.plan.match.people_per_second > 0:
        found.update(delay_people=answer.delay_people, delay_regret=answer.delay_regret)
    if days:
        found.update(target_days=_known(answer.target_days), within_days=_known(answer.within_days))
    return found


def _codebook(codebook: Any) -> dict[str, Any]:
    return {name: getattr(codebook, name) for name in ("size", "groups", "top", "scale")}


def _chosen(answer: Any) -> dict[str, Any]:
    terms = answer.plan.terms
    found = {"score": text(lib.sotto_score_name(terms.spec.score)),
             "estimator": "averaged" if answer.averaged else "tracked", "along_weight": terms.along_weight,
             "report_bytes": answer.report_bytes, "warm_up_reports": answer.warm_up,
             "codebook": _codebook(terms.codebook[lib.SOTTO_PHASE_MAIN])}
    if terms.spec.parameters == lib.SOTTO_PARAMETERS_PER_ARM:
        found["warm_up_codebook"] = _codebook(terms.codebook[lib.SOTTO_PHASE_WARM_UP])
    return found


def _measuring(found: Any, days: bool) -> dict[str, Any]:
    names = ("share", "price_per_person", "price", "regret", "predicted_uplift", "half_width", "uplift")
    measuring = {name: getattr(found, name) for name in names}
    measuring.update(alpha=lib.SOTTO_PLAN_MEASURE_ALPHA, role_reports=_known(found.role_reports),
                     people=_known(found.people), harm_people=_known(found.harm_people),
                     below_best_arm_people=_known(found.below_people))
    if days:
        measuring.update(days=_known(found.days), harm_days=_known(found.harm_days),
                         below_best_arm_days=_known(found.below_days))
    return measuring


def _point(point: Any) -> dict[str, Any]:
    return {name: getattr(point, field) for field, name in _POINTS.items()}


def _answer(answers: Any, i: int, days: bool, reports: int) -> dict[str, Any]:
    """What one epsilon costs, with the keys of `sotto plan --json`."""
    answer, half = answers.of[i], answers.half[i]
    found = _cost(answer, days)
    found["best_arm_lead"] = answer.best_arm_lead
    found["checked"] = bool(answer.checked)
    found["half"] = {**_cost(half.answer, days), "ratio": half.regret_ratio} if half.there else None
    found["chosen"] = _chosen(answer)
    found["budget"] = {"epsilon_per_report": answer.plan.match.spec.epsilon,
                       "epsilon_per_report_max": answers.epsilon_per_report_max,
                       "epsilon_lifetime": answers.epsilon_lifetime,
                       "reports_per_person": answer.plan.reports_per_person}
    found["floor"] = {"proved": answer.floor.proved, "local_estimate": answer.floor.local,
                      "start_heuristic": answer.floor.start, "times": answer.floor_times}
    if answer.measuring.share:
        found["measuring"] = _measuring(answer.measuring, days)
    if reports:
        found["shuffle"] = {"reports": reports, "delta": lib.SOTTO_PLAN_SHUFFLE_DELTA, "epsilon": answer.shuffle_epsilon,
                            "conditions": text(lib.sotto_shuffle_text(ffi.addressof(answer.plan, "terms")))}
    found["points"] = [_point(answer.point[at]) for at in range(answer.points_count)]
    return found


class Plan:
    """What epsilons cost. `print` explains it; `summary` and `points` are DataFrames; `plans` has everything, one dict per
    epsilon with the keys of `sotto plan --json`. `best_reward` and `chance_reward` are the mean rewards of the best arm
    and of a random arm."""

    def __init__(self, question: Any, answers: Any) -> None:
        match, plan = question.match, answers.of[0].plan
        spec = match.spec
        noisy = match.environment.law == lib.SOTTO_LAW_GAUSSIAN
        self._answers = answers
        self.method = text(lib.sotto_player_name(match.player))
        self.dim: int = spec.dim
        self.arms: int = spec.arms
        self.parameters = text(lib.sotto_parameters_name(spec.parameters))
        self.link = text(lib.sotto_link_name(spec.link))
        self.reward_kind = text(lib.sotto_reward_kind_name(spec.reward_kind))
        self.reward_lo: float = spec.reward_lo
        self.reward_hi: float = spec.reward_hi
        self.noise: float = match.environment.noise if noisy else math.nan
        self.theta_norm_max: float = spec.theta_norm_max
        self.horizon: int = match.horizon
        self.delay: dict[str, Any] | None = None
        if match.people_per_second > 0:
            self.delay = {"reward_window_s": spec.reward_window_s, "send_spread_s": spec.send_spread_s,
                          "people_per_second": match.people_per_second, "epoch_seconds_min": match.epoch_seconds_min,
                          "epoch_lag_max": spec.epoch_lag_max}
        self.per_day = _known(question.per_day)
        self.within_percent: float = question.within_percent
        self.best_reward: float = plan.best_reward
        self.chance_reward: float = plan.chance_reward
        self._asked: dict[str, Any] = {}  # the arguments of `plan`
        self.plans = [_answer(answers, i, question.per_day > 0, question.shuffle_reports) for i in range(answers.count)]

    @property
    def summary(self) -> Any:
        """One line per epsilon. People and days are missing where more than 1e12 people would be needed."""
        rows = []
        for plan in self.plans:
            row = {name: plan[name] for name in _COSTS if name in plan}
            row["half_costs_times"] = plan["half"]["ratio"] if plan["half"] is not None else math.nan
            row["reports_per_person"] = plan["budget"]["reports_per_person"]
            row.update({f"floor_{name}": plan["floor"][key] for name, key in (
                ("proved", "proved"), ("local", "local_estimate"), ("start", "start_heuristic"), ("times", "times"))})
            row.update({f"measure_{name}": value for name, value in plan.get("measuring", {}).items()})
            row.update({f"shuffle_{name}": value for name, value in plan.get("shuffle", {}).items()})
            row["best_arm_lead"] = plan["best_arm_lead"]
            row["checked"] = plan["checked"]
            rows.append(row)
        found = frame(rows, list(rows[0]))
        wholes = [name for name in found.columns if name.endswith(("_people", "_days", "role_reports"))]
        return found.astype({name: "Int64" for name in wholes})

    @property
    def points(self) -> Any:
        """Predictions after 10, 100, ... people and at the horizon, for each epsilon."""
        rows = [{"epsilon": plan["epsilon"], **point} for plan in self.plans for point in plan["points"]]
        return frame(rows, ["epsilon", *_POINTS.values()])

    def curve(self, count: int = 60) -> Any:
        """`count` points per epsilon for a plot, evenly spaced on a logarithmic axis from 10 people to the horizon."""
        count = whole("count", count, 2, 100000)
        if self.horizon <= 10:
            raise errors.FaultError(f"horizon = {self.horizon}: a curve begins at 10 people")
        room = ffi.new("sotto_plan_point[]", count)
        rows = []
        for i, plan in enumerate(self.plans):
            lib.sotto_plan_curve(ffi.addressof(self._answers.of[i], "plan"), room, count)
            rows += [{"epsilon": plan["epsilon"], **_point(room[at])} for at in range(count)]
        return frame(rows, ["epsilon", *_POINTS.values()])

    # ---- words ----

    def _people(self, people: int | None, days: int | None) -> str:
        if people is None:
            return f"more than {float(lib.SOTTO_HORIZON_MAX):g} people."
        said = f"{people} {'person' if people == 1 else 'people'}"
        if self.per_day is not None:
            said += f", {days} day{'' if days == 1 else 's'} at {self.per_day} per day"
        return said + "."

    def _scene(self) -> str:
        noise = "" if math.isnan(self.noise) else f", noise {self.noise:g}"
        return (f"{self.horizon} {'person' if self.horizon == 1 else 'people'}, dim {self.dim}, {self.arms} arms, "
                f"{self.parameters} parameters, {self.reward_kind} rewards, link {self.link}{noise}")

    def _cost_words(self, i: int) -> str:
        plan, answer = self.plans[i], self._answers.of[i]
        return (f"Epsilon {plan['epsilon']:g} costs a regret of about {plan['regret']:.4g}: "
                f"{plan['regret_per_person']:.3g} per person, {100 * plan['share_of_best_reward']:.3g} % of the best "
                f"reward. Random arms would lose {100 * answer.chance_share:.3g} %. The same method without privacy "
                f"would lose {plan['regret_without_privacy']:.4g}"
                + (f": privacy costs {plan['cost']:.3g} times that." if plan["cost"] > 1 else
                   ", which is not less, so no cost of privacy shows here."))

    def _budget_words(self, i: int) -> str:
        budget = self.plans[i]["budget"]
        allowed = (f"a device's default policy allows {budget['reports_per_person']} such reports in a lifetime."
                   if budget["reports_per_person"] else
                   f"a device's default policy allows {budget['epsilon_per_report_max']:g} and would refuse it.")
        return f"Budget: a report spends epsilon {budget['epsilon_per_report']:g}; {allowed}"

    def _half_words(self, i: int) -> str:
        half = self.plans[i]["half"]
        if half is None:
            return ""
        times = self._answers.half[i].people_ratio
        people = "" if math.isnan(times) else f", and the target takes {times:.3g} times the people"
        return (f"Half of epsilon: at {half['epsilon']:g} regret is {half['regret']:.4g}, {half['ratio']:.3g} times as "
                f"much{people}.")

    def _floor_words(self, i: int) -> str:
        floor, regret = self.plans[i]["floor"], self.plans[i]["regret"]
        if math.isnan(floor["local_estimate"]):
            return ""
        start, proved = floor["start_heuristic"], floor["proved"]
        said = []
        if not math.isnan(start):
            said.append(f"{floor['times']:.3g} times the estimated minimum ({start:.4g}) for any method that starts from nothing")
        if not math.isnan(proved):
            said.append(f"at most {regret / proved:.3g} times the proved minimum ({proved:.4g})")
        if not said:
            return f"Floor: only a local estimate, not a bound: {floor['local_estimate']:.4g}."
        return (f"Floor: expected regret is {', and '.join(said)}. A local estimate, not a bound, is "
                f"{floor['local_estimate']:.4g}.")

    def _delay_words(self, i: int) -> str:
        if self.delay is None:
            return ""
        window, spread, rate = (self.delay[name] for name in ("reward_window_s", "send_spread_s", "people_per_second"))
        return (f"Delay: it adds {self.plans[i]['delay_regret']:.4g} to the regret: at {rate:g} people per second, with "
                f"reports {window if spread == 0 else f'{window} to {window + spread}'} s after decisions, a model lacks the reports of the last "
                f"{self.plans[i]['delay_people']} people or so.")

    def _target_words(self, i: int) -> str:
        plan = self.plans[i]
        share = 100 * self._answers.of[i].target_share
        return (f"Target: a mean regret of at most {plan['target']:.3g} per person ({share:.3g} % of the best reward), also with "
                f"more people, takes {self._people(plan['target_people'], plan.get('target_days'))}\n"
                f"Near: a reward within {self.within_percent:g} % of that without privacy takes "
                f"{self._people(plan['within_people'], plan.get('within_days'))}")

    def _best_arm_words(self) -> str:
        leads = ", ".join(f"{plan['best_arm_lead']:.3g} (epsilon {plan['epsilon']:g})" for plan in self.plans)
        return f"Without context: best-arm gives nearly everybody the best arm if its mean reward leads by {leads}."

    def _measuring_words(self, i: int) -> str:
        found = self.plans[i].get("measuring")
        if found is None:
            return ""
        return (f"Measuring: a share of {found['share']:g} of the rounds costs {found['price_per_person']:.3g} of "
                f"reward per person, {found['price']:.4g} in all; with it regret is {found['regret']:.4g}. The policy "
                f"is worth {found['predicted_uplift']:.3g} more than random arms on average, known to "
                f"+-{found['half_width']:.3g} at the end ({100 * (1 - found['alpha']):g} % interval, valid at any time). To "
                f"show that an uplift of {found['uplift']:.3g} is not 0 takes "
                f"{self._people(found['people'], found.get('days'))} A policy that is "
                f"{found['uplift']:.3g} worse than random arms shows harm after "
                f"{self._people(found['harm_people'], found.get('harm_days'))} One that is "
                f"{found['uplift']:.3g} worse than the best arm shows below-best-arm after "
                f"{self._people(found['below_best_arm_people'], found.get('below_best_arm_days'))}")

    def _shuffle_words(self, i: int) -> str:
        found = self.plans[i].get("shuffle")
        if found is None:
            return ""
        return (f"Shuffled: from {found['reports']} shuffled reports a server learns about one person epsilon "
                f"{found['epsilon']:.4g} at delta {found['delta']:g}. {found['conditions']}")

    def _caveat(self) -> str:
        chances = self.reward_kind == "binary" and self.link == "identity"
        played = _PLAYED_CHANCES[self.parameters] if chances else _PLAYED
        words = ["This is a prediction, for contexts spread evenly over a sphere and a parameter of length "
                 f"{self.theta_norm_max:g}. Simulation was within a factor 2 of it for {played}."]
        words += [f"This setting, with epsilon {plan['epsilon']:g}, is outside that range: trust only the order of magnitude."
                  for plan in self.plans if not plan["checked"]]
        if self.dim == 1:
            words.append(f"With dim 1, simulated regret was {'0.7 to 3.6' if chances else '0.6 to 2.2'} times that on average "
                         "(2 to 20 arms, epsilon 0.5 to 5, 10000 people, a parameter of length 1).")
        return "\n".join(words)

    def _paragraphs(self, i: int) -> list[str]:
        said = (self._cost_words(i), self._budget_words(i), self._half_words(i), self._floor_words(i),
                self._delay_words(i), self._target_words(i), self._best_arm_words(),
                self._measuring_words(i), self._shuffle_words(i))
        return [words for words in said if words]

    def _table(self) -> tuple[list[str], list[list[str]]]:
        head = ["epsilon", "regret", "per person", "of best", "cost", "if halved", "target", "near", "reports"]
        rows = [[f"{plan['epsilon']:g}", number(plan["regret"], 4), number(plan["regret_per_person"], 3),
                 f"{100 * plan['share_of_best_reward']:.3g}%", number(plan["cost"], 3),
                 "-" if plan["half"] is None else f"{plan['half']['ratio']:.3g}x",
                 str(plan["target_people"] or "> 1e12"),
                 str(plan["within_people"] or "> 1e12"), str(plan["budget"]["reports_per_person"])]
                for plan in self.plans]
        return head, rows

    def _days(self) -> str:
        return "" if self.per_day is None else "\n".join(
            f"Epsilon {plan['epsilon']:g}: the target takes {self._people(plan['target_people'], plan['target_days'])}"
            for plan in self.plans)

    def _legend(self) -> str:
        plan = self.plans[0]
        return (f"cost: regret over that without privacy, {plan['regret_without_privacy']:.4g}; target: number of "
                f"people from which the mean regret is at most {plan['target']:.3g}; near: people until a reward is within "
                f"{self.within_percent:g} % of that without privacy; reports: in a person's lifetime, by a device's "
                "default policy.")

    def __str__(self) -> str:
        if len(self.plans) == 1:
            return wrapped("\n\n".join([self._scene(), "\n".join(self._paragraphs(0)), self._caveat()]))
        floors = [f"Epsilon {plan['epsilon']:g}. {words}" for i, plan in enumerate(self.plans)
                  for words in (self._floor_words(i), self._delay_words(i), self._measuring_words(i), self._shuffle_words(i)) if words]
        said = [wrapped(part) for part in (self._scene(), self._legend(), self._days(), self._best_arm_words(), "\n".join(floors),
                                           self._caveat()) if part]
        return "\n\n".join([said[0], table(*self._table()), *said[1:]])

    def __reduce__(self) -> Any:
        return _again, (self._asked,)

    def __repr__(self) -> str:
        costs = ", ".join(f"epsilon {plan['epsilon']:g} costs {plan['regret']:.4g}" for plan in self.plans)
        return f"<Plan for {self.horizon} people: {costs}>"

    def _repr_html_(self) -> str:
        words = [self._legend()] if len(self.plans) > 1 else self._paragraphs(0)
        return "".join([f"<p>{html.escape(self._scene())}</p>", html_table(*self._table()),
                        *(f"<p>{html.escape(said)}</p>" for said in (*words, self._caveat()))])


def plan(*, dim: int, arms: int, epsilon: float | Iterable[float] = 1.0, horizon: int = 100000,
         parameters: str = "shared",
         link: str = "identity", reward_kind: str | None = None, reward_range: tuple[float, float] | None = None,
         noise: float | None = None, theta_norm_max: float = 1.0, method: str = "sotto", target: float | None = None,
         within: float = 5.0, per_day: int | None = None, measure: float = 0.0, uplift: float | None = None,
         delay: Sequence[float] | str | None = None, shuffle: int | None = None) -> Plan:
    """Predicts what an epsilon will cost, before an experiment: the numbers of `sotto plan`.

    dim, arms     numbers per context vector, and arms to choose from
    epsilon       of each report, 0.01 to 8; one, or up to 8 of them
    horizon       number of people
    parameters    "shared" or "per-arm"
    link          "identity", "logit", "probit" or "log"; reward_kind and reward_range follow from it
    noise         standard deviation of continuous rewards, 0.1
    target        regret per person: the plan says from how many people on it holds; default 5 % of the best reward
    within        percentage: the plan says from how many people on rewards are so near those without privacy
    per_day       people per day; answers are then also in days
    delay         (window, spread, rate): reports come `window` to `window` + `spread` seconds after decisions, at `rate`
                  people per second; without `rate` it follows from per_day
    measure       share of measure rounds, 0 or 0.001 to 0.5; uplift: the uplift that they should detect. The answer also
                  says how many people it takes to show harm of that size, and a policy so far below the best arm
    shuffle       number of reports of one epoch that somebody other than the server shuffles: the plan says what the
                  server then learns about one person

    >>> import sotto
    >>> found = sotto.plan(dim=10, arms=5, epsilon=[0.5, 1, 2], horizon=100000)
    >>> print(found.summary[["epsilon", "regret", "target_people"]].round({"regret": 1}).to_string(index=False))
     epsilon  regret  target_people
         0.5  1394.9          73911
         1.0   386.3          18809
         2.0   109.6           4982"""
    asked = dict(locals())
    asked["epsilon"] = epsilons = _epsilons(epsilon, lib.SOTTO_PLAN_EPSILONS_MAX)
    match = _match(dim=dim, arms=arms, epsilon=epsilons[0], horizon=horizon, parameters=parameters, link=link,
                   reward_kind=reward_kind, reward_range=reward_range, noise=noise, theta_norm_max=theta_norm_max,
                   method=method)
    if delay is not None:
        window, spread, rate = delayed(delay, 2 if per_day is not None else 3)
        lib.sotto_match_set_clock(match, window, spread, rate or (per_day or 0) / 86400)
    question = ffi.new("sotto_plan_question *", lib.sotto_plan_question_default(match))
    question.epsilons_count = len(epsilons)
    for i, value in enumerate(epsilons):
        question.epsilon[i] = value
    question.within_percent = real("within", within)
    question.per_day = 0 if per_day is None else whole("per_day", per_day, 1, 10**12)
    question.measure_share = real("measure", measure)
    if not (question.measure_share == 0 or 0.001 <= question.measure_share <= 0.5):
        raise errors.FaultError(f"measure = {measure!r}: allowed 0, or 0.001 to 0.5")
    if uplift is not None:
        if question.measure_share == 0:
            raise errors.FaultError("uplift: only with measure, 0.001 to 0.5")
        question.uplift = real("uplift", uplift)
        if question.uplift == 0:
            raise errors.FaultError(f"uplift = {uplift!r}: allowed 1e-9 to 1e6")
    if shuffle is not None:
        question.shuffle_reports = whole("shuffle", shuffle, 1, lib.SOTTO_SHUFFLE_REPORTS_MAX)
    if target is not None:
        question.target, question.target_is_share = real("target", target), False
    refuse(lib.sotto_plan_question_fault, question)
    most = lib.sotto_policy_default().measure_share_max
    if question.measure_share > most:
        warnings.warn(f"measure = {measure:g}: a device allows at most {most:g} unless its policy allows more",
                      stacklevel=2)
    answers = ffi.new("sotto_plan_answers *")
    check(lib.sotto_plan_question_answer(question, answers))
    found = Plan(question, answers)
    found._asked = asked
    return found


def _again(asked: dict[str, Any]) -> Plan:
    """The same plan: the same question has the same answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return plan(**asked)


# ---- floors -----------------------------------------------------------------------------------


class Floor:
    """The least regret that an epsilon allows; NaN where a number does not exist.

    proved   every method whose reports are epsilon-LDP has at least this mean regret
    local    a local estimate, not a bound: a method can be below it
    start    the estimated minimum for a method that starts from nothing (a heuristic)"""

    def __init__(self, epsilon: float, horizon: int, found: Any) -> None:
        self.epsilon = epsilon
        self.horizon = horizon
        self.proved: float = found.proved
        self.local: float = found.local
        self.start: float = found.start

    def __str__(self) -> str:
        said = [f"{self.horizon} people at epsilon {self.epsilon:g}:"]
        if not math.isnan(self.proved):
            said.append(f"no method loses less than {self.proved:.4g} on average (proved);")
        if not math.isnan(self.start):
            said.append(f"one that starts from nothing loses about {self.start:.4g} (a heuristic);")
        said.append("there is no floor for this." if math.isnan(self.local)
                    else f"a local estimate, not a bound: {self.local:.4g}.")
        return " ".join(said)

    def __repr__(self) -> str:
        return f"<Floor: {self}>"


def floor(*, dim: int, arms: int, epsilon: float = 1.0, horizon: int = 100000, parameters: str = "shared",
          link: str = "identity", reward_kind: str | None = None, reward_range: tuple[float, float] | None = None,
          noise: float | None = None, theta_norm_max: float = 1.0) -> Floor:
    """The least regret that an epsilon allows any method, for contexts spread evenly over a sphere. Arguments are those of
    `plan`.

    >>> import sotto
    >>> print(sotto.floor(dim=10, arms=5, epsilon=1))
    100000 people at epsilon 1: no method loses less than 73.16 on average (proved); one that starts from nothing loses
    about 268.5 (a heuristic); a local estimate, not a bound: 103.1."""
    [value] = _epsilons(real("epsilon", epsilon), 1)
    match = _match(dim=dim, arms=arms, epsilon=value, horizon=horizon, parameters=parameters, link=link,
                   reward_kind=reward_kind, reward_range=reward_range, noise=noise, theta_norm_max=theta_norm_max,
                   method="sotto")
    question = ffi.new("sotto_plan_question *", lib.sotto_plan_question_default(match))
    question.epsilons_count, question.epsilon[0] = 1, value
    refuse(lib.sotto_plan_question_fault, question)
    found = ffi.new("sotto_floor *")
    check(lib.sotto_floor_of(match, found))
    return Floor(value, match.horizon, found)
