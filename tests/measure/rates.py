#!/usr/bin/env python3
"""How regret grows: against T beside the exponents of the paper's theorems, against epsilon, and on
the instance of its lower bound.

Standard errors of exponents come from drawing the seeds again. The theorems are upper bounds, so an
exponent may be smaller than theirs."""

import json
import math
import subprocess

from measure import (Row, arguments, bootstrap, command, exponent, finish, last, mean, rounded, simulate,
                     standard_error)
from research import Table

METHODS = ("sotto", "ldp-sgd", "ols")
TIMES = (10000, 30000, 100000, 300000, 1000000)
EPSILONS = (0.1, 0.2, 0.5, 1, 2, 5, 8)
SMALL = 1     # epsilons up to here show the law of small ones
SLACK = 0.1   # above theory's exponent, or two standard errors if those are more

RANDOM_ARM = 1 / math.sqrt(math.pi)  # its regret over sqrt(T d)/(e^eps - 1), lower bound's instance
PURE = ("sotto", "ldp-sgd")          # of which the lower bound speaks: no delta

# name, options, theory's exponent; 0: log T
WORLDS = [
    ("sphere K=10", dict(environment="sphere", arms=10), 0),
    ("margin beta 1", dict(environment="margin", margin=1, arms=2), 0),
    ("margin beta 0.5", dict(environment="margin", margin=0.5, arms=2), 0.25),
    ("margin beta 0", dict(environment="margin", margin=0, arms=2), 0.5),
]


def theory_step(sotto, options):
    """eta0 that Theorem 3.3 asks of ldp-sgd: the c' of its eta0 is above 1, here 1.1."""
    line_of = command(sotto, "simulate", dict(options, dim=2, constants=True, json=True))
    return 1.1 * json.loads(subprocess.run(line_of, check=True, capture_output=True).stdout)["eta0"]


def play_times(args, options, times, seeds):
    """{method: {T: [regret of every seed]}}. Nobody here knows T, so one run gives all of them, but
    the gap of beta = 0 depends on T: that is one run for each. Its contexts are not diverse, so
    theory has no step for it, and ldp-sgd keeps its default."""
    common = dict(options, method=",".join(METHODS), dim=2, epsilon=5, seeds=seeds, quiet=True)
    if options.get("margin") == 0:
        columns = {method: {} for method in METHODS}
        for horizon in times:
            points = last(simulate(args.sotto, horizon=horizon, **common))
            for (method, _), values in points.items():
                columns[method][horizon] = values
        return columns
    points = simulate(args.sotto, horizon=max(times), eta0=theory_step(args.sotto, options),
                      checkpoints=",".join(map(str, times)), **common)
    return {method: {t: points[method, 5][t] for t in times} for method in METHODS}


