#!/usr/bin/env python3
"""Several services over one database: a report counts once wherever it is sent, all tell the same, and what is lost
with kill -9, of a folder, a gateway or the database, is nothing that was acknowledged."""
import contextlib
import http.client
import json
import os
import random
import threading
import time
import unittest

from postgres import Postgres
from replay_postgres import Damage, Database
from sottod import Service, plain_environment, sottod

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
ROUNDS = 40 if os.environ.get("SOTTO_SOAK") else 3  # of kills
LEARNING = {"epoch": 200, "epoch_seconds_min": 1, "epoch_reports_min": 20}


def other_codeword(frame):
    return frame[:40] + bytes([frame[40] ^ 1]) + frame[41:]


class Case(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.database = self.stack.enter_context(Postgres())

    def service(self, *flags):
        return self.stack.enter_context(Service("--keep-reports", *flags, journal=self.database.url))

    def assert_reached(self, service, experiment, epoch, seconds=30):
        self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] >= epoch, seconds),
                        f"epoch {epoch} never came")

    def send(self, service, experiment, frames, batch=50):
        for i in range(0, len(frames), batch):
            self.assertEqual(service.post(experiment, frames[i:i + batch]).status, 204)


class Together(Case):
    """Nobody dies."""

    def test_two_gateways_are_one_service(self):
        one, two = self.service(), self.service("--fold=no")
        experiment = one.create(learning=LEARNING)
        self.assertEqual(one.terms(experiment), two.terms(experiment))
        again = two.manage("POST", "/v1/experiments", {"spec": self.spec_of(one, experiment), "learning": LEARNING})
        self.assertEqual(again.status, 409, again)
        frames = one.frames(experiment, 300, seed=SEED % 1000)
        self.send(one, experiment, frames[:180])
        self.send(two, experiment, frames[150:])                                      # 30 to both
        self.send(two, experiment, [other_codeword(frame) for frame in frames[-5:]])  # 5 that conflict
        self.assert_reached(one, experiment, 1)
        self.assert_reached(two, experiment, 1)
        self.assertEqual(one.model(experiment), two.model(experiment))
        for service in (one, two):
            self.assertEqual(service.counts(experiment), {"folded": 300, "late": 0, "duplicate": 30, "conflicting": 5})
            self.assertEqual(self.history(service, experiment), self.history(one, experiment))
        self.assertEqual(json.loads(one.get("/readyz").body), {"status": "ok", "folds": True})
        self.assertEqual(json.loads(two.get("/readyz").body), {"status": "ok", "folds": False})
        self.assertEqual(one.metrics()["sottod_folds"], 1)
        self.assertEqual(two.metrics()["sottod_folds"], 0)
        replay = Database(self.database.url).replay(experiment)
        self.assertEqual(replay.counts, one.counts(experiment))
        self.assertEqual(replay.waiting, [])
        self.check_states(one, two, experiment)

    @staticmethod
    def spec_of(service, experiment):
        return json.loads(service.manage("GET", f"/v1/experiments/{experiment}").body)["spec"]

    @staticmethod
    def history(service, experiment):
        return json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]

    def check_states(self, one, two, experiment):
        """What is set at one is so at the other."""
        frames = one.frames(experiment, 1)
        for verb, status in (("pause", 409), ("open", 204), ("close", 410), ("delete", 410)):
            self.assertEqual(two.change(experiment, verb).status, 200)
            self.assertTrue(one.wait_for(lambda: one.post(experiment, frames).status == status, 10), (verb, status))
        self.assertTrue(one.wait_for(lambda: self.database.ask("SELECT count(*) FROM sotto.journal") == [["0"]], 15))

    def test_the_command_line_says_what_it_can_do(self):
        service = self.service()
        experiment = service.create(learning=LEARNING)
        self.send(service, experiment, service.frames(experiment, 250))
        self.assert_reached(service, experiment, 1)
        url = self.database.url
        looked = sottod("inspect", "--journal", url)
        self.assertEqual(looked.returncode, 0, looked)
        self.assertIn(f"{experiment}  open\n", looked.stdout)
        self.assertIn("250 acknowledged = 250 folded + 0 late + 0 duplicate + 0 conflicting\n", looked.stdout)
        for words in (("export", experiment, "-"), ("import", "/dev/null")):
            refused = sottod(*words, "--journal", url)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn("pg_dump", refused.stderr)
        wrong = sottod("--journal", url, "--recover-to", "7", "--data", service.folder)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("--recover-to: allowed for the journal in a folder only", wrong.stderr)

    def test_a_password_is_shown_nowhere(self):
        url = "postgresql://somebody:hush%20hush@127.0.0.1:1/none?connect_timeout=1"
        printed = sottod("--print-config", "--journal", url)
        self.assertIn("\njournal = postgresql://somebody@127.0.0.1:1/none?connect_timeout=1\n", printed.stdout)
        started = sottod("--journal", url, "--data", "/proc/none", env=plain_environment())
        self.assertEqual(started.returncode, 1)
        started = sottod(env=plain_environment(SOTTOD_JOURNAL=url, SOTTOD_LISTEN="127.0.0.1:0",
                                               SOTTOD_ADMIN="127.0.0.1:0"))
        self.assertEqual(started.returncode, 1)
        for said in (printed.stdout, printed.stderr, started.stdout, started.stderr):
            self.assertNotIn("hush", said)


