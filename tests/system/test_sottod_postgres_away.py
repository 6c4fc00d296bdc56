#!/usr/bin/env python3
"""The database goes, or stands still, and comes back: what is known is told meanwhile, and nobody waits."""
import unittest

from postgres import LEARNING, Case
from replay_postgres import Database


class Away(Case):
    """The database goes, and comes back."""

    def test_what_is_known_is_told_and_the_rest_comes_back_by_itself(self):
        one, two = self.service(), self.service()
        experiment = one.create(learning=LEARNING)
        frames = one.frames(experiment, 500)
        self.send(one, experiment, frames[:250])
        self.assert_reached(two, experiment, 1)
        model = one.model(experiment)
        self.database.tell("kill")
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 503, 20))
            self.assertEqual(service.model(experiment), model)
            answer = service.post(experiment, frames[250:300])
            self.assertEqual((answer.status, answer.headers.get("Retry-After")), (503, "1"))
        self.database.tell("start")
        for service in (one, two):
            self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200, 20))
        self.send(one, experiment, frames[250:375])
        self.send(two, experiment, frames[375:])
        self.assert_reached(one, experiment, 2)
        self.assert_reached(two, experiment, 2)
        self.assertEqual(Database(self.database.url).replay(experiment).counts["folded"], 500)

    def test_a_database_that_stands_still_does_not_stop_the_others(self):
        service = self.service("--fold=no")
        experiment = service.create(learning=LEARNING)
        frames = service.frames(experiment, 20)
        self.database.tell("freeze")
        self.addCleanup(lambda: self.database.tell("thaw"))
        self.assertEqual(service.post(experiment, frames).status, 503)  # after the time that an answer may take
        self.assertEqual([service.post(experiment, frames).status for _ in range(20)], [503] * 20)
        self.assertEqual(service.get("/readyz").status, 503)
        self.database.tell("thaw")
        self.assertTrue(service.wait_for(lambda: service.get("/readyz").status == 200, 60))
        self.assertEqual(service.post(experiment, frames).status, 204)


if __name__ == "__main__":
    unittest.main()
