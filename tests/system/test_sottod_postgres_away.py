#!/usr/bin/env python3
"""The database goes away, or hangs, and comes back: meanwhile known answers are served, and no
request waits long."""
import concurrent.futures
import time
import unittest

from cluster import NGINX, Cluster
from postgres import LEARNING, Case
from replay_postgres import Database
from soak import SEED, SOAK

AWAY_S, STILL_S = (60, 60) if SOAK else (2, 4)  # an answer may take 3


class Away(Case):
    """The database goes away, and comes back."""

    def test_what_is_known_is_told_and_the_rest_comes_back_by_itself(self):
        one, two = self.service(), self.service()
        experiment = one.create(learning=LEARNING)
        frames = one.frames(experiment, 500)
        self.send(one, experiment, frames[:250])
        self.assert_reached(two, experiment, 1)
        self.assert_reached(one, experiment, 1)
        model = one.model(experiment)
        self.database.tell("kill")
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 503))
            self.assertEqual(service.model(experiment), model)
            answer = service.post(experiment, frames[250:300])
            self.assertEqual((answer.status, answer.headers.get("Retry-After")), (503, "1"))
        self.database.tell("start")
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200))
        self.send(one, experiment, frames[250:375])
        self.send(two, experiment, frames[375:])
        self.assert_reached(one, experiment, 2)
        self.assert_reached(two, experiment, 2)
        replay = Database(self.database.url).replay(experiment)
        self.assertEqual(replay.counts["folded"] + len(replay.waiting), 500)  # epoch 2 may end before the last came

    def test_a_database_that_refuses_rows_takes_its_gateways_out_of_rotation(self):
        """As a full disk, which accepts small changes. Clients send no reports to a gateway that is
        not ready."""
        one, two = self.service(), self.service()
        experiment = one.create(learning=LEARNING)
        frames = one.frames(experiment, 100)
        self.send(one, experiment, frames[:20])
        self.database.ask("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
                          "'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$")
        self.database.ask("CREATE TRIGGER full_disk BEFORE INSERT ON sotto.journal FOR EACH ROW "
                          "EXECUTE FUNCTION full_disk()")
        for service in (one, two):
            self.assertEqual(service.get("/readyz").status, 200)  # as far as it knows
            self.assertEqual(service.post(experiment, frames[20:60]).status, 503)
            told = [service.get("/readyz") for _ in range(20)]
            self.assertEqual({answer.status for answer in told}, {503})
            self.assertIn("the disk of its database is full", told[0].body.decode())
            self.assertEqual(service.get("/healthz").status, 200)
        time.sleep(2.5)  # two tries by itself
        self.assertEqual([service.get("/readyz").status for service in (one, two)], [503, 503])
        self.database.ask("DROP TRIGGER full_disk ON sotto.journal")
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200))
        self.send(one, experiment, frames[20:60])
        self.send(two, experiment, frames[60:])
        self.assertTrue(one.wait_for(lambda: self.replayed(experiment).acknowledged == 100))
        self.assertEqual(set(self.replayed(experiment).frames), set(frames))

    def test_a_row_that_is_refused_for_its_own_sake_takes_no_gateway_out_of_rotation(self):
        one, two = self.service("--publish=no"), self.service("--publish=no")
        closed, other = one.create(learning=LEARNING), one.create({"series": 2}, learning=LEARNING)
        frames = two.frames(closed, 20)
        self.assertTrue(two.wait_for(lambda: two.get(f"/v1/experiments/{other}/terms").status == 200))
        self.database.ask("UPDATE sotto.experiment SET state = 2 WHERE number = 1")  # and nobody is told
        self.assertEqual(two.post(closed, frames).status, 503)
        self.assertEqual([service.get("/readyz").status for service in (one, two)], [200, 200])
        self.assertEqual(two.post(other, two.frames(other, 20)).status, 204)

    def test_a_database_that_stands_still_does_not_stop_the_others(self):
        service = self.service("--publish=no")
        experiment = service.create(learning=LEARNING)
        frames = service.frames(experiment, 20)
        model = service.model(experiment)
        self.database.tell("freeze")
        self.addCleanup(lambda: self.database.tell("thaw"))
        with concurrent.futures.ThreadPoolExecutor() as pool:
            first = pool.submit(service.post, experiment, frames)  # after the time that an answer may take
            models = [pool.submit(service.model, experiment) for _ in range(4)]  # each waits as long at most
            self.assertEqual(first.result().status, 503)
            self.assertEqual({got.result() for got in models}, {model})
        self.assertEqual([service.post(experiment, frames).status for _ in range(20)], [503] * 20)
        self.assertEqual(service.model(experiment), model)
        self.assertEqual([service.get(path).status for path in ("/healthz", "/readyz")], [200, 503])
        self.database.tell("thaw")
        self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200))
        self.assertEqual(service.post(experiment, frames).status, 204)
        self.assertEqual(service.metrics()[("sottod_refused_journal_total", "public")], 21)

    def test_a_commit_that_is_durable_when_the_database_dies_counts_once(self):
        """The database died after it wrote the commit, and before it answered."""
        service = self.service()
        experiment = service.create(learning=LEARNING)
        frames = service.frames(experiment, 250)
        self.database.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        self.database.ask("SELECT pg_reload_conf()")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            # The setting holds as soon as some commit waits for it.
            pool.submit(self.database.ask, "DO $$ BEGIN LOOP PERFORM pg_logical_emit_message(true, 'a', 'b'); COMMIT; "
                        "PERFORM pg_sleep(0.05); END LOOP; END $$")
            self.assertTrue(service.wait_for(lambda: self.database.ask(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")))
            answer = pool.submit(service.post, experiment, frames)
            self.assertTrue(service.wait_for(lambda: self.database.ask(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'")))
            self.database.tell("kill")
            self.assertEqual(answer.result().status, 503)
        self.database.tell("start")
        self.database.ask("ALTER SYSTEM RESET ALL")
        self.database.ask("SELECT pg_reload_conf()")
        self.assertEqual(self.replayed(experiment).acknowledged, 250)  # waiting, or folded already
        self.assertTrue(service.wait_for(lambda: service.post(experiment, frames).status == 204))
        self.assert_reached(service, experiment, 1)
        self.assertTrue(service.wait_for(lambda: self.replayed(experiment).acknowledged == 500))
        replay = self.replayed(experiment)
        self.assertEqual((set(replay.frames), replay.acknowledged), (set(frames), 500))
        self.assertEqual(replay.counts["folded"], 250)

    def replayed(self, experiment):
        return Database(self.database.url).replay(experiment)

    @unittest.skipUnless(NGINX, "nginx must be installed")
    def test_people_who_send_meanwhile_lose_nothing(self):
        """Away, and then hanging for longer than an answer may take: what it received before is
        done when it continues."""
        print(f"SEED={SEED}", flush=True)
        cluster = Cluster(self.database, self.stack, SEED)
        cluster.crowd.start()
        cluster.wait_for_epoch()
        self.database.tell("kill")
        time.sleep(AWAY_S)
        self.database.tell("start")
        cluster.wait_for_epoch()
        self.database.tell("freeze")
        self.stack.callback(self.database.tell, "thaw")
        time.sleep(STILL_S)
        self.database.tell("thaw")
        cluster.wait_for_epoch()
        cluster.check()
        replay = cluster.finish()
        self.assertGreater(cluster.experiment.unknown, 0)
        print(f"figure: away {AWAY_S} s, still {STILL_S} s, {cluster.experiment.answered} reports acknowledged")
        print(f"{cluster.experiment.answered} acknowledged, {cluster.experiment.unknown} lost, {replay.counts}")


if __name__ == "__main__":
    unittest.main()
