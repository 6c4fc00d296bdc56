#!/usr/bin/env python3
"""Two publishers, forced. Whatever they assume, an epoch has one model: the primary key is the
fence, and a connection that was cut during a publish publishes nothing later."""
import os
import signal
import time
import unittest

from cluster import NGINX, Cluster
from postgres import Case
from soak import SEED, SOAK
from sottod import plain_environment

EPOCHS = 60 if SOAK else 3
STOPS = 12 if SOAK else 1
TRIES = 5
PUBLISHER = ("SELECT a.pid FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE l.locktype = 'advisory' AND "
          "l.classid::bigint = 1397707846 AND l.objid = 1")
INSERTS = PUBLISHER + " AND a.wait_event_type = 'Lock'"
COMMITS = PUBLISHER + " AND a.wait_event = 'SyncRep'"


@unittest.skipUnless(NGINX, "nginx must be installed")
class Fenced(Case):
    def setUp(self):
        super().setUp()
        print(f"SEED={SEED}", flush=True)

    @unittest.skipIf(os.environ["SANITIZE"], "a sanitizer must be loaded first")
    def test_three_that_believe_they_are_the_publisher_give_each_epoch_one_model(self):
        environment = plain_environment(LD_PRELOAD=os.environ["EVERY_PUBLISHER"])
        cluster = Cluster(self.database, self.stack, SEED, env=environment)
        self.assertEqual(self.database.ask(PUBLISHER), [])  # nobody has the lock
        cluster.crowd.start()
        for _ in range(EPOCHS):
            cluster.wait_for_epoch()
        cluster.wait_for(lambda: sum(gateway.metrics()["sottod_publisher_fenced_total"] for gateway in cluster.gateways),
                         "no two published the same epoch")
        replay = cluster.finish()
        fenced = [gateway.metrics()["sottod_publisher_fenced_total"] for gateway in cluster.gateways]
        published = [gateway.metrics()["sottod_publisher_publishes_total"] for gateway in cluster.gateways]
        print(f"figure: {len(replay.models)} models of three publishers by force, {sum(fenced):.0f} more refused")
        self.assertGreater(sum(fenced), 0)
        self.assertGreaterEqual(sum(published), len(replay.models))

    def publisher(self, cluster):
        """The publisher in the middle of a publish that cannot end."""
        found = []

        def publishes():
            found[:] = [gateway for gateway in cluster.gateways if gateway.metrics()["sottod_publisher_experiments"]]
            return found and self.database.ask(INSERTS)
        cluster.wait_for(publishes, "no publisher publishes")
        cluster.crowd.avoided = found[0]
        time.sleep(0.1)  # whoever was at it has an answer
        return found[0]

    def stop(self, publisher, question):
        """Stops the publisher, and cuts its connection, which the query selects. The publisher
        gives a query up after a while, so it may have to be stopped in the next one."""
        self.stack.callback(publisher.process.send_signal, signal.SIGCONT)

        def is_cut():
            if not self.database.ask(question):
                return False
            publisher.process.send_signal(signal.SIGSTOP)
            if self.database.ask(f"SELECT pg_terminate_backend(pid, 10000) FROM ({question}) AS one") == [["t"]]:
                return True
            publisher.process.send_signal(signal.SIGCONT)
            return False
        self.assertTrue(publisher.wait_for(is_cut))

    def go_on(self, cluster, publisher, epoch):
        """Another publisher takes over; then the first one wakes up with its old state."""
        others = [gateway for gateway in cluster.gateways if gateway is not publisher]
        cluster.wait_for(lambda: max(gateway.model(cluster.experiment.id)[0] for gateway in others) >= epoch,
                         "nobody took over")
        publisher.process.send_signal(signal.SIGCONT)
        cluster.crowd.avoided = None
        cluster.wait_for(lambda: publisher.model(cluster.experiment.id)[0] >= epoch, "the first one stays behind")
        cluster.wait_for(lambda: [line for line in publisher.log() if line["event"] == "publisher_lost_database"],
                         "the first one still folds")
        cluster.wait_for_epoch()
        cluster.check()

    def unknown_commit(self, cluster):
        """The model is durable, and the publisher does not know. Without a standby the gateways'
        commits wait too, so a publish must have begun before that is set."""
        for _ in range(TRIES):
            with self.locked_models():
                publisher = self.publisher(cluster)
                self.set("SET synchronous_standby_names = 'nobody'")
            if cluster.is_so(lambda: self.database.ask(COMMITS), 3):
                break
            self.set("RESET ALL")  # this machine was slow: the publisher waits 3 s for an answer, and begins anew
            cluster.crowd.avoided = None
        before = self.durable()  # what waits cannot be seen yet
        self.stop(publisher, COMMITS)
        self.assertEqual(self.durable(), before + 1)  # the next publisher's commit waits as well
        self.set("RESET ALL")
        self.go_on(cluster, publisher, before + 2)

    def durable(self):
        [[epoch]] = self.database.ask("SELECT max(epoch) FROM sotto.model WHERE experiment = 1")
        return int(epoch)

    def set(self, change):
        self.database.ask(f"ALTER SYSTEM {change}")
        self.database.ask("SELECT pg_reload_conf()")

    def test_a_publisher_that_stood_still_in_the_middle_of_a_publish_publishes_nothing_later(self):
        cluster = Cluster(self.database, self.stack, SEED)
        cluster.crowd.owns = False  # one experiment, so that it is known what is published
        cluster.crowd.start()
        for _ in range(STOPS):
            cluster.wait_for_epoch()
            with self.locked_models():
                publisher, epoch = self.publisher(cluster), cluster.experiment.epoch
                self.stop(publisher, INSERTS)
            self.go_on(cluster, publisher, epoch + 1)
            if SOAK:
                cluster.wait_for_epoch()
                self.unknown_commit(cluster)
            time.sleep(0.1)
        replay = cluster.finish()
        print(f"{len(replay.models)} models, {replay.counts}")


if __name__ == "__main__":
    unittest.main()
