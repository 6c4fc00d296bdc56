#!/usr/bin/env python3
"""Regret with a part of lying clients, each of whom knows the truth and the model and sends, of all
reports that the server takes, the one that turns the estimate furthest from the truth."""

from measure import PER_ARM, SHARED_2, SHARED_20, Row, arguments, around, finish, mean, regrets
from research import Table

PARTS = (0, 0.001, 0.01, 0.05)
PAPER = ("ldp-sgd", "ldp-ols", "ldp-ucb", "ldp-gloc")
# Method, setting, epsilon, seeds.
SETTINGS = (
    ("sotto", SHARED_2, 1, 20), ("sotto", SHARED_2, 5, 5),
    ("sotto", SHARED_20, 1, 20), ("sotto", SHARED_20, 5, 5),
    *((method, SHARED_20, epsilon, 3) for epsilon in (1, 5) for method in PAPER),
    ("sotto", PER_ARM, 1, 5), ("sotto", PER_ARM, 5, 5),
    ("ldp-sgd", PER_ARM, 1, 5), ("ldp-sgd", PER_ARM, 5, 5),
)
# One per cent of liars who try many nonces: setting, epsilon, tries, seeds. They are slow.
GRINDING = ((SHARED_20, 1, 100, 10), (SHARED_20, 1, 10000, 2), (SHARED_20, 5, 100, 5),
            (PER_ARM, 1, 100, 5))


def lied(args, method, scene, epsilon, seeds, **lies):
    return regrets(args, method, epsilon, horizon="1e4" if args.quick else "1e5", seeds=2 if args.quick else seeds, **scene,
                   **lies)


def name(scene):
    return f"{scene.get('parameters', 'shared')}, d={scene['dim']}, K={scene['arms']}"


def table_of_parts(args):
    """{(method, setting, epsilon): [mean regret of each part]}."""
    found, table = {}, Table(args, "liars", ["method", "setting", "epsilon", *(f"{100 * part:g} %" for part in PARTS)])
    for method, scene, epsilon, seeds in SETTINGS:
        values = [lied(args, method, scene, epsilon, seeds, liars=part) for part in PARTS]
        table.row(method, name(scene), epsilon, *map(around, values))
        found[(method, name(scene), epsilon)] = list(map(mean, values))
    table.close()
    return found


def table_of_tries(args):
    print()
    table = Table(args, "liars_grinding", ["setting", "epsilon", "tries", "regret at 1 %"])
    for scene, epsilon, tries, seeds in GRINDING:
        tries = min(tries, 100) if args.quick else tries
        values = lied(args, "sotto", scene, epsilon, seeds, liars=0.01, grind=tries)
        table.row(name(scene), epsilon, tries, around(values))
    table.close()


def main():
    args = arguments(__doc__)
    found = table_of_parts(args)
    table_of_tries(args)
    rows, one_percent = [], PARTS.index(0.01)
    for scene, others in ((SHARED_20, PAPER), (PER_ARM, ("ldp-sgd",))):
        for epsilon in (1, 5):
            ours = found[("sotto", name(scene), epsilon)][one_percent]
            least = min(found[(method, name(scene), epsilon)][one_percent] for method in others)
            rows.append(Row(f"{name(scene)}, epsilon {epsilon}, 1 % of liars: sotto is least",
                            f"< {least:.0f}", f"{ours:.0f}", ours < least))
    # Lies that did nothing would be no test of anything.
    wanted = 1.2 if args.quick else 1.5
    for method in ("sotto", "ldp-ols"):
        values = found[(method, name(SHARED_20), 1)]
        harm = values[one_percent] / values[0]
        rows.append(Row(f"{method}, {name(SHARED_20)}, epsilon 1: 1 % of liars over none",
                        f">= {wanted:g}", f"{harm:.2f}", harm >= wanted))
    finish(args, rows)


if __name__ == "__main__":
    main()
