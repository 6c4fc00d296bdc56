#!/usr/bin/python3
"""Goodput of honest clients while somebody attacks, over goodput without, beside nginx, in one run.

    python3 bench/abuse.py BUILD [SECONDS [ROUNDS [ATTACK...]]]

128 honest clients, each with an address and a connection of its own, send one report a POST as fast as they are
answered. An attack (tests/abuse/attack.py) comes from one other address and is bounded: its rate and its
connections are in the table below. The server and the honest clients share one core, the attacker has the other.
Each round has a turn in peace and a turn under attack, of sottod and of nginx, which answers 204 and has its usual
limits only; the median of the rounds' ratios counts. In peace the same attacker attacks another sottod, on its own
core, so that the rest of the machine is as busy as under attack. sottod runs with its usual limits, for all addresses
(per-address on), since loopback would be left out. Also printed, of sottod: the answers per second of its own processor
time, attack over peace, which hangs less on what else the machine does; how much its memory grew; and what it refused
in all rounds, by name. "did" is how many things a second the attacker did come to (connections and whole requests).
"""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from front import NGINX, free_port, wait_for, with_children
from service import Service

ROOT = pathlib.Path(__file__).parent.parent
ATTACK = ROOT / "tests/abuse/attack.py"
HONEST = 128
LEAD_S = 2  # that an attack has before goodput is counted
# {name: (connections, things a second)}
ATTACKS = {"slow-heads": (5000, 5000), "slow-bodies": (5000, 5000), "idle": (10000, 10000), "unread": (500, 2000),
           "large": (100, 2000), "headers": (200, 5000), "pipeline": (200, 2000), "refused": (200, 5000)}


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


def under_attack(build, server, victim_port, spec_id, name, seconds):
    """Goodput of a server while somebody attacks another one, or the same; and how many things a second that did."""
    connections, rate = ATTACKS[name]
    path = f"/v1/experiments/{spec_id}/"
    with subprocess.Popen([sys.executable, ATTACK, name, str(victim_port), "--connections", str(connections), "--rate", str(rate),
                           "--seconds", str(LEAD_S + seconds + 1), "--path", path + "reports", "--get", path + "model",
                           "--core", str(cores()[1])], stdout=subprocess.PIPE, text=True) as attacker:
        subprocess.run(["sleep", str(LEAD_S)], check=True)
        good = goodput(build, server, spec_id, seconds)
        did = json.loads(attacker.communicate()[0])
        return (*good, (did["opened"] + did["sent"] + did["failed"]) / (LEAD_S + seconds + 1))


def refusals(service):
    text = service.ask("GET", "/metrics")
    return {name: int(n) for name, n in re.findall(r'^sottod_refused_(\w+)_total\{port="public"\} (\d+)$', text, re.M)}


def main():
    build = pathlib.Path(sys.argv[1])
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    names = sys.argv[4:] or list(ATTACKS)
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx:
        print("abuse.py: skipped: nginx must be installed")
        return
    with tempfile.TemporaryDirectory(dir=".") as folder:
        folder = pathlib.Path(folder).resolve()
        port = free_port()
        conf = NGINX.format(folder=folder, port=port).replace("worker_connections 4096", "worker_connections 20000")
        conf = conf.replace("keepalive_requests 1000000000", "keepalive_requests 1000")  # as usual
        (folder / "nginx.conf").write_text("worker_rlimit_nofile 20000;\n" + conf)
        os.sched_setaffinity(0, {cores()[0]})
        other = subprocess.Popen([nginx, "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
        service = Service(build / "sottod", folder / "data", "--per-address", "on")
        decoy = Service(build / "sottod", folder / "decoy", "--per-address", "on")
        os.sched_setaffinity(decoy.process.pid, {cores()[1]})
        try:
            wait_for(port)
            servers = {"sottod": (service.port, [service.process.pid]), "nginx": (port, with_children(other.pid))}
            print("attack       connections  things/s     did  sottod peace  attack  ratio  per CPU   nginx peace  attack  ratio  MiB more  refused by sottod")
            series = 0
            for name in names:
                turns, more, why, did = {"sottod": [], "nginx": []}, 0, {}, []
                for _ in range(rounds):
                    series += 1
                    spec_id = service.create(series)
                    for server, at in servers.items():
                        peace = under_attack(build, at, decoy.port, spec_id, name, seconds)
                        before, memory = refusals(service), service.memory()
                        good = under_attack(build, at, at[0], spec_id, name, seconds)
                        turns[server].append((good[0] / peace[0], peace[0], good[0], good[1] / peace[1]))
                        if server == "sottod":
                            more = max(more, service.memory() - memory)
                            for reason, count in refusals(service).items():
                                why[reason] = why.get(reason, 0) + count - before[reason]
                            did.append(good[2])
                    service.ask("DELETE", f"/v1/experiments/{spec_id}")
                row = f"{name:11}  {ATTACKS[name][0]:11,}  {ATTACKS[name][1]:8,}  {statistics.median(did):6,.0f}"
                for server in servers:
                    ratio = statistics.median(turn[0] for turn in turns[server])
                    _, peace, good, _ = min(turns[server], key=lambda turn: abs(turn[0] - ratio))
                    row += f"{peace:14,.0f} {good:7,.0f}  {ratio:5.2f}"
                    if server == "sottod":
                        row += f"  {statistics.median(turn[3] for turn in turns[server]):7.2f}"
                print(row, f"{more / 2**20:8.1f}  " + ", ".join(f"{n} {c:,}" for n, c in why.items() if c), flush=True)
        finally:
            service.process.kill()
            decoy.process.kill()
            other.terminate()
            service.process.wait()
            decoy.process.wait()
            other.wait()


if __name__ == "__main__":
    main()
