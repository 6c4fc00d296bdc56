#!/usr/bin/env python3
"""The verdicts of sotto replay on sets whose truth is known, made here: no signal, a signal too small to count, a strong one,
one behind a rare label, twenty arms, a log, and a log of rare rewards. A set without signal must be told that there is nothing
to learn, and one with a signal must not."""

import csv
import os
import random
import subprocess
import tempfile

from measure import Row, arguments, command, finish
from research import Table

EPSILONS = (0.5, 1, 2)
REGIONS = ("north", "south", "east", "west")
PEOPLE = ("age", "region", "device", "visits")
SCHEMA = f"""format csv
ranges public
number age 18 80
category region {" ".join(REGIONS)}
category device phone laptop tablet
number visits 0 100
"""


def person(draw):
    return draw.randint(18, 80), draw.choice(REGIONS), draw.choice(("phone", "laptop", "tablet")), draw.randint(0, 100)


def label_without_signal(draw, _):
    return (draw.choices("abc", (0.5, 0.3, 0.2))[0],)


def label_not_worth_it(draw, who):
    """Young people with phones leave more often, but at most every second one: staying is right for all."""
    return ("leave" if draw.random() < (0.5 if who[0] < 25 and who[2] == "phone" else 0.04) else "stay",)


def label_rare(draw, who):
    return ("leave" if draw.random() < (0.85 if who[0] < 30 and who[2] == "phone" else 0.03) else "stay",)


def label_strong(draw, who):
    right = "loan" if who[0] > 55 else "card" if who[1] in ("north", "east") else "cash"
    return (right if draw.random() < 0.9 else draw.choice(("loan", "card", "cash")),)


def label_of_twenty(draw, who):
    right = (who[0] - 18) * 5 // 63 * 4 + REGIONS.index(who[1])
    return (f"item{right if draw.random() < 0.5 else draw.randrange(20)}",)


def event(draw, who):
    chances = (0.6, 0.2, 0.2) if who[0] > 50 else (0.2, 0.6, 0.2)
    arm = draw.choices(range(3), chances)[0]
    mean = ((0.2, 0.3, 0.6), (0.5, 0.3, 0.2))[who[0] > 50][arm]
    return f"arm{arm}", int(draw.random() < mean), chances[arm]


def event_rare(draw, who):
    arm = draw.randrange(4)
    return f"arm{arm}", int(draw.random() < (0.05 if arm == REGIONS.index(who[1]) else 0.01)), 0.25


LABEL, LOG = ("label",), ("action", "reward", "chance")
# name: (people, what follows a person, columns of it, levels of the label or action, is there something to learn?)
SETS = {
    "no signal": (10000, label_without_signal, LABEL, "a b c", False),
    "a rare label, not worth it": (12000, label_not_worth_it, LABEL, "leave stay", False),
    "a rare label": (12000, label_rare, LABEL, "leave stay", True),
    "strong": (10000, label_strong, LABEL, "loan card cash", True),
    "twenty arms": (15000, label_of_twenty, LABEL, " ".join(f"item{i}" for i in range(20)), True),
    "a log": (15000, event, LOG, "arm0 arm1 arm2", True),
    "a log, 2 % rewarded": (20000, event_rare, LOG, "arm0 arm1 arm2 arm3", True),
}


def write(directory, name):
    people, follows, columns, levels, _ = SETS[name]
    draw = random.Random(name)
    data, schema = (os.path.join(directory, ending) for ending in ("people.csv", "people.schema"))
    with open(data, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*PEOPLE, *columns))
        for _ in range(people):
            who = person(draw)
            writer.writerow((*who, *follows(draw, who)))
    with open(schema, "w", encoding="utf-8") as file:
        end = f"label label {levels}" if columns == LABEL else f"action action {levels}\nreward reward 0 1\npropensity chance"
        file.write(SCHEMA + end + "\n")
    return data, schema


def replay(args, data, schema):
    """The words of each epsilon, up to their first stop, and the recommendation."""
    line = command(args.sotto, "replay", {"data": data, "schema": schema, "epsilon": ",".join(map(str, EPSILONS)),
                                          "seeds": 5 if args.quick else 10, "summary": True, "quiet": True})
    text = subprocess.run(line, check=True, capture_output=True, text=True).stdout.split("\n\n")[0]
    first, *found = " ".join(text.split()).split(" Epsilon ")
    return [words.split(": ", 1)[1].split(". ")[0] for words in found if ": " in words][:len(EPSILONS)], first


def main():
    args, rows = arguments(__doc__), []
    table = Table(args, "verdicts", ("set", "people", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS), "first sentences"))
    for name, (people, _, _, _, signal) in SETS.items():
        with tempfile.TemporaryDirectory() as directory:
            found, first = replay(args, *write(directory, name))
        table.row(name, f"{people:,}", *found, first)
        nothing = [words == "nothing to learn" for words in found]
        rows.append(Row(f"verdicts, {name}", f"{'no' if signal else 'every'} epsilon says: nothing to learn", "; ".join(found),
                        not any(nothing) if signal else all(nothing)))
    table.close()
    finish(args, rows)


if __name__ == "__main__":
    main()
