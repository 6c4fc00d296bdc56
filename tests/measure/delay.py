#!/usr/bin/env python3
"""Regret and rebounds when every report is L epochs of n reports late.

The unavoidable part is the regret of (L + 1) n people at random arms, who come before the first model. A rebound is how
far a block of 1,000 people loses more than the best block before it, as shares of what random arms lose; blocks
among the unavoidable part do not count. The first models rest on n reports each and differ by chance; `later` counts
rebounds after twice as many people only. The last column plays the same people with a model after every report: a
setting that rebounds there as well wanders because its estimate is still noisy, and not because of delay.

With `--table plan`: what `sotto plan --delay` predicts, beside what `sotto simulate --delay` plays."""

import csv
import json
import subprocess

from measure import Row, arguments, command, finish, last, mean, simulate

BLOCK, HORIZON = 1000, 30000
BINARY = {"reward_kind": "binary"}
PER_ARM = {"parameters": "per-arm"}
KINDS = {
    "sign": {},
    "sign, short": {"theta_norm": 0.3},
    "self": BINARY,
    "logit": {"link": "logit"},
    "counts": {"link": "log"},
    "per-arm sign": PER_ARM,
    "per-arm self": {**PER_ARM, **BINARY},
}
SIZES = ((2, 10), (5, 10), (20, 20))
PER_ARM_SIZES = ((2, 3), (5, 3), (20, 3))
EPSILONS = (1, 2, 5)
DELAYS = ((100, 8), (700, 4), (2000, 4))
REBOUND_MAX = 0.1
COLUMNS = ("kind", "d, K", "epsilon", "n x L", "regret", "unavoidable", "over it", "worst rebound", "seeds above 0.1",
           "later", "without delay")
CLOCKS = ("0,8,700", "10,0,100", "60,30,10", "0,4,1000", "3600,600,1")  # window, spread, people per second


def rebound(shares):
    """How far a share is above the lowest one before it, at most."""
    worst, best = 0, float("inf")
    for share in shares:
        worst = max(worst, share - best)
        best = min(best, share)
    return worst


def play(args, method, epsilon, seeds, **options):
    """[regret of every block] of each seed."""
    blocks = ",".join(str(t) for t in range(BLOCK, HORIZON + 1, BLOCK))
    points = simulate(args.sotto, method=method, epsilon=epsilon, seeds=seeds, horizon=HORIZON, checkpoints=blocks,
                      quiet=True, **options)[(method, epsilon)]
    totals = list(zip(*(points[t] for t in sorted(points))))
    return [[b - a for a, b in zip((0, *total), total)] for total in totals]


def rebounds(runs, random_block, first):
    """The rebound of each seed, over the blocks that begin after so many people."""
    kept = -(-first // BLOCK)
    return [rebound([regret / random_block for regret in run[kept:]]) for run in runs]


def plans(args):
    """The mean of what is played over what is predicted is between 0.5 and 2."""
    rows = []
    print("| d, K | epsilon | window, spread, rate | predicted | played | played/predicted |")
    print("|---|---|---|---:|---:|---:|")
    for dim, arms in SIZES:
        for epsilon in (1, 2):
            for clock in CLOCKS:
                scene = {"dim": dim, "arms": arms, "epsilon": epsilon, "delay": clock, "horizon": 100000}
                line = command(args.sotto, "plan", {**scene, "json": True})
                answer = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
                predicted = answer["plans"][0]["regret"]
                played = mean(last(simulate(args.sotto, method="sotto", seeds=2 if args.quick else 8, epoch="auto",
                                            checkpoints=1, quiet=True, **scene))[("sotto", epsilon)])
                ratio = played / predicted
                print(f"| {dim}, {arms} | {epsilon} | {clock} | {predicted:,.0f} | {played:,.0f} | {ratio:.2f} |",
                      flush=True)
                rows.append(Row(f"d = {dim}, epsilon {epsilon}, delay {clock}: played over predicted", "0.5 to 2",
                                f"{ratio:.2f}", 0.5 <= ratio <= 2))
    return rows


def table(args):
    seeds, rows = 4 if args.quick else 20, []
    cells = []
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for kind, scene in KINDS.items():
        if args.kind not in (None, kind):
            continue
        for dim, arms in (PER_ARM_SIZES if "parameters" in scene else SIZES):
            world = {**scene, "dim": dim, "arms": arms}
            random_block = mean([mean(run) for run in play(args, "random", 1, 4, **world)])
            for epsilon in EPSILONS:
                prompt = rebounds(play(args, "sotto", epsilon, seeds, **world), random_block, BLOCK)
                for n, lag in DELAYS:
                    first = (lag + 1) * n
                    runs = play(args, "sotto", epsilon, seeds, epoch=n, lag=lag, **world)
                    found = rebounds(runs, random_block, first)
                    regret, least = mean([sum(run) for run in runs]), first * random_block / BLOCK
                    worst, above = max(found), sum(value > REBOUND_MAX for value in found)
                    later = max(rebounds(runs, random_block, 2 * first))
                    cells.append((kind, f"{dim}, {arms}", epsilon, f"{n} x {lag}", f"{regret:.0f}", f"{least:.0f}",
                                  f"{regret / least:.2f}", f"{worst:.3f}", f"{above} of {seeds}", f"{later:.3f}",
                                  f"{max(prompt):.3f}"))
                    print("| " + " | ".join(str(cell) for cell in cells[-1]) + " |", flush=True)
                    wanted = max(REBOUND_MAX, max(prompt))
                    rows.append(Row(f"{kind}, d = {dim}, epsilon {epsilon}, {n} x {lag}: later rebound",
                                    f"<= {wanted:.3f}", f"{later:.3f}", later <= wanted))
    if args.csv:
        with open(args.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *cells])
    return rows


def main():
    args = arguments(__doc__, kind="one of " + ", ".join(KINDS) + "; default all", table="plan; default rebounds",
                     csv="FILE for the table of rebounds")
    finish(args, plans(args) if args.table == "plan" else table(args))


if __name__ == "__main__":
    main()
