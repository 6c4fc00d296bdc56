#!/usr/bin/env python3
"""What an observer sees of a device: which bytes it sends, and when."""
import struct
import threading
import unittest

from device_driver import Device, Experiment, Directory
from hostile_server import Certificates, Server, cut, once, reply, silent, tunnel
from ledger_reader import Ledger

SOON = Experiment()
TIMED = Experiment(1, 1)
STEADY = "refresh=86400000"


class Looks(unittest.TestCase):
    def requests_of(self, reward, ledger="memory", rounds=3):
        with Server() as server, Device() as device:
            SOON.serve(server, epoch=4)
            device.join(SOON, server.place, ledger, site="refresh=50")
            device.do(f"play {rounds} {reward}")
            device.do(f"until acknowledged {rounds} 60000")
            self.assertTrue(device.run_until(lambda: len(server.seen("model")) > 1))
            return [(each.raw.replace(str(server.port).encode(), b"PORT"), each) for each in server.seen()]

    def test_the_requests_of_two_devices_differ_in_nonce_and_payload_alone(self):
        with Directory() as directory:
            one, two = self.requests_of("1"), self.requests_of("-", f"create {directory / 'ledger'}")
        shapes = []
        for requests in (one, two):
            kinds = {}
            for raw, request in requests:
                head = raw[:len(raw) - len(request.body)]
                self.assertEqual(request.body[:24], b"STR1" + SOON.id + struct.pack("<I", 4) if request.body else b"")
                kinds.setdefault((request.method, request.path.rsplit("/", 1)[1], len(request.body)), set()).add(head)
            shapes.append(kinds)
        self.assertEqual(*shapes)
        self.assertEqual(set(shapes[0]), {("GET", "terms", 0), ("GET", "model", 0), ("POST", "reports", 42)})
        self.assertEqual(len(shapes[0]["POST", "reports", 42]), 1)
        self.assertEqual(len(shapes[0]["GET", "model", 0]), 2)  # with its epoch once it has one

    def test_there_is_no_header_that_others_do_not_send(self):
        for _, request in self.requests_of("1"):
            allowed = {"host", "accept", "", "user-agent"}
            if request.method == "POST":
                allowed |= {"content-type", "content-length"}
                self.assertEqual(request.headers["content-type"], "application/octet-stream")
            elif request.path.endswith("model"):
                allowed |= {"if-none-match"}
            self.assertLessEqual(set(request.headers), allowed)
            self.assertNotRegex(request.headers.get("user-agent", ""), "[0-9]")

    def test_the_same_experiment_through_a_relay_goes_there_with_its_reports_only(self):
        with Server() as server, Server() as relay, Device() as device:
            SOON.serve(server)
            SOON.serve(relay)
            device.join(SOON, server.place, site=f"relay={relay.place}/out{SOON.path()} {STEADY}")
            device.do("play 2 1")
            device.do("until acknowledged 2 60000")
            self.assertEqual({each.path for each in relay.seen()}, {"/out" + SOON.path("reports")})
            self.assertEqual({each.path for each in server.seen()}, {SOON.path("terms"), SOON.path("model")})
            self.assertEqual(len(relay.seen()), 2)

    def test_a_proxy_is_the_one_of_the_options_and_never_that_of_the_environment(self):
        with Directory() as directory, Server() as proxy, Server() as other:
            certificates = Certificates(directory.path)
            there = {name: other.place for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy",
                                                    "HTTPS_PROXY")}
            proxy.on("*", tunnel)
            with Server(certificates.issue("right")) as server:
                SOON.serve(server)
                trust = f"timeout=60000 ca={directory / 'ours.pem'}"
                with Device(**there) as device:
                    device.join(SOON, server.place, wire=trust)
                self.assertEqual(proxy.lines, 0)
                with Device(**there, no_proxy="*", NO_PROXY="*") as device:
                    device.join(SOON, server.place, wire=f"{trust} proxy={proxy.place}")
                    device.do("play 2 1")
                    device.do("until acknowledged 2 60000")
                seen = proxy.seen()
                self.assertEqual({(each.method, each.path) for each in seen}, {("CONNECT", f"127.0.0.1:{server.port}")})
                self.assertFalse(any(SOON.id.hex().encode() in each.raw for each in seen))
                self.assertEqual(len(server.seen("reports")), 2)
                self.check_no_way_around(server, trust)
            self.assertEqual(other.lines, 0)

    def check_no_way_around(self, server, trust):
        """A missing proxy, or one that refuses, is reported."""
        with Server() as gone:
            pass
        with Server() as refusing:
            before = server.lines
            for proxy in (gone, refusing):
                with Device() as device:
                    device.open(SOON, server.place, f"{trust} proxy={proxy.place}")
                    device.do("until told 1 60000")
                    self.assertEqual((device.do("state"), server.lines), ("asking", before))
                    self.assertRegex(device.fault("site"), "(?i)proxy|connect")

    def test_http_on_this_machine_goes_through_no_proxy(self):
        with Server() as server, Server() as proxy, Device() as device:
            SOON.serve(server)
            device.join(SOON, server.place, wire=f"timeout=60000 proxy={proxy.place}")
            self.assertEqual(proxy.lines, 0)

    def test_no_session_of_an_earlier_connection_comes_back(self):
        with Directory() as directory, Server(Certificates(directory.path).issue("right")) as server, Device() as device:
            SOON.serve(server)
            server.on("model", [cut(200, SOON.model()), cut(200, SOON.model(1)), cut(200, SOON.model(2))])
            device.join(SOON, server.place, wire=f"timeout=60000 ca={directory / 'ours.pem'}", site="refresh=20")
            self.assertTrue(device.run_until(lambda: len(server.seen("model")) > 2))
            self.assertEqual(server.resumed, 0)


