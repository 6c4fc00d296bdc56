#!/usr/bin/env python3
"""The scoreboard of all methods and rivals, and rivals beside the numbers printed in their papers."""

import csv
import os
import subprocess
import sys
import tempfile

from measure import Row, arguments, around, finish, last, mean, simulate
from research import Table

# Regret of Private-GLM in the authors' tables (regret_output_table_logistic.txt and _probit.txt of their
# repository): 5 features in the unit ball, 20 arms, delta 0.02, means of 10 runs.
PRINTED = {
    ("logit", 3, 15000): {4: 487.33, 6: 315.71, 8: 318.30},
    ("logit", 4, 15000): {4: 516.00, 6: 331.58, 8: 321.92},
}


def play_board(args):
    with tempfile.TemporaryDirectory() as directory:
        line = [args.sotto, "compare", "--out", directory, "--quiet", "--threads", "2"]
        line += ["--horizon", "2000", "--seeds", "3"] if args.quick else []
        if subprocess.run(line, stdout=subprocess.DEVNULL).returncode != 0:
            sys.exit("failed: " + " ".join(line))
        with open(os.path.join(directory, "scoreboard.csv"), encoding="utf-8") as file:
            text = file.read()
    rows = list(csv.DictReader(text.splitlines()))
    table = Table(args, "scoreboard", rows[0], shown=False)
    for row in rows:
        table.row(*row.values())
    table.close()
    return rows


def judged(rows):
    """sotto beside the rivals that promise as much."""
    regret = {(row["world"], row["method"]): float(row["regret_or_reward"]) for row in rows}
    ours, others = 0, []
    worlds = [world for world, method in regret if method == "sotto"]
    for world in worlds:
        local = [row["method"] for row in rows if row["world"] == world and row["promise"].startswith("local") and
                 row["method"] not in ("sotto", "best-arm")]
        if all(regret[world, "sotto"] <= regret[world, method] for method in local):
            ours += 1
        else:
            others.append(world)
    return Row("sotto first of the local methods", f"{len(worlds)} worlds", f"{ours} worlds, not in {others}", True)


def printed(args, table):
    for (link, length, people), wanted in PRINTED.items():
        got = last(simulate(args.sotto, method="joint-glm", link=link, environment="ball", theta_norm=length,
                            theta_norm_max=length, dim=5, arms=20, delta=0.02, allow_weak_delta=True,
                            epsilon=",".join(map(str, wanted)), horizon=people, seeds=5 if args.quick else 20,
                            threads=2, quiet=True))
        for epsilon, theirs in wanted.items():
            ours = got["joint-glm", float(epsilon)]
            table.row(link, length, people, epsilon, theirs, around(ours), f"{mean(ours) / theirs:.2f}")


def main():
    args = arguments(__doc__)
    table = Table(args, "rivals", ("link", "theta norm", "people", "epsilon", "printed", "joint-glm", "over printed"))
    printed(args, table)
    table.close()
    finish(args, [judged(play_board(args))])


if __name__ == "__main__":
    main()
