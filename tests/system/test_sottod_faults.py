#!/usr/bin/env python3
"""Every call on the journal's files that can fail does so, once, and in turn: the N-th write, sync, open, rename,
truncation, … for N = 1, 2, 3, until a life has no N-th one. The service says so (503, a log line, or a sentence and
exit status 1), goes on or can be started again, and nothing that it acknowledged is lost."""
import collections
import json
import os
import random
import re
import time
import unittest

from sottod import NotStarted, Service, plain_environment
from witness import Broken, Clock, Witness, require

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
SOAK = os.environ.get("SOTTO_SOAK") == "1"
STRIDE = 1 if SOAK else 12  # of N
ERRORS = {"open": ("EIO", "ENOSPC"), "write": ("EIO", "ENOSPC", "short", "half"), "sync": ("EIO", "ENOSPC"),
          "sync_folder": ("EIO",), "truncate": ("EIO", "ENOSPC"), "rename": ("EIO", "ENOSPC"), "unlink": ("EIO",),
          "mkdir": ("ENOSPC",)}
SPARE = ("open", "sync_folder", "unlink")  # those that SQLite can do without: the folder's sync, a file that stays
FRAMES = {}  # {(id, epoch, model): frames}: everybody draws the same in each life


class Life:
    """A folder, one life of a service in it under faults, and one after them."""

    def __init__(self, flags=()):
        self.service = Service(*flags)
        self.keeps = "--keep-reports" in flags
        self.witness = Witness()
        self.clock = Clock(self.service.home / "clock")
        self.report = self.service.home / "report"
        self.failing = self.service.home / "failing"
        self.answers = collections.Counter()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.service.__exit__()

    # ---- what happens in a life

    def frames(self, experiment, count):
        """The model was fetched."""
        key = experiment.id, experiment.epoch, experiment.models[experiment.epoch]
        if len(FRAMES.get(key, ())) < count:
            FRAMES[key] = self.service.frames(experiment.id, count, seed=experiment.epoch)
        return FRAMES[key][:count]

    def pass_time(self, seconds):
        """On which connections are closed."""
        self.service.hang_up()
        self.clock.passes(seconds)

    def end_epoch(self, experiment):
        """It looks at the clock after a request, once no other one waits; a fault puts it off."""
        epoch = experiment.epoch
        for _ in range(5):
            self.clock.passes(2)
            for _ in range(2):
                if self.witness.fetch(self.service, experiment) and experiment.epoch > epoch:
                    return
                time.sleep(0.002)

    def post(self, experiment, first, count):
        """New ones of this epoch, twice if it must be: devices send again."""
        if self.witness.fetch(self.service, experiment) is None:
            return
        frames = self.frames(experiment, 30)[first:first + count]
        for _ in range(2):
            answer = self.witness.post(self.service, experiment, frames)
            if answer is not None and answer.status == 204:
                return
            self.pass_time(2)

    def create(self):
        for _ in range(2):
            made = self.witness.create(self.service, lag=1)
            if made is not None:
                return made
            self.pass_time(2)
        return None

    def play(self):
        """Reports, publishes, a snapshot, removal, scrubbing, a pause, a deletion."""
        service, witness = self.service, self.witness
        first = self.create()
        if first is None:
            return
        for _ in range(3):
            self.post(first, 0, 8)
            self.post(first, 8, 8)
            self.end_epoch(first)
        self.pass_time(700)    # a snapshot; reports of closed epochs go
        self.post(first, 0, 5)
        self.pass_time(70)     # and are scrubbed
        witness.fetch(service, first)
        second = self.create()
        if second is not None:
            self.post(second, 0, 3)
            witness.change(service, second, "pause")
            witness.change(service, second, "delete")
        self.pass_time(70)
        self.post(first, 5, 3)

    # ---- one after the other

    def environment(self, fault, cut, shows):
        shims = [os.environ["FAULTY_DISK"], os.environ["SHIFTED_CLOCK"]]
        more = {"POWER_CUT_AT": "0", "POWER_CUT_KEEPS": "nothing"} if cut else {}
        return plain_environment(LD_PRELOAD=" ".join(shims), STEADY_SHIFT=str(self.clock.file), FAILING_CALLS=fault,
                                 FAULTS_FOLDER=str(self.service.folder), FAULTS_REPORT=str(self.report),
                                 FAILING_WHILE=shows, **more)

    def failed(self):
        """How many calls did."""
        return self.report.read_text().count("failed ") if self.report.exists() else 0

    def under_fault(self, fault, cut=False):
        """A life; what it said about the fault: "start", "answer", "log", "stop", or None."""
        service = self.service
        lasts = "+" in fault
        if lasts:
            self.failing.touch()
        service.env = self.environment(fault, cut, str(self.failing) if lasts else "")
        said = None
        try:
            service.start()
            self.play()
            if lasts:
                self.failing.unlink()
            self.recover()
            end = service.stop(timeout=20)
            require(end == (-9 if cut else 0) or (end == 1 and self.last_words()), "exit status", end, self.last_words())
            said = "stop" if end == 1 else None
        except NotStarted as refused:
            require(refused.code == (-9 if cut else 1) and refused.errors.startswith("sottod: "), refused)
            require(len(refused.errors.strip().splitlines()) == 1, refused)
            require(self.failed() > 0, "refused for nothing:", refused)
            said = "start"
        if any(what.endswith("failed") for what in self.witness.tally):
            return "answer"
        return said or ("log" if any(line["level"] in ("error", "warning") for line in self.lines()) else None)

    def recover(self):
        """The fault is over: within a few seconds of its clock reports are taken again."""
        for _ in range(4):
            self.pass_time(2)
            answer = self.witness.ask("recover", lambda: self.service.get("/readyz"))
            if answer is not None and answer.status == 200:
                return
        raise Broken("not ready after the fault was over")

    def lines(self):
        return [json.loads(line) for line in self.service.log_path.read_text().splitlines() if line.startswith("{")]

    def last_words(self):
        return [line for line in self.service.log_path.read_text().splitlines() if line.startswith("sottod: ")]

    def check(self):
        if not (self.service.folder / "journal.sqlite").exists():
            require(not self.witness.experiments, "the journal is gone")
            return {}
        return self.witness.check(self.service.folder, self.keeps)

    def afterwards(self):
        """Without faults all is well."""
        replays = self.check()
        self.service.env = self.environment("", False, "")
        self.service.start()
        self.witness.compare(self.service, replays)
        made = self.create()
        self.post(made, 0, 20)
        self.end_epoch(made)
        require(made.epoch == 1, "no publish")
        require(not any(answer.endswith("failed") for answer in self.witness.tally - self.before), "it fails without a fault")
        require(self.service.stop() == 0, "exit status")
        self.check()

    def die_before(self):
        """A life without faults, and kill -9: what follows begins with what a crash leaves."""
        self.service.env = self.environment("", False, "")
        self.service.start()
        self.play()
        self.service.kill()
        self.check()

    def is_early(self):
        """Whether what failed was not part of the end."""
        told = self.report.read_text()
        event, events = re.search(r"^failed .* at event (\d+)$(?s:.*?)^end after (\d+) events", told, re.M).groups()
        return int(event) < int(events) - 30

    def check_silence(self, fault):
        """Who says nothing has lost nothing: SQLite can do without some calls, and all is durable before it closes."""
        kind, _, error = fault.split(":")
        if kind in SPARE or error == "short":
            return
        told = self.report.read_text()
        event, events = re.search(r"^failed .* at event (\d+)$(?s:.*?)^end after (\d+) events", told, re.M).groups()
        require(int(event) > int(events) - 10, "nothing was said about", told)

    def check_removal(self):
        """Reports of closed epochs are in no file, though a scrub failed: the next one did it again."""
        experiment = next(iter(self.witness.experiments.values()), None)
        if experiment is None or experiment.epoch < 2:
            return
        closed = [frame for frame in experiment.acknowledged if frame[20:24] == bytes(4)]
        content = b"".join(file.read_bytes() for file in self.service.folder.iterdir() if file.is_file())
        require(not any(frame[24:40] in content for frame in closed), "removed reports are there")

    def run(self, fault, cut=False, after_kill=False):
        """What it said, or False if there was no such call."""
        if after_kill:
            self.die_before()
            self.report.unlink(missing_ok=True)
        said = self.under_fault(fault, cut)
        if self.failed() == 0:
            return False
        if said is None:
            self.check_silence(fault)
        if cut and not self.keeps and self.is_early():
            self.check_removal()
        self.before = collections.Counter(self.witness.tally)
        self.afterwards()
        return said or "nothing"


