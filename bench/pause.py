#!/usr/bin/python3
"""The longest /healthz of sottod, seen from outside, while it does what takes long.

    python3 bench/pause.py BUILD [NONCES_LOG2 [OPEN_REPORTS]]

A process of its own asks every 2 ms, on a connection that stays open. Of all its requests the table has the longest
three, and the most processor time that the serving thread took during one of them: on a busy machine a request also
waits for a processor. By default the set of nonces grows to 2^23, and the service is killed with 2,000,000 open reports.
In the first row nobody else asks for anything. BUILD/pause.csv has all rows.
"""
import csv
import datetime
import hashlib
import http.client
import json
import multiprocessing
import os
import pathlib
import sqlite3
import struct
import sys
import tempfile
import threading
import time

from front import free_port
from service import FRAME, Service, write_frames

EVERY_S = 0.002
DAY_S = 24 * 3600
WEEK_S = 7 * DAY_S
ROWS = []  # of the table


def worked_ms(pid):
    """Processor time of the thread that serves, which is the first one."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e6
    except (OSError, IndexError):
        return 0


def hurry():
    """Before everybody else, if allowed. Otherwise the service works on between its answer and the reading of it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        pass


def probe(port, pid, stop, found):
    """Asks until it is told to stop; puts the longest times and the most work, in ms, and how often it asked."""
    hurry()
    times, work, connection = [], 0, None
    while not stop.is_set():
        before, began = worked_ms(pid.value), time.perf_counter()
        try:
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            answer.read()
            times.append(1e3 * (time.perf_counter() - began))
            work = max(work, worked_ms(pid.value) - before if before else 0)
        except (OSError, http.client.HTTPException):
            if connection.sock is not None:  # it was there, and gave no answer
                times.append(1e3 * (time.perf_counter() - began))
            connection = None
        time.sleep(EVERY_S)
    found.put((sorted(times)[-3:][::-1], work, len(times)))


class Watched:
    """`with Watched(name, service) as watched:` prints a row at the end."""

    def __init__(self, name, service):
        self.name, self.note = name, ""
        self.stop, self.found = multiprocessing.Event(), multiprocessing.Queue()
        self.pid = multiprocessing.Value("i", service.process.pid)
        self.process = multiprocessing.Process(target=probe, args=(service.port, self.pid, self.stop, self.found))

    def __enter__(self):
        self.process.start()
        time.sleep(0.3)
        self.began = time.monotonic()
        return self

    def __exit__(self, *_):
        took = time.monotonic() - self.began
        time.sleep(0.3)
        self.stop.set()
        longest, work, count = self.found.get()
        self.process.join()
        shown = "  ".join(f"{ms:8.1f}" for ms in longest)
        ROWS.append((self.name, f"{took:.1f}", count, f"{work:.1f}", *(f"{ms:.1f}" for ms in longest), self.note))
        print(f"{self.name:44} {took:7.1f} {count:8} {work:9.1f} {shown}  {self.note}", flush=True)


