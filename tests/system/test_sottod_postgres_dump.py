#!/usr/bin/env python3
"""pg_dump of a running service, restored into another database: a service on it has the same
bits."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from cluster import NGINX, Cluster
from postgres import LEARNING, Case
from replay_postgres import Database
from sottod import Service


class Dumped(Case):
    def setUp(self):
        super().setUp()
        self.home = self.stack.enter_context(tempfile.TemporaryDirectory())

    def restored(self, name):
        """The URL of a database into which our dump was restored, with the lines of
        docs/operations.md."""
        dump = pathlib.Path(self.home) / f"{name}.dump"
        url = self.database.url.replace(":///postgres?", f":///{name}?")
        self.assertNotEqual(url, self.database.url)
        for _ in range(10):  # again, as the document says, if a slab is dropped meanwhile
            done = subprocess.run(["pg_dump", "--format=custom", "--schema=sotto", f"--file={dump}", self.database.url],
                                  stderr=subprocess.PIPE, text=True, timeout=120)
            if 'relation "sotto.journal_' not in done.stderr:
                break
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.database.ask(f"CREATE DATABASE {name}")
        subprocess.run(["pg_restore", f"--dbname={url}", "--exit-on-error", dump], check=True, timeout=120)
        return url

    @staticmethod
    def told(service, experiment):
        def asked(path):
            answer = json.loads(service.manage("GET", f"/v1/experiments/{experiment}{path}").body)
            answer.pop("watch", None)  # of the last publish of this process
            return answer
        return service.terms(experiment), service.model(experiment), service.counts(experiment), asked("/results"), \
            asked("/history")

    def test_a_service_on_the_copy_tells_the_same_and_goes_on(self):
        service = self.service()
        experiments = [service.create(learning=LEARNING),
                       service.create({"series": 1, "measure": 0.5}, {**LEARNING, "epoch": 300})]
        gone = service.create({"series": 2}, LEARNING)
        for seed, experiment in enumerate(experiments):
            frames = service.frames(experiment, 1000, seed)
            self.send(service, experiment, frames[:10])
            self.send(service, experiment, frames)  # 10 of them again, and with these the epoch ends
            self.assert_reached(service, experiment, 1)
            self.send(service, experiment, service.frames(experiment, 15, seed + 10))  # that wait
        self.assertEqual(service.change(gone, "delete").status, 200)
        for attempt in range(3):  # again, if an epoch ends after the copy was begun
            url = self.restored(f"another_{attempt}")
            told = [self.told(service, experiment) for experiment in experiments]
            tables, copy = Database(self.database.url).tables, Database(url).tables
            if copy == tables:
                break
        self.assertEqual(copy, tables)
        self.assertEqual(service.stop(), 0)
        with Service("--keep-reports", journal=url) as other:
            self.assertEqual([self.told(other, experiment) for experiment in experiments], told)
            self.check_that_it_goes_on(other, url, experiments[0])
            self.assertEqual(other.get(f"/v1/experiments/{gone}/model").status, 410)

    def check_that_it_goes_on(self, service, url, experiment):
        """Waiting reports count; none of those taken counts again; rows belong to a new gateway."""
        before = Database(url).replay(experiment)
        self.assertEqual(len(before.waiting), 15)
        self.send(service, experiment, before.frames[:20])
        self.send(service, experiment, service.frames(experiment, 300))
        self.assert_reached(service, experiment, 2)
        after = Database(url)
        replay = after.replay(experiment)
        self.assertEqual(replay.counts["folded"] + len(replay.waiting), 1000 + 15 + 300)  # it may end earlier
        self.assertEqual(replay.counts["duplicate"], 10 + 20)
        self.assertEqual({epoch: replay.models[epoch] for epoch in before.models}, before.models)
        gateways = sorted(after.rows[after.find(experiment)["number"]])
        self.assertEqual(len(gateways), 2)

    @unittest.skipUnless(NGINX, "nginx must be installed")
    def test_under_load_each_copy_is_the_journal_of_one_moment(self):
        cluster = Cluster(self.database, self.stack, 1)
        cluster.crowd.start()
        copies = []
        for name in ("one", "two"):
            cluster.wait_for_epoch()
            copies.append(Database(self.restored(name)).replay(cluster.experiment.id))
        whole = cluster.finish()
        for copy in copies:
            self.assertEqual({epoch: whole.models[epoch] for epoch in copy.models}, copy.models)
            self.assertLess(copy.acknowledged, whole.acknowledged)
            self.assertTrue(set(copy.frames) <= set(whole.frames))


if __name__ == "__main__":
    unittest.main()
