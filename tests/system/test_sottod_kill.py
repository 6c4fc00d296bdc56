#!/usr/bin/env python3
"""kill -9 under load, while reports come in, epochs end, and experiments are created, paused and
deleted: no acknowledged report is lost, none counts twice, and the model after the restart equals,
to the bit, that of a replay, which second_learner.py also computes, without any code of the
service."""
import os
import random
import struct
import threading
import time
import unittest

import second_learner
from replay_journal import Journal
from soak import SEED, SOAK
from sottod import LEARNING, Service, plain_environment
from witness import Clock, Person, Witness, conflicting

SENDERS = 6
FRAMES_A_POST = 4
LIVES = 52 if SOAK else 27  # in one directory; there are two kinds of directories
DIRECTORIES = 5 if SOAK else 1
UNDER_LOAD = 250 if SOAK else 25  # kills of each kind: 50 in all, and 500 in each of the four parts of the soak
SHIMMED = not os.environ["SANITIZE"]  # time can be told to pass


class Crowd:
    """All clients of one experiment. A batch without an answer is sent again after the restart, as
    devices do; now and then a batch comes a second time, and a frame with other bytes under the
    same nonce."""

    def __init__(self, service, witness, experiment, seed):
        self.service, self.witness, self.experiment = service, witness, experiment
        self.lock = threading.Lock()
        self.draw = random.Random(seed)
        self.fresh = []
        self.known = []   # some that were acknowledged in this life of the service: their epochs are open
        self.faults = []
        self.cut = []     # when requests began that got no answer in this life
        self.busy = threading.Event()  # somebody has begun to send

    def next_batch(self):
        """The frames to send, and whether they are new."""
        with self.lock:
            chance = self.draw.random()
            if self.known and (chance < 0.1 or not (self.fresh or self.experiment.unanswered)):
                known = self.draw.sample(self.known, min(FRAMES_A_POST, len(self.known)))
                return ([conflicting(frame) for frame in known] if chance < 0.03 else known), False
            with self.witness.lock:
                if self.experiment.unanswered:
                    return self.experiment.unanswered.pop(), True
            batch = self.fresh[-FRAMES_A_POST:]
            del self.fresh[-FRAMES_A_POST:]
            return batch, True

    def send(self):
        """Posts until the service is dead."""
        self.witness.here.lost = False
        while not self.witness.here.lost:
            batch, new = self.next_batch()
            if not batch:
                time.sleep(0.002)
                batch = self.fresh[:1]
                if not batch:
                    return
            began = time.monotonic()
            self.busy.set()
            answer = self.witness.post(self.service, self.experiment, batch, new)
            if answer is not None and answer.status == 204 and new:
                with self.lock:
                    self.known.extend(batch)
        self.cut.append(began)

    def guard(self, work, *words):
        try:
            work(*words)
        except BaseException as fault:
            self.faults.append(fault)

    def start(self, count, *others):
        """New frames under the model of now; those of before that never left would come too late. `others` are
        functions that run beside."""
        self.fresh = self.service.frames(self.experiment.id, count)
        self.known, self.cut = [], []
        self.busy.clear()
        self.threads = [threading.Thread(target=self.guard, args=(work,)) for work in (*[self.send] * SENDERS, *others)]
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.faults:
            raise self.faults[0]


