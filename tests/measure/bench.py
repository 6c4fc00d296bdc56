#!/usr/bin/env python3
"""What `make bench` printed, as files of research/.

    make bench | tee build/bench.txt
    python3 tests/measure/bench.py build/bench.txt --write

A table of TABLES is found by the form of its rows: what stands in a line, one group per column. Without --write the tables
are printed. Files whose rows are not in the text stay as they are."""

import argparse
import re
import sys

from research import Table

N = r"([\d.,]+)"
ATTACKS = "slow-heads|slow-bodies|idle|unread|large|headers|pipeline|refused|half-open"
# File, its columns, the form of its rows.
TABLES = (
    ("speed_steps", ("step", "dim", "arms", "codewords", "ns", "random, ns", "ratio"),
     rf"(begin|decide|decode|encode|fold|score\+privatise) +{N} +{N} +{N} +{N}(?: +{N} +{N})?"),
    ("speed_noise", ("law", "scale", "random numbers", "ns per tick", "normal as floating point, ns", "ratio"),
     rf"(gaussian|laplace) +{N} (seeded|system) +{N} +{N} +{N}"),
    ("speed_audit", ("mechanism", "dim", "trials per second", "ns", "draw, ns", "ratio"),
     rf"(codebook|l2ball|privunit|gaussian|laplace) +{N} +{N} +{N} +{N} +(\d+\.\d)"),
    ("speed_shuffle", ("epsilon", "reports", "epsilon_c", "epsilon_c, ms", "delta, ms", "ratio"),
     rf" +([14]) +(10000|100000|1000000) +{N} +{N} +{N} +{N}"),
    ("speed_rounds", ("method", "calibration", "parameters", "dim", "arms", "µs", "random numbers, µs", "ratio", "authors, µs",
                      "times as fast", "two threads"),
     rf"([a-z-]+) +(exact|published) +(shared|per-arm) +{N} +{N} +{N} +{N} +{N} +(\S+) +(\S+) +{N}"),
    ("service", ("connections", "frames per POST", "server", "requests/s", "reports/s", "p50, ms", "p99, ms",
                 "processor, µs per report"),
     rf" +{N} +{N}  (nginx|sottod) +{N}(?: +([\d,]+))?(?: +(\d+\.\d\d))(?: +(\d+\.\d\d))(?: +(\d+\.\d\d))? *"),
    ("cluster", ("connections", "frames per POST", "service", "reports/s", "over SQLite", "sottod, cores", "postgres, cores",
                 "wrk, cores", "commits/s"),
     rf" +{N} +{N}  (SQLite|\d gateways?) +{N} +{N} +{N} +{N} +{N} +{N}"),
    ("cluster_epochs", ("connections", "service", "reports/s", "publishes", "publisher at work", "waiting",
                        "publisher, s per million"),
     rf" +{N}  (\d gateways?) +{N} +{N} +{N} +{N} +{N}"),
    ("device_rounds", ("ledger", "dim", "arms", "µs", "processor, µs", "fsyncs", "fsync, µs", "ratio"),
     rf"(in (?:memory|a file)(?:, [a-z\d, ]+?)?) +(\d+) +(\d+) +(\d+\.\d) +(\d+\.\d) +(\d+) +(\d+\.\d) +(\d+\.\d)"),
    ("device_memory", ("ledger", "dim", "arms", "devices", "idle, bytes", "idle RSS", "in a round, bytes", "in a round RSS",
                       "wire and site, bytes"),
     r"(in memory|in a file) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)"),
    ("device_network", ("devices", "server", "http, µs", "http processor, µs", "http rounds/s", "https, µs",
                        "https processor, µs", "https rounds/s", "https over http", "https over http, processor"),
     rf"(\S.+?) +(stand-in|sottod) +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N}"),
    ("fleet", ("batch", "server", "reports/s", "fleet, µs per report", "server, µs per report"),
     rf" +{N}  (stand-in|sottod) +{N} +{N} +{N}"),
    ("fold", ("kind", "dim", "arms", "bytes", "frames", "ns per frame", "guess, ns", "merge, ns", "guess of merge, ns",
              "pool of one", "pool of two"),
     rf"(signs|shared|ticks|warm-up|joint|split) +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N}"),
    ("fold_wake", ("kind", "dim", "arms", "frames", "µs", "woken", "chosen"),
     r"(signs|shared) +(\d+) +(\d+) +(\d+) +(\d+) +(\d\.\d+) +(\d\.\d+)"),
    ("intake", ("kind", "dim", "arms", "bytes", "check", "nonce", "sort", "digest", "fold"),
     r"(signs|shared|ticks|split) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)"),
    ("abuse", ("limits per address", "attack", "connections", "things/s", "did", "sottod in peace", "sottod attacked", "ratio",
               "ratio per processor", "nginx in peace", "nginx attacked", "nginx ratio", "connections open", "MiB more",
               "% of a core"),
     rf"()({ATTACKS}) +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N} +{N} +(\d+)%.*"),
)


def found(text, pattern):
    return [[cell or "" for cell in match.groups()] for match in map(re.compile(pattern).fullmatch, text.splitlines()) if match]


def with_limits(rows):
    """The first table of attacks has limits per address, the second one none."""
    seen = set()
    for row in rows:
        row[0] = "off" if row[1] in seen else "on"
        seen.add(row[1])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="what make bench printed; - is the standard input")
    parser.add_argument("--write", action="store_true", help="keep the tables in research/*.csv")
    args = parser.parse_args()
    text = sys.stdin.read() if args.file == "-" else open(args.file, encoding="utf-8").read()
    for name, columns, pattern in TABLES:
        rows = found(text, pattern)
        if name == "abuse":
            rows = with_limits(rows)
        if not rows:
            print(f"{name}: no rows in {args.file}", file=sys.stderr)
            continue
        print(f"\n{name}\n")
        table = Table(args, name, columns)
        for row in rows:
            table.row(*row)
        table.close()


if __name__ == "__main__":
    main()
