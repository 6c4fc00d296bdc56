#!/usr/bin/python3
"""Durable reports per second of 1, 2 and 3 gateways over one PostgreSQL beside one sottod over SQLite, in the same run.

    python3 bench/cluster.py BUILD [SECONDS [ROUNDS]]

All are on this machine and one disk, and get the same bodies from wrk, 1 or 100 frames a POST, on 66 and on 510
connections in all; each gateway has a wrk of its own. Their turns alternate, and the best turn of each counts. Says how
many cores each kind of process had, and how many commits there were. Gateways only write reports down there: no epoch
ends, while the service over SQLite folds each report at once. So the last table has 1 and 3 gateways with epochs that
end while reports come, and what the publisher, one of these processes, does: the part of the time in which it works, how
many reports still wait at the end, and its seconds per million reports. A million over these is what one publisher can do
per second, however many gateways there are.
"""
import concurrent.futures
import contextlib
import glob
import itertools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from service import FRAME, SCRIPT, Service, fsync_us, load, write_frames

CONNECTIONS = (66, 510)
FRAMES_A_SECOND = {1: 200000, 100: 2500000}  # more than any of them takes: none is sent twice
EPOCHS = {"epoch": 20000, "epoch_seconds_min": 1, "epoch_reports_min": 20000}
LAG = 16  # epochs: frames of epoch 0, which all of them are, are taken for so long
DRAIN_S_MAX = 120
SETTINGS = ("listen_addresses=", "max_connections=40", "shared_buffers=128MB", "max_wal_size=2GB")


def cpu_of(pid):
    with contextlib.suppress(OSError):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


class Postgres:
    """A fresh server with the usual durability, without a network."""

    def __init__(self, programs, directory):
        self.programs, self.directory = programs, directory
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        directory.mkdir()
        if self.user:
            shutil.chown(directory, "postgres")
        self.run("initdb", "-D", directory / "data", "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8")
        words = [f"-c {setting}" for setting in (*SETTINGS, f"unix_socket_directories={directory}")]
        self.run("pg_ctl", "-D", directory / "data", "-w", "-o", " ".join(words), "-l", directory / "log", "start")
        self.pid = int((directory / "data/postmaster.pid").read_text().split()[0])
        self.url = f"postgresql:///postgres?host={directory}&user=postgres"

    def run(self, name, *words):
        subprocess.run([*self.user, self.programs / name, *words], check=True, stdout=subprocess.DEVNULL)

    def stop(self):
        self.run("pg_ctl", "-D", self.directory / "data", "-m", "immediate", "stop")

    def ask(self, sql):
        return int(subprocess.run(["psql", "-XqAt", self.url, "-c", sql], check=True, capture_output=True,
                                  text=True).stdout)

    def cpu_s(self):
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return cpu_of(self.pid) + sum(map(cpu_of, children))


def commits_of(services):
    return sum(service.metric("sottod_group_commits_total") for service in services)


