#!/usr/bin/env python3
"""sottod and many: simultaneous connections, silent connections, experiments, and a crowd of
requests while an epoch is due."""
import json
import os
import random
import resource
import selectors
import shutil
import signal
import socket
import time
import unittest

from soak import SEED
from sottod import NotStarted, Service, plain_environment
from witness import Clock

HANGS_S = 120  # longer than anything that does not hang


def raise_limit(wanted):
    """File descriptors, for this process and for the service that inherits the limit; False if the
    system allows fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return True
    if hard != resource.RLIM_INFINITY and hard < wanted:
        return False
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return True


class Crowd:
    """Connections that all send their text at the same time and wait for the answers."""

    def __init__(self, service, count):
        host, port = service.public.removeprefix("http://").split(":")
        self.name = f"{host}:{port}"
        self.lines = [socket.create_connection((host, int(port)), timeout=HANGS_S) for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for line in self.lines:
            line.close()

    def post(self, experiment, frames):
        return (f"POST /v1/experiments/{experiment}/reports HTTP/1.1\r\nHost: {self.name}\r\n"
                "Content-Type: application/octet-stream\r\n"
                f"Content-Length: {sum(map(len, frames))}\r\n\r\n").encode() + b"".join(frames)

    def send(self, texts):
        for line, text in zip(self.lines, texts):
            line.sendall(text)

    def statuses(self, each):
        """The statuses of `count` answers on each connection; answers have no body."""
        end = time.monotonic() + HANGS_S
        got = {line: b"" for line in self.lines}
        with selectors.DefaultSelector() as waiting:
            for line in self.lines:
                waiting.register(line, selectors.EVENT_READ)
            while waiting.get_map() and time.monotonic() < end:
                for key, _ in waiting.select(1):
                    more = key.fileobj.recv(65536)
                    got[key.fileobj] += more
                    if not more or got[key.fileobj].count(b"\r\n\r\n") == each:
                        waiting.unregister(key.fileobj)
        return [int(part.split()[1]) for line in self.lines for part in got[line].split(b"\r\n\r\n") if part]


class Connections(unittest.TestCase):
    def test_many_reports_at_once_are_all_taken(self):
        for count in (256, 1000):
            with self.subTest(count=count), Service() as service:
                experiment = service.create()
                frames = service.frames(experiment, 4 * count)
                with Crowd(service, count) as crowd:
                    for turn in range(4):  # on the same connections
                        texts = [crowd.post(experiment, [frame]) for frame in frames[turn * count:(turn + 1) * count]]
                        crowd.send(text[:-1] for text in texts)
                        crowd.send(text[-1:] for text in texts)  # now all of them are ready
                        self.assertEqual(crowd.statuses(1), [204] * count)
                self.assertEqual(service.counts(experiment),
                                 {"folded": 4 * count, "late": 0, "duplicate": 0, "conflicting": 0})
                self.assertEqual(service.stop(), 0)

    def test_many_that_were_ready_before_the_service_looked(self):
        with Service() as service:
            experiment = service.create()
            frames = service.frames(experiment, 1000)
            with Crowd(service, 1000) as crowd:
                self.assertTrue(service.wait_for(lambda: service.metrics()["sottod_connections", "public"] >= 1000))
                service.process.send_signal(signal.SIGSTOP)
                crowd.send(crowd.post(experiment, [frame]) for frame in frames)
                service.process.send_signal(signal.SIGCONT)
                self.assertEqual(crowd.statuses(1), [204] * 1000)
            self.assertEqual(service.counts(experiment)["folded"], 1000)

    def test_thousands_that_say_nothing_hold_up_nobody(self):
        if not raise_limit(4500):
            self.skipTest("the system allows too few connections")
        with Service("--idle-s-max", 600) as service:
            experiment = service.create()
            frames = service.frames(experiment, 2000)
            with Crowd(service, 3900):
                self.assertTrue(service.wait_for(lambda: service.metrics()["sottod_connections", "public"] >= 3900))
                with Crowd(service, 100) as crowd:
                    for turn in range(10):
                        some = frames[turn * 100:(turn + 1) * 100]
                        crowd.send(crowd.post(experiment, [frame]) for frame in some)
                        self.assertEqual(crowd.statuses(1), [204] * 100)
                for i in range(1000, 2000, 10):
                    self.assertEqual(service.post(experiment, frames[i:i + 10]).status, 204)
                self.assertEqual(service.counts(experiment)["folded"], 2000)
                self.assertEqual(service.stop(timeout=HANGS_S), 0)  # though they are there
            service.start()
            self.assertEqual(service.counts(experiment)["folded"], 2000)

    def test_one_connection_too_many_is_refused_and_the_others_go_on(self):
        with Service("--connections-max", 50) as service:
            experiment = service.create()
            frames = service.frames(experiment, 50)
            service.hang_up()
            self.assertTrue(service.wait_for(lambda: service.metrics()["sottod_connections", "public"] == 0))
            service.process.send_signal(signal.SIGSTOP)  # then it meets all at once, and nobody was quiet for long
            with Crowd(service, 50) as crowd, Crowd(service, 20) as more:
                more.send([b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"] * 20)
                crowd.send(crowd.post(experiment, [frame]) for frame in frames)
                service.process.send_signal(signal.SIGCONT)
                for line in more.lines:
                    try:
                        self.assertEqual(line.recv(100), b"")
                    except ConnectionResetError:
                        pass
                self.assertEqual(crowd.statuses(1), [204] * 50)
            self.assertEqual(service.metrics()["sottod_refused_connections_total", "public"], 20)
            self.assertEqual(service.get("/readyz").status, 200)

    @unittest.skipUnless(shutil.which("prlimit"), "prlimit is not here")
    def test_where_files_are_few_those_who_say_nothing_do_not_take_the_last_ones(self):
        """connections-max is 16,000, but the system has no files for most of them."""
        with Service(files=400) as service:
            with Crowd(service, 500), Crowd(service, 1):
                service.hang_up()
                self.assertTrue(service.wait_for(lambda: service.manage("GET", "/metrics").status == 200))
                self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200))
            self.assertIn({"event": "few_files", "connections_max": 80},
                          [{name: line.get(name) for name in ("event", "connections_max")} for line in service.log()])
        with self.assertRaisesRegex(NotStarted, r"may open only 320 files \(ulimit -n\); sottod needs at least 321"):
            Service(files=320).__enter__()


class Experiments(unittest.TestCase):
    def test_hundreds_of_experiments_in_one_process(self):
        draw = random.Random(SEED)
        with Service() as service:
            experiments = [service.create({"series": i}, {"epoch": 20 if i % 3 == 0 else 1000}) for i in range(300)]
            self.assertEqual(len(set(experiments)), 300)
            bodies = []
            for e in experiments:
                frames = service.frames(e, 24)
                bodies += [(e, frames[i:i + 8]) for i in range(0, 24, 8)]
            draw.shuffle(bodies)
            for e, frames in bodies:
                self.assertEqual(service.post(e, frames).status, 204)
            due = experiments[::3]
            self.assertTrue(service.wait_for(lambda: all(service.model(e)[0] == 1 for e in due), HANGS_S))
            models = {e: service.model(e) for e in experiments}
            self.assertEqual({models[e][0] for e in experiments if e not in due}, {0})
            self.assertEqual(len({models[e][1] for e in due}), 100)
            counted = [service.counts(e) for e in experiments]
            for end in (service.kill, service.stop):
                end()
                service.start()
                self.assertEqual({e: service.model(e) for e in experiments}, models)
                self.assertEqual([service.counts(e) for e in experiments], counted)
            for e, frames in bodies[:100]:  # all are known
                self.assertEqual(service.post(e, frames).status, 204)
            again = service.metrics()
            self.assertEqual(again["sottod_reports_folded_total"], 300 * 24)
            self.assertEqual(again["sottod_reports_duplicate_total"], 800)
            listed = json.loads(service.manage("GET", "/v1/experiments").body)["experiments"]
            self.assertEqual([row["id"] for row in listed], experiments)


class Backlog(unittest.TestCase):
    """20,000 people of epoch 0 have sent requests when the epoch is due."""
    CROWD, LINES, FRAMES_A_POST = 20000, 200, 10  # ten POSTs each: no more than may be sent ahead

    def texts(self, crowd, experiment, frames):
        """What each connection sends: one POST after the other."""
        bodies = [frames[i:i + self.FRAMES_A_POST] for i in range(0, len(frames), self.FRAMES_A_POST)]
        return [b"".join(crowd.post(experiment, body) for body in bodies[i::self.LINES]) for i in range(self.LINES)]

    @unittest.skipIf(os.environ["SANITIZE"], "the clock of this test cannot be loaded before the sanitizer")
    def test_an_epoch_does_not_end_while_its_reports_wait_at_the_door(self):
        service = Service("--idle-s-max", 600)
        clock = Clock(service.home / "clock")
        service.env = plain_environment(LD_PRELOAD=os.environ["SHIFTED_CLOCK"], STEADY_SHIFT=str(clock.file))
        with service:
            # A due epoch waits at most this long.
            experiment = service.create({"epoch_lag_max": 1}, {"epoch": 100, "epoch_seconds_min": 60})
            frames = service.frames(experiment, self.CROWD)
            with Crowd(service, self.LINES) as crowd:
                self.assertTrue(service.wait_for(
                    lambda: service.metrics()["sottod_connections", "public"] >= self.LINES))
                service.process.send_signal(signal.SIGSTOP)
                crowd.send(self.texts(crowd, experiment, frames))
                clock.passes(61)  # with the first 100 the epoch is due
                service.process.send_signal(signal.SIGCONT)
                posts = self.CROWD // self.FRAMES_A_POST
                self.assertEqual(crowd.statuses(posts // self.LINES), [204] * posts)
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1))
            self.assertEqual(service.counts(experiment),
                             {"folded": self.CROWD, "late": 0, "duplicate": 0, "conflicting": 0})
            rows = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
            self.assertEqual([row["learn"] for row in rows], [self.CROWD])  # all are in the first one
            self.assertEqual(service.metrics()["sottod_publishes_in_backlog_total"], 0)

    def test_a_crowd_that_lasts_for_epochs_is_not_late_within_their_lag(self):
        """The reports come for longer than an epoch lasts, and all are of epoch 0."""
        with Service() as service:
            experiment = service.create({"epoch_lag_max": 16}, {"epoch": 100})
            frames = service.frames(experiment, self.CROWD)
            with Crowd(service, self.LINES) as crowd:
                texts = self.texts(crowd, experiment, frames)
                posts = self.CROWD // self.FRAMES_A_POST // self.LINES
                size = len(texts[0]) // posts
                for turn in range(posts):
                    crowd.send(text[turn * size:(turn + 1) * size] for text in texts)
                    time.sleep(0.25)
                self.assertEqual(crowd.statuses(posts), [204] * (posts * self.LINES))
            epoch, counts = service.model(experiment)[0], service.counts(experiment)
            self.assertGreaterEqual(epoch, 1)  # it did not wait for the end
            if epoch > 16:
                self.skipTest("this machine was so slow that reports came after their lag")
            self.assertEqual(counts, {"folded": self.CROWD, "late": 0, "duplicate": 0, "conflicting": 0})
            self.assertEqual(service.metrics()["sottod_publishes_in_backlog_total"], 0)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
