#!/usr/bin/env python3
"""sottod and invalid input: each fault has its own answer, nothing of it is stored, and the service
keeps running."""
import itertools
import json
import re
import socket
import struct
import time
import unittest

from replay_journal import Journal
from sottod import LEARNING, SPEC, Service

HANGS_S = 30  # longer than anything that does not hang
BODY_MAX = 1 << 20
NOTHING = {"folded": 0, "late": 0, "duplicate": 0, "conflicting": 0}
serial = itertools.count(1)


class Line:
    """A connection on which the test writes every byte."""

    def __init__(self, place):
        host, port = re.fullmatch(r"http://(.*):(\d+)", place).groups()
        self.name = f"{host}:{port}"
        self.socket = socket.create_connection((host, int(port)), timeout=HANGS_S)
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def head(self, method, path, *headers):
        lines = (f"{method} {path} HTTP/1.1", f"Host: {self.name}", *headers, "", "")
        return "\r\n".join(lines).encode()

    def send(self, data):
        self.socket.sendall(data)

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def answer(self):
        """Status, headers, body; None at the end of the connection."""
        try:
            first = self.file.readline()
        except ConnectionResetError:
            return None
        if not first:
            return None
        status = int(first.split()[1])
        headers = {}
        while (line := self.file.readline().strip()):
            name, value = line.decode().split(":", 1)
            headers[name.lower()] = value.strip()
        return status, headers, self.file.read(int(headers.get("content-length", 0)))


class Requests(unittest.TestCase):
    """One service for all tests: it must survive all of them."""

    @classmethod
    def setUpClass(cls):
        cls.service = Service("--idle-s-max", 60)
        cls.addClassCleanup(cls.service.__exit__)
        cls.service.start()

    def setUp(self):
        self.experiment = self.service.create({"series": next(serial)})
        self.reports = f"/v1/experiments/{self.experiment}/reports"
        self.frames = self.service.frames(self.experiment, 20, seed=next(serial))
        self.size = len(self.frames[0])
        self.before = self.service.model(self.experiment)
        self.taken, self.closed = 0, False

    def tearDown(self):
        """Only what the test names was taken; valid reports still are."""
        self.assertIsNone(self.service.process.poll(), "the service is gone")
        self.assertEqual(self.service.counts(self.experiment), {**NOTHING, "folded": self.taken})
        if self.taken == 0:
            self.assertEqual(self.service.model(self.experiment), self.before)
            self.service.change(self.experiment, "open")
            wanted = 410 if self.closed else 204
            self.assertEqual(self.service.post(self.experiment, self.frames).status, wanted)

    def check_refusal(self, status, headers, body, code, says="."):
        """Errors are JSON: {error, field, value, allowed}."""
        self.assertEqual((status, headers.get("content-type")), (code, "application/json"), body)
        read = json.loads(body)
        self.assertEqual(sorted(read), ["allowed", "error", "field", "value"])
        self.assertTrue(read["error"])
        self.assertRegex(body.decode(), says)
        return read

    def refuse(self, answer, code, says="."):
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return self.check_refusal(answer.status, headers, answer.body, code, says)


