#!/usr/bin/env python3
"""What sottod keeps and what it removes: reports of closed epochs, deleted experiments, restarts,
exports."""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import stat
import struct
import subprocess
import tempfile
import time
import unittest

from directory_case import DirectoryCase
from replay_journal import DELETED, Journal, sha256
from soak import SEED
from sottod import SOTTOD, Service, plain_environment, sottod

EPOCH = 2000  # reports; enough that a snapshot is worth its bytes


def found(directory, frames):
    """How many of these frames' nonces are in the bytes of the directory's files. Some that are
    there are missed, because a long row continues in another page."""
    content = b"\n".join(file.read_bytes() for file in sorted(directory.iterdir()) if file.is_file())
    return sum(frame[24:40] in content for frame in frames)


def delete_but_for_rows(directory, experiment):
    """The experiment is deleted, with only its rows and history left, as docs/formats.md
    describes."""
    with contextlib.closing(sqlite3.connect(directory / "journal.sqlite")) as data:
        data.row_factory = sqlite3.Row
        e = data.execute("SELECT * FROM experiment WHERE id = ?", (bytes.fromhex(experiment),)).fetchone()
        digest = sha256(b"experiment", struct.pack("<I", e["number"]), e["id"],
                        struct.pack("<IQIQ", DELETED, e["created_minute"], e["epoch_seconds_min"],
                                    e["epoch_reports_min"]), bytes(24),
                        struct.pack("<QI", e["epoch_reports_expected"], e["quarantine"]), bytes(8))
        data.execute("UPDATE experiment SET state = ?, terms = x'', start = x'', labels = '', report_key = x'', "
                     "digest = ? WHERE number = ?", (DELETED, digest, e["number"]))
        data.execute("DELETE FROM snapshot WHERE experiment = ?", (e["number"],))
        data.commit()


def conflicting(frame):
    return frame[:40] + bytes([frame[40] ^ 1]) + frame[41:]


