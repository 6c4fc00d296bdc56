#!/usr/bin/env python3
"""Several services over one database: a report counts once wherever it is sent, and all services
show the same."""
import json
import unittest

from postgres import LEARNING, Case
from replay_postgres import Damage, Database
from sottod import Service, plain_environment, sottod


def other_codeword(frame):
    return frame[:40] + bytes([frame[40] ^ 1]) + frame[41:]


class Together(Case):
    """No process dies."""

    def test_two_gateways_are_one_service(self):
        one, two = self.service(), self.service("--publish=no")
        learning = {**LEARNING, "epoch": 300}
        experiment = one.create(learning=learning)
        self.assertEqual(one.terms(experiment), two.terms(experiment))
        again = two.manage("POST", "/v1/experiments", {"spec": self.spec_of(one, experiment), "learning": learning})
        self.assertEqual(again.status, 409, again)
        frames = one.frames(experiment, 300, seed=7)
        self.send(one, experiment, frames[:180], 50)
        self.send(two, experiment, [other_codeword(frame) for frame in frames[:5]])  # 5 that conflict
        self.send(two, experiment, frames[150:], 50)                                 # 30 to both; the last one ends the epoch
        self.assert_reached(one, experiment, 1)
        self.assert_reached(two, experiment, 1)
        self.assertEqual(one.model(experiment), two.model(experiment))
        for service in (one, two):
            self.assertEqual(service.counts(experiment), {"folded": 300, "late": 0, "duplicate": 30, "conflicting": 5})
            self.assertEqual(self.history(service, experiment), self.history(one, experiment))
        self.assertEqual(json.loads(one.get("/readyz").body), {"status": "ok", "housekeeper": True, "stopped": []})
        self.assertEqual(json.loads(two.get("/readyz").body), {"status": "ok", "housekeeper": False, "stopped": []})
        self.assertEqual(one.metrics()["sottod_housekeeper"], 1)
        self.assertEqual(two.metrics()["sottod_housekeeper"], 0)
        replay = Database(self.database.url).replay(experiment)
        self.assertEqual(replay.counts, one.counts(experiment))
        self.assertEqual(replay.waiting, [])
        self.check_states(one, two, experiment)

    @staticmethod
    def spec_of(service, experiment):
        return json.loads(service.manage("GET", f"/v1/experiments/{experiment}").body)["spec"]

    @staticmethod
    def history(service, experiment):
        return json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]

    def check_states(self, one, two, experiment):
        """A setting made at one gateway holds at the other."""
        frames = one.frames(experiment, 1)
        for verb, status in (("pause", 409), ("open", 204), ("close", 410), ("delete", 410)):
            self.assertEqual(two.change(experiment, verb).status, 200)
            self.assertTrue(one.wait_for(lambda: one.post(experiment, frames).status == status), (verb, status))
        self.assertTrue(one.wait_for(lambda: self.database.ask("SELECT count(*) FROM sotto.journal") == [["0"]]))

    def test_the_command_line_says_what_it_can_do(self):
        service = self.service()
        experiment = service.create(learning=LEARNING)
        self.send(service, experiment, service.frames(experiment, 250))
        self.assert_reached(service, experiment, 1)
        url = self.database.url
        looked = sottod("inspect", "--journal", url)
        self.assertEqual(looked.returncode, 0, looked)
        self.assertIn(f"{experiment}  open\n", looked.stdout)
        self.assertIn("250 acknowledged = 250 folded + 0 late + 0 duplicate + 0 conflicting\n", looked.stdout)
        file = service.home / "exported"
        for words, says in ((("export", experiment, file), "only for a closed experiment"), (("import", "/dev/null"), "pg_dump"),
                            (("backup", "/proc/none"), "pg_dump")):
            refused = sottod(*words, "--journal", url)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn(says, refused.stderr)
        self.assertEqual(list(service.home.glob("exported*")), [])
        wrong = sottod("--journal", url, "--recover-to", "7", "--data", service.directory)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("--recover-to: works only for a journal in a directory", wrong.stderr)

    def test_what_a_closed_experiment_took_last_is_counted_and_goes(self):
        for keeps in (True, False):
            flags = () if keeps else ("--keep-reports=no",)
            one, two = self.service(*flags), self.service("--publish=no", *flags)
            experiment = one.create({"series": 1 + keeps}, LEARNING)
            self.send(one, experiment, one.frames(experiment, 250))
            self.assert_reached(two, experiment, 1)
            model, last = two.model(experiment), two.frames(experiment, 30)
            self.send(two, experiment, last)
            self.send(one, experiment, last[:5])  # to both
            for service in (one, two):
                self.assertEqual(service.describe(experiment)["reports"]["waiting"], 35)
                self.assertEqual(service.metrics()["sottod_experiment_waiting", experiment], 35)
            self.assertEqual(two.change(experiment, "close").status, 200)
            counts = {"folded": 280, "late": 0, "duplicate": 5, "conflicting": 0}
            for service in (one, two):
                self.assertTrue(service.wait_for(lambda: service.counts(experiment) == counts), service.counts(experiment))
                self.assertEqual(service.describe(experiment)["taken_since_publish"], 30)
                self.assertEqual(service.describe(experiment)["reports"]["waiting"], 0)
                self.assertEqual(service.model(experiment), model)  # nothing was published
            number = 1 if keeps else 2
            rows = f"SELECT count(*) FROM sotto.journal WHERE experiment = {number}"
            if keeps:
                replay = Database(self.database.url).replay(experiment)
                self.assertEqual((replay.counts, replay.waiting), (counts, []))
            else:
                self.assertTrue(one.wait_for(lambda: self.database.ask(rows) == [["0"]]), "they stay")
            for service in (one, two):
                service.stop()
            again = self.service("--publish=no")
            self.assertEqual(again.counts(experiment), counts)
            again.stop()
            self.check_export(again.home, experiment, model, counts)

    def check_export(self, home, experiment, model, counts):
        """The export equals the journal of a service on one machine."""
        words = ("export", experiment, home / "exported", "--journal", self.database.url)
        self.assertIn("without --with-reports", sottod(*words, "--with-reports").stderr)
        done = sottod(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sottod("import", home / "exported", "--data", home / "one").returncode, 0)
        with Service(directory=home / "one") as service:
            self.assertEqual((service.model(experiment), service.counts(experiment)), (model, counts))
            self.assertEqual(service.describe(experiment)["state"], "closed")
            self.assertEqual(service.describe(experiment)["taken_since_publish"], 30)

    def test_a_password_is_shown_nowhere(self):
        url = "postgresql://somebody:hush%20hush@127.0.0.1:1/none?connect_timeout=1"
        printed = sottod("--print-config", "--journal", url)
        self.assertIn("\njournal = postgresql://somebody@127.0.0.1:1/none?connect_timeout=1\n", printed.stdout)
        started = sottod("--journal", url, "--data", "/proc/none", env=plain_environment())
        self.assertEqual(started.returncode, 1)
        started = sottod(env=plain_environment(SOTTOD_JOURNAL=url, SOTTOD_LISTEN="127.0.0.1:0",
                                               SOTTOD_ADMIN="127.0.0.1:0"))
        self.assertEqual(started.returncode, 1)
        for said in (printed.stdout, printed.stderr, started.stdout, started.stderr):
            self.assertNotIn("hush", said)


