#!/usr/bin/python3
"""Durable reports per second of sottod beside nginx answering 204, in the same run.

    python3 bench/service.py BUILD [SECONDS [ROUNDS]]

Both get the same bodies from wrk, 1 or 100 frames of 42 bytes a POST, on 64 and on 512 connections that
stay open; every frame has a nonce of its own, and sottod has each on the disk before it answers. Their turns
alternate, and the best turn of each counts. Then: what a publish costs, and a restart per million reports, and
what an experiment costs in memory. Prints the time of one fsync at the moment, which all of it hangs on.
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from front import NGINX, free_port, wait_for

FRAME = 42
SPEC = {"reward_kind": "continuous", "dim": 5, "arms": 4, "epsilon": 1, "epoch_lag_max": 1}
# One epoch for all: its reports are never late.
LEARNING = {"epoch_seconds_min": 31536000}
# Each request takes the next bodies of the file, from the place that the turn begins at.
SCRIPT = """
local file = io.open("{bodies}", "rb")
local data = file:read("*a")
file:close()
local at, step = 1, {bytes}
local path = "{path}"
local headers = {{ ["Content-Type"] = "application/octet-stream" }}
function request()
    local body = data:sub(at, at + step - 1)
    at = at + step
    if at > #data then at = 1 end
    return wrk.format("POST", path, headers, body)
