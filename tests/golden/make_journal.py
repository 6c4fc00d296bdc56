#!/usr/bin/env python3
"""Writes a tiny journal, from docs/formats.md: it shares no code with the service.
Usage: make_journal.py > journal.sql"""
import hashlib
import struct


def u32(x):
    return struct.pack("<I", x)


def u64(x):
    return struct.pack("<Q", x)


def i64(x):
    return struct.pack("<q", x)


def data(x):
    return u64(len(x)) + x


def digest(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def literal(value):
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return f"'{value}'" if isinstance(value, str) else str(value)


def insert(table, *values):
    print(f"INSERT INTO {table} VALUES ({', '.join(map(literal, values))});")


TABLES = """PRAGMA application_id=1397707844;
PRAGMA user_version=2;
CREATE TABLE experiment (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, state INTEGER NOT NULL, created_minute INTEGER NOT NULL, epoch_seconds_min INTEGER NOT NULL, epoch_reports_min INTEGER NOT NULL, epoch_reports_expected INTEGER NOT NULL, quarantine INTEGER NOT NULL, report_key BLOB NOT NULL, terms BLOB NOT NULL, start BLOB NOT NULL, labels TEXT NOT NULL, digest BLOB NOT NULL);
CREATE TABLE ends (experiment INTEGER PRIMARY KEY, anchor_seq INTEGER NOT NULL, anchor BLOB NOT NULL, head_seq INTEGER NOT NULL, head BLOB NOT NULL, digest BLOB NOT NULL);
CREATE TABLE journal (seq INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, kind INTEGER NOT NULL, epoch INTEGER NOT NULL, minute INTEGER NOT NULL, late INTEGER NOT NULL, duplicate INTEGER NOT NULL, conflicting INTEGER NOT NULL, frames BLOB NOT NULL, digest BLOB NOT NULL);
CREATE INDEX journal_by_experiment ON journal (experiment, seq);
CREATE TABLE snapshot (experiment INTEGER PRIMARY KEY, seq INTEGER NOT NULL, folded INTEGER NOT NULL, late INTEGER NOT NULL, duplicate INTEGER NOT NULL, conflicting INTEGER NOT NULL, learner BLOB NOT NULL, digest BLOB NOT NULL);
CREATE TABLE history (experiment INTEGER NOT NULL, epoch INTEGER NOT NULL, minute INTEGER NOT NULL, publishes INTEGER NOT NULL, learn INTEGER NOT NULL, control INTEGER NOT NULL, follow INTEGER NOT NULL, control_sum INTEGER NOT NULL, follow_sum INTEGER NOT NULL, late INTEGER NOT NULL, duplicate INTEGER NOT NULL, conflicting INTEGER NOT NULL, alarms INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (experiment, epoch)) WITHOUT ROWID;
CREATE INDEX history_by_minute ON history (minute);
CREATE TABLE recovery (number INTEGER PRIMARY KEY, kept_to INTEGER NOT NULL, last INTEGER NOT NULL, digest BLOB NOT NULL);"""


def experiment(number, name, state, terms, start, labels, expected=0, quarantine=0, key=b""):
    id = name.ljust(16, b"\0")
    insert("experiment", number, id, state, 29388299, 60, 20, expected, quarantine, key, terms, start, labels,
           digest(b"experiment", u32(number), id, u32(state), u64(29388299), u32(60), u64(20), data(terms), data(start),
                  data(labels.encode()), u64(expected), u32(quarantine), data(key)))


def ends(e, anchor_seq, anchor, head_seq, head):
    insert("ends", e, anchor_seq, anchor, head_seq, head,
           digest(b"ends", u32(e), u64(anchor_seq), anchor, u64(head_seq), head))


def row(before, seq, e, kind, epoch, minute, late, duplicate, conflicting, frames):
    own = digest(before, u64(seq), u32(e), u32(kind), u32(epoch), u64(minute), u32(late), u32(duplicate),
                 u32(conflicting), data(frames))
    insert("journal", seq, e, kind, epoch, minute, late, duplicate, conflicting, frames, own)
    return own


def history(e, epoch, minute, publishes, *counts, alarms=0):
    control_sum, follow_sum = counts[3:5]
    insert("history", e, epoch, minute, publishes, *counts, alarms,
           digest(b"history", u32(e), u32(epoch), u64(minute), u32(publishes), *map(u64, counts[:3]), i64(control_sum),
                  i64(follow_sum), *map(u64, counts[5:]), u32(alarms)))


ZEROS = bytes(32)
print(TABLES)
experiment(1, b"one", 0, b"terms of one", b"start of one", '{"arm":"left"}', expected=5000, quarantine=1)
experiment(2, b"two", 3, b"", b"", "")
experiment(3, b"three", 1, b"terms of three", b"start of three", "{}", key=digest(b"a key for reports"))
anchor = digest(b"a row that was removed")
last = row(anchor, 3, 1, 0, 0, 0, 1, 2, 3, b"frames of row three")
first = row(ZEROS, 4, 3, 0, 0, 0, 0, 0, 0, b"frames of row four")
last = row(last, 5, 1, 1, 1, 29388301, 0, 0, 0, b"")
last = row(last, 6, 1, 0, 1, 0, 0, 0, 0, b"frames of row six")
last = row(last, 7, 1, 2, 2, 29388302, 0, 0, 0, b"")
ends(1, 2, anchor, 7, last)
ends(2, 1, digest(b"a row of two"), 1, digest(b"a row of two"))
ends(3, 0, ZEROS, 4, first)
insert("snapshot", 1, 5, 7, 8, 9, 10, b"learner of one",
       digest(b"snapshot", u32(1), u64(5), u64(7), u64(8), u64(9), u64(10), data(b"learner of one")))
history(1, 1, 29388301, 1, 100, 10, 20, -3, 5, 2, 3, 4)
history(1, 2, 29388302, 1, 0, 0, 0, 0, 0, 0, 0, 0, alarms=5)
insert("recovery", 1, 6, 9, digest(b"recovery", u32(1), u64(6), u64(9)))
