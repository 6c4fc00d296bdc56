#!/usr/bin/env python3
"""The watch of sottod (docs/guarantees.md): alarms are told, an epoch is held until somebody decides, also after kill -9, and
what was discarded is discarded in every replay. Harm and the fallback: bad settings, the alarm in results, metrics,
history and the log, once; the model that serves it; its end by the owner, also over kill -9. Rewards that never differ, and
an arm that no policy can beat."""
import json
import pathlib
import struct
import tempfile
import unittest

import openapi
from harm import LEARNING, SPEC, bad_news, harm_of, magic
from replay_journal import Journal
from sottod import Service, sottod

EPOCH = {"epoch": 300, "epoch_reports_expected": 5000}


class Case(unittest.TestCase):
    def take(self, service, experiment, frames):
        self.assertEqual(service.post(experiment, frames).status, 204)


class Watch(Case):
    def alarms(self, service, experiment):
        """{test: epochs with an alarm since the start}"""
        prefix = f'sottod_watch_alarms_total{{experiment="{experiment}",test="'
        lines = service.manage("GET", f"/metrics?experiment={experiment}").body.decode().splitlines()
        found = [line.removeprefix(prefix).split('"} ') for line in lines if line.startswith(prefix)]
        return {test: int(count) for test, count in found}

    def check_replay(self, service, experiment):
        """For a service that does not run."""
        replay = Journal(service.directory).replay(experiment)
        service.start()
        self.assertEqual((replay.epoch, replay.model), service.model(experiment))
        self.assertEqual(replay.counts, service.counts(experiment))

    def hold(self, service):
        """An experiment with an honest epoch, and one of liars that is held."""
        experiment = service.create({"epoch_lag_max": 1}, EPOCH, quarantine=True)
        self.take(service, experiment, service.frames(experiment, 400))
        self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1))
        self.assertEqual(set(self.alarms(service, experiment).values()), {0})
        self.take(service, experiment, service.frames(experiment, 200))
        self.take(service, experiment, service.lies(experiment, 200))
        self.assertTrue(service.wait_for(lambda: service.describe(experiment)["held"] is not None))
        return experiment

    def test_a_held_epoch_survives_a_kill_and_is_discarded_in_every_replay(self):
        with Service("--keep-reports") as service:
            experiment = self.hold(service)
            before = service.model(experiment)
            self.assertEqual(self.alarms(service, experiment), {"index": 1, "tail": 0, "roles": 0, "arms": 0, "count": 0})
            self.assertEqual(service.metrics()["sottod_experiment_held", experiment], 1)
            told = [line for line in service.log() if line["event"] in ("alarm", "held")]
            self.assertEqual([(line["event"], line["tests"]) for line in told], [("alarm", "index"), ("held", "index")])
            self.take(service, experiment, service.frames(experiment, 100))  # it goes on taking reports
            service.kill()
            service.start()
            self.assertTrue(service.wait_for(lambda: service.describe(experiment)["held"] is not None))
            self.assertEqual(service.model(experiment), before)
            self.assertEqual(service.describe(experiment)["held"]["reports"], 500)
            self.assertEqual(service.change(experiment, "discard").status, 200)
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 2))
            self.assertEqual(service.model(experiment)[1][32:], before[1][32:])  # all but magic, id, epoch, phase
            self.take(service, experiment, service.frames(experiment, 400))
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 3))
            rows = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
            self.assertEqual([(row["alarms"], row["learn"]) for row in rows], [([], 400), (["index"], 0), ([], 400)])
            service.kill()
            self.check_replay(service, experiment)
            self.check_export(service, experiment)

    def check_export(self, service, experiment):
        model, counts = service.model(experiment), service.counts(experiment)
        with tempfile.TemporaryDirectory() as home:
            file, directory = pathlib.Path(home) / "file", pathlib.Path(home) / "data"
            self.assertEqual(service.change(experiment, "pause").status, 200)
            for words in (("export", experiment, file, "--with-reports", "--data", service.directory),
                          ("import", file, "--data", directory)):
                done = sottod(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
            with Service(directory=directory) as other:
                self.assertEqual(other.model(experiment), model)
                self.assertEqual(other.counts(experiment), counts)
                self.assertEqual(other.describe(experiment)["quarantine"], True)

    def test_a_released_epoch_is_published_as_it_is(self):
        with Service() as service:
            experiment = self.hold(service)
            self.assertEqual(service.change(experiment, "release").status, 200)
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 2))
            self.assertEqual(service.change(experiment, "release").status, 409)
            service.kill()
            self.check_replay(service, experiment)

    def test_without_quarantine_alarms_are_told_and_nothing_waits(self):
        with Service() as service:
            experiment = service.create({"epoch_lag_max": 1}, {**EPOCH, "epoch_reports_expected": 100})
            self.take(service, experiment, service.lies(experiment, 400))
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1))
            rows = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
            self.assertEqual([row["alarms"] for row in rows], [["index", "count"]])


