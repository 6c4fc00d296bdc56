#!/usr/bin/env python3
"""sottod: the life of an experiment, and its results, computed a second time from the frames."""
import collections
import contextlib
import copy
import json
import math
import os
import pathlib
import shutil
import sqlite3
import sys
import time
import unittest

from sottod import COUNTS, LEARNING, SPEC, Service
from sottod_case import Case

sys.path.insert(0, str(pathlib.Path(os.environ["SOURCE"]) / "tests/protocol"))
import second_client  # pylint: disable=wrong-import-position


def list_json(answer):
    return json.loads(answer.body)["experiments"]


class Life(Case):
    """An experiment from its creation until it is deleted."""

    def test_create_answers_what_was_made_and_what_follows(self):
        body = {"spec": {**SPEC, "series": 77, "epsilon": 4, "measure": 0.25, "reward_window_s": 600,
                         "send_spread_s": 300, "epoch_lag_max": 3},
                "labels": {"name": "front page", "für": "ß\u2028"}}
        answer = self.service.manage("POST", "/v1/experiments", body)
        self.assertEqual(answer.status, 201)
        made = json.loads(answer.body)
        self.assertEqual(made["labels"], body["labels"])
        self.assertEqual({name: made["spec"][name] for name in body["spec"]}, body["spec"])
        # Defaults of fields that were not given: epochs that last long enough, and what devices do
        # by default.
        self.assertGreaterEqual(made["learning"]["epoch_seconds_min"] * 3, 900)
        self.assertEqual(made["learning"]["epoch_reports_min"], 20)
        self.assertEqual([warning["field"] for warning in made["warnings"]], ["spec.epsilon", "spec.measure"])
        card = made["privacy"]
        self.assertEqual((card["epsilon"], card["delta"], card["measure_share"]), (4, 0, 0.25))
        self.assertEqual(card["device_by_default"]["reports_max"], 0)  # they refuse
        self.assertEqual(card["leaves_the_device"]["report_bytes"], 42)
        self.assertFalse(card["kept_by_the_server"]["keep_reports"])
        privacy = json.loads(self.service.get(f"/v1/experiments/{made['id']}/privacy").body)
        self.assertEqual({name: privacy[name] for name in card}, card)
        self.assertEqual(privacy["warnings"], made["warnings"])
        one = json.loads(self.service.manage("GET", "/v1/experiments/" + made["id"]).body)
        self.assertEqual(one, made)
        row = next(row for row in list_json(self.service.manage("GET", "/v1/experiments")) if row["id"] == made["id"])
        self.assertEqual(row, {name: made[name] for name in row})

    def test_epochs_that_are_too_short_for_the_rewards_are_refused(self):
        for more in ({"epoch_lag_max": 0}, {"epoch_lag_max": 2, "reward_window_s": 3}):
            body = {"spec": {**SPEC, "series": 78, **more}, "learning": {"epoch_seconds_min": 1}}
            self.assert_error(self.service.manage("POST", "/v1/experiments", body), 400)

    def answers(self, experiment, frame):
        """Answers of the public port: to a report, and to three requests that read."""
        path = f"/v1/experiments/{experiment}/"
        parts = [self.service.get(path + part).status for part in ("terms", "model", "privacy")]
        return [self.service.post(experiment, [frame]).status, *parts]

    def test_every_state_answers_as_the_table_says(self):
        experiment = self.new()
        frames = self.service.frames(experiment, 9)
        for verb, state, to_report in (("open", "open", 204), ("pause", "paused", 409), ("pause", "paused", 409),
                                       ("open", "open", 204), ("close", "closed", 410), ("close", "closed", 410)):
            answer = self.service.change(experiment, verb)
            self.assertEqual((answer.status, json.loads(answer.body)), (200, {"id": experiment, "state": state}))
            self.assertEqual(self.answers(experiment, frames.pop()), [to_report, 200, 200, 200], verb)
        self.assertEqual(self.service.counts(experiment)["folded"], 2)
        for verb in ("open", "pause"):
            self.assert_error(self.service.change(experiment, verb), 409, "state")
        self.assertEqual(self.service.change(experiment, "delete").status, 200)
        self.assertEqual(self.answers(experiment, frames.pop()), [410] * 4)
        for verb in ("open", "pause", "close"):
            self.assert_error(self.service.change(experiment, verb), 410)

    def test_a_tombstone_stays(self):
        with Service() as service:
            experiment = service.create({"series": 5}, labels={"name": "secret plan"})
            self.assertEqual(service.post(experiment, service.frames(experiment, 30)).status, 204)
            self.assertEqual(service.change(experiment, "delete").status, 200)
            for _ in range(2):
                answer = service.manage("POST", "/v1/experiments", {"spec": {**SPEC, "series": 5}})
                self.assert_error(answer, 409, "spec")
                self.assertEqual(json.loads(answer.body)["value"], experiment)
                self.assertIn(b"series", answer.body)
                self.assertEqual(list_json(service.manage("GET", "/v1/experiments")), [])
                self.assertEqual(service.get(f"/v1/experiments/{experiment}/terms").status, 410)
                self.assertNotIn(experiment, service.manage("GET", "/metrics").body.decode())
                self.assertEqual(service.stop(), 0)
                for file in service.directory.iterdir():
                    self.assertNotIn(b"secret plan", file.read_bytes())
                service.start()
            self.assertNotEqual(service.create({"series": 6}), experiment)


