#!/usr/bin/env python3
"""Whether two builds give the same results: every command, method, link, environment and calibration,
once each at a small size, byte by byte. Usage:

    same_bytes.py [--emulator "PROGRAM OPTION..."] [--random N] [--part I/N] [--differing-max N] OLD_BINARY NEW_BINARY
    same_bytes.py --service PEOPLE OLD_SOTTOD NEW_SOTTOD

For changes of structure, which must change no number, and for other kinds of processors: --emulator runs the new binary.
--random plays N random settings of `sotto simulate` instead. --part 2/3 takes every third command, from the second on.
--service compares terms and models of two services that get the same reports; PEOPLE is tests/system/people of a build.
Text for people (help, errors) is not compared; times and the binary's own digest are cut out."""
import argparse
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import random_settings

SCHEMAS = Path(__file__).resolve().parents[2] / "examples/schemas"
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
DATA = Path(__file__).resolve().parents[3] / "shared/data"
METHODS = ("sotto,sotto-ols,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,best-arm,ols,linucb,sgd,glm,glm-ucb,random,oracle,"
           "shuffle-ucb,joint-glm").split(",")  # and merino, which has per-arm parameters only
LATTICE = ("ldp-ols", "ldp-ucb", "ldp-gloc")
GENERAL = "sotto,ldp-sgd,ldp-gloc,sgd,glm-ucb,random,oracle"
PER_ARM = "sotto,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,best-arm,ols,linucb,sgd,glm-ucb,random,oracle,merino,shuffle-ucb"
ENVIRONMENTS = "sphere ball gaussian anisotropic drift published".split()


def simulations():
    for method in METHODS:
        yield f"--method {method} --dim 3 --arms 4 --horizon 700 --epsilon 0.5,2 --seeds 2"
    yield f"--method {PER_ARM} --parameters per-arm --dim 3 --arms 3 --horizon 900 --epsilon 1,5 --seeds 2"
    for link in ("logit", "probit", "log"):
        yield f"--method {GENERAL} --link {link} --dim 2 --arms 3 --horizon 500 --seeds 2"
        yield f"--method {GENERAL} --link {link} --parameters per-arm --dim 5 --arms 2 --horizon 500 --seeds 1"
    for environment, parameters in itertools.product(ENVIRONMENTS, ("shared", "per-arm")):
        yield (f"--method sotto,ldp-ols,ols --environment {environment} --parameters {parameters} "
               "--dim 6 --arms 2 --horizon 400 --seeds 2")
    yield "--method sotto,ldp-sgd --environment margin --margin 0.5 --dim 4 --arms 2 --horizon 400 --seeds 2"
    yield "--method sotto,ldp-sgd --environment loan --link logit --horizon 300 --seeds 2"
    yield "--method sotto,ldp-sgd --environment loan --revenue --horizon 300 --seeds 1 --json"
    for calibration, parameters in itertools.product(("paper", "published"), ("shared", "per-arm")):
        yield (f"--method ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc --calibration {calibration} --parameters {parameters} "
               "--dim 2 --arms 3 --horizon 400 --seeds 2 --delta 0.1 --allow-weak-delta")
    yield ("--method ldp-ols --calibration published --correct regulariser,noise --dim 2 --arms 3 "
           "--horizon 300 --seeds 2 --delta 0.1 --allow-weak-delta")
    for more in ("--epoch auto", "--epoch 7", "--epoch auto --lag 2", "--epoch growth:0.2", "--window 100",
                 "--liars 0.05 --grind 3", "--score huber:0.2", "--score self", "--unknown-horizon",
                 "--summary --csv", "--summary --json", "--json", "--checkpoints 10,99", "--first-seed 9",
                 "--theta-norm 0.5", "--noise 0.4", "--reward-range -2,2", "--context-norm-max 0.5"):
        yield f"--method sotto,ldp-sgd --dim 4 --arms 3 --horizon 600 --seeds 2 {more}"
    # Epochs of so many reports that the server adds up their steps by a formula.
    for parameters, score, window in itertools.product(("shared", "per-arm"), ("sign", "self"), ("", "--window 1000")):
        yield (f"--method sotto --parameters {parameters} --score {score} --epoch 5000 --dim 4 --arms 3 --horizon 20000 "
               f"--seeds 2 {window}")
    yield "--method ldp-sgd,ldp-ols --epoch 5000 --dim 3 --arms 3 --horizon 20000 --seeds 2 --window 1000"
    for more in ("--noise-law laplace", "--exact-noise", "--shift-scale 0.1", "--elimination 1 --parameters per-arm",
                 "--split per-arm --parameters per-arm", "--warmup 50 --parameters per-arm", "--step 1/sqrt"):
        yield f"--method ldp-sgd,ldp-ols --dim 3 --arms 3 --horizon 500 --seeds 2 {more}"
    yield "--constants --environment margin --margin 0.5 --dim 5 --arms 2"
    yield "--constants --environment sphere --parameters per-arm --dim 4 --arms 3 --json"


