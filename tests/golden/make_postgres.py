#!/usr/bin/env python3
"""Lets a real sottod live a little over a database of its own, and writes down the tables and what it says of them: how
a journal in PostgreSQL of this version looks for every later program of the same format. Run once per format
(docs/formats.md, section 7), with the program that writes it:

    SOTTOD=… PEOPLE=… POSTGRES=… PYTHONPATH=tests/system make_postgres.py NAME

with the programs of a build: sottod, tests/system/people and tests/postgres_program. Writes NAME.sql, by pg_dump, and
NAME.json, what a service that starts on it must say. test_sottod_postgres_golden.py reads them. Nonces and minutes
differ from run to run."""
import json
import pathlib
import re
import subprocess
import sys
import time

from make_service import KEY, conflicting, live, told
from postgres import Postgres
from sottod import Service

LEARNING = {"epoch": 40, "epoch_seconds_min": 1, "epoch_reports_min": 20}


def hold(service):
    """An epoch of liars, which is held back."""
    experiment = service.create({"epoch_lag_max": 1, "series": 4}, {**LEARNING, "epoch": 200}, {"name": "held"},
                                quarantine=True)
    assert service.post(experiment, service.frames(experiment, 200, 9)).status == 204
    assert service.wait_for(lambda: service.model(experiment)[0] == 1)
    assert service.post(experiment, service.lies(experiment, 200)).status == 204
    assert service.wait_for(lambda: service.describe(experiment)["held"] is not None)
    return experiment


def remove(database, service, experiment):
    """Reports whose epochs are closed: their slab is dropped once it is ten minutes old."""
    database.ask("UPDATE sotto.experiment SET slab_minute = slab_minute - 11 WHERE id = decode('%s', 'hex')" % experiment)
    for seed in (11, 12, 13):
        time.sleep(6)  # the directory looks for what nobody needs after a publish, at most every five seconds
        live(service, experiment, seed)
    assert service.wait_for(lambda: database.ask("SELECT count(*) FROM sotto.removed") != [["0"]], 60)


def close(service, experiment):
    """With reports after its last model."""
    live(service, experiment, 21)
    assert service.post(experiment, service.frames(experiment, 5, 22)).status == 204
    assert service.change(experiment, "close").status == 200


def main(name):
    with Postgres() as database, Service(journal=database.url) as service:
        removed = service.create({"epoch_lag_max": 1}, LEARNING, {"name": "removed"})
        waits = service.create({"epoch_lag_max": 2, "series": 1}, LEARNING, {"name": "waits"})
        paused = service.create({"series": 2, "measure": 0.5}, LEARNING, {"name": "paused"})
        deleted = service.create({"series": 3}, LEARNING, {"name": "deleted"})
        keyed = service.create({"series": 5}, LEARNING, {"name": "keyed"}, report_key=KEY)
        closed = service.create({"series": 6}, LEARNING, {"name": "closed"})
        late = live(service, removed, 1)
        remove(database, service, removed)
        assert service.post(removed, late[:4]).status == 204
        live(service, removed, 14)
        first = live(service, waits, 2)
        assert service.post(waits, [*first[:2], conflicting(first[3])]).status == 204
        live(service, waits, 3)
        assert service.post(waits, service.frames(waits, 15, 4)).status == 204
        assert service.post(paused, service.frames(paused, 70, 5)).status == 204  # half of them measure
        live(service, paused, 7)
        assert service.change(paused, "pause").status == 200
        live(service, deleted, 6)
        assert service.change(deleted, "delete").status == 200
        held = hold(service)
        close(service, closed)
        assert service.wait_for(lambda: database.ask("SELECT count(*) FROM sotto.ended") == [["1"]], 60)
        time.sleep(1.5)  # what was told is what is there
        service.kill()
        service.start()
        experiments = {each: told(service, each) for each in (removed, waits, paused, keyed, closed, held)}
        waiting = {each: service.describe(each)["reports"]["waiting"] for each in experiments}
        service.kill()
        text = subprocess.run(["pg_dump", "--schema=sotto", "--no-owner", "--no-privileges", database.url], check=True,
                              capture_output=True, text=True, timeout=60).stdout
    text = re.sub(r"^\\(un)?restrict .*\n", "", text, flags=re.M)  # of newer programs; older ones do not read it
    pathlib.Path(f"{name}.sql").write_text(text)
    pathlib.Path(f"{name}.json").write_text(json.dumps({
        "experiments": {each: {**experiments[each], "waiting": waiting[each]} for each in experiments},
        "deleted": [deleted], "keyed": [keyed], "held": [held], "frames": [frame.hex() for frame in first[:3]],
        "waits": waits, "removed": removed}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