class Away(Case):
    """The database goes, and comes back."""

    def test_what_is_known_is_told_and_the_rest_comes_back_by_itself(self):
        one, two = self.service(), self.service()
        experiment = one.create(learning=LEARNING)
        frames = one.frames(experiment, 500)
        self.send(one, experiment, frames[:250])
        self.assert_reached(two, experiment, 1)
        model = one.model(experiment)
        self.database.tell("kill")
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 503, 20))
            self.assertEqual(service.model(experiment), model)
            answer = service.post(experiment, frames[250:300])
            self.assertEqual((answer.status, answer.headers.get("Retry-After")), (503, "1"))
        self.database.tell("start")
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200, 20))
        self.send(one, experiment, frames[250:375])
        self.send(two, experiment, frames[375:])
        self.assert_reached(one, experiment, 2)
        self.assert_reached(two, experiment, 2)
        self.assertEqual(Database(self.database.url).replay(experiment).counts["folded"], 500)

    def test_a_database_that_stands_still_does_not_stop_the_others(self):
        service = self.service("--fold=no")
        experiment = service.create(learning=LEARNING)
        frames = service.frames(experiment, 20)
        self.database.tell("freeze")
        self.addCleanup(lambda: self.database.tell("thaw"))
        self.assertEqual(service.post(experiment, frames).status, 503)  # after the time that an answer may take
        self.assertEqual([service.post(experiment, frames).status for _ in range(20)], [503] * 20)
        self.assertEqual(service.get("/readyz").status, 503)
        self.database.tell("thaw")
        self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200, 60))
        self.assertEqual(service.post(experiment, frames).status, 204)


class People:
    """Devices that send to any gateway, and again what got no answer: elsewhere, perhaps."""

    def __init__(self, services, experiment):
        self.services, self.experiment = services, experiment
        self.lock = threading.Lock()
        self.luck = random.Random(SEED)
        self.waiting, self.acknowledged, self.faults = [], set(), []
        self.answered = 0
        self.done = False
        self.threads = [threading.Thread(target=self.send) for _ in range(4)]

    def next(self):
        with self.lock:
            if not self.waiting:
                return None, None
            batch = self.waiting.pop()
            if self.acknowledged and self.luck.random() < 0.1:  # somebody sends what was taken already
                self.waiting.append(self.luck.sample(sorted(self.acknowledged), min(3, len(self.acknowledged))))
            return self.luck.choice(self.services), batch

    def send(self):
        while not self.done:
            service, batch = self.next()
            if batch is None:
                time.sleep(0.01)
                continue
            try:
                answer = service.post(self.experiment, batch)
                status = answer.status
            except (OSError, http.client.HTTPException):
                status = 0
            with self.lock:
                if status == 204:
                    self.acknowledged.update(batch)
                    self.answered += len(batch)
                elif status in (0, 503):
                    self.waiting.insert(0, batch)
                else:
                    self.faults.append(answer)
            if status != 204:
                time.sleep(0.05)

    def prepare(self, frames):
        with self.lock:
            self.waiting += [frames[i:i + 5] for i in range(0, len(frames), 5)]

    def wait(self, seconds=60):
        end = time.monotonic() + seconds
        while self.waiting and time.monotonic() < end and not self.faults:
            time.sleep(0.02)
        assert not self.faults, self.faults[0]
        assert not self.waiting, "reports are left"


class Killed(Case):
    """kill -9."""

    def test_nothing_that_was_acknowledged_is_lost_and_models_are_those_of_a_replay(self):
        services = [self.service() for _ in range(3)]
        experiment = services[0].create(learning=LEARNING)
        people = People(services, experiment)
        for thread in people.threads:
            thread.start()
        self.addCleanup(lambda: [thread.join() for thread in people.threads])
        self.addCleanup(lambda: setattr(people, "done", True))
        luck = random.Random(SEED)
        seen = {}
        for turn in range(ROUNDS):
            folder = self.folder_of(services)
            people.prepare(folder.frames(experiment, 400))
            time.sleep(luck.uniform(0.1, 1.3))
            victim = folder if turn % 2 == 0 else luck.choice(services)
            victim.kill()
            if turn % 3 == 2:
                self.database.tell("kill")
                self.database.tell("start")
            victim.start()
            for service in services:
                self.see(service, experiment, seen)
        people.wait()
        people.done = True
        last = self.folder_of(services)
        self.assertTrue(last.wait_for(lambda: self.is_all_counted(people, experiment), 30),
                        f"SEED={SEED}: reports are missing")
        replay = Database(self.database.url).replay(experiment)
        self.assertGreaterEqual(len(replay.models), 2)
        self.assertTrue(set(replay.frames) >= people.acknowledged, f"SEED={SEED}: an acknowledged report is lost")
        self.assertGreaterEqual(replay.acknowledged, people.answered, f"SEED={SEED}")
        for service in services:
            self.assert_reached(service, experiment, len(replay.models))
            self.see(service, experiment, seen)

    def folder_of(self, services):
        """Whoever folds now."""
        found = []

        def look():
            found[:] = [s for s in services if json.loads(s.get("/readyz").body).get("folds")]
            return len(found) == 1
        self.assertTrue(services[0].wait_for(look, 30), "nobody folds")
        return found[0]

    def see(self, service, experiment, seen):
        """A model is the same wherever and whenever it is seen."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            epoch, model = service.model(experiment)
            self.assertEqual(seen.setdefault(epoch, model), model, f"SEED={SEED}: two models of epoch {epoch}")

    def is_all_counted(self, people, experiment):
        """All that can count does: what waits is less than an epoch."""
        with contextlib.suppress(Damage):
            replay = Database(self.database.url).replay(experiment)
            return len(set(replay.waiting)) < LEARNING["epoch"] and set(replay.frames) >= people.acknowledged
        return False


if __name__ == "__main__":
    unittest.main()