class Retention(unittest.TestCase):
    def live_two_epochs(self, service):
        """Frames of epochs 0 and 1, and of 2, which is open. With a lag of 1, epoch 0 is closed, and 1 is not."""
        experiment = service.create({"epoch_lag_max": 1}, {"epoch": EPOCH})
        frames = []
        for epoch in range(3):
            frames.append(service.frames(experiment, EPOCH if epoch < 2 else 100))
            self.assertEqual(service.post(experiment, frames[epoch]).status, 204)
            if epoch < 2:
                self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == epoch + 1))
        return experiment, frames

    def check_kept(self, service, frames):
        self.assertGreater(found(service.directory, frames), len(frames) * 0.9)

    def test_reports_of_closed_epochs_are_in_no_file_and_those_of_open_ones_are(self):
        with Service() as service:
            experiment, (closed, before, now) = self.live_two_epochs(service)
            self.assertTrue(service.wait_for(lambda: found(service.directory, closed) == 0), "while it runs")
            self.check_kept(service, before)
            self.check_kept(service, now)
            model, counts = service.model(experiment), service.counts(experiment)
            self.assertEqual(service.stop(), 0)
            self.assertEqual(found(service.directory, closed), 0)
            self.check_kept(service, before)
            self.check_kept(service, now)
            service.start()
            self.assertEqual((service.model(experiment), service.counts(experiment)), (model, counts))
            # Frames of open epochs are known, those of closed ones are too late.
            again = [*closed[:3], *before[:5], *now[:7], *map(conflicting, before[5:7])]
            self.assertEqual(service.post(experiment, again).status, 204)
            counts.update(late=3, duplicate=12, conflicting=2)
            self.assertEqual(service.counts(experiment), counts)
            self.assertEqual(service.stop(), 0)
            self.assertEqual(found(service.directory, closed), 0)

    def test_small_experiments_are_cleared_when_the_service_stops(self):
        with Service() as service:
            experiment = service.create({"epoch_lag_max": 1}, {"epoch": 30})
            frames = []
            for epoch in range(3):
                frames.append(service.frames(experiment, 30))
                self.assertEqual(service.post(experiment, frames[epoch]).status, 204)
                self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == epoch + 1))
            service.kill()
            service.start()
            self.assertEqual(service.stop(), 0)
            self.assertEqual(found(service.directory, [*frames[0], *frames[1]]), 0)
            self.assertGreater(found(service.directory, frames[2]), 25)

    def test_with_keep_reports_all_are_kept_until_it_is_taken_back(self):
        with Service("--keep-reports") as service:
            experiment, frames = self.live_two_epochs(service)
            self.assertEqual(service.stop(), 0)
            for some in frames:
                self.check_kept(service, some)
            replay = Journal(service.directory).replay(experiment)
            self.assertEqual(sorted(replay.frames), sorted(sum(frames, [])))
            # Without the flag they are removed.
            service.words.remove("--keep-reports")
            service.start()
            self.assertEqual(service.stop(), 0)
            self.assertEqual(found(service.directory, frames[0]), 0)
            self.check_kept(service, frames[1])

    def test_a_closed_experiment_has_no_reports_after_the_stop(self):
        with Service() as service:
            experiment, frames = self.live_two_epochs(service)
            model, counts = service.model(experiment), service.counts(experiment)
            self.assertEqual(service.change(experiment, "close").status, 200)
            self.assertEqual(service.stop(), 0)
            self.assertEqual(found(service.directory, sum(frames, [])), 0)
            service.start()
            self.assertEqual((service.model(experiment), service.counts(experiment)), (model, counts))

    def test_of_a_deleted_experiment_the_id_is_left(self):
        with Service("--keep-reports") as service:
            label = "a name that is nowhere else"
            gone, left = (service.create({"series": i}, labels={"name": f"{label} {i}"}) for i in (1, 2))
            frames = {e: service.frames(e, 1000) for e in (gone, left)}
            for e in (gone, left):
                self.assertEqual(service.post(e, frames[e]).status, 204)
            self.assertTrue(service.wait_for(lambda: service.model(gone)[0] == 1))
            counts = service.counts(left)
            self.assertEqual(service.change(gone, "delete").status, 200)
            self.assertTrue(service.wait_for(lambda: found(service.directory, frames[gone]) == 0), "while it runs")
            self.assertEqual(service.stop(), 0)
            self.assertEqual(found(service.directory, frames[gone]), 0)
            self.check_kept(service, frames[left])
            content = b"".join(file.read_bytes() for file in service.directory.iterdir() if file.is_file())
            self.assertIn(f"{label} 2".encode(), content)
            self.assertNotIn(f"{label} 1".encode(), content)
            self.assertIn(bytes.fromhex(gone), content)
            service.start()
            self.assertEqual(service.get(f"/v1/experiments/{gone}/model").status, 410)
            self.assertEqual(service.counts(left), counts)

    def test_what_a_kill_left_of_a_deleted_experiment_is_removed(self):
        """DELETE is durable, and the service is killed before it has removed rows and history."""
        with Service("--keep-reports") as service:
            gone, left = (service.create({"series": i}) for i in (1, 2))
            frames = {e: service.frames(e, 1000) for e in (gone, left)}
            for e in (gone, left):
                self.assertEqual(service.post(e, frames[e]).status, 204)
                self.assertTrue(service.wait_for(lambda: service.model(e)[0] == 1))
            self.assertEqual(service.stop(), 0)
            delete_but_for_rows(service.directory, gone)
            self.check_kept(service, frames[gone])
            service.start()
            self.assertEqual(service.get(f"/v1/experiments/{gone}/model").status, 410)
            self.assertTrue(service.wait_for(lambda: found(service.directory, frames[gone]) == 0), "while it runs")
            service.kill()
            journal = Journal(service.directory)
            self.assertEqual({row["experiment"] for row in (*journal.rows, *journal.history)}, {2})
            self.check_kept(service, frames[left])