class Restore(unittest.TestCase):
    """Section 6 of docs/operations.md."""

    def test_a_copy_of_a_running_journal_can_be_put_back(self):
        with Service() as service:
            experiment = service.create({"epoch_lag_max": 1}, {"epoch": 50})
            self.assertEqual(service.post(experiment, service.frames(experiment, 40)).status, 204)
            copy = service.home / "copy"
            with contextlib.closing(sqlite3.connect(service.directory / "journal.sqlite")) as source, \
                    contextlib.closing(sqlite3.connect(copy)) as target:
                source.backup(target)  # what `.backup` does
            self.assertEqual(service.post(experiment, service.frames(experiment, 30)).status, 204)
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1))
            ahead = service.frames(experiment, 1)
            self.assertEqual(service.stop(), 0)
            for name in ("journal.sqlite-wal", "journal.sqlite-shm"):
                (service.directory / name).unlink(missing_ok=True)
            shutil.copy(copy, service.directory / "journal.sqlite")
            service.start()
            self.assertEqual((service.counts(experiment)["folded"], service.model(experiment)[0]), (40, 0))
            refused = service.post(experiment, ahead)  # the device is ahead, and told apart from a faulty one
            self.assertEqual((refused.status, json.loads(refused.body)["field"]), (400, "epoch"))
            self.assertEqual(service.post(experiment, service.frames(experiment, 20)).status, 204)
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1))
            self.assertEqual(service.post(experiment, ahead).status, 204)  # it has caught up


FLOOR = LEARNING["epoch_reports_min"]


class Sums:
    """Measure rounds of one kind: their number, and the sum of z = +1 or -1."""

    def __init__(self):
        self.count = self.total = 0

    def add(self, more):
        self.count += more.count
        self.total += more.total


class Epoch:
    """The reports of one epoch between two publishes."""

    def __init__(self, arms):
        self.learn = 0
        self.follow = Sums()
        self.control = [Sums() for _ in range(arms)]


class Told:
    """The results that the service shows until the next batch."""

    def __init__(self, arms):
        self.follow, self.control = Sums(), [Sums() for _ in range(arms)]
        self.recent, self.hides_recent, self.doublings = [Sums(), Sums()], False, 0


def half_width(n, alpha):
    """W(n) of docs/methods.md."""
    odds = 2 * math.log(1 / alpha)
    rho2 = (odds + math.log(1 + odds)) / 1e4
    return math.sqrt(2 * (n * rho2 + 1) / (n * n * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha))


