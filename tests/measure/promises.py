#!/usr/bin/env python3
"""What the service promises, the tests that show it, and what they found last: the table of docs/guarantees.md.

  promises.py            the table, as Markdown, with what `make soak` kept of this code
  promises.py --check    exit status 1 if a test or a step that is named here does not exist"""

import os
import re
import sys
from typing import NamedTuple

from measure import ROOT

TESTS = os.path.join(ROOT, "tests")
COUNT = re.compile(r"(?<![\d.-])\d+(?!\.?\d)")  # neither 0.01 nor -9 is one


class Promise(NamedTuple):
    says: str
    tests: tuple  # of `make test`: files of tests/system, of tests/unit with their room, or of tests/statistical
    steps: tuple = ()  # of `make soak`: (piece, the beginning of a step's name)


PROMISES = (
    Promise("An acknowledged report is durable: kill -9 loses none and counts none twice",
            ("sottod_kill", "sottod_postgres_kill"), (("faults", "kills"), ("cluster", "kills"))),
    Promise("A power cut loses no acknowledged report, whichever sectors the disk kept",
            ("sottod_power",), (("faults", "power cuts"),)),
    Promise("The power-cut test works: it detects a journal with synchronous=OFF",
            ("sottod_power",), (("faults", "power cuts"),)),
    Promise("If a disk call fails, the service reports it and continues, or restarts with the same bits",
            ("sottod_faults",), (("faults", "failing calls"),)),
    Promise("On a full disk, reports get 503 and none is lost; the service continues when there is room",
            ("sottod_disk",), (("faults", "a full disk"),)),
    Promise("A jump of the wall clock neither ends nor delays an epoch",
            ("sottod_clock",), (("faults", "clocks that jump"),)),
    Promise("The journal determines the model: a replay by another program gives the same bits",
            ("sottod_kill", "sottod_power", "sottod_postgres_kill"), (("faults", "kills"), ("cluster", "kills"))),
    Promise("A report sent to two gateways counts once",
            ("sottod_postgres",), (("cluster", "kills"),)),
    Promise("No epoch ever has two models, even if two publishers compete",
            ("sottod_postgres_fence", "sottod_postgres_kill"), (("cluster", "two publishers"), ("cluster", "kills"))),
    Promise("While the database is away or hangs, models are served and reports wait; service resumes by itself",
            ("sottod_postgres_away",), (("cluster", "the database away"),)),
    Promise("Old reports are removed from every file of the data directory, or from every table (PostgreSQL's own log keeps "
            "them until it is recycled)",
            ("sottod_kill", "sottod_power", "service/store/postgres/folding_retain", "sottod_postgres_kill"),
            (("cluster", "kills"),)),
    Promise("A data directory of another format is refused with a reason, and not changed", ("sottod_format",)),
    Promise("A backup of a running service is the whole journal at one moment, with the same bits",
            ("sottod_backup", "sottod_postgres_dump")),
    Promise("Abusive clients are cut off and counted; honest clients are still served",
            ("sottod_abuse",), (("abuse", "abuse"),)),
    Promise("Over PostgreSQL, floods of copies or late frames stop no epoch, and each frame is counted",
            ("sottod_postgres_flood",)),
    Promise("No input breaks a parser", (), (("fuzz", "fuzz_"),)),
    Promise("Thread and memory sanitizers find nothing, also under load",
            ("sottod_abuse",), (("threads", "all tests"), ("abuse", "abuse"))),
    Promise("The watch raises a false alarm in at most one honest epoch in 10^6; a crash never publishes a held epoch "
            "untested",
            ("sottod_watch", "service/api/results", "statistical_watch"), (("statistics", "statistical_watch"),)),
    Promise("A decision about a held epoch is carried out once, even if publishers are killed",
            ("sottod_postgres_watch",), (("cluster", "decisions"),)),
    Promise("Memory and files do not grow over months of epochs",
            ("sottod_week",), (("week", "week.py, 50"),)),
    Promise("The number of threads changes no bit of a model", ("service/fold/fold",)),
)


def file_of(test):
    """The file of a test; "sottod_kill", "service/fold/fold" or "statistical_watch"."""
    room, _, name = test.rpartition("/")
    if test.startswith("statistical_"):
        return os.path.join(TESTS, "statistical", f"test_{test.removeprefix('statistical_')}.c")
    if room:
        return os.path.join(TESTS, "unit", room, f"test_{name}.c")
    return os.path.join(TESTS, "system", f"test_{name}.py")


def steps_of(piece, beginning):
    """Names of the steps that soak.py would run."""
    import soak
    return [step.name for step in soak.PIECES[piece][1]() if step.name.startswith(beginning)]


def together(figures):
    """Sentences that differ in their counts alone are one, with the sums: 5 kills, 7 kills: 12 kills."""
    sums = {}
    for text in figures:
        shape = COUNT.sub("{:,}", text)
        counts = map(int, COUNT.findall(text))
        sums[shape] = [a + b for a, b in zip(sums[shape], counts)] if shape in sums else list(counts)
    return [shape.format(*counts) for shape, counts in sums.items()]


def figures_of(rows):
    """What programs said is added up; what scripts measured stands as it is. An exit status is no figure."""
    said = [row["got"] for row in rows if row["wanted"] == "a figure"]
    measured = [f"{row['figure']}: {row['got']}" for row in rows if row["wanted"] not in ("a figure", "exit status 0")]
    return together(said) + measured


def summary(entries, piece, beginning):
    """How many of the steps whose names begin so were run, and what they found."""
    wanted = steps_of(piece, beginning)
    run = [entries[piece, name] for name in wanted if (piece, name) in entries]
    if not run:
        return f"{piece}: not run on this code"
    failed = sum(not all(row["passed"] for row in entry["rows"]) for entry in run)
    said = f"{piece}: {len(run)} of {len(wanted)} steps run" + (f", {failed} FAILED" if failed else "")
    figures = figures_of([row for entry in run for row in entry["rows"]])
    return said + (": " + "; ".join(figures) if figures else "")


def cell(entries, promise):
    return "<br>".join(summary(entries, *step) for step in promise.steps) or "in `make test` alone"


def print_table(entries):
    print("| guarantee | shown by | the last long run |\n|---|---|---|")
    for promise in PROMISES:
        tests = ", ".join(f"`{test}`" for test in promise.tests)
        print(f"| {promise.says} | {tests or '`make soak`'} | {cell(entries, promise)} |")


def missing(pieces):
    """Names in PROMISES that nothing has."""
    return ([test for promise in PROMISES for test in promise.tests if not os.path.exists(file_of(test))] +
            [f"{piece}, {beginning}" for promise in PROMISES for piece, beginning in promise.steps
             if piece not in pieces or not steps_of(piece, beginning)])


def main():
    import soak
    if sys.argv[1:] == ["--check"]:
        gone = missing(soak.PIECES)
        print("\n".join(f"{name}: there is no such test or step" for name in gone))
        sys.exit(1 if gone else 0)
    print_table(soak.kept(soak.code()))


if __name__ == "__main__":
    main()
