"""Clients who remember everything that a service told them, over all of its lives; and what must hold of a journal
in the light of that. Shares no code with the service: it knows docs/protocol.md and docs/formats.md.

What is checked, after each death, however it came (check), and in each life (all answers):

  - acknowledged reports <= folded + late + duplicate + conflicting <= acknowledged + those whose answer was lost
  - with all reports kept: none counts twice, none counts that nobody sent, none acknowledged is missing but late ones
  - a model is that of the replay; an epoch has one model, whoever saw it and when; epochs never go back
  - numbers of rows and of experiments, and ids, are never used again; what was created, paused or deleted stays so
"""
import collections
import contextlib
import hashlib
import http.client
import json
import random
import threading

from replay_journal import DELETED, Journal

LOST = (OSError, http.client.HTTPException)
STATES = {"open": 0, "pause": 1, "close": 2, "delete": DELETED}
SMALL = {"epoch": 12, "epoch_reports_min": 6}


class Broken(AssertionError):
    """The service did not keep a promise."""


def require(condition, *what):
    if not condition:
        raise Broken(" ".join(map(str, what)))


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Experiment:
    """What clients know of one."""

    def __init__(self, experiment_id, body):
        self.id, self.body = experiment_id, body
        self.answered = 0     # frames in requests that were acknowledged
        self.unknown = 0      # in requests that got no answer, or that the service could not make durable
        self.sent = set()     # frames that left
        self.acknowledged = set()
        self.unanswered = []  # batches to send again
        self.models = {}      # {epoch: digest}: what any client, or the journal, ever had
        self.epoch = 0        # the highest that was seen
        self.states = {0}     # those that it may have
        self.is_guarded = False  # nobody pauses or deletes it by chance


