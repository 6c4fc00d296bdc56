"""Bytes of strangers: whatever a server answers, and whatever stands in the file of a shard or of a schema, only the
exceptions come out that are documented. Thousands of inputs, each a good one that was changed; the seeds are fixed."""

import hashlib
import io
import json
import os
import random
import socket
import tempfile
import threading
import unittest
import urllib.error

import sotto
from sotto import _people_file

ID = "0123456789abcdef" * 2
ANSWERS = [
    {"experiments": [{"id": ID, "state": "open", "labels": {"name": "x"}}]},
    {"id": ID, "state": "paused", "reports": {"folded": 3, "late": 0}},
    {"alpha": 0.05, "measurement": {"uplift": -0.5, "low": -1e-3, "high": None}},
    {"error": "it cannot be", "field": "spec.dim", "value": 0, "allowed": "1 to 1024"},
]
PIECES = [b"[" * 5000, b'{"a":' * 3000, b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"1e999", b"NaN", b"null", b"[]", b"{}",
          b'"', b"\\ud800", b"9" * 5000, b",", b";", b"\n", b"\r", b"\t", b" ", b"#", b"-1", b"0x1p3", b"\xef\xbb\xbf"]


def changed(dice, good):
    """Bytes with up to four pieces removed, doubled, exchanged or put in."""
    data = bytearray(good)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(data) + 1)
        end = min(len(data), at + dice.choice((1, 1, 1, 2, 8, 40)))
        kind = dice.randrange(5)
        if kind == 0:
            del data[at:end]
        elif kind == 1:
            data[at:at] = data[at:end]
        elif kind == 2:
            data[at:end] = dice.choice(PIECES)
        elif kind == 3 and at < len(data):
            data[at] ^= 1 << dice.randrange(8)
        else:
            data[at:at] = bytes(dice.randrange(256) for _ in range(dice.randint(1, 4)))
    return bytes(data)


class Given:
    """In place of urllib's opener: always the same answer."""

    def __init__(self, body, status):
        self.body, self.status = body, status

    def open(self, request, timeout):
        if self.status != 200:
            raise urllib.error.HTTPError(request.full_url, self.status, "So", {}, io.BytesIO(self.body))
        return io.BytesIO(self.body)


class Answers(unittest.TestCase):
    def setUp(self):
        self.service = sotto.Service("http://127.0.0.1:9", "t" * 64, public_url="http://127.0.0.1:9", timeout=5)

    def calls(self):
        one = self.service
        return ((one.experiments, list), (lambda: one.experiment(ID), dict), (lambda: one.pause(ID), str),
                (lambda: one.results(ID), dict), (lambda: one.history(ID), dict), (lambda: one.privacy(ID), dict),
                (lambda: one.delete(ID), str), (lambda: one.create({"dim": 2}), dict), (one.metrics, str))

    def test_bodies(self):
        dice = random.Random(1)
        good = [json.dumps(answer).encode() for answer in ANSWERS]
        good += [b"", b"[]", b"7", b"[" * 100000, b'{"error":' * 20000, b'{"state": 7}', b'{"experiments": {}}',
                 b'{"error": 5, "field": "x"}']
        for turn in range(6000):
            body = good[turn] if turn < len(good) else changed(dice, dice.choice(good[:4]))
            self.service._opener = Given(body, 200 if turn < len(good) else dice.choice((200, 200, 400, 503)))
            call, kind = self.calls()[turn % 9]
            try:
                self.assertIsInstance(call(), kind)
            except sotto.ServiceError as told:
                self.assertTrue(str(told))

    def test_frames(self):
        dice = random.Random(2)
        good = sotto.Terms(sotto.Spec(reward_kind="binary", dim=2, arms=2)).to_bytes()
        for _ in range(1000):
            self.service._opener = Given(changed(dice, good), 200)
            try:
                self.assertIsInstance(self.service.terms(ID), sotto.Terms)
            except sotto.FrameError as told:
                self.assertTrue(str(told))
            with self.assertRaises(sotto.FrameError):
                self.service.model(ID)  # what is not terms, or terms that are not a model

    def test_heads(self):
        dice = random.Random(3)
        body = json.dumps(ANSWERS[0]).encode()
        heads = (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body,
                 b"HTTP/1.1 503 No\r\nContent-Length: 900\r\n\r\n{",
                 b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        turns = 400

        def serve():
            for _ in range(turns):
                line = listener.accept()[0]
                with line:
                    line.recv(65536)
                    line.sendall(changed(dice, dice.choice(heads)))
                    line.shutdown(socket.SHUT_WR)
                    line.recv(65536)

        threading.Thread(target=serve, daemon=True).start()
        service = sotto.Service(f"http://127.0.0.1:{listener.getsockname()[1]}", "t" * 64, timeout=5)
        for _ in range(turns):
            try:
                self.assertIsInstance(service.experiments(), list)
            except sotto.ServiceError as told:
                self.assertTrue(str(told))


class Files(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name, data=None):
        path = os.path.join(self.directory, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def test_shards(self):
        """Half of them have a digest that fits."""
        dice = random.Random(4)
        parts = [self.path(f"part{index}.csv") for index in (1, 2)]
        for index, path in enumerate(parts, 1):
            sotto.simulate("ols", dim=2, arms=2, horizon=20, seeds=2, shard=(index, 2), out=path)
        with open(parts[0], "rb") as file:
            good = file.read()
        end = good.rindex(b'# {"end"')
        for turn in range(500):
            data = changed(dice, good if turn % 2 else good[:end])
            if turn % 2 == 0:
                data += b'# {"end": "%s"}\n' % hashlib.sha256(data).hexdigest().encode()
            self.path("part1.csv", data)
            try:
                self.assertTrue({"seed", "regret"} <= set(sotto.merge(parts).columns))
            except sotto.FaultError as told:
                self.assertTrue(str(told))

    def test_schemas(self):
        dice = random.Random(5)
        good = (b'format csv\nseparator comma\nheader yes\nscale unit\nranges data\nmissing ? NA\n# a note\n'
                b'number "a b" 0 1\ncategory "c" "x" "y ""z"""\nignore d\nlabel y "no" "yes"\n')
        read = 0
        with _people_file.Directory() as directory:
            for _ in range(1500):
                path = self.path("one.schema", changed(dice, good))
                try:
                    schema = _people_file.read_schema(path, directory)
                    self.assertTrue(schema.dim > 0 and len(schema.arms) > 1 and isinstance(schema.notes, list))
                    read += 1
                except sotto.FaultError as told:
                    self.assertTrue(str(told))
        self.assertGreater(read, 50)

    def test_drafts(self):
        dice = random.Random(6)
        good = b'a,"b c",y\n1.5,red,yes\n2,"blue ""x""",no\n?,red,yes\n3e2,blue,no\n'
        options = {"format": "csv", "header": "guess", "separator": "guess", "decimal": "guess"}
        roles = {"label": "y", "action": None, "reward": None, "propensity": None}
        read = 0
        with _people_file.Directory() as directory:
            for _ in range(1000):
                path = self.path("people.csv", changed(dice, good))
                try:
                    schema = _people_file.draft_schema(path, roles, (), options, directory, ("", ""))
                    self.assertGreater(_people_file.counts_of(schema, path, ("", ""))["rows"], 0)
                    read += 1
                except sotto.FaultError as told:
                    self.assertTrue(str(told))
        self.assertGreater(read, 50)


if __name__ == "__main__":
    unittest.main()
