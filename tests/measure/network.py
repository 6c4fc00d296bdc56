#!/usr/bin/env python3
"""Regret over the network beside the lab's, and what epochs by the clock cost.

fleet: a sottod of its own, and people through it by `sotto fleet`. lab: the same people, by seed, decide under the same
epochs: as many of them under each model as at the service, their reports folded before the same publish
(tests/measure/lab_epochs.c, from the journal of the service). Noise is the system's on both sides, so the two must agree in
the mean: within three standard errors of the paired difference. perfect clock: the lab again, under the epochs of a machine
that needs no time: this column and fleet over lab are the same on every machine; the fleet's own regret is not. own pace:
`sotto simulate` with epochs by the rule, which end as soon as enough reports are there; at the service an epoch also lasts
epoch_seconds_min, a second here, and a report comes up to send_spread_s after its round, another second. What that costs is
not judged: it is shown as the time in which as much is lost if everybody who comes gets a random arm, 2,000 people a second.

--load RUNS plays the README's experiment and fleet instead, so many times, with service, fleet and ten busy loops (or --busy)
on one core. No block of 1,000 people may lose more than 15 % of what random arms lose after the first 4,000 people.

--saturated OLD sends people as fast as they are answered to this sottod and to OLD, an earlier one, in turns. No more reports
may be late than at OLD, by three standard errors of the paired difference."""

import collections
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from measure import ROOT, Row, arguments, finish, last, mean, simulate, standard_error
from research import Table

LEARNING = {"epoch": 0, "epoch_seconds_min": 1, "epoch_reports_min": 500}
TIMES = {"reward_window_s": 0, "send_spread_s": 1, "epoch_lag_max": 8}
BUSY, FIRST_PEOPLE, SHARE_MAX = 10, 4000, 0.15
SATURATED_PEOPLE, SATURATED_LAGS = 20000, (1, 8)
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


def perfect_pace(setting, seed):
    """The same of a machine that needs no time. A person decides by the newest model, and the report comes up to
    send_spread_s later. The first epoch ends with its 500th report, every other one a second after the one before."""
    draw = random.Random(seed).random
    began = [i / setting.rate for i in range(setting.people)]
    came = sorted((at + draw() * TIMES["send_spread_s"], at) for at in began)
    first = came[LEARNING["epoch_reports_min"] - 1][0]
    lines, folded, publishes = [], collections.Counter(), 0
    for arrives, decided in came:
        while arrives > first + publishes * LEARNING["epoch_seconds_min"]:
            lines.extend(f"{epoch} {count}" for epoch, count in sorted(folded.items()))
            lines.append("P")
            folded.clear()
            publishes += 1
        epoch = 0 if decided < first else 1 + int((decided - first) / LEARNING["epoch_seconds_min"])
        folded[epoch] += 1
    return lines + [f"{epoch} {count}" for epoch, count in sorted(folded.items())]


