#!/usr/bin/env python3
"""Regret and rebounds when every report is L epochs of n reports late.

The unavoidable part is the regret of (L + 1) n people at random arms, who come before the first model. A rebound is how
far a block of 1,000 people loses more than the best block before it, as shares of what random arms lose; blocks
among the unavoidable part do not count. The first models rest on n reports each and differ by chance; `later` counts
rebounds after twice as many people only. The last column plays the same people with a model after every report: a
setting that rebounds there as well wanders because its estimate is still noisy, and not because of delay.

With `--table cause`: why a cell of research/delay.csv rebounds by more than 0.1. Its mean rebound over 40 seeds stands beside
that of the same epochs without delay, counted after as many reports: 2 n of them where the cell is above both 0.1 and the worst
without delay later as well, and n otherwise. Noise moves every run at another time; a swing moves all of them together,
so that the mean of their curves rebounds too. Cells that are not noise are also played without the cause of their kind's
rebounds (CONTROLS): short parameters with a theta_norm_max of their own length, and shared and per-arm `self` with rewards
from -1 to 1.

With `--table mean`: the mean rebound of per-arm scores `self` over 40 seeds, with and without delay: the worst of 20 is a
matter of chance there. With `--table plan`: what `sotto plan --delay` predicts, beside what `sotto simulate --delay` plays."""

import json
import os
import statistics
import subprocess

from measure import ROOT, Row, arguments, command, finish, last, mean, simulate, standard_error
from research import Table
from tables import read

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
FLAT, ERRORS_MAX = 0.02, 2  # a mean curve that rebounds by no more, and delay that adds no more, is noise
# The same without the cause of a kind's rebounds. Under 0/1 rewards a mean x.theta below 0 is cut, so that reports of random
# arms, on which the first L + 1 models rest, say half as much as those of chosen arms.
CONTROLS = {"sign, short": ("sign, short, known", {"theta_norm": 0.3, "theta_norm_max": 0.3}),
            "self": ("self, -1 to 1", {"score": "self"}),
            "per-arm self": ("per-arm self, -1 to 1", {**PER_ARM, "score": "self"})}
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