def plans():
    for parameters, link in itertools.product(("shared", "per-arm"), ("identity", "logit", "log")):
        yield f"--dim 5 --arms 4 --epsilon 0.5,1,5 --parameters {parameters} --link {link} --json"
    yield "--dim 10 --arms 5 --epsilon 1 --horizon 1e6 --per-day 5000"
    yield "--dim 10 --arms 5 --link logit --target 0.01 --json"
    for more in ("--epsilon 1", "--epsilon 0.5,1,5", "--epsilon 0.015", "--epsilon 0.015,8 --per-day 100", "--horizon 1",
                 "--horizon 11", "--horizon 1e12", "--noise 0", "--within 1 --target 0.01", "--reward-range -2,3"):
        for parameters, form in itertools.product(("shared", "per-arm"), ("", "--json")):
            yield f"--dim 7 --arms 3 --parameters {parameters} {more} {form}"
    yield "--dim 1 --arms 2 --noise 0 --horizon 1e9"
    yield "--dim 1024 --arms 2 --epsilon 0.01,8 --target 1e-9 --per-day 3"


def inspections():
    for form in ("", "--json"):
        for spec in sorted(GOLDEN.glob("spec_*.bin")):
            yield f"spec {spec} {form}"
        for frame, spec in (("report_index", "default"), ("report_split", "split"), ("report_ticks", "ticks"),
                            ("model_default", "default"), ("model_split", "split"), ("model_gloc", "gloc"),
                            ("model_mean", "mean")):
            yield f"{frame.split('_')[0]} {GOLDEN}/{frame}.bin --spec {GOLDEN}/spec_{spec}.bin {form}"
        for kind in ("continuous", "binary", "count"):
            yield f"spec --reward-kind {kind} {form}"
        yield ("spec --dim 4 --arms 3 --epsilon 2 --reward-range 2,5 --context-norm-max 3 --theta-norm-max 4 --score huber "
               f"--huber-tau 0.25 --epoch-reports-max 7 --window 8 --lag 2 {form}")
        yield f"spec --method ldp-sgd --score gradient --parameters per-arm --split per-arm --reward-range -2,0.5 {form}"
        yield f"spec --method ldp-ols --score moments --noise-law laplace {form}"
        yield f"spec --method ldp-ols --score moments --delta 1e-3 --allow-weak-delta {form}"
        for word in ("codeword --dim 5 --codebook-size 64 --index 3", "codeword --dim 1 --codebook-size 2 --index 1 --arm 2"):
            yield f"{word} --spec-id {bytes(range(16)).hex()} --nonce {bytes(range(16, 32)).hex()} {form}"
        for more in ("", "--epsilon 3", "--delta 0.01", "--context-norm-max 2", "--epsilon 7 --delta 0.1 --context-norm-max 1"):
            yield f"calibration {more} {form}"
        yield f"ledger person.ledger {form}"
        yield f"ledger person.ledger --delta 0.001 {form}"


