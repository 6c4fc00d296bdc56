#!/usr/bin/env python3
"""sottod under abuse: each limit takes effect, has a name and is counted, and honest requests are
served meanwhile."""
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from sotto_binary import SOTTO
from sottod import SPEC
from sottod_case import Case as ServiceCase, host_of

ATTACK = pathlib.Path(os.environ["SOURCE"]) / "tests/abuse/attack.py"
# Seconds of each attack of the last test. The long version is a step of make soak.
SECONDS = 30 if os.environ.get("SOTTO_SOAK") else 0.7
GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /v1/experiments/%s/reports HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n"
OCTETS = {"Content-Type": "application/octet-stream"}
KEY = "a key for all of us"
NUMBER = itertools.count(1)


def place(service):
    host, port = host_of(service.public).rsplit(":", 1)
    return host, int(port)


def connect(service, address="127.0.0.1"):
    return socket.create_connection(place(service), timeout=30, source_address=(address, 0))


def answer_of(line, method="GET"):
    got = http.client.HTTPResponse(line, method=method)
    got.begin()
    return got.status, dict(got.headers), got.read()


class Case(ServiceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.experiment = cls.service.create()
        cls.frames = iter(cls.service.frames(cls.experiment, 4000))

    def metric(self, name, *label):
        """Uses its own connection, since idle-s-max is short here."""
        self.service.hang_up()
        metrics = self.service.metrics()
        return int(metrics[(name, *label)] if label else metrics[name])

    def refused(self, name):
        return self.metric(f"sottod_refused_{name}_total", "public")

    def refused_all(self):
        """All counters of the public port, by name."""
        self.service.hang_up()
        return {key[0][len("sottod_refused_"):-len("_total")]: int(value) for key, value in self.service.metrics().items()
                if isinstance(key, tuple) and key[0].startswith("sottod_refused_") and key[1] == "public"}

    def honest(self):
        """A report by someone who connects now."""
        with connect(self.service, f"127.0.1.{next(NUMBER) % 250 + 1}") as line:
            frame = next(self.frames)
            line.sendall(POST % self.experiment.encode() + b"Content-Length: %d\r\n\r\n" % len(frame) + frame)
            self.assertEqual(answer_of(line, "POST")[0], 204)

    def wait_for_refusals(self, wanted):
        """Waits until all counters have risen by this much; slow clients stay slow meanwhile."""
        before = {name: self.refused(name) for name in wanted}
        return lambda: all(self.refused(name) >= before[name] + count for name, count in wanted.items())


class Slow(Case):
    """Limits of one connection, and of all."""
    flags = ("--head-s-max", 1, "--idle-s-max", 2, "--rate-min", 20000, "--connections-max", 60)

    def test_who_is_slow_is_cut_and_counted_by_what_is_slow(self):
        path = self.experiment.encode()
        begins = {b"GET /": "slow_head", GET[:-2] + b"X: y": "slow_head",
                  POST % path + b"Content-Length: 4200\r\n\r\n": "slow_body",
                  POST % path + b"Content-Length: 999999\r\n\r\n": "slow_body"}
        enough = self.wait_for_refusals({"slow_head": 10, "slow_body": 10})
        with contextlib.ExitStack() as stack:
            slow = []
            for begin in begins:
                for _ in range(5):
                    slow.append(stack.enter_context(connect(self.service)))
                    slow[-1].sendall(begin)
            self.honest()

            def go_on():
                for line in slow:
                    with contextlib.suppress(OSError):
                        line.send(b"x")
                time.sleep(0.1)
                return enough()
            self.assertTrue(self.service.wait_for(go_on))
            self.honest()
        self.assertTrue(self.service.wait_for(lambda: self.metric("sottod_connections", "public") <= 1))

    def test_who_is_not_heard_of_again_is_cut_and_counted(self):
        """As after a cable is pulled: half of a request has come, and no end of the connection."""
        before = self.refused_all()
        after = {**before, "slow_head": before["slow_head"] + 5, "slow_body": before["slow_body"] + 5}
        with contextlib.ExitStack() as stack:
            for begin in (GET[:-2] + b"X: y", POST % self.experiment.encode() + b"Content-Length: 4200\r\n\r\nx"):
                for _ in range(5):
                    stack.enter_context(connect(self.service)).sendall(begin)
            self.assertTrue(self.service.wait_for(lambda: self.refused_all() == after))
            self.honest()

    def test_who_says_nothing_is_closed_and_counted(self):
        before = self.refused_all()
        with contextlib.ExitStack() as stack:
            silent = [stack.enter_context(connect(self.service)) for _ in range(7)]
            silent[0].sendall(GET)  # and nothing after it
            self.assertEqual(answer_of(silent[0])[0], 200)
            for line in silent:
                self.assertEqual(line.recv(1), b"")
        self.assertEqual(self.refused_all(), {**before, "idle": before["idle"] + 7})


class Full(Case):
    """All places are occupied."""
    flags = ("--connections-max", 60)

    def test_who_says_nothing_gives_way_to_others(self):
        before = self.refused("room")
        with contextlib.ExitStack() as stack:
            def go_on():
                for _ in range(20):
                    stack.enter_context(connect(self.service))
                time.sleep(0.1)
                return self.refused("room") > before
            self.assertTrue(self.service.wait_for(go_on))
            self.assertTrue(self.service.wait_for(lambda: self.honest() is None))


class Deaf(Case):
    flags = ("--head-s-max", 1, "--rate-min", 1000000)

    def test_who_never_reads_is_cut(self):
        """A few models of half a megabyte are more than the system holds for a client."""
        large = self.service.create({"dim": 256, "arms": 256, "parameters": "per-arm"})
        before = {name: self.refused(name) for name in ("slow_reader", "ahead")}
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                line = stack.enter_context(socket.socket())
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line.connect(place(self.service))
                line.sendall(GET.replace(b"/healthz", b"/v1/experiments/%s/model" % large.encode()) * 14)
            self.assertTrue(self.service.wait_for(lambda: self.refused("slow_reader") == before["slow_reader"] + 3))
            self.honest()
        self.assertEqual(self.refused("slow_reader"), before["slow_reader"] + 3)
        self.assertEqual(self.refused("ahead"), before["ahead"])


class Large(Case):
    """Requests that are too large, and bytes that are no request."""

    def ask(self, head, body=b""):
        with connect(self.service) as line:
            with contextlib.suppress(OSError):
                line.sendall(head + body)
            return answer_of(line)

    def test_a_body_of_ten_megabytes_is_refused_with_its_head(self):
        before = self.refused("length")
        head = POST % self.experiment.encode() + b"Content-Length: 10000000\r\n\r\n"
        status, headers, body = self.ask(head)
        self.assertEqual((status, headers["Connection"]), (413, "close"))
        self.assertEqual(json.loads(body)["field"], "body")
        self.assertEqual(self.refused("length"), before + 1)
        self.honest()

    def test_heads_that_are_too_large_are_refused(self):
        before = self.refused("head")
        for lines, status in ((b"X: " + b"y" * 3600, 431), (b"X: " + b"y" * 16000, 431), (b"X: y\r\n" * 60, 431),
                              (b"X : y", 400)):
            self.assertEqual(self.ask(GET[:-2] + lines + b"\r\n\r\n")[0], status, lines[:20])
        self.assertTrue(self.service.wait_for(lambda: self.refused("head") == before + 4))
        self.honest()

    def test_requests_that_are_refused_for_what_they_ask_are_counted(self):
        before = self.refused("route")
        for path in (b"/nothing", b"/v1/experiments/%s/model" % (b"0" * 32), b"/v1/experiments/%s/model" % (b"x" * 32)):
            self.assertEqual(self.ask(GET.replace(b"/healthz", path))[0], 404)
        self.assertEqual(self.refused("route"), before + 3)


class HalfOpen(Case):
    """A client that closes its side has sent everything: it is answered if that was a request, and
    otherwise closed at once."""

    def heard(self, said):
        with connect(self.service) as line:
            line.sendall(said)
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65536), b""))

    def test_it_is_answered_if_it_sent_a_request(self):
        frame = next(self.frames)
        head = POST % self.experiment.encode() + b"Content-Length: %d\r\n\r\n" % len(frame)
        before = self.refused_all()
        for said in (b"", GET[:-2], b"GET /he", head, head + frame[:-1]):
            self.assertEqual(self.heard(said), b"", said)
        self.assertTrue(self.heard(GET).startswith(b"HTTP/1.1 200"))
        self.assertTrue(self.heard(head + frame).startswith(b"HTTP/1.1 204"))
        self.assertEqual(self.refused_all(), before)  # nobody was refused: they went


