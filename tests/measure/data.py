#!/usr/bin/env python3
"""Methods on public data sets: the mean reward of a person, and of the last tenth of people, against
epsilon. Needs a folder with the files (see below); without one it says so and ends. With --quick 3
seeds, and no more than 5,000 people of a set.

Sets that are labelled are played once, the small ones with --passes N once more in N passes:
then a person is met N times and spends N times epsilon and delta. The last tenth is of the first
pass, for later ones meet people who were learnt from. Logs are replayed."""

import csv
import os
import subprocess
import sys
import tempfile

from measure import ROOT, Row, arguments, command, finish

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
LOGS = {name: f"open-bandit/random/{name}/{name}.csv" for name in ("men", "women")}


def replay(sotto, **options):
    """{(method, epsilon): line of the summary}, and the command."""
    line = command(sotto, "replay", {**options, "summary": True, "csv": True, "quiet": True})
    done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit("failed: " + " ".join(line))
    rows = csv.DictReader(done.stdout.splitlines())
    return {(row["method"], float(row["epsilon"])): row for row in rows}


def joined(folder, names, target):
    """One file of several. Those of adult have an empty last line, and the second one a remark."""
    with open(target, "w", encoding="utf-8") as out:
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                out.writelines(line for line in file if line.strip() and not line.startswith("|"))
    return target


def with_error(value, error):
    """How a mean is shown."""
    return lambda row: f"{float(row[value]):.3f} ± {float(row[error]):.3f}"


def with_interval(row):
    """How the value of a log is shown."""
    return f"{float(row['ips']):.4f} ({float(row['ips_lo']):.4f} to {float(row['ips_hi']):.4f})"


def show(found, text_of):
    """A line for each method; bold where its verdict is that it is better."""
    epsilons = [float(word) for word in EPSILONS.split(",")]
    print("| method | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |")
    print("|---|" + "---|" * len(epsilons))
    for method in dict.fromkeys(name for name, _ in found):
        cells = []
        for epsilon in epsilons:
            row = found.get((method, epsilon), found.get((method, float("inf"))))
            text = text_of(row)
            cells.append(f"**{text}**" if row["verdict"].startswith("better") else text)
        print(f"| {method} | " + " | ".join(cells) + " |")
    print()


def play_labelled(args, name, data, passes, seeds, methods=METHODS):
    schema = os.path.join(ROOT, f"examples/schemas/{name}.schema")
    found = replay(args.sotto, data=data, schema=schema, method=methods, epsilon=EPSILONS,
                   seeds=seeds, passes=passes, horizon=5000 if args.quick else None)
    people = next(iter(found.values()))["t"]
    many, first = (f" in {passes} passes", " of the first pass") if passes > 1 else ("", "")
    print(f"\n{name}, {people} people{many}, {seeds} seeds: reward of the last tenth{first} "
          "± standard error, bold where it beats the majority arm\n")
    show(found, with_error("last_mean", "last_se"))
    reasons = {key[1]: row["reason"] for key, row in found.items() if row["reason"]}
    if reasons:  # of at least 5 seeds
        print("what came of it: " + ", ".join(f"ε = {e:g} {reason}" for e, reason in reasons.items()) + "\n")
    print("reward of all\n")
    show(found, with_error("reward_mean", "reward_se"))
    return found


def play_log(args, name, data, seeds):
    schema = os.path.join(ROOT, f"examples/schemas/open-bandit-{name}.schema")
    found = replay(args.sotto, data=data, schema=schema, method=METHODS, epsilon=EPSILONS,
                   seeds=seeds)
    events = next(iter(found.values()))["t"]
    print(f"\nopen bandit, {name}, {events} events, {seeds} seeds: value by inverse "
          "propensity and its 95 % interval\n")
    show(found, with_interval)


def main():
    args = arguments(__doc__, folder="of the data sets, default ../shared/data",
                     only="names of sets with commas, default all",
                     seeds="of each method and epsilon, default 10",
                     passes="over the small sets, once more")
    folder = args.folder or os.path.join(ROOT, "../shared/data")
    if not os.path.isdir(folder):
        print(f"{folder}: the data sets are not here; --folder says where they are")
        return
    wanted = args.only.split(",") if args.only else [*LABELLED, *LOGS]
    seeds, rows = int(args.seeds or (3 if args.quick else 10)), []
    with tempfile.TemporaryDirectory() as place:
        for name in (name for name in LABELLED if name in wanted):
            files, share = LABELLED[name]
            data = joined(folder, files, os.path.join(place, name))
            found = play_labelled(args, name, data, 1, seeds)
            if share is not None:
                got = float(found["majority-arm", float("inf")]["reward_mean"])
                rows.append(Row(f"{name}, majority arm", f"{share:.3f}", f"{got:.3f}",
                                abs(got - share) < 0.001))
            if name in SMALL and args.passes:
                play_labelled(args, name, data, int(args.passes), seeds, "sotto,linucb")
    for name in (name for name in LOGS if name in wanted):
        play_log(args, name, os.path.join(folder, LOGS[name]), seeds)
    finish(args, rows)


if __name__ == "__main__":
    main()
