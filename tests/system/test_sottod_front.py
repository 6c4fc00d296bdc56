#!/usr/bin/env python3
"""Requests that others could read differently, that ask for everything, or that ask for something
missing."""
import contextlib
import gzip
import hashlib
import json
import socket
import sqlite3
import struct
import time
import unittest
import urllib.request

from sottod import SPEC, Service
from sottod_case import Case, host_of

WEEK_MIN = 7 * 24 * 60


class Heads(Case):
    """libmicrohttpd ends a line at a NUL, and a head at a line that begins with one."""

    def say(self, port, data):
        """The status of the answer to these bytes; None if there is none."""
        host, number = host_of(self.place(port)).rsplit(":", 1)
        with socket.create_connection((host, int(number)), timeout=30) as line:
            line.sendall(data)
            first = line.makefile("rb").readline().split()
            return int(first[1]) if first else None

    def test_a_control_character_is_400(self):
        experiment = self.new()
        frame = self.service.frames(experiment, 1)[0]
        head = (f"POST /v1/experiments/{experiment}/reports HTTP/1.1\r\nHost: {host_of(self.service.public)}\r\n"
                "Content-Type: application/octet-stream\r\n").encode()
        length = b"Content-Length: %d" % len(frame)
        for bad in (length + b"\0\r\n\r\n", length + b"\r\n\0X: 1\r\n\r\n", b"X: 1\rY: 2\r\n" + length + b"\r\n\r\n"):
            self.assertEqual(self.say("public", head + bad + frame), 400, bad)
        self.assertEqual(self.service.counts(experiment)["folded"], 0)
        self.assertEqual(self.say("public", head + length + b"\r\n\r\n" + frame), 204)
        host = f"Host: {host_of(self.service.admin)}\r\n".encode()
        token = b"Authorization: Bearer " + self.service.token.encode()
        for bad in (token + b"\0x", token + b"\r", b"X: \x01\r\n" + token):
            self.assertEqual(self.say("admin", b"GET /metrics HTTP/1.1\r\n" + host + bad + b"\r\n\r\n"), 400, bad)
        self.assertEqual(self.say("admin", b"GET /metrics HTTP/1.1\r\n" + host + token + b"\r\n\r\n"), 200)
        self.assertEqual(self.say("public", b"GET /healthz\0x HTTP/1.1\r\nHost: a\r\n\r\n"), 400)

    def test_a_header_that_says_who_asks_comes_once(self):
        experiment = self.new()
        host = f"Host: {host_of(self.service.admin)}\r\n".encode()
        token = b"Authorization: Bearer " + self.service.token.encode() + b"\r\n"
        other = b"authorization: Bearer " + b"0" * 64 + b"\r\n"
        for twice, status in ((token, 200), (token + token, 400), (token + other, 400), (other + token, 400),
                              (token + b"Origin: https://a.example\r\nOrigin: https://a.example\r\n", 400)):
            self.assertEqual(self.say("admin", b"GET /metrics HTTP/1.1\r\n" + host + twice + b"\r\n"), status, twice)
        ask = f"OPTIONS /v1/experiments/{experiment}/reports HTTP/1.1\r\nHost: a\r\n".encode()
        origin = b"Origin: https://a.example\r\n"
        self.assertEqual(self.say("public", ask + origin + b"\r\n"), 403)
        self.assertEqual(self.say("public", ask + origin + b"oRIGIN: https://b.example\r\n\r\n"), 400)

    def test_an_absolute_url_is_its_path(self):
        for port in ("public", "admin"):
            place = self.place(port)
            self.assertEqual(self.ask(port, "GET", place + "/healthz").status, 200)
            self.assertEqual(self.ask(port, "GET", place + "/nothing").status, 404)
            self.assertEqual(self.ask(port, "GET", "http://other.example/healthz").status, 400)
        self.assertEqual(self.ask("admin", "GET", self.service.admin + "/metrics").status, 200)
        answer = self.ask("admin", "GET", "http://rebound.example/metrics", Host="rebound.example")
        self.assertEqual(answer.status, 403)


class Forms(Case):
    def test_a_model_comes_as_gzip_if_that_is_taken(self):
        path = f"/v1/experiments/{self.service.create({'series': 77, 'dim': 50})}/model"
        plain = self.ask("public", "GET", path)
        packed = self.ask("public", "GET", path, **{"Accept-Encoding": "br, gzip;q=0.5"})
        self.assertNotIn("Content-Encoding", plain.headers)
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual((plain.headers["Vary"], packed.headers["Vary"]), ("Accept-Encoding, Origin",) * 2)
        self.assertLess(len(packed.body), len(plain.body))
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        for tag in (plain.headers["ETag"], packed.headers["ETag"]):
            self.assertEqual(self.ask("public", "GET", path, **{"If-None-Match": tag, "Accept-Encoding": "gzip"}).status, 304)

    def test_the_same_body_has_another_id_at_every_service(self):
        spec = {name: value for name, value in SPEC.items() if name != "series"}
        ids = []
        with Service() as other:
            for service in (self.service, self.service, other):
                answer = service.manage("POST", "/v1/experiments", {"spec": spec})
                self.assertEqual(answer.status, 201)
                made = json.loads(answer.body)
                ids.append(made["id"])
                self.assertGreater(made["spec"]["series"], 0)
        self.assertEqual(len(set(ids)), 3)

    def test_metrics_of_many_are_as_short_as_of_one(self):
        experiment = self.new()
        before = self.service.manage("GET", "/metrics").body
        for _ in range(20):
            self.new()
        after = self.service.manage("GET", "/metrics").body
        self.assertLess(len(after), len(before) + 100)
        self.assertNotIn(b"experiment=", after)
        one = self.service.manage("GET", f"/metrics?experiment={experiment}").body.decode()
        self.assertIn(f'sottod_experiment_epoch{{experiment="{experiment}"}} 0\n', one)
        self.assertNotIn("sottod_requests_total", one)
        self.assertIn(b'sottod_request_seconds_bucket{port="public",method="POST",'
                      b'route="/v1/experiments/{id}/reports",le="+Inf"} ', after)