class Nonces(Case):
    flags = ("--nonces-max", 1000)

    def test_reports_above_nonces_max_are_refused_and_counted(self):
        experiment = self.service.create({"series": next(NUMBER)}, learning={"epoch_seconds_min": 3600})
        frames = self.service.frames(experiment, 1007)
        self.assertEqual(self.service.post(experiment, frames[:1000]).status, 204)
        before = self.refused_all()
        for frame in frames[1000:]:
            answer = self.service.post(experiment, [frame])
            self.assertEqual((answer.status, answer.headers["Retry-After"]), (503, "1"))
        self.assertEqual(self.refused_all(), {**before, "nonces": before["nonces"] + 7})


class Ahead(Case):
    """Requests sent before the previous answer has come."""

    def test_who_sends_many_ahead_is_answered_for_a_while_and_closed(self):
        before = self.refused("ahead")
        for number in range(1, 6):
            with connect(self.service) as line:
                line.sendall(GET * 1000)
                self.honest()
                text = b""
                with contextlib.suppress(ConnectionError):
                    while piece := line.recv(65536):
                        text += piece
            self.assertGreaterEqual(text.count(b"HTTP/1.1 200"), 17)
            self.assertLess(text.count(b"HTTP/1.1"), 1000)
            self.assertIn(b"\r\nConnection: close\r\n", text[text.rindex(b"HTTP/1.1"):])
            self.assertEqual(self.refused("ahead"), before + number)
        self.honest()

    def test_who_asks_one_after_the_other_at_full_speed_is_never_closed(self):
        before = self.refused("ahead")
        path = f"/v1/experiments/{self.experiment}/"
        frames = [next(self.frames) for _ in range(1600)]

        def ask(mine):
            line = http.client.HTTPConnection(*place(self.service), timeout=60)
            with contextlib.closing(line):
                line.connect()
                first = line.sock
                for frame in mine:
                    for words, status in ((("POST", path + "reports", frame, OCTETS), 204), (("GET", path + "model"), 200)):
                        line.request(*words)
                        got = line.getresponse()
                        self.assertEqual((got.status, bool(got.read())), (status, status == 200))
                    self.assertIs(line.sock, first)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(ask, (frames[i::8] for i in range(8))))
        self.assertEqual(self.refused("ahead"), before)