class Kills(unittest.TestCase):
    def setUp(self):
        self.under_load = self.kills = self.starts = self.people = 0

    def life(self, service, witness, crowd, clock, draw, publishes):
        """Loads a running service, and kills it."""
        main = crowd.experiment
        epoch = witness.fetch(service, main) and main.epoch
        owner = Person(service, witness, clock, draw.random(), Person.OWNER)
        crowd.start(600, lambda: owner.live(10**6))
        if publishes:
            clock.passes(2)
            service.wait_for(lambda: witness.fetch(service, main) and main.epoch > epoch, seconds=10)
        crowd.busy.wait(60)
        time.sleep(draw.uniform(0.005, 0.15))
        killed = time.monotonic()
        service.kill()
        crowd.join()
        self.kills += 1
        self.under_load += any(began < killed for began in crowd.cut)

    @staticmethod
    def all_verbs(witness):
        return all(witness.tally[verb] > 0 for verb in ("create", "pause", "delete"))

    def kill_while_it_starts(self, service, draw):
        service.spawn()
        time.sleep(draw.uniform(0, 0.03))
        service.kill()
        service.process.stdout.close()
        self.starts += 1

    def finish(self, service, witness, main):
        """Every batch without an answer is sent again, until all have one."""
        while main.unanswered:
            self.assertEqual(witness.post(service, main, main.unanswered.pop()).status, 204)
        self.assertEqual(main.sent - main.acknowledged, set())

    def run_lives(self, seed, *flags, lag=16):
        draw = random.Random(seed)
        keeps = "--keep-reports" in flags
        with Service(*flags) as service:
            clock = Clock(service.home / "clock")
            if SHIMMED:
                service.kill()
                service.env = plain_environment(LD_PRELOAD=os.environ["SHIFTED_CLOCK"], STEADY_SHIFT=str(clock.file))
                service.start()
            witness = Witness()
            main = witness.create(service, lag, {**LEARNING, "epoch": 300})
            main.is_guarded = True
            crowd = Crowd(service, witness, main, draw.random())
            loaded = self.under_load + UNDER_LOAD // DIRECTORIES
            for life in range(2 * LIVES):  # more, for those that cut no request: the last answer had just left
                if life >= LIVES and self.under_load >= loaded and main.epoch > 2 and self.all_verbs(witness):
                    break
                self.life(service, witness, crowd, clock, draw, publishes=life % 4 == 3)
                if life % 6 == 5:
                    self.kill_while_it_starts(service, draw)
                replays = witness.check(service.directory, keeps)
                service.start()
                witness.compare(service, replays)
            self.finish(service, witness, main)
            self.assertEqual(service.stop(), 0)
            replay = witness.check(service.directory, keeps)[main.id]
            journal = Journal(service.directory)
            if not keeps:
                self.check_removal(service, main, journal, replay.epoch - lag)
            service.start()
            witness.compare(service, {main.id: replay})
            self.assertEqual(service.stop(), 0)
            witness.check(service.directory, keeps)  # also the model that was served: of the replay, or published since
        self.check_that_it_shows_something(witness, main, replay)
        if keeps:
            self.assertEqual(journal.replay(main.id, from_snapshot=True).learner, replay.learner)

    def check_that_it_shows_something(self, witness, main, replay):
        self.people += len(main.sent)
        done = witness.tally
        print(f"{self.kills} kills, {self.under_load} under load, {self.starts} more of starts, {len(main.sent)} people, "
              f"{replay.counts}, epoch {replay.epoch}, {len(witness.numbers)} experiments, {dict(done)}, "
              f"{second_learner.compared} models and learners computed without code of the service")
        self.assertGreater(second_learner.compared, 2 * self.kills)  # all experiments here are of its kind
        self.assertGreater(replay.epoch, 2)
        # Everyone was acknowledged. Each frame counted once, or came too late.
        self.assertLessEqual(replay.counts["folded"], len(main.sent))
        self.assertLessEqual(len(main.sent) - replay.counts["folded"], replay.counts["late"])
        self.assertLess(replay.counts["late"], len(main.sent) / 20)
        self.assertGreater(replay.counts["duplicate"], 0)
        self.assertGreater(replay.counts["conflicting"], 0)
        self.assertTrue(self.all_verbs(witness))

    def check_removal(self, service, main, journal, oldest_open):
        """Reports of closed epochs are gone, from the tables and from the bytes of the files. Rows
        are removed from the old end: a report that came after one of a still open epoch goes
        together with that one."""
        number = journal.find(main.id)["number"]
        self.assertGreater(journal.ends[number]["anchor_seq"], 0)
        rows = [row for row in journal.rows_of(number) if row["frames"]]
        self.assertTrue(rows)
        self.assertGreaterEqual(rows[0]["epoch"], oldest_open)
        length = len(next(iter(main.sent)))
        in_rows = {row["frames"][at + 24:at + 40] for row in rows for at in range(0, len(row["frames"]), length)}
        left = b"".join(file.read_bytes() for file in service.directory.iterdir() if file.is_file())
        gone = [frame[24:40] for frame in main.sent
                if struct.unpack_from("<I", frame, 20)[0] < oldest_open and frame[24:40] not in in_rows]
        self.assertGreater(len(gone), 300)
        for nonce in random.Random(SEED).sample(gone, 300):
            self.assertNotIn(nonce, left)
        self.assertTrue(all(nonce in left for nonce in sorted(in_rows)[:100]))  # this way of looking does find some

    def run_directories(self, *flags, **options):
        for directory in range(DIRECTORIES):
            self.run_lives(SEED + directory, *flags, **options)
        print(f"figure: {self.kills} kill -9, {self.under_load} of them under load, {self.starts} more of starts, "
              f"{self.people} people")
        self.assertGreaterEqual(self.under_load, UNDER_LOAD, "too few kills under load")

    def test_kills_with_all_reports_kept(self):
        self.run_directories("--keep-reports")

    def test_kills_with_reports_removed_when_their_epoch_is_closed(self):
        self.run_directories(lag=2)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