def audits():
    for mechanism, form in itertools.product(("codebook", "l2ball", "privunit", "gaussian", "laplace"), ("", "--json")):
        yield f"--mechanism {mechanism} --dim 3 --epsilon 1 --trials 2000 --seed 3 --quiet {form}"
    yield "--mechanism codebook --codebook-size 8 --dim 3 --epsilon 1 --trials 100 --alpha 0.1 --seed 3 --radius 2 --json"
    for form in ("", "--json"):
        yield f"--exec cat --dim 2 --epsilon 1 --trials 500 --seed 3 --timeout 5 {form}"
        yield f"--exec cat --dim 2 --epsilon 1 --delta 1e-3 --allow-weak-delta --trials 500 --seed 3 {form}"


def replays():
    labels = "--data people.csv --label y"
    log = "--data log.csv --action a --reward r --propensity p"
    yield f"{labels} --draft"
    yield f"{labels} --ignore x2,c --draft"
    for data in (labels, log):
        for form in ("--summary", "--summary --json", "--summary --csv", "--json", "", "--describe", "--describe --json"):
            yield f"{data} --ranges-from-data --method sotto,ldp-sgd,ols --epsilon 1,8 {form} --seeds 3"
        yield f"{data} --ranges-from-data --method sotto,linucb --epsilon 2,0.5,8 --figure drawn --seeds 2 --out rows.csv"
        yield f"{data} --ranges-from-data --method ldp-gloc,glm-ucb --link logit --seeds 2 --summary"
    for more in ("--seeds 6", "--seeds 6 --passes 3", "--seeds 1", "--seeds 6 --horizon 150", "--parameters shared",
                 "--order file --seeds 6", "--warmup 40", "--checkpoints 7,300", "--delta 1e-3 --allow-weak-delta"):
        yield f"{labels} --ranges-from-data --method sotto,ldp-ols,random --epsilon 0.5,8 --summary {more}"
    yield f"{log} --ranges-from-data --clip 0.7 --horizon 90 --epsilon 8 --summary --seeds 2"
    yield "--data sorted.csv --label y --ranges-from-data --order file --method ols --summary --seeds 6"
    yield "--data holes.csv --label y --ranges-from-data --method ols --summary --seeds 6"
    yield "--data holes.csv --schema holes.schema --method ols --summary --seeds 6 --csv"
    yield "--data holes.csv --schema holes.schema --describe --json"
    yield "--data - --schema holes.schema --method sotto,ols --summary --seeds 6"
    yield "--data - --schema holes.schema --method sotto,ols --summary --seeds 6 --horizon 500"


def commands():
    for options in simulations():
        summary = "" if "--summary" in options or "--constants" in options else "--quiet"
        yield f"simulate {options} {summary}"
    for options in plans():
        yield f"plan {options}"
    scores = ("sign", "moments", "gradient", "moments", "moments", "gloc-pair")
    for method, score, form in ((m, s, f) for m, s in zip(METHODS, scores) for f in ("", "--json")):
        yield f"inspect spec --method {method} --score {score} --delta {1e-6 * (method in LATTICE)} --dim 4 --arms 3 {form}"
    for options in inspections():
        yield f"inspect {options}"
    for options in audits():
        yield f"audit {options}"
    for mechanism in ("codebook", "l2ball", "privunit", "gaussian", "laplace"):
        for form in ("", "--json"):
            yield f"privatise --mechanism {mechanism} --dim 2 --epsilon 1 --count 3 --seed 5 --header {form}"
            if mechanism != "privunit":
                yield f"privatise --mechanism {mechanism} --dim 2 --epsilon 1 --count 3 --seed 5 --format raw {form}"
    yield from (f"replay {options}" for options in replays())
    if DATA.exists():
        yield f"replay --data {DATA}/magic/magic04.data --schema {SCHEMAS}/magic.schema --seeds 2 --summary --csv --quiet"
    yield "compare holes.csv:holes.schema --horizon 1000 --seeds 2 --quiet --out board"
    yield "reproduce --list"
    yield "reproduce --quick --seeds 2 --horizon 200 --quiet --out page"