def fleet_of(sotto, service, experiment, *words):
    run = subprocess.run([sotto, "fleet", f"{service.public}/v1/experiments/{experiment}", *map(str, words), "--admin",
                          service.admin, "--token-file", str(service.token_file), "--json", "--quiet"],
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def lab(tools, terms, start, setting, seed, pace):
    """The regret of the lab under these epochs, and that of random arms."""
    with tempfile.TemporaryDirectory() as directory:
        files = [os.path.join(directory, name) for name in ("terms", "start")]
        for path, data in zip(files, (terms, start)):
            with open(path, "wb") as file:
                file.write(data)
        played = subprocess.run([tools["LAB_EPOCHS"], *files, str(seed), str(setting.people)], text=True,
                                input="\n".join(pace) + "\n", capture_output=True, check=True)
    return map(float, played.stdout.split())


def play(sotto, setting, seed, tools):
    """The regret of the fleet, of the lab and of the perfect clock, and the epochs."""
    from replay_journal import Journal
    from sottod import Service
    with Service("--keep-reports") as service:
        spec = {"reward_kind": "continuous", "link": "identity", "measure": 0, **TIMES, **setting.spec}
        experiment = service.create(spec, {**LEARNING, "horizon": setting.people})
        # An epoch lasts epoch_seconds_min from here on. Without this wait the end of the first one would depend on how fast
        # the fleet starts; with it, the first one ends with its 500th report.
        time.sleep(2 * LEARNING["epoch_seconds_min"])
        seen = fleet_of(sotto, service, experiment, "--people", setting.people, "--rate", setting.rate, "--seed", seed,
                        "--batch", 10)
        terms = service.terms(experiment)
        service.stop()
        journal = Journal(service.directory)
        start = journal.find(experiment)["start"]
        pace = pace_of(journal, experiment, journal.replay(experiment).frame_bytes)
    same, chance = lab(tools, terms, start, setting, seed, pace)
    perfect, _ = lab(tools, terms, start, setting, seed, perfect_pace(setting, seed))
    return seen["regret"], same, perfect, chance, pace.count("P")


def compare(args, tools):
    seeds = range(1, 4 if args.quick else 13)
    rows = []
    print("mean regret ± standard error, and its part of the regret of random arms")
    table = Table(args, "network", ("setting", "fleet over lab", "difference", "perfect clock", "own pace",
                                    "epochs by the clock cost", "fleet over HTTP, this machine", "lab, same epochs"),
                  shown=False)
    for setting in SETTINGS:
        runs = [play(args.sotto, setting, seed, tools) for seed in seeds]
        fleet, same, perfect, chance, epochs = (list(column) for column in zip(*runs))
        difference = [a - b for a, b in zip(fleet, same)]
        own = last(simulate(args.sotto, method="sotto", horizon=setting.people, seeds=len(seeds), epoch="auto", quiet=True,
                            **setting.options))["sotto", float(setting.options["epsilon"])]
        seconds = (mean(perfect) - mean(own)) / (mean(chance) / setting.people) / setting.rate
        error = standard_error(difference)
        print(f"{setting.name:28} fleet {mean(fleet):7.1f} ± {standard_error(fleet):5.1f} ({mean(fleet) / mean(chance):.3f})"
              f"   lab, same epochs {mean(same):7.1f} ± {standard_error(same):5.1f}   perfect clock {mean(perfect):7.1f} ± "
              f"{standard_error(perfect):5.1f}   own pace {mean(own):7.1f} ± {standard_error(own):5.1f}   epochs "
              f"{mean(epochs):.0f}   the clock costs {seconds:.2f} s of people", flush=True)
        parts = [f"{mean(of):,.1f} ± {standard_error(of):.1f}" for of in (perfect, own, fleet, same)]
        table.row(setting.name, f"{mean(fleet) / mean(same):.2f}", f"{mean(difference):+.1f} ± {error:.1f}", *parts[:2],
                  f"{seconds:.2f} s of people", *parts[2:])
        rows.append(Row(f"network, {setting.name}", "within 3 standard errors of the lab",
                        f"{mean(difference):+.1f} ± {error:.1f}, fleet over lab {mean(fleet) / mean(same):.2f}",
                        abs(mean(difference)) <= 3 * error))
    table.close()
    return rows


@contextlib.contextmanager
def load(busy):
    """This process and all that it starts run on one core, beside busy loops."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
        os.sched_setaffinity(0, cores)


def under_load(args):
    from sottod import Service
    with open(os.path.join(ROOT, "examples/experiment.json"), encoding="utf-8") as file:
        body = json.load(file)
    busy, worst, swings = int(args.busy or BUSY), [], 0
    table = Table(args, "load", ("busy loops", "run", "seconds", "epochs", "mean age", "late", "regret", "of random",
                                 f"below {SHARE_MAX} from block", f"worst after {FIRST_PEOPLE}", "rebound"), keys=2)
    for seed in range(1, int(args.load) + 1):
        with load(busy), Service() as service:
            experiment = json.loads(service.manage("POST", "/v1/experiments", body).body)["id"]
            seen = fleet_of(args.sotto, service, experiment, "--people", 20000, "--rate", 2000, "--seed", seed)
            service.hang_up()  # a connection that was quiet for so long may be closed
            rows = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"]
            counts = service.counts(experiment)
        learn = sum(row["learn"] for row in rows)
        age = sum(row["learn"] * row.get("age", 0) for row in rows) / learn
        shares = seen["loss_by_1000"]
        learnt = next((i for i, share in enumerate(shares) if share <= SHARE_MAX), len(shares))
        swings += any(share > SHARE_MAX for share in shares[learnt:])
        worst.append(max(shares[FIRST_PEOPLE // 1000:]))
        late, regret, random_regret = counts["late"] / seen["acknowledged"], seen["regret"], seen["regret_random"]
        table.row(busy, seed, f"{seen['seconds']:.1f}", len(rows), f"{age:.1f}", f"{late:.3f}", f"{regret:.0f}",
                  f"{regret / random_regret:.3f}", learnt + 1, f"{worst[-1]:.3f}", f"{seen['rebound']:.3f}")
    table.close()
    above = sum(share > SHARE_MAX for share in worst)
    return [Row("README's fleet under load", f"no block above {SHARE_MAX} after {FIRST_PEOPLE:,} people",
                f"{above} of {len(worst)} runs have one, {swings} after a better block; worst {max(worst):.3f}", above == 0)]


def late_at(args, binary, lag, seed):
    """How many reports were late, as a share, and how many epochs ended."""
    import sottod
    sottod.SOTTOD = binary
    spec = {"dim": 2, "arms": 10, "reward_kind": "continuous", "link": "identity", "epsilon": 2, "measure": 0, **TIMES,
            "epoch_lag_max": lag}
    with sottod.Service() as service:
        experiment = service.create(spec, {"epoch": 0, "epoch_seconds_min": 1, "horizon": 50000})
        seen = fleet_of(args.sotto, service, experiment, "--people", SATURATED_PEOPLE, "--seed", seed)
        service.hang_up()
        epochs = len(json.loads(service.manage("GET", f"/v1/experiments/{experiment}/history").body)["rows"])
        share = service.counts(experiment)["late"] / seen["acknowledged"]
    print(f"  {binary}, lag {lag}, run {seed}: {seen['seconds']:.1f} s, {epochs} epochs, late {share:.4f}", file=sys.stderr)
    return share, epochs


def saturated(args):
    runs = 2 if args.quick else 5
    binaries = {"before": os.path.abspath(args.saturated), "now": os.environ["SOTTOD"]}
    found = collections.defaultdict(list)
    for seed in range(1, runs + 1):
        for lag in SATURATED_LAGS:
            for name, binary in sorted(binaries.items(), reverse=seed % 2 == 0):
                found[lag, name].append(late_at(args, binary, lag, seed))
    rows = []
    table = Table(args, "late", ("epoch_lag_max", "late before", "late now", "epochs before", "epochs now"))
    for lag in SATURATED_LAGS:
        shares = {name: [share for share, _ in found[lag, name]] for name in binaries}
        epochs = {name: mean([count for _, count in found[lag, name]]) for name in binaries}
        more = [now - before for before, now in zip(shares["before"], shares["now"])]
        spans = [f"{mean(of):.4f} ({min(of):.4f} to {max(of):.4f})" for of in shares.values()]
        table.row(lag, *spans, *(f"{epochs[name]:.1f}" for name in binaries))
        rows.append(Row(f"late at saturation, lag {lag}: now minus before", "<= 3 standard errors",
                        f"{mean(more):+.4f} ± {standard_error(more):.4f}", mean(more) <= 3 * standard_error(more)))
    table.close()
    return rows


def main():
    args = arguments(__doc__, build="the directory of a build with tests, default build/dev",
                     load="RUNS of the README's fleet under load, instead", busy=f"loops under load, default {BUSY}",
                     saturated="an earlier SOTTOD, to compare late reports at saturation with, instead")
    build = os.path.abspath(args.build or os.path.join(ROOT, "build/dev"))
    tools = {"LAB_EPOCHS": f"{build}/tests/system/lab_epochs", "REPLAY_LEARNER": f"{build}/tests/system/replay_learner",
             "SOTTOD": f"{build}/sottod", "PEOPLE": f"{build}/tests/system/people"}
    os.environ.update(tools)
    sys.path.insert(0, os.path.join(ROOT, "tests/system"))
    if args.saturated:
        os.environ["SOTTOD"] = os.path.join(os.path.dirname(args.sotto), "sottod")
        finish(args, saturated(args))
    finish(args, under_load(args) if args.load else compare(args, tools))


if __name__ == "__main__":
    main()