def send(service, spec_id, directory, count, frames_a_post):
    """So many new reports of epoch 0."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    for begun in range(0, count, 500000):
        write_frames(directory / "frames", spec_id, min(500000, count - begun))
        with open(directory / "frames", "rb") as file:
            while body := file.read(frames_a_post * FRAME):
                connection.request("POST", f"/v1/experiments/{spec_id}/reports", body,
                                   {"Content-Type": "application/octet-stream"})
                if connection.getresponse().read():
                    sys.exit("pause.py: reports were refused")


def epoch_of(service, spec_id):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    connection.request("GET", f"/v1/experiments/{spec_id}/model")
    answer = connection.getresponse()
    answer.read()
    return int(answer.getheader("ETag").strip('"'))


def wait_until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit("pause.py: what was waited for did not come")
        time.sleep(0.1)


def grow(service, directory, log2):
    spec_id = service.create(1)
    with Watched(f"nonces grow to 2^{log2}", service) as watched:
        before = service.memory()
        send(service, spec_id, directory, 1 << log2, 1000)
        watched.note = f"{(service.memory() - before) / (1 << log2):.0f} bytes of memory per nonce, all told"


def rows_left(directory, number):
    journal = sqlite3.connect(f"file:{directory / 'data/journal.sqlite'}?mode=ro", uri=True)
    (rows,) = journal.execute("SELECT count(*) FROM journal WHERE experiment = ?", (number,)).fetchone()
    journal.close()
    return rows


def publish(service, directory, number, count=1000000):
    """Epoch 0 has all of them; when epoch 2 opens they are removed."""
    spec_id = service.create(2, epoch_seconds_min=10, epoch=20)
    send(service, spec_id, directory, count, 24000)
    with Watched(f"an epoch of {count:,} ends, and is removed", service) as watched:
        for epoch in (1, 2):
            wait_until(lambda: epoch_of(service, spec_id) >= epoch)
            if epoch == 1:
                send_of_epoch(service, spec_id, 1, 100)
        wait_until(lambda: rows_left(directory, number) < 20)
        watched.note = f"{rows_left(directory, number)} rows left"


def send_of_epoch(service, spec_id, epoch, count):
    head = b"STR1" + bytes.fromhex(spec_id) + struct.pack("<I", epoch)
    body = b"".join(head + os.urandom(16) + b"\x00\x00" for _ in range(count))
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    connection.request("POST", f"/v1/experiments/{spec_id}/reports", body,
                       {"Content-Type": "application/octet-stream"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 204:
        sys.exit(f"pause.py: {answer.status} {text}")


def write_history(directory, number, rows, ended_s=0):
    """A publish per second until now, or until so long ago, as docs/formats.md has it. The service does not run."""
    journal = sqlite3.connect(directory / "data/journal.sqlite")
    now = int(datetime.datetime.now().timestamp()) - ended_s
    made = []
    for epoch in range(1, rows + 1):
        minute = (now - rows + epoch) // 60
        numbers = (epoch, minute, 1, 100, 10, 10, 4, 6, 0, 0, 0, 0)
        packed = b"history" + struct.pack("<IIQIQQQqqQQQI", number, *numbers)
        made.append((number, *numbers, hashlib.sha256(packed).digest()))
    journal.executemany("INSERT OR REPLACE INTO history (experiment, epoch, minute, publishes, learn, control, follow, "
                        "control_sum, follow_sum, late, duplicate, conflicting, alarms, digest) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", made)
    journal.commit()
    journal.close()


def ask_admin(service, path):
    """The bytes of an answer, read as it comes."""
    connection = http.client.HTTPConnection("127.0.0.1", service.admin, timeout=300)
    connection.request("GET", path, headers={"Authorization": f"Bearer {service.token}"})
    return len(connection.getresponse().read())


def history(service, directory, number, spec_id):
    service.process.terminate()
    service.process.wait()
    write_history(directory, number, WEEK_S)
    service.start()
    with Watched("history of a week of 1-s epochs", service) as watched:
        watched.note = f"{ask_admin(service, f'/v1/experiments/{spec_id}/history') / 1e6:.1f} MB"


def history_left(directory, number):
    journal = sqlite3.connect(f"file:{directory / 'data/journal.sqlite'}?mode=ro", uri=True)
    (rows,) = journal.execute("SELECT count(*) FROM history WHERE experiment = ?", (number,)).fetchone()
    journal.close()
    return rows


def delete(service, directory, number, spec_id, name):
    """The answer to DELETE comes before all is removed."""
    with Watched(name, service) as watched:
        began = time.monotonic()
        service.ask("DELETE", f"/v1/experiments/{spec_id}")
        answered = time.monotonic() - began
        wait_until(lambda: rows_left(directory, number) + history_left(directory, number) == 0)
        watched.note = f"answered after {1e3 * answered:.0f} ms, removed after {time.monotonic() - began:.1f} s"


def delete_open(service, directory, number, count=1500000):
    spec_id = service.create(4)
    send(service, spec_id, directory, count, 24000)
    delete(service, directory, number, spec_id, f"DELETE with {count:,} open reports")


def thin(service, directory, number, port):
    """A day away: 24 hours of history, a publish per second, are overdue at the start."""
    service.process.terminate()
    service.process.wait()
    write_history(directory, number, DAY_S, WEEK_S + 3600)  # an hour that is not over stays
    service.words[service.words.index("--listen") + 1] = f"127.0.0.1:{port}"
    service.port = port
    with Watched("history of a day is thinned after a start", service) as watched:
        service.start()
        watched.pid.value = service.process.pid
        wait_until(lambda: history_left(directory, number) <= 26)
        watched.note = f"{history_left(directory, number)} rows left"


def post_bodies(service, spec_id, count, frames=(1 << 20) // FRAME):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    head = b"STR1" + bytes.fromhex(spec_id) + bytes(4)
    for _ in range(count):
        body = b"".join(head + os.urandom(16) + b"\x00\x00" for _ in range(frames))
        connection.request("POST", f"/v1/experiments/{spec_id}/reports", body,
                           {"Content-Type": "application/octet-stream"})
        connection.getresponse().read()


def bodies(service, connections=32, each=3):
    """All at once: the longest body that there is, on many connections."""
    spec_id = service.create(5)
    with Watched(f"{connections} connections with bodies of 1 MiB", service):
        senders = [multiprocessing.Process(target=post_bodies, args=(service, spec_id, each))
                   for _ in range(connections)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()


# Reports that take long to fold: at most 4,203, 1,776, 442 and 67 of them per request.
COSTLY = {"1,024 shared features": dict(dim=1024, arms=10),
          "20 features, 1,000 arms": dict(dim=20, arms=1000, parameters="per-arm"),
          "ldp-sgd, 100 features, 100 arms": dict(dim=100, arms=100, parameters="per-arm", method="ldp-sgd"),
          "ldp-sgd, 1,024 features, 64 arms": dict(dim=1024, arms=64, parameters="per-arm", method="ldp-sgd")}


def most_frames(service, spec_id):
    """As a body of 1 MiB is told."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    connection.request("POST", f"/v1/experiments/{spec_id}/reports", bytes((1 << 20) // FRAME * FRAME),
                       {"Content-Type": "application/octet-stream"})
    answer = connection.getresponse()
    allowed = json.loads(answer.read())["allowed"]
    return int(allowed.split()[2]) // FRAME if answer.status == 413 else (1 << 20) // FRAME


