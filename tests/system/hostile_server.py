"""A server that answers as a test tells it, rightly or wrongly, and keeps every request byte for byte.

    with Server() as server:
        server.on("terms", reply(200, terms))
        server.on("reports", [reply(503, headers={"Retry-After": "1"}), reply(204)])  # then the last one again and again

An answer is a function of the connection and the request; when it gives False the connection is closed."""
import collections
import contextlib
import socket
import ssl
import subprocess
import threading
import time

# raw: all its bytes; at: when the first came, in seconds of the steady clock; line: number of the
# connection
Request = collections.namedtuple("Request", "raw at method path headers body line")
NAMES = {200: "OK", 204: "No Content", 304: "Not Modified", 503: "Service Unavailable"}
BYTES_TYPE = {"Content-Type": "application/octet-stream"}


# ---- answers

def frame(status, body=b"", headers=None, length=None):
    """The bytes of an answer; `length` is what Content-Length claims, if not the truth."""
    lines = [f"HTTP/1.1 {status} {NAMES.get(status, 'Some Status')}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if status not in (204, 304):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def raw(data, stay=False):
    def answer(line, _):
        line.sendall(data)
        return stay
    return answer


def reply(status, body=b"", headers=None):
    return raw(frame(status, body, headers), stay=True)


def model_reply(body, epoch=0):
    """Answers as sottod: 304 to a device that has this epoch."""
    def answer(line, request):
        same = request.headers.get("if-none-match") == f'"{epoch}"'
        line.sendall(frame(304 if same else 200, b"" if same else body, {**BYTES_TYPE, "ETag": f'"{epoch}"'}))
        return True
    return answer


def cut(status, body, headers=None, length=None):
    """Announces `length`, sends the body, and closes."""
    return raw(frame(status, body, headers, length))


def silent(seconds=60):
    """Takes the request and does not answer."""
    def answer(line, _):
        line.settimeout(seconds)
        with contextlib.suppress(OSError):
            line.recv(1)  # until the other side gives up
        return False
    return answer


def slow(data, per_second=1.0):
    def answer(line, _):
        for i in range(len(data)):
            line.sendall(data[i:i + 1])
            time.sleep(1 / per_second)
        return True
    return answer


def late(seconds, then):
    def answer(line, request):
        time.sleep(seconds)
        return then(line, request)
    return answer


def once(condition, then):
    """Answers when the condition holds."""
    def answer(line, request):
        end = time.monotonic() + 60
        while not condition() and time.monotonic() < end:
            time.sleep(0.005)
        return then(line, request)
    return answer


def endless(head, piece, count):
    """Sends a head, then the same piece this many times, or until the other side hangs up."""
    def answer(line, _):
        line.sendall(head)
        for _ in range(count):
            line.sendall(piece)
        return False
    return answer


def chunked(piece, count):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return endless(head, f"{len(piece):x}\r\n".encode() + piece + b"\r\n", count)


def tunnel(line, request):
    """Acts as a proxy: answers CONNECT, and then forwards all bytes both ways."""
    host, port = request.path.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as there:
        line.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        back = threading.Thread(target=pump, args=(there, line), daemon=True)
        back.start()
        pump(line, there)
        back.join()
    return False


def pump(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


# ---- the server

class Server:
    """Listens on a free port of this machine until the end of its `with`."""

    def __init__(self, certificate=None):
        """`certificate` is a file with a certificate and its key: with it the server speaks TLS."""
        self.tls = None
        if certificate is not None:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)
        self.lock = threading.Lock()
        self.requests, self.lines, self.open = [], 0, set()
        self.resumed = 0  # connections that resumed the session of an earlier one
        self.answers = {}
        self.look = lambda request: None  # called with each request before it is answered
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.socket.getsockname()[1]
        self.place = f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        with self.lock:
            for line in self.open:
                with contextlib.suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)

    def on(self, route, answers):
        """`route` is the last word of a path: terms, model, reports; "*" is any other."""
        with self.lock:
            self.answers[route] = collections.deque(answers if isinstance(answers, (list, tuple)) else [answers])

    def seen(self, route=None, method=None):
        with self.lock:
            return [request for request in self.requests
                    if route in (None, request.path.rsplit("/", 1)[-1]) and method in (None, request.method)]

    def frames(self, size):
        """(frame, arrival) of all requests with reports."""
        return [(request.body[at:at + size], request.at) for request in self.seen("reports")
                for at in range(0, len(request.body), size)]

    def accept(self):
        while True:
            try:
                line, _ = self.socket.accept()
            except OSError:
                return
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(line,), daemon=True).start()

    def serve(self, line):
        with self.lock:
            self.lines += 1
            mine = self.lines
            self.open.add(line)
        with contextlib.suppress(OSError), contextlib.closing(line):
            if self.tls:
                line = self.tls.wrap_socket(line, server_side=True)
                self.resumed += line.session_reused
            rest = b""
            while True:
                request, rest = self.read(line, rest, mine)
                if request is None:
                    break
                self.look(request)
                if not self.answer_to(request)(line, request):
                    break
        with self.lock:
            self.open.discard(line)
        line.close()

    def read(self, line, data, mine):
        at = time.monotonic() if data else None
        length, end = 0, -1
        while end < 0 or len(data) < end + length:
            piece = line.recv(65536)
            if not piece:
                return None, b""
            at = time.monotonic() if at is None else at
            data += piece
            if end < 0 and b"\r\n\r\n" in data:
                end = data.index(b"\r\n\r\n") + 4
                method, path, headers = self.parse(data[:end])
                length = int(headers.get("content-length", 0))
        request = Request(data[:end + length], at, method, path, headers, data[end:end + length], mine)
        with self.lock:
            self.requests.append(request)
        return request, data[end + length:]

    @staticmethod
    def parse(head):
        first, *rest = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        return method, path, headers

    def answer_to(self, request):
        with self.lock:
            answers = self.answers.get(request.path.rsplit("/", 1)[-1]) or self.answers.get("*")
            if not answers:
                return reply(404, b'{"error": "no such route", "field": null, "value": null, "allowed": null}',
                             {"Content-Type": "application/json"})
            return answers.popleft() if len(answers) > 1 else answers[0]


