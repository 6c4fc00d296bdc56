#!/usr/bin/env python3
"""What the watch sees of liars, and what a quarantine is worth, through the real service.

A sottod of its own, people by `sotto fleet --liars`: none, 0.1, 1 and 5 %, plain (--grind 1) and grinding (100 nonces
each), who know the truth and turn the estimate from it. Without quarantine alarms are told and nothing else happens; with
it a scripted operator discards every epoch that is held. Regret is that of the honest and the liars together, as `sotto
fleet` counts it, beside that of random arms; an alarm is an epoch in whose row of history a test is named. Judged: no alarm
without liars; what liars cost is shown."""

import collections
import json
import os
import subprocess
import sys
import threading

from measure import ROOT, Row, arguments, finish
from research import Table

LEARNING = {"epoch": 0, "epoch_seconds_min": 1, "epoch_reports_min": 100}
TIMES = {"reward_window_s": 0, "send_spread_s": 0, "epoch_lag_max": 2}
MEASURE = 0.1
Setting = collections.namedtuple("Setting", "name spec people rate")
SETTINGS = (
    Setting("shared d=20 K=20 epsilon 1", {"dim": 20, "arms": 20, "epsilon": 1}, 40000, 2500),
    Setting("shared d=5 K=5 epsilon 2", {"dim": 5, "arms": 5, "epsilon": 2}, 40000, 2500),
)
LIARS = ((0, 1), (0.001, 1), (0.01, 1), (0.05, 1), (0.001, 100), (0.01, 100), (0.05, 100))


class Operator(threading.Thread):
    """Discards what is held."""

    def __init__(self, service, experiment):
        super().__init__(daemon=True)
        self.service, self.experiment, self.over = service, experiment, threading.Event()
        self.discarded = 0

    def run(self):
        while not self.over.wait(0.1):
            held = self.service.describe(self.experiment)["held"]
            if held is not None and not held["ends"]:
                self.discarded += self.service.change(self.experiment, "discard").status == 200


def play(sotto, setting, part, grind, quarantine, seed):
    """What `sotto fleet` says, the rows of history, and the epochs that were discarded."""
    from sottod import Service
    with Service() as service:
        spec = {"reward_kind": "continuous", "link": "identity", "measure": MEASURE, **TIMES, **setting.spec}
        experiment = service.create(spec, {**LEARNING, "horizon": setting.people}, quarantine=quarantine)
        operator = Operator(service, experiment)
        operator.start()
        run = subprocess.run([sotto, "fleet", f"{service.public}/v1/experiments/{experiment}", "--people",
                              str(setting.people), "--rate", str(setting.rate), "--seed", str(seed), "--batch", "10",
                              "--liars", str(part), "--grind", str(grind), "--json", "--quiet", "--admin", service.admin,
                              "--token-file", str(service.token_file)], capture_output=True, text=True, check=True)
        operator.over.set()
        operator.join()
        rows = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
    return json.loads(run.stdout), rows, operator.discarded


def row_of(table, sotto, setting, part, grind, quarantine, seeds):
    """A line of the table; the epochs with an alarm."""
    regret, chance, epochs, discarded, named, first = 0, 0, 0, 0, collections.Counter(), []
    for seed in seeds:
        seen, rows, dropped = play(sotto, setting, part, grind, quarantine, seed)
        regret, chance = regret + seen["regret"], chance + seen["regret_random"]
        epochs, discarded = epochs + len(rows), discarded + dropped
        alarms = [i + 1 for i, row in enumerate(rows) if row["alarms"]]
        first.append(str(alarms[0]) if alarms else "none")
        named.update(test for row in rows for test in row["alarms"])
    kind = "–" if part == 0 else "plain" if grind == 1 else "grinding"
    tests = ", ".join(f"{test} {count}" for test, count in sorted(named.items())) or "none"
    table.row(setting.name, f"{100 * part:g} %", kind, "discard" if quarantine else "off", f"{regret / len(seeds):.0f}",
              f"{regret / chance:.3f}", epochs, tests, ", ".join(first), discarded)
    return sum(named.values())


def main():
    args = arguments(__doc__, build="the directory of a build with tests, default build/dev")
    build = os.path.abspath(args.build or os.path.join(ROOT, "build/dev"))
    os.environ.update({"SOTTOD": f"{build}/sottod", "PEOPLE": f"{build}/tests/system/people"})
    sys.path.insert(0, os.path.join(ROOT, "tests/system"))
    seeds = (1,) if args.quick else (1, 2, 3)
    rows = []
    table = Table(args, "watch_service", ("setting", "liars", "kind", "quarantine", "regret", "over random arms", "epochs",
                                          "alarms", "first alarm in epoch", "discarded"))
    for setting in SETTINGS:
        for part, grind in LIARS:
            for quarantine in (False, True):
                alarms = row_of(table, args.sotto, setting, part, grind, quarantine, seeds)
                if part == 0:
                    rows.append(Row(f"watch, {setting.name}, no liars", "no alarm", f"{alarms} alarms", alarms == 0))
    table.close()
    finish(args, rows)


if __name__ == "__main__":
    main()
