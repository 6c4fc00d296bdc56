#!/usr/bin/python3
"""Goodput of honest clients while somebody attacks, over goodput without, beside nginx, in one run.

    python3 bench/abuse.py BUILD [SECONDS [ROUNDS [ATTACK...]]] [--per-address on|off]

128 honest clients, each with an address and a connection of its own, send one report a POST as fast as they are
answered. An attack (tests/abuse/attack.py) comes from one other address and is bounded: its rate and its
connections are in the table below. Each turn has its own address, because an address has 28,000 ports, and those that
were used cannot be used again for a minute. The server and the honest clients share one core, the attacker has the other.
Each round has a turn in peace and a turn under attack, of sottod and of nginx, which answers 204 and has its usual
limits only; the median of the rounds' ratios counts. In peace the same attacker attacks another sottod, on its own
core, so that the rest of the machine is as busy as under attack. sottod runs with its usual limits.

There are two tables, both in research/abuse.csv: with limits for all addresses (per-address
on), as the service has them for addresses of the internet, and without (off), as behind a proxy and by default on loopback;
only then all connections of the attacker stand beside honest ones. --per-address makes one of them.

Also printed, of sottod: the answers per second of its own processor time, attack over peace, which hangs less on what
else the machine does; and what it refused in all rounds, by name. "did" is how many things a second the attacker did
come to (connections and whole requests). The last columns are of another turn, in which a new sottod is attacked and
nobody else is there: how many connections were open at its end, how much its memory grew, and how much of a core it
took.
"""
import argparse
import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from front import NGINX, free_port, wait_for, with_children
from service import Service

ROOT = pathlib.Path(__file__).parent.parent
ATTACK = ROOT / "tests/abuse/attack.py"
HONEST = 128
LEAD_S = 2  # that an attack has before goodput is counted
# {name: (connections, things a second)}
ATTACKS = {"slow-heads": (5000, 5000), "slow-bodies": (5000, 5000), "idle": (10000, 10000), "unread": (500, 2000),
           "large": (100, 2000), "headers": (200, 5000), "pipeline": (200, 2000), "refused": (200, 5000),
           "half-open": (2000, 5000)}
TURN = itertools.count()
HEAD = ("attack       connections  things/s     did  sottod peace  attack  ratio  per CPU   nginx peace  attack  ratio"
        "  alone: open   MiB more  % of a core  refused by sottod")


def cores():
    """One for the server and the honest clients, one for the attacker; the same if there is no other."""
    have = sorted(os.sched_getaffinity(0))
    return have[0], have[-1]


def pinned(core):
    return lambda: os.sched_setaffinity(0, {core})


def cpu_s(pids):
    ticks = 0
    for pid in pids:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def goodput(build, server, spec_id, seconds):
    """Answers a second, and a second of the server's processor time."""
    port, pids = server
    before = cpu_s(pids)
    text = subprocess.run([build / "bench_honest", str(port), spec_id, str(HONEST), str(seconds)], check=True,
                          capture_output=True, text=True, preexec_fn=pinned(cores()[0])).stdout
    answers = int(text.split()[0])
    return answers / seconds, answers / max(0.01, cpu_s(pids) - before)


@contextlib.contextmanager
def attacker(port, spec_id, name, seconds):
    """Attacks a port for so long, and has attacked for LEAD_S when this begins. What it did is there when this has ended."""
    connections, rate = ATTACKS[name]
    path = f"/v1/experiments/{spec_id}/"
    turn = next(TURN)
    words = [name, port, "--connections", connections, "--rate", rate, "--seconds", LEAD_S + seconds + 1, "--path",
             path + "reports", "--get", path + "model", "--core", cores()[1], "--address",
             f"127.3.{turn // 250 % 250}.{turn % 250 + 1}"]
    with subprocess.Popen([sys.executable, ATTACK, *map(str, words)], stdout=subprocess.PIPE, text=True) as process:
        time.sleep(LEAD_S)
        did = {}
        yield did
        did.update(json.loads(process.communicate()[0]))


def under_attack(build, server, victim_port, spec_id, name, seconds):
    """Goodput of a server while somebody attacks another one, or the same; and how many things a second that did."""
    with attacker(victim_port, spec_id, name, seconds) as did:
        good = goodput(build, server, spec_id, seconds)
    return (*good, (did["opened"] + did["sent"] + did["failed"]) / (LEAD_S + seconds + 1))


