#!/usr/bin/env python3
"""kill -9 of folders, gateways and the database under load: nothing that was acknowledged is lost, and every model is
that of a replay which shares no code with the service."""
import contextlib
import http.client
import json
import os
import random
import threading
import time
import unittest

from postgres import LEARNING, Case
from replay_postgres import Damage, Database

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
ROUNDS = 40 if os.environ.get("SOTTO_SOAK") else 3  # of kills


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
            time.sleep(luck.uniform(0.9, 1.6))  # an epoch is a second
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
        self.assertGreaterEqual(len(replay.models), 1)
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
