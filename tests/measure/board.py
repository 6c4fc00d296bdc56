#!/usr/bin/env python3
"""Flash, RAM and stack of the client on a board, by feature: research/board.csv.

    tests/measure/board.py [--out FILE] [--compiler arm-linux-gnueabihf-gcc] [--emulator "qemu-arm -L /usr/arm-linux-gnueabihf"]

board.c is compiled with all of src/core and src/client, for size and without what no function calls. Flash is what the
linked program has more than the same program without Sotto (text, constants, data), with a C library that is shared. RAM is
static data and the heap while a round is decided. Stack is what a whole round paints over, with what the C library
takes on the way."""

import argparse
import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
FEATURES = ("without Sotto", "terms and a model", "rounds, ledger in memory", "rounds, ledger in a file",
            "rounds, ledger behind calls")
SIZES = ((2, 10), (20, 20))
FLAGS = ("-std=c17 -Os -ffunction-sections -fdata-sections -fno-fast-math -ffp-contract=off -fno-math-errno "
         "-D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64").split()


def sources(room: str) -> list[str]:
    """The files of a room as its CMakeLists.txt has them, for a machine without files of its own."""
    text = (SOURCE / "src" / room / "CMakeLists.txt").read_text()
    names = re.search(r"SOURCES(.*?)(LINKS|USES)", text, re.S).group(1).split()
    return [name.replace("${digest}", "other").replace("${platform}", "other").replace("${watch}", "linux") for name in names]


def compiled(compiler: str, directory: Path) -> list[str]:
    objects = []
    for room, side in (("core", "CORE"), ("client", "CLIENT")):
        for name in sources(room):
            out = directory / f"{room}_{name}.o"
            subprocess.run([compiler, *FLAGS, f"-DSOTTO_SIDE_{side}", f"-I{SOURCE}/include", f"-I{SOURCE}/src", "-c",
                            str(SOURCE / "src" / room / name), "-o", str(out)], check=True)
            objects.append(str(out))
    return objects


def sizes(compiler: str, program: Path) -> tuple[int, int]:
    """Bytes in flash (text, constants, initial data) and of static data."""
    tool = compiler.removesuffix("gcc") + "size"
    text, data, bss = subprocess.check_output([tool, str(program)], text=True).splitlines()[1].split()[:3]
    return int(text) + int(data), int(data) + int(bss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=str(SOURCE / "research/board.csv"))
    parser.add_argument("--compiler", default="arm-linux-gnueabihf-gcc")
    parser.add_argument("--emulator", default="qemu-arm -L /usr/arm-linux-gnueabihf")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        objects = compiled(asked.compiler, directory)
        nothing = None
        for feature, title in enumerate(FEATURES):
            program = directory / f"board{feature}"
            subprocess.run([asked.compiler, *FLAGS, f"-DFEATURE={feature}", f"-I{SOURCE}/include",
                            str(SOURCE / "tests/measure/board.c"), *objects, "-Wl,--gc-sections", "-lm", "-o", str(program)],
                           check=True)
            found = sizes(asked.compiler, program)
            nothing = nothing or found
            for dim, arms in SIZES if feature > 0 else ():
                path = directory / f"ledger-{feature}-{dim}"
                heap, stack = map(int, subprocess.check_output(
                    [*shlex.split(asked.emulator), str(program), str(dim), str(arms), str(path)], text=True).split())
                rows.append((title, dim, arms, found[0] - nothing[0], found[1] - nothing[1], heap, stack))
    with open(asked.out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator=os.linesep)
        writer.writerow(("feature", "d", "K", "flash bytes", "static bytes", "heap bytes", "stack bytes"))
        writer.writerows(rows)
    sys.stdout.write(Path(asked.out).read_text())


if __name__ == "__main__":
    main()