class Auditor:
    """Reads frames as docs/protocol.md says, and independently adds up what the service should
    report."""

    def __init__(self, terms):
        self.terms = second_client.Terms(terms)
        self.models = {}
        self.open = {}  # by epoch: since the last publish
        self.follow, self.recent_follow, self.recent_control = Sums(), Sums(), Sums()
        self.control = [Sums() for _ in range(self.terms.arms)]
        self.doublings = 0
        self.measured = 0
        self.told = Told(self.terms.arms)
        self.skipped = collections.Counter()
        self.rows = []

    def role(self, frame):
        epoch, nonce, _ = second_client.read_report(self.terms, frame)
        return second_client.role_of_round(self.terms, self.models[epoch], nonce)

    def take(self, frames):
        for frame in frames:
            epoch, nonce, (index,) = second_client.read_report(self.terms, frame)
            here = self.open.setdefault(epoch, Epoch(self.terms.arms))
            role = self.role(frame)
            if role == "learn":
                here.learn += 1
                continue
            arm = second_client.assigned_arm(self.terms.key, nonce, self.terms.arms)
            sums = here.follow if role == "follow" else here.control[arm]
            sums.count += 1
            sums.total += 1 if second_client.codeword(self.terms.key, nonce, 1, 2, index)[0] > 0 else -1

    def publish(self, epoch):
        """The epoch opens: the reports since the last publish become a row of history and enter the
        results."""
        row = {"epoch": epoch, "publishes": 1, "alarms": [], **{name: self.skipped[name] for name in COUNTS[1:]}}
        row["learn"] = sum(part.learn for part in self.open.values())
        late = sum((epoch - 1 - number) * part.learn for number, part in self.open.items())
        row["age"] = math.floor(256 * late / row["learn"] + 0.5) / 256
        self.measured += sum(part.follow.count + sum(s.count for s in part.control) for part in self.open.values())
        for number in sorted(self.open):
            if any(self.models[number].deciding):
                self.measure(self.open[number])
        self.tell(row)
        row["uplift"], row["recent_uplift"] = self.uplifts(0.05)
        self.rows.append(row)
        self.open, self.skipped = {}, collections.Counter()

    def tell(self, row):
        """Measure rounds are shown in batches: each part of a batch has no report, or at least the
        floor."""
        told, enough = self.told, lambda count: count == 0 or count >= FLOOR
        parts = [(self.follow, told.follow), *zip(self.control, told.control)]
        new = [(now.count - then.count, now.total - then.total) for now, then in parts]
        whole = all(enough(count) for count, _ in new) and any(count for count, _ in new)
        for name, some in (("follow", new[:1]), ("control", new[1:])):
            row[name] = sum(count for count, _ in some) if whole else 0
            row[name + "_sum"] = sum(total for _, total in some) if whole else 0
        if not whole:
            return
        if self.doublings > told.doublings:  # the recent uplift began in this batch, which has two parts then
            told.hides_recent = not all(enough(recent.count) and enough(row[name] - recent.count) for name, recent in
                                        (("follow", self.recent_follow), ("control", self.recent_control)))
        told.follow, told.control = copy.copy(self.follow), [copy.copy(sums) for sums in self.control]
        told.recent = [Sums() if told.hides_recent else copy.copy(sums)
                       for sums in (self.recent_follow, self.recent_control)]
        told.doublings = self.doublings

    def measure(self, part):
        self.follow.add(part.follow)
        for arm, sums in enumerate(part.control):
            self.control[arm].add(sums)
        doublings = (self.follow.count + sum(sums.count for sums in self.control)).bit_length() - 1
        if doublings > self.doublings:
            self.doublings, self.recent_follow, self.recent_control = doublings, Sums(), Sums()
            return
        self.recent_follow.add(part.follow)
        for sums in part.control:
            self.recent_control.add(sums)

    # ---- intervals of SPEC: rewards are 0 or 1

    def mean(self, sums, alpha):
        """Value and half-width."""
        book = self.terms.books[second_client.MAIN]
        scale = (book.weight_top + book.weight_rest) / (book.weight_top - book.weight_rest)
        return (1 + scale * sums.total / sums.count) / 2, scale * half_width(sums.count, alpha) / 2

    @staticmethod
    def interval(value, half, lo, hi):
        return {"value": value, "lo": min(hi, max(lo, value - half)), "hi": max(lo, min(hi, value + half))}

    def mean_of(self, sums, alpha):
        return self.interval(*self.mean(sums, alpha), 0, 1)

    def uplift(self, sums, less, alpha):
        if sums.count == 0 or less.count == 0:
            return {"value": None, "lo": -1, "hi": 1}
        (a, a_half), (b, b_half) = self.mean(sums, alpha), self.mean(less, alpha)
        return self.interval(a - b, a_half + b_half, -1, 1)

    def all_control(self):
        control = Sums()
        for sums in self.told.control:
            control.add(sums)
        return control

    def uplifts(self, alpha):
        """The uplift from the start, and the recent one."""
        told, j = self.told, max(1, self.told.doublings)
        return self.uplift(told.follow, self.all_control(), alpha / 2), self.uplift(*told.recent, alpha / (j * (j + 1)) / 2)

    def results(self, alpha):
        told, control, each = self.told, self.all_control(), alpha / (self.terms.arms + 1)
        uplift, recent = self.uplifts(alpha)
        return {
            "follow": {"reports": told.follow.count, "mean": self.mean_of(told.follow, alpha / 2)},
            "control": {"reports": control.count, "mean": self.mean_of(control, alpha / 2)},
            "uplift": uplift, "fallen": recent["hi"] < uplift["lo"],
            "recent": {"follow_reports": told.recent[0].count, "control_reports": told.recent[1].count, "uplift": recent},
            "arms": [{"arm": arm, "reports": sums.count, "mean": self.mean_of(sums, each),
                      "uplift": self.uplift(told.follow, sums, each)} for arm, sums in enumerate(told.control)]}


