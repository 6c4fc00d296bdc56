#!/usr/bin/env python3
"""The fallback over a shared journal: any gateway tells of it and ends it, whoever folds carries it out, once, also if
the folder that was told dies."""
import json
import unittest

import openapi
from harm import LEARNING, SPEC, bad_news, harm_of, magic
from postgres import Case


class Fallback(Case):
    def test_any_gateway_ends_it_and_the_folder_does_it(self):
        gateway, folder = self.service("--fold=no"), self.service()
        experiment = gateway.create(SPEC, LEARNING)
        self.send(gateway, experiment, gateway.frames(experiment, 300))
        self.assert_reached(gateway, experiment, 1)
        self.assertEqual(gateway.change(experiment, "end-fallback").status, 409)
        self.send(gateway, experiment, bad_news(gateway, experiment, 800))
        for service in (gateway, folder):
            self.assert_reached(service, experiment, 2)
            harm = harm_of(service, experiment)
            self.assertEqual((harm["verdict"], harm["served_since_epoch"], harm["ends"]), ("yes", 2, False))
            self.assertEqual(magic(service, experiment), b"STF1")
        self.send(gateway, experiment, gateway.frames(experiment, 60))
        self.assert_reached(gateway, experiment, 3)
        folder.kill()
        answer = gateway.change(experiment, "end-fallback")
        self.assertEqual(answer.status, 202, answer)
        self.assertIsNone(openapi.answer_fault("/v1/experiments/{id}/end-fallback", "POST", answer))
        self.assertEqual(gateway.change(experiment, "end-fallback").status, 202)
        self.assertTrue(harm_of(gateway, experiment)["ends"])
        self.assertIsNone(gateway.describe(experiment)["held"])  # nothing is held
        self.assertEqual(gateway.change(experiment, "discard").status, 409)
        second = self.service()
        self.assertTrue(second.wait_for(lambda: harm_of(second, experiment)["ends"]))
        self.send(gateway, experiment, gateway.frames(experiment, 60))
        self.assert_reached(gateway, experiment, 4)
        harm = harm_of(gateway, experiment)
        self.assertEqual((harm["verdict"], harm["served_since_epoch"], harm["restarts"], harm["ends"]), ("no", None, 1, False))
        self.assertEqual(magic(gateway, experiment), b"STM1")
        self.send(gateway, experiment, gateway.frames(experiment, 300))
        self.assert_reached(gateway, experiment, 5)
        rows = json.loads(gateway.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
        self.assertEqual([row["epoch"] for row in rows if "harm" in row["alarms"]], [2])
        said = [(line["event"], line["epoch"]) for service in (folder, second) for line in
                map(json.loads, service.log_path.read_text().splitlines())
                if line["event"] in ("harm", "fallback_served", "fallback_ended")]
        self.assertEqual(said, [("harm", 2), ("fallback_served", 2), ("fallback_ended", 4)])


unittest.main()
