#!/usr/bin/python3
"""One attack on an HTTP server, from addresses of its own, within bounds that it is told.

    attack.py NAME PORT [--connections N] [--rate N] [--seconds N] [--address A] [--path P] [--core N]

It holds N connections and does at most RATE things a second in all: opens a connection, sends a request or a
piece of one. Whoever is cut comes again. At the end it prints one line of JSON: what it did and what it met.

    slow-heads    a line of a head now and then, for ever
    slow-bodies   a whole head, then a byte of the body now and then
    idle          connects, and says nothing
    unread        asks and asks on one connection, and never reads an answer
    large         bodies of 10 MB
    headers       heads of 16 KiB in 400 lines
    pipeline      a hundred requests in one piece, and reads what comes
    refused       requests that are refused: no such path, a wrong type, no report
    half-open     half of a head or of a body; then its side is closed and it waits, or it is not heard of again
"""
import argparse
import collections
import errno
import json
import os
import resource
import select
import socket
import time

HEAD = "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n"
GET = "GET {get} HTTP/1.1\r\nHost: a\r\n\r\n"
MB = 1000000
BIND_ADDRESS_NO_PORT = 24  # of linux/in.h: the port is chosen when it is known where to


class Attack:
    """What a connection sends: `begin` at its start, then `more` again and again. A piece may be sent in parts."""
    reads = True  # answers are read, and thrown away
    begin, more = b"", b""

    def __init__(self, path, get):
        self.path, self.get = path, get

    def begin_of(self, place):
        """What the connection at this place of the crowd sends at its start, and whether its side is closed then."""
        return self.begin, False

    def head(self, *lines):
        return (HEAD.format(path=self.path) + "".join(line + "\r\n" for line in lines)).encode()


class SlowHeads(Attack):
    def __init__(self, path, get):
        super().__init__(path, get)
        self.begin, self.more = self.head(), b"X: y\r\n"


class SlowBodies(Attack):
    def __init__(self, path, get):
        super().__init__(path, get)
        self.begin, self.more = self.head("Content-Length: 4200", ""), b"x"


class Idle(Attack):
    pass


class Unread(Attack):
    reads = False

    def __init__(self, path, get):
        super().__init__(path, get)
        self.more = GET.format(get=get).encode() * 20


class Large(Attack):
    def __init__(self, path, get):
        super().__init__(path, get)
        self.more = self.head(f"Content-Length: {10 * MB}", "") + bytes(10 * MB)


class Headers(Attack):
    def __init__(self, path, get):
        super().__init__(path, get)
        self.more = self.head(*(f"X-{i:03}: {'y' * 32}" for i in range(400)), "Content-Length: 0", "")


class Pipeline(Attack):
    def __init__(self, path, get):
        super().__init__(path, get)
        self.more = GET.format(get=get).encode() * 100


class Refused(Attack):
    def __init__(self, path, get):
        super().__init__(path, get)
        self.more = (GET.format(get="/v1/nothing") + GET.format(get="/v1/experiments/" + "0" * 32 + "/model")).encode() \
            + self.head("Content-Length: 42", "") + bytes(42)


class HalfOpen(Attack):
    """Four ways in turn. Who came back in the same place does the same again."""

    def begin_of(self, place):
        half = self.head() if place % 2 else self.head("Content-Length: 4200", "") + bytes(42)
        return half, place // 2 % 2 == 0


ATTACKS = {"slow-heads": SlowHeads, "slow-bodies": SlowBodies, "idle": Idle, "unread": Unread, "large": Large,
           "headers": Headers, "pipeline": Pipeline, "refused": Refused, "half-open": HalfOpen}


class Line:
    """One connection."""

    def __init__(self, crowd, place):
        self.place = place
        self.socket = socket.socket()
        self.socket.setblocking(False)
        # Otherwise megabytes wait here, and on loopback it is the server's core that frees them when it hangs up.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
        begin, self.ends = crowd.attack.begin_of(place)
        self.left = memoryview(begin)
        self.socket.setsockopt(socket.IPPROTO_IP, BIND_ADDRESS_NO_PORT, 1)
        self.socket.bind((crowd.address, 0))
        code = self.socket.connect_ex(("127.0.0.1", crowd.port))
        if code not in (0, errno.EINPROGRESS):
            self.socket.close()
            raise OSError(code, "connect")


class Crowd:
    def __init__(self, attack, port, address, connections, rate):
        self.attack, self.port, self.address = attack, port, address
        self.connections, self.rate = connections, rate
        self.lines, self.turn = {}, collections.deque()
        self.places = collections.deque(range(connections))  # that are free
        self.poll = select.epoll()
        self.count = dict.fromkeys(("opened", "cut", "sent", "bytes", "failed"), 0)

    def open(self):
        try:
            line = Line(self, self.places[0])
        except OSError:
            self.count["failed"] += 1
            return
        self.places.popleft()
        self.lines[line.socket.fileno()] = line
        self.turn.append(line)
        self.poll.register(line.socket.fileno(), select.EPOLLIN | select.EPOLLRDHUP if self.attack.reads else select.EPOLLRDHUP)
        self.count["opened"] += 1

    def cut(self, line):
        self.lines.pop(line.socket.fileno(), None)
        self.places.append(line.place)
        line.socket.close()
        self.count["cut"] += 1

    def send(self, line):
        if not len(line.left):
            line.left = memoryview(self.attack.more)
            self.count["sent"] += 1
        try:
            sent = line.socket.send(line.left)
            line.left = line.left[sent:]
            self.count["bytes"] += sent
            if line.ends and not len(line.left):
                line.socket.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:
            self.cut(line)

    def hear(self, line, events):
        if events & (select.EPOLLERR | select.EPOLLHUP) or (events & select.EPOLLRDHUP and not self.attack.reads):
            self.cut(line)
            return
        try:
            if not line.socket.recv(1 << 18):
                self.cut(line)
        except BlockingIOError:
            pass
        except OSError:
            self.cut(line)

    def act(self):
        """One thing: a connection that is missing, or the next piece of the one that waited longest."""
        if len(self.lines) < self.connections:
            self.open()
            return
        while self.turn:
            line = self.turn.popleft()
            if line.socket.fileno() < 0:
                continue
            self.turn.append(line)
            if len(line.left) or len(self.attack.more):
                self.send(line)
            return

    def run(self, seconds):
        start = time.monotonic()
        done = 0
        while (now := time.monotonic()) < start + seconds:
            while done < (now - start) * self.rate and time.monotonic() < now + 0.05:
                self.act()
                done += 1
            done = max(done, int((now - start) * self.rate) - self.rate // 5)  # what was missed is not made up for
            for fd, events in self.poll.poll(0.002, 1000):
                if fd in self.lines:
                    self.hear(self.lines[fd], events)
        return {**self.count, "open": len(self.lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=ATTACKS)
    parser.add_argument("port", type=int)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--address", default="127.0.0.2")
    parser.add_argument("--path", default="/v1/experiments/" + "0" * 32 + "/reports")
    parser.add_argument("--get", default="/healthz")
    parser.add_argument("--core", type=int)
    args = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    attack = ATTACKS[args.name](args.path, args.get)
    crowd = Crowd(attack, args.port, args.address, args.connections, args.rate)
    print(json.dumps(crowd.run(args.seconds)), flush=True)


if __name__ == "__main__":
    main()
