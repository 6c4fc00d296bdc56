#!/usr/bin/env python3
"""An epoch that the watch holds back, over a shared journal: any gateway takes the decision, whoever folds carries it
out, once, also if folders die in between, and every replay has it."""
import contextlib
import json
import os
import random
import subprocess
import time
import unittest

import openapi
from postgres import LEARNING, Case
from replay_postgres import Database

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
KILLS = 30 if os.environ.get("SOTTO_SOAK") == "1" else 2
HONEST, KIND = 250, {"release": 1, "discard": 2}
INSERTS = ("SELECT a.pid FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE l.locktype = 'advisory' AND "
           "l.classid::bigint = 1397707860 AND l.objid = 0 AND a.wait_event_type = 'Lock'")


class Held(Case):
    def setUp(self):
        super().setUp()
        self.gateway, self.folders = self.service("--fold=no"), []
        self.next_folder()
        self.experiment = self.gateway.create({"epoch_lag_max": 1}, LEARNING, quarantine=True)
        self.epoch, self.kinds = 0, {}

    def next_folder(self):
        self.folders.append(self.service())
        return self.folders[-1]

    def describe(self, service=None):
        return (service or self.gateway).describe(self.experiment)

    def end_honestly(self):
        self.send(self.gateway, self.experiment, self.gateway.frames(self.experiment, HONEST))
        self.epoch += 1
        self.assert_reached(self.gateway, self.experiment, self.epoch)
        self.kinds[self.epoch] = 1

    def hold(self):
        """An epoch of liars, which all gateways know as held."""
        self.send(self.gateway, self.experiment, self.gateway.lies(self.experiment, HONEST))
        for service in (self.gateway, self.folders[-1]):
            self.assertTrue(service.wait_for(lambda: self.describe(service)["held"] is not None), "nothing is held")
            held = self.describe(service)["held"]
            self.assertEqual((held["epoch"], held["alarms"], held["ends"], held["decision"]),
                             (self.epoch, ["index"], False, None))
            self.assertEqual(service.metrics()["sottod_experiment_held", self.experiment], 1)

    def decide(self, verb, service=None):
        """Accepted, and not said to be done."""
        answer = (service or self.gateway).change(self.experiment, verb)
        self.assertEqual(answer.status, 202, answer)
        self.assertIsNone(openapi.answer_fault("/v1/experiments/{id}/" + verb, "POST", answer))
        held = json.loads(answer.body)["held"]
        self.assertEqual((held["epoch"], held["ends"], held["decision"]), (self.epoch, True, verb))
        self.kinds[self.epoch + 1] = KIND[verb]

    def assert_done(self):
        """One epoch ended, and nothing is held."""
        self.epoch += 1
        self.assert_reached(self.gateway, self.experiment, self.epoch)
        self.assertIsNone(self.describe()["held"])
        for verb in KIND:
            self.assertEqual(self.gateway.change(self.experiment, verb).status, 409)
        self.assertEqual(self.gateway.model(self.experiment)[0], self.epoch)

    def check(self):
        """Every model is that of the rows, and each epoch ended as was decided."""
        database = Database(self.database.url)
        replay = database.replay(self.experiment)
        self.assertEqual({m["epoch"]: m["kind"] for m in database.models[1]}, self.kinds)
        self.assertEqual(replay.shown[self.epoch], self.gateway.model(self.experiment)[1])
        self.assertEqual(replay.counts, self.gateway.counts(self.experiment))

    def test_any_gateway_decides_and_the_folder_does_it(self):
        self.assertEqual(self.gateway.change(self.experiment, "discard").status, 409)
        self.end_honestly()
        before = self.gateway.model(self.experiment)[1]
        self.hold()
        self.decide("discard")
        self.assert_done()
        self.assertEqual(self.gateway.model(self.experiment)[1][32:], before[32:])  # all but magic, id, epoch, phase
        self.hold()
        self.decide("release", self.folders[-1])
        self.assert_done()
        self.assertNotEqual(self.gateway.model(self.experiment)[1][32:], before[32:])
        rows = json.loads(self.gateway.manage("GET", f"/v1/experiments/{self.experiment}/history").body)["rows"]
        self.assertEqual([(row["alarms"], row["learn"]) for row in rows],
                         [([], HONEST), (["index"], 0), (["index"], HONEST)])
        self.check()
        alarms = [service.metrics()["sottod_watch_alarms_total", self.experiment, "index"]
                  for service in (self.gateway, self.folders[-1])]
        self.assertEqual(alarms, [0, 2])  # who folds looks, once at each epoch
        said = [line for line in map(json.loads, self.folders[-1].log_path.read_text().splitlines())
                if line["event"] == "alarm"]
        self.assertEqual([(line["experiment"], line["epoch"], line["tests"]) for line in said],
                         [(self.experiment, epoch, "index") for epoch in (1, 2)])

    def test_a_decision_waits_for_a_folder(self):
        self.hold()
        self.folders[-1].kill()
        self.decide("release")
        self.decide("discard")  # the last word counts
        time.sleep(0.5)
        self.assertEqual(self.gateway.model(self.experiment)[0], 0)  # nobody is there who could
        self.assertEqual(self.describe()["held"]["decision"], "discard")
        self.next_folder()
        self.assert_done()
        self.end_honestly()
        self.check()

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

    def test_a_folder_that_dies_in_the_middle_leaves_it_to_the_next(self):
        for verb in KIND:
            self.hold()
            with self.locked_models():
                self.decide(verb)
                self.assertTrue(self.gateway.wait_for(lambda: self.database.ask(INSERTS)), "the folder does nothing")
                [[pid]] = self.database.ask(INSERTS)
                self.folders[-1].kill()
                self.assertEqual(self.database.ask(f"SELECT pg_terminate_backend({pid}, 10000)"), [["t"]])
            self.assertEqual(self.describe()["held"]["decision"], verb)
            self.next_folder()
            self.assert_done()
        self.check()

    def test_whenever_folders_die_each_decision_is_carried_out_once(self):
        print(f"SEED={SEED}", flush=True)
        draw = random.Random(SEED)
        for _ in range(KILLS):
            self.hold()
            self.decide(draw.choice(list(KIND)))
            time.sleep(draw.uniform(0, 1.5))
            self.folders[-1].kill()
            self.next_folder()
            self.assert_done()
        self.check()
        print(f"figure: {KILLS} folders killed after a decision")


if __name__ == "__main__":
    unittest.main()