def play(args, method, epsilon, seeds, horizon=HORIZON, **options):
    """[regret of every block] of each seed."""
    blocks = ",".join(str(t) for t in range(BLOCK, horizon + 1, BLOCK))
    points = simulate(args.sotto, method=method, epsilon=epsilon, seeds=seeds, horizon=horizon, checkpoints=blocks,
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


def means(args):
    """The mean rebound is below 0.1, or delay adds less to it than 3 standard errors."""
    seeds, rows, horizon = 4 if args.quick else 40, [], 15000
    table_of = Table(args, "delay_mean", ("d, K", "epsilon", "n x L", "mean rebound", "worst of the first 20", "worst"))
    for dim, arms, epsilon in ((5, 3, 1), (5, 3, 5), (20, 3, 1), (20, 3, 5)):
        world, found = {**KINDS["per-arm self"], "dim": dim, "arms": arms, "horizon": horizon}, []
        random_block = mean([mean(run) for run in play(args, "random", 1, 2, **world)])
        for n, lag in ((100, 0), (100, 8)):
            values = rebounds(play(args, "sotto", epsilon, seeds, epoch=n, lag=lag, **world), random_block,
                              max(BLOCK, (lag + 1) * n))
            found.append((mean(values), statistics.stdev(values) / seeds**0.5))
            table_of.row(f"{dim}, {arms}", epsilon, f"{n} x {lag}", f"{found[-1][0]:.3f} ± {found[-1][1]:.3f}",
                         f"{max(values[:20]):.3f}", f"{max(values):.3f}")
        (prompt, one), (late, other) = found
        most = max(REBOUND_MAX, prompt + 3 * (one**2 + other**2)**0.5)
        rows.append(Row(f"per-arm self, d = {dim}, epsilon {epsilon}: mean rebound", f"<= {most:.3f}", f"{late:.3f}", late <= most))
    table_of.close()
    return rows


def cells_above(args):
    """(kind, d, K, epsilon, n, lag, models that rebounds are counted after) of the cells of delay.csv."""
    for row in read(os.path.join(ROOT, "research/delay.csv"))[1]:
        if float(row["worst rebound"]) <= REBOUND_MAX or args.kind not in (None, row["kind"]):
            continue
        after = 2 if float(row["later"]) > max(REBOUND_MAX, float(row["without delay"])) else 1
        yield row["kind"], *(int(word) for word in (*row["d, K"].split(", "), row["epsilon"], *row["n x L"].split(" x "))), after


def causes(args):
    """Delay adds no more than ERRORS_MAX standard errors to the mean rebound of the same people, and the mean curve rebounds by less
    than FLAT; or both hold for the kind's control."""
    seeds, rows = 4 if args.quick else 40, []
    table_of = Table(args, "delay_cause", ("kind", "d, K", "epsilon", "n x L", "after", "mean rebound", "not late", "more",
                                           "of the mean curve", "of it, not late"), keys=4)

    def is_noise(kind, scene, dim, arms, epsilon, n, lag, after):
        world = {**scene, "dim": dim, "arms": arms, "horizon": HORIZON // 2 if "parameters" in scene else HORIZON}
        random_block = mean([mean(run) for run in play(args, "random", 1, 4, **world)])
        found, curves = [], []
        for late in (lag, 0):
            runs, first = play(args, "sotto", epsilon, seeds, epoch=n, lag=late, **world), after * (late + 1) * n
            found.append(rebounds(runs, random_block, first))
            curves += rebounds([[mean(block) for block in zip(*runs)]], random_block, first)
        more = [late - prompt for late, prompt in zip(*found)]
        error = standard_error(more)
        table_of.row(kind, f"{dim}, {arms}", epsilon, f"{n} x {lag}", f"{after} n",
                     *(f"{mean(of):.3f} ± {standard_error(of):.3f}" for of in (*found, more)),
                     *(f"{value:.3f}" for value in curves))
        noise = mean(more) <= ERRORS_MAX * error and curves[0] <= FLAT
        name = f"{kind}, d = {dim}, epsilon {epsilon}, {n} x {lag}: more than not late; mean curve"
        return noise, Row(name, f"<= {ERRORS_MAX * error:.3f}; <= {FLAT}", f"{mean(more):+.3f}; {curves[0]:.3f}", noise)

    for kind, *cell in cells_above(args):
        noise, row = is_noise(kind, KINDS[kind], *cell)
        if not noise and kind in CONTROLS:
            noise, row = is_noise(*CONTROLS[kind], *cell)
        rows.append(row)
    table_of.close()
    return rows


def table(args):
    seeds, rows = 4 if args.quick else 20, []
    table_of = Table(args, "delay", COLUMNS, keys=4)
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
                    table_of.row(kind, f"{dim}, {arms}", epsilon, f"{n} x {lag}", f"{regret:.0f}", f"{least:.0f}",
                                 f"{regret / least:.2f}", f"{worst:.3f}", f"{above} of {seeds}", f"{later:.3f}",
                                 f"{max(prompt):.3f}")
                    wanted = max(REBOUND_MAX, max(prompt))
                    rows.append(Row(f"{kind}, d = {dim}, epsilon {epsilon}, {n} x {lag}: later rebound",
                                    f"<= {wanted:.3f}", f"{later:.3f}", later <= wanted))
    table_of.close()
    return rows


def main():
    args = arguments(__doc__, kind="one of " + ", ".join(KINDS) + "; default all", table="cause, mean or plan; default rebounds")
    finish(args, {"plan": plans, "mean": means, "cause": causes}.get(args.table, table)(args))


if __name__ == "__main__":
    main()
