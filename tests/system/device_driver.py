"""Drives the program `device` (device.c), and provides experiments for it without a real server."""
import collections
import hashlib
import os
import pathlib
import queue
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

from hostile_server import BYTES_TYPE, model_reply, reply
from sotto_binary import sotto

ANSWER_S_MAX = 150
CHECKED = os.environ.get("SANITIZE", "") != ""  # a sanitizer's libraries must be loaded first
STATES = ["asking", "ready", "refused", "gone"]

Answer = collections.namedtuple("Answer", "ok status text")  # status is None on success
Event = collections.namedtuple("Event", "kind round frame why")


class Refused(Exception):
    """A command failed that must succeed."""


class Device:
    """The program in a process of its own. `with Device() as device:` kills it at the end."""

    def __init__(self, preload=(), program=None, **env):
        kept = {name: value for name, value in os.environ.items() if not name.endswith(("_proxy", "_PROXY"))}
        if preload:
            kept["LD_PRELOAD"] = " ".join(preload)
        self.events, self.said = [], queue.Queue()
        # Signals as in this process: SIGXFSZ is ignored, so that a limit on file size makes `write`
        # fail.
        self.process = subprocess.Popen(program or [os.environ["DEVICE"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**kept, **env}, restore_signals=False)
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def listen(self):
        for line in self.process.stdout:
            words = line.decode("utf-8", "backslashreplace").rstrip("\n").split(" ", 4)
            if words[0] == "event":
                frame = None if words[3] == "-" else bytes.fromhex(words[3])
                self.events.append(Event(words[1], int(words[2]), frame, words[4]))
            else:
                self.said.put(" ".join(words))
        self.said.put(None)

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.listener.join()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass

    def end(self):
        """Closes its input; returns the exit status."""
        self.process.stdin.close()
        return self.process.wait(timeout=ANSWER_S_MAX)

    def begin_to(self, words):
        """Sends a command without waiting for the answer."""
        self.process.stdin.write((words + "\n").encode())
        self.process.stdin.flush()

    def hear(self, timeout=ANSWER_S_MAX):
        line = self.said.get(timeout=timeout)
        if line is None:
            raise Refused(f"the program ended: {self.process.wait()}")
        if line.startswith("ok"):
            return Answer(True, None, line[3:])
        return Answer(False, *line.split(" ", 2)[1:])

    def ask(self, words, timeout=ANSWER_S_MAX):
        self.begin_to(words)
        return self.hear(timeout)

    def do(self, words, timeout=ANSWER_S_MAX):
        """Sends a command that must succeed; returns the text of the answer."""
        answer = self.ask(words, timeout)
        if not answer.ok:
            raise Refused(f"{words}: {answer.status}: {answer.text}")
        return answer.text

    # ---- words that most tests use

    def open(self, experiment, place, wire="timeout=60000", site="refresh=86400000"):
        self.do("wire " + wire)
        self.do(f"site url={experiment.url(place)} {site}")

    def join(self, experiment, place, ledger="memory", device="", wire="timeout=60000", site="refresh=86400000"):
        """Opens a site, a ledger and a device."""
        self.open(experiment, place, wire, site)
        if self.settle() != "ready":
            raise Refused(self.fault("site"))
        self.do("ledger " + ledger)
        self.do("device epsilon=8 lifetime=inf rounds=1024 queue=65536 " + device)
        return self

    def settle(self, milliseconds=60000):
        """Waits until the site is no longer asking; returns its state."""
        self.do(f"until state 1 {milliseconds}")
        return self.do("state")

    def run_until(self, condition, seconds=60):
        """Turns until the condition holds; returns whether it did in time."""
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            self.do("run 20")
        return condition()

    def fault(self, what):
        return self.do("fault " + what)

    def counts(self, of="counts"):
        return {name: float(value) if name == "epsilon" else int(value)
                for name, value in (word.split("=") for word in self.do(of).split())}

    def kinds(self, kind):
        return [event for event in self.events if event.kind == kind]

    def begin(self):
        """The number of a new round, and when it began, in seconds of the steady clock."""
        number, now = self.do("begin").split()
        return int(number), int(now) / 1e9


class Experiment:
    """Terms as the binary resolves them, and models after docs/protocol.md, section 7: two
    features, three arms, one parameter for all."""
    frame_bytes = 42

    def __init__(self, window=0, spread=0, series=0, **more):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "spec"
            options = {"dim": 2, "arms": 3, "reward_kind": "binary", "epsilon": 1, "reward_window": window,
                       "send_spread": spread, "series": series, "out": path, **more}
            words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), value)]
            made = sotto("inspect", "spec", *words)
            assert made.returncode == 0, made.stderr
            self.take(path.read_bytes())

    def take(self, terms):
        self.terms = terms
        self.id = hashlib.sha256(terms).digest()[:16]
        return self

    def path(self, route=None):
        return f"/v1/experiments/{self.id.hex()}" + (f"/{route}" if route else "")

    def url(self, place):
        return place + self.path()

    def model(self, epoch=0, theta=(0.0, 0.0, 0.0, 0.0), spec_id=None):
        return (b"STM1" + bytes([1, 1, 0, 0]) + (spec_id or self.id) + struct.pack("<IQ", epoch, 0)
                + struct.pack(f"<{len(theta)}d", *theta))

    def serve(self, server, reports=None, epoch=0):
        """Makes the server give correct answers."""
        server.on("terms", reply(200, self.terms, BYTES_TYPE))
        server.on("model", model_reply(self.model(epoch), epoch))
        server.on("reports", reports or reply(204))


class Directory:
    """A directory for ledgers, in memory if possible: a test that kills processes needs no disk,
    and a test of times must not wait for one."""

    def __enter__(self):
        memory = "/dev/shm"
        self.path = pathlib.Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def __truediv__(self, name):
        return self.path / name