SERVED = [dict(method=method, score=score, reward_kind="binary", link="logit", parameters=parameters)
          for method, score in (("sotto", "self"), ("ldp-sgd", "gradient")) for parameters in ("shared", "per-arm")]
SERVED += [dict(method="sotto", score=score, parameters=parameters, epsilon=2)
           for score in ("sign", "huber") for parameters in ("shared", "per-arm")]
SERVED += [dict(method=method, score="moments", parameters=parameters, delta=1e-6, epsilon=4)
           for method in LATTICE[:2] for parameters in ("shared", "per-arm")]
SERVED += [dict(more, reward_kind="binary") for more in (
    {"method": "sotto", "score": "self", "window_reports": 500}, {"method": "ldp-sgd", "score": "gradient", "parameters": "per-arm", "split": "per-arm"},
    {"method": "sotto", "measure": 0.1}, {"method": "sotto", "reward_rate": 0.2, "parameters": "per-arm"},
    {"method": "sotto-ols", "score": "moments", "link": "identity"}, {"method": "ldp-gloc", "score": "gloc-pair", "link": "logit", "delta": 1e-6}, {"method": "best-arm", "score": "reward"})]
SERVED += [dict(method="sotto", reward_kind="count", link="log", reward_hi=4), dict(method="sotto", link="probit", reward_kind="binary")]
EPOCHS = (300, 30, 40, 1500, 600)  # reports of each, with the same seeds


