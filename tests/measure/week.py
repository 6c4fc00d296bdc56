#!/usr/bin/env python3
"""A week in an hour: the real sottod under a clock that runs faster (tests/support/fast_clock.c), over thousands of epochs.

People of four experiments and more send reports every five minutes of that clock, and change their mind over three
days. Experiments are paused, made and deleted, reports come twice, backups are taken. In the first half the service is
stopped or killed (kill -9) and started again now and then; in the second half it lives without a break, so that a leak
would show. Memory (RssAnon) and bytes of the files are sampled. At the end it is killed, and what it wrote is replayed
by another program.

  week.py --minutes 60            the whole
  week.py --minutes 5 --days 2 --twin leak     a twin that loses memory: must be caught
  week.py --minutes 5 --days 2 --twin keep     a twin that removes no report: must be caught
  week.py --journal postgresql --minutes 10    the same over a server of PostgreSQL of its own

Over PostgreSQL one process is gateway and publisher. Its clock runs 4 times faster, not more: an answer of the database
may take 3 s of it. So epochs are of a second, and what happens now and then happens more often. The server's clock runs
as ever: slabs of reports are made older by SQL, and VACUUM is run. The bytes are those of the database.

Exit status 1 if a figure is missed; of a twin, if none is."""

import argparse
import contextlib
import csv
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import draw
from measure import ROOT, Row, finish
from research import Table, record

DAY_S = 86400
EPOCH_S = 300
REPORTS = 70
SAMPLES = 400
SAMPLES_MIN = 6     # that are judged, also on a machine that is slow
VACUUM_EACH = 4     # samples, over PostgreSQL
WARM = 0.05         # of the whole, after the last start, are not judged
WARM_PUBLISHES = 16 # nor are so many: a new process takes its memory with the first reports and models
GROWTH_MAX = 400    # bytes per publish, of memory and of the file: its row of history, until that is thinned
CHECKS = 4          # at the end
SLACK_BYTES = 2**18  # whatever happens
LEAK_BYTES = 1024   # of the twin, per fsync
LEAK_POLL_BYTES = 256  # over PostgreSQL, per poll
SHORT_DAYS = 1 / 60  # of six minutes over PostgreSQL; in less, less happens
WHOLE_DAYS = 10     # in which things happen as often as they do
LEARNING = {"epoch": 60, "epoch_reports_min": 20}
SPEC = {"reward_kind": "binary", "link": "logit", "epsilon": 1, "epoch_lag_max": 4, "reward_window_s": 0,
        "send_spread_s": 0}
SHAPES = ({"dim": 2, "arms": 3}, {"dim": 2, "arms": 3, "parameters": "per-arm"}, {"dim": 5, "arms": 5},
          {"dim": 3, "arms": 4, "measure": 0.125})


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=55)
    parser.add_argument("--days", type=float,
                        help="of the fast clock; history is thinned after 7. Default 10, over PostgreSQL minutes/360")
    parser.add_argument("--journal", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--twin", choices=("leak", "keep"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/dev"))
    parser.add_argument("--out", default=os.path.join(ROOT, "build/week"), help="directory for samples and drawing")
    parser.add_argument("--write", action="store_true", help="keep tables and samples in research/*.csv")
    parser.add_argument("--figures", help="FILE to which the rows are added, as JSON lines")
    args = parser.parse_args()
    shared = args.journal == "postgresql"
    if args.days is None:
        args.days = args.minutes / 360 if shared else WHOLE_DAYS
    args.factor = max(1, round(args.days * DAY_S / (args.minutes * 60)))
    args.hurry = max(args.days, SHORT_DAYS) / WHOLE_DAYS if shared else 1  # how much shorter all is that happens now and then
    args.epoch_s = args.factor if shared else EPOCH_S
    args.most = len(SHAPES) + 1 if shared else 8  # experiments at a time: each has partitions of its own
    return args


class Experiment:
    """What a person outside knows of one."""

    def __init__(self, service, number, directory, epoch_s):
        spec = {**SPEC, **SHAPES[number % len(SHAPES)], "series": number}
        self.id = service.create(spec, {**LEARNING, "epoch_seconds_min": epoch_s}, {"number": str(number)})
        self.terms = directory / f"terms{number}"
        self.terms.write_bytes(service.terms(self.id))
        self.model = directory / f"model{number}"
        self.number, self.epoch, self.acknowledged, self.unknown, self.due, self.paused_to = number, 0, 0, 0, 0, None
        self.last = []

    def send(self, service, seed, taste, rng):
        self.epoch, model = service.model(self.id)
        self.model.write_bytes(model)
        made = subprocess.run([os.environ["PEOPLE"], self.terms, self.model, str(REPORTS), str(seed), str(taste)],
                              capture_output=True, check=True, timeout=120).stdout
        size = len(made) // REPORTS
        frames = [made[i:i + size] for i in range(0, len(made), size)]
        again = self.last[:3] if rng.random() < 0.2 else []
        while (answer := service.post(self.id, frames + again)).status == 503 and service.may_refuse:
            self.unknown += len(frames) + len(again)
            time.sleep(0.1)
        assert answer.status == 204, answer
        self.acknowledged += len(frames) + len(again)
        self.last = frames


