#!/usr/bin/env python3
"""Generates the tables and figures of the documents from the CSV files of research/: `make tables`.

A page marks the place of a table with two comments, and what stands between them is written anew:

    <!-- table: research/liars.csv; columns: method, epsilon, 1 % = 1 % of clients; where: setting = shared -->
    <!-- end of table -->

columns: (default: all) names columns of the file, each with `= heading` if the page calls it otherwise. where: keeps
rows whose cell equals, or with ~ contains, the words; several conditions are separated by "and". A file has one number
per cell, and columns that belong together are shown as one:

    X, X ±              12.3 ± 0.4
    X, X low, X high    12 (7 to 20)
    X, X mean           12 (14)

FIGURES are drawn by draw.py. With --check nothing is written; the exit status is 1 if a page or a figure is not what would
be written."""

import csv
import re
import sys
from pathlib import Path

import draw

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("*.md", "docs/*.md", "research/*.md")
FIGURES = {"docs/images/week.svg": "research/week_samples.csv"}
MARK = re.compile(r"(<!-- table: ([^>]+?) -->\n)(.*?)(<!-- end of table -->)", re.S)
JOINED = ((("{} ±",), "{} ± {}"), (("{} low", "{} high"), "{} ({} to {})"), (("{} mean",), "{} ({})"))


def read(path):
    """(columns, rows as dictionaries) of a CSV file; lines that begin with # are remarks."""
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(line for line in file if not line.startswith("#"))
        rows = list(reader)
    return reader.fieldnames, rows


def shown(text):
    """A number from 1,000 on with its commas, anything else as it is."""
    found = re.fullmatch(r"([+-]?)(\d{4,})(\.\d+)?", text)
    return f"{found[1]}{int(found[2]):,}{found[3] or ''}" if found else text.replace("|", "\\|")


def cell(row, column):
    for names, form in JOINED:
        others = [row.get(name.format(column)) for name in names]
        if all(others):
            return form.format(shown(row[column]), *map(shown, others))
    return shown(row[column])


def is_part(column, columns):
    """Does another column show this one?"""
    return any(column == name.format(other) for names, _ in JOINED for name in names for other in columns)


def chosen(words, columns):
    """{column: heading} of `a, b = B`; names may contain commas, so the longest name that fits is taken."""
    if words is None:
        return {column: column for column in columns if not is_part(column, columns)}
    found, rest = {}, words.strip()
    while rest:
        fitting = [column for column in columns if re.match(re.escape(column) + r"\s*(=|,|$)", rest)]
        if not fitting:
            raise ValueError(f'no column "{rest}"; there are: {"; ".join(columns)}')
        column = max(fitting, key=len)
        rest = rest[len(column):].strip()
        heading, rest = (rest[1:].split(",", 1) + [""])[:2] if rest.startswith("=") else (column, rest.lstrip(","))
        found[column], rest = heading.strip(), rest.strip()
    return found


def keeps(row, condition):
    column, sign, words = re.fullmatch(r"(.+?)\s*([=~])\s*(.+)", condition.strip()).groups()
    return words in row[column] if sign == "~" else row[column] == words


def table(words):
    """The Markdown of `research/x.csv; columns: ...; where: ...`."""
    path, *more = [part.strip() for part in words.split(";")]
    options = dict(re.split(r":\s+", part, maxsplit=1) for part in more)
    unknown = set(options) - {"columns", "where"}
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: allowed columns, where")
    columns, rows = read(ROOT / path)
    named = chosen(options.get("columns"), columns)
    conditions = options["where"].split(" and ") if "where" in options else []
    kept = [row for row in rows if all(keeps(row, condition) for condition in conditions)]
    if not kept:
        raise ValueError("no rows")
    lines = ["| " + " | ".join(named.values()) + " |", "|---" * len(named) + "|"]
    lines += ["| " + " | ".join(cell(row, column) for column in named) + " |" for row in kept]
    return "\n".join(lines) + "\n"


def page(text):
    return MARK.sub(lambda mark: mark[1] + table(mark[2]) + mark[4], text)


def wanted_of_all():
    """(path, what should be in it) of every page and figure."""
    for path in sorted(path for pattern in PAGES for path in ROOT.glob(pattern)):
        try:
            yield path, page(path.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            sys.exit(f"{path.relative_to(ROOT)}: {error}")
    for name, source in FIGURES.items():
        yield ROOT / name, draw.svg(ROOT / source)


def main():
    check, stale = sys.argv[1:] == ["--check"], []
    for path, wanted in wanted_of_all():
        if not path.exists() or path.read_text(encoding="utf-8") != wanted:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(wanted, encoding="utf-8")
    if check and stale:
        sys.exit(f"not as research/*.csv has it: {', '.join(stale)}; run `make tables`")
    if stale:
        print("written:", ", ".join(stale))


if __name__ == "__main__":
    main()