class Damaged(Case):
    """Someone altered the tables."""

    def test_what_cannot_be_right_is_left_alone_and_the_replay_finds_it(self):
        service = self.service()
        bad, good = (service.create({"series": series}, LEARNING) for series in (1, 2))
        self.send(service, bad, service.frames(bad, 100))
        self.database.ask("UPDATE sotto.journal SET frames = overlay(frames PLACING decode('00', 'hex') FROM 1)")
        self.send(service, bad, service.frames(bad, 200))
        self.send(service, good, service.frames(good, 250))
        self.assert_reached(service, good, 1)
        self.assertEqual(service.model(bad)[0], 0)
        self.assertTrue(service.wait_for(lambda: [line for line in service.log() if line["event"] == "cannot_publish"]))
        self.assertEqual({line["experiment"] for line in service.log() if line["event"] == "cannot_publish"}, {bad})
        with self.assertRaisesRegex(Damage, "row 1 of gateway 1 has another digest"):
            Database(self.database.url)
        self.database.ask("DELETE FROM sotto.journal WHERE experiment = 1")
        Database(self.database.url).replay(good)
        self.database.ask("UPDATE sotto.model SET folded = folded + 1")
        with self.assertRaisesRegex(Damage, "the model of epoch 1 has another digest"):
            Database(self.database.url)
        late = self.service("--publish=no")  # starts with it, and has no older model of that one
        self.assertEqual([late.get(f"/v1/experiments/{id_}/model").status for id_ in (bad, good)], [200, 503])
        self.assertEqual(self.stopped(late), [good])
        self.database.ask("UPDATE sotto.model SET folded = folded - 1")
        self.assertTrue(late.wait_for(lambda: self.stopped(late) == []))
        self.assertEqual(late.model(good), service.model(good))

    def test_a_damaged_experiment_stops_alone(self):
        service = self.service()
        bad, good = (service.create({"series": series}, LEARNING) for series in (1, 2))
        self.database.ask("UPDATE sotto.experiment SET epoch_reports_min = 21 WHERE number = 1")
        self.assertTrue(service.wait_for(lambda: self.stopped(service) == [bad]))
        other = self.service("--publish=no")  # starts with it
        self.assertEqual(self.stopped(other), [bad])
        for asked in (service, other):
            self.assertEqual(asked.metrics()["sottod_experiment_stopped", bad], 1)
            self.assertNotIn(("sottod_experiment_stopped", good), asked.metrics())
            told = [line["experiment"] for line in asked.log() if line["event"] == "experiment_damaged"]
            self.assertEqual(told, [bad])
        self.assertEqual([other.get(f"/v1/experiments/{id_}/terms").status for id_ in (bad, good)], [503, 200])
        looked = sottod("inspect", "--journal", self.database.url)
        self.assertEqual(looked.returncode, 1)
        self.assertIn(f"{bad}  damaged\n{good}  open\n", looked.stdout)
        self.send(other, good, other.frames(good, 250))
        self.assert_reached(other, good, 1)
        self.database.ask("UPDATE sotto.experiment SET epoch_reports_min = 20 WHERE number = 1")
        self.assertTrue(service.wait_for(lambda: self.stopped(service) + self.stopped(other) == []))
        self.send(other, bad, other.frames(bad, 250))
        self.assert_reached(service, bad, 1)
        Database(self.database.url).replay(bad)

    @staticmethod
    def stopped(service):
        return json.loads(service.get("/readyz").body)["stopped"]


if __name__ == "__main__":
    unittest.main()
