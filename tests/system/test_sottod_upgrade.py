#!/usr/bin/env python3
"""Folders of every format that there was: a service starts on them with the same model and counts, and makes them new;
who only reads changes nothing; a newer one is refused with words. (test_sottod_power.py cuts an upgrade off at each
moment.) tests/golden/service_N was written by the program
of format N (make_service.py there)."""
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
FORMATS = (1, 2)
FORMAT = max(FORMATS)
FILES = ("journal.sqlite", "journal.sqlite-wal")


def make(number, folder):
    """The folder as a service of this format left it when it was killed: rows are in the log. What it must say."""
    folder.mkdir(mode=0o700, exist_ok=True)
    lines = (GOLDEN / f"service_{number}.sql").read_text().split("\n")
    tables = "\n".join(line for line in lines if not line.startswith("INSERT"))
    rows = "\n".join(line for line in lines if line.startswith("INSERT"))
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite")) as data:
        data.executescript(tables)
        data.execute("PRAGMA journal_mode=WAL")
        data.executescript(f"BEGIN; {rows} COMMIT;")
        for name in FILES:  # before the log is copied to the file and removed
            shutil.copy(folder / name, folder / (name + ".kept"))
    for name in FILES:
        (folder / (name + ".kept")).rename(folder / name)
    (folder / "journal.sqlite-shm").unlink(missing_ok=True)
    (folder / "journal.sqlite").chmod(0o600)
    (folder / "lock").write_text("sottod journal\n")
    return json.loads((GOLDEN / f"service_{number}.json").read_text())


def format_of(folder):
    return struct.unpack_from(">I", (folder / "journal.sqlite").read_bytes(), 60)[0]


def content(folder):
    return {name: (folder / name).read_bytes() if (folder / name).exists() else b"" for name in FILES}


def last_frames(journal, experiment):
    """Of the last row that has some."""
    size = journal.replay(experiment).frame_bytes
    frames = [row["frames"] for row in journal.rows_of(journal.find(experiment)["number"]) if row["frames"]][-1]
    return [frames[i:i + size] for i in range(0, len(frames), size)]


class Upgrade(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.folder = self.home / "data"

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

    def test_a_service_starts_on_each_format_with_the_same_bits_and_goes_on(self):
        for number in FORMATS:
            with self.subTest(format=number), tempfile.TemporaryDirectory() as home:
                folder = pathlib.Path(home) / "data"
                wanted = make(number, folder)
                before = Journal(folder)
                with Service(folder=folder) as service:
                    self.check(service, wanted)
                    self.assertEqual(format_of(folder), FORMAT)
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
                after = Journal(folder)
                self.assertEqual(after.format, FORMAT)
                for experiment, said in wanted["experiments"].items():
                    number = after.find(experiment)["number"]
                    replay = after.replay(experiment, from_snapshot=number in after.snapshots)
                    self.assertEqual((replay.model.hex(), replay.counts), (said["model"], said["counts"]))

    def test_who_only_reads_changes_nothing(self):
        for number in FORMATS:
            with self.subTest(format=number), tempfile.TemporaryDirectory() as home:
                folder = pathlib.Path(home) / "data"
                wanted = make(number, folder)
                before = content(folder)
                done = sottod("inspect", "--data", folder)
                self.assertEqual(done.returncode, 0, done)
                self.assertIn("every digest is right", done.stdout)
                for experiment, said in wanted["experiments"].items():
                    self.assertIn(f"{experiment}  {said['state']}\n", done.stdout)
                    file = pathlib.Path(home) / f"{experiment}.stx"
                    done_too = sottod("export", experiment, file, "--with-reports", "--data", folder)
                    self.assertEqual(done_too.returncode, 0, done_too)
                    self.assertEqual(file.read_bytes()[:8], b"STX1\2\0\0\0")
                self.assertEqual(content(folder), before)
                self.assertEqual(format_of(folder), number)

    def test_an_export_of_each_format_goes_on_elsewhere(self):
        for number in FORMATS:
            with self.subTest(format=number), tempfile.TemporaryDirectory() as home:
                folder = pathlib.Path(home) / "data"
                wanted = json.loads((GOLDEN / f"service_{number}.json").read_text())
                done = sottod("import", GOLDEN / f"service_{number}.stx", "--data", folder)
                self.assertEqual(done.returncode, 0, done)
                experiment = done.stdout.strip()
                with Service(folder=folder) as service:
                    self.check(service, {"experiments": {experiment: wanted["experiments"][experiment]}, "deleted": []})

    def test_a_newer_format_is_refused_and_left_as_it_is(self):
        make(FORMAT, self.folder)
        with open(self.folder / "journal.sqlite", "r+b") as file:
            file.seek(60)
            file.write(struct.pack(">I", FORMAT + 1))
        before = content(self.folder)
        for words in (ANY_PORTS, ("inspect",), ("backup", str(self.home / "copy"))):
            done = sottod(*words, "--data", self.folder)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(f"has format {FORMAT + 1}, and this program reads formats 1 to {FORMAT}: use the program "
                          "that wrote it, or a newer one", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(content(self.folder), before)
        self.assertFalse((self.home / "copy").exists())


if __name__ == "__main__":
    unittest.main()