def turn(services, database, spec_id, directory, frames, connections, seconds):
    """Reports per second; cores of services, of the database, of wrk; commits per second."""
    path = f"/v1/experiments/{spec_id}/reports"
    scripts = []
    for i, _ in enumerate(services):
        bodies, script = directory / f"frames{i}", directory / f"post{i}.lua"
        write_frames(bodies, spec_id, FRAMES_A_SECOND[frames] * seconds // len(services))
        script.write_text(SCRIPT.format(bodies=bodies, bytes=FRAME * frames, path=path))
        scripts.append(script)
    time.sleep(0.5)  # what was left to do is done, and all know the experiment
    commits = commits_of(services)
    before = [sum(s.cpu_s() for s in services), database.cpu_s() if database else 0]
    wrk = resource.getrusage(resource.RUSAGE_CHILDREN)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        each = [pool.submit(load, s.port, connections // len(services), seconds, script)
                for s, script in zip(services, scripts)]
        rate = sum(one.result()[0] for one in each) * frames
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = [(sum(s.cpu_s() for s in services) - before[0]) / seconds,
             ((database.cpu_s() if database else 0) - before[1]) / seconds,
             (now.ru_utime + now.ru_stime - wrk.ru_utime - wrk.ru_stime) / seconds]
    return rate, cores, (commits_of(services) - commits) / seconds


def check(database, gateways, rate, seconds):
    """What was answered is in the table."""
    there = database.ask("SELECT sum(reports) FROM sotto.journal JOIN (SELECT max(number) AS number FROM "
                         "sotto.experiment) AS e ON e.number = experiment")
    if there < rate * seconds * 0.95:
        sys.exit(f"cluster.py: {gateways} gateways answered {rate * seconds:.0f} reports, and {there} are there")


def rates(alone, gateways, database, directory, seconds, rounds):
    print("connections  frames  service      reports/s  ratio  cores: sottod  postgres   wrk  commits/s")
    series = 0
    for connections, frames in itertools.product(CONNECTIONS, FRAMES_A_SECOND):
        best = {}
        for _ in range(rounds):
            for count in range(len(gateways) + 1):
                series += 1
                services = gateways[:count] or [alone]
                spec_id = services[0].create(series)
                got = turn(services, database if count else None, spec_id, directory, frames, connections, seconds)
                if count:
                    check(database, count, got[0], seconds)
                best[count] = max(best.get(count, got), got)
        for count, (rate, cores, commits) in best.items():
            name = f"{count} gateway{'s' if count > 1 else ''}" if count else "SQLite"
            print(f"{connections:11}  {frames:6}  {name:10} {rate:11,.0f}  {rate / best[0][0]:5.2f}  {cores[0]:13.2f}  "
                  f"{cores[1]:8.2f}  {cores[2]:4.2f}  {commits:9.0f}", flush=True)


def publisher_of(gateways):
    """Models, and seconds of work."""
    return [sum(gateway.metric(f"sottod_publisher_{name}_total") for gateway in gateways)
            for name in ("publishes", "seconds")]


def waiting(gateway, spec_id):
    """Reports that are in no model yet."""
    text = gateway.ask("GET", f"/metrics?experiment={spec_id}")
    return int(re.search(rf'^sottod_experiment_waiting\{{experiment="{spec_id}"\}} (\d+)', text, re.M).group(1))


def drain(gateway, spec_id):
    """Until what came is in a model, or too little for one is left; how much that is."""
    end = time.monotonic() + DRAIN_S_MAX
    while (left := waiting(gateway, spec_id)) >= EPOCHS["epoch"]:
        if time.monotonic() > end:
            sys.exit(f"cluster.py: {left} reports wait after {DRAIN_S_MAX} s")
        time.sleep(0.2)
    return left


def folding(gateways, database, directory, seconds):
    """Epochs end while reports come."""
    print("\nepochs of 20,000 reports and 1 s at least, 100 frames a POST\n\n"
          "connections  service      reports/s  publishes  publisher at work    waiting  publisher s/million")
    seconds = min(seconds, LAG - 2)
    for connections, count in itertools.product(CONNECTIONS, (1, len(gateways))):
        services = gateways[:count]
        spec_id = services[0].create(2**20 + 16 * connections + count, {"epoch_lag_max": LAG}, **EPOCHS)
        before = publisher_of(gateways)
        rate, _, _ = turn(services, database, spec_id, directory, 100, connections, seconds)
        now, behind = publisher_of(gateways), waiting(gateways[0], spec_id)
        taken = rate * seconds - drain(gateways[0], spec_id)
        done = publisher_of(gateways)
        late = sum(s.metric("sottod_reports_late_total") for s in gateways)
        if late or done[0] == before[0]:
            sys.exit(f"cluster.py: {late:.0f} reports were late, {done[0] - before[0]:.0f} models were published")
        name = f"{count} gateway{'s' if count > 1 else ''}"
        work = (now[1] - before[1]) / seconds
        each = (done[1] - before[1]) / taken * 1e6
        print(f"{connections:11}  {name:10} {rate:11,.0f}  {now[0] - before[0]:9.0f}  {work:14.2f}  {behind:9,}  "
              f"{each:16.2f}", flush=True)


def main():
    build = pathlib.Path(sys.argv[1])
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs or not shutil.which("wrk") or not shutil.which("psql"):
        print("cluster.py: skipped: postgresql and wrk must be installed")
        return
    with tempfile.TemporaryDirectory(dir=".") as directory, contextlib.ExitStack() as stack:
        directory = pathlib.Path(directory).resolve()
        directory.chmod(0o755)  # the server is another user's
        database = Postgres(pathlib.Path(programs[-1]), directory / "pg")
        stack.callback(database.stop)
        services = []
        for i in range(4):
            services.append(Service(build / "sottod", directory / f"data{i}", *(["--journal", database.url] if i else [])))
            stack.callback(services[-1].process.wait)
            stack.callback(services[-1].process.kill)
        print(f"{os.cpu_count()} cores, one fsync of 4 KiB: {fsync_us():.0f} us\n")
        rates(services[0], services[1:], database, directory, seconds, rounds)
        folding(services[1:], database, directory, seconds)


if __name__ == "__main__":
    main()