class Address(Case):
    """The limits of one address. Each test uses its own address; honest people have others."""
    flags = ("--per-address", "on", "--address-connections-max", 5, "--address-requests-max", 8, "--address-mib-max", 1)

    def setUp(self):
        self.address = f"127.0.2.{next(NUMBER)}"

    def test_connections(self):
        before = self.refused("address_connections")
        with contextlib.ExitStack() as stack:
            mine = [stack.enter_context(connect(self.service, self.address)) for _ in range(5)]
            time.sleep(0.1)
            more = stack.enter_context(connect(self.service, self.address))
            with contextlib.suppress(OSError):
                self.assertEqual(more.recv(1), b"")
            self.assertGreater(self.refused("address_connections"), before)
            with connect(self.service, f"127.0.3.{next(NUMBER)}") as other:
                other.sendall(GET)
                self.assertEqual(answer_of(other)[0], 200)
            mine[0].sendall(GET)
            self.assertEqual(answer_of(mine[0])[0], 200)

    def test_requests(self):
        before = self.refused("address_requests")
        with connect(self.service, self.address) as line:
            status, asked = 200, 0
            while status == 200:
                self.assertLess(asked, 1000)
                line.sendall(GET)
                status, headers, body = answer_of(line)
                asked += 1
        self.assertGreaterEqual(asked, 8 * 5 - 1)
        self.assertEqual((status, headers["Retry-After"], headers["Connection"]), (429, "1", "close"))
        self.assertEqual(json.loads(body)["field"], "address")
        self.assertGreater(self.refused("address_requests"), before)
        with connect(self.service, f"127.0.3.{next(NUMBER)}") as other:
            other.sendall(GET)
            self.assertEqual(answer_of(other)[0], 200)

    def test_bytes(self):
        before = self.refused("address_bytes")
        body = bytes(42 * 20000)
        head = POST % self.experiment.encode() + b"Content-Length: %d\r\n\r\n" % len(body)
        status, sent = 400, 0
        while status == 400:
            self.assertLess(sent, 200)
            with connect(self.service, self.address) as line:
                line.sendall(head + body)
                status, headers, _ = answer_of(line, "POST")
            sent += 1
        self.assertGreaterEqual(sent, 6)
        self.assertEqual((status, headers["Retry-After"]), (429, "1"))
        self.assertGreater(self.refused("address_bytes"), before)

    def test_a_header_that_names_an_address_is_not_read(self):
        with connect(self.service, self.address) as line:
            status, asked = 200, 0
            while status == 200:
                self.assertLess(asked, 1000)
                line.sendall(GET[:-2] + b"X-Forwarded-For: 192.0.2.%d\r\nForwarded: for=192.0.2.9\r\n\r\n" % (asked % 250))
                status = answer_of(line)[0]
                asked += 1
        self.assertEqual(status, 429)


