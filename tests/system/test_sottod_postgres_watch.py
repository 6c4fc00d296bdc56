#!/usr/bin/env python3
"""Owners' decisions, over a shared journal: any gateway takes the decision about a held epoch or a
fallback, the folding process carries it out once, even if publishers die in between, and every
replay has it; all gateways know the pages and report keys set at one."""
import json
import random
import signal
import time
import unittest

import harm as fallback
import openapi
from harm import bad_news, harm_of, magic
from postgres import LEARNING, Case
from replay_postgres import Database
from soak import SEED, SOAK

KILLS = 30 if SOAK else 2
SHOP, OTHER = "https://shop.example", "https://other.example"
OLD, NEW = "old-key-0123456789", "new-key-0123456789"
HONEST, KIND = 250, {"release": 1, "discard": 2}
INSERTS = ("SELECT a.pid FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE l.locktype = 'advisory' AND "
           "l.classid::bigint = 1397707860 AND l.objid = 0 AND a.wait_event_type = 'Lock'")


class Held(Case):
    def setUp(self):
        super().setUp()
        self.gateway, self.publishers = self.service("--publish=no"), []
        self.next_publisher()
        self.experiment = self.gateway.create({"epoch_lag_max": 1}, LEARNING, quarantine=True)
        self.epoch, self.kinds = 0, {}

    def next_publisher(self):
        self.publishers.append(self.service())
        return self.publishers[-1]

    def describe(self, service=None):
        return (service or self.gateway).describe(self.experiment)

    def end_honestly(self):
        self.send(self.gateway, self.experiment, self.gateway.frames(self.experiment, HONEST))
        self.epoch += 1
        self.assert_reached(self.gateway, self.experiment, self.epoch)
        self.kinds[self.epoch] = 1

    def hold(self):
        """An epoch with liars, which all gateways know is held."""
        self.send(self.gateway, self.experiment, self.gateway.lies(self.experiment, HONEST))
        for service in (self.gateway, self.publishers[-1]):
            self.assertTrue(service.wait_for(lambda: self.describe(service)["held"] is not None), "nothing is held")
            held = self.describe(service)["held"]
            self.assertEqual((held["epoch"], held["alarms"], held["ends"], held["decision"]),
                             (self.epoch, ["index"], False, None))
            self.assertEqual(service.metrics()["sottod_experiment_held", self.experiment], 1)

    def decide(self, verb, service=None):
        """Accepted (202), but not yet done."""
        answer = (service or self.gateway).change(self.experiment, verb)
        self.assertEqual(answer.status, 202, answer)
        self.assertIsNone(openapi.answer_fault("/v1/experiments/{id}/" + verb, "POST", answer))
        held = json.loads(answer.body)["held"]
        self.assertEqual((held["epoch"], held["ends"], held["decision"]), (self.epoch, True, verb))
        self.kinds[self.epoch + 1] = KIND[verb]

    def assert_done(self):
        """One epoch has ended, and none is held."""
        self.epoch += 1
        self.assert_reached(self.gateway, self.experiment, self.epoch)
        self.assertIsNone(self.describe()["held"])
        for verb in KIND:
            self.assertEqual(self.gateway.change(self.experiment, verb).status, 409)
        self.assertEqual(self.gateway.model(self.experiment)[0], self.epoch)

    def check(self):
        """Every model is that of the rows, and each epoch ended as decided."""
        database = Database(self.database.url)
        replay = database.replay(self.experiment)
        self.assertEqual({m["epoch"]: m["kind"] for m in database.models[1]}, self.kinds)
        self.assertEqual(replay.shown[self.epoch], self.gateway.model(self.experiment)[1])
        self.assertEqual(replay.counts, self.gateway.counts(self.experiment))

    def test_any_gateway_decides_and_the_publisher_does_it(self):
        self.assertEqual(self.gateway.change(self.experiment, "discard").status, 409)
        self.end_honestly()
        before = self.gateway.model(self.experiment)[1]
        self.hold()
        self.decide("discard")
        self.assert_done()
        self.assertEqual(self.gateway.model(self.experiment)[1][32:], before[32:])  # all but magic, id, epoch, phase
        self.hold()
        self.decide("release", self.publishers[-1])
        self.assert_done()
        self.assertNotEqual(self.gateway.model(self.experiment)[1][32:], before[32:])
        rows = json.loads(self.gateway.manage("GET", f"/v1/experiments/{self.experiment}/history").body)["rows"]
        self.assertEqual([(row["alarms"], row["learn"]) for row in rows],
                         [([], HONEST), (["index"], 0), (["index"], HONEST)])
        self.check()
        alarms = [service.metrics()["sottod_watch_alarms_total", self.experiment, "index"]
                  for service in (self.gateway, self.publishers[-1])]
        self.assertEqual(alarms, [0, 2])  # who folds looks, once at each epoch
        said = [line for line in self.publishers[-1].log() if line["event"] == "alarm"]
        self.assertEqual([(line["experiment"], line["epoch"], line["tests"]) for line in said],
                         [(self.experiment, epoch, "index") for epoch in (1, 2)])

    def test_a_decision_waits_for_a_publisher(self):
        self.hold()
        self.publishers[-1].kill()
        self.decide("release")
        self.decide("discard")  # the last decision counts
        time.sleep(0.5)
        self.assertEqual(self.gateway.model(self.experiment)[0], 0)  # nobody is there who could
        self.assertEqual(self.describe()["held"]["decision"], "discard")
        self.next_publisher()
        self.assert_done()
        self.end_honestly()
        self.check()

    def test_a_publisher_that_dies_in_the_middle_leaves_it_to_the_next(self):
        for verb in KIND:
            self.hold()
            with self.locked_models():
                self.decide(verb)
                self.assertTrue(self.gateway.wait_for(self.is_cut), "the publisher does nothing")
                self.publishers[-1].kill()
            self.assertEqual(self.describe()["held"]["decision"], verb)
            self.next_publisher()
            self.assert_done()
        self.check()

    def is_cut(self):
        """The publisher hangs, and its connection, which waited for a lock, is cut."""
        if not self.database.ask(INSERTS):
            return False
        self.publishers[-1].process.send_signal(signal.SIGSTOP)
        if self.database.ask(f"SELECT pg_terminate_backend(pid, 10000) FROM ({INSERTS}) AS one") == [["t"]]:
            return True
        self.publishers[-1].process.send_signal(signal.SIGCONT)
        return False

    def test_whenever_publishers_die_each_decision_is_carried_out_once(self):
        print(f"SEED={SEED}", flush=True)
        draw = random.Random(SEED)
        for _ in range(KILLS):
            self.hold()
            self.decide(draw.choice(list(KIND)))
            time.sleep(draw.uniform(0, 1.5))
            self.publishers[-1].kill()
            self.next_publisher()
            self.assert_done()
        self.check()
        print(f"figure: {KILLS} publishers killed after a decision")


