#!/usr/bin/env python3
"""The replay of journals finds what is wrong with one. The journals here are made by hand."""
import os
import pathlib
import sqlite3
import struct
import subprocess
import tempfile
import unittest

from replay_journal import APPLICATION, HISTORY, Damage, Journal, sha256, sized

GOLDEN = pathlib.Path(os.environ["GOLDEN"])
TABLES = """
CREATE TABLE experiment (number, id, state, created_minute, epoch_seconds_min, epoch_reports_min,
                         epoch_reports_expected, quarantine, report_key, terms, start, labels, digest);
CREATE TABLE ends (experiment, anchor_seq, anchor, head_seq, head, digest);
CREATE TABLE journal (seq, experiment, kind, epoch, minute, late, duplicate, conflicting, frames, digest);
CREATE TABLE snapshot (experiment, seq, folded, late, duplicate, conflicting, learner, digest);
CREATE TABLE recovery (number, kept_to, last, digest);
""" + f"CREATE TABLE history ({', '.join(name for name, _ in HISTORY)}, digest);\n"


def tell(*commands):
    """What the learner prints, as lists of words."""
    said = b"".join(letter + sized(data) for letter, data in commands)
    done = subprocess.run([os.environ["REPLAY_LEARNER"]], input=said, capture_output=True, timeout=60, check=True)
    return [line.split() for line in done.stdout.decode().splitlines()]


def people(directory, terms, model, count, seed):
    (directory / "terms").write_bytes(terms)
    (directory / "model").write_bytes(model)
    done = subprocess.run([os.environ["PEOPLE"], directory / "terms", directory / "model", str(count), str(seed)],
                          capture_output=True, timeout=60, check=True)
    size = len(done.stdout) // count
    return sorted((done.stdout[i * size:(i + 1) * size] for i in range(count)), key=lambda frame: frame[24:40])


