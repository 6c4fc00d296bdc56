#!/usr/bin/env python3
"""A device and a server that answers wrongly: each time the device gives a sentence that says what
is wrong, uses no memory for unwanted bytes, sends nothing elsewhere, and neither forgets a report
nor assigns it to the wrong answer."""
import gzip
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

from device_driver import CHECKED, Device, Experiment, Directory
from hostile_server import (BYTES_TYPE, Certificates, Server, chunked, cut, endless, frame, late, raw, reply,
                            silent, slow)
from ledger_reader import Ledger

GIGABYTE = 1 << 30
PIECE = bytes(1 << 16)
MEMORY_KIB = 24 << 10  # more than a working device uses: a gigabyte of answer may not add this much
PAGE = b"<!DOCTYPE html><html><body>Please log in to the network of this hotel.</body></html>"
HTML = {"Content-Type": "text/html"}
JSON = {"Content-Type": "application/json"}
HERE = Experiment()
OTHER = Experiment(series=7)


PATIENT = "timeout=60000"


def wire_for(words):
    """Only servers that do not answer in time get a short timeout."""
    return "timeout=400" if words.startswith("time") else PATIENT


def weaker(terms):
    """The same terms, with twice the weight for the codewords near the secret."""
    changed = bytearray(terms)
    for codebook in (128, 172):
        weight = struct.unpack_from("<Q", terms, codebook + 20)[0]
        struct.pack_into("<Q", changed, codebook + 20, 2 * weight)
    return bytes(changed)


def error(status, field=None, **headers):
    text = f'"{field}"' if field else "null"
    return reply(status, b'{"error": "no", "field": %s, "value": null, "allowed": null}' % text.encode(),
                 {**JSON, **headers})