class Restart(unittest.TestCase):
    def all_of(self, service, experiment):
        seen = [service.model(experiment), service.counts(experiment), service.terms(experiment)]
        for path in ("", "/results", "/history"):
            answer = service.manage("GET", f"/v1/experiments/{experiment}{path}")
            self.assertEqual(answer.status, 200, answer)
            seen.append(json.loads(answer.body))
        for part in seen[3:5]:
            part.pop("watch")   # of the last publish of this process
        return seen

    def test_a_restart_changes_nothing_however_it_came(self):
        with Service() as service:
            measured = {"measure": 0.0625, "reward_kind": "continuous", "link": "identity", "epoch_lag_max": 1}
            experiments = [service.create({"series": 1}, {"epoch": 50}), service.create(measured, {"epoch": 50}),
                           service.create({"series": 2})]
            frames = {}
            for e in experiments:
                frames[e] = service.frames(e, 80)
                self.assertEqual(service.post(e, frames[e] + frames[e][:3]).status, 204)
            for e in experiments[:2]:
                self.assertTrue(service.wait_for(lambda: service.model(e)[0] == 1))
                self.assertEqual(service.post(e, service.frames(e, 15)).status, 204)
            seen = {e: self.all_of(service, e) for e in experiments}
            for end in (service.kill, service.stop, service.stop, service.kill):
                end()
                service.start()
                self.assertEqual({e: self.all_of(service, e) for e in experiments}, seen)
            for e in experiments:
                self.assertEqual(service.post(e, [*frames[e], conflicting(frames[e][0])]).status, 204)
                counts = service.counts(e)
                self.assertEqual((counts["duplicate"], counts["conflicting"]), (83, 1))
                self.assertEqual(counts["folded"], seen[e][1]["folded"])