class Witness:
    def __init__(self):
        self.lock = threading.Lock()
        self.here = threading.local()  # .lost: this thread got no answer
        self.experiments = {}
        self.numbers = {}     # {id: number}
        self.rows = {}        # {seq: digest}
        self.last_row = 0
        self.lost_creates = 0
        self.tally = collections.Counter()  # {what was done: how often}
        self.series = 0

    # ---- what clients do; each gives the status, or None if there was no answer

    def ask(self, what, question):
        """`question` is a function that asks; its answer, or None."""
        try:
            answer = question()
        except LOST:
            answer, self.here.lost = None, True
        with self.lock:
            self.tally[what if answer is not None and answer.status < 500 else what + " failed"] += 1
        return answer

    def create(self, service, lag=2, learning=None):
        with self.lock:
            self.series += 1
            series = self.series
        body = {"spec": {"dim": 2, "arms": 3, "reward_kind": "binary", "link": "logit", "epsilon": 1, "series": series,
                         "epoch_lag_max": lag, "reward_window_s": 0, "send_spread_s": 0},
                "learning": {"epoch_seconds_min": 1, **SMALL, **(learning or {})}, "labels": {"name": f"number {series}"}}
        answer = self.ask("create", lambda: service.manage("POST", "/v1/experiments", body))
        unknown = answer is not None and answer.status == 409 and "--journal" in service.words
        if answer is None or answer.status == 503 or unknown:  # unknown: its commit had no answer, and then it was there
            with self.lock:
                self.lost_creates += 1
            return None
        require(answer.status == 201, "create:", answer)
        made = Experiment(json.loads(answer.body)["id"], body)
        with self.lock:
            require(made.id not in self.numbers and made.id not in self.experiments, "an id was used again:", made.id)
            self.experiments[made.id] = made
        return made

    def create_again(self, service, experiment):
        """The same terms have the same id: what is there, or was and is deleted, is not made again."""
        answer = self.ask("create again", lambda: service.manage("POST", "/v1/experiments", experiment.body))
        require(answer is None or answer.status in (409, 503), "an id was used again:", answer)

    def change(self, service, experiment, verb):
        answer = self.ask(verb, lambda: service.change(experiment.id, verb))
        with self.lock:
            if answer is None or answer.status == 503:
                experiment.states.add(STATES[verb])
            elif answer.status == 200:
                experiment.states = {STATES[verb]}
            else:
                require(answer.status in (404, 409, 410), verb, answer)
        return answer

    def fetch(self, service, experiment):
        """The model; it is that of its epoch, for ever."""
        least = experiment.epoch
        answer = self.ask("model", lambda: service.get(f"/v1/experiments/{experiment.id}/model"))
        if answer is None or answer.status in (404, 410, 503):
            require(answer is None or answer.status == 503 or experiment.states & {2, DELETED}, "gone:", answer)
            return None
        require(answer.status == 200, answer)
        self.saw(experiment, int(answer.headers["ETag"].strip('"')), answer.body, least)
        return answer.body

    def saw(self, experiment, epoch, model, least=0):
        with self.lock:
            require(epoch >= least, "epoch", epoch, "after", least, "of", experiment.id)
            require(experiment.models.setdefault(epoch, digest(model)) == digest(model), "two models of epoch", epoch,
                    "of", experiment.id)
            experiment.epoch = max(experiment.epoch, epoch)

    def post(self, service, experiment, frames, new=True):
        with self.lock:
            experiment.sent.update(frames if new else ())
        answer = self.ask("post", lambda: service.post(experiment.id, frames))
        with self.lock:
            if answer is not None and answer.status == 204:
                experiment.answered += len(frames)
                experiment.acknowledged.update(frames if new else ())
            elif answer is None or answer.status == 503:
                experiment.unknown += len(frames)
                if new:
                    experiment.unanswered.append(frames)
            else:
                require(answer.status in (404, 409, 410), "post:", answer)
        return answer

    # ---- what must hold

    def check(self, directory, keeps=False):
        """Reads the journal of a service that is dead; gives {id: replay}."""
        journal = Journal(directory)
        self.check_rows(journal)
        self.check_experiments(journal)
        replays = {}
        for e in journal.experiments:
            seen = self.experiments.get(e["id"].hex())
            if e["state"] == DELETED or seen is None:
                continue
            replays[seen.id] = replay = journal.replay(seen.id)
            self.check_replay(seen, replay)
            if keeps:
                self.check_frames(seen, replay)
        self.tally["checks"] += 1
        return replays

    def check_rows(self, journal):
        for row in journal.rows:
            known = self.rows.get(row["seq"])
            require(known is None or known == row["digest"], "row", row["seq"], "was another one")
            require(known is not None or row["seq"] > self.last_row, "row", row["seq"], "after row", self.last_row)
            self.rows[row["seq"]] = row["digest"]
        heads = [ends["head_seq"] for ends in journal.ends.values()]
        last = max([self.last_row, *heads, *self.rows], default=0)
        require(last >= self.last_row, "the last row is", last, "and was", self.last_row)
        self.last_row = last

    def check_experiments(self, journal):
        found = {e["id"].hex(): e for e in journal.experiments}
        require(len(found) == len(journal.experiments), "an id is there twice")
        for experiment_id, e in found.items():
            require(self.numbers.setdefault(experiment_id, e["number"]) == e["number"], experiment_id, "was number",
                    self.numbers[experiment_id], "and is", e["number"])
        require(len(set(self.numbers.values())) == len(self.numbers), "a number was used again")
        require(set(self.numbers) <= set(found), "experiments are gone")
        for seen in self.experiments.values():
            require(seen.id in found, "experiment", seen.id, "was acknowledged and is gone")
            require(found[seen.id]["state"] in seen.states, seen.id, "is in state", found[seen.id]["state"],
                    "and may be in", seen.states)
            seen.states = {found[seen.id]["state"]}
        unknown = set(found) - set(self.experiments)
        require(len(unknown) <= self.lost_creates, "experiments that nobody created:", unknown)

    def check_replay(self, seen, replay):
        total = replay.acknowledged
        require(seen.answered <= total, seen.answered, "reports were acknowledged, and", total, "are there:", seen.id,
                replay.counts)
        require(total <= seen.answered + seen.unknown, total, "reports are there,", seen.answered, "were acknowledged,",
                seen.unknown, "may have been:", seen.id, replay.counts)
        require(replay.epoch >= seen.epoch, "epoch", replay.epoch, "and", seen.epoch, "was seen of", seen.id)
        for epoch, model in (*replay.models.items(), (replay.epoch, replay.model)):
            self.saw(seen, epoch, model)

    @staticmethod
    def check_frames(seen, replay):
        kept = set(replay.frames)
        require(kept <= seen.sent, "frames count that nobody sent")
        missing = len(seen.acknowledged - kept)
        require(missing <= replay.counts["late"], missing, "acknowledged reports are missing,", replay.counts)

    def compare(self, service, replays):
        """A service that started says what the replay says. It may have published since."""
        for experiment_id, replay in replays.items():
            seen = self.experiments[experiment_id]
            if seen.states & {2, DELETED}:
                continue
            model = self.fetch(service, seen)
            counts = service.counts(experiment_id)  # fails where a power cut took the model's answer as well
            require(model is not None, "no model of", experiment_id)
            require(counts == replay.counts, counts, replay.counts)


# ---- a life ---------------------------------------------------------------------------------------


