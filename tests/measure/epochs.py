#!/usr/bin/env python3
"""Regret against the size of epochs and the lag of reports, in two tables.

rule: every report a model of its own, the rule of the server, lags, and plain geometric growth, which
no server has. A rule is as good as publishing after every report if its mean regret is at most 1.25
times that, or if the seeds do not tell them apart (three standard errors of the paired difference).

large: the rule beside fixed sizes, for every method. The people of the first epoch meet random arms,
so a size n should cost what the rule costs and n/T of the regret of random arms: at most 1.25 times
that, or three standard errors more. ldp-ucb is shown and not judged: it explores by turns in long
epochs (research/epochs.md)."""

import math

from measure import PER_ARM, SHARED_2, SHARED_20, Row, arguments, around, finish, last, mean, regrets, simulate, standard_error
from research import Table

COLUMNS = {
    "1": {},
    "auto": {"epoch": "auto"},
    "auto, lag 2": {"epoch": "auto", "lag": 2},
    "auto, lag 8": {"epoch": "auto", "lag": 8},
    "10": {"epoch": 10},
    "growth 0.5": {"epoch": "growth:0.5"},
}
JUDGED = ("1", "auto", "auto, lag 2")
# Method, what it plays, epsilon, seeds. At d = 2 and epsilon 1 a few seeds make most of the regret.
SETTINGS = (
    ("sotto", SHARED_2, 1, 100), ("sotto", SHARED_2, 5, 10),
    ("sotto", SHARED_20, 1, 20), ("sotto", SHARED_20, 5, 10),
    ("sotto", PER_ARM, 1, 10), ("sotto", PER_ARM, 5, 5),
    ("ldp-sgd", SHARED_20, 1, 10), ("ldp-sgd", SHARED_20, 5, 10),
)
UNJUDGED_SEEDS = 5
SIZES = ("auto", 100, 1000, 10000)
PAPER = "ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc"
# Methods, what they play, seeds; epsilon 1 and 5.
LARGE = (
    (f"sotto,sotto-ols,{PAPER}", SHARED_2, 5),
    ("sotto", {**SHARED_2, "score": "self"}, 3),
    ("sotto", {**SHARED_2, "link": "logit"}, 3),
    (f"sotto,{PAPER}", {"dim": 5, "arms": 3, "parameters": "per-arm"}, 3),
    ("sotto", {"dim": 5, "arms": 3, "parameters": "per-arm", "score": "self"}, 3),
    ("sotto,ldp-sgd", SHARED_20, 10),
    ("sotto", {**SHARED_20, "link": "logit"}, 2),
)


def of_column(args, method, scene, epsilon, seeds, column):
    if column not in JUDGED:
        seeds = min(seeds, UNJUDGED_SEEDS)
    return regrets(args, method, epsilon, horizon="1e4" if args.quick else "1e5", seeds=3 if args.quick else seeds, **scene,
                   **COLUMNS[column])


def judge(name, column, plain, other):
    """As good as publishing after every report?"""
    ratio = mean(other) / mean(plain)
    difference = [a - b for a, b in zip(other, plain)]
    off = mean(difference) / standard_error(difference)
    return Row(f"{name}: epoch {column} over 1", "<= 1.25, or 3 se", f"{ratio:.2f}, {off:+.1f} se",
               ratio <= 1.25 or off <= 3)


def named(scene):
    of = f"{scene.get('parameters', 'shared')}, d={scene['dim']}, K={scene['arms']}"
    more = [scene[key] for key in ("link", "score") if key in scene]
    return ", ".join([of, *more])


def rule_table(args):
    rows, table = [], Table(args, "epochs_rule", ["method", "setting", "epsilon", *COLUMNS])
    for method, scene, epsilon, seeds in SETTINGS:
        name = f"{method}, {named(scene)}, epsilon {epsilon}"
        found = {column: of_column(args, method, scene, epsilon, seeds, column) for column in COLUMNS}
        table.row(method, named(scene), epsilon, *map(around, found.values()))
        rows += [judge(name, column, found["1"], found[column]) for column in JUDGED[1:]]
    table.close()
    return rows


def judge_size(name, size, auto, large, allowed):
    """What the rule costs, and the first epoch at random arms?"""
    most = mean(auto) + allowed
    error = math.hypot(standard_error(auto), standard_error(large))
    return Row(f"{name}: epoch {size}", f"<= 1.25 x {most:.4g}, or 3 se", around(large),
               mean(large) <= 1.25 * most or mean(large) <= most + 3 * error)


def large_table(args):
    rows, horizon = [], 20000 if args.quick else 200000
    table = Table(args, "epochs_large", ["method", "setting", "epsilon", "random", *map(str, SIZES)])
    for methods, scene, seeds in LARGE:
        options = {**scene, "horizon": horizon, "seeds": 2 if args.quick else seeds,
                   "threads": args.threads, "quiet": True, "checkpoints": 1}
        world = {key: value for key, value in options.items() if key != "score"}
        chance = mean(last(simulate(args.sotto, method="random", **world))[("random", 1)])
        found = {size: last(simulate(args.sotto, method=methods, epsilon="1,5", epoch=size, **options))
                 for size in SIZES}
        for method, epsilon in found["auto"]:
            values = {size: found[size][(method, epsilon)] for size in SIZES}
            table.row(method, named(scene), f"{epsilon:g}", f"{chance:,.0f}", *(around(values[size]) for size in SIZES))
            if method == "ldp-ucb":
                continue
            rows += [judge_size(f"{method}, {named(scene)}, epsilon {epsilon:g}", size, values["auto"],
                                values[size], min(size / horizon, 1) * chance) for size in SIZES[1:]]
    table.close()
    return rows


def main():
    args = arguments(__doc__, table="rule or large; without it both", threads="of a simulation")
    rows = []
    if args.table in (None, "rule"):
        rows += rule_table(args)
        print()
    if args.table in (None, "large"):
        rows += large_table(args)
    finish(args, rows)


if __name__ == "__main__":
    main()
