#!/usr/bin/env python3
"""sottod behind the nginx of docs/operations.md: TLS outside, plain HTTP inside, and no address is
written anywhere."""
import concurrent.futures
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import unittest

from directory_case import DirectoryCase
from sottod import Answer, Service, free_port

SOURCE = pathlib.Path(os.environ["SOURCE"])
CONFIGURATION = (SOURCE / "tests/system/nginx.conf").read_text()
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")
DEVICE = "127.0.0.77"  # where the device is: all of 127 is this machine
OCTETS = {"Content-Type": "application/octet-stream"}
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Document(unittest.TestCase):
    def test_operations_has_the_configuration_as_it_is_tested(self):
        text = (SOURCE / "docs/operations.md").read_text()
        blocks = re.findall(r"^```\n(.*?)^```$", text[text.index("\n## 9."):], re.S | re.M)
        self.assertIn(CONFIGURATION, blocks)


@unittest.skipUnless(NGINX and OPENSSL, "nginx and openssl must be installed")
class Proxied(DirectoryCase):
    def setUp(self):
        super().setUp()
        key, self.certificate = self.directory / "key.pem", self.directory / "cert.pem"
        subprocess.run([OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", self.certificate, "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)

    def replaced(self, changes):
        """The configuration with some words replaced; each must occur exactly once."""
        text = CONFIGURATION
        for old, new in changes.items():
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        return text

    def start(self, upstream, changes=None):
        """nginx in front of a port. What it would write for a while has no directory to go to."""
        self.port = free_port()
        places = "".join(f"    {name}_temp_path {self.directory}/{name};\n" for name in TEMPORARY)
        text = self.replaced({"127.0.0.1:8787": f"127.0.0.1:{upstream}", "listen 443": f"listen 127.0.0.1:{self.port}",
                              "/etc/ssl/sotto/cert.pem": str(self.certificate), "http {\n": "http {\n" + places,
                              "/etc/ssl/sotto/key.pem": str(self.directory / "key.pem"), **(changes or {})})
        (self.directory / "nginx.conf").write_text(text)
        with open(self.directory / "said", "wb") as said:
            self.nginx = subprocess.Popen([NGINX, "-p", self.directory, "-c", self.directory / "nginx.conf", "-e", "stderr",
                                           "-g", f"daemon off; pid {self.directory}/pid;"], stdout=said, stderr=said)
        self.addCleanup(self.stop)
        for _ in range(600):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
                break
            self.assertIsNone(self.nginx.poll(), (self.directory / "said").read_text())
            time.sleep(0.05)
        for name in TEMPORARY:
            shutil.rmtree(self.directory / name)

    def stop(self):
        if self.nginx.poll() is None:
            self.nginx.terminate()
        self.nginx.wait(timeout=30)

    def ask(self, method, path, body=None, headers=None):
        """Asks as a device does: with TLS, a connection per request, and its own address."""
        context = ssl.create_default_context(cafile=self.certificate)
        line = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=context,
                                           source_address=(DEVICE, 0))
        with contextlib.closing(line):
            line.request(method, path, body=body, headers=headers or {})
            got = line.getresponse()
            answer = Answer(got.status, dict(got.headers), got.read())
        self.assertFalse(300 <= answer.status < 400 and answer.status != 304, answer)
        self.assertFalse({"location", "set-cookie"} & {name.lower() for name in answer.headers})
        return answer

    def written(self, *directories):
        """The bytes of all files."""
        files = [file for directory in (self.directory, *directories) for file in directory.rglob("*") if file.is_file()]
        return {file: file.read_bytes() for file in files}

    def files_with_the_address(self, *directories):
        forms = (DEVICE.encode(), socket.inet_aton(DEVICE), ("::ffff:" + DEVICE).encode())
        return [file.name for file, data in self.written(*directories).items() if any(form in data for form in forms)]