class Week:
    def __init__(self, args, service, store, directory):
        self.args, self.service, self.store, self.directory = args, service, store, directory
        self.rng = random.Random(args.seed)
        self.length_s = args.days * DAY_S
        self.begin = None
        self.experiments, self.gone = [], 0     # publishes of those that were deleted
        self.made = 0
        self.samples, self.done = [], dict.fromkeys(("kill", "stop", "pause", "create", "delete", "backup"), 0)
        self.settled_at, self.settled_publishes = None, 0

    def now(self):
        return (time.monotonic() - self.begin) * self.args.factor

    def publishes(self):
        return self.gone + sum(e.epoch for e in self.experiments)

    def create(self):
        self.experiments.append(Experiment(self.service, self.made, self.directory, self.args.epoch_s))
        self.made += 1

    # ---- what happens now and then

    def happen(self, kind, each_s, step_s):
        """By chance, once in each_s in the mean. False: there was nothing to do it to."""
        if self.rng.random() < step_s / (each_s * self.args.hurry):
            self.done[kind] += getattr(self, "do_" + kind)() is None

    def do_kill(self):
        self.service.kill()
        self.service.start()

    def do_stop(self):
        assert self.service.stop() == 0
        self.service.start()

    def do_pause(self):
        e = self.rng.choice(self.experiments)
        if e.paused_to is not None:
            return False
        assert self.service.change(e.id, "pause").status == 200
        e.paused_to = self.now() + self.rng.uniform(3600, 3 * 3600) * self.args.hurry
        return None

    def do_create(self):
        if len(self.experiments) >= self.args.most:
            return False
        return self.create()

    def do_delete(self):
        if len(self.experiments) <= len(SHAPES):
            return False
        e = self.experiments.pop(len(SHAPES))
        assert self.service.change(e.id, "delete").status in (200, 204)
        self.gone += e.epoch
        return None

    def do_backup(self):
        self.store.back_up(self.directory / "copy")

    def events(self, step_s):
        if self.now() < self.length_s / 2:
            self.happen("kill", 6 * 3600, step_s)
            self.happen("stop", 12 * 3600, step_s)
        elif self.settled_at is None:
            self.do_stop()
            self.settled_at, self.settled_publishes = self.now(), self.publishes()
        self.happen("pause", 6 * 3600, step_s)
        self.happen("create", DAY_S / 3, step_s)
        self.happen("delete", DAY_S / 3, step_s)
        self.happen("backup", DAY_S / 2, step_s)

    # ---- the whole

    def sample(self):
        status = Path(f"/proc/{self.service.process.pid}/status").read_text()
        memory = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon"))
        self.samples.append({"day": self.now() / DAY_S, "memory": memory, **self.store.sizes(),
                             "publishes": self.publishes(), "experiments": len(self.experiments)})

    def send_all(self):
        taste = round(math.cos(2 * math.pi * self.now() / (3 * DAY_S * self.args.hurry)), 3)
        for e in self.experiments:
            if e.paused_to is not None and self.now() > e.paused_to:
                assert self.service.change(e.id, "open").status == 200
                e.paused_to = None
            if e.paused_to is None and self.now() >= e.due:
                e.send(self.service, self.rng.randrange(2**32), taste, self.rng)
                e.due = self.now() + self.args.epoch_s

    def live(self):
        for _ in SHAPES:
            self.create()
        before, sampled = 0, 0
        while self.now() < self.length_s or len(self.judged()) < SAMPLES_MIN:
            self.send_all()
            now = self.now()
            self.events(now - before)
            before = now
            if now >= sampled:
                self.sample()
                self.store.grow_older(self.length_s / SAMPLES)
                sampled += self.length_s / SAMPLES
            time.sleep(max(0.0, (min(e.due for e in self.experiments) - self.now()) / self.args.factor))

    def judged(self):
        if self.settled_at is None:
            return []
        return [s for s in self.samples if s["day"] * DAY_S >= self.settled_at + WARM * self.length_s
                and s["publishes"] >= self.settled_publishes + WARM_PUBLISHES]

    def check(self):
        """Killed, replayed, started: one and the same. The ids of those that are not. Nobody sends any more, so what was
        due when it was killed is published once, after the start; then all of it is compared again."""
        for _ in range(CHECKS):
            self.service.kill()
            self.store.look()
            self.service.start()
            bad = [e.id for e in self.experiments if not self.store.is_same(e)]
            if not any(self.store.has_published(e) for e in self.experiments):
                break
        return bad


