#!/usr/bin/env python3
"""Whether a reward changes when a device sends. Other tests would delay the reports that are
compared, so this one runs alone."""
import random
import time
import unittest

from device_driver import Device, Directory, Experiment
from hostile_server import Server
from ledger_reader import Ledger
from samples import distance, distance_max

WINDOW_S = SPREAD_S = 1
LATE_S = 0.5  # for a busy machine
ROUNDS = 150
TRIES = 12  # each takes 2.3 s; one success is enough
TIMED = Experiment(WINDOW_S, SPREAD_S)


class Rewards(unittest.TestCase):
    def reward(self, device, begun, draw):
        """Gives many of these rounds a reward, at some time within the window or after it. All
        commands are sent at once, so that the device does not wait for this process."""
        due = sorted((at + draw.uniform(0, 1.3 * WINDOW_S), number) for number, at in begun.items() if draw.random() < 0.6)
        for at, number in due:
            device.begin_to(f"run_to {int(at * 1e9)}")
            device.begin_to(f"finish {number} 1")
        return 2 * len(due)

    def play(self, directory, servers, devices):
        """Plays on two devices at the same time, of which the first gets rewards; returns when each
        round began, for both."""
        begun = []
        for server, device in zip(servers, devices):
            TIMED.serve(server)
            device.join(TIMED, server.place, f"create {directory / str(server.port)}", wire="timeout=60000 requests=64")
        for device in devices:
            device.begin_to(f"play {ROUNDS} -")
        for device in devices:
            pairs = (word.split("@") for word in device.hear().text.split())
            begun.append({int(number): int(at) / 1e9 for number, at in pairs})
        devices[1].begin_to(f"until acknowledged {ROUNDS} 60000")
        said = self.reward(devices[0], begun[0], random.Random())
        devices[0].begin_to(f"until acknowledged {ROUNDS} 60000")
        for _ in range(said):
            self.assertIn(devices[0].hear().status, (None, "E_ORDER"))
        for device in devices:
            self.assertEqual(device.hear().text, str(ROUNDS))
        return begun

    def measure(self):
        """How long after its beginning each report arrived, of a device with rewards and of one without; how late the
        latest was; how many rounds had a reward in time. What must hold on any machine is checked."""
        delays, shapes, late, replaced = [], [], [], []
        with Server() as one, Server() as two, Device() as rewarded, Device() as silent_one, Directory() as directory:
            servers, devices = (one, two), (rewarded, silent_one)
            begun = self.play(directory, servers, devices)
            for server, device, began in zip(servers, devices, begun):
                sent = {event.frame: event.round for event in device.kinds("sent")}
                frames = server.frames(42)
                self.assertEqual(len(frames), ROUNDS)
                self.assertEqual({frame for frame, _ in frames}, set(sent))
                delays.append([at - began[sent[frame]] for frame, at in frames])
                shapes.append(sorted((each.method, len(each.raw)) for each in server.seen()))
                ledger = Ledger(directory / str(server.port))
                late.append(self.check_ledger(ledger, frames))
                replaced.append(sum(len(mine.reports) == 2 for mine in ledger.rounds.values()))
        self.assertEqual(*shapes)
        self.assertGreaterEqual(min(map(min, delays)), WINDOW_S - 0.002)
        self.assertEqual(replaced[1], 0)
        return delays, max(late), replaced[0]

    def check_ledger(self, ledger, frames):
        """The times in the ledger are uniform, nothing left before its own, and what arrived was sealed. How late the
        latest was."""
        latest = 0
        self.assertEqual(len(ledger.rounds), ROUNDS)
        steady, now, _ = min(((before, time.time(), time.monotonic()) for before in map(lambda _: time.monotonic(), range(9))),
                             key=lambda read: read[2] - read[0])  # the three that are nearest to each other
        for frame, at in frames:
            mine = ledger.rounds[frame[24:40]]
            self.assertEqual(mine.sealed, frame)
            self.assertTrue(mine.acknowledged)
            self.assertTrue(1000 * WINDOW_S <= mine.send_at_ms - mine.begun_ms <= 1000 * (WINDOW_S + SPREAD_S))
            late = (at - steady + now) - mine.send_at_ms / 1000
            self.assertGreater(late, -0.005)
            latest = max(late, latest)
        drawn = [(mine.send_at_ms - mine.begun_ms) / 1000 - WINDOW_S for mine in ledger.rounds.values()]
        even = [SPREAD_S * (i + 0.5) / 1000 for i in range(1000)]
        self.assertLess(distance(drawn, even), distance_max(len(drawn), 10**9) + 0.002)
        return latest

    def test_rewards_change_neither_how_many_nor_how_long_nor_when(self):
        """A busy machine delays what a device sends, and unevenly: one try of several is enough. A
        device whose times reveal rewards fails every time."""
        told = []
        for _ in range(TRIES):
            delays, late, replaced = self.measure()
            apart, longest = distance(*delays), max(map(max, delays))
            if (apart < distance_max(ROUNDS, ROUNDS) and late < LATE_S and replaced > ROUNDS / 4
                    and longest < WINDOW_S + SPREAD_S + LATE_S):
                return
            told.append((apart, late, replaced, longest))
        self.fail(told)


if __name__ == "__main__":
    unittest.main()
