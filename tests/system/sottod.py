"""Runs the real sottod in its own directory, on ports that the system chooses."""
import collections
import contextlib
import http.client
import json
import os
import pathlib
import queue
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

SOTTOD = os.environ["SOTTOD"]
START_S_MAX = 60  # generous, for a busy machine and a binary with sanitizers
ANY_PORTS = ("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")
# Two features, three offers; people answer at once, so that epochs can be short.
SPEC = {"dim": 2, "arms": 3, "reward_kind": "binary", "link": "logit", "epsilon": 1, "epoch_lag_max": 16,
        "reward_window_s": 0, "send_spread_s": 0, "series": 0}
LEARNING = {"epoch": 1000, "epoch_seconds_min": 1, "epoch_reports_min": 20}
COUNTS = ("folded", "late", "duplicate", "conflicting")

Answer = collections.namedtuple("Answer", "status headers body")


def plain_environment(**more):
    """Our environment, without settings of sottod."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOTTOD_")}
    return {**kept, **more}


def free_port():
    """One that nobody has now, and that the system gives nobody who asks for any: whoever takes it later finds it free."""
    for port in random.SystemRandom().sample(range(10000, 30000), 100):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("no port is free")


def sottod(*words, env=None, timeout=240, **options):
    """A run that ends by itself."""
    return subprocess.run([SOTTOD, *map(str, words)], capture_output=True, text=True, timeout=timeout,
                          env=env or plain_environment(), **options)


class NotStarted(Exception):
    """It ended before it printed where it listens."""

    def __init__(self, code, errors):
        super().__init__(f"exit status {code}: {errors}")
        self.code, self.errors = code, errors


class Metrics(dict):
    def __init__(self, service, totals):
        super().__init__(totals)
        self.service, self.seen = service, set()

    def __contains__(self, key):
        experiment = key[1] if isinstance(key, tuple) and re.fullmatch("[0-9a-f]{32}", key[1]) else None
        if experiment and experiment not in self.seen:
            self.seen.add(experiment)
            self.update(self.service.read_metrics(f"/metrics?experiment={experiment}"))
        return super().__contains__(key)

    def __missing__(self, key):
        if key in self:
            return self[key]
        raise KeyError(key)


class Service:
    """A sottod. `with Service() as service:` kills it at the end if it still runs, and removes its
    directory."""

    def __init__(self, *flags, directory=None, env=None, ports=ANY_PORTS, journal=None, files=None):
        self.home = pathlib.Path(tempfile.mkdtemp())
        self.directory = pathlib.Path(directory) if directory else self.home / "data"
        self.words = ["--data", str(self.directory), *ports, *map(str, flags)]
        self.words += ["--journal", journal] if journal else []
        self.env = env or plain_environment()
        self.under = ["prlimit", f"--nofile={files}:{files}"] if files else []  # open-file limit
        self.log_path = self.home / "log"
        self.process = None
        self.here = threading.local()  # connections: each thread has its own
        self.opened = []  # all of them

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.kill()
        self.hang_up()
        shutil.rmtree(self.home, ignore_errors=True)

    # ---- life and death

    def spawn(self):
        """Starts it without waiting."""
        self.hang_up()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([*self.under, SOTTOD, *self.words], stdout=subprocess.PIPE, stderr=log,
                                            env=self.env)

    def start(self):
        """Starts it and waits until it prints its ports and is ready."""
        before = self.log_path.stat().st_size if self.log_path.exists() else 0
        self.spawn()
        said = queue.Queue()
        threading.Thread(target=self.listen, args=(self.process.stdout, said), daemon=True).start()
        self.printed = []
        while not any(line.startswith("token ") for line in self.printed):
            line = said.get(timeout=START_S_MAX)
            if line is None:
                code = self.process.wait(timeout=START_S_MAX)
                raise NotStarted(code, self.log_path.read_bytes()[before:].decode())
            self.printed.append(line)
        places = dict(line.split(None, 1) for line in self.printed)
        self.public, self.admin = places["public"], places["admin"]
        self.token_file = pathlib.Path(places["token"])
        self.token = self.token_file.read_text().strip()
        assert self.get("/readyz").status == 200, "not ready"
        return self

    @staticmethod
    def listen(stream, said):
        for line in stream:
            said.put(line.decode().rstrip("\n"))
        said.put(None)
        stream.close()

    def kill(self):
        """kill -9."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        if self.process is not None:
            self.process.wait()

    def stop(self, by=signal.SIGTERM, timeout=240):
        """Asks it to end; returns the exit status."""
        self.process.send_signal(by)
        return self.process.wait(timeout=timeout)

    # ---- requests

    def connection(self, place):
        """One connection for each thread and port, kept open."""
        kept = self.here.__dict__
        if place not in kept:
            host, port = re.fullmatch(r"http://\[?([^\]]*?)\]?:(\d+)", place).groups()
            kept[place] = http.client.HTTPConnection(host, int(port), timeout=60)
            self.opened.append(kept[place])
        if kept[place].sock is not None and select.select([kept[place].sock], [], [], 0)[0]:
            kept[place].close()  # the service closed it while idle; the next request opens another
        return kept[place]

    def hang_up(self):
        """Drops connections to a service that is gone."""
        for connection in self.opened:
            connection.close()
        self.opened = []
        self.here = threading.local()

    def ask(self, place, method, path, body=None, headers=None):
        """An answer; OSError or HTTPException if there is none."""
        connection = self.connection(place)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            got = connection.getresponse()
            return Answer(got.status, dict(got.headers), got.read())
        except (OSError, http.client.HTTPException):
            connection.close()
            raise

    def get(self, path, **headers):
        return self.ask(self.public, "GET", path, headers=headers)

    def manage(self, method, path, body=None, token=None):
        """A request to the admin port."""
        headers = {"Authorization": "Bearer " + (token or self.token)}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        return self.ask(self.admin, method, path, body, headers)

    # ---- experiments

    def create(self, spec=None, learning=None, labels=None, **more):
        """The id of a new experiment."""
        body = {"spec": {**SPEC, **(spec or {})}, "learning": {**LEARNING, **(learning or {})}, "labels": labels or {},
                **more}
        answer = self.manage("POST", "/v1/experiments", body)
        assert answer.status == 201, answer
        return json.loads(answer.body)["id"]

    def terms(self, experiment):
        answer = self.get(f"/v1/experiments/{experiment}/terms")
        assert answer.status == 200, answer
        return answer.body

    def model(self, experiment):
        """The epoch and the model's bytes."""
        answer = self.get(f"/v1/experiments/{experiment}/model")
        assert answer.status == 200, answer
        return int(answer.headers["ETag"].strip('"')), answer.body

    def post(self, experiment, frames):
        """Sends whole frames; returns the answer."""
        headers = {"Content-Type": "application/octet-stream"}
        return self.ask(self.public, "POST", f"/v1/experiments/{experiment}/reports", b"".join(frames), headers)

    def change(self, experiment, verb):
        """open, pause, close, or delete."""
        path = f"/v1/experiments/{experiment}"
        if verb == "delete":
            return self.manage("DELETE", path)
        return self.manage("POST", f"{path}/{verb}")

    def metrics(self):
        """{name: value} and {(name, *labels): value}; a label is the text between the quotes.
        Metrics of an experiment are read only when they are needed."""
        return Metrics(self, self.read_metrics("/metrics"))

    def read_metrics(self, path):
        answer = self.manage("GET", path)
        if answer.status in (404, 410):
            return {}
        assert answer.status == 200, answer
        found = {}
        for line in answer.body.decode().splitlines():
            match = re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? ([0-9.]+)", line)
            if match:
                name, labels, value = match.groups()
                found[(name, *re.findall(r'="([^"]*)"', labels)) if labels is not None else name] = float(value)
        return found

    def describe(self, experiment):
        answer = self.manage("GET", f"/v1/experiments/{experiment}")
        assert answer.status == 200, answer
        return json.loads(answer.body)

    def counts(self, experiment):
        """folded, late, duplicate, conflicting; checks their sum."""
        metrics = self.metrics()
        counts = {name: int(metrics[f"sottod_reports_{name}_total", experiment]) for name in COUNTS}
        assert metrics["sottod_reports_acknowledged_total", experiment] == sum(counts.values()), counts
        return counts

    def log(self):
        """The log lines so far, as JSON, without the last one, which may be half written."""
        return [json.loads(line) for line in self.log_path.read_text().split("\n")[:-1]]

    # ---- people

    def frames(self, experiment, count, seed=None, taste="context"):
        """Reports of `count` people under the current model; a taste other than `context` needs a
        seed."""
        with tempfile.TemporaryDirectory() as directory:
            terms, model = pathlib.Path(directory) / "terms", pathlib.Path(directory) / "model"
            terms.write_bytes(self.terms(experiment))
            model.write_bytes(self.model(experiment)[1])
            words = [os.environ["PEOPLE"], terms, model, str(count)] + ([str(seed), taste] if seed is not None else [])
            made = subprocess.run(words, capture_output=True, timeout=120, check=True).stdout
        size = len(made) // count
        return [made[i:i + size] for i in range(0, len(made), size)]

    def lies(self, experiment, count):
        """Reports of simple liars, who all send the same index."""
        return [frame[:40] + b"\x05\x00" for frame in self.frames(experiment, count)]

    def wait_for(self, condition, seconds=120):
        """Waits until the condition holds; returns whether it did in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if condition():
                    return True
            time.sleep(0.02)
        return False