# name, answer, the states that it may lead to, words of which one is in the sentence
WRONG = [
    ("an HTML page", reply(200, PAGE, HTML), {"asking"}, f"{len(PAGE)} bytes|too long"),
    ("a long HTML page", reply(200, PAGE * 100, HTML), {"asking"}, "too long"),
    ("silence", silent(), {"asking"}, "time|answer"),
    ("a byte each second", slow(frame(200, HERE.terms)), {"asking"}, "time|answer"),
    ("the end in the middle of the body", cut(200, HERE.terms[:100], BYTES_TYPE, 284), {"asking"},
     "answer|connection|closed|body|transfer"),
    ("HTTP/0.9", raw(HERE.terms), {"asking"}, "HTTP|answer|connection"),
    ("endless headers", endless(b"HTTP/1.1 200 OK\r\n", b"X-%s: %s\r\n" % (b"a" * 50, b"b" * 5000), 20000), {"asking"},
     "head|large|long|answer"),
    ("a gigabyte", endless(frame(200, b"", BYTES_TYPE, GIGABYTE), PIECE, GIGABYTE // len(PIECE)),
     {"asking", "refused"}, "bytes|long|large"),
    ("a gigabyte in chunks", chunked(PIECE, GIGABYTE // len(PIECE)), {"asking", "refused"}, "bytes|long|large"),
    ("a bomb", reply(200, gzip.compress(bytes(1 << 24)), {"Content-Encoding": "gzip"}), {"asking", "refused"},
     "bytes|long|large|frame|encod"),
    ("endless preliminary answers", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, 10000), {"asking"}, "100"),
    ("a protocol that nobody asked for", raw(b"HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n" + PIECE),
     {"asking"}, "101"),
    ("an endless header", endless(b"HTTP/1.1 200 OK\r\nX: ", PIECE.replace(b"\0", b"a"), 3000), {"asking"}, "no answer"),
    ("an endless trailer", endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                                   b"X: %s\r\n" % (b"a" * 60000), 3000), {"asking"}, "no answer"),
    ("a length below 0", raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n" + HERE.terms), {"asking"}, "length"),
    ("a length for a terminal", raw(b"HTTP/1.1 200 OK\r\nContent-Length: \x1b[31m\r\n\r\n"), {"asking"}, "length"),
    ("a compressed transfer", endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                                      b"10000\r\n" + PIECE + b"\r\n", 100), {"asking"}, "no answer"),
    ("a long page with 500", reply(500, PAGE * 100, HTML), {"asking"}, "500"),
    ("a long page with 404", reply(404, PAGE * 100, HTML), {"gone"}, "404"),
]


class Case(unittest.TestCase):
    def ask_site(self, prepare, experiment=HERE, wire=PATIENT):
        """The state and the fault of a site with these answers. It must not need much memory."""
        with Server() as server, Device() as device:
            experiment.serve(server)
            prepare(server)
            device.open(experiment, server.place, wire)
            before = int(device.do("memory"))
            device.do("until told 1 60000")
            state, fault = device.do("state"), device.fault("site")
            if not CHECKED:
                self.assertLess(int(device.do("memory")) - before, MEMORY_KIB)
            self.assertEqual(server.seen("reports"), [])
            self.assertEqual(device.end(), 0)
            self.seen = server.seen()
        return state, fault

    def assert_sentence(self, fault, words):
        self.assertRegex(fault, f"(?i){words}")
        self.assertGreater(len(fault.split()), 2, fault)
        self.assertTrue(fault.isprintable() and len(fault) < 512, fault)


class Sites(Case):
    def test_wrong_answers_are_named_and_nothing_is_begun(self):
        for route in ("terms", "model"):
            for name, answer, states, words in WRONG:
                with self.subTest(name, route=route):
                    state, fault = self.ask_site(lambda server, a=answer, r=route: server.on(r, a), wire=wire_for(words))
                    self.assertIn(state, states, fault)
                    self.assert_sentence(fault, words)

    def test_terms_with_weaker_constants_are_refused_though_their_id_fits(self):
        weak = weaker(HERE.terms)
        liar = Experiment().take(weak)
        self.assertNotEqual(liar.id, HERE.id)
        self.assertEqual(liar.id, hashlib.sha256(weak).digest()[:16])
        state, fault = self.ask_site(lambda server: None, liar)
        self.assertEqual(state, "refused")
        self.assert_sentence(fault, "weight|protect|weak")

    def test_a_tag_that_marks_a_person_does_not_come_back(self):
        with Server() as server, Device() as device:
            HERE.serve(server)
            server.on("model", reply(200, HERE.model(epoch=5), {**BYTES_TYPE, "ETag": '"person-17"',
                                                                "Set-Cookie": "who=17", "Last-Modified":
                                                                "Wed, 01 Jan 2020 00:00:00 GMT"}))
            device.open(HERE, server.place, site="refresh=20")
            self.assertTrue(device.run_until(lambda: len(server.seen("model")) > 3))
            asked = server.seen("model")
            self.assertEqual({request.headers.get("if-none-match") for request in asked[1:]}, {'"5"'})
            self.assertFalse(any(b"17" in request.raw.split(b"\r\n", 1)[1].replace(HERE.id.hex().encode(), b"")
                                 .replace(str(server.port).encode(), b"") for request in asked))
            self.assertFalse(any(name in request.headers for request in asked
                                 for name in ("cookie", "if-modified-since", "referer")))

    def test_a_worse_model_does_not_replace_a_good_one(self):
        for bad, words in ((reply(200, PAGE, HTML), "model"), (error(503), "503"), (reply(302), "302"),
                           (reply(200, HERE.model(6, (float("nan"), 0, 0, 0))), "model")):
            with self.subTest(words), Server() as server, Device() as device:
                HERE.serve(server, epoch=5)
                device.join(HERE, server.place, site="refresh=20")
                server.on("model", bad)
                self.assertTrue(device.run_until(lambda: device.fault("site") != "-"))
                self.assert_sentence(device.fault("site"), words)
                self.assertEqual((device.do("epoch"), device.do("state")), ("5", "ready"))
                device.do("play 1 1")
                device.do("until acknowledged 1 60000")
                self.assertEqual({struct.unpack_from("<I", each, 20)[0] for each, _ in server.frames(42)}, {5})


class Urls(Case):
    def test_what_cannot_be_used_is_named(self):
        """One of each kind: tests/unit/transport/test_options.c has all."""
        with Device() as device:
            self.assert_sentence(device.ask("wire timeout=99").text, "timeout_ms")
            device.do("wire")
            path, far = HERE.path(), "http://127.0.0.1@example.org" + HERE.path()
            for words, name in (("url=" + far, "url"), (f"url=https://example.org{path} relay={far}", "relay"),
                                (f"url=https://example.org{path}?x=1", "url"), ("url=http://[::2]" + path, "url"),
                                (f"url=https://example.org{path} refresh=9", "refresh_ms")):
                with self.subTest(words):
                    answer = device.ask("site " + words)
                    self.assertEqual(answer.status, "E_FAULT")
                    self.assert_sentence(answer.text, name)


class Reports(Case):
    def send_one(self, answers, directory, wire=PATIENT, device_words="", count=1, wanted="put_off 1", experiment=HERE):
        """A device that plays with these answers: what it reports, its ledger and what arrived."""
        with Server() as server, Device() as device:
            experiment.serve(server, answers)
            path = directory / f"ledger{len(list(directory.path.iterdir()))}"
            device.join(experiment, server.place, f"create {path}", device_words, wire)
            device.do(f"play {count} 1")
            before = int(device.do("memory"))
            device.do(f"until {wanted} 60000")
            device.do("run 50")
            if not CHECKED:
                self.assertLess(int(device.do("memory")) - before, MEMORY_KIB)
            ledger, counts, fault = Ledger(path), device.counts(), device.fault("device")
            self.assertEqual(device.end(), 0)
            self.assert_booked(server, ledger)
            return ledger, counts, fault, server.frames(42), device.events

    def assert_booked(self, server, ledger):
        """Only sealed reports arrived."""
        for arrived, _ in server.frames(42):
            self.assertEqual(ledger.rounds[arrived[24:40]].sealed, arrived)

    def test_only_204_lets_a_report_be_forgotten(self):
        cases = [("a page", reply(200, PAGE, HTML), "200"), ("503", error(503), "503"), ("silence", silent(), "time|answer"),
                 ("late", late(0.7, reply(204)), "time|answer"), ("the end", raw(b""), "answer|connection|closed"),
                 ("half a head", raw(b"HTTP/1.1 20"), "answer|connection|closed|HTTP"),
                 ("a gigabyte", endless(frame(200, b"", length=GIGABYTE), PIECE, GIGABYTE // len(PIECE)), "200|bytes|long|large"),
                 ("a gigabyte in chunks", chunked(PIECE, GIGABYTE // len(PIECE)), "200|bytes|long|large"),
                 ("endless headers", endless(b"HTTP/1.1 204 Fine\r\n", b"X: %s\r\n" % (b"b" * 5000), 20000), "head|large|long|answer")]
        with Directory() as directory:
            for name, answer, words in cases:
                with self.subTest(name):
                    ledger, counts, fault, frames, events = self.send_one(answer, directory, wire_for(words))
                    # libcurl retries once by itself if a reused connection is closed
                    self.assertLessEqual(len(frames), 2 if "the end" in name or "half" in name else 1)
                    self.assertEqual((counts["sent"], counts["acknowledged"], counts["dropped"]), (1, 0, 0))
                    self.assertEqual(counts["put_off"], 1)
                    self.assert_sentence(fault, words)
                    self.assertEqual([event.kind for event in events], ["sent", "put_off"])
                    self.assertEqual({event.frame for event in events}, {arrived for arrived, _ in frames})
                    self.assertEqual(len(ledger.unsent()), 1)

    def test_a_report_that_is_refused_for_good_is_dropped_and_counted(self):
        with Directory() as directory:
            for status, answer in ((400, error(400, "index")), (410, error(410)), (404, reply(404, PAGE * 100, HTML))):
                with self.subTest(status):
                    ledger, counts, fault, frames, events = self.send_one(answer, directory, wanted="dropped 1")
                    self.assertEqual((counts["acknowledged"], counts["dropped"], len(frames)), (0, 1, 1))
                    self.assert_sentence(fault, str(status))
                    self.assertEqual(events[-1].kind, "dropped")
                    self.assert_sentence(events[-1].why, str(status))
                    self.assertEqual([each.dropped for each in ledger.rounds.values()], [True])

    def test_a_redirect_takes_no_report_elsewhere(self):
        with Directory() as directory, Server() as elsewhere:
            HERE.serve(elsewhere)
            for status in (301, 307):
                place = {"Location": elsewhere.place + HERE.path("reports")}
                counts = self.send_one(reply(status, b"", place), directory)[1]
                self.assertEqual(counts["acknowledged"], 0)
            self.assertEqual(elsewhere.lines, 0)

    def test_a_cookie_does_not_come_back(self):
        cookie = {"Set-Cookie": "who=17; Path=/", "Alt-Svc": 'h2="elsewhere.example:443"',
                  "Strict-Transport-Security": "max-age=1000"}
        with Server() as server, Device() as device:
            HERE.serve(server)
            server.on("terms", reply(200, HERE.terms, {**BYTES_TYPE, **cookie}))
            server.on("reports", reply(204, b"", cookie))
            device.join(HERE, server.place)
            device.do("play 3 1")
            device.do("until acknowledged 3 60000")
            self.assertFalse(any("cookie" in request.headers for request in server.seen()))


class Locks(Case):
    """TLS: who the other end is."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.certificates = Certificates(pathlib.Path(cls.directory.name))
        cls.trusted = cls.certificates.directory / "ours.pem"
        cls.right = cls.certificates.issue("right")

    def visit(self, certificate, host="127.0.0.1", trusted=None):
        with Server(certificate) as server, Device(SSL_CERT_FILE=str(self.trusted)) as device:
            HERE.serve(server)
            trust = f" ca={trusted}" if trusted else ""
            device.open(HERE, server.place.replace("127.0.0.1", host), "timeout=60000" + trust)
            device.do("until told 1 60000")
            state, fault = device.do("state"), device.fault("site")
            return state, fault, server.seen()

    def test_the_right_certificate_is_taken_and_a_report_arrives(self):
        with Server(self.right) as server, Device() as device:
            HERE.serve(server)
            device.join(HERE, server.place, wire=f"timeout=60000 ca={self.trusted}")
            device.do("play 2 1")
            self.assertEqual(device.do("until acknowledged 2 60000"), "2")
            self.assertEqual(len(server.seen("reports")), 2)
        self.assertEqual(self.visit(self.right, "localhost", self.trusted)[0], "ready")

    def test_a_certificate_that_does_not_fit_is_an_error_and_no_byte_is_asked(self):
        make = self.certificates.issue
        self.certificates.authority("theirs")
        wrong = {"of somebody else": make("forged", by="theirs"),
                 "expired": make("old", dates=("20200101000000Z", "20200201000000Z")),
                 "not yet": make("new", dates=("20480101000000Z", "20490101000000Z")),
                 "of another host": make("other", "DNS:example.org,IP:127.0.0.2")}
        for name, certificate in wrong.items():
            with self.subTest(name):
                state, fault, seen = self.visit(certificate, trusted=self.trusted)
                self.assertEqual((state, seen), ("asking", []))
                self.assert_sentence(fault, "certificate")

    def test_a_name_in_a_certificate_gives_a_terminal_no_orders(self):
        made = self.certificates
        made.run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x\x1b[31mred",
                 "-keyout", "red.key", "-out", "red.csr")
        made.run("x509", "-req", "-in", "red.csr", "-CA", "ours.pem", "-CAkey", "ours.key", "-CAcreateserial", "-days", 2,
                 "-out", "red.crt")
        both = made.directory / "red.both"
        both.write_bytes((made.directory / "red.crt").read_bytes() + (made.directory / "red.key").read_bytes())
        state, fault, seen = self.visit(both, trusted=self.trusted)
        self.assertEqual((state, seen), ("asking", []))
        self.assert_sentence(fault, "certificate.*red")

    def test_an_authority_that_was_not_named_is_not_trusted_whatever_the_environment_says(self):
        state, fault, seen = self.visit(self.right)  # SSL_CERT_FILE names it
        self.assertEqual((state, seen), ("asking", []))
        self.assert_sentence(fault, "certificate")

    def test_beside_the_named_file_the_directory_of_the_system_is_not_trusted(self):
        theirs = self.certificates.authority("systems")
        directory = pathlib.Path(self.directory.name) / "system"
        directory.mkdir()
        name = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", theirs], capture_output=True, text=True,
                              check=True).stdout.strip()
        (directory / f"{name}.0").write_bytes(theirs.read_bytes())
        (directory / "ca-certificates.crt").write_bytes(self.trusted.read_bytes())
        alone = ["unshare", "-rm", "sh", "-c", 'mount --bind "$1" /etc/ssl/certs && exec "$2"', "sh", str(directory)]
        if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("needs a directory of certificates that only the device sees: unshare and mount")
        with Server(self.certificates.issue("theirs", by="systems")) as server:
            HERE.serve(server)
            for trust, state in (("", "ready"), (f" ca={self.trusted}", "asking")):
                with Device(program=[*alone, os.environ["DEVICE"]]) as device:
                    device.open(HERE, server.place, "timeout=60000" + trust)
                    device.do("until told 1 60000")
                    self.assertEqual(device.do("state"), state)

    def test_a_file_of_certificates_that_is_not_there_is_named(self):
        state, fault, seen = self.visit(self.right, trusted="/no/such/file")
        self.assertEqual((state, seen), ("asking", []))
        self.assert_sentence(fault, "certificate.*/no/such/file")

    def test_https_is_not_spoken_to_a_server_without_it(self):
        with Server() as server, Device() as device:
            HERE.serve(server)
            device.open(HERE, server.place.replace("http:", "https:"), f"timeout=1000 ca={self.trusted}")
            device.do("until told 1 60000")
            self.assertEqual((device.do("state"), server.seen()), ("asking", []))
            self.assert_sentence(device.fault("site"), "TLS|SSL|connect|answer|secure")


@unittest.skipUnless("SOTTOD" in os.environ, "there is no service in this build")
class Service(Case):
    """The answers of a real service."""

    def test_a_real_service_takes_pauses_and_ends(self):
        from sottod import Service as Sottod  # reads SOTTOD
        with Sottod() as service, Device() as device:
            made = Experiment().take(service.terms(service.create()))
            name = made.id.hex()
            device.join(made, service.public, site="refresh=50")
            device.do("play 20 1")
            self.assertEqual(device.do("until acknowledged 20 60000"), "20")
            self.assertEqual(service.counts(name), {"folded": 20, "late": 0, "duplicate": 0, "conflicting": 0})
            service.change(name, "pause")
            device.do("play 1 1")
            device.do("until put_off 1 60000")
            self.assert_sentence(device.fault("device"), "paused")
            self.assertEqual(device.do("waiting"), "1")
            service.change(name, "delete")
            self.assertTrue(device.run_until(lambda: device.do("state") == "gone"))
            self.assertEqual(device.ask("begin").status, "E_ORDER")
            self.assert_sentence(device.fault("device"), "ended|no such")


if __name__ == "__main__":
    unittest.main()
