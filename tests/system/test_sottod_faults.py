#!/usr/bin/env python3
"""Every call on the journal's files that can fail does so, once, and in turn: the N-th write, sync, open, rename,
truncation, … for N = 1, 2, 3, until a life has no N-th one; in `make test` some N of the kinds with many calls. The
service says so (503, a log line, or a sentence and exit status 1), goes on or can be started again, and nothing that it
acknowledged is lost. HARMLESS has the calls of which it may say nothing."""
import collections
import json
import os
import random
import re
import signal
import time
import unittest

from soak import SEED, SOAK
from sottod import NotStarted, Service, plain_environment
from witness import Broken, Clock, Witness, require

FEW = 12  # calls of a kind: all of them fail in `make test`, too
ERRORS = {"open": ("EIO", "ENOSPC"), "write": ("EIO", "ENOSPC", "short", "half"), "sync": ("EIO", "ENOSPC"),
          "sync_directory": ("EIO",), "truncate": ("EIO", "ENOSPC"), "rename": ("EIO", "ENOSPC"), "unlink": ("EIO",),
          "mkdir": ("ENOSPC",)}
# (function, file): calls that may fail without a word of the service.
# open, fdatasync of ".": SQLite makes the name of a new file durable, and continues if that fails. The service syncs the
#   directory itself (by fsync) before it accepts reports, and refuses to start if it cannot. The test cuts the power then.
# unlink of *.new: what an interrupted start left. If such a file stays, making it anew fails, and the start is refused.
# unlink of journal.sqlite-shm, -wal at a stop: the next start reads a log that stayed; an index that stayed says that all
#   of its log is in the file.
# write of epoch-times: a restart then begins the time of that epoch anew.
# Harmless as well: the last ten calls of a stop, when SQLite copies its log to the file, since all is durable in the log;
#   and a short write that says so, since the next one writes the rest.
HARMLESS = {("open", "."), ("fdatasync", "."), ("unlink", "admin.token.new"), ("unlink", "reader.token.new"),
            ("unlink", "token-hashes.new"), ("unlink", "journal.sqlite-shm"), ("unlink", "journal.sqlite-wal"),
            ("write", "epoch-times")}
CALLS = {}   # {(kind of the life before): {kind: calls}}
FRAMES = {}  # {(id, epoch, model): frames}: everybody draws the same in each life


class Life:
    """A directory, one life of a service in it with faults, and one after that."""

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
        """The caller has fetched the model."""
        key = experiment.id, experiment.epoch, experiment.models[experiment.epoch]
        if len(FRAMES.get(key, ())) < count:
            FRAMES[key] = self.service.frames(experiment.id, count, seed=experiment.epoch)
        return FRAMES[key][:count]

    def pass_time(self, seconds):
        """On which connections are closed."""
        self.service.hang_up()
        self.clock.passes(seconds)

    def end_epoch(self, experiment):
        """The service looks at the clock after a request, once no other waits; a fault delays
        that."""
        epoch = experiment.epoch
        for _ in range(5):
            self.clock.passes(2)
            for _ in range(2):
                if self.witness.fetch(self.service, experiment) and experiment.epoch > epoch:
                    return
                time.sleep(0.002)

    def post(self, experiment, first, count):
        """New reports of this epoch, sent twice if necessary, as devices do."""
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
                                 FAULTS_DIRECTORY=str(self.service.directory), FAULTS_REPORT=str(self.report),
                                 FAILING_WHILE=shows, **more)

    def failed(self):
        """The number of calls that failed."""
        return self.report.read_text().count("failed ") if self.report.exists() else 0

    def calls(self):
        """{kind: number of calls in a life}."""
        return {kind: int(count) for kind, count in re.findall(r"^calls (\w+) (\d+)$", self.report.read_text(), re.M)}

    def under_fault(self, fault, cut=None):
        """Plays a life; returns where it reported the fault: "start", "answer", "log", "stop", or
        None. `cut`: the power goes when the life has ended ("end"), or before ("now")."""
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
            if cut == "now":
                service.process.send_signal(signal.SIGPWR)
            end = service.process.wait(60) if cut == "now" else service.stop()
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
        """The fault is over: within a few seconds of the service's clock, reports are taken again.
        If its clock jumped during a try, that try counts as a long one, and the next comes half a
        minute later."""
        for seconds in [2] * 4 + [10] * 8:
            self.pass_time(seconds)
            answer = self.witness.ask("recover", lambda: self.service.get("/readyz"))
            if answer is not None and answer.status == 200:
                return
        raise Broken("not ready after the fault was over")

    def lines(self):
        return [json.loads(line) for line in self.service.log_path.read_text().splitlines() if line.startswith("{")]

    def last_words(self):
        return [line for line in self.service.log_path.read_text().splitlines() if line.startswith("sottod: ")]

    def check(self):
        if not (self.service.directory / "journal.sqlite").exists():
            require(not self.witness.experiments, "the journal is gone")
            return {}
        return self.witness.check(self.service.directory, self.keeps)

    def afterwards(self):
        """Without faults all is well."""
        replays = self.check()
        self.service.env = self.environment("", None, "")
        self.service.start()
        self.witness.compare(self.service, replays)
        made = self.create()
        self.post(made, 0, 20)
        self.end_epoch(made)
        require(made.epoch == 1, "no publish")
        require(not any(answer.endswith("failed") for answer in self.witness.tally - self.before), "it fails without a fault")
        require(self.service.stop() == 0, "exit status")
        self.check()

    def live_before(self, how):
        """A life without faults that ends by kill -9 or a stop: the next life begins with what it
        leaves."""
        self.service.env = self.environment("", None, "")
        self.service.start()
        self.play()
        if how == "kill":
            self.service.kill()
        else:
            require(self.service.stop() == 0, "exit status")
        self.check()
        self.report.unlink(missing_ok=True)

    def failed_at(self):
        """The function and the file that failed, and how many events came after it."""
        told = self.report.read_text()
        function, name, event = re.search(r"^failed .* by (\w+) of (\S+) at event (\d+)$", told, re.M).groups()
        end = re.search(r"^end after (\d+) events", told, re.M)
        return function, name, int(end.group(1)) - int(event) if end else 10**6

    def check_silence(self, error):
        """A service that reports nothing has lost nothing: everything is durable before SQLite
        closes its files, or the call is in HARMLESS."""
        function, name, later = self.failed_at()
        require(error == "short" or later < 10 or (function, name) in HARMLESS, "nothing was said about",
                self.report.read_text())

    def check_removal(self):
        """No file has reports of closed epochs although a scrub failed, because the next scrub
        repeated it."""
        experiment = next(iter(self.witness.experiments.values()), None)
        if experiment is None or experiment.epoch < 2:
            return
        closed = [frame for frame in experiment.acknowledged if frame[20:24] == bytes(4)]
        content = b"".join(file.read_bytes() for file in self.service.directory.iterdir() if file.is_file())
        require(not any(frame[24:40] in content for frame in closed), "removed reports are there")

    def run(self, fault, cut=None, before=None):
        """Where it reported the fault; False if there was no such call."""
        if before:
            self.live_before(before)
        said = self.under_fault(fault, cut)
        if self.failed() == 0:
            return False
        if said is None:
            self.check_silence(fault.split(":")[2])
        if cut and not self.keeps and self.failed_at()[2] > 30:  # not part of the end
            self.check_removal()
        self.before = collections.Counter(self.witness.tally)
        self.afterwards()
        return said or "nothing"


