#!/usr/bin/env python3
"""Replays a journal of the service, and knows docs/formats.md alone.

    replay_journal.py DIRECTORY        for a service that does not run, also one that was killed

Checks every digest, the order of rows and of nonces. Then two learners take the frames and publish: one is made of the
public library (replay_learner.c), which the service is made of too; the other, for the kinds of terms that it knows, is
second_learner.py and shares no code with either. Prints for each experiment its counts and its model."""
import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

import second_learner

APPLICATION, FORMAT = 0x534F5444, 2
REPORTS, PUBLISH, DISCARD, END_FALLBACK = 0, 1, 2, 3
DELETED = 3
COUNTS = ("folded", "late", "duplicate", "conflicting")
ROW = ("seq", "experiment", "kind", "epoch", "minute", "late", "duplicate", "conflicting")
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "formats.md"
# Columns of history and their kinds, as the page has them.
HISTORY = [field.partition(":")[::2]
           for field in re.search(r"^    history +(.+(?:\n {16}.+)*)", PAGE.read_text(), re.M)[1].split()]


class Damage(Exception):
    """The journal differs from its documentation."""


def require(condition, *what):
    if not condition:
        raise Damage(" ".join(map(str, what)))


def sized(data):
    return struct.pack("<Q", len(data)) + data


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def check_history(row):
    layout = "<" + "".join(kind for _, kind in HISTORY)
    digest = sha256(b"history", struct.pack(layout, *(row[name] for name, _ in HISTORY)))
    require(digest == row["digest"], "history of", row["experiment"], "has another digest at", row["epoch"])


def learn(commands):
    """What replay_learner prints. If the second learner knows such terms, it must have the same
    models and learners."""
    done = subprocess.run([os.environ["REPLAY_LEARNER"]], input=b"".join(a + sized(b) for a, b in commands),
                          capture_output=True, timeout=300)
    require(done.returncode == 0, done.stderr.decode())
    wrong = second_learner.compare(commands, done.stdout.decode())
    require(not wrong, wrong)
    return done.stdout.decode()


class Replay:
    """The result of replaying the rows of one experiment."""

    def __init__(self, printed, counts, rows):
        lines = [line.split() for line in printed.splitlines()]
        self.models = {int(words[1]): bytes.fromhex(words[2]) for words in lines if words[0] == "model"}
        self.frame_bytes = next(int(words[1]) for words in lines if words[0] == "frame")
        self.epoch, self.model = next((int(w[1]), bytes.fromhex(w[2])) for w in lines if w[0] == "end")
        self.learner = next(bytes.fromhex(words[1]) for words in lines if words[0] == "learner")
        self.measured = next(([float(w) for w in words[1:]] for words in lines if words[0] == "measure"), None)
        self.counts = dict(counts)
        self.frames = []
        published = []
        for row in rows:
            if row["kind"] in (PUBLISH, DISCARD, END_FALLBACK):
                published.append(row["epoch"])
            else:
                self.add(row)
        require(published == list(self.models), "publishes are", published, "epochs opened are", list(self.models))
        nonces = {frame[24:40] for frame in self.frames}
        require(len(nonces) == len(self.frames), "a nonce was counted twice")

    def add(self, row):
        size = self.frame_bytes
        frames = [row["frames"][i:i + size] for i in range(0, len(row["frames"]), size)]
        nonces = [frame[24:40] for frame in frames]
        require(nonces == sorted(nonces), "row", row["seq"], "is not sorted by nonce")
        epochs = [struct.unpack_from("<I", frame, 20)[0] for frame in frames]
        require(not epochs or max(epochs) == row["epoch"], "row", row["seq"], "has epoch", row["epoch"])
        self.frames += frames
        self.counts["folded"] += len(frames)
        for name in COUNTS[1:]:
            self.counts[name] += row[name]

    @property
    def acknowledged(self):
        return sum(self.counts.values())


