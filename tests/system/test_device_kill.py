#!/usr/bin/env python3
"""kill -9 of a device at any moment, again and again, on one ledger: of each round with a report
exactly one leaves, sealed before its first byte does, and never two with different bytes; and the
ledger has every debit."""
import collections
import random
import threading
import time
import unittest

from device_driver import Device, Experiment, Directory
from hostile_server import Server, late, raw, reply
from ledger_reader import Ledger
from soak import SEED

KILLS = 80
FRAME = Experiment.frame_bytes


class Kills(unittest.TestCase):
    def setUp(self):
        self.draw = random.Random(SEED)
        self.lock = threading.Lock()
        self.faults = []  # of arrivals
        self.seen = collections.Counter()  # what the ledger showed after a kill

    def look(self, request):
        """When a report arrives, its seal is already in the file."""
        with self.lock:
            self.look_at(request)

    def look_at(self, request):
        for at in range(0, len(request.body), FRAME):
            frame = request.body[at:at + FRAME]
            try:
                mine = self.ledger.follow().rounds[frame[24:40]]
                if mine.sealed != frame:
                    self.faults.append(("not sealed", frame.hex()))
                if time.time() < mine.send_at_ms / 1000 - 0.002:
                    self.faults.append(("too early", time.time() - mine.send_at_ms / 1000))
            except (AssertionError, KeyError) as fault:
                self.faults.append((repr(fault), frame.hex()))

    def answers(self):
        """Most reports are taken; some answers are late, missing, or tell the device to retry
        later."""
        wrong = [raw(b""), reply(503), late(0.05, reply(204)), raw(b"HTTP/1.1 2"), late(0.05, raw(b""))]
        return [self.draw.choice(wrong) if self.draw.random() < 0.2 else reply(204) for _ in range(5000)]

    def start(self, device, server, experiment):
        device.begin_to("wire timeout=60000")
        device.begin_to(f"site url={experiment.url(server.place)} refresh=50")
        device.begin_to("until state 1 60000")
        device.begin_to(f"ledger open {self.path}")
        device.begin_to("device epsilon=8 lifetime=inf rounds=1024 queue=65536")

    def live(self, device):
        """All commands of a life are sent at once: the program reads on until it is killed."""
        lives = [("play 1 1",), ("play 1 -",), ("turn 0",), ("run 3",), ("begin", "decide last 3", "run 2", "finish last 1"),
                 ("begin", "decide last 4", "turn 0"), ("begin", "turn 0")]
        for _ in range(150):
            for words in self.draw.choice(lives):
                device.begin_to(words)

    def life(self, server, experiment):
        with Device() as device:
            self.start(device, server, experiment)
            start = time.monotonic()
            try:
                self.live(device)
            except BrokenPipeError:
                self.fail(f"the program ended by itself: {device.process.wait()}")
            time.sleep(max(0, self.draw.uniform(0, 0.15) - (time.monotonic() - start)))
            self.assertIsNone(device.process.poll(), "the program ended by itself")
        with self.lock:
            after = self.ledger.follow()
        self.seen["with unsent reports"] += bool(after.unsent())
        self.seen["with sealed ones"] += any(each.sealed for each in after.unsent())
        self.seen["with held ones"] += any(each.reports[-1][1] and not each.sealed for each in after.unsent())

    def last_life(self, server, experiment):
        """Every report that is kept is sent."""
        experiment.serve(server)
        with Device() as device:
            device.join(experiment, server.place, f"open {self.path}")
            self.assertTrue(device.run_until(lambda: device.do("waiting") == "0"))
            counts = device.counts("ledger_counts")
            self.assertEqual(device.end(), 0)
        return counts

    def test_eighty_kills_or_more_lose_nothing_and_send_nothing_twice(self):
        experiment = Experiment(0, 1)
        with Directory() as directory, Server() as server:
            self.path = directory / "ledger"
            with Device() as device:
                device.do(f"ledger create {self.path}")
            self.ledger = Ledger(self.path)
            server.look = self.look
            kills = 0
            while kills < KILLS or (kills < 5 * KILLS and not self.shows_enough()):  # a slow machine needs more of them
                experiment.serve(server, self.answers())
                self.life(server, experiment)
                kills += 1
            counts = self.last_life(server, experiment)
            self.check(Ledger(self.path), server, counts, kills)
            self.assertTrue(self.shows_enough(), f"{kills} kills show too little")

    def shows_enough(self):
        """Reports of every kind, and kills while some of them were waiting."""
        with self.lock:
            sealed = [each for each in self.ledger.follow().rounds.values() if each.sealed]
        defaults = sum(each.sealed_default for each in sealed)
        return (len(sealed) > KILLS and defaults > KILLS / 4 and len(sealed) - defaults > KILLS / 4
                and self.seen["with unsent reports"] > KILLS / 4 and self.seen["with sealed ones"] > KILLS / 20
                and self.seen["with held ones"] > KILLS / 10)

    def check(self, ledger, server, counts, kills):
        self.assertEqual(self.faults, [])
        arrived = collections.defaultdict(set)
        for frame, _ in server.frames(FRAME):
            arrived[frame[24:40]].add(frame)
        kept = {nonce: each for nonce, each in ledger.rounds.items() if each.reports}
        self.assertEqual(set(arrived), set(kept))
        for nonce, each in kept.items():
            self.assertEqual(arrived[nonce], {each.sealed})
            self.assertTrue(each.acknowledged and not each.dropped)
        self.assertEqual(counts["rounds"], len(ledger.rounds))
        self.assertEqual((counts["epsilon"], counts["dropped"]), (len(ledger.rounds), 0))  # epsilon is 1
        defaults = sum(each.sealed_default for each in kept.values())
        print(f"SEED={SEED}: {kills} kills, {len(ledger.rounds)} rounds, {len(kept)} with a report, {defaults} default, "
              f"{len(server.frames(FRAME))} arrivals, {dict(self.seen)}")


if __name__ == "__main__":
    unittest.main()
