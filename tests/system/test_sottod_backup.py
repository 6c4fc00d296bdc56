#!/usr/bin/env python3
"""sottod backup: a copy of a running service is a complete journal of one moment, and a service
started on it has the same bits."""
import contextlib
import http.client
import json
import stat
import threading
import unittest

from directory_case import DirectoryCase
from replay_journal import Journal
from sottod import Service, sottod

COPIES = 3
BATCH = 50


class Backup(DirectoryCase):
    def back_up(self, service, name="copy"):
        done = sottod("backup", self.directory / name, "--data", service.directory)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout, f"{self.directory / name}: all digests are correct\n")
        return self.directory / name

    def test_a_directory_that_is_there_is_refused(self):
        with Service() as service:
            done = sottod("backup", self.directory, "--data", service.directory)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "name a directory that does not exist yet")
            self.assertEqual(list(self.directory.iterdir()), [])
            done = sottod("backup", "--data", service.directory)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "backup: allowed: .*backup DIRECTORY")
            done = sottod("backup", self.directory / "copy", "--journal", "postgresql://localhost/sotto")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "backup: works only for a journal in a directory. For a database, use pg_dump ")

    def told(self, service, experiments):
        results = [json.loads(service.manage("GET", f"/v1/experiments/{e}/results").body) for e in experiments]
        for result in results:
            result.pop("watch", None)   # of the last publish of this process
        return [(service.model(e), service.counts(e)) for e in experiments], results

    def test_a_service_on_the_copy_has_the_same_bits_and_other_tokens(self):
        with Service() as service:
            experiments = [service.create(), service.create({"series": 1, "measure": 0.5}, {"epoch": 300})]
            for seed, experiment in enumerate(experiments):
                self.assertEqual(service.post(experiment, service.frames(experiment, 1000, seed)).status, 204)
                self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1))
                self.assertEqual(service.post(experiment, service.frames(experiment, 30, seed)).status, 204)
            copy = self.back_up(service)
            self.assertEqual(sorted(path.name for path in copy.iterdir()), ["journal.sqlite", "lock"])
            self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o700)
            told = self.told(service, experiments)
            learners = [Journal(copy).replay(e).learner for e in experiments]
            self.assertEqual([Journal(service.directory).replay(e).learner for e in experiments], learners)
            self.assertEqual(service.stop(), 0)
            with Service(directory=copy) as restored:
                self.assertEqual(self.told(restored, experiments), told)
                self.assertNotEqual(restored.token, service.token)
                self.assertEqual(restored.manage("GET", "/v1/experiments", token=service.token).status, 401)

    def send(self, service, experiment, acknowledged):
        """People who send without a pause; acknowledged reports are counted."""
        seed = 0
        with contextlib.suppress(OSError, http.client.HTTPException):
            while not self.enough.is_set():
                frames = service.frames(experiment, BATCH, seed)
                if service.post(experiment, frames).status == 204:
                    acknowledged[experiment] += BATCH
                seed += 1

    def test_under_load_each_copy_is_the_whole_journal_of_one_moment(self):
        self.enough = threading.Event()
        with Service("--keep-reports") as service:
            experiments = [service.create({"series": i}, {"epoch": 200}) for i in range(2)]
            acknowledged = dict.fromkeys(experiments, 0)
            senders = [threading.Thread(target=self.send, args=(service, e, acknowledged)) for e in experiments]
            for sender in senders:
                sender.start()
            try:
                copies, before = [], []
                for i in range(COPIES):
                    so_far = sum(acknowledged.values())
                    service.wait_for(lambda: sum(acknowledged.values()) > so_far + 3 * BATCH)
                    before.append(dict(acknowledged))
                    copies.append(self.back_up(service, f"copy{i}"))
            finally:
                self.enough.set()
                for sender in senders:
                    sender.join()
            self.assertEqual(service.stop(), 0)
            rows = {row["seq"]: tuple(row) for row in Journal(service.directory).rows}
        for copy, least in zip(copies, before):
            journal = Journal(copy)     # which checks each digest and chain
            last = journal.rows[-1]["seq"]
            self.assertEqual({row["seq"]: tuple(row) for row in journal.rows},
                             {seq: row for seq, row in rows.items() if seq <= last})
            for experiment in experiments:
                replay = journal.replay(experiment)
                self.assertGreaterEqual(replay.acknowledged, least[experiment])
        self.assertLess(len(journal.rows), len(rows) + 1)
        with Service(directory=copies[-1]) as restored:
            for experiment in experiments:
                replay = journal.replay(experiment)
                self.assertEqual(restored.model(experiment), (replay.epoch, replay.model))
                self.assertEqual(restored.counts(experiment), replay.counts)


if __name__ == "__main__":
    unittest.main()