class Replays(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(lambda: subprocess.run(["rm", "-r", self.directory], check=True))
        self.terms = (GOLDEN / "spec_default.bin").read_bytes()
        self.start = (GOLDEN / "learner_default.bin").read_bytes()
        self.commands = [(b"T", self.terms), (b"L", self.start)]
        self.rows = []
        self.history = []
        self.snapshot = None
        self.take(50, seed=1, late=3)
        self.publish()
        self.take(20, seed=2, duplicate=1, conflicting=2)

    def model(self):
        end = next(words for words in tell(*self.commands) if words[0] == "end")
        return int(end[1]), bytes.fromhex(end[2])

    def take(self, count, seed, late=0, duplicate=0, conflicting=0):
        epoch, model = self.model()
        frames = b"".join(people(self.directory, self.terms, model, count, seed))
        self.rows.append([len(self.rows) + 1, 1, 0, epoch, 0, late, duplicate, conflicting, frames])
        self.commands.append((b"F", frames))

    def publish(self):
        self.commands.append((b"P", b""))
        epoch = self.model()[0]
        self.rows.append([len(self.rows) + 1, 1, 1, epoch, 29000000, 0, 0, 0, b""])
        self.history.append([1, epoch, 29000000, 1, 50, 0, 0, -5, 5, 3, 0, 0, 0])

    def write(self, anchor=(0, bytes(32)), damage=""):
        """The journal; rows up to the anchor are left out. `damage` is SQL."""
        path = self.directory / "journal.sqlite"
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as data:
            data.executescript(f"PRAGMA synchronous=OFF; PRAGMA application_id={APPLICATION};"
                               f"PRAGMA user_version=2;" + TABLES)
            spec_id = sha256(self.terms)[:16]
            digest = sha256(b"experiment", struct.pack("<I", 1), spec_id, struct.pack("<IQIQ", 0, 28000000, 60, 20),
                            sized(self.terms), sized(self.start), sized(b"{}"),
                            struct.pack("<QI", 500, 1), sized(bytes(32)))
            data.execute("INSERT INTO experiment VALUES (1, ?, 0, 28000000, 60, 20, 500, 1, ?, ?, ?, '{}', ?)",
                         (spec_id, bytes(32), self.terms, self.start, digest))
            head = anchor
            for row in self.rows:
                if row[0] > anchor[0]:
                    head = row[0], sha256(head[1], struct.pack("<QIIIQIII", *row[:8]), sized(row[8]))
                    data.execute("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, head[1]))
            digest = sha256(b"ends", struct.pack("<IQ", 1, anchor[0]), anchor[1], struct.pack("<Q", head[0]), head[1])
            data.execute("INSERT INTO ends VALUES (1, ?, ?, ?, ?, ?)", (*anchor, *head, digest))
            for row in self.history:
                data.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             (*row, sha256(b"history", struct.pack("<IIQI3Q2q3QI", *row))))
            if self.snapshot:
                digest = sha256(b"snapshot", struct.pack("<I5Q", *self.snapshot[:6]), sized(self.snapshot[6]))
                data.execute("INSERT INTO snapshot VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*self.snapshot, digest))
            data.executescript(damage)
        data.close()

    def replay(self, **options):
        return Journal(self.directory).replay(sha256(self.terms)[:16].hex(), **options)

    def keep_snapshot(self):
        """Of the first row and the publish."""
        learner = next(words for words in tell(*self.commands[:4]) if words[0] == "learner")
        self.snapshot = (1, 2, 50, 3, 0, 0, bytes.fromhex(learner[1]))

    def test_a_change_of_any_column_is_found(self):
        self.keep_snapshot()
        changes = {"experiment": ("number", "state", "created_minute", "epoch_seconds_min", "epoch_reports_min",
                                  "epoch_reports_expected", "quarantine"),
                   "ends": ("experiment", "anchor_seq", "head_seq"),
                   "journal": ("experiment", "kind", "epoch", "minute", "late", "duplicate", "conflicting"),
                   "snapshot": ("seq", "folded", "late", "duplicate", "conflicting"),
                   "history": [name for name, _ in HISTORY[1:]]}
        for table, columns in changes.items():
            for column in columns:
                self.write(damage=f"UPDATE {table} SET {column} = {column} + 1;")
                with self.assertRaises(Damage, msg=f"{table}.{column}"):
                    Journal(self.directory)
        for table, column in (("journal", "frames"), ("snapshot", "learner"), ("experiment", "terms"),
                              ("experiment", "start"), ("experiment", "labels"), ("experiment", "report_key"),
                               ("ends", "anchor"), ("ends", "head")):
            self.write(damage=f"UPDATE {table} SET {column} = x'00';")
            with self.assertRaises((Damage, AttributeError), msg=f"{table}.{column}"):
                Journal(self.directory)

    def test_a_row_that_is_missing_is_found(self):
        for seq in (1, 2, 3):
            self.write(damage=f"DELETE FROM journal WHERE seq = {seq};")
            with self.assertRaises(Damage):
                Journal(self.directory)

    def test_frames_that_are_not_sorted_are_found_though_all_digests_are_right(self):
        frames = self.rows[0][8]
        self.rows[0][8] = frames[42:84] + frames[:42] + frames[84:]
        self.write()
        with self.assertRaisesRegex(Damage, "row 1 is not sorted by nonce"):
            self.replay()

    def test_a_nonce_that_is_counted_twice_is_found(self):
        self.rows.append([4, *self.rows[2][1:]])
        self.write()
        with self.assertRaisesRegex(Damage, "a nonce was counted twice"):
            self.replay()

    def test_a_frame_that_the_learner_does_not_take_is_found(self):
        for _ in range(20):
            self.publish()
        self.rows.append([len(self.rows) + 1, 1, 0, self.rows[0][3], 0, 0, 0, 0, self.rows[0][8][:42]])
        self.write()
        with self.assertRaisesRegex(Damage, "a frame was not taken: the message belongs to another epoch"):
            self.replay()

    def test_a_publish_that_opens_another_epoch_is_found(self):
        self.rows[1][3] += 1
        self.write()
        with self.assertRaisesRegex(Damage, "publishes are"):
            self.replay()

    def test_the_counts_and_the_model_are_those_of_the_rows(self):
        self.write()
        replay = self.replay()
        self.assertEqual(replay.counts, {"folded": 70, "late": 3, "duplicate": 1, "conflicting": 2})
        self.assertEqual(replay.acknowledged, 76)
        self.assertEqual((replay.epoch, replay.model), self.model())
        self.assertEqual(list(replay.models.values()), [replay.model])
        without = tell(*self.commands[:2], (b"P", b""))
        model = next(words[2] for words in without if words[0] == "model")
        self.assertNotEqual(model, replay.model.hex())  # the reports did count

    def test_from_the_snapshot_it_is_the_same_to_the_bit(self):
        self.keep_snapshot()
        self.write()
        whole, tail = self.replay(), self.replay(from_snapshot=True)
        self.assertEqual(whole.learner, tail.learner)
        self.assertEqual(whole.counts, tail.counts)
        self.assertEqual(len(tail.frames), 20)

    def test_without_the_first_rows_it_begins_at_the_snapshot(self):
        self.write()
        whole = self.replay()
        digest = Journal(self.directory).rows[1]["digest"]
        self.keep_snapshot()
        self.write(anchor=(2, digest))
        self.assertEqual(self.replay().learner, whole.learner)
        with self.assertRaisesRegex(Damage, "the first rows are not there"):
            self.replay(from_snapshot=False)


if __name__ == "__main__":
    unittest.main()