@unittest.skipIf(os.environ["SANITIZE"], "the disk of this test cannot be loaded before the sanitizer")
class Faults(unittest.TestCase):
    def setUp(self):
        self.said = collections.Counter()
        self.lives = 0

    def one(self, fault, cut=False, flags=(), after_kill=False):
        with self.subTest(fault=fault, cut=cut, flags=flags, after_kill=after_kill, seed=SEED), Life(flags) as life:
            said = life.run(fault, cut, after_kill)
            if said:
                kind, _, error = fault.split(":")
                self.said[kind, error, said] += 1
                self.lives += 1
            return said
        return True  # a failure: the next one

    def each(self, kind, error, lasts="", stride=STRIDE, most=10**6, **options):
        """N = 1, 2, 3, … or some of them."""
        n = random.Random(f"{SEED} {kind} {error} {lasts} {options}").randint(1, stride)
        while n <= most and self.one(f"{kind}:{n}{lasts}:{error}", **options):
            n += stride

    def tearDown(self):
        print(f"figure: {self.lives} lives with one fault each")
        print("faults: "
              + ", ".join(f"{kind} {error}, said by {said}: {n}" for (kind, error, said), n in sorted(self.said.items())))

    def test_each_call_fails_once(self):
        for kind, errors in ERRORS.items():
            for error in errors:
                self.each(kind, error)

    def test_each_sync_fails_once_and_its_writes_are_gone_when_the_power_goes(self):
        for error, flags in (("EIO", ("--keep-reports",)), ("EIO", ()), ("ENOSPC", ())):
            self.each("sync", error, cut=True, flags=flags)

    def test_each_call_of_a_start_after_a_crash_fails_once(self):
        for kind, most in (("open", 30), ("write", 20), ("sync", 10), ("truncate", 10), ("unlink", 5)):
            self.each(kind, "EIO", stride=1 if SOAK else 6, most=most, after_kill=True)

    def test_calls_fail_until_the_disk_is_well_again(self):
        for kind, error in (("write", "ENOSPC"), ("sync", "EIO")):
            self.each(kind, error, lasts="+")


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
