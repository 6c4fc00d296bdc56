"""Tables of measurements: printed as Markdown, row by row, and with --write kept in research/NAME.csv.

A cell of a file holds one number, so columns whose cells are printed as `12.3 ± 0.4`, `12 (7 to 20)` or `12 (14)` become
X and X ±, X and X low and X high, or X and X mean. tests/measure/tables.py puts them together again."""

import csv
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBER = r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?"
FORMS = ((("", " ±"), rf"({NUMBER}) ± ({NUMBER})"),
         (("", " low", " high"), rf"({NUMBER}) \(({NUMBER}) to ({NUMBER})\)"),
         (("", " mean"), rf"({NUMBER}) \(({NUMBER})\)"))


def plain(cell):
    """A number without the commas of thousands, anything else as it is."""
    return cell.replace(",", "") if re.fullmatch(NUMBER, cell) else cell


def split(heading, cells):
    """(headings, cells of each heading) of one printed column."""
    said = [cell for cell in cells if cell not in ("", "-", "–", "none")]
    for endings, pattern in FORMS:
        if said and all(re.fullmatch(f"{pattern}|{NUMBER}", cell) for cell in said):
            if not any(re.fullmatch(pattern, cell) for cell in said):
                continue
            found = [re.fullmatch(pattern, cell) for cell in cells]
            parts = [list(map(plain, match.groups())) if match else [plain(cell)] + [""] * (len(endings) - 1)
                     for match, cell in zip(found, cells)]
            return [heading + ending for ending in endings], list(zip(*parts))
    return [heading], [list(map(plain, cells))]


class Table:
    """The head of a table is printed when it is made, unless shown is false: then its script prints in its own way.
    With keys, a file keeps the rows whose first cells, as many as keys says, are not played: so sets and scenes can be
    measured one at a time."""

    def __init__(self, args, name, columns, keys=0, shown=True, directory=os.path.join(ROOT, "research")):
        self.writes, self.name, self.keys, self.directory = getattr(args, "write", False), name, keys, directory
        self.columns, self.rows, self.shown = list(columns), [], shown
        if shown:
            print("| " + " | ".join(self.columns) + " |")
            print("|---" * len(self.columns) + "|", flush=True)

    def row(self, *cells):
        cells = [str(cell) for cell in cells]
        assert len(cells) == len(self.columns), cells
        self.rows.append(cells)
        if self.shown:
            print("| " + " | ".join(cells) + " |", flush=True)

    def close(self):
        if not self.writes:
            return
        headings, columns = [], []
        for i, heading in enumerate(self.columns):
            names, cells = split(heading, [row[i] for row in self.rows])
            headings += names
            columns += cells
        rows = [dict(zip(headings, row)) for row in zip(*columns)]
        path = os.path.join(self.directory, self.name + ".csv")
        if self.keys and os.path.exists(path):
            rows = merged(path, headings, rows, headings[:self.keys])
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, headings, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        record(self.directory, self.name + ".csv")


def merged(path, headings, rows, keys):
    """The rows of the file in their order, those that were played again replaced, new ones at the end."""
    with open(path, encoding="utf-8", newline="") as file:
        before = list(csv.DictReader(file))
    new = {tuple(row[key] for key in keys): row for row in rows}
    kept = [new.pop(tuple(row.get(key) for key in keys), row) for row in before]
    return [{heading: row.get(heading, "") for heading in headings} for row in [*kept, *new.values()]]


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return git("rev-parse", "--short=8", "HEAD") + (", changed" if git("status", "--porcelain", "-uno", "src") else "")


def record(directory, name):
    """Sets the commit of a file in index.csv. A new file gets a row there, whose words are left to its author."""
    path = os.path.join(directory, "index.csv")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = [row for row in rows if row["file"] == name]
    if not found:
        found = [{"file": name, "what": "", "command": ""}]
        rows += found
    found[0]["commit"] = commit()
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["file", "what", "command", "commit"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
