"""What the measurements share: run the built binary, collect regrets, print figures beside what was
wanted of them.

Every script of this directory prints its own tables and ends with finish(rows). With --quick it plays
fewer seeds: enough to see a gross mistake, not to judge a figure."""

import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What several scripts play.
SHARED_2 = {"dim": 2, "arms": 10}
SHARED_20 = {"dim": 20, "arms": 20}
PER_ARM = {"dim": 20, "arms": 3, "parameters": "per-arm"}


class Row(NamedTuple):
    figure: str
    wanted: str
    got: str
    passed: bool


def arguments(about, **more):
    """The options of every script, and `more` of one: their names and what they mean."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--sotto", default=os.path.join(ROOT, "build/release/sotto"),
                        help="the binary, default build/release/sotto")
    parser.add_argument("--quick", action="store_true", help="fewer seeds")
    parser.add_argument("--write", action="store_true", help="keep the tables in research/*.csv")
    parser.add_argument("--figures", help="FILE to which the rows are added, as JSON lines")
    for name, meaning in more.items():
        parser.add_argument("--" + name, help=meaning)
    args = parser.parse_args()
    if args.quick and args.write:
        parser.error("--quick plays too few seeds for --write")
    return args


def command(sotto, verb, options):
    """sotto VERB --name value ...; a value of True is a flag, False and None are left out."""
    line = [sotto, verb]
    for name, value in options.items():
        if value is None or value is False:
            continue
        line.append("--" + name.replace("_", "-"))
        if value is not True:
            line.append(str(value))
    return line


def simulate(sotto, **options):
    """{(method, epsilon): {t: [regret of every seed]}} of the methods that were asked for; the seeds are in order."""
    asked = options["method"].split(",")  # best-arm may be played along
    line = command(sotto, "simulate", options)
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        rows = list(csv.DictReader(process.stdout))
    if process.returncode != 0:
        sys.exit("failed: " + " ".join(line))
    points = {}
    for row in sorted(rows, key=lambda row: int(row["seed"])):
        if row["method"] not in asked:
            continue
        cell = points.setdefault((row["method"], float(row["epsilon"])), {})
        cell.setdefault(int(row["t"]), []).append(float(row["regret"]))
    return points


def last(points):
    """{(method, epsilon): [regret of every seed at the last round]}."""
    return {cell: by_t[max(by_t)] for cell, by_t in points.items()}


def regrets(args, method, epsilon, **options):
    """The regret of every seed of one method at the last round."""
    return last(simulate(args.sotto, method=method, epsilon=epsilon, quiet=True, checkpoints=1, **options))[(method, epsilon)]


def mean(values):
    return sum(values) / len(values)


def standard_error(values):
    middle = mean(values)
    squares = sum((value - middle) ** 2 for value in values)
    return math.sqrt(squares / (len(values) - 1) / len(values))


def line(x, y):
    """(a, b) of y = a + b x by least squares."""
    x_mean, y_mean = mean(x), mean(y)
    spread = sum((value - x_mean) ** 2 for value in x)
    together = sum((u - x_mean) * (v - y_mean) for u, v in zip(x, y))
    return y_mean - together / spread * x_mean, together / spread


def exponent(means):
    """e of means ~ x^e, {x: mean}: the slope on log-log paper. All means are above 0."""
    return line([math.log(x) for x in means], [math.log(y) for y in means.values()])[1]


def bootstrap(columns, estimate, draws=400):
    """The standard error of estimate({x: mean}) for {x: [value of every seed]}: the seeds are drawn
    again and again, together in columns of one length, which may be of the same runs."""
    generator = random.Random(1)
    estimates = []
    for _ in range(draws):
        drawn = {}
        for count in {len(values) for values in columns.values()}:
            drawn[count] = generator.choices(range(count), k=count)
        again = {x: mean([values[i] for i in drawn[len(values)]]) for x, values in columns.items()}
        estimates.append(estimate(again))
    return math.sqrt(len(estimates)) * standard_error(estimates)


def rounded(value, digits):
    """So many significant digits, and none of a whole number's: 2,682, 79.3, 0.605."""
    return f"{value:,.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def around(values):
    """Their mean and its standard error, for a table."""
    error = f" ± {rounded(standard_error(values), 3)}" if len(values) > 1 else ""
    return rounded(mean(values), 4) + error


def show(rows):
    wide = [max(len(row[i]) for row in [Row("figure", "wanted", "got", True)] + rows)
            for i in range(3)]
    print(f"{'figure':{wide[0]}}  {'wanted':{wide[1]}}  {'got':{wide[2]}}  pass")
    for row in rows:
        print(f"{row.figure:{wide[0]}}  {row.wanted:{wide[1]}}  {row.got:{wide[2]}}  "
              f"{'yes' if row.passed else 'NO'}")


def load(figures):
    """The rows that scripts have added to a file by --figures."""
    with open(figures, encoding="utf-8") as file:
        return [Row(**json.loads(text)) for text in file]


def finish(args, rows):
    """Prints the figures, keeps them, and leaves with 1 if one of them is missed."""
    print()
    show(rows)
    if args.figures:
        with open(args.figures, "a", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row._asdict()) + "\n")
    sys.exit(0 if all(row.passed for row in rows) else 1)
