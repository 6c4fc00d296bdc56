#!/usr/bin/env python3
"""kill -9 of folders, gateways and the database under load, and connections that are cut: three gateways behind nginx.
cluster.py says what must hold, all the time: nothing that was acknowledged is lost, and every model, wherever it was
seen, is that of a replay which shares no code with the service."""
import collections
import os
import random
import time
import unittest
import unittest.mock

from cluster import NGINX, Cluster
from postgres import Case
from replay_postgres import Damage
from witness import Broken

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
SOAK = os.environ.get("SOTTO_SOAK") == "1"
CLUSTERS, TURNS = (5, 20) if SOAK else (1, 10)
TURN = ("folder", "gateway", "gateway", "connection", "database")  # kills of a turn, in any order
CHECKS = 5  # turns between two
FOLDER, GATEWAY = 1397707860, 1397707847  # the locks
# Moments in which the database is killed: what is set before, and how to know that a commit has come so far.
MOMENTS = {
    "any": None,
    "before the log is flushed": (("commit_delay = 100000", "commit_siblings = 0"),
                                  "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT'"),
    "after the log is flushed": (("synchronous_standby_names = 'nobody'",),
                                 "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"),
    "while it stands still": None,
}


@unittest.skipUnless(NGINX, "nginx must be installed")
class Killed(Case):
    """kill -9."""

    def kill(self, cluster, what):
        getattr(self, "kill_" + what)(cluster)
        self.kills[what] += 1

    def kill_gateway(self, cluster, victim=None):
        victim = victim or self.luck.choice(cluster.gateways)
        victim.kill()
        if self.luck.random() < 0.2:  # again, while it starts
            victim.spawn()
            time.sleep(self.luck.uniform(0, 0.05))
            victim.kill()
            victim.process.stdout.close()
            self.kills["start"] += 1
        victim.start()

    def kill_folder(self, cluster):
        self.kill_gateway(cluster, cluster.folder())

    def kill_connection(self, cluster):
        """Of the folder, or of a gateway."""
        lock = self.luck.choice((FOLDER, GATEWAY))
        self.database.ask(f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND "
                          f"classid::bigint = {lock} ORDER BY random() LIMIT 1")

    def kill_database(self, cluster):
        moment = list(MOMENTS)[self.kills["database"] % len(MOMENTS)]
        if MOMENTS[moment]:
            changes, question = MOMENTS[moment]
            for change in (*(f"ALTER SYSTEM SET {change}" for change in changes), "SELECT pg_reload_conf()"):
                self.database.ask(change)
            if cluster.is_so(lambda: self.database.ask(question) != [["0"]], 2):
                self.moments[moment] += 1
        if moment == "while it stands still":
            self.database.tell("freeze")
            time.sleep(self.luck.uniform(0, 0.2))
        self.database.tell("kill")
        time.sleep(self.luck.uniform(0, 0.2))
        self.database.tell("start")
        if MOMENTS[moment]:
            self.database.ask("ALTER SYSTEM RESET ALL")
            self.database.ask("SELECT pg_reload_conf()")

    def run_cluster(self, seed):
        self.luck = random.Random(seed)
        began = time.monotonic()
        self.kills, self.moments = collections.Counter(), collections.Counter()
        cluster = Cluster(self.database, self.stack, seed)
        cluster.crowd.start()
        for turn in range(TURNS):
            cluster.wait_for_epoch()
            for what in self.luck.sample(TURN, len(TURN)):
                time.sleep(self.luck.uniform(0, 0.2))
                self.kill(cluster, what)
                cluster.crowd.raise_faults()
            if turn % CHECKS == CHECKS - 1:
                cluster.check()
        cluster.wait_for_epoch()
        replay = cluster.finish()
        done = cluster.witness.tally
        print(f"{self.kills.total()} kills in {time.monotonic() - began:.0f} s: {dict(self.kills)}, "
              f"{dict(self.moments)}; {len(cluster.experiment.sent)} reports, "
              f"{cluster.experiment.answered} acknowledged, {cluster.experiment.unknown} lost; "
              f"{replay.counts}, {len(replay.waiting)} wait, epoch "
              f"{len(replay.models)}; {len(cluster.witness.numbers)} experiments, {dict(done)}", flush=True)
        print(f"figure: {self.kills.total()} kills, {cluster.experiment.answered} reports acknowledged, "
              f"{len(replay.models)} models", flush=True)
        self.check_that_it_shows_something(cluster, replay)
        self.check_that_faults_are_found(cluster)

    def check_that_it_shows_something(self, cluster, replay):
        self.assertGreaterEqual(self.kills.total(), TURNS * len(TURN))
        self.assertGreaterEqual(len(replay.models), TURNS)
        self.assertGreater(cluster.experiment.unknown, self.kills.total())  # they were under load
        self.assertEqual(set(self.moments), {moment for moment, how in MOMENTS.items() if how})
        for count in ("duplicate", "conflicting"):
            self.assertGreater(replay.counts[count], 0)
        for verb in ("create", "pause", "delete", "post failed"):
            self.assertGreater(cluster.witness.tally[verb], 0, verb)

    def check_that_faults_are_found(self, cluster):
        """The same check, with something wrong."""
        main, url = cluster.experiment, self.database.url
        with unittest.mock.patch.object(main, "answered", main.answered + main.unknown + 1), \
                self.assertRaisesRegex(Broken, "were acknowledged, there are"):
            cluster.witness.check(url)
        with unittest.mock.patch.object(main, "unknown", -main.answered), \
                self.assertRaisesRegex(Broken, "and at most 0 may be"):
            cluster.witness.check(url)
        with unittest.mock.patch.dict(main.models, {1: "another"}), \
                self.assertRaisesRegex(Broken, "two models of epoch 1"):
            cluster.witness.check(url)
        cluster.witness.check(url)
        with unittest.mock.patch.object(cluster.witness, "rows", {}):
            self.database.ask("DELETE FROM sotto.journal WHERE (experiment, gateway, gseq) = "
                              "(SELECT experiment, gateway, max(gseq) FROM sotto.journal WHERE experiment = 1 "
                              "GROUP BY 1, 2 ORDER BY 2 LIMIT 1)")
            with self.assertRaisesRegex((Broken, Damage), "counts|acknowledged"):
                cluster.witness.check(url)
        with self.assertRaisesRegex(Broken, "was another one, or is gone"):
            cluster.witness.check(url)

    def test_nothing_that_was_acknowledged_is_lost_and_models_are_those_of_a_replay(self):
        for number in range(CLUSTERS):
            if number > 0:
                self.stack.close()
                self.new_database()
            with self.subTest(seed=SEED + number):
                self.run_cluster(SEED + number)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
