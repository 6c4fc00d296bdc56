#!/usr/bin/env python3
"""Regret over the network beside the lab's, and what epochs by the clock cost.

fleet: a sottod of its own, and people through it by `sotto fleet`. lab: the same people, by seed, decide under the same
epochs: as many of them under each model as at the service, their reports folded before the same publish
(tests/measure/lab_epochs.c, from the journal of the service). Noise is the system's on both sides, so the two must agree in
the mean: within three standard errors of the paired difference. own pace: `sotto simulate` with epochs by the rule,
which end as soon as enough reports are there; at the service an epoch also lasts epoch_seconds_min, a second here, and
a report comes up to send_spread_s after its round, another second. What that costs is not judged: it is shown as the
time in which as much is lost if everybody who comes gets a random arm, 2,000 people a second here."""

import collections
import json
import os
import subprocess
import sys
import tempfile

from measure import ROOT, Row, arguments, finish, last, mean, simulate, standard_error

LEARNING = {"epoch": 0, "epoch_seconds_min": 1, "epoch_reports_min": 20}
TIMES = {"reward_window_s": 0, "send_spread_s": 1, "epoch_lag_max": 4}
Setting = collections.namedtuple("Setting", "name spec options people rate")
SETTINGS = (
    Setting("shared d=2 K=10 epsilon 2", {"dim": 2, "arms": 10, "epsilon": 2},
            {"dim": 2, "arms": 10, "epsilon": 2}, 20000, 2000),
    Setting("shared d=5 K=5 epsilon 1", {"dim": 5, "arms": 5, "epsilon": 1},
            {"dim": 5, "arms": 5, "epsilon": 1}, 20000, 2000),
    Setting("per-arm d=2 K=3 epsilon 2", {"dim": 2, "arms": 3, "epsilon": 2, "parameters": "per-arm"},
            {"dim": 2, "arms": 3, "epsilon": 2, "parameters": "per-arm"}, 20000, 2000),
)


def pace_of(journal, experiment, frame_bytes):
    """What lab_epochs reads: how many reports of each epoch were folded before each publish."""
    lines, folded = [], collections.Counter()

    def flush():
        lines.extend(f"{epoch} {count}" for epoch, count in sorted(folded.items()))
        folded.clear()

    for row in journal.rows_of(journal.find(experiment)["number"]):
        if row["kind"] == 1:
            flush()
            lines.append("P")
        for at in range(0, len(row["frames"]), frame_bytes):
            folded[int.from_bytes(row["frames"][at + 20:at + 24], "little")] += 1
    flush()
    return lines


def play(sotto, setting, seed, tools):
    """The regret of the fleet and of the lab, and the epochs."""
    from replay_journal import Journal
    from sottod import Service
    with Service("--keep-reports") as service:
        spec = {"reward_kind": "continuous", "link": "identity", "measure": 0, **TIMES, **setting.spec}
        experiment = service.create(spec, {**LEARNING, "horizon": setting.people})
        run = subprocess.run([sotto, "fleet", f"{service.public}/v1/experiments/{experiment}", "--people",
                              str(setting.people), "--rate", str(setting.rate), "--seed", str(seed), "--batch", "10",
                              "--admin", service.admin, "--token-file", str(service.token_file), "--json", "--quiet"],
                             capture_output=True, text=True, check=True)
        seen = json.loads(run.stdout)
        terms = service.terms(experiment)
        service.stop()
        journal = Journal(service.folder)
        row = journal.find(experiment)
        pace = pace_of(journal, experiment, journal.replay(experiment).frame_bytes)
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("terms", "start")]
        for path, data in zip(files, (terms, row["start"])):
            with open(path, "wb") as file:
                file.write(data)
        lab = subprocess.run([tools["LAB_EPOCHS"], *files, str(seed), str(setting.people)], text=True,
                             input="\n".join(pace) + "\n", capture_output=True, check=True)
    return seen["regret"], float(lab.stdout.split()[0]), float(lab.stdout.split()[1]), pace.count("P")


def main():
    args = arguments(__doc__, build="the folder of a build with tests, default build/dev")
    build = os.path.abspath(args.build or os.path.join(ROOT, "build/dev"))
    tools = {"LAB_EPOCHS": f"{build}/tests/system/lab_epochs", "REPLAY_LEARNER": f"{build}/tests/system/replay_learner",
             "SOTTOD": f"{build}/sottod", "PEOPLE": f"{build}/tests/system/people"}
    os.environ.update(tools)
    sys.path.insert(0, os.path.join(ROOT, "tests/system"))
    seeds = range(1, 4 if args.quick else 13)
    rows = []
    print("mean regret ± standard error, and its part of the regret of random arms")
    for setting in SETTINGS:
        runs = [play(args.sotto, setting, seed, tools) for seed in seeds]
        fleet, lab, chance, epochs = (list(column) for column in zip(*runs))
        difference = [a - b for a, b in zip(fleet, lab)]
        own = last(simulate(args.sotto, method="sotto", horizon=setting.people, seeds=len(seeds), epoch="auto", quiet=True,
                            **setting.options))["sotto", float(setting.options["epsilon"])]
        seconds = (mean(fleet) - mean(own)) / (mean(chance) / setting.people) / setting.rate
        error = standard_error(difference)
        print(f"{setting.name:28} fleet {mean(fleet):7.1f} ± {standard_error(fleet):5.1f} ({mean(fleet) / mean(chance):.3f})"
              f"   lab, same epochs {mean(lab):7.1f} ± {standard_error(lab):5.1f}   own pace {mean(own):7.1f} ± "
              f"{standard_error(own):5.1f}   epochs {mean(epochs):.0f}   the clock costs {seconds:.2f} s of people",
              flush=True)
        rows.append(Row(f"network, {setting.name}", "within 3 standard errors of the lab",
                        f"{mean(difference):+.1f} ± {error:.1f}, fleet over lab {mean(fleet) / mean(lab):.2f}",
                        abs(mean(difference)) <= 3 * error))
    finish(args, rows)


if __name__ == "__main__":
    main()