class Times(unittest.TestCase):
    def test_a_device_that_leaves_while_requests_are_under_way_leaves_no_trace(self):
        for parts in (("device", "site", "wire"), ("device",)):
            with self.subTest(parts), Server() as server, Device() as device, Directory() as directory:
                left = threading.Event()
                SOON.serve(server, once(left.is_set, reply(204)))
                device.join(SOON, server.place, f"create {directory / 'ledger'}", wire="timeout=60000 batch=2", site="refresh=10")
                device.do("play 5 1")
                self.assertTrue(device.run_until(lambda: server.seen("reports")))
                device.do("free device")
                left.set()
                device.do("run 250")
                for part in parts[1:]:
                    device.do("free " + part)
                self.assertEqual(device.end(), 0)
                ledger = Ledger(directory / "ledger")
                self.assertEqual(len(ledger.unsent()), 5)
                self.assertLessEqual({frame for frame, _ in server.frames(42)},
                                     {each.sealed for each in ledger.rounds.values()})

    def test_a_server_that_is_silent_about_the_model_does_not_keep_rounds_waiting(self):
        with Server() as server, Device() as device:
            SOON.serve(server)
            device.join(SOON, server.place, site="refresh=20", wire="timeout=60000")
            server.on("model", silent())
            asked = len(server.seen("model"))
            self.assertTrue(device.run_until(lambda: len(server.seen("model")) > asked))
            device.do("play 5 1")
            self.assertEqual(device.do("until acknowledged 5 30000"), "5")  # before it is given up


class Retries(unittest.TestCase):
    def test_the_same_bytes_go_again_after_the_time_that_the_server_asks_for(self):
        with Server() as server, Device() as device, Directory() as directory:
            SOON.serve(server, [reply(503, b"", {"Retry-After": 1}), reply(204)])
            device.join(SOON, server.place, f"create {directory / 'ledger'}")
            device.do("play 1 1")
            device.do("until acknowledged 1 60000")
            first, second = server.seen("reports")
            self.assertEqual(first.raw, second.raw)
            self.assertTrue(1 <= second.at - first.at < 30, second.at - first.at)
            self.assertEqual([event.kind for event in device.events], ["sent", "put_off", "sent", "acknowledged"])
            self.assertEqual(device.counts()["sent"], 1)
            self.assertEqual(Ledger(directory / "ledger").unsent(), [])


if __name__ == "__main__":
    unittest.main()
