#!/usr/bin/env python3
"""Harm and the fallback of sottod: bad settings, the alarm in results, metrics, history and the log, once; the model that
serves it; its end by the owner, also over kill -9."""
import json
import unittest

import openapi
from harm import LEARNING, SPEC, bad_news, harm_of, magic
from sottod import Service


class Fallback(unittest.TestCase):
    def take(self, service, experiment, frames):
        self.assertEqual(service.post(experiment, frames).status, 204)

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
                why = self.refused(service, {"measure": 2**31}, {"fallback": fallback})
                self.assertEqual((why["field"], why["value"]), ("learning.fallback", value), why)
                self.assertIn("random", why["allowed"])
            for fallback in (0, "random"):
                why = self.refused(service, {}, {"fallback": fallback})
                self.assertEqual((why["field"], why["value"]), ("learning.fallback", str(fallback)))
                self.assertIn("without measure rounds", why["allowed"])

    def test_without_measure_rounds_harm_is_unknown(self):
        with Service() as service:
            experiment = service.create()
            harm = harm_of(service, experiment)
            self.assertEqual((harm["verdict"], harm["uplift_hi"], harm["fallback"]), ("unknown", None, "none"))
            self.assertNotIn(("sottod_experiment_harm", experiment), service.metrics())
            self.assertEqual(service.change(experiment, "end-fallback").status, 409)

    def test_harm_is_said_once_and_the_fallback_lasts_until_its_owner_ends_it(self):
        with Service() as service:
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


unittest.main()
