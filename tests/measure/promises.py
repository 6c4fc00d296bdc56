#!/usr/bin/env python3
"""What the service promises, the tests that show it, and what they found last: the table of docs/reliability.md.

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
    Promise("What was acknowledged is on the disk: kill -9 loses no report and counts none twice",
            ("sottod_kill", "sottod_postgres_kill"), (("faults", "kills"), ("cluster", "kills"))),
    Promise("A power cut loses nothing that was acknowledged, whatever sectors the disk kept",
            ("sottod_power",), (("faults", "power cuts"),)),
    Promise("A journal that does not wait for the disk would be noticed: synchronous=OFF is caught",
            ("sottod_power",), (("faults", "power cuts"),)),
    Promise("Any call to the disk may fail: the service says so, and goes on or starts again with the same bits",
            ("sottod_faults",), (("faults", "failing calls"),)),
    Promise("A full disk refuses reports with 503 and loses none; with room again it goes on",
            ("sottod_disk",), (("faults", "a full disk"),)),
    Promise("The wall clock may jump: it ends no epoch and keeps none from ending",
            ("sottod_clock",), (("faults", "clocks that jump"),)),
    Promise("The model is a function of the journal: a replay by another program has the same bits",
            ("sottod_kill", "sottod_power", "sottod_postgres_kill"), (("faults", "kills"), ("cluster", "kills"))),
    Promise("Several gateways are one service: a report that is sent to two counts once",
            ("sottod_postgres",), (("cluster", "kills"),)),
    Promise("Of two folders one publishes: no epoch ever has two models",
            ("sottod_postgres_fence", "sottod_postgres_kill"), (("cluster", "two folders"), ("cluster", "kills"))),
    Promise("A database that is away or stands still: models go on, reports wait, and it comes back by itself",
            ("sottod_postgres_away",), (("cluster", "the database away"),)),
    Promise("Old reports are gone from every file of the data folder; with PostgreSQL from every table, while its own log "
            "keeps them until it is recycled",
            ("sottod_kill", "sottod_power", "service/postgres/folding_retain", "sottod_postgres_kill"),
            (("cluster", "kills"),)),
    Promise("A folder of an older version is upgraded at once or not at all; a newer one is refused with words",
            ("sottod_upgrade", "sottod_power")),
    Promise("A backup of a running service is the whole journal of one moment, with the same bits",
            ("sottod_backup", "sottod_postgres_dump")),
    Promise("Who is slow, silent, deaf, large or many is cut, named and counted; honest clients go on",
            ("sottod_abuse",), (("abuse", "abuse"),)),
    Promise("No bytes from outside break a parser", (), (("fuzz", "fuzz_"),)),
    Promise("Threads and sanitizers have nothing to say, under load too",
            ("sottod_abuse",), (("threads", "all tests"), ("abuse", "abuse"))),
    Promise("The watch accuses an honest epoch with chance 1e-6 at most; a crash publishes no held epoch without another look",
            ("sottod_watch", "service/api/watch", "statistical_watch"), (("statistics", "statistical_watch"),)),
    Promise("What any gateway decides of a held epoch is carried out once, also if folders are killed in between",
            ("sottod_postgres_watch",), (("cluster", "decisions"),)),
    Promise("Months of epochs leave nothing behind: memory and files do not grow",
            ("sottod_week",), (("week", "week.py, 50"),)),
    Promise("Folding on many cores changes no bit", ("service/fold/fold",)),
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
    print("| promise | shown by | the last long run |\n|---|---|---|")
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
