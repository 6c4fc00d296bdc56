#!/usr/bin/python3
"""Many experiments over one PostgreSQL: publishes per second while some of them are busy, and what idle processes ask.

    python3 bench/experiments.py BUILD [EXPERIMENTS [BUSY [SECONDS [CSV]]]]

The busy ones have epochs of 20 reports and a second, and get 30 reports a second each, under their newest model: so
each could be published once a second. Measured with 1, 2 and 3 processes that fold, one after the other, over the same
database, with the server's own settings but for the room for locks that docs/operations.md wants. Idle transactions are
those of pg_stat_database while nobody sends anything. CSV: one row for each number of processes."""
import concurrent.futures
import contextlib
import csv
import glob
import http.client
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import cluster
from service import Service

LEARNING = {"epoch": 20, "epoch_seconds_min": 1, "epoch_reports_min": 20}
REPORTS = 30   # a second, of a busy experiment
SENDERS = 4    # threads
QUIET_S = 15   # before idle processes are looked at, and after which the server has told its statistics
COLUMNS = ("experiments", "busy", "processes", "publishes_s", "idle_transactions_s", "folds_each")


class People:
    """Those who send to some experiments, through one process each."""

    def __init__(self, services, ids):
        self.services, self.ids = services, ids
        self.stop, self.refused = threading.Event(), 0

    def run(self, part):
        service = self.services[part % len(self.services)]
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        mine = self.ids[part::SENDERS]
        while not self.stop.is_set():
            began = time.monotonic()
            for spec_id in mine:
                epoch = self.epoch(connection, spec_id)
                head = b"STR1" + bytes.fromhex(spec_id) + epoch.to_bytes(4, "little")
                body = b"".join(head + (nonce := os.urandom(16)) + bytes([nonce[0] & 63, 0]) for _ in range(REPORTS))
                connection.request("POST", f"/v1/experiments/{spec_id}/reports", body,
                                   {"Content-Type": "application/octet-stream"})
                answer = connection.getresponse()
                answer.read()
                self.refused += answer.status != 204
            self.stop.wait(max(0.0, began + 1 - time.monotonic()))

    @staticmethod
    def epoch(connection, spec_id):
        connection.request("GET", f"/v1/experiments/{spec_id}/model")
        answer = connection.getresponse()
        answer.read()
        return int(answer.headers["ETag"].strip('"'))


def wait_until_ready(service):
    """It reads its journal."""
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        connection.request("GET", "/readyz")
        if connection.getresponse().status == 200:
            return
        time.sleep(0.2)


def publishes(services):
    return sum(s.metric("sottod_publisher_publishes_total") for s in services)


def busy_rate(services, ids, seconds):
    """Publishes per second, and experiments that each process folds."""
    people = People(services, ids)
    with concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
        works = [pool.submit(people.run, part) for part in range(SENDERS)]
        time.sleep(12)  # until shares are what they will be
        before, began = publishes(services), time.monotonic()
        time.sleep(seconds)
        rate = (publishes(services) - before) / (time.monotonic() - began)
        each = [int(s.metric("sottod_publisher_experiments")) for s in services]
        people.stop.set()
        for work in works:
            work.result()
    if people.refused:
        print(f"experiments.py: {people.refused} requests were refused", file=sys.stderr)
    return rate, each


def idle_rate(database, seconds):
    asked = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'"
    time.sleep(QUIET_S)
    before, began = database.ask(asked), time.monotonic()
    time.sleep(seconds)
    return (database.ask(asked) - before - 1) / (time.monotonic() - began)


def measure(build, directory, database, ids, count, busy, processes, seconds):
    with contextlib.ExitStack() as stack:
        services = []
        for i in range(processes):
            services.append(Service(build / "sottod", directory / f"data{i}", "--journal", database.url))
            stack.callback(services[-1].process.wait)
            stack.callback(services[-1].process.kill)
        for service in services:
            wait_until_ready(service)
        rate, each = busy_rate(services, ids[:busy], seconds)
        idle = idle_rate(database, seconds)
        return dict(zip(COLUMNS, (count, busy, processes, f"{rate:.1f}", f"{idle:.1f}", " ".join(map(str, each)))))


def main():
    build = pathlib.Path(sys.argv[1])
    count, busy, seconds = (int(sys.argv[i]) if len(sys.argv) > i else default
                            for i, default in ((2, 1200), (3, 100), (4, 15)))
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs or not shutil.which("psql"):
        print("experiments.py: skipped: postgresql must be installed")
        return
    cluster.SETTINGS += (f"max_locks_per_transaction={max(64, 4 * count // 40)}",)
    with tempfile.TemporaryDirectory(dir=".") as directory, contextlib.ExitStack() as stack:
        directory = pathlib.Path(directory).resolve()
        directory.chmod(0o755)  # the server is another user's
        database = cluster.Postgres(pathlib.Path(programs[-1]), directory / "pg")
        stack.callback(database.stop)
        maker = Service(build / "sottod", directory / "maker", "--journal", database.url, "--publish=no")
        began = time.monotonic()
        ids = [maker.create(series, {"dim": 2, "arms": 3, "epoch_lag_max": 16}, **LEARNING) for series in range(count)]
        maker.process.kill()
        maker.process.wait()
        print(f"{os.cpu_count()} cores; {count} experiments made in {time.monotonic() - began:.0f} s", flush=True)
        rows = []
        for processes in (1, 2, 3):
            rows.append(measure(build, directory, database, ids, count, min(busy, count), processes, seconds))
            print("  ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
        if len(sys.argv) > 5:
            with open(sys.argv[5], "w", newline="", encoding="ascii") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
