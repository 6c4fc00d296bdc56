#!/usr/bin/env python3
"""What each departure of the authors' code from their paper is worth: regret as published and with
that one thing corrected, all else as published, on the same people and seeds.

Seeds are compared in pairs by the sign test, since single runs decide many a mean."""

import json
import math
import random
import subprocess
from statistics import NormalDist
from typing import NamedTuple

from measure import Row, arguments, command, finish, last, mean, rounded, simulate
from research import Table

FIRST = dict(calibration="published", dim=2, arms=10, delta=0.01)
SECOND = dict(calibration="published", dim=20, arms=20, delta=0.01, step="1/sqrt")
PER_ARM = dict(calibration="published", parameters="per-arm", dim=20, arms=3, delta=0.1)
EXACT_ARMS = dict(calibration="exact", parameters="per-arm", dim=20, arms=3)
SURE = 1e-3  # the chance at which a claimed difference may be luck


class Cell(NamedTuple):
    """One departure where it can be seen: `before` as published, `after` as corrected."""
    departure: str
    setting: str
    method: str
    epsilons: tuple
    before: dict
    after: dict
    seeds: int
    claim: str = ""  # lower or higher: what the correction is claimed to make of regret


def corrected(departure, setting, method, epsilons, scene, seeds, claim="", **more):
    """more: options that go with the correction."""
    return Cell(departure, setting, method, epsilons, scene, dict(scene, correct=departure, **more),
                seeds, claim)


def theory_step(sotto, scene):
    """eta0 of Theorem 3.1 with c' = 1.1."""
    options = {name: scene[name] for name in ("dim", "arms", "link") if name in scene}
    line = command(sotto, "simulate", dict(options, constants=True, json=True))
    return 1.1 * json.loads(subprocess.run(line, check=True, capture_output=True).stdout)["eta0"]


def first_scheme(sotto):
    logit, log = dict(FIRST, link="logit"), dict(FIRST, link="log")
    worlds = (("d=2 K=10", FIRST), ("d=2 K=10 logit", logit), ("d=2 K=10 log", log))
    cells = [
        corrected("regulariser", "d=2 K=10", "ldp-ols", (0.5, 1, 5), FIRST, 100),
        corrected("noise", "d=2 K=10", "ldp-ols", (0.5, 1, 5), FIRST, 100, "lower"),
        corrected("regulariser,noise", "d=2 K=10", "ldp-ols", (0.5, 1, 5), FIRST, 100, "lower"),
        corrected("noise", "d=2 K=10", "ldp-ucb", (0.5, 1, 5), FIRST, 100, "lower"),
    ]
    for name, scene in worlds:
        cells.append(corrected("radius", name, "ldp-sgd", (1, 5), scene, 100))
    for name, scene in worlds[1:]:
        cells.append(corrected("step", name + ", eta0 5", "ldp-sgd", (1, 5), scene, 100, eta0=5))
    for name, scene in worlds:
        eta0 = theory_step(sotto, scene)
        cells.append(corrected("step", f"{name}, eta0 {eta0:.3g}", "ldp-sgd", (1, 5), scene, 100,
                               eta0=eta0))
    for name, scene in worlds:
        cells.append(corrected("bounded", name, "ldp-gloc", (1, 5), scene, 100))
    for method in ("ldp-ols", "ldp-sgd"):
        cells.append(Cell("--noise 0.1", "d=2 K=10", method, (1, 5), FIRST, dict(FIRST, noise=0.1),
                          100))
    return cells


def second_scheme():
    name = "d=20 K=20, 1/sqrt"
    return [
        corrected("noise", name, "ldp-ols", (1, 5), SECOND, 12, "lower"),
        corrected("noise", name, "ldp-ucb", (1, 5), SECOND, 12),
        corrected("shift", name, "ldp-ucb", (1, 5), SECOND, 12),
        corrected("shift,noise", name, "ldp-ucb", (1, 5), SECOND, 12),
        corrected("exploration", name, "ldp-gloc", (1, 5), SECOND, 12),
        corrected("bounded", name, "ldp-gloc", (1, 5), SECOND, 12),
        corrected("bounded,exploration", name, "ldp-gloc", (1, 5), SECOND, 12),
        corrected("radius", name, "ldp-sgd", (1, 5), SECOND, 12),
    ]