class ReportKey(Case):
    """An experiment that requires a key with reports."""
    flags = ("--idle-s-max", 300)  # under a sanitizer a command may take longer than a connection may be idle

    def create(self, key):
        answer = self.service.manage("POST", "/v1/experiments",
                                     {"spec": {**SPEC, "series": 4000 + next(NUMBER)}, "report_key": key})
        self.assertEqual(answer.status, 201, answer)
        self.assertIs(json.loads(answer.body)["has_report_key"], True)
        self.assertNotIn(key.encode(), answer.body)
        return json.loads(answer.body)["id"]

    def post(self, experiment, frames, **headers):
        return self.service.ask(self.service.public, "POST", f"/v1/experiments/{experiment}/reports", b"".join(frames),
                                {"Content-Type": "application/octet-stream", **headers})

    def run_sotto(self, *words):
        return subprocess.run([SOTTO, *map(str, words)], capture_output=True, text=True, timeout=300)

    def test_reports_are_taken_with_the_key_alone_also_after_kill_9(self):
        key = KEY.replace(" ", "-")
        experiment = self.create(key)
        frames = self.service.frames(experiment, 4)
        for shown in ({}, {"Sotto-Report-Key": key + "."}, {"Sotto-Report-Key": key.upper()}):
            answer = self.post(experiment, frames[:1], **shown)
            self.assertEqual(answer.status, 403, answer)
            error = json.loads(answer.body)
            self.assertEqual((error["field"], error["value"]), ("Sotto-Report-Key", None))
        self.assertEqual(self.metric("sottod_refused_key_total"), 3)
        self.assertEqual(self.post(experiment, frames[:2], **{"Sotto-Report-Key": key}).status, 204)
        self.service.kill()
        self.service.start()
        self.assertEqual(self.post(experiment, frames[2:]).status, 403)
        self.assertEqual(self.post(experiment, frames[2:], **{"sotto-report-key": key}).status, 204)
        self.assertEqual(self.service.counts(experiment)["folded"], 4)
        for path in self.service.directory.rglob("*"):
            if path.is_file():
                self.assertNotIn(key.encode(), path.read_bytes(), path)
        self.assertNotIn(key, self.service.log_path.read_text())

    def test_join_and_fleet_show_it(self):
        key = KEY.replace(" ", "-")
        experiment = self.create(key)
        url = f"{self.service.public}/v1/experiments/{experiment}"
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "key"
            for wrong in ("short", "with a blank in it", key + "\n" + key):
                file.write_text(wrong)
                for command in ("join", "fleet"):
                    done = self.run_sotto(command, url, "--report-key", file)
                    self.assertEqual(done.returncode, 2, done)
                    self.assertNotIn(wrong, done.stderr)
            file.write_text(key + "\n")
            done = self.run_sotto("join", url, "--yes", "--rounds", 1, "--ledger", pathlib.Path(directory) / "ledger",
                                  "--report-key", file)
            self.assertEqual(done.returncode, 0, done)
            reader = self.service.directory / "reader.token"
            done = self.run_sotto("fleet", url, "--people", 30, "--quiet", "--json", "--report-key", file, "--admin",
                                  self.service.admin, "--token-file", reader)
            self.assertEqual(done.returncode, 0, done)
        self.assertEqual(sum(self.service.counts(experiment).values()), 31)


