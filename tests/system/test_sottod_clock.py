#!/usr/bin/env python3
"""Clocks that jump or stop. Only the steady clock counts: a wall clock that jumps years ahead or
back neither ends an epoch nor keeps one open, and no acknowledged report depends on it. After a
restart the steady clock may begin at 0 again."""
import json
import os
import pathlib
import random
import time
import unittest

from soak import SEED, SOAK
from sottod import Service, plain_environment
from witness import Clock, Person, Witness

JUMPS = 100 if SOAK else 6
YEAR = 365 * 24 * 3600
HOUR = 3600


class Wall(Clock):
    """The time of day; `passes` adds seconds, also negative ones."""


class Jumper(Person):
    """Sets the clock of the wall, too."""
    JUMPS = (-80 * YEAR, -YEAR, -HOUR, -60, 60, HOUR, 8 * 24 * HOUR, YEAR, 200 * YEAR)

    def __init__(self, *words, wall, **options):
        super().__init__(*words, **options)
        self.wall = wall
        self.likes = {**self.SENDER, "jump": 30}

    def jump(self, experiment):
        self.wall.passes(self.draw.choice(self.JUMPS) - (self.wall.seconds if self.draw.random() < 0.5 else 0))
        self.model(experiment)


@unittest.skipIf(os.environ["SANITIZE"], "the clocks of this test cannot be loaded before the sanitizer")
class Clocks(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.__exit__)
        self.steady, self.wall = Clock(self.service.home / "steady"), Wall(self.service.home / "wall")
        self.service.env = plain_environment(LD_PRELOAD=os.environ["SHIFTED_CLOCK"], CLOCK_SHIFT=str(self.wall.file),
                                             STEADY_SHIFT=str(self.steady.file))
        self.witness = Witness()

    def epoch_after(self, experiment, requests=5):
        """The epoch after some requests, which make the service look at the clock."""
        for _ in range(requests):
            self.assertIsNotNone(self.witness.fetch(self.service, experiment))
            time.sleep(0.002)
        return experiment.epoch

    def pass_hour(self, experiment, epoch):
        """An hour passes on the steady clock, and then some seconds, because the service waits
        until no request is left."""
        self.service.hang_up()
        self.steady.passes(HOUR)

        def ended():
            self.steady.passes(2)
            return self.epoch_after(experiment, 2) == epoch
        self.assertTrue(self.service.wait_for(ended))

    def enough(self, experiment):
        """Sends reports for an epoch."""
        frames = self.service.frames(experiment.id, 20)
        self.assertEqual(self.witness.post(self.service, experiment, frames).status, 204)

    def test_the_wall_clock_ends_no_epoch_and_keeps_none_from_ending(self):
        service = self.service.start()
        experiment = self.witness.create(service, learning={"epoch_seconds_min": HOUR})
        for epoch, years in enumerate((0, 30, -30, -80, 200)):
            self.enough(experiment)
            self.wall.passes(years * YEAR)
            self.assertEqual(self.epoch_after(experiment), epoch, "the wall clock ended an epoch")
            self.pass_hour(experiment, epoch + 1)

    def test_restarts_keep_the_time_that_an_epoch_has_lasted(self):
        """However often it restarts; the wall clock changes nothing."""
        service = self.service.start()
        experiment = self.witness.create(service, learning={"epoch_seconds_min": HOUR})
        for epoch in range(2):
            self.enough(experiment)
            for restart in range(6):
                self.assertEqual(self.epoch_after(experiment), epoch)
                self.steady.passes(HOUR // 6 + 1)
                self.wall.passes((-1) ** restart * YEAR)
                service.kill() if restart % 2 == 0 else self.assertEqual(service.stop(), 0)
                service.start()
            self.assertTrue(service.wait_for(lambda wanted=epoch + 1: self.epoch_after(experiment) == wanted))

    def test_a_steady_clock_that_begins_anew(self):
        service = self.service.start()
        experiment = self.witness.create(service, learning={"epoch_seconds_min": HOUR})
        self.enough(experiment)
        service.kill()
        uptime = float(pathlib.Path("/proc/uptime").read_text().split()[0])
        self.steady.passes(3 - int(uptime))  # the machine is up for three seconds
        replays = self.witness.check(service.directory)
        service.start()
        self.witness.compare(service, replays)
        self.assertEqual(self.epoch_after(experiment), 0)
        self.pass_hour(experiment, 1)
        self.assertEqual(service.stop(), 0)
        self.witness.check(service.directory)

    def test_clocks_that_stop_end_no_epoch_and_lose_nothing(self):
        service = self.service.start()
        self.steady.stops(time.clock_gettime(time.CLOCK_BOOTTIME))
        self.wall.stops(time.time())
        experiment = self.witness.create(service)
        for _ in range(2):
            self.enough(experiment)
            time.sleep(0.6)  # epoch_seconds_min is 1
            self.assertEqual(self.epoch_after(experiment), 0)
        self.steady.passes(0)
        self.wall.passes(0)
        self.assertTrue(service.wait_for(lambda: self.epoch_after(experiment, 1) == 1))
        self.assertEqual(service.counts(experiment.id)["folded"], 40)

    def test_jumps_and_kills(self):
        draw = random.Random(SEED)
        service, replays = self.service, {}
        for _ in range(JUMPS):
            service.start()
            self.witness.compare(service, replays)
            Jumper(service, self.witness, self.steady, draw.random(), wall=self.wall).live(60)
            service.kill()
            replays = self.witness.check(service.directory)
            self.wall.passes(draw.choice(Jumper.JUMPS))
        for line in service.log_path.read_text().splitlines():
            self.assertRegex(json.loads(line)["time"], r"^-?\d{4}-\d\d-\d\dT\d\d:\d\dZ$")
        print(f"figure: {JUMPS} kills between jumps of the clocks")
        print(dict(self.witness.tally))
        self.assertGreater(max(e.epoch for e in self.witness.experiments.values()), 1)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
