#!/usr/bin/env python3
"""Calibration published against what the authors' own code gave (research/authors_regret.csv).

A cell is one method in one setting. Ours and theirs are compared at the last round by a two-sided
rank test: 30 of our seeds against their 10 or 5, and 70 against their 3. All cells together reject
with chance 1e-3 if every law is the same. Where they have 3 seeds only, the ratio of the medians is
printed, with the share of triples of our own seeds whose median is as far from ours: it is not
judged, because triples of one law miss [0.8, 1.25] up to 17 times in 100.
With --quick 10 seeds are played, too few for ranks to reject anything but ten of theirs."""

import csv
import math
import os
import statistics
from typing import NamedTuple

from measure import ROOT, Row, arguments, finish, last, simulate
from rank_test import rank_test
from research import Table

REFERENCE = os.path.join(ROOT, "research/authors_regret.csv")
LEVEL = 1e-3
LINKS = {"linear": "identity", "logistic": "logit", "poisson": "log"}
PARAMETERS = {"single": "shared", "multi": "per-arm"}
STEPS = {"Scheme1": "1/t", "Scheme2": "1/sqrt"}


class Setting(NamedTuple):
    scheme: str
    setting: str
    link: str
    dim: int
    arms: int
    delta: float
    horizon: int  # T: they play T + 1 rounds, and so do we


class Cell(NamedTuple):
    setting: Setting
    method: str
    epsilon: float


def read_reference(path=REFERENCE):
    """{cell: [their regret of every seed]}."""
    cells = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            setting = Setting(row["scheme"], row["setting"], row["link"], int(row["d"]),
                              int(row["K"]), float(row["delta"]), int(row["T"]))
            cell = Cell(setting, row["method"].lower(), float(row["eps"]))
            cells.setdefault(cell, []).append(float(row["cum_regret"]))
    return cells


def play(sotto, setting, methods, epsilons, seeds, **changes):
    """{cell: [our regret of every seed]}; changes are options of sotto simulate."""
    rounds = setting.horizon + 1
    options = {
        "method": ",".join(methods), "epsilon": ",".join(map(str, epsilons)), "seeds": seeds,
        "calibration": "published", "step": STEPS[setting.scheme],
        "parameters": PARAMETERS[setting.setting], "link": LINKS[setting.link],
        "dim": setting.dim, "arms": setting.arms, "delta": setting.delta,
        "allow_weak_delta": True, "horizon": rounds, "checkpoints": rounds, "quiet": True}
    points = last(simulate(sotto, **{**options, **changes}))
    return {Cell(setting, method, epsilon): regret
            for (method, epsilon), regret in points.items()}


def seeds_against(theirs):
    """Of ours: 30, but 70 against three. Below 65, no order of three among them has a p as small as
    1e-3/24: the test could not reject."""
    return 70 if len(theirs) == 3 else 30


def play_all(sotto, cells, seeds=None):
    """Ours for every cell; cells of one setting have all methods at all epsilons."""
    ours = {}
    for setting in dict.fromkeys(cell.setting for cell in cells):
        here = [cell for cell in cells if cell.setting == setting]
        ours.update(play(sotto, setting, sorted({cell.method for cell in here}),
                         sorted({cell.epsilon for cell in here}),
                         seeds or seeds_against(cells[here[0]])))
    return ours


def median_share(ours, theirs):
    """Of all triples of our seeds: the share whose median is as far out as their median, on the
    side of ours where that lies. With k of our n values there, C(k,3) + C(k,2) (n-k) of C(n,3)."""
    middle = statistics.median(theirs)
    low = middle < statistics.median(ours)
    n, k = len(ours), sum(value <= middle if low else value >= middle for value in ours)
    return (math.comb(k, 3) + math.comb(k, 2) * (n - k)) / math.comb(n, 3)


def miss_share(ours):
    """Of all triples of our seeds: the share whose median is outside of [0.8, 1.25] of ours."""
    low, high = (factor * statistics.median(ours) for factor in (0.8, 1.25))
    n, below, above = len(ours), sum(v < low for v in ours), sum(v > high for v in ours)
    return sum(math.comb(k, 3) + math.comb(k, 2) * (n - k)
               for k in (below, above)) / math.comb(n, 3)


def name_of(cell):
    where = cell.setting
    return (f"{PARAMETERS[where.setting]} {LINKS[where.link]} d={where.dim} K={where.arms} "
            f"eps={cell.epsilon:g} {cell.method}")


def spread(values):
    return f"{statistics.median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f})"


def judge(cell, ours, theirs, threshold):
    p = rank_test(ours, theirs)
    got = f"p = {p:.2g}"
    if len(theirs) == 3:
        ratio = statistics.median(ours) / statistics.median(theirs)
        got += (f", median {ratio:.2f} of theirs; {100 * median_share(ours, theirs):.2g} % of "
                f"triples of ours are as far, {100 * miss_share(ours):.2g} % miss [0.8, 1.25]")
    return Row(name_of(cell), f"p >= {threshold:.2g}", got, p >= threshold)


def compare(ours, theirs):
    """A row for every cell of theirs."""
    threshold = LEVEL / len(theirs)
    return [judge(cell, ours[cell], theirs[cell], threshold) for cell in theirs]


def main():
    args = arguments(__doc__)
    theirs = read_reference()
    ours = play_all(args.sotto, theirs, 10 if args.quick else None)
    print(f"{'cell':43}  {'ours: median (range)':26}  {'theirs: median (range)':26}  seeds")
    table = Table(args, "agreement", ("cell", "ours", "theirs", "seeds", "p", "remark"), shown=False)
    rows = compare(ours, theirs)
    for cell, row in zip(theirs, rows):
        seeds = f"{len(ours[cell])}, {len(theirs[cell])}"
        print(f"{name_of(cell):43}  {spread(ours[cell]):26}  {spread(theirs[cell]):26}  {seeds}")
        p, _, remark = row.got.removeprefix("p = ").partition(", ")
        table.row(name_of(cell), spread(ours[cell]), spread(theirs[cell]), seeds, p, remark)
    table.close()
    finish(args, rows)


if __name__ == "__main__":
    main()
