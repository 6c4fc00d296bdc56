#!/usr/bin/python3
"""Rounds per second of devices over HTTP and https, and how fast the fleet itself can be.

    python3 bench/device.py BUILD [PEOPLE [ROUNDS]]

The stand-in is an nginx that serves terms and model as files and answers 204 to every report: it has no disk to wait
for. First one device at a time and many at once, at the stand-in and at sottod, each without and with TLS, which for
sottod is an nginx in front of it. Then `sotto fleet` at the stand-in beside the same at sottod. Turns alternate, and
the best turn of each counts. Processor time is that of each process, so it shows who is the limit.
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.request

from front import free_port, processor_us, wait_for, with_children
from service import Service, fsync_us

SPEC = {"reward_kind": "continuous", "dim": 5, "arms": 4, "epsilon": 1, "epoch_lag_max": 1,
        "reward_window_s": 0, "send_spread_s": 0}
LEARNING = {"epoch_seconds_min": 31536000}
# The proxy of docs/operations.md, and the stand-in; one process each, as sottod is one. The
# user counts only if this is root, whose files its process could not read otherwise.
NGINX = """
user root;
worker_processes 1;
daemon off;
pid {directory}/{name}.pid;
error_log {directory}/{name}.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_max_body_size 1m;
    client_body_buffer_size 1m;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    {server}
}}
"""
TLS = """
    upstream sottod {{ server 127.0.0.1:{upstream}; keepalive 64; keepalive_requests 1000000000; }}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {directory}/cert.pem;
        ssl_certificate_key {directory}/key.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache off;
        ssl_session_tickets off;
        location / {{
            proxy_pass http://sottod;
            proxy_http_version 1.1;
            proxy_pass_request_headers off;
            proxy_set_header Connection "";
            proxy_set_header Content-Type $http_content_type;
            proxy_set_header If-None-Match $http_if_none_match;
        }}
    }}
"""
STAND_IN = """
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        listen 127.0.0.1:{port_tls} ssl backlog=4096;
        ssl_certificate {directory}/cert.pem;
        ssl_certificate_key {directory}/key.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache off;
        ssl_session_tickets off;
        root {directory}/files;
        location = {path}/reports {{ return 204; }}
        location = {path}/model {{ if ($http_if_none_match) {{ return 304; }} }}
        location / {{ }}
    }}
"""


class Nginx:
    def __init__(self, directory, name, server, **words):
        self.port, self.port_tls = free_port(), free_port()
        text = server.format(directory=directory, port=self.port, port_tls=self.port_tls, **words)
        text = NGINX.format(directory=directory, name=name, server=text)
        (directory / f"{name}.conf").write_text(text)
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        self.process = subprocess.Popen([program, "-p", directory, "-c", directory / f"{name}.conf"],
                                        stderr=subprocess.DEVNULL)

    def cpu_us(self):
        return processor_us(with_children(self.process.pid))

    def __enter__(self):
        wait_for(self.port)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Place:
    """An experiment of sottod, and its copy at the stand-in."""

    def __init__(self, service, directory):
        self.service = service
        self.series = 0
        self.path = None
        (directory / "files").mkdir()
        self.files = directory / "files"

    def create(self):
        self.series += 1
        body = {"spec": {**SPEC, "series": self.series}, "learning": LEARNING}
        self.path = "/v1/experiments/" + json.loads(self.service.ask("POST", "/v1/experiments", body))["id"]
        return self.path

    def copy(self):
        directory = self.files / self.path[1:]
        directory.mkdir(parents=True)
        for leaf in ("terms", "model"):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.service.port}{self.path}/{leaf}") as answer:
                (directory / leaf).write_bytes(answer.read())


def certificate(directory):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", directory / "key.pem", "-out", directory / "cert.pem", "-days", "2", "-subj",
                    "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)


def better(turn, best):
    """Each figure by itself: both are times, and a busy moment makes either longer."""
    return turn if best is None else tuple(min(pair) for pair in zip(turn, best))


def devices(build, directory, servers, rounds):
    """Microseconds per round, by the clock and of the device's processor time. `servers`: name, URL, URL of https."""
    best = {}
    for _ in range(rounds):
        for name, *urls in servers:
            for scheme, url in enumerate(urls):
                words = [build / "bench_device", "wire", url, directory] + [directory / "cert.pem"] * scheme
                text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
                for line in text.splitlines():
                    what, wall, cpu = line.rsplit(None, 2)
                    key = (what, name, scheme)
                    best[key] = better((float(wall), float(cpu)), best.get(key))
    each = f"{'us':>7} {'CPU us':>7} {'rounds/s':>8}"
    print(f"{'':44}            {'http':>24}  {'https':>24}  {'https / http':>12}")
    print(f"{'devices':44}  {'server':8}  {each}  {each}  {'us':>5} {'CPU':>6}")
    for what, name in dict.fromkeys(key[:2] for key in best):
        (wall, cpu), (wall_tls, cpu_tls) = best[what, name, 0], best[what, name, 1]
        print(f"{what:44}  {name:8}  {wall:7.0f} {cpu:7.1f} {1e6 / wall:8,.0f}  "
              f"{wall_tls:7.0f} {cpu_tls:7.1f} {1e6 / wall_tls:8,.0f}  "
              f"{wall_tls / wall:5.2f} {cpu_tls / cpu:6.2f}", flush=True)