# ---- what it is kept in


class Directory:
    """journal.sqlite."""
    NAME = "file"

    def __init__(self, service):
        self.service = service

    def sizes(self):
        files = {"file": self.service.directory / "journal.sqlite", "log": self.service.directory / "journal.sqlite-wal"}
        return {name: path.stat().st_size if path.exists() else 0 for name, path in files.items()}

    def grow_older(self, seconds):
        """The clock does."""

    def back_up(self, copy):
        subprocess.run([os.environ["SOTTOD"], "backup", copy, "--data", self.service.directory], check=True,
                       capture_output=True, timeout=120)
        shutil.rmtree(copy)

    def look(self):
        from replay_journal import Journal
        self.journal = Journal(self.service.directory)

    def replay(self, e):
        number = self.journal.find(e.id)["number"]
        return self.journal.replay(e.id, from_snapshot=number in self.journal.snapshots)

    def has_published(self, e):
        """Since the last look."""
        return self.service.model(e.id)[0] > self.replay(e).epoch

    def is_same(self, e):
        replay = self.replay(e)
        same = (replay.epoch, replay.model) == self.service.model(e.id) and replay.counts == self.service.counts(e.id)
        return same and replay.acknowledged == e.acknowledged


class Tables:
    """A database."""
    NAME = "database"

    def __init__(self, database, service, pace):
        self.database, self.service, self.pace, self.rest, self.turn = database, service, pace, 0, 0

    def sizes(self):
        return {"file": int(self.database.ask("SELECT pg_database_size(current_database())")[0][0]), "log": 0}

    def grow_older(self, seconds):
        """For slabs so much time has passed as if epochs had their usual length; the column is in no digest. What
        autovacuum does in days is done here."""
        minutes, self.rest = divmod(self.rest + seconds * self.pace, 60)
        self.database.ask(f"UPDATE sotto.experiment SET slab_minute = slab_minute - {minutes:.0f} WHERE state < 2")
        self.turn += 1
        if self.turn % VACUUM_EACH == 0:
            self.database.ask("VACUUM")

    def back_up(self, copy):
        words = ["pg_dump", "--format=custom", "--schema=sotto", f"--file={copy}", self.database.url]
        while (done := subprocess.run(words, capture_output=True, text=True, timeout=120)).returncode != 0:
            # A slab was dropped just then: docs/operations.md, section 12.
            assert "does not exist" in done.stderr, done.stderr
        copy.unlink()

    def look(self):
        """All digests, and all models that are left."""
        from replay_postgres import Database
        database = Database(self.database.url)
        for e in database.experiments:
            if e["state"] < 2:
                database.replay(e["id"].hex(), tail=True)

    def has_published(self, e):
        """Its replay reads what the service has now."""
        return False

    def is_same(self, e):
        """It may have published since it was started, and do so again."""
        from replay_postgres import Database

        def agree():
            epoch, model = self.service.model(e.id)
            replay = Database(self.database.url).replay(e.id, tail=True)
            return replay.shown.get(epoch) == model and replay.counts == self.service.counts(e.id) \
                and e.acknowledged <= replay.acknowledged <= e.acknowledged + e.unknown
        return self.service.wait_for(agree)


# ---- figures


def growth(samples, key):
    """From the median of the first third to that of the last: bytes, and publishes."""
    third = len(samples) // 3
    first, last = samples[:third], samples[-third:]

    def middle(rows, name):
        return statistics.median(row[name] for row in rows)
    return middle(last, key) - middle(first, key), middle(last, "publishes") - middle(first, "publishes")


def growth_row(judged, key, name):
    more, publishes = growth(judged, key)
    most = SLACK_BYTES + GROWTH_MAX * publishes
    return Row(f"{name}, second half: growth over {publishes:.0f} publishes", f"<= {most / 1024:.0f} KiB",
               f"{more / 1024:.0f} KiB", more <= most)


