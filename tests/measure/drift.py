#!/usr/bin/env python3
"""Regret in a world that turns by 1 radian in 30,000 rounds, against the window W of reports that
the server remembers; and what such a window costs in a world that stands still. With --quick only
d = 2 is played, but as long: a window shorter than the run is what is measured."""

from measure import PER_ARM, SHARED_2, SHARED_20, Row, arguments, around, finish, mean, regrets, standard_error
from research import Table

TURNING = {"environment": "drift"}
COLUMNS = {
    "drift, W none": TURNING,
    "W 30000": {**TURNING, "window": 30000},
    "W 10000": {**TURNING, "window": 10000},
    "W 3000": {**TURNING, "window": 3000},
    "W 10000, epoch auto": {**TURNING, "window": 10000, "epoch": "auto"},
    "still, W none": {},
    "still, W 30000": {"window": 30000},
}
LOGIT_20 = {"dim": 20, "arms": 20, "link": "logit"}
# Setting, epsilon, seeds. The last two have the tracked estimator, the others the averaged one.
SETTINGS = (
    (SHARED_2, 1, 20), (SHARED_2, 5, 20), (SHARED_20, 1, 10), (SHARED_20, 5, 5),
    (LOGIT_20, 1, 5), (LOGIT_20, 5, 5), (PER_ARM, 1, 5), (PER_ARM, 5, 5),
)


def judge(name, still, remembering):
    """The window costs at most 17 %, or the seeds do not tell (three standard errors, paired)."""
    cost = mean(remembering) / mean(still) - 1
    difference = [a - 1.17 * b for a, b in zip(remembering, still)]
    off = mean(difference) / standard_error(difference)
    return Row(f"{name}: cost of W = 30000 where nothing turns", "<= 17 %, or 3 se",
               f"{100 * cost:.1f} %, {off:+.1f} se", cost <= 0.17 or off <= 3)


def main():
    args = arguments(__doc__)
    rows, table = [], Table(args, "drift", ["setting", "epsilon", *COLUMNS])
    for scene, epsilon, seeds in SETTINGS[:2] if args.quick else SETTINGS:
        of = ", ".join([scene.get("parameters", "shared"), scene.get("link", "identity"),
                        f"d={scene['dim']}, K={scene['arms']}"])
        found = {column: regrets(args, "sotto", epsilon, horizon="1e5", seeds=3 if args.quick else seeds, **scene, **options)
                 for column, options in COLUMNS.items()}
        table.row(of, epsilon, *map(around, found.values()))
        name = f"{of}, epsilon {epsilon}"
        rows.append(judge(name, found["still, W none"], found["still, W 30000"]))
        if scene in (SHARED_2, SHARED_20) and epsilon == 5:
            gain = mean(found["drift, W none"]) / mean(found["W 10000"])
            rows.append(Row(f"{name}: drift without W over W = 10000", "> 1",
                            f"{gain:.3g}", gain > 1))
    table.close()
    finish(args, rows)


if __name__ == "__main__":
    main()
