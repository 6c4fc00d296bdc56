#!/usr/bin/env python3
"""The scoreboard of all methods and rivals, and rivals beside the numbers printed in their papers."""

import csv
import os
import subprocess
import sys
import tempfile

from measure import Row, arguments, around, finish, last, mean, simulate
from research import Table

# Regret of Private-GLM as the last cell of simulations_extra_probit.ipynb prints it in the authors' repository, commit
# d9c93e1, which corrected their binary tree: the table of section 8 of the paper. (link, features in the unit ball, arms,
# theta norm, people) and, for each epsilon at delta 0.02, the regret of one run.
PRINTED = {
    ("probit", 3, 20, 2.0, 5000): {4: 674.17, 6: 516.58, 8: 425.53},
    ("probit", 3, 20, 2.5, 5000): {4: 721.26, 6: 546.97, 8: 445.27},
    ("probit", 3, 20, 3.0, 5000): {4: 744.35, 6: 559.04, 8: 452.60},
}
FACTOR = 1.5  # at most, either way

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
    wanted = f"{len(worlds)} of {len(worlds)} worlds"
    got = f"{ours} worlds" + (", not in " + ", ".join(others) if others else "")
    return Row("sotto first of the local methods", wanted, got, not others)


def joint(args, key, calibration, epsilons):
    link, dim, arms, length, people = key
    return last(simulate(args.sotto, method="joint-glm", calibration=calibration, link=link, environment="ball",
                         theta_norm=length, theta_norm_max=length, dim=dim, arms=arms, delta=0.02,
                         allow_weak_delta=True, epsilon=",".join(map(str, epsilons)), horizon=people,
                         seeds=5 if args.quick else 20, threads=2, quiet=True))


def printed(args, table):
    """joint-glm with the lambda of its paper, and with its own, beside what the authors print."""
    ratios = []
    for key, wanted in PRINTED.items():
        paper, exact = (joint(args, key, calibration, wanted) for calibration in ("paper", "exact"))
        for epsilon, theirs in wanted.items():
            cells = []
            for got in (paper, exact):
                ours = got["joint-glm", float(epsilon)]
                cells += [around(ours), f"{mean(ours) / theirs:.2f}"]
            ratios.append(mean(paper["joint-glm", float(epsilon)]) / theirs)
            table.row(*key, epsilon, f"{theirs:.2f}", *cells)
    return Row("joint-glm over its authors' printed regret", f"{1 / FACTOR:.2f} to {FACTOR}",
               f"{min(ratios):.2f} to {max(ratios):.2f}",
               1 / FACTOR <= min(ratios) and max(ratios) <= FACTOR)


def main():
    args = arguments(__doc__)
    table = Table(args, "rivals", ("link", "dim", "arms", "theta norm", "people", "epsilon", "printed", "paper lambda",
                                   "over printed", "own lambda", "own over printed"))
    rows = [printed(args, table)]
    table.close()
    finish(args, rows + [judged(play_board(args))])


if __name__ == "__main__":
    main()