def conflicting(frame):
    return frame[:40] + bytes([frame[40] ^ 1]) + frame[41:]


class Clock:
    """Time that passes when it is told to: tests/support/shifted_clock.c reads the file."""

    def __init__(self, file):
        self.file, self.seconds, self.lock = file, 0, threading.Lock()
        self.passes(0)

    def passes(self, seconds):
        with self.lock:
            self.seconds += seconds
            self.write(self.seconds)

    def stops(self, time):
        """Until seconds pass again."""
        with self.lock:
            self.write(f"={int(time) + self.seconds}")

    def write(self, words):
        next_file = self.file.with_suffix(".next")
        next_file.write_text(str(words))
        next_file.rename(self.file)


class Person:
    """Does this and that with a service, by chance, until it gets no answer."""
    # {what: how often}
    SENDER = {"post": 50, "again": 8, "model": 8, "time": 14, "create": 4, "pause": 3, "open": 5, "close": 1,
              "delete": 2, "long": 3}
    OWNER = {"post": 16, "again": 4, "model": 8, "time": 10, "create": 16, "pause": 12, "open": 16, "close": 2,
             "delete": 12, "long": 4}

    def __init__(self, service, witness, clock, seed, likes=None, frames_a_post=6):
        self.service, self.witness, self.clock = service, witness, clock
        self.draw = random.Random(seed)
        self.likes, self.frames_a_post = likes or self.SENDER, frames_a_post
        self.stock = {}  # {id: (epoch, frames)}: made under this model

    def live(self, steps):
        """Whether all steps were answered."""
        self.witness.here.lost = False
        verbs, weights = list(self.likes), list(self.likes.values())
        for _ in range(steps):
            verb = self.draw.choices(verbs, weights)[0]
            with self.witness.lock:
                those = [e for e in self.witness.experiments.values() if DELETED not in e.states and not e.is_guarded]
            if not those or (verb == "create" and len(those) < 4):
                self.witness.create(self.service)
            elif verb != "create":
                getattr(self, verb)(self.draw.choice(those[-4:]))
            if self.witness.here.lost and self.is_gone():
                return False
        return True

    def is_gone(self):
        """A connection is also closed when much time passes on it."""
        self.witness.here.lost = False
        for _ in range(2):  # the second one on a new connection
            with contextlib.suppress(*LOST):
                return self.service.get("/healthz").status != 200
        return True

    def frames(self, experiment, count):
        """Frames under the model of now, from a stock, as it takes a program to make them."""
        model = self.witness.fetch(self.service, experiment)
        if model is None:
            return None
        made, stock = self.stock.get(experiment.id, (None, []))
        if made != experiment.epoch or len(stock) < count:
            made, stock = experiment.epoch, self.service.frames(experiment.id, 60)
        self.stock[experiment.id] = made, stock[count:]
        return stock[:count]

    def post(self, experiment):
        frames = None
        with self.witness.lock:
            if experiment.unanswered and self.draw.random() < 0.7:
                frames = experiment.unanswered.pop()
        if frames is None and 0 in experiment.states:
            try:
                frames = self.frames(experiment, self.draw.randint(1, self.frames_a_post))
            except LOST:
                self.witness.here.lost = True
            except AssertionError:
                pass  # it is over
        if frames:
            self.witness.post(self.service, experiment, frames)

    def again(self, experiment):
        """The same frames once more, or others under their nonces."""
        with self.witness.lock:
            known = sorted(experiment.acknowledged)[-200:]
        if not known:
            return
        frames = self.draw.sample(known, min(3, len(known)))
        if self.draw.random() < 0.4:
            frames = [conflicting(frame) for frame in frames]
        self.witness.post(self.service, experiment, frames, new=False)

    def model(self, experiment):
        if not experiment.states & {2, DELETED}:
            self.witness.fetch(self.service, experiment)

    def time(self, experiment):
        self.clock.passes(self.draw.randint(1, 3))
        self.model(experiment)

    def long(self, experiment):
        """Snapshots, and what is removed after them."""
        self.clock.passes(700)
        self.model(experiment)

    def pause(self, experiment):
        self.witness.change(self.service, experiment, "pause")

    def open(self, experiment):
        self.witness.change(self.service, experiment, "open")

    def close(self, experiment):
        self.witness.change(self.service, experiment, "close")

    def delete(self, experiment):
        """And one that may be deleted long since is not made again."""
        self.witness.change(self.service, experiment, "delete")
        with self.witness.lock:
            old = self.draw.choice(list(self.witness.experiments.values()))
        self.witness.create_again(self.service, old)
