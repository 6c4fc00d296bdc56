#!/usr/bin/env python3
"""Methods on public data sets: the mean reward of a person, and of the last tenth of people, against
epsilon. Needs a directory with the files (see below); without one it says so and ends. With --quick 3
seeds, and no more than 5,000 people of a set.

A table per set where other methods than sotto are played. Then all sets together, sotto and best-arm
beside greedy ols, linucb and the majority arm, one table for the last tenth and one for all people; with
--before PROGRAM also the sotto of an older program. In the end what was wanted of the last tenth: at
most two standard errors below it.

Sets that are labelled are played once, the small ones with --passes N once more in N passes:
then a person is met N times and spends N times epsilon and delta. The last tenth is of the first
pass, for later ones meet people who were learnt from. Logs are replayed."""

import csv
import os
import subprocess
import sys
import tempfile

from measure import ROOT, Row, arguments, command, finish
from research import Table

EPSILONS = "0.5,1,2,4,8"
METHODS = "sotto,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,linucb"
# files that are read one after the other, and the share of the majority arm
LABELLED = {
    "shuttle": (["shuttle/shuttle.csv"], 0.786),
    "magic": (["magic/magic04.data"], 0.648),
    "pendigits": (["pendigits/pendigits.tra", "pendigits/pendigits.tes"], None),
    "adult": (["adult/adult.data", "adult/adult.test"], 0.761),
}
SMALL = ("magic", "pendigits")
# reward of the last tenth that sotto should reach; two independent programs measured it
WANTED = {
    "shuttle": {1: 0.835, 2: 0.885, 4: 0.947, 8: 0.965},
    "magic": {1: 0.745, 2: 0.774, 4: 0.788, 8: 0.794},
    "pendigits": {1: 0.217, 2: 0.390, 4: 0.665, 8: 0.818},
    "adult": {1: 0.776, 2: 0.812, 4: 0.828, 8: 0.838},
}
BEFORE = "sotto, before"
OURS = ("sotto", "best-arm", BEFORE)
PAPER = ("ldp-sgd", "ldp-ols", "ldp-ucb", "ldp-gloc")
LOGS = {name: f"open-bandit/random/{name}/{name}.csv" for name in ("men", "women")}


def replay(sotto, **options):
    """{(method, epsilon): line of the summary}, and the command."""
    line = command(sotto, "replay", {**options, "summary": True, "csv": True, "quiet": True})
    done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit("failed: " + " ".join(line))
    rows = csv.DictReader(done.stdout.splitlines())
    return {(row["method"], float(row["epsilon"])): row for row in rows}


def joined(directory, names, target):
    """One file of several. Those of adult have an empty last line, and the second one a remark."""
    with open(target, "w", encoding="utf-8") as out:
        for name in names:
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                out.writelines(line for line in file if line.strip() and not line.startswith("|"))
    return target


def with_error(value, error):
    """How a mean is shown."""
    return lambda row: f"{float(row[value]):.3f} ± {float(row[error]):.3f}"


def with_interval(row):
    """How the value of a log is shown."""
    return f"{float(row['ips']):.4f} ({float(row['ips_lo']):.4f} to {float(row['ips_hi']):.4f})"


def share_of(row):
    """How a share of the lead is shown."""
    return "{:.0%} ({:.0%} to {:.0%})".format(*(float(row[name]) for name in ("share", "share_lo", "share_hi")))


def all_epsilons():
    return [float(word) for word in EPSILONS.split(",")]


def show(found, text_of, bold=True):
    """A line for each method; bold where its verdict is that it is better. That of labels is on the last tenth."""
    epsilons = all_epsilons()
    print("| method | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |")
    print("|---|" + "---|" * len(epsilons))
    for method in dict.fromkeys(name for name, _ in found):
        cells = []
        for epsilon in epsilons:
            row = found.get((method, epsilon), found.get((method, float("inf"))))
            text = text_of(row)
            cells.append(f"**{text}**" if bold and row["verdict"].startswith("better") else text)
        print(f"| {method} | " + " | ".join(cells) + " |")
    print()


def show_methods(args, file, sets, text_of, methods):
    """Lines for those of the methods that were played on each set."""
    epsilons = all_epsilons()
    if not any((method, epsilons[0]) in found for found in sets.values() for method in methods):
        return
    table = Table(args, file, ("set", "method", *(f"epsilon {e:g}" for e in epsilons)), keys=2)
    for name, found in sets.items():
        for method in methods:
            if (method, epsilons[0]) in found:
                table.row(name, method, *(text_of(found[method, epsilon]) for epsilon in epsilons))
    table.close()
    print()


def show_without(args, file, sets, text_of, without):
    """Methods without privacy: the same at all epsilons."""
    table = Table(args, file, ("set", *without.values()), keys=1)
    for name, found in sets.items():
        table.row(name, *(text_of(found[method, float("inf")]) for method in without))
    table.close()
    print()


