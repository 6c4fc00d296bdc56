#!/usr/bin/env python3
"""A directory that an earlier program of the same format left: a service starts on it with the same
model and counts, and continues; programs that only read change nothing; another format is refused
with a sentence. tests/golden/service_2 was written by a program of format 2 (make_service.py
there)."""
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import struct
import tempfile
import unittest

from replay_journal import Journal
from sottod import ANY_PORTS, Service, sottod

GOLDEN = pathlib.Path(os.environ["GOLDEN"])
FORMAT = 2
FILES = ("journal.sqlite", "journal.sqlite-wal")


def make(directory):
    """The directory as a service left it when it was killed: rows are in the log. What it must say."""
    directory.mkdir(mode=0o700, exist_ok=True)
    lines = (GOLDEN / f"service_{FORMAT}.sql").read_text().split("\n")
    tables = "\n".join(line for line in lines if not line.startswith("INSERT"))
    rows = "\n".join(line for line in lines if line.startswith("INSERT"))
    with contextlib.closing(sqlite3.connect(directory / "journal.sqlite")) as data:
        data.executescript(tables)
        data.execute("PRAGMA journal_mode=WAL")
        data.executescript(f"BEGIN; {rows} COMMIT;")
        for name in FILES:  # before the log is copied to the file and removed
            shutil.copy(directory / name, directory / (name + ".kept"))
    for name in FILES:
        (directory / (name + ".kept")).rename(directory / name)
    (directory / "journal.sqlite-shm").unlink(missing_ok=True)
    (directory / "journal.sqlite").chmod(0o600)
    (directory / "lock").write_text("sottod journal\n")
    return json.loads((GOLDEN / f"service_{FORMAT}.json").read_text())


def format_of(directory):
    return struct.unpack_from(">I", (directory / "journal.sqlite").read_bytes(), 60)[0]


def content(directory):
    return {name: (directory / name).read_bytes() if (directory / name).exists() else b"" for name in FILES}


def last_frames(journal, experiment):
    """Of the last row that has some."""
    size = journal.replay(experiment).frame_bytes
    frames = [row["frames"] for row in journal.rows_of(journal.find(experiment)["number"]) if row["frames"]][-1]
    return [frames[i:i + size] for i in range(0, len(frames), size)]


class Format(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.directory = self.home / "data"

    def check(self, service, wanted):
        for experiment, said in wanted["experiments"].items():
            epoch, model = service.model(experiment)
            about = json.loads(service.manage("GET", f"/v1/experiments/{experiment}").body)
            self.assertEqual({"state": about["state"], "epoch": epoch, "model": model.hex(),
                              "counts": service.counts(experiment)}, said)
        for experiment in wanted.get("quarantine", ()):
            self.assertIs(service.describe(experiment)["quarantine"], True)
        for experiment in wanted.get("keyed", ()):
            frames = service.frames(experiment, 1)
            self.assertEqual(service.post(experiment, frames).status, 403)
        for experiment in wanted["deleted"]:
            self.assertEqual(service.get(f"/v1/experiments/{experiment}/model").status, 410)

    def test_a_service_starts_on_it_with_the_same_bits_and_goes_on(self):
        wanted = make(self.directory)
        before = Journal(self.directory)
        with Service(directory=self.directory) as service:
            self.check(service, wanted)
            self.assertEqual(format_of(self.directory), FORMAT)
            for experiment, said in wanted["experiments"].items():
                if said["state"] != "open" or experiment in wanted.get("keyed", ()):
                    continue
                known = last_frames(before, experiment)
                self.assertEqual(service.post(experiment, known).status, 204)
                said["counts"]["duplicate"] += len(known)  # it knows what came before
                new = service.frames(experiment, 10)
                self.assertEqual(service.post(experiment, new).status, 204)
                said["counts"]["folded"] += len(new)
            self.check(service, wanted)
            service.kill()
            service.start()
            self.check(service, wanted)
            self.assertEqual(service.stop(), 0)
        after = Journal(self.directory)
        for experiment, said in wanted["experiments"].items():
            number = after.find(experiment)["number"]
            replay = after.replay(experiment, from_snapshot=number in after.snapshots)
            self.assertEqual((replay.model.hex(), replay.counts), (said["model"], said["counts"]))

    def test_who_only_reads_changes_nothing(self):
        wanted = make(self.directory)
        before = content(self.directory)
        done = sottod("inspect", "--data", self.directory)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("all digests are correct", done.stdout)
        for experiment, said in wanted["experiments"].items():
            self.assertIn(f"{experiment}  {said['state']}\n", done.stdout)
            file = self.home / experiment
            done_too = sottod("export", experiment, file, "--with-reports", "--data", self.directory)
            self.assertEqual(done_too.returncode, 0, done_too)
            self.assertEqual(struct.unpack(">I", file.read_bytes()[60:64]), (FORMAT,))
        self.assertEqual(content(self.directory), before)
        self.assertEqual(format_of(self.directory), FORMAT)

    def test_an_export_goes_on_elsewhere(self):
        wanted = make(self.directory)
        experiment, said = next(iter(wanted["experiments"].items()))
        file, elsewhere = self.home / "moved.sqlite", self.home / "elsewhere"
        done = sottod("export", experiment, file, "--with-reports", "--data", self.directory)
        self.assertEqual(done.returncode, 0, done)
        done = sottod("import", file, "--data", elsewhere)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, experiment), done)
        with Service(directory=elsewhere) as service:
            self.check(service, {"experiments": {experiment: said}, "deleted": []})

    def test_another_format_is_refused_and_left_as_it_is(self):
        make(self.directory)
        for other in (FORMAT - 1, FORMAT + 1):
            with open(self.directory / "journal.sqlite", "r+b") as file:
                file.seek(60)
                file.write(struct.pack(">I", other))
            before = content(self.directory)
            for words in (ANY_PORTS, ("inspect",), ("backup", str(self.home / "copy"))):
                done = sottod(*words, "--data", self.directory)
                self.assertEqual(done.returncode, 1, done)
                self.assertIn(f"has format {other}, and this program reads only format {FORMAT}: use the program "
                              "that wrote it, or choose another directory", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertEqual(content(self.directory), before)
            self.assertFalse((self.home / "copy").exists())


if __name__ == "__main__":
    unittest.main()