def alone(build, directory, flags, name, seconds):
    """Connections that a new service has at the end of an attack, by how many bytes it grew, and its share of a core."""
    service = Service(build / "sottod", directory, *flags)
    try:
        spec_id = service.create(1)
        memory, begun, before = service.memory(), time.monotonic(), service.cpu_s()
        with attacker(service.port, spec_id, name, seconds):
            time.sleep(seconds)
            spent = (service.cpu_s() - before) / (time.monotonic() - begun)
            more = service.memory() - memory
            found = re.search(r'^sottod_connections\{port="public"\} (\d+)$', service.ask("GET", "/metrics"), re.M)
        return int(found.group(1)), more, spent
    finally:
        service.process.kill()
        service.process.wait()
        shutil.rmtree(directory)


def refusals(service):
    text = service.ask("GET", "/metrics")
    return {name: int(n) for name, n in re.findall(r'^sottod_refused_(\w+)_total\{port="public"\} (\d+)$', text, re.M)}


class Table:
    """One table: sottod with these flags, and nginx."""

    def __init__(self, build, directory, flags, nginx, seconds, rounds):
        self.build, self.directory, self.flags, self.seconds, self.rounds = build, directory, flags, seconds, rounds
        self.service = Service(build / "sottod", directory / "data", *flags)
        self.decoy = Service(build / "sottod", directory / "decoy", *flags)
        os.sched_setaffinity(self.decoy.process.pid, {cores()[1]})
        self.servers = {"sottod": (self.service.port, [self.service.process.pid]), "nginx": nginx}
        self.series = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for service in (self.service, self.decoy):
            service.process.kill()
            service.process.wait()
            shutil.rmtree(service.words[2])

    def round(self, name, turns, why, did):
        self.series += 1
        spec_id = self.service.create(self.series)
        for server, at in self.servers.items():
            peace = under_attack(self.build, at, self.decoy.port, spec_id, name, self.seconds)
            before = refusals(self.service)
            good = under_attack(self.build, at, at[0], spec_id, name, self.seconds)
            turns[server].append((good[0] / peace[0], peace[0], good[0], good[1] / peace[1]))
            if server == "sottod":
                for reason, count in refusals(self.service).items():
                    why[reason] = why.get(reason, 0) + count - before[reason]
                did.append(good[2])
        self.service.ask("DELETE", f"/v1/experiments/{spec_id}")

    def row(self, name):
        turns, why, did = {server: [] for server in self.servers}, {}, []
        for _ in range(self.rounds):
            self.round(name, turns, why, did)
        row = f"{name:11}  {ATTACKS[name][0]:11,}  {ATTACKS[name][1]:8,}  {statistics.median(did):6,.0f}"
        for server in self.servers:
            ratio = statistics.median(turn[0] for turn in turns[server])
            _, peace, good, _ = min(turns[server], key=lambda turn: abs(turn[0] - ratio))
            row += f"{peace:14,.0f} {good:7,.0f}  {ratio:5.2f}"
            if server == "sottod":
                row += f"  {statistics.median(turn[3] for turn in turns[server]):7.2f}"
        standing, more, spent = alone(self.build, self.directory / "alone", self.flags, name, self.seconds)
        row += f"  {standing:11,}  {more / 2**20:9.1f}  {spent:11.0%}  "
        return row + ", ".join(f"{reason} {count:,}" for reason, count in why.items() if count)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seconds", type=int, nargs="?", default=3)
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("attacks", nargs="*", default=list(ATTACKS))
    parser.add_argument("--per-address", choices=("on", "off"))
    return parser.parse_intermixed_args()


def main():
    args = arguments()
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx:
        print("abuse.py: skipped: nginx must be installed")
        return
    with tempfile.TemporaryDirectory(dir=".") as directory:
        directory = pathlib.Path(directory).resolve()
        port = free_port()
        conf = NGINX.format(directory=directory, port=port).replace("worker_connections 4096", "worker_connections 20000")
        conf = conf.replace("keepalive_requests 1000000000", "keepalive_requests 1000")  # as usual
        (directory / "nginx.conf").write_text("worker_rlimit_nofile 20000;\n" + conf)
        os.sched_setaffinity(0, {cores()[0]})
        other = subprocess.Popen([nginx, "-p", directory, "-c", directory / "nginx.conf"], stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            for word in [args.per_address] if args.per_address else ["on", "off"]:
                print(f"`--per-address {word}`:\n\n```\n{HEAD}")
                with Table(args.build, directory, ("--per-address", word), (port, with_children(other.pid)), args.seconds,
                           args.rounds) as table:
                    for name in args.attacks:
                        print(table.row(name), flush=True)
                print("```\n", flush=True)
        finally:
            other.terminate()
            other.wait()


if __name__ == "__main__":
    main()
