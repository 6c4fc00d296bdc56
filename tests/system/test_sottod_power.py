#!/usr/bin/env python3
"""The power goes at random moments: what was acknowledged is there afterwards, whatever else the
disk kept. The same check catches a journal that does not wait for the disk (synchronous=OFF, and
NORMAL)."""
import os
import random
import re
import signal
import subprocess
import unittest

from replay_journal import Damage
from soak import SEED, SOAK
from sottod import NotStarted, Service, plain_environment
from witness import LOST, Broken, Clock, Person, Witness

CUTS = 150 if SOAK else 14  # of each kind; there are four, and those of the twins
STEPS = 150
STRIDE = 1 if SOAK else 5  # of events of a start


def found(directory, frames):
    """How many of these frames' nonces are in the bytes of the directory's files."""
    content = b"".join(file.read_bytes() for file in directory.iterdir() if file.is_file())
    return sum(frame[24:40] in content for frame in frames)


class Lives:
    """A service that loses power again and again, in one directory."""

    def __init__(self, seed, keeps, *flags, twin=None):
        self.draw = random.Random(seed)
        self.keeps, self.flags, self.twin = keeps, flags, twin
        self.witness = Witness()
        self.lost_bytes = self.lost_names = self.cuts = self.in_starts = 0

    def __enter__(self):
        self.service = Service(*self.flags)
        self.report = self.service.home / "report"
        self.clock = Clock(self.service.home / "clock")
        return self

    def __exit__(self, *_):
        self.service.__exit__()

    def environment(self, at):
        shims = [os.environ["FAULTY_DISK"], os.environ["SHIFTED_CLOCK"]]
        if self.twin:
            shims.insert(0, os.environ["SYNCHRONOUS_OFF"])
        return plain_environment(
            LD_PRELOAD=" ".join(shims), SYNCHRONOUS=self.twin or "FULL", STEADY_SHIFT=str(self.clock.file),
            FAULTS_DIRECTORY=str(self.service.directory), FAULTS_REPORT=str(self.report), POWER_CUT_AT=str(at),
            POWER_CUT_KEEPS=self.keeps, POWER_CUT_SECTOR=str(self.draw.choice((512, 4096))),
            POWER_CUT_SEED=str(self.draw.randrange(2**32)))

    def life(self, at, steps, replays):
        """Runs from a start to the cut: before event `at`, or when it stops."""
        service = self.service
        service.env = self.environment(at)
        try:
            service.start()
            self.witness.compare(service, replays)
            if Person(service, self.witness, self.clock, self.draw.random()).live(steps):
                service.stop()
        except NotStarted as end:
            if end.code != -9:
                raise Broken(end) from end
            self.in_starts += 1
        except FileNotFoundError:
            raise  # a token
        except LOST:
            pass
        try:
            end = service.process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # a connection was lost, and the service was not
            end = service.stop()
        if end != -9:
            raise Broken(f"exit status {service.process.returncode}: {service.log_path.read_text()[-500:]}")

    def read_report(self):
        told = self.report.read_text()
        self.report.unlink()
        bytes_lost, names_lost = re.search(r"^cut before .*: (\d+) bytes and (\d+) names are lost$", told, re.M).groups()
        self.lost_bytes += int(bytes_lost)
        self.lost_names += int(names_lost)
        self.cuts += 1

    def run(self, cuts):
        replays = {}
        for _ in range(cuts):
            at = self.draw.randint(1, 40 if self.draw.random() < 0.25 else 400)
            replays = self.cut_and_check(at, STEPS, replays)
        return self

    def cut_and_check(self, at, steps, replays):
        self.life(at, steps, replays)
        self.read_report()
        if (self.service.directory / "journal.sqlite").exists():
            return self.witness.check(self.service.directory, "--keep-reports" in self.flags)
        if self.witness.numbers or self.witness.experiments:
            raise Broken("the journal is gone")
        return {}