class Exports(DirectoryCase):
    """A running service, an experiment with a published epoch and an open one, and its files."""

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.service = Service()
        cls.addClassCleanup(cls.service.__exit__)
        service = cls.service.start()
        cls.experiment = service.create({"epoch_lag_max": 1}, {"epoch": 50}, {"name": "moved"})
        cls.old = service.frames(cls.experiment, 60)
        assert service.post(cls.experiment, cls.old).status == 204
        assert service.wait_for(lambda: service.model(cls.experiment)[0] == 1)
        cls.new = service.frames(cls.experiment, 30)
        assert service.post(cls.experiment, cls.new).status == 204
        cls.few = service.create({"series": 9})
        assert service.post(cls.few, service.frames(cls.few, 3)).status == 204
        cls.state = service.model(cls.experiment), service.counts(cls.experiment)
        for name, flags in (("with", ["--with-reports"]), ("without", [])):
            done = cls.export(cls.experiment, cls.home / name, *flags)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done

    @classmethod
    def export(cls, experiment, file, *flags):
        return sottod("export", experiment, file, "--data", cls.service.directory, *flags)

    def refuse(self, *words, says, code=1):
        done = sottod(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done)
        self.assertRegex(done.stderr, says)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def import_to(self, directory, file):
        done = sottod("import", file, "--data", directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual(done.stdout, self.experiment + "\n")

    def test_a_file_is_its_owners_alone_whatever_the_umask(self):
        for name in ("with", "without"):
            self.assertEqual(stat.S_IMODE((self.home / name).stat().st_mode), 0o600)
        done = subprocess.run(["sh", "-c", 'umask 0; "$@"', "sh", SOTTOD, "export", self.experiment,
                               self.directory / "file", "--data", self.service.directory], env=plain_environment(), timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(stat.S_IMODE((self.directory / "file").stat().st_mode), 0o600)

    def test_reports_are_in_a_file_only_by_name(self):
        for name, present in (("with", True), ("without", False)):
            content = (self.home / name).read_bytes()
            for frame in self.new:
                self.assertEqual(frame[24:40] in content, present)

    def test_a_file_is_a_journal_with_one_experiment(self):
        for name, epoch in (("with", 1), ("without", 3)):
            data = self.directory / name
            data.mkdir(mode=0o700)
            shutil.copy(self.home / name, data / "journal.sqlite")
            replay = Journal(data).replay(self.experiment, from_snapshot=name == "without")
            self.assertEqual((replay.epoch, replay.counts), (epoch, self.state[1]))
            with Service(directory=data) as service:
                self.assertEqual((service.model(self.experiment)[0], service.counts(self.experiment)),
                                 (epoch, self.state[1]))

    def test_an_export_that_is_killed_leaves_no_file(self):
        """Killed at any moment, it leaves the whole file, or no file of that name."""
        whole = set()
        for i in range(20):
            file = self.directory / str(i)
            words = [SOTTOD, "export", self.experiment, file, "--with-reports", "--data", self.service.directory]
            with subprocess.Popen(words, env=plain_environment()) as process:
                time.sleep(0.004 * i)
                process.kill()
            if file.exists():
                whole.add(i)
                self.import_to(self.directory / f"data{i}", file)
            elif (self.directory / f"{i}.new").exists():
                self.refuse(*words[1:], says=rf"{i}\.new: File exists")
        self.assertLess(len(whole), 20)
        self.assertEqual(self.service.get("/readyz").status, 200)

    def test_an_import_that_is_killed_is_done_again(self):
        data = self.directory / "data"
        self.import_to(self.directory / "other", self.home / "with")  # how long it may take
        for i in range(20):
            with subprocess.Popen([SOTTOD, "import", self.home / "with", "--data", data], env=plain_environment(),
                                  stdout=subprocess.DEVNULL) as process:
                time.sleep(0.003 * i)
                process.kill()
            if data.exists() and self.experiment in sottod("inspect", "--data", data).stdout:
                break
        else:
            self.import_to(data, self.home / "with")
        with Service(directory=data) as service:
            self.assertEqual((service.model(self.experiment), service.counts(self.experiment)), self.state)

    def test_a_file_that_is_there_is_not_written_over(self):
        file = self.directory / "file"
        file.write_text("precious")
        self.refuse("export", self.experiment, file, "--data", self.service.directory, says="exists")
        self.assertEqual(file.read_text(), "precious")

    def test_what_cannot_be_exported_is_refused_and_leaves_no_file(self):
        file = self.directory / "file"
        data = self.service.directory
        self.refuse("export", "0" * 32, file, "--data", data, says="no such experiment")
        self.refuse("export", "xyz", file, "--data", data, says="32 lower-case hexadecimal", code=2)
        self.refuse("export", self.few, file, "--data", data, says="fewer than epoch_reports_min .20.: use --with-reports")
        self.refuse("export", self.experiment, self.directory / "no" / "file", "--data", data, says="No such file")
        self.refuse("export", self.experiment, file, "--data", self.directory / "none", says="none")
        if os.path.exists("/dev/full"):
            self.refuse("export", self.experiment, "/dev/full", "--data", data, says="exists|full")
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_an_import_with_reports_is_the_same_experiment(self):
        self.import_to(self.directory / "data", self.home / "with")
        with Service(directory=self.directory / "data") as service:
            self.assertEqual((service.model(self.experiment), service.counts(self.experiment)), self.state)
            self.assertEqual(service.terms(self.experiment), self.service.terms(self.experiment))
            for path in ("", "/history", "/results"):
                here, there = (json.loads(s.manage("GET", f"/v1/experiments/{self.experiment}{path}").body)
                               for s in (service, self.service))
                for part in (here, there):
                    part.pop("watch", None)   # of the last publish of a process
                self.assertEqual(here, there)
            self.assertEqual(service.post(self.experiment, [*self.old[:4], *self.new[:5]]).status, 204)
            self.assertEqual(service.counts(self.experiment)["duplicate"], 9)
            more = service.frames(self.experiment, 30)
            self.assertEqual(service.post(self.experiment, more).status, 204)
            self.assertTrue(service.wait_for(lambda: service.model(self.experiment)[0] == 2))
            self.check_replay(service)

    def check_replay(self, service):
        """Another program computes the same model from the rules of the journal."""
        epoch, model = service.model(self.experiment)
        counts = service.counts(self.experiment)
        service.kill()
        replay = Journal(service.directory).replay(self.experiment)
        self.assertEqual((replay.epoch, replay.model, replay.counts), (epoch, model, counts))

    def test_after_an_import_without_reports_nothing_counts_twice(self):
        self.import_to(self.directory / "data", self.home / "without")
        with Service(directory=self.directory / "data") as service:
            counts = service.counts(self.experiment)
            self.assertEqual(counts, self.state[1])
            epoch = service.model(self.experiment)[0]
            self.assertGreater(epoch, self.state[0][0] + 1)  # all that were open are closed
            self.assertEqual(service.post(self.experiment, [*self.old, *self.new]).status, 204)
            self.assertEqual(service.counts(self.experiment), {**counts, "late": 90})
            more = service.frames(self.experiment, 50)
            self.assertEqual(service.post(self.experiment, more).status, 204)
            self.assertTrue(service.wait_for(lambda: service.model(self.experiment)[0] == epoch + 1))
            self.check_replay(service)
            service.start()
            self.assertEqual(service.counts(self.experiment), {**counts, "late": 90, "folded": counts["folded"] + 50})
            # The next directory can be exported too.
            done = sottod("export", self.experiment, self.directory / "next", "--with-reports", "--data", service.directory)
            self.assertEqual(done.returncode, 0, done)
            seen = service.model(self.experiment), service.counts(self.experiment)
        self.import_to(self.directory / "third", self.directory / "next")
        with Service(directory=self.directory / "third") as service:
            self.assertEqual((service.model(self.experiment), service.counts(self.experiment)), seen)
            self.check_replay(service)

    def test_an_import_beside_a_running_service_is_refused(self):
        with Service(directory=self.directory / "data") as service:
            self.refuse("import", self.home / "with", "--data", service.directory, says="in use")
            self.assertEqual(json.loads(service.manage("GET", "/v1/experiments").body)["experiments"], [])
            self.assertEqual(service.stop(), 0)
            self.import_to(service.directory, self.home / "with")
            service.start()
            self.assertEqual(service.counts(self.experiment), self.state[1])

    def test_an_experiment_that_is_or_was_there_is_not_imported(self):
        data = self.directory / "data"
        self.import_to(data, self.home / "with")
        for name in ("with", "without"):
            self.refuse("import", self.home / name, "--data", data, says="the experiment exists already, or was deleted")
        with Service(directory=data) as service:
            self.assertEqual(service.change(self.experiment, "delete").status, 200)
            self.assertEqual(service.stop(), 0)
        self.refuse("import", self.home / "with", "--data", data, says="the experiment exists already, or was deleted")

    def test_a_damaged_file_is_refused_and_nothing_of_it_is_imported(self):
        draw = random.Random(SEED)
        data, file = self.directory / "data", self.directory / "file"
        other = self.directory / "other"
        self.assertEqual(self.export(self.few, other, "--with-reports").returncode, 0)
        self.assertEqual(sottod("import", other, "--data", data).returncode, 0)
        before = sottod("inspect", "--data", data).stdout
        whole = (self.home / "with").read_bytes()
        damaged = [b"", whole[:4], whole[:100], whole[:4096], whole[:len(whole) // 2], whole[:-4096], b"\0" * 1000,
                   b"STX1\2\0\0\0" + whole, whole[:60] + struct.pack(">I", 99) + whole[64:]]
        for i, content in enumerate(damaged):
            with self.subTest(i=i):
                file.write_bytes(content)
                self.refuse("import", file, "--data", data, says=re.escape(str(file)))
                self.assertNotIn("import.new", sottod("import", file, "--data", data).stderr)
        self.assertEqual(sottod("inspect", "--data", data).stdout, before)
        self.assertFalse((data / "import.new").exists())
        self.refuse("import", self.directory / "nothing", "--data", data, says="No such file")
        self.refuse("import", self.directory, "--data", data, says=re.escape(str(self.directory)))

    def test_a_flipped_bit_is_refused_or_changes_nothing(self):
        """It changes nothing where SQLite keeps nothing."""
        draw, refused = random.Random(SEED), 0
        whole = (self.home / "with").read_bytes()
        used = [at for at, byte in enumerate(whole) if byte != 0]
        for i in range(30):
            data, file = self.directory / f"data{i}", self.directory / f"file{i}"
            wrong = bytearray(whole)
            wrong[draw.choice(used)] ^= 1 << draw.randrange(8)
            file.write_bytes(wrong)
            with self.subTest(seed=SEED, i=i):
                done = sottod("import", file, "--data", data)
                if done.returncode != 0:
                    refused += 1
                    self.assertIn("0 experiments", sottod("inspect", "--data", data).stdout)
                    continue
                replay = Journal(data).replay(self.experiment)
                self.assertEqual((replay.epoch, replay.model, replay.counts), (*self.state[0], self.state[1]))
        self.assertGreater(refused, 15)

    def test_a_journal_of_more_is_no_export(self):
        copy = self.directory / "copy"
        self.assertEqual(sottod("backup", copy, "--data", self.service.directory).returncode, 0)
        self.refuse("import", copy / "journal.sqlite", "--data", self.directory / "data", says="more than one experiment")

    def test_inspect_says_what_is_there_also_while_it_runs(self):
        done = sottod("inspect", "--data", self.service.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        text = re.sub(" +", " ", done.stdout)
        for says in (f"{self.experiment} open", "epoch 1\n", "90 acknowledged = 90 folded + 0 late", f"{self.few} open",
                     "dim 2, 3 arms, epsilon 1", "2 experiments", "all digests are correct"):
            self.assertIn(says, text)
        for frame in self.new:
            self.assertNotIn(frame[24:40].hex(), done.stdout)
        self.assertEqual(self.service.get("/readyz").status, 200)

    def test_inspect_counts_in_words(self):
        with Service() as service:
            for count in ("0 experiments", "1 experiment", "2 experiments"):
                done = sottod("inspect", "--data", service.directory)
                self.assertIn(f": {count}, last row ", done.stdout)
                service.create({"series": int(count[0])})

    def test_inspect_needs_a_directory_and_makes_none(self):
        self.refuse("inspect", "--data", self.directory / "none", says="none")
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_reports_that_come_during_exports_are_taken(self):
        with Service() as service, contextlib.ExitStack() as stack:
            experiment = service.create({"epoch_lag_max": 16}, {"epoch": 500, "epoch_seconds_min": 3})
            frames = service.frames(experiment, 4000)
            exports = []
            for i in range(20):
                words = [SOTTOD, "export", experiment, self.directory / str(i), "--with-reports", "--data", service.directory]
                exports.append(stack.enter_context(subprocess.Popen(words, env=plain_environment(), stderr=subprocess.PIPE)))
                self.assertEqual(service.post(experiment, frames[i * 200:(i + 1) * 200]).status, 204)
            for one in exports:
                self.assertEqual((one.wait(timeout=60), one.stderr.read()), (0, b""))
            self.assertEqual(service.counts(experiment),
                             {"folded": 4000, "late": 0, "duplicate": 0, "conflicting": 0})
            self.assertEqual(service.get("/readyz").status, 200)
            for i in range(20):
                done = sottod("import", self.directory / str(i), "--data", self.directory / f"data{i}")
                self.assertEqual(done.returncode, 0, done)


if __name__ == "__main__":
    unittest.main()