def costly(service, connections=8, each=4):
    """The longest bodies of experiments whose reports take long to fold, on several connections."""
    for series, (name, spec) in enumerate(COSTLY.items(), 2000000):
        spec_id = service.create(series, spec, warm_up=0)
        most, before = most_frames(service, spec_id), service.folded()
        with Watched(f"{connections} connections, {most} reports: {name}", service) as watched:
            senders = [multiprocessing.Process(target=post_bodies, args=(service, spec_id, each, most))
                       for _ in range(connections)]
            for sender in senders:
                sender.start()
            for sender in senders:
                sender.join()
            watched.note = f"{service.folded() - before} of {connections * each * most} taken"


def metrics(service, count=3000):
    for i in range(count):
        service.create(1000 + i)
    with Watched(f"/metrics at {count:,} experiments, 10 times", service) as watched:
        for _ in range(10):
            bytes_each = ask_admin(service, "/metrics")
        watched.note = f"{bytes_each / 1e6:.2f} MB each"


def start(build, directory, count):
    port = free_port()  # known before the service says where it is
    service = Service(build / "sottod", directory / "data", "--listen", f"127.0.0.1:{port}")
    spec_id = service.create(1)
    send(service, spec_id, directory, count, 24000)
    service.process.kill()
    service.process.wait()
    with Watched(f"start with {count:,} open reports", service) as watched:
        asked = {}
        began = time.monotonic()
        thread = threading.Thread(target=service.start)
        thread.start()
        while thread.is_alive():
            watched.pid.value = service.process.pid
            for name, path in (("healthz", "/healthz"), ("model", f"/v1/experiments/{spec_id}/model")):
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                    connection.request("GET", path)
                    if connection.getresponse().status == 200:
                        asked.setdefault(name, time.monotonic() - began)
                except OSError:
                    pass
            time.sleep(0.01)
        thread.join()
        ready = time.monotonic() - began
        watched.note = (f"/healthz after {asked.get('healthz', ready):.2f} s, the model after "
                        f"{asked.get('model', ready):.2f} s, reports after {ready:.2f} s")
    if service.folded() != count:
        sys.exit(f"pause.py: {count} reports before kill -9, {service.folded()} after")
    return service


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    log2 = int(sys.argv[2]) if len(sys.argv) > 2 else 23
    open_reports = int(float(sys.argv[3])) if len(sys.argv) > 3 else 2000000
    print(f"{'the service does':44} {'s':>7} {'asked':>8} {'processor':>9}  longest /healthz, ms")
    with tempfile.TemporaryDirectory(dir=".") as name:
        directory = pathlib.Path(name).resolve()
        service = Service(build / "sottod", directory / "data")
        try:
            with Watched("nothing", service):
                time.sleep(5)
            grow(service, directory, log2)
            publish(service, directory, 2)
            spec_id = service.create(3)
            history(service, directory, 3, spec_id)
            delete(service, directory, 3, spec_id, "DELETE with a week of 1-s epochs")
            delete_open(service, directory, 4)
            bodies(service)
            costly(service)
            service.create(6)
            thin(service, directory, 6, free_port())
            metrics(service)
        finally:
            service.process.kill()
            service.process.wait()
        with tempfile.TemporaryDirectory(dir=".") as other:
            service = start(build, pathlib.Path(other).resolve(), open_reports)
            service.process.kill()
            service.process.wait()
    with open(build / "pause.csv", "w", newline="") as file:
        csv.writer(file).writerows([("work", "seconds", "asked", "processor_ms", "longest_ms", "second_ms", "third_ms", "note"), *ROWS])


if __name__ == "__main__":
    main()
