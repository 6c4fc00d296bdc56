#!/usr/bin/env python3
"""Long versions of what the tests do briefly, in pieces, and one table.

  soak.py                all pieces, each to its end: many hours
  soak.py fuzz bench     these, for at most an hour each
  soak.py --table        the table of what was found so far, as Markdown, and nothing else

Every step that ends is kept in build/soak/steps.jsonl. What passed on this code is not run again, so
that a piece that was stopped, by hand or at the end of its hour, goes on where it was. When all pieces
run, each step has four hours instead, so that nothing is left of a piece. A step that fails does not
stop the others. Exit status: 0 all passed, 1 a step did not, 3 something is left to run."""

import argparse
import hashlib
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import promises
from measure import ROOT, Row, load, show

HOUR_S = 3600  # of a piece that is called by name
STEP_S = 4 * HOUR_S  # of a step when all pieces run: hanging ones end, too
KEPT = os.path.join(ROOT, "build/soak/steps.jsonl")
CODE = ("CMakeLists.txt", "CMakePresets.json", "Makefile", "bench", "cmake", "include", "packaging",
        "src", "tests")
SCRIPTS = os.path.join(ROOT, "tests/measure")
POWER = os.path.join(ROOT, "build/dev/tests/statistical/audit_power")
POWER_SECONDS = 40  # of one row
ALPHA = 0.01  # of the audits in audit_power


class Step(NamedTuple):
    name: str
    line: list
    reads: str = "status"  # "said": and counts, as "figure: 5 kills"; "figures": the program adds rows to a file; "power"
    variables: dict = {}


def cores():
    return str(len(os.sched_getaffinity(0)))


def ctest(preset, test, **variables):
    line = ["ctest", "--preset", preset, "--verbose", "--timeout", str(HOUR_S), "-R", f"^{test}$"]
    return Step(test, line, "said", variables)


def fuzz():
    frames = ("report", "model", "spec", "tally", "learner", "entries", "csv", "libsvm", "schema", "vw", "tables", "export",
              "sweep", "config", "create", "cut", "host", "http", "journal", "tokens", "admin",
              "answer", "anchor", "draft", "inputs", "loan", "outside", "reply", "rows", "published")
    return [ctest("fuzz", f"fuzz_{frame}", SOTTO_FUZZ_SECONDS="600") for frame in frames]


def threads():
    return [Step("all tests under ThreadSanitizer", ["ctest", "--preset", "tsan", "-j", cores()])]


def abuse():
    """The service built with each sanitizer, under a fleet and all attacks, some minutes each."""
    return [ctest(preset, "system_sottod_abuse", SOTTO_SOAK="1")._replace(name=f"abuse, {preset}")
            for preset in ("dev", "asan", "tsan")]


def crashes():
    return [ctest("dev", "test_client_ledger_crash", SOTTO_SOAK="1")]


def tabs():
    """A thousand rounds of a person in six tabs of a browser."""
    return [Step("make web", ["make", "-C", ROOT, "web"]), ctest("dev", "browser_trial", SOTTO_SOAK="1")]


def faults():
    """kill -9 2,000 times, in four steps; more than 500 power cuts; every call that can fail; clocks; a full disk."""
    def step(kind, name):
        return ctest("dev", f"system_sottod_{kind}", SOTTO_SOAK="1")._replace(name=name)
    kills = [step("kill", f"kills, 500 of 2,000, part {part}") for part in range(1, 5)]
    return kills + [step("power", "power cuts"), step("faults", "failing calls"), step("clock", "clocks that jump"),
                    step("disk", "a full disk")]


def cluster():
    """Three gateways over PostgreSQL: kill -9 2,000 times, in four steps; the database away for a minute and still for
    one; two publishers by force; publishers killed after a decision on a held epoch."""
    def step(kind, name):
        return ctest("dev", f"system_sottod_postgres_{kind}", SOTTO_SOAK="1")._replace(name=name)
    kills = [step("kill", f"kills of a cluster, 500 of 2,000, part {part}") for part in range(1, 5)]
    return kills + [step("away", "the database away"), step("fence", "two publishers by force"),
                    step("watch", "decisions and killed publishers")]