class Fallback(Case):
    def assert_reached(self, service, experiment, epoch):
        self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] >= epoch), f"epoch {epoch} never came")

    def refused(self, service, spec, learning):
        body = {"spec": {"reward_kind": "continuous", "dim": 3, "arms": 3, **spec}, "learning": learning}
        answer = service.manage("POST", "/v1/experiments", body)
        self.assertEqual(answer.status, 400, answer)
        return json.loads(answer.body)

    def test_bad_fallbacks_are_refused_with_field_value_and_what_is_allowed(self):
        with Service() as service:
            for fallback, value in ((3, "3"), (1023, "1023"), (-1, "-1"), ("best", '"best"'), (True, "true"), (1.5, "1.5")):
                why = self.refused(service, {"measure": 0.5}, {"fallback": fallback})
                self.assertEqual((why["field"], why["value"]), ("learning.fallback", value), why)
                self.assertIn("random", why["allowed"])
            for fallback in (0, "random"):
                why = self.refused(service, {}, {"fallback": fallback})
                self.assertEqual((why["field"], why["value"]), ("learning.fallback", str(fallback)))
                self.assertIn("only none while measure is 0", why["allowed"])

    def test_without_measure_rounds_harm_is_unknown(self):
        with Service() as service:
            experiment = service.create()
            harm = harm_of(service, experiment)
            self.assertEqual((harm["verdict"], harm["uplift_hi"], harm["fallback"]), ("unknown", None, "none"))
            self.assertNotIn(("sottod_experiment_harm", experiment), service.metrics())
            self.assertEqual(service.change(experiment, "end-fallback").status, 409)

    def test_harm_is_said_once_and_the_fallback_lasts_until_its_owner_ends_it(self):
        with Service("--keep-reports") as service:
            experiment = service.create(SPEC, LEARNING)
            self.take(service, experiment, service.frames(experiment, 300))
            self.assert_reached(service, experiment, 1)
            self.assertEqual(harm_of(service, experiment)["verdict"], "no")
            self.assertEqual(service.metrics()["sottod_experiment_harm", experiment], 0)
            self.take(service, experiment, bad_news(service, experiment, 800))
            self.assert_reached(service, experiment, 2)
            harm = harm_of(service, experiment)
            self.assertEqual((harm["verdict"], harm["since_epoch"], harm["served_since_epoch"], harm["fallback"]),
                             ("yes", 2, 2, 1))
            self.assertLess(harm["uplift_hi"], 0)
            self.assertEqual(magic(service, experiment), b"STF1")
            self.assertEqual(service.metrics()["sottod_experiment_harm", experiment], 1)
            self.assertEqual(service.metrics()["sottod_experiment_served", experiment], 1)

            self.take(service, experiment, service.frames(experiment, 60))  # measure reports alone
            self.assert_reached(service, experiment, 3)
            self.assertEqual(magic(service, experiment), b"STF1")
            answer = service.change(experiment, "end-fallback")
            self.assertEqual(answer.status, 202)
            self.assertIsNone(openapi.answer_fault("/v1/experiments/{id}/end-fallback", "POST", answer))
            self.assertEqual(service.change(experiment, "end-fallback").status, 202)  # again is no error
            service.kill()
            service.start()
            self.assertTrue(harm_of(service, experiment)["ends"])
            self.take(service, experiment, service.frames(experiment, 60))
            self.assert_reached(service, experiment, 4)
            harm = harm_of(service, experiment)
            self.assertEqual((harm["verdict"], harm["served_since_epoch"], harm["restarts"], harm["uplift_hi"]),
                             ("no", None, 1, None))
            self.assertEqual(magic(service, experiment), b"STM1")
            self.assertEqual(service.change(experiment, "end-fallback").status, 409)
            self.take(service, experiment, service.frames(experiment, 300))  # it learns again
            self.assert_reached(service, experiment, 5)
            rows = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
            self.assertEqual([row["epoch"] for row in rows if "harm" in row["alarms"]], [2])
            said = [(line["event"], line["epoch"]) for line in service.log()
                    if line["event"] in ("harm", "fallback_served", "fallback_ends", "fallback_ended")]
            self.assertEqual(said, [("harm", 2), ("fallback_served", 2), ("fallback_ends", 3), ("fallback_ended", 4)])
            model = service.model(experiment)
            service.kill()
            replay = Journal(service.directory).replay(experiment)  # from the first row on
            self.assertEqual((replay.epoch, replay.model), model)


