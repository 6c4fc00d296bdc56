#!/usr/bin/env python3
"""sottod and its data directory: full, damaged, of another version or owner; and a clock that
jumps. It names the place and refuses to start, or it continues; it never starts with less than it
had unless an operator asks for that."""
import contextlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

from directory_case import DirectoryCase
from replay_journal import Journal
from soak import SEED
from sottod import ANY_PORTS, SOTTOD, NotStarted, Service, plain_environment, sottod

NOBODY = 65534
FLIPS = 40
FILES = ("journal.sqlite", "journal.sqlite-wal")


def state(service, experiments):
    """Everything that must not be lost."""
    return {e: (*service.model(e), service.counts(e)) for e in experiments}


class Directory(DirectoryCase):
    def refuse(self, data, *flags, says, command=None, **options):
        """Exit status 1, one line that names the place, and unchanged files."""
        def content():
            return [(data / name).read_bytes() if (data / name).exists() else b"" for name in FILES]
        before = content()
        words = [command] if command else []
        done = sottod(*words, "--data", data, *(ANY_PORTS if not command else ()), *flags, **options)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, says)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(str(data), done.stderr)
        if not command:
            self.assertEqual(done.stdout, "")
        self.assertEqual(content(), before)
        return done.stderr


class Damage(Directory):
    """One directory, created once and damaged in many ways."""

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        with Service("--keep-reports") as service:
            cls.experiments = [service.create({"series": i}, {"epoch": 100}) for i in (1, 2)]
            first, second = cls.experiments
            for _ in range(5):
                for e in cls.experiments:
                    assert service.post(e, service.frames(e, 20)).status == 204
            assert service.wait_for(lambda: all(service.model(e)[0] == 1 for e in cls.experiments))
            assert service.stop() == 0  # a snapshot of all
            service.start()
            service.manage("POST", f"/v1/experiments/{second}/pause")
            cls.late = [service.frames(first, 10) for _ in range(4)]  # too few to publish
            for frames in cls.late:
                assert service.post(first, frames).status == 204
            cls.state = state(service, cls.experiments)
            service.kill()
            shutil.copytree(service.directory, cls.home / "killed")  # the last rows are in the log
            shutil.copytree(service.directory, cls.home / "whole")
        with contextlib.closing(sqlite3.connect(cls.home / "whole/journal.sqlite")) as data:
            data.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all rows are in the file
        cls.journal = Journal(cls.home / "whole")

    def copy(self, name="whole"):
        data = self.directory / f"data{len(list(self.directory.iterdir()))}"
        shutil.copytree(self.home / name, data)
        return data

    @staticmethod
    def change(data, *statements):
        with contextlib.closing(sqlite3.connect(data / "journal.sqlite")) as file:
            for statement in statements:
                file.execute(*statement) if isinstance(statement, tuple) else file.execute(statement)
            file.commit()
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def rows_with_frames(self, experiment):
        rows = self.journal.rows_of(self.journal.find(experiment)["number"])
        return [row for row in rows if row["frames"]]

    def flip_in_row(self, row):
        """A directory in which one bit of a frame has changed; finds the frame by its nonce in the
        bytes of the file."""
        data = self.copy()
        file = data / "journal.sqlite"
        content = bytearray(file.read_bytes())
        nonce = row["frames"][24:40]
        self.assertEqual(content.count(nonce), 1)
        content[content.index(nonce) + 16] ^= 1
        file.write_bytes(content)
        return data

    def recover(self, data, seq):
        """Recovers by hand: the service starts, the old file is kept, and the journal is sound.
        Returns the running service."""
        damaged = (data / "journal.sqlite").read_bytes()
        service = Service("--keep-reports", "--recover-to", seq, directory=data)
        self.addCleanup(service.__exit__)
        service.start()
        self.assertEqual((data / "journal.before-recovery-1").read_bytes(), damaged)
        self.assertEqual((data / "journal.before-recovery-1").stat().st_mode & 0o777, 0o600)
        recoveries = Journal(data).recoveries
        self.assertEqual([row["kept_to"] for row in recoveries], [seq])
        return service

    def test_a_directory_without_damage_is_as_it_was(self):
        for name in ("whole", "killed"):
            with Service("--keep-reports", directory=self.copy(name)) as service:
                self.assertEqual(state(service, self.experiments), self.state)

    def test_a_flipped_bit_in_a_report_is_refused_by_its_row_and_later_rows_are_given_up_by_hand(self):
        first, second = self.experiments
        row = self.rows_with_frames(first)[-2]
        data = self.flip_in_row(row)
        says = rf"row {row['seq']} of experiment 1.*--recover-to {row['seq'] - 1}"
        self.refuse(data, says=says)
        self.refuse(data, "--keep-reports", says=says)
        self.refuse(data, command="inspect", says=rf"row {row['seq']}\b")
        self.refuse(data, "--recover-to", row["seq"], says=rf"allowed 1 to {row['seq'] - 1}")
        service = self.recover(data, row["seq"] - 1)
        # The experiment with good rows has all of them; the other has the rows before the damage.
        self.assertEqual(state(service, [second]), {second: self.state[second]})
        self.assertEqual(service.counts(first)["folded"], self.state[first][2]["folded"] - 20)
        replay = Journal(data).replay(first)
        self.assertEqual(service.model(first), (replay.epoch, replay.model))
        self.assertEqual(set(replay.frames), {f for r in self.rows_with_frames(first)[:-2] for f in self.split(r)})
        # Devices that send again are counted; since nobody counts twice, everything is as before.
        for frames in self.late:
            self.assertEqual(service.post(first, frames).status, 204)
        counts = service.counts(first)
        self.assertEqual((counts["folded"], counts["duplicate"]), (self.state[first][2]["folded"], 20))
        self.assertEqual(service.stop(), 0)
        self.refuse(data, "--recover-to", row["seq"] - 1, says="is not damaged")
        service.words = [word for word in service.words if not word.isdigit() and word != "--recover-to"]
        service.start()
        self.assertEqual(service.counts(first), counts)

    def split(self, row):
        size = len(self.late[0][0])
        return [row["frames"][i:i + size] for i in range(0, len(row["frames"]), size)]

    def test_a_flipped_bit_in_a_row_that_is_in_the_snapshot_costs_nothing_but_the_row(self):
        first, second = self.experiments
        row = self.rows_with_frames(first)[1]
        data = self.flip_in_row(row)
        self.refuse(data, says=rf"row {row['seq']} of experiment 1")
        service = self.recover(data, row["seq"] - 1)
        self.assertEqual(state(service, [second]), {second: self.state[second]})
        snapshot = self.journal.snapshots[self.journal.find(first)["number"]]
        self.assertEqual(service.counts(first)["folded"], snapshot["folded"])

    def test_a_row_that_was_deleted_is_missed(self):
        for experiment, which in ((0, 2), (1, -1)):
            row = self.rows_with_frames(self.experiments[experiment])[which]
            with self.subTest(experiment=experiment, which=which):
                data = self.copy()
                self.change(data, ("DELETE FROM journal WHERE seq = ?", (row["seq"],)))
                said = self.refuse(data, says=rf"experiment {experiment + 1}.*--recover-to \d+")
                service = self.recover(data, int(re.search(r"--recover-to (\d+)", said)[1]))
                other = self.experiments[1 - experiment]
                self.assertEqual(state(service, [other]), {other: self.state[other]})
                service.__exit__()

    def test_other_damage_is_refused_by_its_place(self):
        """A case of each kind: tests/unit/service/store/sqlite/test_check.c and test_directory.c have all."""
        row = self.rows_with_frames(self.experiments[0])[1]["seq"]
        for statement, says in (
                ("DELETE FROM journal WHERE experiment = 2", "experiment 2"),
                (f"UPDATE journal SET late = late + 1 WHERE seq = {row}", rf"row {row} of experiment 1"),
                (f"UPDATE journal SET experiment = 2 WHERE seq = {row}", rf"row {row} of experiment 2"),
                ("UPDATE experiment SET epoch_reports_min = 1 WHERE number = 1", "experiment 1"),
                ("DELETE FROM ends WHERE experiment = 1", "ends"), ("UPDATE history SET learn = learn + 1", "history"),
                ("DROP TABLE journal", "no such table"), ("PRAGMA user_version = 3", "format 3"),
                ("PRAGMA application_id = 1", "another program")):
            with self.subTest(statement=statement):
                data = self.copy()
                self.change(data, statement)
                self.refuse(data, says=says)

    def test_a_changed_snapshot_is_refused_and_what_it_had_is_computed_again(self):
        first = self.experiments[0]
        learner = bytearray(self.journal.snapshots[1]["learner"])
        learner[len(learner) // 2] ^= 4
        data = self.copy()
        self.change(data, ("UPDATE snapshot SET learner = ? WHERE experiment = 1", (bytes(learner),)))
        said = self.refuse(data, says="snapshot.*experiment 1|experiment 1.*snapshot")
        service = self.recover(data, int(re.search(r"--recover-to (\d+)", said)[1]))
        self.assertEqual(state(service, self.experiments), self.state)
        self.assertEqual(service.post(first, self.late[0]).status, 204)
        self.assertEqual(service.counts(first)["duplicate"], 10)

    def test_a_file_that_was_cut_or_is_gone_is_refused(self):
        whole = (self.home / "whole/journal.sqlite").stat().st_size
        for left in (0, whole // 2):
            data = self.copy()
            os.truncate(data / "journal.sqlite", left)
            self.refuse(data, says="damaged|cannot be")
        for name in ("whole", "killed"):
            data = self.copy(name)
            (data / "journal.sqlite").unlink()
            self.refuse(data, says="missing")
            self.assertFalse((data / "journal.sqlite").exists())

    def test_whatever_bit_is_flipped_it_never_starts_with_less(self):
        draw = random.Random(SEED)
        refused = 0
        for _ in range(FLIPS):
            data = self.copy()
            file = data / "journal.sqlite"
            content = bytearray(file.read_bytes())
            at = draw.choice([at for at, byte in enumerate(content) if byte != 0])  # of the rest most is free
            content[at] ^= 1 << draw.randrange(8)
            file.write_bytes(content)
            service = Service("--keep-reports", directory=data)
            with self.subTest(seed=SEED, file=file.name, at=at), contextlib.closing(
                    contextlib.ExitStack()) as stack:
                stack.callback(service.__exit__)
                try:
                    service.start()
                    self.assertEqual(state(service, self.experiments), self.state)
                except NotStarted as end:
                    self.assertEqual(end.code, 1, end)
                    self.assertIn(str(data), end.errors)
                    refused += 1
            shutil.rmtree(data)
        self.assertGreater(refused, FLIPS // 2)
        print(f"SEED={SEED}: {refused} of {FLIPS} flipped bits were refused")

    def test_names_in_a_damaged_file_are_shown_as_plain_letters(self):
        data = self.copy()
        file = data / "journal.sqlite"
        content = file.read_bytes()
        self.assertIn(b"conflicting", content[:4096])  # a column, in the table of tables
        for letters in (b"\xf4\x1b[2Jlict", b"conflict\xff\xff\xff", b"conf\nicting"):
            file.write_bytes(content.replace(b"conflicting", letters.ljust(11, b"g")[:11]))
            done = subprocess.run([SOTTOD, "--data", data, *ANY_PORTS], capture_output=True, timeout=60,
                                  env=plain_environment())
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rb"\A[ -~]+\n\Z")
            self.assertIn(str(data).encode(), done.stderr)

    def test_a_file_of_somebody_else_is_refused(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a file away")
        data = self.copy()
        os.chown(data / "journal.sqlite", NOBODY, NOBODY)
        self.refuse(data, says="belongs|owner")


class Full(Directory):
    """Without room: 503, and devices keep their reports. With room again, everything continues."""

    def run_out_of_room(self, service, shrink, grow):
        experiment = service.create(learning={"epoch": 200})
        acknowledged = [300]
        self.assertEqual(service.post(experiment, service.frames(experiment, 300)).status, 204)
        refused = service.frames(experiment, 500)
        shrink()
        answer = service.post(experiment, refused)
        self.assertEqual(answer.status, 503, answer)
        self.assertIn("Retry-After", answer.headers)
        self.assertRegex(json.loads(answer.body)["error"], "again later")
        self.assertEqual(service.get("/healthz").status, 200)
        self.assertEqual(service.get("/readyz").status, 503)
        self.assertEqual(service.post(experiment, refused).status, 503)
        self.assertEqual(service.manage("POST", f"/v1/experiments/{experiment}/pause").status, 503)
        epoch, model = service.model(experiment)
        time.sleep(1.2)  # an epoch is due, and cannot be published
        self.assertEqual(service.model(experiment), (epoch, model))
        self.assertEqual(service.counts(experiment)["folded"], sum(acknowledged))
        grow()
        self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200), "it does not recover")
        self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1), "it does not publish")
        self.assertEqual(service.post(experiment, refused).status, 204)
        acknowledged.append(len(refused))
        self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 2), "it does not publish again")
        frames = service.frames(experiment, 10)
        self.assertEqual(service.post(experiment, frames).status, 204)
        counts = service.counts(experiment)
        self.assertEqual(counts, {"folded": sum(acknowledged) + 10, "late": 0, "duplicate": 0, "conflicting": 0})
        service.kill()
        replay = Journal(service.directory).replay(experiment)
        service.start()
        self.assertEqual(service.counts(experiment), counts)
        self.assertEqual(service.model(experiment), (replay.epoch, replay.model))
        events = [line["event"] for line in service.log()]
        said = [line for line in service.log() if line["event"] == "commit_failed"]
        self.assertIn(len(said), (1, 2, 3))  # not one line per request
        self.assertRegex(said[0]["why"], r"journal\.sqlite.*(full|disk)")
        self.assertIn("commit_works", events)

    def test_a_file_that_may_not_grow(self):
        with Service() as service:
            def limit(most):
                hard = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)[1]
                resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (most, hard))
            self.run_out_of_room(service, lambda: limit((service.directory / FILES[1]).stat().st_size),
                                 lambda: limit(resource.RLIM_INFINITY))

    def small_disk(self):
        disk = self.directory / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("only root can make a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        return disk

    @staticmethod
    def fill(disk):
        with contextlib.suppress(OSError), open(disk / "rest", "wb", buffering=0) as rest:
            while True:
                rest.write(b"x" * 4096)

    def test_a_disk_that_is_full(self):
        disk = self.small_disk()
        with Service(directory=disk / "data") as service:
            self.run_out_of_room(service, lambda: self.fill(disk), (disk / "rest").unlink)
            self.assertEqual(service.stop(), 0)

    def test_a_disk_that_is_full_at_the_start(self):
        disk = self.small_disk()
        with Service(directory=disk / "data") as service:
            experiment = service.create()
            self.assertEqual(service.post(experiment, service.frames(experiment, 100)).status, 204)
            counts = service.counts(experiment)
            service.kill()
            self.fill(disk)
            for _ in range(2):
                try:
                    service.start()  # to read may be enough
                    self.assertEqual(service.counts(experiment), counts)
                    service.kill()
                except NotStarted as end:
                    self.assertEqual(end.code, 1)
                    self.assertRegex(end.errors, "full|disk|space")
            (disk / "rest").unlink()
            service.start()
            self.assertEqual(service.counts(experiment), counts)
        with self.subTest("a new directory"):
            self.fill(disk)
            self.refuse(disk / "new", says="full|disk|space")
            (disk / "rest").unlink()
            with Service(directory=disk / "new") as service:
                self.assertEqual(service.manage("GET", "/v1/experiments").status, 200)


class Clock(Directory):
    YEAR = 365 * 24 * 3600

    def test_a_wall_clock_that_jumps_changes_nothing(self):
        if os.environ["SANITIZE"]:
            self.skipTest("the clock of this test cannot be loaded before the sanitizer")
        shift = self.directory / "shift"
        env = plain_environment(LD_PRELOAD=os.environ["SHIFTED_CLOCK"], CLOCK_SHIFT=str(shift))
        with Service(env=env) as service:
            experiment = service.create({"epoch_lag_max": 2}, {"epoch": 100})
            shown, total = [], 0
            for years in (0, 30, -30, -80, 200, 0):
                shift.write_text(str(years * self.YEAR))
                before = service.model(experiment)[0]
                frames = service.frames(experiment, 100)
                self.assertEqual(service.post(experiment, frames + frames[:7]).status, 204)
                total += 100
                self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == before + 1), years)
                history = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)
                shown.append(max(row["minute"] for row in history["rows"]))
            counts = service.counts(experiment)
            self.assertEqual(counts, {"folded": total, "late": 0, "duplicate": 42, "conflicting": 0})
            self.assertEqual(service.model(experiment)[0], 6)
            self.assertGreater(shown[1], shown[0] + 29 * self.YEAR // 60)  # it did jump
            self.assertLess(service.metrics()["sottod_uptime_seconds"], 600)
            model = service.model(experiment)
            shift.write_text(str(-5 * self.YEAR))
            self.assertEqual(service.stop(), 0)
            service.start()
            self.assertEqual((service.model(experiment), service.counts(experiment)), (model, counts))
            for line in service.log_path.read_text().splitlines():
                self.assertRegex(json.loads(line)["time"], r"^-?\d{4}-\d\d-\d\dT\d\d:\d\dZ$")


if __name__ == "__main__":
    unittest.main()
