#!/usr/bin/env python3
"""All measurements, one after the other, and at the end one table of all their figures.

A script that fails does not stop the others. With --quick each plays fewer seeds, and speed, which
needs a quiet machine and minutes, is left out."""

import os
import subprocess
import sys
import tempfile
import time

from measure import ROOT, Row, arguments, finish, load

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ("agreement.py", "figures.py", "rates.py", "plan.py", "epochs.py", "drift.py", "liars.py",
           "deviations.py")
BENCH = os.path.join(ROOT, "build/bench/bench_methods")


def jobs(args):
    """[(name, command line without --figures)]."""
    flags = ["--sotto", args.sotto] + (["--quick"] if args.quick else [])
    scripts = [(name, [sys.executable, os.path.join(HERE, name)] + flags) for name in SCRIPTS]
    return scripts if args.quick else scripts + [("bench_methods", [BENCH])]


def measure(name, line, figures):
    """The rows of one job, and another if it ended badly for another reason than a figure."""
    open(figures, "w", encoding="utf-8").close()
    try:
        status = subprocess.run(line + ["--figures", figures], check=False).returncode
        end = f"exit status {status}"
    except OSError as error:
        status, end = 1, str(error)
    rows = load(figures)
    explained = status == 0 or (status == 1 and not all(row.passed for row in rows))
    if not (explained and rows):
        rows.append(Row(name, "figures", f"{end}, {len(rows)} figures", False))
    return rows


def main():
    args = arguments(__doc__)
    rows, start = [], time.monotonic()
    work = jobs(args)
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, line) in enumerate(work):
            minutes = (time.monotonic() - start) / 60
            print(f"\n== {i + 1} of {len(work)}: {name}, after {minutes:.1f} minutes", flush=True)
            rows += measure(name, line, os.path.join(folder, "figures"))
    missed = sum(not row.passed for row in rows)
    print(f"\n== all figures: {len(rows)}, of them missed: {missed}; "
          f"{(time.monotonic() - start) / 60:.1f} minutes")
    finish(args, rows)


if __name__ == "__main__":
    main()