class Fallback(Case):
    def test_any_gateway_ends_it_and_the_publisher_does_it(self):
        gateway, publisher = self.service("--publish=no"), self.service()
        experiment = gateway.create(fallback.SPEC, fallback.LEARNING)
        self.send(gateway, experiment, gateway.frames(experiment, 300))
        self.assert_reached(gateway, experiment, 1)
        self.assertEqual(gateway.change(experiment, "end-fallback").status, 409)
        self.send(gateway, experiment, bad_news(gateway, experiment, 800))
        for service in (gateway, publisher):
            self.assert_reached(service, experiment, 2)
            harm = harm_of(service, experiment)
            self.assertEqual((harm["verdict"], harm["served_since_epoch"], harm["ends"]), ("yes", 2, False))
            self.assertEqual(magic(service, experiment), b"STF1")
        self.send(gateway, experiment, gateway.frames(experiment, 60))
        self.assert_reached(gateway, experiment, 3)
        publisher.kill()
        answer = gateway.change(experiment, "end-fallback")
        self.assertEqual(answer.status, 202, answer)
        self.assertIsNone(openapi.answer_fault("/v1/experiments/{id}/end-fallback", "POST", answer))
        self.assertEqual(gateway.change(experiment, "end-fallback").status, 202)
        self.assertTrue(harm_of(gateway, experiment)["ends"])
        self.assertIsNone(gateway.describe(experiment)["held"])  # nothing is held
        self.assertEqual(gateway.change(experiment, "discard").status, 409)
        second = self.service()
        self.assertTrue(second.wait_for(lambda: harm_of(second, experiment)["ends"]))
        self.send(gateway, experiment, gateway.frames(experiment, 60))
        self.assert_reached(gateway, experiment, 4)
        harm = harm_of(gateway, experiment)
        self.assertEqual((harm["verdict"], harm["served_since_epoch"], harm["restarts"], harm["ends"]), ("no", None, 1, False))
        self.assertEqual(magic(gateway, experiment), b"STM1")
        self.send(gateway, experiment, gateway.frames(experiment, 300))
        self.assert_reached(gateway, experiment, 5)
        rows = json.loads(gateway.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
        self.assertEqual([row["epoch"] for row in rows if "harm" in row["alarms"]], [2])
        said = [(line["event"], line["epoch"]) for service in (publisher, second) for line in service.log()
                if line["event"] in ("harm", "fallback_served", "fallback_ended")]
        self.assertEqual(said, [("harm", 2), ("fallback_served", 2), ("fallback_ended", 4)])
        self.assertEqual(sorted(Database(self.database.url).replay(experiment).models), [1, 2, 3, 4, 5])


class Shared(Case):
    def send(self, service, experiment, frame, **headers):
        headers = {"Content-Type": "application/octet-stream", **headers}
        return service.ask(service.public, "POST", f"/v1/experiments/{experiment}/reports", frame, headers).status

    def set(self, service, experiment, what, values):
        answer = service.manage("POST", f"/v1/experiments/{experiment}/{what}", {what.replace("-", "_"): values})
        self.assertEqual(answer.status, 200, answer)

    def test_what_one_gateway_is_told_all_know(self):
        one, two = self.service(), self.service("--publish=no")
        experiment = one.create(origins=[OTHER], labels={"a": "b"})
        self.assertTrue(two.wait_for(lambda: two.describe(experiment)["origins"] == [OTHER]))
        frames = one.frames(experiment, 8)
        for origins, statuses in (([SHOP], (204, 403)), (["*"], (204, 204)), ([], (403, 403))):
            self.set(one, experiment, "origins", origins)
            self.assertTrue(two.wait_for(lambda: two.describe(experiment)["origins"] == origins))
            for service in (one, two):
                self.assertEqual(tuple(self.send(service, experiment, frames[0], Origin=origin)
                                       for origin in (SHOP, OTHER)), statuses)
        for keys, statuses in (([OLD, NEW], (204, 204)), ([NEW], (403, 204))):
            self.set(two, experiment, "report-keys", keys)
            self.assertTrue(one.wait_for(lambda: one.describe(experiment)["report_keys"] == len(keys)))
            for service in (one, two):
                self.assertEqual(tuple(self.send(service, experiment, frames[0], **{"Sotto-Report-Key": key})
                                       for key in (OLD, NEW)), statuses)
        self.set(one, experiment, "origins", [SHOP])
        for service in (one, two):
            service.stop()
            service.start()
            described = service.describe(experiment)
            self.assertEqual((described["origins"], described["report_keys"], described["labels"]),
                             ([SHOP], 1, {"a": "b"}))


if __name__ == "__main__":
    unittest.main()
