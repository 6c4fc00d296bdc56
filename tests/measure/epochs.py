#!/usr/bin/env python3
"""Regret against the size of epochs and the lag of reports: every report a model of its own, the
rule of the server, fixed sizes, and plain geometric growth, which no server has and which fails.

A rule is as good as publishing after every report if its mean regret is at most 1.25 times that, or
if the seeds do not tell them apart (three standard errors of the paired difference)."""

from measure import Row, arguments, around, finish, last, mean, simulate, standard_error

COLUMNS = {
    "1": {},
    "auto": {"epoch": "auto"},
    "auto, lag 2": {"epoch": "auto", "lag": 2},
    "auto, lag 8": {"epoch": "auto", "lag": 8},
    "10": {"epoch": 10},
    "100": {"epoch": 100},
    "1000": {"epoch": 1000},
    "growth 0.5": {"epoch": "growth:0.5"},
}
JUDGED = ("1", "auto", "auto, lag 2")
# Method, what it plays, epsilon, seeds. At d = 2 and epsilon 1 a few seeds make most of the regret.
SHARED_2 = {"dim": 2, "arms": 10}
SHARED_20 = {"dim": 20, "arms": 20}
PER_ARM = {"dim": 20, "arms": 3, "parameters": "per-arm"}
SETTINGS = (
    ("sotto", SHARED_2, 1, 100), ("sotto", SHARED_2, 5, 10),
    ("sotto", SHARED_20, 1, 20), ("sotto", SHARED_20, 5, 10),
    ("sotto", PER_ARM, 1, 10), ("sotto", PER_ARM, 5, 5),
    ("ldp-sgd", SHARED_20, 1, 10), ("ldp-sgd", SHARED_20, 5, 10),
)
UNJUDGED_SEEDS = 5


def regrets(args, method, scene, epsilon, seeds, column):
    if column not in JUDGED:
        seeds = min(seeds, UNJUDGED_SEEDS)
    points = simulate(args.sotto, method=method, epsilon=epsilon, quiet=True, checkpoints=1,
                      horizon="1e4" if args.quick else "1e5", seeds=3 if args.quick else seeds,
                      **scene, **COLUMNS[column])
    return last(points)[(method, epsilon)]


def judge(name, column, plain, other):
    """As good as publishing after every report?"""
    ratio = mean(other) / mean(plain)
    difference = [a - b for a, b in zip(other, plain)]
    off = mean(difference) / standard_error(difference)
    return Row(f"{name}: epoch {column} over 1", "<= 1.25, or 3 se", f"{ratio:.2f}, {off:+.1f} se",
               ratio <= 1.25 or off <= 3)


def main():
    args = arguments(__doc__)
    rows = []
    print("| method | setting | epsilon | " + " | ".join(COLUMNS) + " |")
    print("|---" * (3 + len(COLUMNS)) + "|")
    for method, scene, epsilon, seeds in SETTINGS:
        of = f"{scene.get('parameters', 'shared')}, d={scene['dim']}, K={scene['arms']}"
        name = f"{method}, {of}, epsilon {epsilon}"
        found = {column: regrets(args, method, scene, epsilon, seeds, column) for column in COLUMNS}
        cells = [around(values) for values in found.values()]
        print(f"| {method} | {of} | {epsilon} | " + " | ".join(cells) + " |", flush=True)
        rows += [judge(name, column, found["1"], found[column]) for column in JUDGED[1:]]
        # Growth needs rounds until its epochs are too long: ten thousand do at d = 2 alone.
        long_enough = (SHARED_2,) if args.quick else (SHARED_2, SHARED_20)
        if method == "sotto" and epsilon == 5 and scene in long_enough:
            grown = mean(found["growth 0.5"]) / mean(found["1"])
            rows.append(Row(f"{name}: growth 0.5 over 1", ">= 10", f"{grown:.3g}", grown >= 10))
    finish(args, rows)


if __name__ == "__main__":
    main()