end
"""


def fsync_us():
    with tempfile.NamedTemporaryFile(dir=".") as file:
        took = []
        for _ in range(100):
            file.write(bytes(4096))
            file.flush()
            start = time.perf_counter()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - start)
    return statistics.median(took) * 1e6


class Service:
    def __init__(self, sottod, directory, *flags):
        self.words = [sottod, "--data", directory, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                      "--nonces-max", "100000000", "--log-level", "warning", *flags]
        self.start()

    def start(self):
        begun = time.monotonic()
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, text=True)
        place = {}
        for _ in range(3):
            name, _, value = self.process.stdout.readline().strip().partition(" ")
            place[name] = value.strip()
        self.port, self.admin = (int(place[name].rpartition(":")[2]) for name in ("public", "admin"))
        self.token = pathlib.Path(place["token"]).read_text().strip()
        return time.monotonic() - begun

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=60)
        connection.request(method, path, body and json.dumps(body),
                           {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        if answer.status >= 300:
            sys.exit(f"service.py: {method} {path}: {answer.status} {text}")
        return text

    def create(self, series, spec=None, **learning):
        body = {"spec": {**SPEC, **(spec or {}), "series": series}, "learning": {**LEARNING, **learning}}
        return json.loads(self.ask("POST", "/v1/experiments", body))["id"]

    def metric(self, name):
        """Over all experiments."""
        text = self.ask("GET", "/metrics")
        return sum(float(n) for n in re.findall(rf"^{name}(?:{{\S*)? (\S+)$", text, re.M))

    def folded(self):
        return int(self.metric("sottod_reports_folded_total"))

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024


def write_frames(path, spec_id, count):
    """Frames of epoch 0 as devices send them: magic, id, epoch, nonce, index."""
    head = b"STR1" + bytes.fromhex(spec_id) + bytes(4)
    with open(path, "wb") as file:
        nonces = os.urandom(16 * count)
        file.write(b"".join(head + nonces[i:i + 16] + bytes([nonces[i] & 63, 0])
                            for i in range(0, 16 * count, 16)))


def load(port, connections, seconds, script):
    """Requests per second, p50 and p99 in ms."""
    text = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
                           f"http://127.0.0.1:{port}/"], check=True, capture_output=True, text=True).stdout
    trouble = re.search(r"Non-2xx or 3xx responses: \d+|Socket errors: .*", text)
    if trouble:
        sys.exit(f"service.py: {trouble.group(0)}")
    unit = {"us": 1e-3, "ms": 1, "s": 1e3}
    times = dict((share, float(n) * unit[u]) for share, n, u in re.findall(r"(\d+)%\s+([\d.]+)(us|ms|s)\b", text))
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)), times["50"], times["99"]


def rates(service, nginx_port, directory, seconds, rounds):
    print("connections  frames  server  requests/s   reports/s  p50 ms  p99 ms  CPU us/report")
    series = 0
    # Enough frames that none is sent twice: a turn of one second is enough where a POST has many.
    for frames, seconds, count in ((1, seconds, 200000 * seconds), (100, 1, 2500000)):
        for connections in (64, 512):
            best = {}
            for _ in range(rounds):
                series += 1
                spec_id = service.create(series)
                write_frames(directory / "frames", spec_id, count)
                (directory / "post.lua").write_text(SCRIPT.format(
                    bodies=directory / "frames", bytes=FRAME * frames, path=f"/v1/experiments/{spec_id}/reports"))
                for name, port in (("nginx", nginx_port), ("sottod", service.port)):
                    before, cpu = service.folded(), service.cpu_s()
                    rate, p50, p99 = load(port, connections, seconds, directory / "post.lua")
                    taken = service.folded() - before
                    each = (service.cpu_s() - cpu) / taken * 1e6 if taken else float("nan")
                    turn = (rate, p50, p99, each, taken / seconds)
                    best[name] = max(best.get(name, turn), turn)
            for name, (rate, p50, p99, each, taken) in best.items():
                last = f"{each:13.2f}" if name == "sottod" else ""
                reports = f"{taken:11,.0f}" if name == "sottod" else " " * 11
                print(f"{connections:11}  {frames:6}  {name:6}  {rate:10,.0f} {reports}  {p50:6.2f}  {p99:6.2f}  {last}")
            print(f"{connections:11}  {frames:6}  ratio   {best['sottod'][0] / best['nginx'][0]:10.2f}", flush=True)


def publish(service, directory, count=1000000):
    """One epoch of so many reports: none can end while they come."""
    spec_id = service.create(999999, epoch_seconds_min=10)
    write_frames(directory / "frames", spec_id, count)
    before, began = service.folded(), service.metric("sottod_publish_seconds_total")
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    with open(directory / "frames", "rb") as file:
        while body := file.read(24000 * FRAME):
            connection.request("POST", f"/v1/experiments/{spec_id}/reports", body,
                               {"Content-Type": "application/octet-stream"})
            if connection.getresponse().read():
                sys.exit("service.py: reports were refused")
    if service.folded() - before != count or service.metric("sottod_publishes_total"):
        sys.exit("service.py: the epoch is not what it should be")
    while not service.metric("sottod_publishes_total"):
        time.sleep(0.5)
    time.sleep(1)
    took = service.metric("sottod_publish_seconds_total") - began
    print(f"\npublish: {took * 1e3:.0f} ms for an epoch of {count:,} reports, with its snapshot")


def restart(service):
    count = service.folded()
    service.process.send_signal(signal.SIGKILL)
    service.process.wait()
    took = service.start()
    if service.folded() != count:
        sys.exit(f"service.py: {count} reports before kill -9, {service.folded()} after")
    print(f"restart after kill -9: {took:.2f} s for {count:,} reports, {took / count * 1e6:.2f} s per million")


def experiments(service, count=300):
    """Of a service that has done nothing else."""
    before = service.memory()
    for i in range(count):
        service.create(1000000 + i)
    print(f"memory: {(service.memory() - before) / count / 1024:.1f} KiB per experiment (dim 5, 4 arms), {count} of them")


def main():
    build = pathlib.Path(sys.argv[1])
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx or not shutil.which("wrk"):
        print("service.py: skipped: nginx and wrk must be installed")
        return
    with tempfile.TemporaryDirectory(dir=".") as directory:
        directory = pathlib.Path(directory).resolve()
        port = free_port()
        (directory / "nginx.conf").write_text(NGINX.format(directory=directory, port=port))
        other = subprocess.Popen([nginx, "-p", directory, "-c", directory / "nginx.conf"], stderr=subprocess.DEVNULL)
        service = Service(build / "sottod", directory / "data")
        try:
            wait_for(port)
            print(f"one fsync of 4 KiB: {fsync_us():.0f} us\n")
            rates(service, port, directory, seconds, rounds)
            publish(service, directory)
            restart(service)
            service.process.kill()
            service.process.wait()
            service = Service(build / "sottod", directory / "other")
            experiments(service)
        finally:
            service.process.kill()
            other.terminate()
            service.process.wait()
            other.wait()


if __name__ == "__main__":
    main()
