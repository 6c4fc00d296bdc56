#!/usr/bin/env python3
"""Two folders by force. Whatever they believe, an epoch has one model: the primary key is the fence, and a connection
that was cut in the middle of a publish publishes nothing later."""
import contextlib
import os
import random
import signal
import subprocess
import time
import unittest

from cluster import NGINX, Cluster
from postgres import Case
from sottod import plain_environment

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
SOAK = os.environ.get("SOTTO_SOAK") == "1"
EPOCHS = 60 if SOAK else 3
STOPS = 12 if SOAK else 1
TRIES = 5
FOLDER = ("SELECT a.pid FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE l.locktype = 'advisory' AND "
          "l.classid::bigint = 1397707860 AND l.objid = 0")
INSERTS = FOLDER + " AND a.wait_event_type = 'Lock'"
COMMITS = FOLDER + " AND a.wait_event = 'SyncRep'"


@unittest.skipUnless(NGINX, "nginx must be installed")
class Fenced(Case):
    def setUp(self):
        super().setUp()
        print(f"SEED={SEED}", flush=True)

    @unittest.skipIf(os.environ["SANITIZE"], "a sanitizer must be loaded first")
    def test_three_that_believe_they_are_the_folder_give_each_epoch_one_model(self):
        environment = plain_environment(LD_PRELOAD=os.environ["EVERY_FOLDER"])
        cluster = Cluster(self.database, self.stack, SEED, env=environment)
        self.assertEqual(self.database.ask(FOLDER), [])  # nobody has the lock
        cluster.crowd.start()
        for _ in range(EPOCHS):
            cluster.wait_for_epoch()
        cluster.wait_for(lambda: sum(gateway.metrics()["sottod_folder_fenced_total"] for gateway in cluster.gateways),
                         "no two published the same epoch")
        replay = cluster.finish()
        fenced = [gateway.metrics()["sottod_folder_fenced_total"] for gateway in cluster.gateways]
        published = [gateway.metrics()["sottod_folder_publishes_total"] for gateway in cluster.gateways]
        print(f"figure: {len(replay.models)} models of three folders by force, {sum(fenced):.0f} more refused")
        self.assertGreater(sum(fenced), 0)
        self.assertGreaterEqual(sum(published), len(replay.models))

    def folder(self, cluster):
        """Who is in the middle of a publish, which cannot end."""
        found = []

        def publishes():
            found[:] = [gateway for gateway in [cluster.folder()] if gateway and self.database.ask(INSERTS)]
            return found
        cluster.wait_for(publishes, "no folder publishes")
        cluster.crowd.avoided = found[0]
        time.sleep(0.1)  # whoever was at it has an answer
        return found[0]

    def stop(self, folder, question):
        """It stands still, and its connection, which the question asks for, is cut."""
        self.assertTrue(folder.wait_for(lambda: self.database.ask(question), 10))
        [[pid]] = self.database.ask(question)
        folder.process.send_signal(signal.SIGSTOP)
        self.stack.callback(folder.process.send_signal, signal.SIGCONT)
        self.assertEqual(self.database.ask(f"SELECT pg_terminate_backend({pid}, 10000)"), [["t"]])

    def go_on(self, cluster, folder, epoch):
        """Another one takes over; then the first one wakes up, and believes what it believed."""
        others = [gateway for gateway in cluster.gateways if gateway is not folder]
        cluster.wait_for(lambda: max(gateway.model(cluster.experiment.id)[0] for gateway in others) >= epoch,
                         "nobody took over")
        folder.process.send_signal(signal.SIGCONT)
        cluster.crowd.avoided = None
        cluster.wait_for(lambda: folder.model(cluster.experiment.id)[0] >= epoch, "the first one stays behind")
        cluster.wait_for(lambda: [line for line in folder.log() if line["event"] == "folder_lost_database"],
                         "the first one still folds")
        cluster.wait_for_epoch()
        cluster.check()

    @contextlib.contextmanager
    def locked_models(self):
        """Nobody can insert one."""
        with subprocess.Popen(["psql", "-Xq", self.database.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as holder:
            holder.stdin.write("BEGIN; LOCK TABLE sotto.model IN EXCLUSIVE MODE;\n\\echo held\n")
            holder.stdin.flush()
            self.assertEqual(holder.stdout.readline(), "held\n")
            yield
            holder.stdin.close()

    def unknown_commit(self, cluster):
        """The model is durable, and the folder does not know. Without a standby the commits of gateways wait, too: so a
        publish has to be on its way before that is set."""
        for _ in range(TRIES):
            with self.locked_models():
                folder = self.folder(cluster)
                self.set("SET synchronous_standby_names = 'nobody'")
            if cluster.is_so(lambda: self.database.ask(COMMITS), 3):
                break
            self.set("RESET ALL")  # this machine was slow: the folder waits 3 s for an answer, and begins anew
            cluster.crowd.avoided = None
        before = self.durable()  # what waits cannot be seen yet
        self.stop(folder, COMMITS)
        self.assertEqual(self.durable(), before + 1)  # the next folder's commit waits as well
        self.set("RESET ALL")
        self.go_on(cluster, folder, before + 2)

    def durable(self):
        [[epoch]] = self.database.ask("SELECT max(epoch) FROM sotto.model WHERE experiment = 1")
        return int(epoch)

    def set(self, change):
        self.database.ask(f"ALTER SYSTEM {change}")
        self.database.ask("SELECT pg_reload_conf()")

    def test_a_folder_that_stood_still_in_the_middle_of_a_publish_publishes_nothing_later(self):
        cluster = Cluster(self.database, self.stack, SEED)
        cluster.crowd.owns = False  # one experiment, so that it is known what is published
        cluster.crowd.start()
        for _ in range(STOPS):
            cluster.wait_for_epoch()
            with self.locked_models():
                folder, epoch = self.folder(cluster), cluster.experiment.epoch
                self.stop(folder, INSERTS)
            self.go_on(cluster, folder, epoch + 1)
            if SOAK:
                cluster.wait_for_epoch()
                self.unknown_commit(cluster)
            time.sleep(0.1)
        replay = cluster.finish()
        print(f"{len(replay.models)} models, {replay.counts}")


if __name__ == "__main__":
    unittest.main()
