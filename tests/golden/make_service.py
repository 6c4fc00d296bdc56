#!/usr/bin/env python3
"""Lets a real sottod live a little, and writes down its journal and what it says of it: how a folder of its format
looks for every later program. Run once per format, with the program that writes it, and never again:

    SOTTOD=… PEOPLE=… PYTHONPATH=tests/system make_service.py NAME

writes NAME.sql, the tables; NAME.json, what a service that starts on them must say; NAME.stx, an experiment that was
exported. test_sottod_upgrade.py reads them. Nonces and minutes differ from run to run, so a new run gives other bytes."""
import contextlib
import json
import pathlib
import sqlite3
import sys

from sottod import Service, sottod

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


def write_tables(folder, path):
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite")) as data:
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
        assert service.stop() == 0      # which writes snapshots, and removes rows of closed epochs
        service.start()
        frames = service.frames(removed, 15, 8)
        assert service.post(removed, [*frames, *first[:3], *frames[:2], conflicting(frames[4])]).status == 204
        experiments = {each: told(service, each) for each in (moved, removed, paused)}
        service.kill()
        done = sottod("export", moved, f"{name}.stx", "--with-reports", "--data", service.folder)
        assert done.returncode == 0, done
        write_tables(service.folder, pathlib.Path(f"{name}.sql"))
    pathlib.Path(f"{name}.json").write_text(json.dumps({"experiments": experiments, "deleted": [deleted]}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