def replay_both(args, **options):
    """What replay finds, and the sotto of the older program."""
    found = replay(args.sotto, **options)
    if args.before:
        older = replay(args.before, **{**options, "method": "sotto"})
        found.update({(BEFORE, e): row for (method, e), row in older.items() if method == "sotto"})
    return found


def play_labelled(args, name, data, passes, seeds, methods):
    schema = os.path.join(ROOT, f"examples/schemas/{name}.schema")
    found = replay_both(args, data=data, schema=schema, method=methods, epsilon=EPSILONS,
                        seeds=seeds, passes=passes, horizon=5000 if args.quick else None)
    people = next(iter(found.values()))["t"]
    many, first = (f" in {passes} passes", " of the first pass") if passes > 1 else ("", "")
    print(f"\n{name}, {people} people{many}, {seeds} seeds", flush=True)
    for (method, epsilon), row in found.items():
        if method == "sotto" and row.get("reason"):  # of at least 5 seeds
            print(f"ε = {epsilon:g}: {row['reason']}; sotto wins {share_of(row)} of the lead of linucb; people "
                  f"needed: {row['people_needed']}")
    if methods != "sotto":
        print(f"\nreward of the last tenth{first} ± standard error, bold where it beats one arm for all\n")
        show(found, with_error("last_mean", "last_se"))
        print("reward of all\n")
        show(found, with_error("reward_mean", "reward_se"), bold=False)
    return found


def play_log(args, name, data, seeds, methods):
    schema = os.path.join(ROOT, f"examples/schemas/open-bandit-{name}.schema")
    found = replay_both(args, data=data, schema=schema, method=methods, epsilon=EPSILONS,
                        seeds=seeds)
    events = next(iter(found.values()))["t"]
    print(f"\nopen bandit, {name}, {events} events, {seeds} seeds", flush=True)
    if methods != "sotto":
        print("\nvalue by inverse propensity and its 95 % interval\n")
        show(found, with_interval)
    return found


def judge(name, found):
    """Rows of what was wanted of a set; not of its first people alone."""
    for epsilon, wanted in WANTED[name].items():
        row = found["sotto", float(epsilon)]
        got, error = float(row["last_mean"]), float(row["last_se"])
        yield Row(f"{name}, epsilon {epsilon}", f"{wanted:.3f}", f"{got:.4f} ± {error:.4f}",
                  got >= wanted - 2 * error)


def main():
    args = arguments(__doc__, directory="of the data sets, default ../shared/data",
                     only="names of sets with commas, default all",
                     methods=f"with commas, default {METHODS}",
                     before="PROGRAM whose sotto stands beside",
                     seeds="of each method and epsilon, default 10",
                     passes="over the small sets, once more")
    directory = args.directory or os.path.join(ROOT, "../shared/data")
    if not os.path.isdir(directory):
        print(f"{directory}: the data sets are not here; --directory says where they are")
        return
    wanted = args.only.split(",") if args.only else [*LABELLED, *LOGS]
    methods = args.methods or METHODS
    seeds, rows, labelled, logs = int(args.seeds or (3 if args.quick else 10)), [], {}, {}
    with tempfile.TemporaryDirectory() as place:
        for name in (name for name in LABELLED if name in wanted):
            files, share = LABELLED[name]
            data = joined(directory, files, os.path.join(place, name))
            labelled[name] = found = play_labelled(args, name, data, 1, seeds, methods)
            if share is not None:
                got = float(found["majority-arm", float("inf")]["reward_mean"])
                rows.append(Row(f"{name}, majority arm", f"{share:.3f}", f"{got:.3f}",
                                abs(got - share) < 0.001))
            if "sotto" in methods.split(",") and not args.quick:
                rows.extend(judge(name, found))
            if name in SMALL and args.passes:
                play_labelled(args, name, data, int(args.passes), seeds, "sotto,linucb")
    for name in (name for name in LOGS if name in wanted):
        logs[name] = play_log(args, name, os.path.join(directory, LOGS[name]), seeds, methods)
    if labelled:
        without = {"ols": "ols", "linucb": "linucb", "majority-arm": "majority arm"}
        print("\nreward of the last tenth ± standard error\n")
        last = with_error("last_mean", "last_se")
        show_methods(args, "data_last_tenth", labelled, last, OURS)
        show_methods(args, "data_paper", labelled, last, PAPER)
        show_without(args, "data_last_tenth_baselines", labelled, last, without)
        print("reward of all ± standard error\n")
        show_methods(args, "data_all", labelled, with_error("reward_mean", "reward_se"), OURS)
        show_without(args, "data_all_baselines", labelled, with_error("reward_mean", "reward_se"), without)
    if logs:
        print("\nvalue by inverse propensity and its 95 % interval\n")
        show_methods(args, "open_bandit", logs, with_interval, OURS + PAPER)
        show_without(args, "open_bandit_baselines", logs, with_interval,
                     {name: name for name in ("ols", "linucb", "logging", "fixed-arm")})
    finish(args, rows)


if __name__ == "__main__":
    main()
