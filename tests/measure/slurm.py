#!/usr/bin/env python3
"""The recipe of docs/lab.md for Slurm, on a Slurm of its own: one host, daemons that end with this script, and all their
files in a temporary directory. First as it stands there; then with a shard that is killed midway and run again by the number
that `sotto merge` names. What is merged is compared with what one machine writes. Installs Debian's slurm-wlm."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from measure import ROOT, Row, arguments, finish

CONFIG = """ClusterName=sotto
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=shards Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def recipe(word):
    """The block of code with this word in it of the section of docs/lab.md."""
    with open(os.path.join(ROOT, "docs/lab.md"), encoding="utf-8") as file:
        section = file.read().split("## On many machines\n")[1].split("\n## ")[0]
    found = [block for block in re.findall(r"(?:^    .*\n)+", section, re.M) if word in block]
    if len(found) != 1:
        sys.exit(f"docs/lab.md, On many machines: {len(found)} blocks with {word}, not 1")
    return re.sub("^    ", "", found[0], flags=re.M)


def options(text):
    """Those of the sweep of a recipe."""
    return re.search(r"(?s)sotto simulate (.*?) --threads", text).group(1).replace("\\\n", " ").split()


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Slurm:
    """Three daemons in a directory. What they print is in NAME.log there."""

    def __init__(self, directory, sotto):
        self.directory, self.daemons = directory, []
        for name in ("state", "spool", "bin", "work"):
            os.mkdir(os.path.join(directory, name))
        os.symlink(sotto, os.path.join(directory, "bin/sotto"))
        config = os.path.join(directory, "slurm.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(host=socket.gethostname().split(".")[0], user=self.user(), directory=directory,
                                     ports=free_ports(2)))
        with open(os.path.join(directory, "cgroup.conf"), "w", encoding="utf-8") as file:
            file.write("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        self.environment = {**os.environ, "SLURM_CONF": config, "PATH": f"{directory}/bin:/usr/sbin:{os.environ['PATH']}"}

    @staticmethod
    def user():
        return subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()

    def path(self, name):
        return os.path.join(self.directory, name)

    def start(self, *line):
        with open(self.path(os.path.basename(line[0]) + ".log"), "w", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen(line, stdout=log, stderr=log, env=self.environment))

    def __enter__(self):
        with open(self.path("munge.key"), "wb") as key:
            os.fchmod(key.fileno(), 0o600)
            key.write(os.urandom(1024))
        os.chmod(self.directory, 0o755)  # munged wants it so; the key is for its owner alone
        self.start("munged", "--foreground", "--force", f"--key-file={self.path('munge.key')}",
                   f"--socket={self.path('munge.socket')}", f"--pid-file={self.path('munge.pid')}",
                   f"--seed-file={self.path('munge.seed')}", f"--log-file={self.path('munge.log')}")
        while not os.path.exists(self.path("munge.socket")):
            self.check()
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D", "-N", socket.gethostname().split(".")[0])
        for _ in range(600):
            if "idle" in self.run("sinfo", "--noheader", "--format=%T").stdout:
                return self
            self.check()
        self.give_up("no node is idle after a minute")
        return None

    def check(self):
        time.sleep(0.1)
        for daemon in self.daemons:
            if daemon.poll() is not None:
                self.give_up(f"{daemon.args[0]} ended")

    def give_up(self, why):
        for name in sorted(os.listdir(self.directory)):
            if name.endswith(".log"):
                with open(self.path(name), encoding="utf-8", errors="replace") as file:
                    print(f"--- {name}\n" + "".join(file.readlines()[-15:]), file=sys.stderr)
        self.__exit__()
        sys.exit(f"slurm.py: {why}")

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def run(self, *line):
        return subprocess.run(line, cwd=self.path("work"), env=self.environment, capture_output=True, text=True, check=False)


def same_rows(slurm, wanted):
    try:
        with open(slurm.path("work/rows.csv"), encoding="utf-8") as file:
            return file.read() == wanted
    except OSError:
        return False


def as_it_stands(slurm, sotto):
    text = recipe("sbatch")
    begun = time.monotonic()
    done = slurm.run("sh", "-eu", "-c", text)
    took = time.monotonic() - begun
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
    wanted = subprocess.run([sotto, "simulate", *options(text), "--quiet"], check=True, capture_output=True, text=True).stdout
    good = done.returncode == 0 and same_rows(slurm, wanted)
    return Row("an array job of 8 shards, merged", "the bytes of one machine", f"{'the same' if good else 'others'}, {took:.0f} s",
               good)


def with_a_kill(slurm, sotto):
    """Shard 3 is killed when some of its rows are there."""
    sweep = "--method sotto,ldp-sgd --dim 5 --arms 4 --horizon 3e4 --seeds 24"
    with open(slurm.path("work/long.sh"), "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec sotto simulate {sweep} --threads 1 --quiet --shard $SLURM_ARRAY_TASK_ID/4 "
                   "--out long$SLURM_ARRAY_TASK_ID.csv\n")
    job = slurm.run("sbatch", "--parsable", "--array=1-4", "long.sh").stdout.strip()
    part = slurm.path("work/long3.csv")
    while not os.path.exists(part) or os.path.getsize(part) < 3000:
        slurm.check()
    slurm.run("scancel", "--signal=KILL", "--full", f"{job}_3")
    while slurm.run("squeue", "--noheader", "--jobs", job).stdout.strip():
        slurm.check()
    merge = ("sh", "-c", "sotto merge long*.csv --out rows.csv")
    refused = slurm.run(*merge)
    named = re.search(r"shard (\d+) of 4 is not finished", refused.stderr)
    rows = [Row("a shard that Slurm killed", "refused by its number", refused.stderr.strip().rpartition("\n")[2],
                refused.returncode == 1 and named is not None and named.group(1) == "3")]
    again = named.group(1) if named else "1-4"
    slurm.run("sbatch", "--wait", f"--array={again}", "long.sh")
    done = slurm.run(*merge)
    wanted = subprocess.run([sotto, "simulate", *sweep.split(), "--quiet"], check=True, capture_output=True, text=True).stdout
    good = done.returncode == 0 and same_rows(slurm, wanted)
    return rows + [Row("the same, run again alone, merged", "the bytes of one machine", "the same" if good else "others", good)]


def main():
    args = arguments(__doc__)
    if shutil.which("sbatch") is None:
        subprocess.run([os.path.join(ROOT, "packaging/deps.sh"), "slurm"], check=True)
    sotto = os.path.abspath(args.sotto)
    with tempfile.TemporaryDirectory() as directory, Slurm(directory, sotto) as slurm:
        rows = [as_it_stands(slurm, sotto), *with_a_kill(slurm, sotto)]
    finish(args, rows)


if __name__ == "__main__":
    main()