# ---- certificates

class Certificates:
    """A certificate authority and certificates that it signed, made by openssl in a directory."""

    def __init__(self, directory):
        self.directory = directory
        self.authority("ours")

    def run(self, *words):
        subprocess.run(["openssl", *map(str, words)], cwd=self.directory, check=True, capture_output=True, timeout=60)

    def authority(self, name):
        self.run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
                 "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        return self.directory / f"{name}.pem"

    def issue(self, name, subject="IP:127.0.0.1,DNS:localhost", by="ours", dates=None):
        """A file with a certificate for `subject` and its key; `dates` are its first and last second."""
        (self.directory / f"{name}.ext").write_text(f"subjectAltName={subject}\n")
        self.run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                 "-keyout", f"{name}.key", "-out", f"{name}.csr")
        if dates is None:
            self.run("x509", "-req", "-in", f"{name}.csr", "-CA", f"{by}.pem", "-CAkey", f"{by}.key", "-CAcreateserial",
                     "-days", 2, "-extfile", f"{name}.ext", "-out", f"{name}.crt")
        else:
            self.issue_dated(name, by, dates)
        both = self.directory / f"{name}.both"
        both.write_bytes((self.directory / f"{name}.crt").read_bytes() + (self.directory / f"{name}.key").read_bytes())
        return both

    def issue_dated(self, name, by, dates):
        (self.directory / "index.txt").write_text("")
        (self.directory / "ca.conf").write_text(
            "[ca]\ndefault_ca=x\n[x]\ndatabase=index.txt\nnew_certs_dir=.\nserial=ca.srl\nrand_serial=yes\n"
            "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
        self.run("ca", "-batch", "-config", "ca.conf", "-cert", f"{by}.pem", "-keyfile", f"{by}.key", "-in",
                 f"{name}.csr", "-out", f"{name}.crt", "-notext", "-extfile", f"{name}.ext", "-startdate", dates[0],
                 "-enddate", dates[1])
