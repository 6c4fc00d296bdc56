#!/usr/bin/env python3
"""Measure rounds as sotto plan predicts them and as they are played: regret, and after how many people
an uplift is told from 0."""

import csv
import io
import json
import subprocess
import sys

from measure import Row, arguments, around, command, finish, last, mean, rounded, simulate
from research import Table

SCENES = ({"dim": 5, "arms": 4}, {"dim": 10, "arms": 5, "link": "logit"}, {"dim": 10, "arms": 3, "parameters": "per-arm"})
SHARE = 0.1
TIMES = (0.5, 1, 2)


def run(line):
    result = subprocess.run(line, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit("failed: " + " ".join(line))
    return result.stdout


def planned(args, scene, epsilon, horizon):
    words = dict(scene, epsilon=epsilon, measure=SHARE, horizon=horizon, json=True)
    return json.loads(run(command(args.sotto, "plan", words)))["plans"][0]["measuring"]


def told(args, scene, epsilon, people, seeds):
    """In how many of the runs the interval of the uplift lies above 0, and in how many it misses the truth."""
    words = dict(scene, method="sotto", epsilon=epsilon, measure=SHARE, horizon=people, seeds=seeds, epoch="auto",
                 measured=True, csv=True, quiet=True)
    rows = list(csv.DictReader(io.StringIO(run(command(args.sotto, "simulate", words)))))
    uplifts = [row for row in rows if row["what"] == "uplift"]
    missed = sum(not float(row["lo"]) <= float(row["truth"]) <= float(row["hi"]) for row in uplifts)
    return sum(float(row["lo"]) > 0 for row in uplifts), missed


def name(scene):
    return f"{scene.get('parameters', 'shared')}, {scene.get('link', 'identity')}, d={scene['dim']}, K={scene['arms']}"


def main():
    args = arguments(__doc__)
    seeds, horizon = (8, 20000) if args.quick else (40, 100000)
    rows, all_missed, all_runs = [], 0, 0
    table = Table(args, "uplift", ("setting", "epsilon", "regret, predicted", "played", "uplift", "people, predicted",
                                   "told at 1/2", "at 1", "at 2"))
    for scene in SCENES:
        for epsilon in (1, 4):
            plan = planned(args, scene, epsilon, horizon)
            played = last(simulate(args.sotto, **scene, method="sotto", epsilon=epsilon, measure=SHARE, horizon=horizon,
                                   seeds=4, epoch="auto", checkpoints=1, quiet=True))[("sotto", epsilon)]
            found = [told(args, scene, epsilon, round(times * plan["people"]), seeds) for times in TIMES]
            table.row(name(scene), epsilon, rounded(plan["regret"], 4), around(played), f"{plan['uplift']:.3g}",
                      f"{plan['people']:,}", *(f"{count} of {seeds}" for count, _ in found))
            all_missed += sum(missed for _, missed in found)
            all_runs += len(TIMES) * seeds
            ratio = mean(played) / plan["regret"]
            rows.append(Row(f"{name(scene)}, epsilon {epsilon}: regret over predicted", "0.5 to 2", f"{ratio:.2f}",
                            0.5 <= ratio <= 2))
            few, _, many = (count / seeds for count, _ in found)
            rows.append(Row(f"{name(scene)}, epsilon {epsilon}: told at 1/2 and at twice the people",
                            "<= 0.4, >= 0.7", f"{few:.2f}, {many:.2f}", few <= 0.4 and many >= 0.7))
    rows.append(Row(f"intervals of {all_runs} runs without the truth", "<= 0.05", f"{all_missed / all_runs:.3f}",
                    all_missed <= 0.05 * all_runs))
    table.close()
    finish(args, rows)


if __name__ == "__main__":
    main()