def growth(means):
    """e of a + b T^e, and 0 for a + b log T, whatever a, which the first rounds decide: from the
    regret of the second half of the time, on logarithmic paper, over that of the first."""
    first, middle, end = (sorted(means)[i] for i in (0, len(means) // 2, -1))
    ratio = (means[end] - means[middle]) / (means[middle] - means[first])
    return math.log(ratio) / math.log(end / middle)


def against_time(args, worlds, times, seeds):
    """times: an odd number, evenly spaced on logarithmic paper, or nearly so."""
    rows = []
    print("mean regret against T (d=2, epsilon 5), and e of a + b T^e; e = 0: a + b log T\n")
    print(f"{'':24}" + "".join(f"{t:>9.0e}" for t in times) + f"{'e':>8}{'± se':>7}{'theory':>8}")
    horizons = (f"T = {t:.0e}".replace("e+0", "e") for t in times)
    table = Table(args, "rates_horizon", ("setting", "method", *horizons, "exponent", "theory"), shown=False)
    for name, options, theory in worlds:
        # Where the gap depends on T there are no first rounds in common, hence no a.
        estimate = exponent if options.get("margin") == 0 else growth
        for method, columns in play_times(args, options, times, seeds).items():
            means = {t: mean(values) for t, values in columns.items()}
            e, error = estimate(means), bootstrap(columns, estimate)
            print(f"{name:16}{method:8}" + "".join(f"{value:9.4g}" for value in means.values()) +
                  f"{e:8.3f}{error:7.3f}{theory:8.2f}", flush=True)
            table.row(name, method, *(f"{value:.4g}" for value in means.values()), f"{e:.3f} ± {error:.3f}", f"{theory:.2f}")
            if method not in PURE:
                continue  # no theorem speaks of it
            most = theory + max(SLACK, 2 * error)
            law = f"T^{theory:g}" if theory > 0 else "log T"
            rows.append(Row(f"exponent in T, {name}, {method}", f"<= {most:.2f} ({law})",
                            f"{e:.3f} ± {error:.3f}", e <= most))
    table.close()
    return rows


def bar(value, least, most, width=40):
    """Its length is that of log value, from one mark for the least to `width` for the most."""
    share = math.log(value / least) / math.log(most / least)
    return "#" * (1 + round((width - 1) * share))


def against_epsilon(args, dim, arms, horizon, seeds):
    """Where the gap has no atom at 0, theory is log T (e^epsilon - 1)^-2, until there is nothing
    left to lose: regret is never more than that of the worst arm, so the law is seen from above."""
    rows = []
    points = last(simulate(args.sotto, method="sotto,ldp-sgd", dim=dim, arms=arms, quiet=True,
                           horizon=horizon, seeds=seeds, epsilon=",".join(map(str, EPSILONS))))
    means = {cell: mean(values) for cell, values in points.items()}
    print(f"\nmean regret against epsilon (sphere, d={dim}, K={arms}, T={horizon:g}, "
          f"{seeds} seeds); bars are logarithmic\n")
    table = Table(args, "rates_epsilon", ("setting", "method", "epsilon", "regret"), keys=3, shown=False)
    for method in ("sotto", "ldp-sgd"):
        for epsilon in EPSILONS:
            value = means[method, epsilon]
            error = standard_error(points[method, epsilon])
            print(f"{method:8}{epsilon:5g}{value:10.4g} ±{error:8.3g}  "
                  f"{bar(value, min(means.values()), max(means.values()))}", flush=True)
            table.row(f"d={dim}, K={arms}", method, f"{epsilon:g}", f"{rounded(value, 4)} ± {rounded(error, 3)}")
        small = {1 / math.expm1(epsilon): points[method, epsilon]
                 for epsilon in EPSILONS if epsilon <= SMALL}
        e = exponent({x: mean(values) for x, values in small.items()})
        error = bootstrap(small, exponent)
        most = 2 + max(SLACK, 2 * error)
        rows.append(Row(f"exponent in 1/(e^eps - 1), d={dim}, eps <= {SMALL}, {method}",
                        f"<= {most:.2f} (2)", f"{e:.2f} ± {error:.2f}", e <= most))
    table.close()
    ours = [points["sotto", epsilon] for epsilon in EPSILONS]
    falls = all(mean(second) < mean(first) + 2 * math.hypot(standard_error(first),
                                                            standard_error(second))
                for first, second in zip(ours, ours[1:]))
    rows.append(Row(f"regret falls with epsilon, d={dim}, sotto", "at every step, within 2 se",
                    " > ".join(f"{mean(values):.3g}" for values in ours), falls))
    return rows


def least_ratio(dim, epsilon):
    """What no epsilon-LDP method can stay below, on average over the direction of theta*: the proof
    of Theorem 3.2 with its constants kept. For the reports of s people, with u the direction of the
    difference of two contexts,

        KL <= s min(4, e^(2 epsilon)) (e^epsilon - 1)^2 TV^2      (Duchi et al., Theorem 1)
        TV <= E|x'u| 2|u'theta|/sqrt(2 pi),   E|x'u| <= E max of two = 2/sqrt(pi d)
        E (u'theta)^2 = 2 norm^2/(d + 1)      under the law weighted by |u'theta|

    so, as the norm of theta* is d/((e^epsilon - 1) sqrt T), KL <= k s/T with
    k = min(4, e^(2 epsilon)) (16/pi^2) d/(d + 1).
    Each round costs at least half of exp(-KL) times what a random arm does, and a random arm costs
    sqrt(T d/pi)/(e^epsilon - 1) in all: the ratio is at least (1 - e^-k)/(2 k sqrt pi)."""
    k = min(4, math.exp(2 * epsilon)) * 16 / math.pi**2 * dim / (dim + 1)
    return -math.expm1(-k) / (2 * k * math.sqrt(math.pi))


def judge_ratios(name, dim, ratios, is_pure):
    """Regret is at least what the theorem says and about a random arm's at most, as T grows too.
    The largest of some ten noisy ratios is judged, hence two standard errors and a tenth."""
    rows = []
    if is_pure:
        low = min(value / least_ratio(dim, epsilon) for (epsilon, _), (value, _) in ratios.items())
        rows.append(Row(f"{name}: over the least possible", ">= 1", f"{low:.2f} and more",
                        low >= 1))
    high = max(value - 2 * error for value, error in ratios.values())
    most = 1.1 * RANDOM_ARM
    rows.append(Row(f"{name}: largest ratio - 2 se", f"<= {most:.3f} (1.1 x a random arm)",
                    f"{high:.3f}", high <= most))
    return rows


def lower_bound(args, methods, dims, grid):
    """grid: {T: (seeds, epsilons)}. The norm of theta* depends on T and epsilon."""
    rows = []
    print("\nregret over sqrt(T d)/(e^eps - 1), ± standard error, on the lower bound's instance "
          f"(K=2), where a random arm has {RANDOM_ARM:.3f}\n")
    table = Table(args, "lower_bound", ("d", "method", "epsilon", "at least", "T = 1e4", "T = 1e5", "T = 1e6"), keys=3,
                  shown=False)
    for dim in dims:
        for method in methods:
            ratios = {}
            for horizon, (seeds, epsilons) in grid.items():
                points = last(simulate(args.sotto, environment="gaussian", method=method, dim=dim,
                                       arms=2, horizon=horizon, seeds=seeds, quiet=True,
                                       epsilon=",".join(map(str, epsilons))))
                for (_, epsilon), values in points.items():
                    unit = math.sqrt(horizon * dim) / math.expm1(epsilon)
                    ratios[epsilon, horizon] = (mean(values) / unit, standard_error(values) / unit)
            for epsilon in sorted({cell[0] for cell in ratios}):
                of_epsilon = {t: ratio for (at, t), ratio in ratios.items() if at == epsilon}
                least = least_ratio(dim, epsilon)
                print(f"d={dim:<4}{method:8} eps {epsilon:<5g} at least {least:.3f}  " +
                      "".join(f"  T={t:.0e} {value:.3f} ± {error:.3f}"
                              for t, (value, error) in of_epsilon.items()), flush=True)
                cells = ("{:.3f} ± {:.3f}".format(*of_epsilon[t]) if t in of_epsilon else "" for t in (10**4, 10**5, 10**6))
                table.row(dim, method, f"{epsilon:g}", f"{least:.3f}", *cells)
            rows += judge_ratios(f"lower bound's instance, d={dim}, {method}", dim, ratios,
                                 method in PURE)
    table.close()
    return rows


def main():
    args = arguments(__doc__)
    if args.quick:
        rows = against_time(args, WORLDS[1:2], (100, 1000, 10000), 10)
        rows += lower_bound(args, ("sotto",), (2,), {10000: (20, (1,))})
        finish(args, rows)
    rows = against_time(args, WORLDS, TIMES, 10)
    rows += against_epsilon(args, 2, 10, 100000, 20)
    rows += against_epsilon(args, 20, 20, 100000, 5)
    small = {10000: (100, (0.25, 0.5, 1)), 100000: (20, (0.25, 0.5, 1))}
    rows += lower_bound(args, PURE, (2, 5, 20), {**small, 1000000: (5, (1,))})
    rows += lower_bound(args, ("ldp-ols",), (2, 5, 20), small)
    finish(args, rows)


if __name__ == "__main__":
    main()
