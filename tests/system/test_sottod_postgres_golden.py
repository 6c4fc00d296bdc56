#!/usr/bin/env python3
"""Tables that an earlier program left: a service starts on them with the same models and counts,
and continues. tests/golden/postgres_2 was written by a program of that time (make_postgres.py
there)."""
import json
import os
import pathlib
import subprocess
import unittest

from postgres import Case
from replay_postgres import Database
from sottod import Service

GOLDEN = pathlib.Path(os.environ["GOLDEN"])


class Golden(Case):
    def restored(self, name):
        """The URL of a database with the tables of the file."""
        self.database.ask(f"CREATE DATABASE {name}")
        url = self.database.url.replace(":///postgres?", f":///{name}?")
        self.assertNotEqual(url, self.database.url)
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-f", GOLDEN / "postgres_2.sql", url], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        return url

    @staticmethod
    def told(service, experiment):
        about, (epoch, model) = service.describe(experiment), service.model(experiment)
        return {"state": about["state"], "epoch": epoch, "model": model.hex(), "counts": service.counts(experiment),
                "waiting": about["reports"]["waiting"]}

    def check(self, service, wanted):
        for experiment, said in wanted["experiments"].items():
            self.assertEqual(self.told(service, experiment), said)
        for experiment in wanted["held"]:
            self.assertIsNotNone(service.describe(experiment)["held"])
        for experiment in wanted["keyed"]:
            self.assertEqual(service.post(experiment, service.frames(experiment, 1)).status, 403)
        for experiment in wanted["deleted"]:
            self.assertEqual(service.get(f"/v1/experiments/{experiment}/model").status, 410)

    def go_on(self, service, wanted, experiment, again=()):
        """New and known reports are taken and end an epoch; every acknowledged one is counted."""
        said = wanted["experiments"][experiment]
        before = sum(said["counts"].values()) + said["waiting"]
        if again:
            self.send(service, experiment, again)
        self.send(service, experiment, service.frames(experiment, 40))
        self.assert_reached(service, experiment, said["epoch"] + 1)
        self.assertTrue(service.wait_for(lambda: service.describe(experiment)["reports"]["waiting"] == 0))
        counts = service.counts(experiment)
        self.assertEqual(sum(counts.values()), before + 40 + len(again))
        self.assertEqual(counts["duplicate"], said["counts"]["duplicate"] + len(again))
        self.assertEqual(counts["folded"], said["counts"]["folded"] + said["waiting"] + 40)

    def test_a_service_starts_on_them_with_the_same_models_and_goes_on(self):
        wanted = json.loads((GOLDEN / "postgres_2.json").read_text())
        url = self.restored("golden")
        before = Database(url)
        for table in ("removed", "held", "ended", "history"):
            self.assertTrue(before.tables[table], table)
        with Service("--keep-reports", journal=url) as service:
            self.check(service, wanted)
            self.go_on(service, wanted, wanted["waits"], [bytes.fromhex(frame) for frame in wanted["frames"]])
            self.go_on(service, wanted, wanted["removed"])
            after = Database(url)
            whole = [e["id"].hex() for e in before.experiments
                     if e["id"].hex() in wanted["experiments"] and not any(e["number"] == n for n, _ in before.removed)]
            self.assertIn(wanted["waits"], whole)
            for experiment in whole:
                said, shown = wanted["experiments"][experiment], after.replay(experiment).shown
                self.assertEqual(shown.get(said["epoch"], bytes.fromhex(said["model"])).hex(), said["model"])
            for key, models in before.models.items():
                self.assertEqual(after.models[key][:len(models)], models)


if __name__ == "__main__":
    unittest.main()