class OddRewards(Case):
    KINDS = {"shared": {}, "self": {"parameters": "per-arm", "link": "identity"}, "best-arm": {"method": "best-arm", "measure": 0},
             "sign": {"parameters": "per-arm", "link": "identity", "reward_kind": "continuous"}}
    TASTES = ("all", "first")
    EPOCHS = 4

    @classmethod
    def setUpClass(cls):
        """Experiments of every kind with people of every taste, side by side."""
        cls.service = Service("--keep-reports")
        cls.addClassCleanup(cls.service.__exit__)
        cls.service.start()
        cls.made = {(kind, taste): cls.service.create({"measure": 0.5, "epsilon": 2, **spec, "series": series}, {"epoch": 200})
                    for kind, spec in cls.KINDS.items() for series, taste in enumerate(cls.TASTES)}

    def setUp(self):
        service = self.service
        for epoch in range(service.model(self.made["shared", "all"])[0], self.EPOCHS):
            for (_, taste), experiment in self.made.items():
                self.take(service, experiment, service.frames(experiment, 1000, epoch, taste))
            for named, experiment in self.made.items():
                self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] > epoch), named)

    def results(self, kind, taste):
        answer = self.service.manage("GET", f"/v1/experiments/{self.made[kind, taste]}/results")
        self.assertIsNone(openapi.answer_fault("/v1/experiments/{id}/results", "GET", answer))
        return json.loads(answer.body)

    def test_rewards_that_never_differ_show_no_uplift_and_no_harm(self):
        for kind in ("shared", "self", "sign"):
            with self.subTest(kind=kind):
                told = self.results(kind, "all")
                uplift = told["measurement"]["uplift"]
                self.assertTrue(uplift["lo"] < 0 < uplift["hi"], uplift)
                self.assertEqual((told["harm"]["verdict"], told["harm"]["below_best_arm"]), ("no", None))
                self.assertTrue(told["decides"])

    def test_an_arm_that_no_policy_can_beat_is_named_and_is_no_harm(self):
        """Contexts say nothing about it, so the policy is no worse than chance."""
        for kind in ("shared", "self", "sign"):
            with self.subTest(kind=kind):
                told = self.results(kind, "first")
                self.assertEqual((told["harm"]["verdict"], told["harm"]["below_best_arm"]), ("no", 0))
                self.assertLess(told["measurement"]["arms"][0]["uplift"]["hi"], 0)

    def test_best_arm_gives_an_unbeatable_arm_to_nearly_everybody(self):
        for taste in self.TASTES:
            _, model = self.service.model(self.made["best-arm", taste])
            shares = struct.unpack("<3I", model[-12:])
            self.assertEqual(sum(shares), 2**32)
            self.assertEqual(shares[0] > 0.99 * 2**32, taste == "first", shares)

    def test_replays_agree(self):
        self.service.kill()
        replays = {named: Journal(self.service.directory).replay(experiment) for named, experiment in self.made.items()}
        self.service.start()
        for named, experiment in self.made.items():
            self.assertEqual((replays[named].epoch, replays[named].model), self.service.model(experiment), named)


if __name__ == "__main__":
    unittest.main()