def fleet(build, url, people, batch, admin):
    """Reports per second, and the fleet's processor time in us per report."""
    words = [build / "sotto", "fleet", url, "--people", str(people), "--batch", str(batch), "--json", "--quiet", *admin]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"device.py: {process.stderr.read().decode()}")
    told = json.loads(text)
    if told["acknowledged"] != people:
        sys.exit(f"device.py: {told['acknowledged']} of {people} reports were acknowledged")
    return told["reports_per_s"], (usage.ru_utime + usage.ru_stime) * 1e6 / people


def fleets(build, directory, place, people, rounds):
    print(f"\n{'batch':>5}  {'server':10} {'reports/s':>10}  {'CPU us per report: fleet':>24}  {'server':>7}")
    service = place.service
    admin = ["--admin", f"http://127.0.0.1:{service.admin}", "--token-file", directory / "data" / "reader.token"]
    for batch, count in ((1, people), (100, 4 * people)):
        best = {}
        for i in range(rounds):
            path = place.create()
            place.copy()
            with Nginx(directory, f"stand-in-{batch}-{i}", STAND_IN, path=path) as stand_in:
                turns = (("stand-in", stand_in.port, stand_in.cpu_us, []),
                         ("sottod", service.port, lambda: service.cpu_s() * 1e6, admin))
                for name, port, cpu_us, more in turns:
                    before = cpu_us()
                    rate, cpu = fleet(build, f"http://127.0.0.1:{port}{path}", count, batch, more)
                    turn = (1 / rate, cpu, (cpu_us() - before) / count)
                    best[name] = better(turn, best.get(name))
        for name, (each, cpu, server) in best.items():
            print(f"{batch:5}  {name:10} {1 / each:10,.0f}  {cpu:24.2f}  {server:7.2f}")
        ratio = [a / b if b else math.nan for a, b in zip(best["stand-in"], best["sottod"])]
        print(f"{batch:5}  {'ratio':10} {1 / ratio[0]:10.2f}  {ratio[1]:24.2f}  {ratio[2]:7.2f}", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    people = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    if not (shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")) or not shutil.which("openssl"):
        print("device.py: skipped: nginx and openssl must be installed")
        return
    with tempfile.TemporaryDirectory(dir=".") as directory:
        directory = pathlib.Path(directory).resolve()
        certificate(directory)
        service = Service(build / "sottod", directory / "data")
        try:
            print(f"one fsync of 4 KiB: {fsync_us():.0f} us\n")
            place = Place(service, directory)
            path = place.create()
            place.copy()
            with (Nginx(directory, "tls", TLS, upstream=service.port) as proxy,
                  Nginx(directory, "stand-in", STAND_IN, path=path) as stand_in):
                ports = {"stand-in": (stand_in.port, stand_in.port_tls), "sottod": (service.port, proxy.port)}
                devices(build, directory,
                        [(name, f"http://127.0.0.1:{plain}{path}", f"https://127.0.0.1:{secure}{path}")
                         for name, (plain, secure) in ports.items()], rounds)
            fleets(build, directory, place, people, rounds)
        finally:
            service.process.kill()
            service.process.wait()


if __name__ == "__main__":
    main()
