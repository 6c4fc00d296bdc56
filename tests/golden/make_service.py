#!/usr/bin/env python3
"""Lets a real sottod live a little, and writes down its journal and what it says of it: how a directory of its format
looks for every later program of the same format. Run once per format, with the program that writes it:

    SOTTOD=… PEOPLE=… PYTHONPATH=tests/system make_service.py NAME

writes NAME.sql, the tables; NAME.json, what a service that starts on them must say. test_sottod_format.py
reads them. Nonces and minutes differ from run to run, so a new run gives other bytes."""
import contextlib
import json
import pathlib
import sqlite3
import sys

from sottod import Service

KEY = "0123456789abcdef"
LEARNING = {"epoch": 40, "epoch_reports_min": 20}


def conflicting(frame):
    return frame[:40] + bytes([frame[40] ^ 1]) + frame[41:]


def live(service, experiment, seed):
    """An epoch: 40 people, and the publish after them."""
    epoch = service.model(experiment)[0]
    frames = service.frames(experiment, 40, seed)
    assert service.post(experiment, frames).status == 204
    assert service.wait_for(lambda: service.model(experiment)[0] == epoch + 1)
    return frames


def state_of(service, experiment):
    answer = service.manage("GET", f"/v1/experiments/{experiment}")
    assert answer.status == 200, answer
    return json.loads(answer.body)["state"]


def told(service, experiment):
    epoch, model = service.model(experiment)
    return {"state": state_of(service, experiment), "epoch": epoch, "model": model.hex(),
            "counts": service.counts(experiment)}


def hold(service):
    """An experiment with an epoch of liars, which is held back."""
    experiment = service.create({"epoch_lag_max": 1, "series": 4}, {"epoch": 200, "epoch_reports_min": 20, "epoch_reports_expected": 5000},
                                {"name": "held"}, quarantine=True)
    assert service.post(experiment, service.frames(experiment, 200, 9)).status == 204
    assert service.wait_for(lambda: service.model(experiment)[0] == 1)
    assert service.post(experiment, service.lies(experiment, 200)).status == 204
    assert service.wait_for(lambda: service.describe(experiment)["held"] is not None)
    return experiment


def discard(service, experiment):
    assert service.wait_for(lambda: service.describe(experiment)["held"] is not None)
    assert service.change(experiment, "discard").status == 200
    assert service.wait_for(lambda: service.model(experiment)[0] == 2)


def write_tables(directory, path):
    with contextlib.closing(sqlite3.connect(directory / "journal.sqlite")) as data:
        pragmas = [f"PRAGMA {name}={data.execute(f'PRAGMA {name}').fetchone()[0]};"
                   for name in ("application_id", "user_version")]
        path.write_text("\n".join([*pragmas, *data.iterdump()]) + "\n")


def main(name):
    with Service() as service:
        moved = service.create({"epoch_lag_max": 1}, LEARNING, {"name": "moved"})
        removed = service.create({"epoch_lag_max": 1, "series": 1}, LEARNING, {"name": "removed"})
        paused = service.create({"series": 2}, LEARNING, {"name": "paused"})
        deleted = service.create({"series": 3}, LEARNING, {"name": "deleted"})
        live(service, moved, 1)
        assert service.post(moved, service.frames(moved, 20, 2)).status == 204
        first = live(service, removed, 3)
        live(service, removed, 4)
        live(service, removed, 5)
        live(service, paused, 6)
        service.change(paused, "pause")
        live(service, deleted, 7)
        service.change(deleted, "delete")
        more = [hold(service), service.create({"series": 5}, LEARNING, {"name": "keyed"}, report_key=KEY)]
        assert service.stop() == 0      # which writes snapshots, and removes rows of closed epochs
        service.start()
        frames = service.frames(removed, 15, 8)
        assert service.post(removed, [*frames, *first[:3], *frames[:2], conflicting(frames[4])]).status == 204
        discard(service, more[0])
        experiments = {each: told(service, each) for each in (moved, removed, paused, *more)}
        service.kill()
        write_tables(service.directory, pathlib.Path(f"{name}.sql"))
    pathlib.Path(f"{name}.json").write_text(json.dumps({"experiments": experiments, "deleted": [deleted],
                                                           "quarantine": more[:1], "keyed": more[1:]}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