def statistics():
    laws = ("audit_correct", "audit_measure", "audit_nulls", "audit_twins", "best_arm", "codebook_law", "harm", "lattice_law",
            "mean", "nulls_law", "off_policy", "regret", "rivals_law", "unbiased", "uplift", "watch")
    return [ctest("dev", f"statistical_{law}", SOTTO_SOAK="1") for law in laws]


def proof():
    """Every array of keys of ten codewords, the whole model of the journal, what Frama-C and Coq prove, and the bugs that they must not."""
    return [*(ctest("dev", name, SOTTO_SOAK="1") for name in ("test_client_choose_exhaustive", "model_journal")),
            Step("make prove", ["make", "-C", ROOT, "prove"]),
            Step("bugs planted for the proof", [os.path.join(ROOT, "tests/prove/prove.sh"), "--planted"])]


def audit_power():
    names = subprocess.run([POWER, "--names"], check=True, capture_output=True, text=True).stdout
    return [Step(name, [POWER, "300", cores(), str(POWER_SECONDS), name], "power")
            for name in names.splitlines()]


def script(name, *options):
    return Step(" ".join((name, *options)), [sys.executable, os.path.join(SCRIPTS, name), *options], "figures")


def agreement():
    return [script("agreement.py"), script("deviations.py")]


def learning():
    names = ("figures.py", "rates.py", "epochs.py", "delay.py", "drift.py", "liars.py", "watch.py", "harm.py",
             "verdicts.py")
    return [script(name) for name in names]


def network():
    """People over HTTP beside the lab, and beside busy loops on one core."""
    return [script("network.py"), script("network.py", "--load", "20")]


def plan():
    return [script("plan.py", "--scene", scene) for scene in ("shared", "logit", "counts", "per-arm", "chances", "shared-chances")]


def bench():
    return [Step("bench_methods", [os.path.join(ROOT, "build/bench/bench_methods")], "figures")]


def slurm():
    return [script("slurm.py")]


def week():
    """A week in an hour, in a directory and over PostgreSQL, and the twins that must be caught. Names say how long they take."""
    line = [sys.executable, os.path.join(SCRIPTS, "week.py")]
    twins = [Step(f"week.py, the twin {twin}", [*line, "--minutes", "4", "--days", "1.5", "--twin", twin], "figures")
             for twin in ("leak", "keep")]
    shared = [*line, "--journal", "postgresql"]
    twins_shared = [Step(f"week.py over PostgreSQL, the twin {twin}", [*shared, "--minutes", "3", "--twin", twin], "figures")
                    for twin in ("leak", "keep")]
    return twins + [Step("week.py, 50 minutes", [*line, "--minutes", "50"], "figures"), *twins_shared,
                    Step("week.py over PostgreSQL, 30 minutes", [*shared, "--minutes", "30"], "figures")]


def cross():
    """What `make cross` does, part by part: all of it takes more than an hour."""
    def step(name, *words):
        return Step(name, ["make", "-C", ROOT, *words])
    other = "64-bit ARM" if platform.machine() == "x86_64" else "x86-64"
    tests = [step(f"tests on {other}, part {i} of 3", "cross-tests", f"SLICE={i},,3") for i in (1, 2, 3)]
    settings = [step(f"random settings, part {i} of 3", "cross-bytes", f"SETTINGS=--random 600 --part {i}/3")
                for i in (1, 2, 3)]
    return [step(f"building for {other}", "cross-build"), *tests, step("the same bytes", "cross-bytes"), *settings]


