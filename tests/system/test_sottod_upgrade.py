#!/usr/bin/env python3
"""Folders of every format that there was: a service starts on them with the same model and counts, and makes them new;
who only reads changes nothing; a newer one is refused with words. tests/golden/service_N was written by the program
of format N (make_service.py there)."""
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import unittest

from replay_journal import Journal
from sottod import ANY_PORTS, SOTTOD, Service, plain_environment, sottod

GOLDEN = pathlib.Path(os.environ["GOLDEN"])
FORMATS = (1, 2)
FORMAT = max(FORMATS)
SOAK = os.environ.get("SOTTO_SOAK") == "1"
EVENTS_MAX = 1000
FILES = ("journal.sqlite", "journal.sqlite-wal")


def make(number, folder):
    """The folder as a service of this format left it when it was killed: rows are in the log. What it must say."""
    folder.mkdir(mode=0o700, exist_ok=True)
    lines = (GOLDEN / f"service_{number}.sql").read_text().split("\n")
    tables, rows = ("\n".join(line for line in lines if line.startswith("INSERT") == is_row) for is_row in (False, True))
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
    size = journal.replay(experiment, from_snapshot=True).frame_bytes
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
                        if said["state"] != "open":
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
                    replay = after.replay(experiment, from_snapshot=True)
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
            self.assertIn(f"has format {FORMAT + 1}, and this program reads formats 1 to {FORMAT}: use the program that "
                          "wrote it, or a newer one", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(content(self.folder), before)
        self.assertFalse((self.home / "copy").exists())

    @unittest.skipUnless("FAULTY_DISK" in os.environ, "no disk with faults")
    def test_the_power_may_go_at_any_moment_of_an_upgrade(self):
        """Before this event, before a later one, and so on, until a run gets to its end: what is left is a whole journal
        of one format or the other, with all that there was."""
        def whole(folder):
            journal = Journal(folder)
            return ([tuple(row) for row in journal.rows],
                    {number: tuple(row) for number, row in journal.snapshots.items()},
                    [(e["id"], e["state"], e["terms"], e["start"], e["labels"]) for e in journal.experiments])

        make(1, self.folder)
        wanted, seen, event, step = whole(self.folder), set(), 1, 1 if SOAK else 7
        report = self.home / "report"
        for event in range(1, EVENTS_MAX, step):
            shutil.rmtree(self.folder)
            make(1, self.folder)
            report.unlink(missing_ok=True)
            environment = plain_environment(LD_PRELOAD=os.environ["FAULTY_DISK"], FAULTS_FOLDER=str(self.folder),
                                            FAULTS_REPORT=str(report), POWER_CUT_AT=str(event),
                                            POWER_CUT_KEEPS=("nothing", "some")[event // step % 2],
                                            POWER_CUT_SECTOR="512", POWER_CUT_SEED=str(event))
            # An import that fails after the upgrade: the shortest program that opens the folder to write.
            subprocess.run([SOTTOD, "import", "/dev/null", "--data", self.folder], env=environment, capture_output=True,
                           timeout=60)
            if f"before event {event} " not in report.read_text():
                break
            seen.add(format_of(self.folder))
            self.assertEqual(whole(self.folder), wanted, event)
            done = sottod("import", "/dev/null", "--data", self.folder)
            self.assertIn("/dev/null: the file ends before its content does", done.stderr, event)
            self.assertEqual((format_of(self.folder), whole(self.folder)), (FORMAT, wanted), event)
        else:
            self.fail("it did not come to an end")
        self.assertEqual(seen, {1, FORMAT})
        self.assertGreater(event, 40)


if __name__ == "__main__":
    unittest.main()
