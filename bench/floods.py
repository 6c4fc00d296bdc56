#!/usr/bin/python3
"""Epochs that end per second for honest people, while somebody without a key floods the service.

    python3 bench/floods.py BUILD [SECONDS [CSV]]

Honest people send 30 reports a second to an experiment whose epochs have 20 reports and last a second at least. Two
connections send as fast as they are answered: copies of one frame, or frames of epoch 0, which are late, to the same
experiment; frames of known nonces with other bytes to another experiment, whose epoch never ends; frames of another
experiment, which are refused; or GET /healthz. Over SQLite, and over PostgreSQL with two processes; the flood goes to
both of them.
"""
import concurrent.futures
import contextlib
import csv
import glob
import http.client
import itertools
import multiprocessing
import os
import pathlib
import shutil
import sys
import tempfile
import time

import cluster
from experiments import LEARNING, People, wait_until_ready
from service import Service

FRAMES = 5000  # in a body
TERMS = {"dim": 2, "arms": 3, "epoch_lag_max": 1}
COLUMNS = ("store", "flood", "requests/s", "epochs", "seconds")


def frames(spec_id, nonces, index=0):
    head = b"STR1" + bytes.fromhex(spec_id) + bytes(4)
    return b"".join(head + nonce + bytes([index, 0]) for nonce in nonces)


def bodies(flood, victim, other):
    """The experiment and the bodies that are sent to it, over and over again."""
    nonces = [os.urandom(16) for _ in range(FRAMES)]
    return {"copies": (victim, [frames(victim, nonces[:1] * FRAMES)]),
            "late": (victim, [frames(victim, nonces)]),
            "conflicting": (other, [frames(other, nonces, index) for index in range(64)]),
            "foreign": (victim, [frames(other, nonces)])}[flood]


def attack(port, flood, victim, other, stop, sent):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    target, texts = (None, [None]) if flood == "GET /healthz" else bodies(flood, victim, other)
    for text in itertools.cycle(texts):
        if stop.is_set():
            return
        if text is None:
            connection.request("GET", "/healthz")
        else:
            connection.request("POST", f"/v1/experiments/{target}/reports", text, {"Content-Type": "application/octet-stream"})
        connection.getresponse().read()
        with sent.get_lock():
            sent.value += 1


def epochs_beside(flood, services, victim, other, seconds):
    """Epochs that ended, and requests per second of the flood."""
    people, stop, sent = People(services, [victim]), multiprocessing.Event(), multiprocessing.Value("q", 0)
    attackers = [multiprocessing.Process(target=attack, args=(services[i % len(services)].port, flood, victim, other, stop, sent))
                 for i in range(2)] if flood != "none" else []
    connection = http.client.HTTPConnection("127.0.0.1", services[0].port, timeout=60)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(people.run, 0)
        while people.epoch(connection, victim) < 3:  # epoch 0 is late from now on
            time.sleep(0.2)
        for attacker in attackers:
            attacker.start()
        time.sleep(2)
        before, sent_before = people.epoch(connection, victim), sent.value
        time.sleep(seconds)
        epochs, requests = people.epoch(connection, victim) - before, sent.value - sent_before
        stop.set()
        people.stop.set()
        work.result()
    for attacker in attackers:
        attacker.join()
    return epochs, requests / seconds


def measure(store, services, seconds):
    for service in services:
        wait_until_ready(service)
    for number, flood in enumerate(("none", "copies", "late", "conflicting", "foreign", "GET /healthz")):
        victim = services[0].create(2 * number, TERMS, **LEARNING)
        other = services[0].create(2 * number + 1, TERMS, **{**LEARNING, "epoch": 10 ** 6})
        time.sleep(1)
        epochs, requests_s = epochs_beside(flood, services, victim, other, seconds)
        yield dict(zip(COLUMNS, (store, flood, f"{requests_s:.0f}", epochs, seconds)))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    rows = []
    with tempfile.TemporaryDirectory(dir=".") as directory, contextlib.ExitStack() as stack:
        directory = pathlib.Path(directory).resolve()
        directory.chmod(0o755)  # the database server is another user's

        def start(name, *flags):
            service = Service(build / "sottod", directory / name, *flags)
            stack.callback(service.process.wait)
            stack.callback(service.process.kill)
            return service

        stores = [("SQLite", lambda: [start("alone")])]
        if programs and shutil.which("psql"):
            database = cluster.Postgres(pathlib.Path(programs[-1]), directory / "pg")
            stack.callback(database.stop)
            stores.append(("PostgreSQL", lambda: [start(name, "--journal", database.url) for name in ("one", "two")]))
        print("store       flood          requests/s  epochs  seconds")
        for store, make in stores:
            for row in measure(store, make(), seconds):
                rows.append(row)
                print("{store:11} {flood:14} {requests/s:>10} {epochs:7} {seconds:8}".format(**row), flush=True)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
