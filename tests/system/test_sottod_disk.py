#!/usr/bin/env python3
"""A small disk that fills up and has room again, at random moments, under load and kill -9: the
service says so, loses nothing that it acknowledged, and continues as soon as there is room."""
import contextlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import unittest

from soak import SEED, SOAK
from sottod import NotStarted, Service
from witness import Clock, Person, Witness

LIVES = 60 if SOAK else 6


def mount(directory):
    """True if a small disk is mounted now."""
    return subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory], capture_output=True).returncode == 0


class Filler:
    """Fills the disk, and frees room again."""

    def __init__(self, disk, draw):
        self.rest, self.draw, self.over = disk / "rest", draw, threading.Event()
        self.times = 0

    def fill(self):
        self.times += 1
        with contextlib.suppress(OSError), open(self.rest, "wb", buffering=0) as rest:
            while True:
                rest.write(b"x" * 4096)

    def empty(self):
        self.rest.unlink(missing_ok=True)

    def run(self):
        while not self.over.wait(self.draw.uniform(0.01, 0.08)):
            self.fill()
            self.over.wait(self.draw.uniform(0.01, 0.08))
            self.empty()


class Disk(unittest.TestCase):
    def setUp(self):
        self.disk = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(self.disk.rmdir)
        if not mount(self.disk):
            self.skipTest("a small disk can be made by root alone, or in a namespace of one's own")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)

    def start(self, service, filler):
        """On a full disk the service may refuse to start, with a sentence."""
        try:
            service.start()
        except NotStarted as end:
            self.assertEqual(end.code, 1, end)
            self.assertRegex(end.errors, "full|disk|space")
            filler.empty()
            service.start()
            return 1
        except AssertionError:  # not ready: it runs, and cannot write
            pass
        return 0

    def recover(self, service, witness):
        """With room again, reports are taken."""
        self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200), "it does not recover")
        made = witness.create(service)
        self.assertIsNotNone(made)
        self.assertEqual(witness.post(service, made, service.frames(made.id, 8)).status, 204)
        self.assertEqual(witness.change(service, made, "delete").status, 200)

    def test_a_disk_that_is_full_now_and_then(self):
        draw = random.Random(SEED)
        witness, replays, refused = Witness(), {}, 0
        with contextlib.ExitStack() as stack:
            service = Service(directory=self.disk / "data")
            stack.callback(service.__exit__)
            filler = Filler(self.disk, random.Random(SEED + 1))
            clock = Clock(service.home / "clock")
            for life in range(LIVES):
                if life % 3 == 2:
                    filler.fill()
                refused += self.start(service, filler)
                filler.over.clear()
                filling = threading.Thread(target=filler.run)
                filling.start()
                try:
                    Person(service, witness, clock, draw.random(), Person.OWNER).live(draw.randint(40, 80))
                finally:
                    filler.over.set()
                    filling.join()
                    filler.empty()
                if life % 2 == 0:
                    self.recover(service, witness)
                service.kill()
                replays = witness.check(service.directory)
            service.start()
            witness.compare(service, replays)
            self.assertEqual(service.stop(), 0)
        failed = sum(count for what, count in witness.tally.items() if what.endswith("failed"))
        print(f"figure: {LIVES} lives, the disk full {filler.times} times, {failed} requests and {refused} starts refused")
        print(dict(witness.tally))
        self.assertGreater(failed, 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as trial:
        may = mount(trial)
        if may:
            subprocess.run(["umount", trial], check=True)
    if not may and "OWN_NAMESPACE" not in os.environ:
        inside = ["unshare", "-rm", sys.executable, __file__]
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0:
            os.execvpe("unshare", inside, {**os.environ, "OWN_NAMESPACE": "1"})
    print(f"SEED={SEED}")
    unittest.main()