CURVES = (("memory (RssAnon), MiB", lambda s: s["memory"] / 2**20),
          ("files, MiB", lambda s: (s["file"] + s["log"]) / 2**20),
          ("publishes, tens of thousands", lambda s: s["publishes"] / 10000))


def draw_week(samples, out):
    """week_samples.csv, for research/, and the same as a picture."""
    path = out / "week_samples.csv"
    rows = [[f"{s['day']:.3f}", *(f"{value(s):.3f}" for _, value in CURVES)] for s in samples]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["days of the fast clock", *(name for name, _ in CURVES)], *rows])
    (out / "week.svg").write_text(draw.svg(path))


def rows_of(week, bad, args):
    judged = week.judged()
    publishes = week.publishes()
    events = ", ".join(f"{count} {name}" for name, count in week.done.items())
    print(f"{args.days:g} days in {args.minutes:g} minutes (x{args.factor}): {publishes} publishes, "
          f"{sum(e.acknowledged for e in week.experiments)} reports of those that are left; {events}; "
          f"memory at the end {week.samples[-1]['memory'] / 2**20:.2f} MiB, "
          f"{week.store.NAME} {(week.samples[-1]['file'] + week.samples[-1]['log']) / 2**20:.2f} MiB")
    return [growth_row(judged, "memory", "memory"), growth_row(judged, "file", week.store.NAME),
            Row("experiments that differ from their replay", "0", f"{len(bad)}", not bad)]


def keep(args, rows, out):
    """Tables and samples, in research/; of samples only those of SQLite, which docs/images/week.svg shows."""
    table = Table(args, "week" if args.journal == "sqlite" else "week_postgresql", ("figure", "wanted", "got"), shown=False)
    for row in rows:
        table.row(row.figure, row.wanted, row.got)
    table.close()
    if args.journal == "sqlite":
        research = os.path.join(ROOT, "research")
        shutil.copy(out / "week_samples.csv", research)
        record(research, "week_samples.csv")


def main():
    args = options()
    tools = {"SOTTOD": "sottod", "PEOPLE": "tests/system/people", "REPLAY_LEARNER": "tests/system/replay_learner",
             "POSTGRES": "tests/postgres_program"}
    os.environ.update({name: os.path.join(args.build, path) for name, path in tools.items()})
    sys.path.insert(0, os.path.join(ROOT, "tests/system"))
    sys.dont_write_bytecode = True
    from postgres import Postgres
    from sottod import Service, plain_environment

    class Hurried(Service):
        """An hour of the fast clock is seconds: a connection that is kept would be cut as idle."""
        may_refuse = args.journal == "postgresql"  # an answer of the database that takes long, of the fast clock

        def ask(self, place, *words, **named):
            try:
                return super().ask(place, *words, **named)
            finally:
                self.connection(place).close()

    leak = {"sqlite": ("FAST_CLOCK_LEAK", LEAK_BYTES), "postgresql": ("FAST_CLOCK_LEAK_POLL", LEAK_POLL_BYTES)}
    name, leaked = leak[args.journal]
    env = plain_environment(
        LD_PRELOAD=os.path.join(args.build, "tests/system/libfast_clock.so"),
        FAST_CLOCK=f"{args.factor} {time.clock_gettime_ns(time.CLOCK_REALTIME)} {time.clock_gettime_ns(time.CLOCK_MONOTONIC)}",
        **({name: str(leaked)} if args.twin == "leak" else {}))
    flags = ["--idle-s-max", "3600", "--head-s-max", "3600", "--rate-min", "0"]
    flags += ["--keep-reports"] if args.twin == "keep" else []
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        database = stack.enter_context(Postgres()) if args.journal == "postgresql" else None
        service = stack.enter_context(Hurried(*flags, env=env, journal=database and database.url))
        store = Tables(database, service, EPOCH_S / args.epoch_s) if database else Directory(service)
        week = Week(args, service, store, Path(directory))
        week.begin = time.monotonic()
        try:
            week.live()
        except BaseException:
            print(service.log_path.read_text()[-2000:], file=sys.stderr)
            raise
        bad = week.check()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "samples.json").write_text(json.dumps(week.samples))
    draw_week(week.samples, out)
    rows = rows_of(week, bad, args)
    if args.write and not args.twin:
        keep(args, rows, out)
    if args.twin:
        print("\n".join(f"{row.figure}: {row.got}, wanted {row.wanted}" for row in rows))
        rows = [Row(f"the twin \"{args.twin}\" is caught", "yes", "yes" if not all(r.passed for r in rows) else "no",
                    not all(r.passed for r in rows))]
    finish(args, rows)


if __name__ == "__main__":
    main()