def release():
    """A release built twice and compared, its packages and wheels in new Debian roots, its image (these need root, and hours on a busy
    machine), and its signature."""
    def step(name, *line):
        return Step(name, list(line), "said")
    return [step("the packages in a Debian root", "make", "-C", ROOT, "try-packages"),
            step("the wheels in Debian roots", "make", "-C", ROOT, "try-wheels"),
            step("the image and its service", "make", "-C", ROOT, "image"),
            step("a release, built twice", "make", "-C", ROOT, "rebuild-check"),
            step("a signed release", os.path.join(ROOT, "packaging/try-signature.sh"), os.path.join(ROOT, "build/signed"))]


# {piece: (the builds that it needs, its steps)}
PIECES = {
    "fuzz": (("fuzz",), fuzz),
    "threads": (("tsan",), threads),
    "abuse": (("dev", "asan", "tsan"), abuse),
    "crashes": (("dev",), crashes),
    "tabs": (("dev",), tabs),
    "faults": (("dev",), faults),
    "cluster": (("dev",), cluster),
    "statistics": (("dev",), statistics),
    "proof": (("dev",), proof),
    "audit-power": (("dev",), audit_power),
    "agreement": (("release",), agreement),
    "learning": (("dev", "release"), learning),
    "network": (("dev", "release"), network),
    "plan": (("release",), plan),
    "bench": (("bench",), bench),
    "cross": ((), cross),
    "release": ((), release),
    "slurm": (("release",), slurm),
    "week": (("dev",), week),
}


# ---- what is kept ---------------------------------------------------------------------------------


