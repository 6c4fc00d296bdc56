#!/usr/bin/env python3
"""The figures that `sotto` has to reach, the order of the methods, and its lead over the paper's.

Every cell is at T = 1e5 on sphere contexts with noise 0.1. Its figure was measured with another
program; ours may be 1.25 times as large. Where d = 2 a few bad runs make most of the mean (its
standard deviation is as large as itself), and runs are cheap: 200 seeds; elsewhere 20."""

from measure import Row, arguments, finish, last, mean, simulate, standard_error
from research import Table

HORIZON = 100000
MOST = 1.25   # times the figure
LEAST = 0.6   # times the figure: less would call for an explanation
PRIVATE = {"shared": "sotto,sotto-ols,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc",
           "per-arm": "sotto,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc"}

# name, options, {epsilon: the figure of sotto}, {epsilon: the best tuned of the paper's methods}
CELLS = [
    ("shared", dict(dim=2, arms=10), {0.5: 210, 1: 53, 5: 4.9}, {0.5: 5312, 1: 2176, 5: 624}),
    ("shared", dict(dim=20, arms=20), {0.5: 6900, 1: 2150, 5: 156},
     {0.5: 32576, 1: 27782, 5: 9008}),
    ("shared", dict(dim=5, arms=50), {0.5: 1630, 1: 390, 5: 28}, {}),
    ("logistic", dict(dim=2, arms=10, link="logit"), {0.5: 1439, 1: 541, 5: 71},
     {0.5: 7416, 1: 3326, 5: 2592}),
    ("logistic", dict(dim=20, arms=20, link="logit"), {0.5: 7469, 1: 5780, 5: 1561},
     {0.5: 9657, 1: 9414, 5: 9509}),
    # at epsilon 1 that program had 712; another one, also written from the formulas alone, has
    # 870 ± 19 over 600 seeds
    ("counts", dict(dim=2, arms=10, link="log"), {0.5: 2675, 1: 870, 5: 115},
     {0.5: 4302, 1: 1534, 5: 443}),
    ("per-arm", dict(dim=20, arms=2, parameters="per-arm"), {1: 1955, 5: 119},
     {1: 10495, 5: 7597}),
    ("per-arm", dict(dim=20, arms=3, parameters="per-arm"), {1: 4601, 5: 276},
     {1: 16974, 5: 12636}),
    ("per-arm", dict(dim=20, arms=5, parameters="per-arm"), {1: 9429, 5: 730},
     {1: 23837, 5: 20422}),
    ("per-arm", dict(dim=10, arms=10, parameters="per-arm"), {0.5: 22745, 1: 11551, 5: 899},
     {0.5: 45128, 1: 43586, 5: 32249}),
]
# The share of the paper's best that sotto may have: {dim: ({epsilon}, share)}.
LEAD = {2: ((0.5, 1, 5), 0.1), 20: ((1, 5), 0.125)}


def name_of(setting, options, epsilon):
    return f"{setting} d={options['dim']} K={options['arms']} eps {epsilon:g}"


def play(args, methods, options, epsilons, seeds):
    return last(simulate(args.sotto, method=methods, horizon=HORIZON, seeds=seeds, quiet=True,
                         epsilon=",".join(f"{epsilon:g}" for epsilon in epsilons), **options))


def seeds_of(options):
    return 200 if options["dim"] == 2 else 20


def reach(args, cells, seeds, most):
    """One row per cell: the mean of sotto beside its figure."""
    rows, means = [], {}
    table = Table(args, "figures", ("setting", "epsilon", "seeds", "regret", "bound", "over it", "paper's best tuned",
                                    "over that"), shown=False)
    for setting, options, figures, paper in cells:
        count = seeds or seeds_of(options)
        regrets = play(args, "sotto", options, figures, count)
        for epsilon, figure in figures.items():
            values = regrets["sotto", epsilon]
            ours, error = mean(values), standard_error(values)
            means[name_of(setting, options, epsilon)] = ours
            low = "" if ours >= LEAST * figure else f", below {LEAST:g} of the figure"
            best = paper.get(epsilon)
            beside = f"paper's best {best:5}  {ours / best:6.4f} of it" if best else ""
            print(f"{name_of(setting, options, epsilon):26} {count:3} seeds  {ours:8.1f} "
                  f"± {error:6.1f}   figure {figure:7g}  {ours / figure:4.2f} of it   {beside}",
                  flush=True)
            table.row(name_of(setting, options, epsilon).rsplit(" eps ", 1)[0], f"{epsilon:g}", count,
                      f"{ours:.1f} ± {error:.1f}", f"{figure:g}", f"{ours / figure:.2f}", best or "",
                      f"{ours / best:.4f}" if best else "")
            rows.append(Row("sotto, " + name_of(setting, options, epsilon),
                            f"<= {most * figure:.4g} ({most:g} x {figure:g})",
                            f"{ours:.4g} ± {error:.2g}{low}", ours <= most * figure))
    table.close()
    return rows, means


def lead(means):
    """One row per setting, shared and identity link: sotto against the best tuned of the paper's."""
    rows = []
    for setting, options, _, paper in CELLS[:2]:
        epsilons, share = LEAD[options["dim"]]
        for epsilon in epsilons:
            name = name_of(setting, options, epsilon)
            got = means[name] / paper[epsilon]
            rows.append(Row(f"sotto over the paper's best, {name}", f"<= {share:g}", f"{got:.3g}",
                            got <= share))
    return rows


def order(args, setting, options, epsilons, seeds):
    """One row per setting: ols, which hides nothing, costs less than every private method."""
    rows = []
    regrets = play(args, "ols," + PRIVATE[setting], options, epsilons, seeds)
    for epsilon in epsilons:
        by_method = {method: mean(values) for (method, at), values in regrets.items()
                     if at == epsilon}
        name = name_of(setting, options, epsilon)
        in_order = [f"{method} {by_method[method]:.4g}"
                   for method in sorted(by_method, key=by_method.get)]
        print(f"{name:26} {seeds:3} seeds  " + "  ".join(in_order), flush=True)
        rows.append(Row(f"least regret, {name}", "ols", ", then ".join(in_order[:2]),
                        in_order[0].startswith("ols ")))
    return rows


def main():
    args = arguments(__doc__)
    if args.quick:
        cheapest = [CELLS[0], CELLS[3], CELLS[6]]
        print("sotto: mean regret ± standard error, its figure; of 5 seeds, so 3 times is allowed")
        rows, _ = reach(args, [(*cell[:2], {5: cell[2][5]}, cell[3]) for cell in cheapest], 5, 3)
        rows += order(args, "shared", dict(dim=2, arms=10), [5], 2)
        finish(args, rows)
    print("sotto: mean regret ± standard error, its figure, the best tuned of the paper's methods")
    rows, means = reach(args, CELLS, None, MOST)
    rows += lead(means)
    print("\nall methods at their defaults, mean regret")
    rows += order(args, "shared", dict(dim=2, arms=10), [0.5, 1, 5], 20)
    rows += order(args, "shared", dict(dim=20, arms=20), [0.5, 1, 5], 5)
    rows += order(args, "per-arm", dict(dim=20, arms=3, parameters="per-arm"), [1, 5], 5)
    finish(args, rows)


if __name__ == "__main__":
    main()