class Lengths(Requests):
    TYPE = "Content-Type: application/octet-stream"

    def post_with(self, *headers, body=b""):
        with Line(self.service.public) as line:
            line.send(line.head("POST", self.reports, self.TYPE, *headers) + body)
            return line.answer()

    def test_a_body_without_length_is_refused_with_411(self):
        self.check_refusal(*self.post_with(), 411, "Content-Length")

    def test_a_body_that_is_longer_than_allowed_is_refused_before_it_comes(self):
        for length in (BODY_MAX + 1, BODY_MAX + self.size, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
            with self.subTest(length=length):
                self.check_refusal(*self.post_with(f"Content-Length: {length}"), 413)
        for length in (1 << 64, 10**30):
            with self.subTest(length=length):
                self.assertEqual(self.post_with(f"Content-Length: {length}")[0], 413)

    def test_a_body_that_is_a_little_longer_is_read_and_refused(self):
        """A client that is still sending when the connection is closed may never see the answer."""
        for length in (BODY_MAX // self.size * self.size + 1, BODY_MAX):
            body = (b"".join(self.frames) * (length // self.size))[:length]
            self.check_refusal(*self.post_with(f"Content-Length: {length}", body=body), 413)

    def test_the_longest_body_is_taken(self):
        frames = self.service.frames(self.experiment, BODY_MAX // self.size, seed=next(serial))
        self.assertEqual(self.service.post(self.experiment, frames).status, 204)
        self.taken = len(frames)

    def test_a_length_that_is_no_number_is_refused_with_400(self):
        body = b"".join(self.frames)
        for length in ("-1", "-0", f"+{len(body)}", f"{len(body)}x", "0x28", f"{len(body)} {len(body)}",
                       f"{len(body)}, {len(body)}", "1e3", ""):
            with self.subTest(length=length):
                answer = self.post_with(f"Content-Length: {length}", body=body)
                self.assertIn(answer[0], (400, 411), answer)

    def test_two_lengths_are_refused_with_400(self):
        body = b"".join(self.frames)
        for other in (len(body), 0, self.size):
            answer = self.post_with(f"Content-Length: {len(body)}", f"Content-Length: {other}", body=body)
            self.check_refusal(*answer, 400)

    def test_endless_chunks_are_refused_before_they_are_read(self):
        with Line(self.service.public) as line:
            line.send(line.head("POST", self.reports, self.TYPE, "Transfer-Encoding: chunked"))
            piece = b"2a\r\n" + self.frames[0] + b"\r\n"
            sent, end = 0, time.monotonic() + HANGS_S
            try:
                while time.monotonic() < end:
                    line.send(piece * 100)
                    sent += len(piece) * 100
            except (ConnectionResetError, BrokenPipeError):
                pass
            self.assertLess(time.monotonic(), end, "the service still reads")
            self.assertLess(sent, 64 << 20)
        with Line(self.service.public) as line:  # said aloud to who listens
            line.send(line.head("POST", self.reports, self.TYPE, "Transfer-Encoding: chunked") + piece)
            self.check_refusal(*line.answer(), 411, "Content-Length")
            self.assertIsNone(line.answer())

    def test_a_length_and_chunks_together_are_refused(self):
        body = b"".join(self.frames)
        for length in ("0", str(len(body))):
            answer = self.post_with(f"Content-Length: {length}", "Transfer-Encoding: chunked", body=body)
            self.assertIn(answer[0], (400, 411), answer)

    def test_a_connection_that_is_half_closed_before_the_body_is_whole_has_given_nothing(self):
        body = b"".join(self.frames)
        for sent in (0, 1, self.size, len(body) - 1):
            with self.subTest(sent=sent), Line(self.service.public) as line:
                line.send(line.head("POST", self.reports, self.TYPE, f"Content-Length: {len(body)}") + body[:sent])
                line.half_close()
                self.assertIsNone(line.answer())

    def test_a_connection_that_is_half_closed_after_the_body_is_answered(self):
        with Line(self.service.public) as line:
            line.send(line.head("POST", self.reports, self.TYPE, f"Content-Length: {self.size}") + self.frames[0])
            line.half_close()
            self.assertEqual(line.answer()[0], 204)
            self.assertIsNone(line.answer())
        self.taken = 1

    def test_a_head_that_never_ends_holds_up_nobody(self):
        with Line(self.service.public) as slow:
            slow.send(b"POST " + self.reports.encode() + b" HTTP/1.1\r\nHost: x\r\nX-")
            self.assertEqual(self.service.get("/healthz").status, 200)
            slow.send(b"a" * 100)
            self.assertEqual(self.service.get("/healthz").status, 200)

    def test_a_head_that_is_too_long_is_refused(self):
        for extra in (f"X-Long: {'a' * 9000}", "\r\n".join(f"X-{i}: b" for i in range(500))):
            answer = self.post_with("Content-Length: 0", extra)
            self.assertIn(answer and answer[0], (413, 431, None))
        with Line(self.service.public) as line:
            line.send(line.head("GET", "/" + "a" * 9000))
            answer = line.answer()
            self.assertIn(answer and answer[0], (414, None))

    def test_what_is_no_http_ends_the_connection(self):
        for text in (b"\r\n\r\n\r\n\r\n", b"\0" * 400, b"\xff" * 400 + b"\r\n\r\n", b"GET\r\n\r\n",
                     b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 40):
            with self.subTest(text=text[:20]), Line(self.service.public) as line:
                line.send(text)
                line.half_close()
                answer = line.answer()
                if answer is not None:
                    self.assertGreaterEqual(answer[0], 400)
                    self.assertIsNone(line.answer())

    def test_pipelined_requests_are_answered_in_their_order(self):
        with Line(self.service.public) as line:
            text, wanted = b"", []
            for i, frame in enumerate(self.frames[:8]):  # as many as may be sent ahead
                text += line.head("POST", self.reports, self.TYPE, f"Content-Length: {self.size}") + frame
                text += line.head("GET", ("/healthz", "/nothing")[i % 2])
                wanted += [204, (200, 404)[i % 2]]
            line.send(text)
            self.assertEqual([line.answer()[0] for _ in wanted], wanted)
        self.taken = 8

    def test_a_request_behind_one_that_is_refused_is_not_read_from_its_body(self):
        """Otherwise the body of one person's request could be taken for another's request."""
        hidden = (f"POST {self.reports} HTTP/1.1\r\nHost: x\r\n{self.TYPE}\r\n"
                  f"Content-Length: {self.size}\r\n\r\n").encode() + self.frames[0]
        for code, path, length in ((404, "/nothing", len(hidden)), (413, self.reports, BODY_MAX + 1)):
            with self.subTest(code=code), Line(self.service.public) as line:
                line.send(line.head("POST", path, self.TYPE, f"Content-Length: {length}") + hidden)
                self.assertEqual(line.answer()[0], code)
                self.assertIsNone(line.answer())


class TypesAndMethods(Requests):
    def test_a_wrong_type_is_refused_with_415(self):
        body = b"".join(self.frames)
        for headers in ({}, {"Content-Type": "application/json"}, {"Content-Type": "text/plain"},
                        {"Content-Type": "application/octet-streams"}, {"Content-Type": ""}):
            answer = self.service.ask(self.service.public, "POST", self.reports, body, headers)
            self.refuse(answer, 415, "application/octet-stream")
        create = json.dumps({"spec": {**SPEC, "series": next(serial)}, "learning": LEARNING}).encode()
        for kind in ("application/octet-stream", "text/json", ""):
            headers = {"Authorization": "Bearer " + self.service.token, "Content-Type": kind}
            answer = self.service.ask(self.service.admin, "POST", "/v1/experiments", create, headers)
            self.refuse(answer, 415, "application/json")

    def test_a_wrong_method_is_refused_with_those_that_are_allowed(self):
        path = f"/v1/experiments/{self.experiment}"
        for method, end, allowed in (("GET", "/reports", "POST"), ("PUT", "/reports", "POST"),
                                     ("DELETE", "/reports", "POST"), ("PATCH", "/reports", "POST"),
                                     ("BREW", "/reports", "POST"), ("POST", "/model", "GET"),
                                     ("DELETE", "/terms", "GET")):
            answer = self.service.ask(self.service.public, method, path + end)
            self.refuse(answer, 405, allowed)
            self.assertIn(allowed, answer.headers["Allow"])
        answer = self.service.manage("PUT", path)
        self.refuse(answer, 405)
        self.assertIn("DELETE", answer.headers["Allow"])

    def test_what_the_admin_port_has_the_public_port_has_not(self):
        for method, path in (("GET", "/v1/experiments"), ("POST", "/v1/experiments"), ("GET", "/metrics"),
                             ("DELETE", f"/v1/experiments/{self.experiment}"),
                             ("POST", f"/v1/experiments/{self.experiment}/close")):
            headers = {"Authorization": "Bearer " + self.service.token}
            self.refuse(self.service.ask(self.service.public, method, path, headers=headers), 404)


class Frames(Requests):
    def test_a_body_of_no_whole_frames_is_refused(self):
        body = b"".join(self.frames)
        for wrong in (b"", body[:1], body[:-1], body + b"\0", body[:self.size - 1], body[1:]):
            with self.subTest(length=len(wrong)):
                self.refuse(self.service.post(self.experiment, [wrong]), 400)

    def test_a_flipped_bit_before_the_nonce_is_refused_with_the_place_of_its_frame(self):
        """Magic, version, id, epoch: the first 24 of 42 bytes. The rest is a valid report whatever
        its bits."""
        for at in range(24):
            for bit in (0, 7):
                wrong = bytearray(self.frames[7])
                wrong[at] ^= 1 << bit
                frames = [*self.frames[:7], bytes(wrong), *self.frames[8:]]
                with self.subTest(at=at, bit=bit):
                    self.refuse(self.service.post(self.experiment, frames), 400, r"\b7\b")

    def test_a_codeword_that_is_none_is_refused(self):
        wrong = self.frames[3][:40] + b"\xff\xff"
        self.refuse(self.service.post(self.experiment, [*self.frames[:3], wrong]), 400)

    def test_a_report_from_the_future_is_refused(self):
        wrong = self.frames[3][:20] + struct.pack("<I", 1) + self.frames[3][24:]
        self.refuse(self.service.post(self.experiment, [*self.frames[:3], wrong]), 400)

    def test_a_frame_of_another_experiment_among_good_ones_is_refused_and_none_is_taken(self):
        other = self.service.create({"series": next(serial)})
        strange = self.service.frames(other, 1)
        for place in (0, 10, 20):
            frames = [*self.frames[:place], *strange, *self.frames[place:]]
            self.refuse(self.service.post(self.experiment, frames), 400, rf"\b{place}\b")
        self.assertEqual(sum(self.service.counts(other).values()), 0)
        self.assertEqual(sum(self.service.counts(self.experiment).values()), 0)
        self.assertEqual(self.service.model(self.experiment), self.before)
        # Sent without it they are new, and what the learner saw is they and nothing else.
        self.assertEqual(self.service.post(self.experiment, self.frames).status, 204)
        self.taken = len(self.frames)
        replay = Journal(self.service.directory).replay(self.experiment)
        self.assertEqual(sorted(replay.frames), sorted(self.frames))
        self.assertEqual(self.service.counts(self.experiment), replay.counts)

    def test_an_answer_never_has_bytes_of_a_report(self):
        wrong = b"secret" * 7
        answer = self.service.post(self.experiment, [*self.frames, wrong])
        self.refuse(answer, 400)
        for secret in (b"secret", wrong.hex().encode(), self.frames[0][24:40], self.frames[0][24:40].hex().encode()):
            self.assertNotIn(secret, answer.body)


class Ids(Requests):
    def test_an_id_that_is_not_there_is_refused_with_404(self):
        for name in ("0" * 32, "f" * 32, self.experiment[:31], self.experiment + "0", "x" * 32, "%00" * 8, "..",
                     "a" * 150):
            path = f"/v1/experiments/{name}"
            for method, end in (("GET", "/terms"), ("GET", "/model"), ("GET", "/privacy"), ("POST", "/reports")):
                body = b"".join(self.frames) if method == "POST" else None
                headers = {"Content-Type": "application/octet-stream"} if body else {}
                self.refuse(self.service.ask(self.service.public, method, path + end, body, headers), 404)
            self.refuse(self.service.manage("DELETE", path), 404)

    def test_a_paused_one_takes_no_reports_until_it_is_opened(self):
        self.assertEqual(self.service.change(self.experiment, "pause").status, 200)
        self.refuse(self.service.post(self.experiment, self.frames), 409, "paused")
        self.assertEqual(self.service.get(f"/v1/experiments/{self.experiment}/model").status, 200)

    def test_a_closed_one_takes_no_reports_for_good(self):
        self.assertEqual(self.service.change(self.experiment, "close").status, 200)
        self.refuse(self.service.post(self.experiment, self.frames), 410, "closed")
        self.refuse(self.service.change(self.experiment, "open"), 409)
        self.closed = True
        self.assertEqual(self.service.get(f"/v1/experiments/{self.experiment}/model").status, 200)

    def test_a_deleted_one_is_gone_and_its_terms_are_not_used_again(self):
        spec = {"series": next(serial)}
        gone = self.service.create(spec)
        frames = self.service.frames(gone, 3)
        self.assertEqual(self.service.post(gone, frames).status, 204)
        self.assertEqual(self.service.change(gone, "delete").status, 200)
        self.refuse(self.service.post(gone, frames), 410)
        for end in ("terms", "model", "privacy"):
            self.refuse(self.service.get(f"/v1/experiments/{gone}/{end}"), 410)
        body = {"spec": {**SPEC, **spec}, "learning": LEARNING}
        self.refuse(self.service.manage("POST", "/v1/experiments", body), 409, "series")


class Create(Requests):
    """The body that creates an experiment."""

    def setUp(self):
        super().setUp()
        self.there = self.service.manage("GET", "/v1/experiments").body

    def send(self, text):
        headers = {"Authorization": "Bearer " + self.service.token, "Content-Type": "application/json"}
        return self.service.ask(self.service.admin, "POST", "/v1/experiments", text, headers)

    def refuse_text(self, text, code=400, says=".", field=None):
        got = self.refuse(self.send(text), code, says)
        if field is not None:
            self.assertEqual(got["field"], field)
        self.assertEqual(self.service.manage("GET", "/v1/experiments").body, self.there)
        return got

    def body(self, spec=None, learning=None, **more):
        return {"spec": {**SPEC, "series": next(serial), **(spec or {})}, "learning": {**LEARNING, **(learning or {})},
                **more}

    def refuse_body(self, field, spec=None, learning=None, says=".", **more):
        got = self.refuse_text(json.dumps(self.body(spec, learning, **more)), field=field, says=says)
        self.assertTrue(got["allowed"], got)

    def test_what_is_no_json_object_is_refused(self):
        good = json.dumps(self.body())
        for text in ("", " ", "{", good[:-1], good + "x", good + good, "[]", "null", "1", '"spec"', good.replace(":", "="),
                     "\0", good.replace(" ", "\0"), "\ufeff" + good):
            with self.subTest(text=text[:20]):
                self.refuse_text(text.encode())

    def test_json_that_is_too_deep_is_refused(self):
        for depth in (9, 100, 30000):
            self.refuse_text('{"labels":' + "[" * depth + "]" * depth + "}", says="deep|levels")
        for text in ("[" * 60000, '{"a":' * 9 + "1" + "}" * 9, '{"a":' * 12000):
            self.refuse_text(text, says="deep|levels")

    def test_json_that_is_too_long_is_refused(self):
        text = json.dumps(self.body(labels={"a": "b"}))
        self.refuse_text(text + " " * (65537 - len(text)), code=413)
        answer = self.send(text + " " * (65536 - len(text)))
        self.assertEqual(answer.status, 201)

    def test_a_key_that_comes_twice_is_refused_by_its_path(self):
        good = json.dumps(self.body())
        for text, field in ((good.replace('"dim": 2', '"dim": 2, "dim": 2'), "spec.dim"),
                            (good.replace('"epoch": 1000', '"epoch": 1000, "epoch": 5'), "learning.epoch"),
                            (good[:-1] + ', "spec": {}}', "spec")):
            self.assertNotEqual(text, good)
            self.refuse_text(text, field=field, says="twice")

    def test_a_name_that_is_unknown_is_refused_with_those_that_are_known(self):
        self.refuse_body("spec.epsilom", {"epsilom": 1}, says="epsilon")
        self.refuse_body("learning.epochs", learning={"epochs": 1}, says="epoch_seconds_min")
        self.refuse_body("label", label={}, says="labels")

    def test_a_value_of_another_type_is_refused_by_its_path(self):
        for field, value in (("dim", "2"), ("dim", 2.5), ("dim", None), ("dim", [2]), ("dim", True), ("dim", {}),
                             ("arms", -3), ("arms", 2**63), ("arms", 10**30), ("epsilon", "1"), ("epsilon", []),
                             ("reward_kind", 1), ("reward_kind", "Binary"), ("reward_kind", None), ("link", "none"),
                             ("series", -1), ("series", 2**32)):
            with self.subTest(field=field, value=value):
                text = json.dumps(self.body({field: value}))
                got = self.refuse_text(text)
                if value != 10**30:  # that one is no number that a JSON reader has
                    self.assertEqual(got["field"], "spec." + field)
        for part in ("spec", "learning", "labels"):
            for value in (1, "x", [], None):
                if (part, value) == ("learning", None):
                    continue
                self.refuse_text(json.dumps({**self.body(), part: value}))
        self.refuse_text("{}", field="spec")

    def test_numbers_that_are_none_are_refused(self):
        for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "0x1", "01", ".5", "1.", "1e", "+1"):
            with self.subTest(number=number):
                text = json.dumps(self.body({"epsilon": "HERE"})).replace('"HERE"', number)
                self.refuse_text(text)

    def test_text_that_is_no_utf_8_is_refused(self):
        good = json.dumps(self.body(labels={"name": "HERE"})).encode()
        for wrong in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\\ud800", b"\0", b"\n"):
            with self.subTest(wrong=wrong):
                self.refuse_text(good.replace(b"HERE", wrong))
        self.refuse_text(good.replace(b'"name"', b'"\xff"'))

    def test_labels_beyond_their_limits_are_refused(self):
        for labels in ({"a": 1}, {"a": {"b": "c"}}, {"a" * 65: "b"}, {"a": "b" * 257}, {"": "b"},
                       {f"a{i}": "b" for i in range(33)}, ["a"], {"a": None}):
            with self.subTest(labels=str(labels)[:40]):
                self.refuse_text(json.dumps(self.body(labels=labels)))

    def test_a_spec_over_the_limits_is_refused_by_its_field(self):
        for field, value in (("dim", 0), ("dim", 10**6), ("arms", 0), ("arms", 1), ("arms", 10**7), ("epsilon", 0),
                             ("epsilon", -1), ("epsilon", 1e9), ("delta", 1), ("epoch_lag_max", 0),
                             ("epoch_lag_max", 17)):
            with self.subTest(field=field, value=value):
                self.refuse_body("spec." + field, {field: value})
        self.refuse_body("learning.epoch_seconds_min", learning={"epoch_seconds_min": 0})
        self.refuse_body("learning.epoch_reports_min", learning={"epoch_reports_min": 0})
        self.refuse_body("learning.epoch_seconds_min", {"reward_window_s": 86400, "epoch_lag_max": 1},
                         {"epoch_seconds_min": 86399}, says="86400")

    def test_what_devices_refuse_by_default_is_made_with_a_warning(self):
        for spec, field in (({"epsilon": 2.5}, "spec.epsilon"), ({"measure": 0.25}, "spec.measure")):
            with self.subTest(spec=spec):
                answer = self.service.manage("POST", "/v1/experiments", self.body(spec))
                self.assertEqual(answer.status, 201, answer.body)
                warnings = json.loads(answer.body)["warnings"]
                self.assertEqual([warning["field"] for warning in warnings], [field])
                self.assertRegex(warnings[0]["allowed"], "at most")
        answer = self.service.manage("POST", "/v1/experiments", self.body())
        self.assertEqual(json.loads(answer.body)["warnings"], [])


if __name__ == "__main__":
    unittest.main()
