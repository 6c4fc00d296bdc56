#!/usr/bin/env python3
"""The alarm harm: how often it is false, after how many people it fires, what liars can trigger, and what a fallback
saves in the lab."""

import os
import subprocess
import sys

from measure import ROOT, Row, arguments, around, finish, last, mean, simulate
from research import Table

SHARE = 0.1
# Uplift, epsilon, people that SPEC section 15 names.
ALARMS = ((-0.3, 1, 12000), (-0.3, 2, 6000), (-0.1, 1, 77000), (-0.1, 2, 35000))
# Runs with uplift 0, measure rounds of each, measure rounds between two looks at the alarm.
NULLS = ((40000, 10**5, 16), (8000, 10**6, 16), (8000, 10**6, 64), (8000, 10**6, 512))
# The policy is worth 0.2 of the range more than random arms. Liars, people per epoch, how they lie.
LIARS_UPLIFT, LIARS_PEOPLE = 0.2, 200000
LIARS = tuple((part, epoch, how) for part in (0.01, 0.02, 0.05) for epoch in (1000, 10000)
              for how in ("plain", "follow", "both"))
# A world that turns by pi and more before the next model comes: the policy is always late, and wrong.
TURNING = {"dim": 2, "arms": 5, "epsilon": 2, "horizon": "1e5", "environment": "drift", "drift": 0.001, "epoch": 2000,
           "measure": SHARE}


def run(args, *words):
    line = [args.runs] + [str(word) for word in words]
    result = subprocess.run(line, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit("failed: " + " ".join(line))
    return [[int(word) for word in text.split()] for text in result.stdout.splitlines()]


def median(values):
    return sorted(values)[len(values) // 2]


def false_alarms(args):
    """At most one experiment in 1,000 may have one, ever, however often it is looked at."""
    rows = []
    table = Table(args, "harm_false", ("runs", "measure rounds", "rounds between looks", "runs with a false alarm"))
    for runs, rounds, look in NULLS:
        runs = runs // 16 if args.quick else runs
        fired = run(args, "null", 2, runs, rounds, look)[0][0]
        table.row(f"{runs:,}", f"{rounds:,}", look, fired)
        rows.append(Row(f"false alarms in {runs:,} runs of {rounds:,}, look {look}", f"at most {runs // 1000}", str(fired),
                        fired <= runs // 1000))
    table.close()
    return rows


def times(args):
    rows, runs = [], 101 if args.quick else 2001
    table = Table(args, "harm", ("uplift", "epsilon", "median", "a tenth of the runs by", "nine tenths by"))
    for uplift, epsilon, wanted in ALARMS:
        people = sorted(at or 10**9 for at, in run(args, "alarm", epsilon, SHARE, uplift, runs, 10**6))
        middle = median(people)
        table.row(uplift, epsilon, f"{middle:,}", f"{people[runs // 10]:,}", f"{people[9 * runs // 10]:,}")
        rows.append(Row(f"median people, uplift {uplift}, epsilon {epsilon}", f"about {wanted:,}", f"{middle:,}",
                        0.75 * wanted <= middle <= 1.25 * wanted))
    table.close()
    return rows


def liars(args):
    runs = 5 if args.quick else 21
    print(f"\nHonest uplift {LIARS_UPLIFT}, epsilon 1, {LIARS_PEOPLE:,} people:\n")
    table = Table(args, "harm_liars", ("liars", "people per epoch", "role", "runs with harm, median people",
                                       "runs with the fallback, median people", "epochs with an alarm"))
    for part, epoch, how in LIARS:
        found = run(args, "liars", 1, SHARE, LIARS_UPLIFT, runs, LIARS_PEOPLE, part, how, epoch)
        harm, served = ([row[i] for row in found if row[i] > 0] for i in (0, 1))
        alarmed = mean([row[2] / row[3] for row in found])
        both = (f"{len(at)} of {runs}, {median(at):,}" if at else "none" for at in (harm, served))
        table.row(f"{100 * part:g} %", f"{epoch:,}", how, *both, f"{100 * alarmed:.0f} %")
    table.close()


def fallback(args):
    seeds, regret = 2 if args.quick else 10, {}
    print("\n| policy | regret |\n|---|---|")
    for name in ("none", "random", "0"):
        points = simulate(args.sotto, method="sotto,random", **TURNING, fallback=name, seeds=seeds, checkpoints=1, quiet=True)
        values = {method: of for (method, _), of in last(points).items()}
        regret[name] = values["sotto"]
        print(f"| sotto, fallback {name} | {around(values['sotto'])} |", flush=True)
    print(f"| random arms | {around(values['random'])} |")
    ratio = mean(regret["random"]) / mean(values["random"])
    return Row("regret with fallback random / random arms", "below 1.15", f"{ratio:.3f}", ratio < 1.15)


def main():
    args = arguments(__doc__, runs="the program harm_runs, default build/dev/tests/system/harm_runs")
    args.runs = args.runs or os.path.join(ROOT, "build/dev/tests/system/harm_runs")
    rows = [*false_alarms(args), *times(args)]
    liars(args)
    rows.append(fallback(args))
    finish(args, rows)


main()
