#!/usr/bin/python3
"""What Python costs beside C: the same rounds by the same libraries, in turns of one run. Compare ratios.

    python3 bench/python.py BUILD [ROUNDS]

BUILD is a directory of CMake in which python/wheel.sh has made a wheel (`make python`). C is a loop of single calls,
linked with the archive that is in the wheel. Time is that of the processor, and the best of
seven turns counts.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
VENV = BUILD / "python/venv"
PREFIX = BUILD / "python/prefix"
TURNS = 7
DIM, ARMS = 10, 10

if __name__ == "__main__" and pathlib.Path(sys.prefix).resolve() != VENV:
    if not (VENV / "bin/python").exists():
        sys.exit(f"{VENV} is not there: run python/wheel.sh {BUILD}")
    os.execv(VENV / "bin/python", [str(VENV / "bin/python"), *sys.argv])

import numpy  # noqa: E402

import sotto  # noqa: E402

# Prints, for each line that it reads: microseconds per round of begin, decide and finish, and per report that is taken.
LOOP = r"""
#include <math.h>
#include <sotto/client.h>
#include <sotto/server.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NEED(call) if ((call) != SOTTO_OK) abort()

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    size_t rounds = strtoul(argv[argc - 1], NULL, 10), bytes;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY;
    sotto_terms terms;
    sotto_model *model;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    NEED(sotto_spec_resolve(&spec, &terms));
    NEED(sotto_model_new(&terms, &model));
    NEED(sotto_ledger_memory_new(&ledger));
    NEED(sotto_client_new(&policy, ledger, &client));
    NEED(sotto_round_new(client, &terms, &round));
    bytes = sotto_report_bytes(&terms);
    double *context = malloc(rounds * DIM * ARMS * sizeof *context);
    uint8_t *frames = malloc(rounds * bytes);
    for (size_t i = 0; i < rounds * DIM * ARMS; i++) context[i] = cos(0.7 * (double)i) / 3;
    sotto_learning learning = sotto_learning_default(&terms, 0);
    while (getchar() != EOF) {
        sotto_learner *learner;
        NEED(sotto_learner_new(&terms, &learning, &learner));
        double start = now_us();
        for (size_t i = 0; i < rounds; i++) {
            uint32_t arm;
            NEED(sotto_round_begin(round, model));
            NEED(sotto_round_decide(round, context + i * DIM * ARMS, DIM * ARMS, &arm));
            NEED(sotto_round_finish(round, 0.3, frames + i * bytes, bytes));
        }
        double middle = now_us();
        NEED(sotto_learner_take_frames(learner, frames, rounds * bytes, NULL));
        printf("%.6f %.6f\n", (middle - start) / (double)rounds, (now_us() - middle) / (double)rounds);
        fflush(stdout);
        sotto_learner_free(learner);
    }
    return 0;
}
"""


def timed(work, rounds):
    """Microseconds of the processor per round: what else the machine does counts less."""
    start = time.process_time()
    work()
    return (time.process_time() - start) / rounds * 1e6


class C:
    """The loop in C, which takes turns with Python."""

    def __init__(self, directory):
        program, archive = os.path.join(directory, "loop"), PREFIX / "lib/libsotto-lab.a"
        subprocess.run(["cc", "-O2", f"-DDIM={DIM}", f"-DARMS={ARMS}", f"-I{PREFIX}/include", "-x", "c", "-", "-x",
                        "none", str(archive), "-lm", "-lz", "-lpthread", "-ldl", "-o", program], input=LOOP, text=True,
                       check=True)
        self.process = subprocess.Popen([program, str(ROUNDS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return tuple(map(float, self.process.stdout.readline().split()))

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def rounds_and_reports(table):
    """Rounds one by one and in batches; reports taken with and without a look at their nonces."""
    terms = sotto.Spec(dim=DIM, arms=ARMS).terms()
    policy = sotto.Policy(epsilon_lifetime=float("inf"))
    model = sotto.Model(terms)
    contexts = (numpy.cos(0.7 * numpy.arange(ROUNDS * DIM * ARMS)) / 3).reshape(ROUNDS, ARMS, DIM)
    rewards = numpy.full(ROUNDS, 0.3)
    one = sotto.Client(policy).join(terms)
    made = []

    def single():
        for context in contexts:
            one.begin(model)
            one.decide(context)
            one.finish(0.3)

    def batch():
        people.begin(model)
        people.decide(contexts)
        made.append(people.finish(rewards))

    best = {}

    def turn(name, microseconds):
        best[name] = min(best.get(name, microseconds), microseconds)

    with tempfile.TemporaryDirectory() as directory:
        c = C(directory)
        people = sotto.People(terms, ROUNDS, policy)
        for _ in range(TURNS):
            loop, fold = c.turn()
            turn("c", loop)
            turn("fold", fold)
            turn("make", timed(lambda: sotto.People(terms, ROUNDS, policy), ROUNDS))
            turn("batch", timed(batch, ROUNDS))
            turn("single", timed(single, ROUNDS))
            turn("take", timed(lambda: sotto.Learner(terms, unique=False).take(made[-1]).check(), ROUNDS))
            turn("take unique", timed(lambda: sotto.Learner(terms).take(made[-1]).check(), ROUNDS))
        c.end()
    table("a round, C, call by call", best["c"], best["c"])
    table("a round, Python, People", best["batch"], best["c"])
    table("a round, Python, Client and Round", best["single"], best["c"])
    table("a new person, Python, People", best["make"], best["c"])
    table("a report taken, C, take_frames", best["fold"], best["fold"])
    table("a report taken, Python, unique=False", best["take"], best["fold"])
    table("a report taken, Python, nonces looked up", best["take unique"], best["fold"])


def whole_simulations():
    """The same sweep by the command line and from Python, in turns: elapsed time, all that either does included."""
    print(f"\n{'sweep of 4 seeds, 1e6 rounds each':<42}{'command s':>9}{'Python s':>10}{'speed of Python beside it':>27}")
    for method in ("sotto", "ldp-sgd"):
        line = [BUILD / "sotto", "simulate", "--method", method, "--dim", "10", "--arms", "5", "--horizon", "1e6", "--seeds",
                "4", "--csv", "--quiet"]
        command, python = [], []
        for _ in range(3):
            start = time.monotonic()
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
            command.append(time.monotonic() - start)
            start = time.monotonic()
            sotto.simulate(method, dim=10, arms=5, horizon=1e6, seeds=4)
            python.append(time.monotonic() - start)
        print(f"{method:<42}{min(command):9.2f}{min(python):10.2f}{min(command) / min(python):27.3f}")


def main():
    print(f"dim {DIM}, {ARMS} arms, {ROUNDS} rounds a turn, best of {TURNS} turns\n")
    print(f"{'':<42}{'us':>9}{'beside C':>10}")
    rounds_and_reports(lambda what, microseconds, beside:
                       print(f"{what:<42}{microseconds:9.2f}{microseconds / beside:10.2f}"))
    whole_simulations()


if __name__ == "__main__":
    main()
