"""Shared by the tests of sottod's ports: a service for a class, and requests written by hand."""
import contextlib
import http.client
import itertools
import json
import socket
import unittest

import openapi
from sottod import Answer, Service

SERIES = itertools.count(1000)


def host_of(place):
    return place.removeprefix("http://")


def say(place, method, path, headers=(), body=b""):
    """One request on its own connection, exactly as given, even with a header twice."""
    host, port = host_of(place).rsplit(":", 1)
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(head.encode() + body)
        got = http.client.HTTPResponse(line, method=method)
        got.begin()
        return Answer(got.status, dict(got.headers), got.read())


class Case(unittest.TestCase):
    """One service for all tests of a class."""
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.service = cls.stack.enter_context(Service(*cls.flags))
        cls.reader = (cls.service.directory / "reader.token").read_text().strip()

    @classmethod
    def new(cls):
        """An experiment that no other test uses."""
        return cls.service.create({"series": next(SERIES)})

    def place(self, port):
        return self.service.public if port == "public" else self.service.admin

    def headers(self, port, **more):
        """The headers of every request, and the token."""
        ours = {"Host": host_of(self.place(port)), **more}
        if port == "admin":
            ours.setdefault("Authorization", "Bearer " + self.service.token)
        return [(name, value) for name, value in ours.items() if value is not None]

    def ask(self, port, method, path, body=b"", **more):
        headers = self.headers(port, **more)
        if body or method in ("POST", "PUT"):
            headers.append(("Content-Length", len(body)))
        answer = say(self.place(port), method, path, headers, body)
        self.check_manners(port, path, answer)
        return answer

    def check_manners(self, port, path, answer):
        """Checks what holds for every answer."""
        names = {name.lower() for name in answer.headers}
        self.assertNotIn("set-cookie", names)
        self.assertNotIn("server", names)
        self.assertNotIn("access-control-allow-credentials", names)
        self.assertFalse(300 <= answer.status < 400 and answer.status != 304, answer)
        if answer.status != 201:
            self.assertNotIn("location", names)
        if port == "public" and path.split("?")[0].endswith("/reports"):  # test_sottod_origins.py
            self.assertEqual(answer.headers.get("Access-Control-Allow-Origin", "*"), "*")
        elif port == "public":
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
            self.assertEqual(answer.headers["Access-Control-Expose-Headers"], "ETag, Retry-After, Sotto-Reports")
        else:
            self.assertFalse([name for name in names if name.startswith("access-control")])
            self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def assert_error(self, answer, status, field=None):
        self.assertEqual(answer.status, status, answer)
        error = json.loads(answer.body)
        self.assertIsNone(openapi.fault({"$ref": "#/components/schemas/Error"}, error))
        if field is not None:
            self.assertEqual(error["field"], field)
        return error
