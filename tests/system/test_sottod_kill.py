#!/usr/bin/env python3
"""kill -9 under load: no acknowledged report is lost, none counts twice, and the model after the restart is, to the
bit, that of a replay by a program that shares no code with the service."""
import http.client
import os
import random
import struct
import threading
import time
import unittest

from replay_journal import Journal
from sottod import Service

THREADS = 8
FRAMES_A_POST = 4
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))


class People:
    """Everybody who sends, and what they know about it. A batch without an answer is sent again after the restart,
    as devices do; now and then a batch comes a second time, and a frame with other bytes under the same nonce."""

    def __init__(self, service, experiment):
        self.service, self.experiment = service, experiment
        self.lock = threading.Lock()
        self.luck = random.Random(SEED)
        self.waiting = []        # batches to send; those that got no answer are the last, and go first
        self.sent = set()        # frames that left, at least once
        self.acknowledged = set()
        self.answered = 0        # frames in requests that were answered, and in all that left
        self.posted = 0
        self.faults = []
        self.known = []          # some that were acknowledged in this life of the service: their epochs are open

    def prepare(self, count):
        """New frames under the model of now; old ones that never left are forgotten, as they would come too late."""
        frames = self.service.frames(self.experiment, count) if count > 0 else []
        batches = [frames[i:i + FRAMES_A_POST] for i in range(0, count, FRAMES_A_POST)]
        self.waiting = batches + [batch for batch in self.waiting if batch[0] in self.sent]

    def next_batch(self):
        """The frames to send, and whether they are new."""
        with self.lock:
            chance = self.luck.random()
            if self.known and (chance < 0.1 or (self.endless and not self.waiting)):
                known = self.luck.sample(self.known, min(FRAMES_A_POST, len(self.known)))
                if chance < 0.03:  # another codeword
                    known = [frame[:40] + bytes([frame[40] ^ 1]) + frame[41:] for frame in known]
                return known, False
            return (self.waiting.pop(), True) if self.waiting else (None, False)

    def send(self):
        """Posts until the service is gone; if the load is not endless, until nothing is left."""
        while True:
            batch, new = self.next_batch()
            if batch is None:
                return
            with self.lock:
                self.posted += len(batch)
                self.sent.update(batch if new else ())
            try:
                answer = self.service.post(self.experiment, batch)
            except (OSError, http.client.HTTPException):
                with self.lock:
                    self.waiting.extend([batch] if new else [])
                    self.cut += 1
                return
            with self.lock:
                if answer.status != 204:
                    self.faults.append(answer)
                    return
                self.answered += len(batch)
                self.acknowledged.update(batch if new else ())
                if new and len(self.known) < 5000:
                    self.known.extend(batch)

    def start(self, endless):
        self.known = []
        self.endless = endless
        self.cut = 0             # requests that got no answer
        self.threads = [threading.Thread(target=self.send) for _ in range(THREADS)]
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()