class Journal:
    """The rows of a directory, checked. Reads a copy, so that the directory does not change."""

    def __init__(self, directory):
        with tempfile.TemporaryDirectory() as copy:
            for name in ("journal.sqlite", "journal.sqlite-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copy(pathlib.Path(directory) / name, copy)
            with contextlib.closing(sqlite3.connect(pathlib.Path(copy) / "journal.sqlite")) as data:
                data.row_factory = sqlite3.Row
                self.read(data)
        self.check()

    def read(self, data):
        require(data.execute("PRAGMA application_id").fetchone()[0] == APPLICATION, "no journal of the service")
        format = data.execute("PRAGMA user_version").fetchone()[0]
        require(format == FORMAT, "format", format, "is not", FORMAT)
        require(data.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "not a sound database")
        self.experiments = data.execute("SELECT * FROM experiment ORDER BY number").fetchall()
        self.ends = {row["experiment"]: row for row in data.execute("SELECT * FROM ends")}
        self.rows = data.execute("SELECT * FROM journal ORDER BY seq").fetchall()
        self.snapshots = {row["experiment"]: row for row in data.execute("SELECT * FROM snapshot")}
        self.history = data.execute("SELECT * FROM history ORDER BY experiment, epoch").fetchall()
        self.recoveries = data.execute("SELECT * FROM recovery ORDER BY number").fetchall()

    # ---- digests

    def check(self):
        numbers = [e["number"] for e in self.experiments]
        require(numbers == list(range(1, len(numbers) + 1)), "experiments are", numbers)
        require(sorted(self.ends) == numbers, "there are ends of", sorted(self.ends))
        for e in self.experiments:
            self.check_experiment(e)
            self.check_chain(e)
        known = {e["number"] for e in self.experiments if e["state"] != DELETED}
        for row in self.snapshots.values():
            require(row["experiment"] in known, "a snapshot of experiment", row["experiment"])
        for row in (*self.rows, *self.history):  # rows of a deleted one go in slices
            require(row["experiment"] in numbers, "a row of experiment", row["experiment"])
        for s in self.snapshots.values():
            digest = sha256(b"snapshot", struct.pack("<I5Q", s["experiment"], s["seq"], *(s[n] for n in COUNTS)),
                            sized(s["learner"]))
            require(digest == s["digest"], "the snapshot of", s["experiment"], "has another digest")
        for h in self.history:
            check_history(h)
        for r in self.recoveries:
            digest = sha256(b"recovery", struct.pack("<IQQ", r["number"], r["kept_to"], r["last"]))
            require(digest == r["digest"], "recovery", r["number"], "has another digest")

    def check_experiment(self, e):
        digest = sha256(b"experiment", struct.pack("<I", e["number"]), e["id"],
                        struct.pack("<IQIQ", e["state"], e["created_minute"], e["epoch_seconds_min"],
                                    e["epoch_reports_min"]),
                        sized(e["terms"]), sized(e["start"]), sized(e["labels"].encode()),
                        struct.pack("<QI", e["epoch_reports_expected"], e["quarantine"]) + sized(e["report_key"]))
        require(digest == e["digest"], "experiment", e["number"], "has another digest")
        if e["state"] != DELETED:
            require(sha256(e["terms"])[:16] == e["id"], "experiment", e["number"], "has terms of another id")

    def check_chain(self, e):
        number = e["number"]
        ends = self.ends[number]
        digest = sha256(b"ends", struct.pack("<IQ", number, ends["anchor_seq"]), ends["anchor"],
                        struct.pack("<Q", ends["head_seq"]), ends["head"])
        require(digest == ends["digest"], "the ends of", number, "have another digest")
        seq, digest = ends["anchor_seq"], ends["anchor"]
        require(seq > 0 or digest == bytes(32), "a chain of", number, "that begins at nothing")
        for row in self.rows_of(number):
            require(row["seq"] > seq, "row", row["seq"], "is before the chain")
            digest = sha256(digest, struct.pack("<QIIIQIII", *(row[name] for name in ROW)), sized(row["frames"]))
            require(digest == row["digest"], "row", row["seq"], "has another digest")
            seq = row["seq"]
        require((seq, digest) == (ends["head_seq"], ends["head"]), "the rows of", number, "end at", seq)

    # ---- replay

    def rows_of(self, number, after=0):
        return [row for row in self.rows if row["experiment"] == number and row["seq"] > after]

    def find(self, id_text):
        return next(e for e in self.experiments if e["id"].hex() == id_text)

    def replay(self, id_text, from_snapshot=None):
        """Replays from the start if all rows are there, otherwise (or on request) from the
        snapshot."""
        e = self.find(id_text)
        if from_snapshot is None:
            from_snapshot = self.ends[e["number"]]["anchor_seq"] > 0
        require(from_snapshot or self.ends[e["number"]]["anchor_seq"] == 0, "the first rows are not there")
        first = self.snapshots[e["number"]] if from_snapshot else None
        rows = self.rows_of(e["number"], first["seq"] if first else 0)
        commands = [(b"T", e["terms"]), (b"L", first["learner"] if first else e["start"])]
        letters = {REPORTS: b"F", PUBLISH: b"P", DISCARD: b"D", END_FALLBACK: b"E"}
        commands += [(letters[row["kind"]], row["frames"]) for row in rows]
        return Replay(learn(commands), {n: first[n] if first else 0 for n in COUNTS}, rows)


def main(directory):
    journal = Journal(directory)
    for e in journal.experiments:
        if e["state"] == DELETED:
            continue
        replay = journal.replay(e["id"].hex())
        counts = " ".join(f"{name} {replay.counts[name]}" for name in COUNTS)
        print(f"{e['id'].hex()} epoch {replay.epoch} {counts} model {replay.model.hex()}")


if __name__ == "__main__":
    main(sys.argv[1])
