"""Checks a journal of sottod, from docs/formats.md alone, also while the service runs:

    python3 check_journal.py journal.sqlite

Prints "whole", or fails and names the damaged row. The layouts are in the notation of that page."""
import hashlib, sqlite3, struct, sys

TABLES = {
    "experiment": "number:I id state:I created_minute:Q epoch_seconds_min:I epoch_reports_min:Q terms:* start:* "
                  "labels:* epoch_reports_expected:Q quarantine:I report_key:*",
    "ends": "experiment:I anchor_seq:Q anchor head_seq:Q head",
    "snapshot": "experiment:I seq:Q folded:Q late:Q duplicate:Q conflicting:Q learner:*",
    "history": "experiment:I epoch:I minute:Q publishes:I learn:Q control:Q follow:Q control_sum:q follow_sum:q "
               "late:Q duplicate:Q conflicting:Q alarms:I",
    "recovery": "number:I kept_to:Q last:Q"}
JOURNAL = "seq:Q experiment:I kind:I epoch:I minute:Q late:I duplicate:I conflicting:I frames:*"

def digest(start, layout, row):
    parts = [start]
    for field, x in zip(layout.split(), row):
        kind = field.partition(":")[2]
        x = x.encode() if isinstance(x, str) else x
        parts += [struct.pack("<Q", len(x)), x] if kind == "*" else [struct.pack("<" + kind, x) if kind else x]
    return hashlib.sha256(b"".join(parts)).digest()

def rows(table, layout):
    names = ", ".join(field.partition(":")[0] for field in layout.split())
    return journal.execute(f"SELECT {names}, digest FROM {table} ORDER BY 1")

journal = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
journal.execute("BEGIN")        # one state, though a service may write meanwhile
format = journal.execute("PRAGMA user_version").fetchone()[0]
assert format == 2, f"format {format}"
for table, layout in TABLES.items():
    for *row, stored in rows(table, layout):
        assert stored == digest(table.encode(), layout, row), f"{table} of experiment {row[0]}"
ends = {row[0]: list(row[1:5]) for row in rows("ends", TABLES["ends"])}
numbers = [row[0] for row in rows("experiment", TABLES["experiment"])]
assert numbers == list(range(1, len(numbers) + 1)) == sorted(ends), "numbers of experiments"
for *row, stored in rows("journal", JOURNAL):
    end = ends[row[1]]
    assert stored == digest(end[1], JOURNAL, row), f"row {row[0]} of experiment {row[1]}"
    end[:2] = row[0], stored
for e, end in ends.items():
    assert end[:2] == end[2:], f"experiment {e}: rows end at {end[0]}, not at {end[2]}"
print("whole")