def code():
    """A name for the code as it is, committed or not."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words, "--", *CODE], check=True,
                              capture_output=True).stdout
    return hashlib.sha256(git("ls-files", "-s") + git("diff", "HEAD")).hexdigest()[:16]


def kept(now):
    """{(piece, step): entry} of the code `now`; the last one of each counts."""
    entries = {}
    if os.path.exists(KEPT):
        with open(KEPT, encoding="utf-8") as file:
            for text in file:
                try:
                    entry = json.loads(text)
                except ValueError:
                    continue  # cut short when it was written
                if entry["code"] == now:
                    entries[entry["piece"], entry["step"]] = entry
    return entries


def keep(entry):
    os.makedirs(os.path.dirname(KEPT), exist_ok=True)
    with open(KEPT, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def passed(entry):
    return all(row["passed"] for row in entry["rows"])


# ---- one step -------------------------------------------------------------------------------------


def most_alarms(audits):
    """The number of false alarms at ALPHA that is passed with chance below 1e-4 only."""
    most, above = 0, 1.0
    while True:
        above -= math.comb(audits, most) * ALPHA**most * (1 - ALPHA)**(audits - most)
        if above < 1e-4:
            return most
        most += 1


def power_row(step, printed):
    """What audit_power found for one mechanism: `correct ...` is accused rarely, a twin always."""
    found = re.search(r"\| (\d+) of (\d+) \|", printed)
    if not found:
        return Row(step.name, "a row", "none", False)
    caught, audits = map(int, found.groups())
    if step.name.startswith("correct "):
        most = most_alarms(audits)
        return Row(step.name, f"accused <= {most} of {audits}", f"{caught}", caught <= most)
    return Row(step.name, f"caught {audits} of {audits}", f"{caught}", caught == audits)


def run(step, seconds):
    """The rows of a step, or None if its time was over."""
    line = list(step.line)
    environment = dict(os.environ, **step.variables)
    with tempfile.TemporaryDirectory() as directory:
        figures = os.path.join(directory, "figures")
        open(figures, "w", encoding="utf-8").close()
        if step.reads == "figures":
            line += ["--figures", figures]
        pipe = subprocess.PIPE if step.reads in ("said", "power") else None
        try:
            with subprocess.Popen(line, cwd=ROOT, env=environment, stdout=pipe, text=True,
                                  start_new_session=True) as process:
                try:
                    printed, _ = process.communicate(timeout=seconds)
                except BaseException as error:  # the time is over, or somebody stops all of it
                    os.killpg(process.pid, 9)
                    if isinstance(error, subprocess.TimeoutExpired):
                        return None
                    raise
            status, end = process.returncode, f"exit status {process.returncode}"
        except OSError as error:
            status, end, printed = 1, str(error), ""
        rows = load(figures)
    if step.reads == "power" and status == 0:
        print(printed, end="")
        return [power_row(step, printed)]
    if step.reads == "figures":
        explained = status == 0 or (status == 1 and not all(row.passed for row in rows))
        if rows and explained:
            return rows
        return rows + [Row(step.name, "figures", f"{end}, {len(rows)} figures", False)]
    if step.reads == "said" and status != 0:
        print(printed, end="")
    said = re.findall(r"^.*?figure: (.*)$", printed or "", re.M)
    said += [f"{runs} inputs" for runs in re.findall(r"Done (\d+) runs in \d+ second", printed or "")]
    return [Row(step.name, "exit status 0", end, status == 0)] + [Row(step.name, "a figure", text, True) for text in said]


# ---- pieces ---------------------------------------------------------------------------------------


def build(presets):
    for preset in presets:
        subprocess.run(["make", "-C", ROOT, f"preset-{preset}"], check=True)


def steps_of(piece):
    presets, steps = PIECES[piece]
    build(presets)
    return steps()


def run_piece(piece, now, to_its_end):
    """Runs what is left of a piece, for an hour, or with STEP_S for each step; how many steps are left then."""
    steps = steps_of(piece)
    start, left = time.monotonic(), 0
    for i, step in enumerate(steps):
        old = kept(now).get((piece, step.name))
        if old and passed(old):
            print(f"== {piece}, {i + 1} of {len(steps)}: {step.name}: passed before", flush=True)
            continue
        begun = time.monotonic()
        print(f"== {piece}, {i + 1} of {len(steps)}: {step.name}, after "
              f"{(begun - start) / 60:.1f} minutes", flush=True)
        rows = run(step, STEP_S if to_its_end else max(1, HOUR_S - (begun - start)))
        if rows is None and to_its_end:
            print(f"== {piece}: {step.name} takes more than {STEP_S / HOUR_S:g} hours, and is left", flush=True)
            left += 1
            continue
        if rows is None:
            print(f"== {piece}: its hour is over; run it again to go on", flush=True)
            return len(steps) - i
        keep(dict(code=now, piece=piece, step=step.name, seconds=time.monotonic() - begun,
                  rows=[row._asdict() for row in rows]))
    return left


def table(now):
    """Rows of all that was found on this code, piece by piece."""
    entries = kept(now)
    return [(piece, entry["seconds"], Row(**row)) for piece in PIECES
            for (of, _), entry in entries.items() if of == piece for row in entry["rows"]]


def print_markdown(now):
    print("| piece | figure | wanted | got | passes |\n|---|---|---|---|---|")
    for piece, _, row in table(now):
        print(f"| {piece} | {row.figure} | {row.wanted} | {row.got} | "
              f"{'yes' if row.passed else 'NO'} |")
    print("\n| piece | steps | minutes |\n|---|---:|---:|")
    for piece in PIECES:
        seconds = [e["seconds"] for (of, _), e in kept(now).items() if of == piece]
        if seconds:
            print(f"| {piece} | {len(seconds)} | {sum(seconds) / 60:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pieces", nargs="*", metavar="PIECE", help=", ".join(PIECES))
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    for piece in args.pieces:
        if piece not in PIECES:
            parser.error(f"{piece}: allowed {', '.join(PIECES)}")
    now = code()
    if args.table:
        print_markdown(now)
        return
    left = sum(run_piece(piece, now, not args.pieces) for piece in args.pieces or PIECES)
    rows = [row for piece, _, row in table(now) if piece in (args.pieces or PIECES)]
    missed = sum(not row.passed for row in rows)
    print(f"\n== {len(rows)} figures, of them missed: {missed}; steps left: {left}\n")
    show(rows)
    print("\nWhat the service promises (docs/guarantees.md):\n")
    promises.print_table(kept(now))
    sys.exit(1 if missed else 3 if left else 0)


if __name__ == "__main__":
    main()