class Results(unittest.TestCase):
    """Half of all rounds are measured; some reports come one epoch late, too late, twice, or
    changed."""
    EPOCHS, PEOPLE = 6, 400

    @classmethod
    def setUpClass(cls):
        cls.service = Service().__enter__()
        cls.addClassCleanup(cls.service.__exit__)
        service = cls.service
        cls.experiment = service.create({"measure": 0.5, "epoch_lag_max": 1}, {"epoch": 100})
        cls.auditor = Auditor(service.terms(cls.experiment))
        cls.posts = []  # what was sent, and the answer
        first, held = [], []
        for epoch in range(cls.EPOCHS):
            cls.auditor.models[epoch] = second_client.Model(cls.auditor.terms, service.model(cls.experiment)[1])
            frames = service.frames(cls.experiment, cls.PEOPLE, seed=epoch)
            early, frames, later = frames[:45], frames[45:-45], frames[-45:]
            first = first or early
            cls.send("late", first[:7] if epoch >= 2 else [])
            cls.send("folded", held)
            cls.send("folded", early)
            cls.send("duplicate", early[:epoch] + held[:1])
            cls.send("conflicting", cls.changed(early)[:3])
            cls.send("folded", frames)  # these end the epoch, whenever that is: before, there were 90 at most
            held = later
            if not service.wait_for(lambda: service.model(cls.experiment)[0] > epoch):
                raise AssertionError("no publish")
            cls.auditor.publish(epoch + 1)
        cls.auditor.models[cls.EPOCHS] = second_client.Model(cls.auditor.terms, service.model(cls.experiment)[1])
        cls.send("folded", service.frames(cls.experiment, 30))  # since the last publish

    @classmethod
    def changed(cls, frames):
        """Reports of control rounds with the opposite value and the same nonce."""
        return [frame[:40] + bytes([1 - frame[40], 0]) for frame in frames if cls.auditor.role(frame) == "control"]

    @classmethod
    def send(cls, kind, frames):
        if not frames:
            return
        cls.posts.append((kind, len(frames), cls.service.post(cls.experiment, frames)))
        if kind == "folded":
            cls.auditor.take(frames)
        else:
            cls.auditor.skipped[kind] += len(frames)

    def get(self, part):
        answer = self.service.manage("GET", f"/v1/experiments/{self.experiment}/{part}")
        self.assertEqual(answer.status, 200, answer)
        return json.loads(answer.body)

    def assert_same(self, got, expected, at=""):
        """Compares numbers to the last digits, everything else exactly."""
        if isinstance(expected, dict):
            self.assertEqual(got.keys(), expected.keys(), at)
            for name in expected:
                self.assert_same(got[name], expected[name], f"{at}.{name}")
        elif isinstance(expected, list):
            self.assertEqual(len(got), len(expected), at)
            for i, (mine, theirs) in enumerate(zip(got, expected)):
                self.assert_same(mine, theirs, f"{at}[{i}]")
        elif isinstance(expected, float):
            self.assertAlmostEqual(got, expected, places=12, msg=at)
        else:
            self.assertEqual(got, expected, at)

    def test_late_duplicate_and_conflicting_reports_get_the_answer_of_those_that_are_taken(self):
        answers = {(answer.status, answer.body, tuple((name, value) for name, value in answer.headers.items()
                                                      if name != "Date")) for _, _, answer in self.posts}
        self.assertEqual(answers, {(204, b"", ())})
        self.assertEqual({kind for kind, _, _ in self.posts}, set(COUNTS))

    def test_every_report_is_counted_as_what_it_is(self):
        sent = collections.Counter()
        for kind, count, _ in self.posts:
            sent[kind] += count
        self.assertEqual(self.service.counts(self.experiment), sent)
        counts = next(row for row in list_json(self.service.manage("GET", "/v1/experiments")))["reports"]
        self.assertEqual(counts, {"acknowledged": sum(sent.values()), "waiting": 0, **sent})
        metrics = self.service.metrics()
        self.assertEqual(metrics["sottod_acknowledged_since_start_total"], sum(sent.values()))

    def test_the_service_says_what_it_did(self):
        metrics = self.service.metrics()
        self.assertEqual(metrics["sottod_publishes_total"], self.EPOCHS)
        self.assertEqual(metrics["sottod_experiment_epoch", self.experiment], self.EPOCHS)
        self.assertEqual(metrics["sottod_group_commits_total"], len(self.posts))  # one after the other
        self.assertGreaterEqual(metrics["sottod_journal_commits_total"], len(self.posts) + self.EPOCHS)
        self.assertGreater(metrics["sottod_fold_seconds_total"], 0)
        self.assertGreater(metrics["sottod_group_commit_seconds_total"], 0)
        self.assertLess(metrics["sottod_group_commit_seconds_total"] + metrics["sottod_fold_seconds_total"],
                        metrics["sottod_uptime_seconds"])

    def test_results_are_those_of_the_frames_as_of_the_last_publish(self):
        for alpha, query in ((0.05, ""), (0.2, "?alpha=0.2"), (1e-9, "?alpha=1e-9")):
            got = self.get("results" + query)
            self.assertEqual((got["id"], got["epoch"], got["phase"], got["decides"], got["alpha"]),
                             (self.experiment, self.EPOCHS, "main", True, alpha))
            self.assertEqual(got["learned_from"], sum(row["learn"] for row in self.auditor.rows))
            self.assert_same(got["measurement"], self.auditor.results(alpha))
        self.assertGreater(min(arm["reports"] for arm in got["measurement"]["arms"]), FLOOR)

    def test_an_alpha_that_is_no_chance_is_refused(self):
        for alpha in ("0", "1", "-0.1", "2", "x", "", "nan", "0x.1", "inf", "0.1%20"):
            path = f"/v1/experiments/{self.experiment}/results?alpha={alpha}"
            answer = self.service.manage("GET", path)
            self.assertEqual((answer.status, json.loads(answer.body)["field"]), (400, "alpha"), alpha)

    def test_terms_without_measure_rounds_have_no_measurement(self):
        other = self.service.create({"series": 9})
        answer = json.loads(self.service.manage("GET", f"/v1/experiments/{other}/results").body)
        self.assertEqual((answer["measurement"], answer["decides"], answer["learned_from"]), (None, False, 0))

    def test_history_has_a_row_per_publish_and_rows_add_up_to_the_counts(self):
        rows = self.get("history")["rows"]
        now = time.time() // 60
        for row in rows:
            self.assertTrue(now - 9 <= row.pop("minute") <= now)
        self.assert_same(rows, self.auditor.rows)
        age = self.service.metrics()["sottod_experiment_age_epochs", self.experiment]
        self.assertAlmostEqual(age, rows[-1]["age"], delta=1 / 256)
        self.assertGreater(age, 0)
        counts, since = self.service.counts(self.experiment), 30
        self.assertEqual(sum(row["learn"] for row in rows) + self.auditor.measured + since, counts["folded"])
        for name in COUNTS[1:]:
            self.assertEqual(sum(row[name] for row in rows), counts[name])


if __name__ == "__main__":
    unittest.main()
