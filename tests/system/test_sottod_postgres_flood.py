#!/usr/bin/env python3
"""A stranger sends copies, late frames, and enough to fill every limit, to services over one
database: honest people's epochs continue, no service needs a restart, and every acknowledged frame
is in one of the counts."""
import concurrent.futures
import time
import unittest

from postgres import LEARNING, Case
from replay_postgres import Database

COPIES = 200_000
A_POST = 24_000  # frames: a body has 1 MiB at most


class Flooded(Case):
    """Sends without any key."""

    def flood(self, service, experiment, frame, copies=COPIES):
        for sent in range(0, copies, A_POST):
            count = min(A_POST, copies - sent)
            self.assertEqual(service.post(experiment, [frame] * count).status, 204)

    def go_on(self, service, experiment, epochs, seed=100):
        """Plays this many epochs of honest people only. Returns how many reports they sent."""
        first = service.model(experiment)[0]
        for epoch in range(first, first + epochs):
            self.send(service, experiment, service.frames(experiment, 250, seed=seed + epoch))
            self.assert_reached(service, experiment, epoch + 1)
        return 250 * epochs

    def frames_in_rows(self):
        return int(self.database.ask("SELECT coalesce(sum(reports), 0) FROM sotto.journal")[0][0])

    def assert_all_count(self, acknowledged):
        """In models, or in rows that wait."""
        replay, = [Database(self.database.url).replay(e) for e in self.experiments]
        self.assertEqual(replay.acknowledged, acknowledged)
        return replay

    def test_copies_of_one_frame_stop_nobody(self):
        one, two = self.service(), self.service("--publish=no")
        experiment = one.create(learning=LEARNING)
        self.experiments = [experiment]
        frame = one.frames(experiment, 1)[0]
        for service in (one, two):
            self.flood(service, experiment, frame)
        self.assertEqual(self.frames_in_rows(), 2)
        self.assertEqual(one.describe(experiment)["reports"]["waiting"], 2 * COPIES)
        honest = self.go_on(one, experiment, 3)
        self.flood(two, experiment, frame, A_POST)  # of an epoch that is open still
        honest += self.go_on(two, experiment, 2)
        replay = self.assert_all_count(2 * COPIES + A_POST + honest)
        self.assertEqual(replay.counts["folded"], honest + 1)
        self.assertEqual(one.metrics()["sottod_publisher_distinct"], 0)

    def test_late_frames_stop_nobody(self):
        one = self.service()
        experiment = one.create({"epoch_lag_max": 1}, LEARNING)
        self.experiments = [experiment]
        frame = one.frames(experiment, 1)[0]
        honest = self.go_on(one, experiment, 2)
        self.flood(one, experiment, frame)
        self.assertLessEqual(self.frames_in_rows(), honest)
        honest += self.go_on(one, experiment, 2)
        replay = self.assert_all_count(COPIES + honest)
        self.assertGreaterEqual(replay.counts["late"], COPIES)
        self.assertEqual(sum(one.counts(experiment).values()), COPIES + honest)

    def test_frames_of_one_nonce_that_differ_stop_nobody(self):
        """At two gateways, in both orders, between attempts to end the epoch. A replay finds the same models."""
        one, two = self.service(), self.service("--publish=no")
        experiment = one.create(learning=LEARNING)
        self.experiments = [experiment]
        frames = one.frames(experiment, 150, seed=3)
        others = [frame[:40] + bytes([frame[40] ^ 1]) + frame[41:] for frame in frames]
        for begin in range(0, 150, 30):
            first, second = (one, two) if begin % 60 else (two, one)
            self.send(first, experiment, frames[begin:begin + 30])
            self.send(second, experiment, others[begin:begin + 30])
            self.send(second, experiment, others[begin:begin + 30])
            self.assertTrue(one.wait_for(lambda: one.metrics()["sottod_publisher_waiting"] >= 2 * begin + 60))
        self.assertEqual(self.frames_in_rows(), 300)
        honest = self.go_on(two, experiment, 2)
        replay = self.assert_all_count(450 + honest)
        self.assertEqual(replay.counts, {"folded": 150 + honest, "late": 0, "duplicate": 150, "conflicting": 150})
        told = [line for line in one.log() + two.log() if line["event"] == "not_due"]
        self.assertTrue([line for line in told if line["waiting"] > line["distinct"]])

    def test_counts_are_durable_before_the_answer(self):
        """kill -9 right after it."""
        one, two = self.service(), self.service("--publish=no")
        experiment = one.create({"epoch_lag_max": 1}, LEARNING)
        self.experiments = [experiment]
        late = one.frames(experiment, 20)
        acknowledged = self.go_on(one, experiment, 2) + 20
        self.assert_reached(two, experiment, 2)
        self.send(two, experiment, late)
        copies = two.frames(experiment, 20)
        for service in (two, one, two):
            self.send(service, experiment, copies * 2)
            service.kill()
            acknowledged += 40
            self.assert_all_count(acknowledged)
            service.start()
        acknowledged += self.go_on(one, experiment, 2)
        self.assert_all_count(acknowledged)

    def test_full_gateways_take_reports_again(self):
        flags = ("--nonces-max", "1000")
        one, two = self.service(*flags), self.service("--publish=no", *flags)
        experiment = one.create({"epoch_lag_max": 1}, {**LEARNING, "epoch": 100})
        self.experiments = [experiment]
        frame = one.frames(experiment, 1)[0]
        for service in (one, two):
            for _ in range(30):
                service.post(experiment, [frame] * 50)  # 1,500 of them
        self.go_on(two, experiment, 3)

    def test_copies_one_by_one_share_rows(self):
        """Rows grow with time, at most ten per second, and not with requests. Each request is
        answered when its copy is counted."""
        one = self.service()
        experiment = one.create({"epoch_lag_max": 1}, LEARNING)
        self.experiments = [experiment]
        frame = one.frames(experiment, 1)
        self.send(one, experiment, frame)
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as people:
            said = list(people.map(lambda _: one.post(experiment, frame).status, range(60)))
        lasted = time.monotonic() - began
        one.kill()
        self.assertEqual(said, [204] * 60)
        self.assert_all_count(61)
        rows = int(self.database.ask("SELECT count(*) FROM sotto.journal")[0][0])
        self.assertLessEqual(rows, 2 + lasted / 0.1, "a row for each request")
        one.start()
        honest = self.go_on(one, experiment, 1)
        self.assertEqual(self.assert_all_count(61 + honest).counts["duplicate"], 60)

    def test_a_body_of_more_copies_than_nonces_max_is_taken(self):
        one = self.service("--nonces-max", "5000")
        experiment = one.create({"epoch_lag_max": 1}, LEARNING)
        self.experiments = [experiment]
        frames = one.frames(experiment, 5001)
        answer = one.post(experiment, frames)  # none of which is a copy
        self.assertEqual((answer.status, self.frames_in_rows()), (503, 0))
        self.flood(one, experiment, frames[0], 20_000)
        self.assertEqual(self.frames_in_rows(), 1)
        self.flood(one, experiment, frames[0], 20_000)
        self.assert_all_count(40_000)
        honest = self.go_on(one, experiment, 1)
        self.assertEqual(self.assert_all_count(40_000 + honest).counts["folded"], honest + 1)

    def test_gateways_that_are_full_of_what_does_not_count_take_reports_again(self):
        """Folded frames come again, at gateways that do not remember them: all gateways reach their
        limit, and none of the frames counts. No service is restarted."""
        flags = ("--nonces-max", "1000")
        one, two = self.service(*flags), self.service(*flags)
        experiment = one.create(learning={**LEARNING, "epoch": 50})
        frames = one.frames(experiment, 1800, seed=5)
        self.send(one, experiment, frames[:900], 50)
        self.send(two, experiment, frames[900:], 50)
        self.assertTrue(one.wait_for(lambda: one.counts(experiment)["folded"] == 1800))
        for service in (one, two):
            service.kill()
            service.start()
        for service in (one, two):
            for begin in range(0, 1800, 50):
                self.assertIn(service.post(experiment, frames[begin:begin + 50]).status, (204, 503))
        honest = one.frames(experiment, 250, seed=6)
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.post(experiment, honest[:1]).status == 204))
        epoch = one.model(experiment)[0]
        self.send(one, experiment, honest, 50)
        self.assert_reached(two, experiment, epoch + 1)

    def test_a_start_does_not_begin_the_epoch_anew(self):
        """An hour passes, by the clock of the database; meanwhile someone keeps restarting the
        service."""
        one = self.service()
        experiment = one.create(learning={**LEARNING, "epoch_seconds_min": 3600})
        self.send(one, experiment, one.frames(experiment, 250))
        count = "SELECT count(*) FROM sotto.pace"
        self.assertTrue(one.wait_for(lambda: self.database.ask(count) == [["1"]]), "the publisher enters no time")
        for minutes in (0, 20, 20, 15):
            self.database.ask(f"UPDATE sotto.pace SET published_ms = published_ms - {minutes} * 60000")
            one.kill()
            one.start()
            self.assertEqual(one.model(experiment)[0], 0)
        self.database.ask("UPDATE sotto.pace SET published_ms = published_ms - 300000")
        one.kill()
        one.start()
        self.assert_reached(one, experiment, 1)
        self.assertEqual(self.database.ask(count), [["1"]])


class Together(Case):
    """Several processes fold."""

    def test_each_publishes_some_of_the_experiments(self):
        services = [self.service() for _ in range(3)]
        experiments = [services[0].create({"series": 1 + i}, LEARNING) for i in range(9)]
        epochs = 0
        while not all(service.metrics()["sottod_publisher_publishes_total"] for service in services):
            epochs += 1
            self.assertLess(epochs, 30, "one process publishes nothing")
            for i, experiment in enumerate(experiments):
                service = services[i % 3]
                self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] >= epochs - 1))
                self.send(service, experiment, service.frames(experiment, 250, seed=epochs))
            for experiment in experiments:
                self.assert_reached(services[0], experiment, epochs)
        database = Database(self.database.url)
        for experiment in experiments:
            self.assertEqual(database.replay(experiment).counts["folded"], 250 * epochs)
        mine = [service.metrics()["sottod_publisher_experiments"] for service in services]
        self.assertLessEqual(max(mine), 9)
        services[0].kill()  # others take what it had
        for experiment in experiments:
            self.send(services[1], experiment, services[1].frames(experiment, 250, seed=epochs + 1))
        for experiment in experiments:
            self.assert_reached(services[2], experiment, epochs + 1)


if __name__ == "__main__":
    unittest.main()