def learnt(binary, people):
    """What a service gives of each experiment: terms, and the model of each epoch."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "system"))
    os.environ.update(SOTTOD=binary, PEOPLE=people)
    sys.modules.pop("sottod", None)
    from sottod import Service
    with Service() as service:
        found = {}
        for spec in SERVED:
            learning = {"epoch": 20, "epoch_seconds_min": 1, "epoch_reports_min": 20, "horizon": 10000}
            experiment = service.create({"dim": 3, "arms": 4, "reward_kind": "continuous", "link": "identity", **spec}, learning)
            found[experiment] = [spec, service.terms(experiment), service.model(experiment)]
        for seed, count in enumerate(EPOCHS, 1):
            for experiment, of in found.items():
                answer = service.post(experiment, service.frames(experiment, count, seed))
                assert answer.status == 204, (answer, of[0])
            for experiment, of in found.items():
                assert service.wait_for(lambda: service.model(experiment)[0] > of[-1][0]), (seed, of[0])
                of.append(service.model(experiment))
    return found


def compare_services(old, new, people):
    failed, a, b = 0, learnt(old, people), learnt(new, people)
    for (experiment, of), (other, of_other) in zip(a.items(), b.items()):
        if (experiment, of) != (other, of_other):
            failed += 1
            print(f"differs: {json.dumps(of[0])}")
    print(f"{len(a) - failed} passed, {failed} failed")
    return failed > 0


def write_people(directory):
    state = 12345
    def draw():
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return state / 2**31
    people, log = ["x1,x2,c,y"], ["x1,a,r,p"]
    for _ in range(400):
        x1, x2, c = draw(), draw(), "abc"[int(3 * draw())]
        people.append(f"{x1:.4f},{x2:.4f},{c},{'yes' if x1 + 0.3 * draw() > 0.6 else 'no'}")
        arm = int(2 * draw())
        log.append(f"{x1:.4f},arm{arm},{int(draw() < (x1 if arm else 1 - x1))},0.5")
    holes = [people[0], *(re.sub(r"^0[.]1\d+", "", row.replace(",a,", ",,")) for row in people[1:])]
    holes[5] = "0.5,0.5,b,"
    (directory / "people.csv").write_text("\n".join(people) + "\n")
    (directory / "sorted.csv").write_text("\n".join([people[0], *sorted(3 * people[1:], key=lambda row: row[-2:])]) + "\n")
    (directory / "holes.csv").write_text("\n".join(holes) + "\n")
    (directory / "holes.schema").write_text(
        "unlabelled skip\nnumber x1 0 0.5\nnumber x2 0 1\ncategory c a b\nlabel y yes no\n")
    (directory / "log.csv").write_text("\n".join(log) + "\n")


def cut(text):
    text = re.sub(rb"(rounds/s.*|(?m:^(?:seconds|mb_per_second) .*))", rb"", text)
    text = re.sub(rb"(trials of each of \d+ pairs), [0-9.]+ s", rb"\1", text)
    text = re.sub(rb'("(?:seconds|mb_per_second|rounds_per_second)": )[^,}]+', rb"\1", text)
    return re.sub(rb"[0-9a-f]{12,64}(?=.*\.jsonl)", rb"", text)


def without_speed(out):
    """A table, or CSV, without its column of speeds."""
    lines, head, at = [], [], 0
    for line in out.splitlines():
        field = list(re.finditer(rb"[^ ,]+", line))
        words = [f.group() for f in field]
        speed = [i for i, word in enumerate(words) if word in (b"rounds/s", b"rounds_per_second")]
        if speed:
            head, at = words, speed[0]
        if head and len(words) == len(head):
            line = line[:field[at].start()] + line[field[at].end():]
        lines.append(line)
    return b"\n".join(lines)


def result(binary, command):
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        write_people(directory)
        (directory / "person.ledger").write_bytes((GOLDEN / "ledger_rounds.bin").read_bytes())
        (directory / "person.ledger").chmod(0o600)
        given = (directory / "holes.csv").read_bytes() if "--data -" in command else b"0.6 0.8\n3 4\n"
        done = subprocess.run([*binary, *command.split()], cwd=directory, input=given, capture_output=True,
                              env={**os.environ, "LC_ALL": "C"})
        out = done.stdout
        if "--summary" in command and "simulate" in command:
            out = without_speed(out)
        files = {str(f.relative_to(directory)): f.read_bytes() for f in sorted(directory.rglob("*"))
                 if f.suffix in (".csv", ".svg", ".html", ".gp")}
        return done.returncode, cut(out), {k: cut(v) for k, v in files.items()}


def part(text):
    """(2, 3) of 2/3."""
    first, step = map(int, text.split("/"))
    if not 1 <= first <= step:
        raise ValueError
    return first, step


def main():
    parser = argparse.ArgumentParser(description="Whether two builds of sotto give the same bytes.")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--emulator", default="", help="program and options that run the new binary")
    parser.add_argument("--random", type=int, metavar="N", help="N random settings of simulate instead of the list")
    parser.add_argument("--part", type=part, default=(1, 1), metavar="I/N", help="every Nth command, from the Ith on")
    parser.add_argument("--differing-max", type=int, default=0, metavar="N", help="commands that may differ, default 0")
    parser.add_argument("--service", metavar="PEOPLE", help="compare two sottod; makes their reports")
    given = parser.parse_args()
    if given.service:
        return compare_services(*(str(Path(program).resolve()) for program in (given.old, given.new, given.service)))
    old, new = [str(Path(given.old).resolve())], [*shlex.split(given.emulator), str(Path(given.new).resolve())]
    work = list(random_settings.settings(given.random) if given.random else commands())
    first, step = given.part
    work = work[first - 1::step]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for command, a, b in zip(work, pool.map(lambda c: result(old, c), work),
                                 pool.map(lambda c: result(new, c), work)):
            if a == b and a[0] in (0, 1):
                continue
            failed += 1
            what = "exit status" if a[0] != b[0] else "output" if a[1] != b[1] else "usage" if a == b else "files"
            print(f"differs in {what} ({a[0]}, {b[0]}): sotto {command}", flush=True)
            if what == "files":
                print("   ", [k for k in {*a[2], *b[2]} if a[2].get(k) != b[2].get(k)])
    if given.differing_max:
        print(f"{failed} differ, allowed {given.differing_max} of {len(work)}")
    failed = 0 if failed <= given.differing_max else failed
    print(f"{len(work) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