def calls_of(kind, before):
    """Counts calls in a life without faults."""
    if before not in CALLS:
        with Life() as life:
            if before:
                life.live_before(before)
            life.under_fault("")
            CALLS[before] = life.calls()
    return CALLS[before][kind]


@unittest.skipIf(os.environ["SANITIZE"], "the disk of this test cannot be loaded before the sanitizer")
class Faults(unittest.TestCase):
    def setUp(self):
        self.said = collections.Counter()
        self.lives = 0

    def one(self, fault, cut=None, flags=(), before=None):
        with self.subTest(fault=fault, cut=cut, flags=flags, before=before, seed=SEED), Life(flags) as life:
            said = life.run(fault, cut, before)
            if said:
                kind, _, error = fault.split(":")
                self.said[kind, error, said] += 1
                self.lives += 1
            return said
        return True  # a failure: the next one

    def each(self, kind, error, lasts="", few=FEW, most=10**6, before=None, **options):
        """Fails the N-th call for N = 1, 2, 3, ...; of many calls only some, from a random one
        on."""
        calls = min(calls_of(kind, before), most)
        stride = 1 if SOAK or calls < few else max(FEW, calls // 8)
        n = random.Random(f"{SEED} {kind} {error} {lasts} {before} {options}").randint(1, min(stride, calls))
        lives = self.lives
        while n <= most and self.one(f"{kind}:{n}{lasts}:{error}", before=before, **options):
            n += stride
        self.assertGreater(self.lives, lives, f"{kind} {error}: none failed")

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
            self.each("sync", error, cut="end", flags=flags)

    def test_each_sync_of_the_directory_fails_once_and_the_power_goes_while_the_service_runs(self):
        """After a stop the log gets its name anew."""
        self.each("sync_directory", "EIO", cut="now", before="stop", flags=("--keep-reports",))

    def test_each_call_of_a_start_after_a_crash_fails_once(self):
        for kind, most in (("open", 30), ("write", 20), ("sync", 10), ("sync_directory", 10), ("truncate", 10),
                           ("unlink", 5)):
            self.each(kind, "EIO", few=FEW // 3, most=most, before="kill")

    def test_calls_fail_until_the_disk_is_well_again(self):
        for kind, error in (("write", "ENOSPC"), ("sync", "EIO")):
            self.each(kind, error, lasts="+")


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