class ThroughSottod(Proxied):
    def setUp(self):
        super().setUp()
        self.service = Service("--log-level", "debug", "--keep-reports")
        self.addCleanup(self.service.__exit__)
        self.service.start()
        self.experiment = self.service.create(learning={"epoch_seconds_min": 3600})
        self.path = f"/v1/experiments/{self.experiment}/"

    def use(self):
        """Everything that a device does, and what can go wrong."""
        frames = self.service.frames(self.experiment, (1 << 20) // 42)
        terms = self.ask("GET", self.path + "terms")
        self.assertEqual((terms.status, terms.body), (200, self.service.terms(self.experiment)))
        model = self.ask("GET", self.path + "model", headers={"X-Forwarded-For": DEVICE, "Cookie": "me=1"})
        self.assertEqual((model.status, model.body), (200, self.service.model(self.experiment)[1]))
        again = self.ask("GET", self.path + "model", headers={"If-None-Match": model.headers["ETag"]})
        self.assertEqual((again.status, again.body), (304, b""))
        posts = [frames[:1], frames[1:], frames[:5]]  # the second one is about as long as may be
        for some in posts:
            self.assertEqual(self.ask("POST", self.path + "reports", b"".join(some), OCTETS).status, 204)
        for body, status in ((b"x" * 41, 400), (bytes(42 * 30000), 413)):
            self.assertEqual(self.ask("POST", self.path + "reports", body, OCTETS).status, status)
        for verb, status in (("pause", 409), ("close", 410)):  # answers must reach who sends much
            self.assertEqual(self.service.change(self.experiment, verb).status, 200)
            self.assertEqual(self.ask("POST", self.path + "reports", b"".join(frames), OCTETS).status, status)
        for path in ("/", "/v1/experiments", "/v1/experiments/", "/metrics"):
            answer = self.ask("GET", path, headers={"Authorization": "Bearer " + self.service.token})
            self.assertEqual(answer.status, 404, path)  # the admin port is not behind it
        allowed = self.ask("OPTIONS", self.path + "model", headers={"Origin": "https://page.example"})
        self.assertEqual((allowed.status, allowed.headers["Access-Control-Allow-Origin"]), (204, "*"))
        for method in ("OPTIONS", "POST"):  # Origin is handed on
            refused = self.ask(method, self.path + "reports", frames[0] if method == "POST" else b"",
                               {**OCTETS, "Origin": "https://page.example"})
            self.assertEqual((refused.status, "Access-Control-Allow-Origin" in refused.headers), (403, False))
        self.assertEqual(self.service.counts(self.experiment),
                         {"folded": len(frames), "late": 0, "duplicate": 5, "conflicting": 0})
        self.assertEqual(self.service.stop(), 0)
        self.assertEqual(self.ask("GET", self.path + "model").status, 502)  # which nginx would write down

    def test_reports_go_through_and_no_file_has_the_address(self):
        self.start(int(self.service.public.rsplit(":", 1)[1]))
        self.use()
        self.stop()
        self.assertEqual(self.files_with_the_address(self.service.home), [])
        self.assertEqual([line["event"] for line in self.service.log() if line["event"] != "admin"],
                         ["started", "created", "paused", "closed", "stopped"])

    def test_under_load_it_never_sends_a_request_ahead_of_an_answer(self):
        """Therefore the limit on requests sent ahead never ends one of its connections."""
        self.start(int(self.service.public.rsplit(":", 1)[1]))
        context = ssl.create_default_context(cafile=self.certificate)
        frames = self.service.frames(self.experiment, 1600)

        def ask(mine):
            line = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=context)
            with contextlib.closing(line):
                for frame in mine:
                    for words in (("POST", self.path + "reports", frame, OCTETS), ("GET", self.path + "model")):
                        line.request(*words)
                        got = line.getresponse()
                        got.read()
                        self.assertIn(got.status, (200, 204))

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(ask, (frames[i::16] for i in range(16))))
        metrics = self.service.metrics()
        self.assertGreaterEqual(int(metrics[("sottod_requests_total", "public")]), 3200)
        self.assertEqual(int(metrics[("sottod_refused_ahead_total", "public")]), 0)

    def test_with_the_usual_logs_the_address_is_found(self):
        """Therefore the test above would detect it."""
        self.start(int(self.service.public.rsplit(":", 1)[1]),
                   {"access_log off": f"access_log {self.directory}/access.log",
                    "error_log /dev/null crit": f"error_log {self.directory}/error.log"})
        self.use()
        self.stop()
        self.assertEqual(sorted(self.files_with_the_address(self.service.home)), ["access.log", "error.log"])

    def test_a_small_buffer_would_go_to_the_disk(self):
        """Therefore the test above shows that no body is written."""
        self.start(int(self.service.public.rsplit(":", 1)[1]),
                   {"client_body_buffer_size 1m": "client_body_buffer_size 8k"})
        body = b"".join(self.service.frames(self.experiment, 2000))
        self.assertEqual(self.ask("POST", self.path + "reports", body, OCTETS).status, 500)


class Upstream(Proxied):
    """A stand-in for sottod that records what it receives."""

    def serve(self, listener):
        with contextlib.suppress(OSError):
            while True:
                line, _ = listener.accept()
                self.accepted += 1
                threading.Thread(target=self.answer, args=(line,), daemon=True).start()

    def answer(self, line):
        with line, line.makefile("rb") as stream:
            while first := stream.readline():
                head = dict(row.decode().rstrip().split(": ", 1) for row in iter(stream.readline, b"\r\n"))
                body = stream.read(int(head.get("Content-Length", 0)))
                self.requests.append((first.decode().split()[:2], head, body))
                line.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    def test_it_gets_what_it_needs_and_nothing_of_the_device_on_few_connections(self):
        self.accepted, self.requests = 0, []
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        threading.Thread(target=self.serve, args=(listener,), daemon=True).start()
        port = listener.getsockname()[1]
        self.start(port)
        personal = {"X-Forwarded-For": DEVICE, "X-Real-IP": DEVICE, "Forwarded": f"for={DEVICE}", "Cookie": "me=1",
                    "User-Agent": "mine", "Accept-Language": "rm", "Referer": "https://page.example/me",
                    "Authorization": "Basic bWU6", "If-None-Match": '"3"', "X-Me": "1", "Via": "1.1 home"}
        for _ in range(30):
            self.assertEqual(self.ask("POST", "/v1/a", b"x" * 42, {**personal, **OCTETS}).status, 204)
        for first, head, body in self.requests:
            self.assertEqual((first, body), (["POST", "/v1/a"], b"x" * 42))
            self.assertEqual(head, {"Host": "sottod", "Content-Length": "42", "Content-Type": OCTETS["Content-Type"],
                                    "If-None-Match": '"3"'})
        self.assertEqual(len(self.requests), 30)
        self.assertLessEqual(self.accepted, os.cpu_count())  # one for each process of nginx
        self.requests.clear()
        self.ask("GET", "/v1/a?b=c", headers=personal)
        self.assertEqual(self.requests, [(["GET", "/v1/a?b=c"], {"Host": "sottod", "If-None-Match": '"3"'}, b"")])

    def test_without_tls_nothing_is_answered_but_400(self):
        self.start(free_port())
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(line):
            line.request("GET", "/v1/a")
            self.assertEqual(line.getresponse().status, 400)


if __name__ == "__main__":
    unittest.main()
