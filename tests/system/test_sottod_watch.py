#!/usr/bin/env python3
"""The watch of sottod (docs/watch.md): alarms are told, an epoch is held until somebody decides, also after kill -9, and
what was discarded is discarded in every replay."""
import json
import pathlib
import tempfile
import unittest

from replay_journal import Journal
from sottod import Service, sottod

EPOCH = {"epoch": 300, "epoch_reports_expected": 5000}


class Watch(unittest.TestCase):
    def take(self, service, experiment, frames):
        self.assertEqual(service.post(experiment, frames).status, 204)

    def alarms(self, service, experiment):
        """{test: epochs with an alarm since the start}"""
        prefix = f'sottod_watch_alarms_total{{experiment="{experiment}",test="'
        lines = service.manage("GET", "/metrics").body.decode().splitlines()
        found = [line.removeprefix(prefix).split('"} ') for line in lines if line.startswith(prefix)]
        return {test: int(count) for test, count in found}

    def check_replay(self, service, experiment):
        """For a service that does not run."""
        replay = Journal(service.folder).replay(experiment)
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
            file, folder = pathlib.Path(home) / "file", pathlib.Path(home) / "data"
            self.assertEqual(service.change(experiment, "pause").status, 200)
            for words in (("export", experiment, file, "--with-reports", "--data", service.folder),
                          ("import", file, "--data", folder)):
                done = sottod(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
            with Service(folder=folder) as other:
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


if __name__ == "__main__":
    unittest.main()