class Kills(unittest.TestCase):
    def life(self, service, people, luck, publishes):
        """Loads a service that runs, and kills it; the answer is whether requests were cut."""
        epoch = service.model(people.experiment)[0]
        people.prepare(24000)
        people.start(endless=True)
        if publishes:
            service.wait_for(lambda: service.model(people.experiment)[0] > epoch, seconds=10)
        time.sleep(luck.uniform(0.02, 0.5))
        service.kill()
        people.join()
        self.assertEqual(people.faults, [])
        return people.cut > 0

    def kill_while_it_starts(self, service, luck):
        service.spawn()
        time.sleep(luck.uniform(0, 0.05))
        service.kill()
        service.process.stdout.close()

    def finish(self, service, people):
        """All that got no answer is sent again: in the end everybody knows."""
        people.prepare(0)
        people.start(endless=False)
        people.join()
        self.assertEqual((people.faults, people.waiting), ([], []))
        self.assertEqual(people.sent, people.acknowledged)

    def check_counts(self, service, people, counts):
        """What the service says, what its journal says and what people know fit together."""
        self.assertEqual(service.counts(people.experiment), counts)
        self.assertLessEqual(people.answered, sum(counts.values()))
        self.assertLessEqual(sum(counts.values()), people.posted)

    def run_lives(self, kills, *flags, lag=16):
        luck = random.Random(SEED)
        cut = compared = 0
        with Service(*flags) as service:
            people = People(service, service.create({"epoch_lag_max": lag}))
            for kill in range(kills):
                cut += self.life(service, people, luck, publishes=kill % 2 == 1)
                if kill % 4 == 3:
                    self.kill_while_it_starts(service, luck)
                replay = Journal(service.folder).replay(people.experiment)
                service.start()
                epoch, model = service.model(people.experiment)
                if epoch == replay.epoch:  # it may publish, a second after the start
                    self.assertEqual(model, replay.model)
                    compared += 1
                self.check_counts(service, people, replay.counts)
                if "--keep-reports" in flags:
                    self.check_frames(people, replay)
            self.finish(service, people)
            self.assertEqual(service.stop(), 0)
            journal = Journal(service.folder)
            replay = journal.replay(people.experiment)
            if "--keep-reports" not in flags:
                self.check_removal(service, people, journal, replay.epoch - lag)
            service.start()
            self.check_counts(service, people, replay.counts)
            self.assertEqual(service.model(people.experiment), (replay.epoch, replay.model))
        self.assertGreaterEqual(cut, kills * 3 // 4, "too few kills under load")
        self.assertGreaterEqual(compared, kills * 3 // 4, "too few models compared")
        self.assertGreater(replay.epoch, 2)
        # Everybody was acknowledged. Each frame counted once, or came too late.
        self.assertLessEqual(replay.counts["folded"], len(people.sent))
        self.assertLessEqual(len(people.sent) - replay.counts["folded"], replay.counts["late"])
        self.assertLess(replay.counts["late"], len(people.sent) / 100)  # else this shows little
        self.assertGreater(replay.counts["duplicate"], 0)
        self.assertGreater(replay.counts["conflicting"], 0)
        print(f"{kills} kills, {len(people.sent)} people, {replay.counts}, epoch {replay.epoch}")
        return journal, replay, people

    def check_frames(self, people, replay):
        """No nonce counts twice (Replay looks), nothing counts that nobody sent, nothing acknowledged is missing."""
        kept = set(replay.frames)
        self.assertEqual(kept - people.sent, set())
        self.assertLessEqual(len(people.acknowledged - kept), replay.counts["late"])

    def check_removal(self, service, people, journal, oldest_open):
        """What is left of reports whose epoch is closed: nothing, in the tables and in the bytes of the files. Rows go
        from the old end: a report that came after one of an epoch that is still open goes together with that one."""
        self.assertGreater(journal.ends[journal.find(people.experiment)["number"]]["anchor_seq"], 0)
        rows = [row for row in journal.rows if row["frames"]]
        self.assertTrue(rows)
        self.assertGreaterEqual(rows[0]["epoch"], oldest_open)
        length = len(next(iter(people.sent)))
        in_rows = {row["frames"][at + 24:at + 40] for row in rows for at in range(0, len(row["frames"]), length)}
        left = b"".join(file.read_bytes() for file in service.folder.iterdir() if file.is_file())
        gone = [frame[24:40] for frame in people.sent
                if struct.unpack_from("<I", frame, 20)[0] < oldest_open and frame[24:40] not in in_rows]
        self.assertGreater(len(gone), 1000)
        for nonce in random.Random(SEED).sample(gone, 300):
            self.assertNotIn(nonce, left)
        self.assertTrue(all(nonce in left for nonce in sorted(in_rows)[:100]))  # this way of looking does find some

    def test_twelve_kills_with_all_reports_kept(self):
        journal, replay, people = self.run_lives(12, "--keep-reports")
        self.check_frames(people, replay)
        self.assertEqual(journal.replay(people.experiment, from_snapshot=True).learner, replay.learner)

    def test_twelve_kills_with_reports_removed_when_their_epoch_is_closed(self):
        self.run_lives(12, lag=2)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
