#!/usr/bin/python3
"""Requests per second of the front beside nginx answering 204, and processor time per request.

    python3 bench/front.py BUILD [SECONDS [ROUNDS]]

Both get the same load from wrk: POSTs of 42 bytes on 64 and on 512 connections that stay open. Their
turns alternate, and the best turn of each counts, so that a busy moment of the machine hurts neither.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

NGINX = """
worker_processes 1;
daemon off;
pid {directory}/pid;
error_log {directory}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{ return 204; }}
    }}
}}
"""
SCRIPT = """
wrk.method = "POST"
wrk.body = string.rep("x", 42)
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"front.py: nobody listens on port {port}")


def processor_us(pids):
    """Time that these processes have taken so far."""
    ticks = 0
    for pid in pids:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(words[11]) + int(words[12])
    return ticks * 1e6 / os.sysconf("SC_CLK_TCK")


def with_children(pid):
    return [pid, *pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def load(server, connections, seconds, script):
    """Requests per second, the 99th percentile in ms, and processor time in us per request."""
    port, pids = server
    before = processor_us(pids)
    text = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
         f"http://127.0.0.1:{port}/v1/experiments/0123456789abcdef/reports"],
        check=True, capture_output=True, text=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    broken = re.search(r"Socket errors: (.*)", text)
    if bad or broken:
        sys.exit(f"front.py: {(bad or broken).group(0)}")
    requests = int(re.search(r"(\d+) requests in", text).group(1))
    p99 = float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]
    return rate, p99, (processor_us(pids) - before) / requests


def main():
    build = pathlib.Path(sys.argv[1])
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx or not shutil.which("wrk"):
        print("front.py: skipped: nginx and wrk must be installed")
        return
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        (directory / "post.lua").write_text(SCRIPT)
        port = free_port()
        (directory / "nginx.conf").write_text(NGINX.format(directory=directory, port=port))
        other = subprocess.Popen([nginx, "-p", directory, "-c", directory / "nginx.conf"],
                                 stderr=subprocess.DEVNULL)
        front = subprocess.Popen([build / "bench_front"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        try:
            wait_for(port)
            servers = {"nginx": (port, with_children(other.pid)),
                       "front": (int(front.stdout.readline()), [front.pid])}
            print("connections  server  requests/s  p99 ms  processor us per request")
            for connections in (64, 512):
                best = {}
                for _ in range(rounds):
                    for name, server in servers.items():
                        turn = load(server, connections, seconds, directory / "post.lua")
                        best[name] = max(best.get(name, turn), turn)
                for name, (rate, p99, us) in best.items():
                    print(f"{connections:11}  {name:6}  {rate:10,.0f}  {p99:6.2f}  {us:6.2f}")
                print(f"{connections:11}  ratio   {best['front'][0] / best['nginx'][0]:10.2f}")
        finally:
            front.stdin.close()
            other.terminate()
            front.wait()
            other.wait()


if __name__ == "__main__":
    main()
