#!/usr/bin/env python3
"""What still passes the audit: programs that break their claim in ways that are ever harder to see, and
how many audits of each end in a violation. The claim is epsilon 1, in one dimension, radius 1.

    audit_limits.py [audits a row = 5 [trials a pair = 1000000 [only rows with this in their name]]]

For docs/privacy.md 14.2. Needs a C compiler, takes some 10 minutes, judges nothing."""
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOTTO = next((path for path in (ROOT / "build" / preset / "sotto" for preset in ("release", "dev")) if path.exists()),
             None)
SIGMA = 8.4494  # of epsilon 1, delta 1e-6, diameter 2

# A program reads numbers, clips them to [-1, 1] and prints ANSWER; uniform(b) is of b random bits, in (0, 1).
PROGRAM = """
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t state;
static uint64_t next(void) /* splitmix64 */
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static double uniform(int bits) { return ((double)(next() >> (64 - bits)) + 0.5) * ldexp(1, -bits); }
static int once_in(double n) { return uniform(52) * n < 1; }
static double gauss(double sigma) { return sigma * sqrt(-2 * log(uniform(52))) * cos(2 * M_PI * uniform(52)); }
static double laplace(double u) { return u < 0.5 ? 2 * log(2 * u) : -2 * log(2 * (1 - u)); }
static double noisy(double x) { return x + laplace(uniform(52)); }
static double disjoint(double x, double step) { return (2 * floor(noisy(x) / step / 2) + (x > 0)) * step; }
static double low_bit(double x)
{
    double y = noisy(x);
    uint64_t bits;
    memcpy(&bits, &y, 8);
    bits = bits >> 1 << 1 | (x > 0);
    memcpy(&y, &bits, 8);
    return y;
}
int main(int argc, char **argv)
{
    char line[64];
    state = argc > 1 ? strtoull(argv[1], NULL, 10) << 32 : 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        double x = fmax(-1, fmin(1, atof(line)));
        printf("%.17g\\n", ANSWER);
    }
}
"""

ROWS = (
    ("laplace, its input once in 32,000", 0, "once_in(32000) ? x : noisy(x)"),
    ("laplace, its input once in 48,000", 0, "once_in(48000) ? x : noisy(x)"),
    ("laplace, its input once in 64,000", 0, "once_in(64000) ? x : noisy(x)"),
    ("laplace, nearly its input once in 4,000", 0, "once_in(4000) ? x + gauss(1e-6) : noisy(x)"),
    ("laplace, nearly its input once in 16,000", 0, "once_in(16000) ? x + gauss(1e-6) : noisy(x)"),
    ("laplace, roughly its input once in 4,000", 0, "once_in(4000) ? x + gauss(1e-2) : noisy(x)"),
    ("gaussian, its input once in 32,000", 1e-6, f"once_in(32000) ? x : x + gauss({SIGMA})"),
    ("gaussian, its input once in 64,000", 1e-6, f"once_in(64000) ? x : x + gauss({SIGMA})"),
    ("0.65 sigma, 5 % at 0.1 sigma", 1e-6, f"x + gauss({SIGMA}) * (once_in(20) ? 0.1 : 0.65)"),
    ("0.7 sigma, 5 % at 0.1 sigma", 1e-6, f"x + gauss({SIGMA}) * (once_in(20) ? 0.1 : 0.7)"),
    ("0.75 sigma, 5 % at 0.1 sigma", 1e-6, f"x + gauss({SIGMA}) * (once_in(20) ? 0.1 : 0.75)"),
    ("laplace in steps of 40/2^12, disjoint", 0, "disjoint(x, ldexp(40, -12))"),
    ("laplace in steps of 40/2^32, disjoint", 0, "disjoint(x, ldexp(40, -32))"),
    ("laplace in steps of 40/2^40, disjoint", 0, "disjoint(x, ldexp(40, -40))"),
    ("laplace from 31 random bits, in doubles", 0, "x + laplace(uniform(31))"),
    ("laplace from 34 random bits, in doubles", 0, "x + laplace(uniform(34))"),
    ("laplace, the sign in the lowest bit", 0, "low_bit(x)"),
)


def build(answer, folder):
    program = Path(folder) / "program"
    subprocess.run(["cc", "-O2", "-std=gnu17", "-x", "c", "-", "-o", program, "-lm"], text=True, check=True,
                   input=PROGRAM.replace("ANSWER", answer))
    return program


def audit(delta, program, trials, seed):
    command = shlex.join([str(program), str(seed)])
    found = subprocess.run([SOTTO, "audit", "--exec", command, "--dim", "1", "--epsilon", "1", "--delta", str(delta),
                            "--trials", str(trials), "--seed", str(seed), "--json", "--quiet"],
                           stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(found.stdout)


def measure(name, delta, answer, audits, trials):
    with tempfile.TemporaryDirectory() as folder:
        program = build(answer, folder)
        found = [audit(delta, program, trials, seed) for seed in range(1, audits + 1)]
    caught = sum(one["verdict"] == "violation" for one in found)
    lower = sum(one["epsilon_lower"] for one in found) / audits
    print(f"| {name} | {delta:g} | {caught} of {audits} | {lower:.3f} |", flush=True)


def main():
    words = sys.argv[1:] + [None] * 3
    audits, trials, only = int(words[0] or 5), int(words[1] or 1000000), words[2] or ""
    if SOTTO is None:
        sys.exit("audit_limits.py: no build/release/sotto or build/dev/sotto: build it first")
    print("| program | delta | caught | mean epsilon_lower |\n|---|---|---|---|")
    for name, delta, answer in ROWS:
        if only not in name:
            continue
        measure(name, delta, answer, audits, trials)


if __name__ == "__main__":
    main()