class Attacked(Case):
    """All attacks of tests/abuse, one after the other, with default limits; memory does not
    grow."""
    flags = ("--per-address", "on")
    MIB_MORE = 32  # connections of one address, bodies, and what malloc keeps

    def memory(self):
        text = pathlib.Path(f"/proc/{self.service.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024

    def test_honest_people_are_served_and_memory_does_not_grow(self):
        names = sorted(re.findall(r'^ATTACKS = \{(.*?)\}', ATTACK.read_text(), re.M | re.S)[0].split('"')[1::2])
        self.assertEqual(len(names), 9)
        before = self.memory()
        path = f"/v1/experiments/{self.experiment}/"
        # In soak a fleet takes part meanwhile, in its own experiment and within the limits of its
        # address.
        fleet = self.fleet(len(names) * SECONDS) if os.environ.get("SOTTO_SOAK") else contextlib.nullcontext()
        with fleet:
            self.attack(names, path)
        if not os.environ["SANITIZE"]:
            self.assertLess(self.memory() - before, self.MIB_MORE)
        self.assertTrue(self.service.wait_for(lambda: self.metric("sottod_connections", "public") <= 1))
        self.assertEqual(self.service.stop(), 0)
        self.assertNotIn(b"Sanitizer", self.service.log_path.read_bytes())
        self.assertNotIn(b"runtime error", self.service.log_path.read_bytes())
        print(f"figure: {len(names)} attacks, {len(names) * SECONDS:.0f} seconds")

    @contextlib.contextmanager
    def fleet(self, seconds):
        """The fleet must find every acknowledged report."""
        experiment = self.service.create({"series": 77})
        words = [SOTTO, "fleet", f"{self.service.public}/v1/experiments/{experiment}", "--people", "1000000", "--rate", "200",
                 "--seconds", str(seconds), "--quiet", "--json", "--admin", self.service.admin, "--token-file",
                 str(self.service.directory / "reader.token")]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as fleet:
            yield
            out, errors = fleet.communicate(timeout=600)
        self.assertEqual(fleet.returncode, 0, (out, errors))

    def attack(self, names, path):
        for number, name in enumerate(names):
            words = [sys.executable, ATTACK, name, str(place(self.service)[1]), "--connections", "300", "--rate", "1000",
                     "--seconds", str(SECONDS), "--address", f"127.0.4.{number + 1}", "--path", path + "reports", "--get",
                     path + "model"]
            with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as attacker:
                while attacker.poll() is None:
                    self.honest()
                    time.sleep(0.1)
                self.assertGreater(json.loads(attacker.stdout.read())["opened"], 0)
            self.honest()


if __name__ == "__main__":
    unittest.main()