@unittest.skipIf(os.environ["SANITIZE"], "the disk of this test cannot be loaded before the sanitizer")
class Power(unittest.TestCase):
    def survive(self, keeps, *flags):
        with Lives(SEED, keeps, *flags) as lives:
            lives.run(CUTS)
            done = lives.witness.tally
            print(f"figure: {lives.cuts} power cuts, {lives.in_starts} of them in starts, {lives.lost_bytes} bytes and "
                  f"{lives.lost_names} names lost")
            print(f"last row {lives.witness.last_row}, {dict(done)}")
            self.assertGreater(lives.lost_bytes, 0)
            self.assertGreater(done["post"], CUTS)
            self.assertGreater(sum(count for what, count in done.items() if what.endswith("failed")), 0)

    def test_a_disk_that_keeps_nothing_that_was_not_synced(self):
        self.survive("nothing")

    def test_a_disk_that_keeps_nothing_that_was_not_synced_and_all_reports(self):
        self.survive("nothing", "--keep-reports")

    def test_a_disk_that_keeps_some_sectors(self):
        self.survive("some")

    def test_a_disk_that_keeps_some_sectors_and_all_reports(self):
        self.survive("some", "--keep-reports")

    def test_each_moment_of_the_first_start(self):
        """A start that is cut off is repeated; an experiment of the second one stays."""
        draw = random.Random(SEED)
        lost_names = lives_cut = 0
        at = draw.randint(1, STRIDE)
        while True:
            with self.subTest(at=at, seed=SEED), Lives(SEED + at, draw.choice(("nothing", "some"))) as lives:
                replays = lives.cut_and_check(at, 0, {})
                if not lives.in_starts:
                    break  # it had no such event before it was ready
                lives.cut_and_check(0, 6, lives.cut_and_check(0, 6, replays))
                self.assertTrue(lives.witness.experiments)
                lost_names += lives.lost_names
                lives_cut += 1
            at += STRIDE
        print(f"figure: {lives_cut} first starts cut off, {lost_names} names lost")
        self.assertGreater(lost_names, 0)

    def test_what_was_removed_does_not_come_back(self):
        """The log was truncated and pages were overwritten, durably, before anything else is
        written."""
        for keeps in ("nothing", "some"):
            with self.subTest(keeps=keeps, seed=SEED), Lives(SEED, keeps) as lives:
                service, witness = lives.service, lives.witness
                service.env = lives.environment(0)
                service.start()
                experiment = witness.create(service, lag=1)
                closed = self.end_epoch(lives, experiment)
                self.assertGreater(found(service.directory, closed), 0)
                self.end_epoch(lives, experiment)
                service.hang_up()
                lives.clock.passes(700)

                def scrubbed():
                    lives.clock.passes(2)
                    return witness.fetch(service, experiment) and found(service.directory, closed) == 0
                self.assertTrue(service.wait_for(scrubbed))
                service.process.send_signal(signal.SIGPWR)
                self.assertEqual(service.process.wait(timeout=60), -9)
                lives.read_report()
                self.assertEqual(found(service.directory, closed), 0)
                witness.check(service.directory)

    def end_epoch(self, lives, experiment):
        """The reports of it."""
        frames = lives.service.frames(experiment.id, 40)
        self.assertEqual(lives.witness.post(lives.service, experiment, frames).status, 204)
        epoch = experiment.epoch

        def ended():
            lives.clock.passes(2)
            return lives.witness.fetch(lives.service, experiment) and experiment.epoch > epoch
        self.assertTrue(lives.service.wait_for(ended))
        return frames

    def caught(self, twin, keeps):
        for seed in range(SEED, SEED + 5):  # a disk that keeps some sectors may by chance lose none that counts
            with Lives(seed, keeps, "--keep-reports", twin=twin) as lives:
                try:
                    lives.run(60)
                except (Broken, Damage) as fault:
                    print(f"figure: twins with synchronous={twin} that were caught: 1")
                    print(f"synchronous={twin}, keeps {keeps}: caught after {lives.cuts} cuts: {str(fault)[:160]}")
                    return
        self.fail(f"{twin} was not caught")

    def test_a_journal_that_does_not_wait_for_the_disk_is_caught(self):
        for twin in ("OFF", "NORMAL"):
            for keeps in ("nothing", "some"):
                with self.subTest(twin=twin, keeps=keeps):
                    self.caught(twin, keeps)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
