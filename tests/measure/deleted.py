#!/usr/bin/env python3
"""What a deleted experiment leaves in the memory of the service: bytes for each, by RssAnon, over so many of them.
The first ones are not counted: SQLite fills its cache of pages meanwhile, 2 MB, and no more.

    python3 tests/measure/deleted.py build/dev/sottod
"""
import argparse
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))


def anonymous_bytes(process):
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon:"))


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("sottod", type=pathlib.Path)
    words.add_argument("--first", type=int, default=10000, help="that are not counted")
    words.add_argument("--count", type=int, default=10000)
    asked = words.parse_args()
    os.environ["SOTTOD"] = str(asked.sottod.resolve())
    from sottod import Service  # reads SOTTOD
    with Service() as service:
        before = 0
        for i in range(asked.first + asked.count):
            if i == asked.first:
                before = anonymous_bytes(service.process.pid)
            experiment = service.create({"series": i + 1})
            assert service.change(experiment, "delete").status == 200
        grown = anonymous_bytes(service.process.pid) - before
    print(f"deleted {asked.count}, bytes for each {grown / asked.count:.0f}")


if __name__ == "__main__":
    main()
