"""Several services over one database, behind the nginx of docs/operations.md; people who send to them, through nginx
and past it; and a witness who remembers what all gateways told, over all their lives.

What is checked, while they run and at the end (Witness.check), with all reports kept, or with copies of all rows that
the database made in the transactions of the service:

  - acknowledged reports <= folded + late + duplicate + conflicting + waiting <= acknowledged + those whose answer was
    lost. nginx may send a report to several gateways: it says to how many, and the ones that failed count as lost
  - every report that was acknowledged is in a row, or is late; nothing is that nobody sent
  - every model in the tables, and every one that anybody saw at any gateway, is that of the replay, to the bit, and
    that of second_learner.py, which shares no code with the service
  - epochs never go back at one gateway, in all its lives
  - ids and numbers of experiments, and numbers of rows, are never used again; no row changes. None goes; or, with
    copies, only rows that are in a model and have no report of an open epoch (Database.check_left)
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

import second_learner
import witness
from postgres import LEARNING
from replay_journal import DELETED
from replay_postgres import COPIED, Database, epoch_of
from sottod import Service, free_port
from witness import LOST, STATES, Person, conflicting, require

SOURCE = pathlib.Path(os.environ["SOURCE"])
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OUTSIDE = ("10.0.0.11:8787", "10.0.0.12:8787", "10.0.0.13:8787")  # as in the document
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
UPSTREAM = "Upstream-Status"  # what each gateway said that nginx asked
SENDERS = 4
FRAMES_A_POST = 4
AWAY = (502, 503, 504)


# ---- nginx ----------------------------------------------------------------------------------------


def configuration(directory, port, places):
    """The configuration in docs/operations.md, for three gateways, without TLS."""
    operations = (SOURCE / "docs/operations.md").read_text()
    several = operations[re.search(r"^## \d+\. Several machines$", operations, re.M).start():]
    upstream = re.search(r"^    upstream sottod \{\n.*?^    \}\n", several, re.S | re.M).group(0)
    onward = re.search(r"`(proxy_next_upstream [^`]*;)`", several).group(1)
    text = (SOURCE / "tests/system/nginx.conf").read_text()
    text, found = re.subn(r"^    upstream sottod \{\n.*?^    \}\n", lambda _: upstream, text, flags=re.S | re.M)
    require(found == 1, "nginx.conf has no upstream")
    text = re.sub(r"^ *ssl_.*\n", "", text, flags=re.M)
    temporary = "".join(f"    {name}_temp_path {directory}/{name};\n" for name in TEMPORARY)
    changes = {"listen 443 ssl": f"listen 127.0.0.1:{port}", "http {\n": "http {\n" + temporary,
               "proxy_redirect off;": f"proxy_redirect off; {onward} add_header {UPSTREAM} $upstream_status always;",
               **dict(zip(OUTSIDE, places, strict=True))}
    for old, new in changes.items():
        require(text.count(old) == 1, old, "is not there once")
        text = text.replace(old, new)
    return text


class Door(Service):
    """nginx in front of gateways. It looks like one service to its clients."""

    def __init__(self, places):  # pylint: disable=super-init-not-called
        self.home = pathlib.Path(tempfile.mkdtemp())
        self.places = places
        self.process, self.opened, self.here = None, [], threading.local()

    def start(self):
        port = free_port()
        self.public = f"http://127.0.0.1:{port}"
        (self.home / "nginx.conf").write_text(configuration(self.home, port, self.places))
        with open(self.home / "said", "wb") as said:
            self.process = subprocess.Popen([NGINX, "-p", self.home, "-c", self.home / "nginx.conf", "-e", "stderr",
                                             "-g", f"daemon off; pid {self.home}/pid;"], stdout=said, stderr=said)
        for _ in range(600):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                return self
            require(self.process.poll() is None, (self.home / "said").read_text())
            time.sleep(0.05)
        raise RuntimeError("nginx does not start")

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
        if self.process is not None:
            self.process.wait(timeout=30)


class Gateway(Service):
    """A gateway that dies and comes back while people send."""

    def hang_up(self):
        """Others may use theirs at this moment, and find out by themselves."""
        for connection in vars(self.here).values():
            connection.close()

    def __exit__(self, *_):
        self.kill()
        super().hang_up()
        super().__exit__()


def stay(service):
    """It comes back at its place: nginx knows it by that."""
    place = service.public.removeprefix("http://")
    service.words[service.words.index("--listen") + 1] = place
    return place


# ---- what is known --------------------------------------------------------------------------------


class Flight:
    """A request with reports that has no answer yet."""

    def __init__(self, service):
        self.service, self.began = service, time.monotonic()
        self.tried = []  # what each gateway that got it said; "0": nothing

    def was_cut(self, victim):
        """By the death of this gateway, or of the database (None)."""
        if victim is None:
            return any(status != "204" for status in self.tried)
        return (self.service is victim or isinstance(self.service, Door)) and bool({"0", "502"} & set(self.tried))


class Witness(witness.Witness):
    """Of several gateways."""

    def __init__(self, copies=None):
        super().__init__()
        self.copies = copies   # the schema with copies of all rows, if rows are removed
        self.flights = set()
        self.least = {}   # {(gateway, id): epoch}: the highest that was seen there
        self.over = {}    # {id: state}, closed or deleted: nothing leads back
        self.doubts = {}  # {id: states}: of changes whose answer was lost

    def fetch(self, service, experiment):
        key = (service, experiment.id)
        with self.lock:
            least = self.least.get(key)
        answer = self.ask("model", lambda: service.get(f"/v1/experiments/{experiment.id}/model"))
        if answer is None or answer.status in AWAY:
            return None
        if answer.status in (404, 410):  # it may not have heard of it yet
            may = experiment.states | self.doubts.get(experiment.id, set())
            require(least is None or may & {2, DELETED}, "gone:", answer)
            return None
        require(answer.status == 200, answer)
        epoch = int(answer.headers["ETag"].strip('"'))
        self.saw(experiment, epoch, answer.body)
        if not isinstance(service, Door):  # behind which are several
            with self.lock:
                require(epoch >= (least or 0), "epoch", epoch, "after", least, "at one gateway, of", experiment.id)
                self.least[key] = max(epoch, self.least.get(key, 0))
        return answer.body

    def change(self, service, experiment, verb):
        before = set(experiment.states)
        answer = super().change(service, experiment, verb)
        with self.lock:
            if answer is None or answer.status == 503:
                experiment.states = before
                self.doubts.setdefault(experiment.id, set()).add(STATES[verb])
        return answer

    def post(self, service, experiment, frames, new=True):
        copies = len(OUTSIDE) if isinstance(service, Door) else 1
        with self.lock:
            experiment.sent.update(frames)
            experiment.flying = getattr(experiment, "flying", 0) + copies * len(frames)
            flight = Flight(service)
            self.flights.add(flight)
        answer = self.ask("post", lambda: service.post(experiment.id, frames))
        tried = re.findall(r"\d+", answer.headers.get(UPSTREAM, str(answer.status))) if answer else ["0"] * copies
        with self.lock:
            flight.tried = tried
            self.flights.remove(flight)
            experiment.flying -= copies * len(frames)
            experiment.unknown += len(frames) * sum(status != "204" for status in tried)
            if answer is not None and answer.status == 204:
                experiment.answered += len(frames)
                experiment.acknowledged.update(frames)
            elif answer is None or answer.status in AWAY:
                if new:
                    experiment.unanswered.append(frames)
            else:
                require(answer.status in (404, 409, 410) and not experiment.is_guarded, "post:", answer)
        return answer

    def under_way(self, victim=None, age=0, seconds=2):
        """Waits until a request to this gateway, or to any, is that many seconds old; gives those that may be cut if it
        dies now."""
        now = time.monotonic()
        end = now + seconds
        while now < end:
            with self.lock:
                if any(flight.began + age < now for flight in self.flights if victim in (None, flight.service)):
                    break
            time.sleep(0.0005)
            now = time.monotonic()
        with self.lock:
            return list(self.flights)

    # ---- what must hold

    def check(self, url):  # pylint: disable=arguments-renamed
        """Reads the tables of services that run; gives {id: replay}. Nobody changes experiments meanwhile."""
        with self.lock:
            before = {e.id: (e.answered, set(e.acknowledged), e.epoch) for e in self.experiments.values()}
        database = Database(url, self.copies)
        with self.lock:
            most = {e.id: e.answered + e.unknown + getattr(e, "flying", 0) for e in self.experiments.values()}
        self.check_rows(database)
        self.check_states(database)
        replays = {}
        for e in database.experiments:
            seen = self.experiments.get(e["id"].hex())
            if e["state"] == DELETED or seen is None:
                continue
            replays[seen.id] = replay = database.replay(seen.id)
            answered, acknowledged, epoch = before[seen.id]
            told = f"of {seen.id}, {replay.counts}, {len(replay.waiting)} wait"
            require(answered <= replay.acknowledged, answered, "were acknowledged, there are", replay.acknowledged,
                    told)
            require(replay.acknowledged <= most[seen.id], "there are", replay.acknowledged, "and at most",
                    most[seen.id], "may be,", told)
            kept = set(replay.frames)
            oldest = len(replay.models) - replay.lag  # what gateways counted as late is in no row
            lost = {frame for frame in acknowledged - kept if epoch_of(frame) >= oldest}
            require(not lost, len(lost), "acknowledged reports are lost", told)
            require(kept <= seen.sent, "reports are there that nobody sent,", told)
            require(epoch <= len(replay.models), "epoch", epoch, "was seen before it was durable,", told)
            for number, model in replay.shown.items():
                self.saw(seen, number, model)
        self.tally["checks"] += 1
        return replays

    def check_rows(self, journal):
        """But for those of a deleted experiment rows, or their copies, stay as they were."""
        deleted = {e["number"] for e in journal.experiments if e["state"] == DELETED}
        found = {(r["experiment"], r["gateway"], r["gseq"]): r["digest"] for r in journal.tables["journal"]}
        for place, digest in self.rows.items():
            require(place[0] in deleted or found.get(place) == digest, "row", place, "was another one, or is gone")
        self.rows = found

    def check_states(self, database):
        for seen in self.experiments.values():
            seen.states = seen.states | self.doubts.get(seen.id, set())
        self.check_experiments(database)
        for e in database.experiments:
            over = self.over.get(e["id"].hex(), 0)
            require(e["state"] >= over, e["id"].hex(), "was in state", over, "and is in", e["state"])
            if e["state"] >= 2:
                self.over[e["id"].hex()] = e["state"]


# ---- people ---------------------------------------------------------------------------------------


class Crowd:
    """Everybody who sends to one experiment: through nginx, or to a gateway. What got no answer is sent again, to any;
    now and then frames come a second time, or others under their nonces. Somebody looks at all gateways all the time;
    and somebody makes experiments, pauses and deletes them."""
    OWNER = {"post": 16, "again": 4, "model": 8, "create": 12, "pause": 12, "open": 16, "close": 1, "delete": 8}

    def __init__(self, gateways, door, witness_of_all, experiment, seed):
        self.gateways, self.door, self.witness, self.experiment = gateways, door, witness_of_all, experiment
        self.lock = threading.Lock()
        self.owner_lock = threading.Lock()  # held by the owner while it changes something
        self.draw = random.Random(seed)
        self.fresh, self.known, self.faults = [], [], []
        self.made = -1  # the epoch that the fresh ones are of
        self.finishing = self.done = False
        self.owns = True     # somebody makes experiments
        self.avoided = None  # a gateway that will stand still: nobody waits for it
        works = [self.make, self.look, self.own] + [self.send] * SENDERS
        self.threads = [threading.Thread(target=self.guard, args=(work,)) for work in works]

    def start(self):
        for thread in self.threads:
            thread.start()

    def guard(self, work):
        try:
            while not self.done and not self.faults:
                work()
        except BaseException as fault:
            self.faults.append(fault)

    def stop(self):
        self.done = True
        for thread in self.threads:
            if thread.ident is not None:
                thread.join()

    def raise_faults(self):
        if self.faults:
            raise self.faults[0]

    def gateway(self):
        return self.draw.choice([gateway for gateway in self.gateways if gateway is not self.avoided])

    def place(self):
        return self.door if self.draw.random() < 0.6 and self.avoided is None else self.gateway()

    def make(self):
        """Frames under the newest model that is known."""
        time.sleep(0.02)
        if self.finishing or (len(self.fresh) > 100 and self.made == self.experiment.epoch):
            return
        with contextlib.suppress(*LOST, AssertionError):
            epoch = self.experiment.epoch
            made = self.place().frames(self.experiment.id, 400)
            with self.lock:
                self.fresh, self.made = made, epoch

    def next_batch(self):
        """The frames to send, and whether they are new."""
        with self.lock:
            chance = self.draw.random()
            if self.known and chance < 0.1 and not self.finishing:
                known = self.draw.sample(self.known, min(FRAMES_A_POST, len(self.known)))
                return ([conflicting(frame) for frame in known] if chance < 0.03 else known), False
            with self.witness.lock:
                if self.experiment.unanswered:
                    return self.experiment.unanswered.pop(0), True
            batch = [] if self.finishing else self.fresh[:FRAMES_A_POST]
            del self.fresh[:len(batch)]
            return batch, True

    def send(self):
        batch, new = self.next_batch()
        answer = self.witness.post(self.place(), self.experiment, batch, new) if batch else None
        if answer is None or answer.status != 204:
            time.sleep(0.02)
        elif new:
            with self.lock:
                self.known = self.known[:20] + self.known[20:][-500:] + batch  # the first ones come too late one day
        time.sleep(0.004)

    def look(self):
        for service in (*self.gateways, self.door):
            if self.avoided is None or service not in (self.avoided, self.door):
                self.witness.fetch(service, self.experiment)
            time.sleep(0.01)

    def own(self):
        time.sleep(0.05)
        if not self.owns:
            return
        with self.owner_lock:
            owner = Person(self.gateway(), self.witness, None, self.draw.random(), self.OWNER)
            owner.live(1)

    def finish(self, seconds=180):
        """All that got no answer is sent again: in the end everybody knows."""
        self.finishing = True
        end = time.monotonic() + seconds
        while (self.experiment.unanswered or self.experiment.flying) and time.monotonic() < end and not self.faults:
            time.sleep(0.02)
        self.stop()
        self.raise_faults()
        require(not self.experiment.unanswered, "some people never got an answer")


# ---- all of it ------------------------------------------------------------------------------------


# Each row is copied in the transaction that adds it.
COPIES = """CREATE SCHEMA copies;
CREATE FUNCTION copies.keep() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN EXECUTE format('INSERT INTO copies.%I SELECT ($1).*', TG_ARGV[0]) USING NEW; RETURN NULL; END $$;
""" + "".join(f"""CREATE TABLE copies.{table} (LIKE sotto.{table});
CREATE TRIGGER keep AFTER INSERT ON sotto.{table} FOR EACH ROW EXECUTE FUNCTION copies.keep('{table}');
""" for table in COPIED)


class Cluster:
    """Three gateways that keep all reports, nginx, people and a witness. `stack` ends what was started. If they do not
    keep them, the database makes copies for the witness."""

    def __init__(self, database, stack, seed, keeps=True, **environment):
        self.database, self.draw = database, random.Random(seed)
        address = f"127.77.{self.draw.randint(0, 255)}.{self.draw.randint(1, 254)}:0"  # no connection begins there
        ports = ("--listen", address, "--admin", "127.0.0.1:0")
        words = {"journal": database.url, "ports": ports, **environment}
        flags = ["--keep-reports"] if keeps else []
        self.gateways = [stack.enter_context(Gateway(*flags, **words)) for _ in OUTSIDE]
        if not keeps:
            database.ask(COPIES)
        self.door = stack.enter_context(Door([stay(gateway) for gateway in self.gateways]))
        self.witness = Witness(None if keeps else "copies")
        self.experiment = self.witness.create(self.gateways[0], learning={**LEARNING, "epoch": 100})
        self.experiment.is_guarded = True
        self.experiment.flying = 0
        self.crowd = Crowd(self.gateways, self.door, self.witness, self.experiment, self.draw.random())
        stack.callback(self.crowd.stop)

    def age_slabs(self):
        """As if ten minutes had passed since the last ones were opened."""
        self.database.ask("UPDATE sotto.experiment SET slab_minute = slab_minute - 20")

    def is_so(self, condition, seconds):
        """Waits for it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.crowd.raise_faults()
            with contextlib.suppress(*LOST):
                if condition():
                    return True
            time.sleep(0.02)
        return False

    def wait_for(self, condition, what, seconds=180):
        require(self.is_so(condition, seconds), "in", seconds, "s:", what)

    def wait_for_epoch(self):
        """Somebody sees a new one."""
        epoch = self.experiment.epoch
        self.wait_for(lambda: self.experiment.epoch > epoch, f"no epoch after {epoch}")

    def publisher(self):
        """Who folds now, if anybody does."""
        for gateway in self.gateways:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if json.loads(gateway.get("/readyz").body).get("housekeeper"):
                    return gateway
        return None

    def check(self):
        with self.crowd.owner_lock:
            return self.witness.check(self.database.url)

    def finish(self):
        """Everybody is answered; in the end all gateways tell what the replay says."""
        self.crowd.finish()
        replays = []

        def agree():
            replays[:] = [self.witness.check(self.database.url)[self.experiment.id]]  # one more epoch may end meanwhile
            last = len(replays[0].models)
            for gateway in self.gateways:  # which closes who is silent for as long as a check may take
                gateway.hang_up()
            return last > 0 and all(g.model(self.experiment.id) == (last, replays[0].shown[last]) and
                                    g.counts(self.experiment.id) == replays[0].counts for g in self.gateways)
        self.wait_for(agree, "the gateways and the replay do not agree", 180)
        require(second_learner.compared > len(replays[0].models), "the second learner had nothing to do")
        return replays[0]
