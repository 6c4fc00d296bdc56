#!/usr/bin/env python3
"""sottod and invalid input, one case of each kind: it is refused with its own answer, nothing of it is stored, and the
service keeps running. Unit tests have all cases: tests/unit/service/front/test_bad.c and test_strict.c of requests,
tests/unit/service/api/test_spec_json.c and test_create.c of the body that creates an experiment."""
import itertools
import json
import re
import socket
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

    def test_a_length_that_is_missing_too_large_or_said_twice_is_refused(self):
        body = b"".join(self.frames)
        whole, longer = f"Content-Length: {len(body)}", f"Content-Length: {BODY_MAX + 1}"
        for headers, code, says in (((), 411, "Content-Length"), ((whole, whole), 400, "."), ((longer,), 413, "."),
                                    (("Transfer-Encoding: chunked",), 411, "Content-Length")):
            with self.subTest(headers=headers):
                self.check_refusal(*self.post_with(*headers, body=b"" if longer in headers else body), code, says)
        for headers, code in ((("Content-Length: -1",), 400), ((f"Content-Length: {1 << 64}",), 413),
                              ((whole, "Transfer-Encoding: chunked"), 411)):
            with self.subTest(headers=headers):
                self.assertEqual(self.post_with(*headers, body=body)[0], code)

    def test_a_body_that_is_a_little_too_long_is_read_and_refused(self):
        """A client that is still sending when the connection is closed may never see the answer."""
        length = BODY_MAX // self.size * self.size + 1
        body = (b"".join(self.frames) * (length // self.size))[:length]
        self.check_refusal(*self.post_with(f"Content-Length: {length}", body=body), 413)

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


class Experiments(Requests):
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

    def test_a_body_of_no_whole_frames_is_refused(self):
        body = b"".join(self.frames)
        for wrong in (b"", body[:-1]):
            self.refuse(self.service.post(self.experiment, [wrong]), 400)

    def test_an_experiment_that_is_paused_or_closed_says_so(self):
        for verb, code in (("pause", 409), ("close", 410)):
            self.assertEqual(self.service.change(self.experiment, verb).status, 200)
            self.refuse(self.service.post(self.experiment, self.frames), code, verb)
        self.closed = True


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
            self.assertTrue(got["allowed"], got)
        self.assertEqual(self.service.manage("GET", "/v1/experiments").body, self.there)

    def body(self, spec=None, learning=None, **more):
        return {"spec": {**SPEC, "series": next(serial), **(spec or {})}, "learning": {**LEARNING, **(learning or {})},
                **more}

    def test_what_is_no_json_object_is_refused(self):
        good = json.dumps(self.body(labels={"name": "HERE"})).encode()
        for text in (b"", good[:-1], good + good, b"null", b"[]", b"\0", b"\xef\xbb\xbf" + good,
                     good.replace(b'"dim": 2', b'"dim": NaN'), good.replace(b"HERE", b"\xed\xa0\x80"),
                     good.replace(b"HERE", b"\\ud800"), good.replace(b'"dim": 2', b'"dim": 1' + 30 * b"0")):
            with self.subTest(text=text[:20]):
                self.refuse_text(text)
        for text in ('{"labels":' + "[" * 30000 + "]" * 30000 + "}", '{"a":' * 9 + "1" + "}" * 9):
            self.refuse_text(text, says="deep|levels")

    def test_json_that_is_too_long_is_refused(self):
        text = json.dumps(self.body(labels={"a": "b"}))
        self.refuse_text(text + " " * (65537 - len(text)), code=413)
        answer = self.send(text + " " * (65536 - len(text)))
        self.assertEqual(answer.status, 201)

    def test_what_cannot_be_used_is_refused_by_its_path(self):
        twice = json.dumps(self.body()).replace('"dim": 2', '"dim": 2, "dim": 2')
        self.refuse_text(twice, field="spec.dim", says="twice")
        for field, body, says in (
                ("spec", {}, "."), ("label", self.body(label={}), "labels"), ("labels.a", self.body(labels={"a": 1}), "."),
                ("spec.epsilom", self.body({"epsilom": 1}), "epsilon"), ("spec.dim", self.body({"dim": True}), "."),
                ("spec.arms", self.body({"arms": 2**63 - 1}), "."), ("spec.link", self.body({"link": "none"}), "."),
                ("spec.delta", self.body({"delta": 1}), "."), ("spec.epoch_lag_max", self.body({"epoch_lag_max": 0}), "."),
                ("learning.epoch_seconds_min", self.body({"reward_window_s": 86400, "epoch_lag_max": 1},
                                                         {"epoch_seconds_min": 86399}), "86400")):
            with self.subTest(field=field):
                self.refuse_text(json.dumps(body), field=field, says=says)

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