def per_arm():
    name, sphere = "per-arm d=20 K=3", dict(PER_ARM, environment="sphere")
    cells = [
        corrected("dimension", name, "ldp-sgd", (1, 5), PER_ARM, 12),
        corrected("rank", name, "ldp-gloc", (1, 5), PER_ARM, 12, "higher"),
    ]
    for method in ("ldp-sgd", "ldp-ols", "ldp-gloc"):
        cells.append(Cell("--environment sphere", name, method, (1, 5), PER_ARM, sphere, 12))
    cells.append(corrected("noise", name + " sphere", "ldp-ols", (1, 5), sphere, 12, "lower"))
    for method in ("ldp-sgd", "ldp-ols"):
        without = dict(EXACT_ARMS, elimination="inf")
        cells.append(Cell("elimination", name + " exact", method, (1, 5), without, EXACT_ARMS, 12))
    return cells


def quick_cells():
    return [corrected("noise", "d=2 K=10", "ldp-ols", (5,), FIRST, 12, "lower"),
            corrected("radius", "d=2 K=10", "ldp-sgd", (5,), FIRST, 12)]


def median(values):
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def sign_test(first, second):
    """(pairs in which the second is lower, pairs that differ, the chance of so uneven a count or
    more if both were equally likely lower), exact."""
    lower = sum(b < a for a, b in zip(first, second))
    count = lower + sum(b > a for a, b in zip(first, second))
    tail = sum(math.comb(count, k) for k in range(min(lower, count - lower) + 1))
    return lower, count, min(1, 2 * tail / 2 ** count)


class Runs:
    """Plays what is asked for, and nothing twice."""

    def __init__(self, args):
        self.args = args
        self.known = {}

    def play(self, options, method, epsilons, seeds):
        """{epsilon: [regret of every seed]}."""
        key = (tuple(sorted(options.items())), method, epsilons, seeds)
        if key not in self.known:
            points = last(simulate(self.args.sotto, method=method, seeds=seeds, checkpoints=1,
                                   epsilon=",".join(map(str, epsilons)), quiet=True,
                                   horizon=10000 if self.args.quick else 100000,
                                   threads=self.args.threads, **options))
            self.known[key] = {epsilon: points[method, epsilon] for epsilon in epsilons}
        return self.known[key]


def middle(values):
    """Median and mean, for a table."""
    return f"{rounded(median(values), 3)} ({rounded(mean(values), 3)})"


def show(table, words, before, after):
    """One line of a table that starts with these words."""
    lower, count, chance = sign_test(before, after)
    table.row(*words, middle(before), middle(after), f"{median(after) / median(before):.2f}", f"{lower} of {count}",
              f"{chance:.1g}")


def judge(name, claim, before, after):
    lower, count, chance = sign_test(before, after)
    right = lower > count / 2 if claim == "lower" else lower < count / 2
    got = f"{median(after) / median(before):.2f} of it, p {chance:.1g}"
    return Row(name, f"{claim}, p < {SURE:g}", got, right and chance < SURE)


def departures(runs, cells):
    rows = []
    print("median (mean) regret as published and corrected, the ratio of medians, and in how many\n"
          "pairs of runs of one seed the corrected one is lower, with the sign test's p\n")
    table = Table(runs.args, "departures", ("correction", "setting", "method", "epsilon", "published", "corrected", "ratio",
                                            "lower", "p"))
    for cell in cells:
        before = runs.play(cell.before, cell.method, cell.epsilons, cell.seeds)
        after = runs.play(cell.after, cell.method, cell.epsilons, cell.seeds)
        for epsilon in cell.epsilons:
            words = (cell.departure, cell.setting, cell.method, f"{epsilon:g}")
            show(table, words, before[epsilon], after[epsilon])
            if cell.claim:
                rows.append(judge(", ".join(words), cell.claim, before[epsilon], after[epsilon]))
    table.close()
    return rows


