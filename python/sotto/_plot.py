"""Regret against rounds, in the colours of the reports."""

from __future__ import annotations

import importlib
from typing import Any

from sotto import errors
from sotto._replay import Replay
from sotto._summary import _claims, ends, lines_of_rows

# As src/lab/page/figure_layout.c has them: colour, dash, width.
LOOKS = {
    "sotto": ("#D55E00", 0, 3.4),
    "sotto-ols": ("#E69F00", 0, 2.0),
    "ldp-sgd": ("#0072B2", 0, 2.0),
    "ldp-ols": ("#009E73", 0, 2.0),
    "ldp-ucb": ("#CC79A7", 0, 2.0),
    "ldp-gloc": ("#56B4E9", 0, 2.0),
    "best-arm": ("#B8860B", 0, 2.0),
    "ols": ("#000000", 1, 1.6),
    "linucb": ("#882255", 3, 1.6),
    "sgd": ("#332288", 4, 1.6),
    "glm": ("#117733", 3, 1.6),
    "glm-ucb": ("#6F4E16", 1, 1.6),
    "random": ("#6E6E6E", 2, 1.6),
    "oracle": ("#A0A0A0", 2, 1.6),
    "merino": ("#AA4499", 4, 1.6),
    "shuffle-ucb": ("#44AA99", 4, 1.6),
    "joint-glm": ("#999933", 4, 1.6),
}
DASHES = ("", "7,4", "2,3", "9,3,2,3", "14,4")
# Of methods that people bring, in their order.
_OWN = ("#CC6677", "#6699CC", "#661100", "#888888", "#DDCC77")


def _look(name: str, own: int, dash: int) -> dict[str, Any]:
    colour, first, width = LOOKS.get(name, (_OWN[own % len(_OWN)], 0, 2.0))
    pattern = DASHES[(first + dash) % len(DASHES)]
    points = 0.75  # of a pixel
    style = (0, tuple(float(part) / width for part in pattern.split(","))) if pattern else "-"
    return {"color": colour, "linestyle": style, "linewidth": width * points}


def _pyplot() -> Any:
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as missing:
        raise ImportError("sotto.plot needs matplotlib: `pip install matplotlib`, or Debian's "
                          "python3-matplotlib") from missing


def _facet(axes: Any, lines: Any, value: str, names: list[str]) -> None:
    """The curves of one epsilon, and of methods without privacy: means over seeds, with bands."""
    for name in names:
        mine = lines[lines["method"] == name]
        if not len(mine):
            continue
        by = mine.groupby("t")[value]
        own = [other for other in names if other not in LOOKS]
        look = _look(name, own.index(name) if name in own else 0, 0)
        axes.plot(by.mean().index, by.mean().to_numpy(), label=name, **look)
        axes.fill_between(by.mean().index, by.quantile(0.1).to_numpy(), by.quantile(0.9).to_numpy(), color=look["color"],
                          alpha=0.15, linewidth=0)


def _plot_replay(found: Any, ax: Any) -> Any:
    """One facet per epsilon: the mean reward per person so far, or of a log its estimate by inverse propensity."""
    rows = found.rows
    value = "ips" if found.log else "per person"
    if not found.log:
        rows = rows.assign(**{value: rows["reward"] / rows["t"]})
    infinite = rows["epsilon"] == float("inf")
    epsilons = sorted(set(rows["epsilon"][~infinite])) or [float("inf")]
    if ax is not None and len(epsilons) > 1:
        raise errors.FaultError(f"ax: there are {len(epsilons)} epsilons, each with its own axes; leave ax out")
    names = list(dict.fromkeys(rows["method"]))
    made = [[ax]] if ax is not None else _pyplot().subplots(
        1, len(epsilons), figsize=(2.4 + 4.2 * len(epsilons), 4.2), layout="constrained", sharey=True, squeeze=False)[1]
    for axes, epsilon in zip(made[0], epsilons):
        _facet(axes, rows[infinite | (rows["epsilon"] == epsilon)], value, names)
        axes.set_xscale("log")
        axes.set_xlabel("events" if found.log else "people")
        axes.set_title("without privacy" if epsilon == float("inf") else f"epsilon {epsilon:g}", fontsize="medium")
    made[0][0].set_ylabel("value by inverse propensity" if found.log else "mean reward per person")
    made[0][-1].legend(fontsize="small", frameon=False)
    if ax is None:
        made[0][0].figure.suptitle(found.title)
    return made[0][0] if len(epsilons) == 1 else made[0]


def plot(rows: Any, ax: Any = None) -> Any:
    """Draws mean regret against t, with a band from the 10 % to the 90 % quantile over seeds, and returns the axes. For a
    `sotto.Replay` it draws the mean reward per person, with one facet per epsilon, and returns their axes.

    Methods have the colours of our reports; epsilons have line styles. `ax`: matplotlib axes to draw on; None: a new
    figure. The lab computes means and quantiles.

        >>> import sotto
        >>> rows = sotto.simulate("sotto,ols", dim=5, arms=3, horizon=1e4, seeds=3)
        >>> axes = sotto.plot(rows)
        >>> [text.get_text() for text in axes.get_legend().get_texts()]
        ['sotto', 'ols', 'best-arm']
        >>> axes.get_xscale(), axes.get_yscale()
        ('log', 'log')
    """
    if isinstance(rows, Replay):
        return _plot_replay(rows, ax)
    last, horizon = ends(rows)
    axes = _pyplot().subplots(figsize=(8, 4.8), layout="constrained")[1] if ax is None else ax
    claims = _claims(rows)
    every = dict.fromkeys(claims, True)
    curves: dict[tuple[str, float], list[tuple[float, ...]]] = {}
    for t in sorted(set(rows["t"])):
        for line in lines_of_rows(rows[rows["t"] == t], int(t), every):
            if line["seeds"] > 0:
                point = t, line["regret_mean"], line["regret_p10"], line["regret_p90"]
                curves.setdefault((line["method"], line["epsilon"]), []).append(point)
    ours = [name for name in claims if name not in LOOKS]
    epsilons = sorted(set(rows["epsilon"]))
    for line, (name, epsilon) in zip(lines_of_rows(last, horizon, claims), [(m, e) for m in claims for e in epsilons]):
        if line["repeated"] or (name, epsilon) not in curves:
            continue
        private = line["epsilon"] != float("inf")
        look = _look(name, ours.index(name) if name in ours else 0, epsilons.index(epsilon) if private else 0)
        t, mean, low, high = zip(*curves[name, epsilon])
        label = f"{name}, epsilon {epsilon:g}" if private and len(epsilons) > 1 else name
        axes.plot(t, mean, label=label, **look)
        axes.fill_between(t, low, high, color=look["color"], alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("people, t")
    axes.set_ylabel("regret")
    beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)} if ax is None else {"loc": "upper left"}
    axes.legend(fontsize="small", frameon=False, **beside)
    return axes
