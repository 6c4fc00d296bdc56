#!/usr/bin/env python3
"""kill -9 of publishers, gateways and the database under load, and sessions that are cut: three
gateways behind nginx, which keep all reports, or remove them by whole slabs. cluster.py lists what
must always hold: nothing acknowledged is lost, and every model, wherever it was seen, is that of a
replay which shares no code with the service."""
import collections
import random
import time
import unittest
import unittest.mock

from cluster import NGINX, Cluster
from postgres import Case
from replay_postgres import Damage
from soak import SEED, SOAK
from witness import Broken

KILLS = ("publisher", "gateway", "gateway", "gateway", "database")  # kill -9 of a turn
TURN = (*KILLS, "session")  # in any order
# For each cluster: whether it keeps all reports, and the number of turns. As many kills as the
# turns have must be under load: 50 in all, and 500 in each of the four parts of the soak.
CLUSTERS = [(True, 20)] * 4 + [(False, 20)] if SOAK else [(True, 7), (False, 3)]
CHECKS = 5  # turns between two
PUBLISHER, GATEWAY = 1397707860, 1397707847  # the locks
# Moments at which the database is killed: the settings before, and how to detect that a commit has
# come so far.
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

    def setUp(self):
        super().setUp()
        self.under_load = 0  # kill -9 of all clusters

    def strike(self, cluster, what):
        getattr(self, "strike_" + what)(cluster)
        self.done[what] += 1

    def aim(self, cluster, victim=None):
        """Requests that are with a gateway, or with any, for a while."""
        age = self.draw.uniform(0.0003, 0.003)
        self.struck.append((victim, cluster.witness.under_way(victim, age)))

    def strike_gateway(self, cluster, victim=None):
        victim = victim or self.draw.choice(cluster.gateways)
        self.aim(cluster, victim)
        victim.kill()
        if self.draw.random() < 0.2:  # again, while it starts
            victim.spawn()
            time.sleep(self.draw.uniform(0, 0.05))
            victim.kill()
            victim.process.stdout.close()
            self.done["start"] += 1
        victim.start()

    def strike_publisher(self, cluster):
        self.strike_gateway(cluster, cluster.publisher())

    def strike_session(self, cluster):
        """No kill: the database ends the session of the publisher, or of a gateway."""
        lock = self.draw.choice((PUBLISHER, GATEWAY))
        self.database.ask(f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND "
                          f"classid::bigint = {lock} ORDER BY random() LIMIT 1")

    def strike_database(self, cluster):
        moment = list(MOMENTS)[self.done["database"] % len(MOMENTS)]
        if MOMENTS[moment]:
            changes, question = MOMENTS[moment]
            for change in (*(f"ALTER SYSTEM SET {change}" for change in changes), "SELECT pg_reload_conf()"):
                self.database.ask(change)
            if cluster.is_so(lambda: self.database.ask(question) != [["0"]], 20):
                self.moments[moment] += 1
        if moment == "while it stands still":
            self.database.tell("freeze")
            time.sleep(self.draw.uniform(0, 0.2))
        self.aim(cluster)
        self.database.tell("kill")
        time.sleep(self.draw.uniform(0, 0.2))
        self.database.tell("start")
        if MOMENTS[moment]:
            self.database.ask("ALTER SYSTEM RESET ALL")
            self.database.ask("SELECT pg_reload_conf()")

    def run_cluster(self, seed, keeps, turns):
        self.draw = random.Random(seed)
        began = time.monotonic()
        self.done, self.moments = collections.Counter(), collections.Counter()
        self.struck = []  # of each kill -9: the victim, and the requests that were under way
        cluster = Cluster(self.database, self.stack, seed, keeps)
        cluster.crowd.start()
        for turn in range(turns):
            cluster.wait_for_epoch()
            for what in self.draw.sample(TURN, len(TURN)):
                time.sleep(self.draw.uniform(0, 0.1))
                self.strike(cluster, what)
                cluster.crowd.raise_faults()
            if not keeps:
                cluster.age_slabs()
            if turn % CHECKS == CHECKS - 1:
                cluster.check()
        for _ in range(turns * len(KILLS)):  # more, for those that cut no request: the last answer had just left
            if self.loaded() < turns * len(KILLS):
                self.strike(cluster, "gateway")
        cluster.wait_for_epoch()
        replay = cluster.finish()
        self.tell(cluster, replay, time.monotonic() - began)
        self.check_that_it_shows_something(cluster, replay, turns)
        if not keeps:
            self.check_removal(cluster, turns)
        self.check_that_faults_are_found(cluster)

    def loaded(self):
        """How many kills cut off a request."""
        return sum(any(flight.was_cut(victim) for flight in flights) for victim, flights in self.struck)

    def tell(self, cluster, replay, seconds):
        main = cluster.experiment
        killed, loaded = len(self.struck), self.loaded()
        print(f"{killed} kill -9, {loaded} under load, in {seconds:.0f} s: {dict(self.done)}, {dict(self.moments)}; "
              f"{len(main.sent)} reports, {main.answered} acknowledged, {main.unknown} lost; {replay.counts}, "
              f"{len(replay.waiting)} wait, epoch {len(replay.models)}; {len(cluster.witness.numbers)} experiments, "
              f"{dict(cluster.witness.tally)}", flush=True)
        print(f"figure: {killed} kill -9, {loaded} of them under load, {self.done['start']} more of starts, "
              f"{self.done['session']} sessions cut, {main.answered} reports acknowledged, {len(replay.models)} models",
              flush=True)
        self.under_load += loaded

    def check_that_it_shows_something(self, cluster, replay, turns):
        self.assertEqual(len(self.struck), sum(self.done[what] for what in set(KILLS)))
        self.assertGreaterEqual(self.loaded(), turns * len(KILLS))
        self.assertGreaterEqual(len(replay.models), turns)
        if turns >= len(MOMENTS):
            self.assertEqual(set(self.moments), {moment for moment, how in MOMENTS.items() if how})
        for count in ("duplicate", "conflicting"):
            self.assertGreater(replay.counts[count], 0)
        for verb in ("create", "pause", "delete", "post failed"):
            self.assertGreater(cluster.witness.tally[verb], 0, verb)

    def check_removal(self, cluster, turns):
        """Slabs were dropped while processes were killed; in the end the first reports are in no
        table of the service."""
        def first_rows():
            return self.database.ask("SELECT count(*) FROM sotto.journal WHERE experiment = 1 AND epoch = 0 AND "
                                     "reports > 0")
        self.assertTrue(cluster.is_so(lambda: first_rows() == [["0"]], 120), "the first reports are still there")
        slab, = self.database.ask("SELECT (slab & 1048575) - 1 FROM sotto.experiment WHERE number = 1")
        gone, = self.database.ask("SELECT (SELECT count(*) FROM copies.journal WHERE experiment = 1) - "
                                  "(SELECT count(*) FROM sotto.journal WHERE experiment = 1)")
        print(f"figure: {int(slab[0])} slabs followed by another one, {int(gone[0])} rows dropped", flush=True)
        self.assertGreaterEqual(int(slab[0]), turns // 2)
        self.assertGreater(int(gone[0]), 0)

    def check_that_faults_are_found(self, cluster):
        """The same check must fail with something wrong."""
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
        # A row that another one follows, and without a witness: only a witness can tell that the
        # last row of a gateway is missing.
        (gateway, gseq), = self.database.ask(
            "SELECT gateway, gseq FROM sotto.journal AS row WHERE experiment = 1 AND EXISTS (SELECT FROM sotto.journal AS next "
            "WHERE (next.experiment, next.gateway, next.gseq) = (1, row.gateway, row.gseq + 1)) ORDER BY epoch DESC, gseq DESC LIMIT 1")
        self.database.ask(f"DELETE FROM sotto.journal WHERE (experiment, gateway, gseq) = (1, {gateway}, {gseq})")
        with unittest.mock.patch.object(cluster.witness, "rows", {}), self.assertRaisesRegex(Damage, "has row"):
            cluster.witness.check(url)

    def test_nothing_that_was_acknowledged_is_lost_and_models_are_those_of_a_replay(self):
        for number, (keeps, turns) in enumerate(CLUSTERS):
            if number > 0:
                self.stack.close()
                self.new_database()
            with self.subTest(seed=SEED + number, keeps=keeps):
                self.run_cluster(SEED + number, keeps, turns)
        self.assertGreaterEqual(self.under_load, 500 if SOAK else 50)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