def order(runs, epsilons, seeds):
    """Least squares beside gradients: as published, and with the noise that the claim needs."""
    print("\nldp-sgd as published beside ldp-ols, d=2 K=10\n")
    table = Table(runs.args, "sgd_and_ols", ("ldp-ols is", "epsilon", "ldp-sgd", "ldp-ols", "ratio", "lower", "p"))
    sgd = runs.play(FIRST, "ldp-sgd", epsilons, seeds)
    for name, options in (("as published", FIRST), ("exact noise", dict(FIRST, correct="noise"))):
        ols = runs.play(options, "ldp-ols", epsilons, seeds)
        for epsilon in epsilons:
            show(table, (name, f"{epsilon:g}"), sgd[epsilon], ols[epsilon])
    table.close()


def authors_sigma(epsilon, delta):
    return 6 * math.sqrt(2 * math.log(2.5 / delta)) / epsilon


def delta_of(epsilon, apart):
    """Of Gaussian noise on two secrets this many of its standard deviations apart, exact (Balle and
    Wang)."""
    phi = NormalDist().cdf
    return (phi(apart / 2 - epsilon / apart) -
            math.exp(epsilon) * phi(-apart / 2 - epsilon / apart))


def epsilon_of(delta, apart):
    """The smallest epsilon, up to 64, that the same mechanism has at this delta."""
    low, high = 0.0, 64.0
    for _ in range(60):
        between = (low + high) / 2
        low, high = (between, high) if delta_of(between, apart) > delta else (low, between)
    return high


def moments_apart(dim, generator):
    """The distance of what two people send to per-arm ldp-ols before noise, the lower triangle of
    x x' and r x: contexts N(0, I), the same arm, r = x . theta."""
    x, y = ([generator.gauss(0, 1) for _ in range(dim)] for _ in range(2))
    squares = sum((x[i] * x[j] - y[i] * y[j]) ** 2 for i in range(dim) for j in range(i + 1))
    return math.sqrt(squares + sum((x[0] * a - y[0] * b) ** 2 for a, b in zip(x, y)))


def privacy():
    """What the authors' noise on moments gives where contexts are bounded, and where not."""
    print("\ntheir noise on (x x', r x), ||x|| <= 1, |r| <= 1, delta 0.01: the claimed epsilon, and\n"
          "one that it has in truth\n")
    for epsilon in (0.5, 1, 5):
        truth = epsilon_of(0.01, math.sqrt(4.5) / authors_sigma(epsilon, 0.01))
        print(f"    {epsilon:g}  {truth:.3g}")
    generator = random.Random(1)
    apart = median([moments_apart(20, generator) for _ in range(1001)])
    print(f"\nper-arm, d=20, contexts N(0, I), delta 0.1: two people are {apart:.3g} apart in the\n"
          "median; claimed epsilon, that distance over their sigma, delta for such a pair\n")
    for epsilon in (1, 5):
        sds = apart / authors_sigma(epsilon, 0.1)
        print(f"    {epsilon:g}  {sds:.3g}  {delta_of(epsilon, sds):.3g}")


def main():
    args = arguments(__doc__, threads="of sotto simulate, default one per core")
    runs = Runs(args)
    if args.quick:
        finish(args, departures(runs, quick_cells()))
    rows = departures(runs, first_scheme(args.sotto) + second_scheme() + per_arm())
    order(runs, (0.25, 0.5, 1, 2, 5), 100)
    privacy()
    finish(args, rows)


if __name__ == "__main__":
    main()