class History(unittest.TestCase):
    """A day of epochs of 4 s in the journal, as if the service had published them."""
    ROWS = 21600

    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.service = stack.enter_context(Service())
        cls.experiment = cls.service.create()
        cls.service.stop()
        cls.end = int(time.time()) // 60 - 5
        with contextlib.closing(sqlite3.connect(cls.service.directory / "journal.sqlite")) as data, data:
            for i in range(1, cls.ROWS + 1):
                row = (1, i, cls.end - (cls.ROWS - i) // 15, 1, 50, 10, 12, -4, 6, 3, 2, 1, 1 if i == 7 else 0)
                digest = hashlib.sha256(b"history" + struct.pack("<IIQI3Q2q3QI", *row)).digest()
                marks = ",".join("?" * (len(row) + 1))
                data.execute(f"INSERT INTO history VALUES ({marks})", (*row, digest))
        cls.service.start()

    def history(self, **query):
        path = f"/v1/experiments/{self.experiment}/history"
        text = "&".join(f"{name}={value}" for name, value in query.items())
        answer = self.service.manage("GET", f"{path}?{text}" if text else path)
        self.assertEqual(answer.status, 200, answer)
        return json.loads(answer.body)

    def memory(self):
        with open(f"/proc/{self.service.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

    def test_all_rows_come_and_take_no_memory(self):
        before = self.memory()
        got = self.history()
        self.assertEqual([row["epoch"] for row in got["rows"]], list(range(1, self.ROWS + 1)))
        self.assertFalse(got["more"])
        self.assertLess(self.memory() - before, 3000)  # KiB; the answer alone has 4 MB

    def test_sums_are_the_same_at_every_resolution(self):
        rows = self.history()["rows"]
        for resolution, minutes, most in (("minute", 1, 1441), ("hour", 60, 25), ("day", 1440, 2)):
            got = self.history(resolution=resolution)
            self.assertEqual(got["resolution"], resolution)
            self.assertIn(len(got["rows"]), (most, most - 1))
            for name in ("publishes", "learn", "control", "control_sum", "follow", "follow_sum", "late"):
                self.assertEqual(sum(row[name] for row in got["rows"]), sum(row[name] for row in rows), name)
            self.assertEqual(len({row["minute"] // minutes for row in got["rows"]}), len(got["rows"]))
            self.assertEqual(sum(len(row["alarms"]) for row in got["rows"]), 1)

    def test_pages_are_the_whole(self):
        for resolution, limit in (("epoch", 5000), ("minute", 100), ("hour", 7)):
            rows, after = [], 0
            while True:
                got = self.history(resolution=resolution, limit=limit, after=after)
                rows += got["rows"]
                self.assertLessEqual(len(got["rows"]), limit)
                if not got["more"]:
                    break
                after = rows[-1]["epoch"]
            self.assertEqual(rows, self.history(resolution=resolution)["rows"])

    def test_minutes_bound_it(self):
        for since, until in ((self.end - 10, self.end - 3), (self.end, self.end + 1), (self.end + 1, self.end + 9)):
            minutes = {row["minute"] for row in self.history(since=since, until=until)["rows"]}
            self.assertEqual(minutes, set(range(since, min(until, self.end + 1))))
        answer = self.service.manage("GET", f"/v1/experiments/{self.experiment}/history?since=0&until=99999")
        self.assertEqual((answer.status, json.loads(answer.body)["field"]), (400, "since"))
        self.assertEqual(self.history(since=0, until=99999, resolution="day")["rows"], [])
        self.assertEqual(self.history(until=self.end - WEEK_MIN)["rows"], [])

    def test_who_hangs_up_leaves_nothing(self):
        for _ in range(20):
            request = urllib.request.Request(f"{self.service.admin}/v1/experiments/{self.experiment}/history",
                                             headers={"Authorization": "Bearer " + self.service.token})
            with urllib.request.urlopen(request, timeout=30) as answer:
                answer.read(10000)
        self.service.hang_up()
        self.assertTrue(self.service.wait_for(lambda: self.service.metrics()["sottod_connections", "admin"] <= 1))


if __name__ == "__main__":
    unittest.main()
