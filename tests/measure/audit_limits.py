#!/usr/bin/env python3
"""What still passes the audit: programs that break their claim in ways that are ever harder to see, and
how many audits of each end in a violation. The claim is epsilon 1, in one dimension, radius 1.

    audit_limits.py [audits a row = 5 [trials a pair = 1000000 [only rows with this in their name]]]

For docs/audit.md and research/audit_limits.csv. Needs a C compiler, takes some 20 minutes, judges nothing."""
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

# A program reads numbers, clips them to [-1, 1] and prints ANSWER and TAIL; uniform(b) is of b random bits, in (0, 1).
# x is the input, before[k - 1] that of k trials before, t the number of the trial.
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
static double echo(uint64_t t, int lag, double share) /* noise; that of `lag` before, negated, for this share */
{
    static double past[256];
    double noise = laplace(uniform(52));
    if (t / lag % 2 == 1 && uniform(52) < share) noise = -past[(t - lag) % 256];
    return past[t % 256] = noise;
}
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
    double before[4] = {0};
    uint64_t t = 0;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) << 32 : 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        double x = fmax(-1, fmin(1, atof(line)));
        printf("%.17g%s\\n", ANSWER, TAIL);
        memmove(before + 1, before, 3 * sizeof before[0]);
        before[0] = x;
        t++;
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
    ("the input before", 0, "before[0]"),
    ("laplace, 1 % of the input before", 0, "noisy(x) + 0.01 * before[0]"),
    ("laplace, 0.3 % of the input before", 0, "noisy(x) + 0.003 * before[0]"),
    ("laplace, the input before once in 32,000", 0, "once_in(32000) ? before[0] : noisy(x)"),
    ("laplace, noise of two before, negated, always", 0, "x + echo(t, 2, 1)"),
    ("laplace, noise of 128 before, negated, for 2 %", 0, "x + echo(t, 128, 0.02)"),
    ("laplace, noise of two before, negated, for 0.5 %", 0, "x + echo(t, 2, 0.005)"),
    ("laplace, its first 1,000 inputs", 0, "t < 1000 ? x : noisy(x)"),
    ("laplace, its first 100 inputs", 0, "t < 100 ? x : noisy(x)"),
    ("response, its first 1,000 inputs", 0, "(x > 0 ? 1.0 : -1.0) * (t < 1000 || uniform(52) < 0.73105 ? 1 : -1)"),
    ("response, its first 200 inputs", 0, "(x > 0 ? 1.0 : -1.0) * (t < 200 || uniform(52) < 0.73105 ? 1 : -1)"),
    ("laplace, a blank after positive inputs", 0, "noisy(x)", 'x > 0 ? " " : ""'),
    ("laplace, a blank after once in 16,000 of them", 0, "noisy(x)", 'x > 0 && once_in(16000) ? " " : ""'),
    ("laplace, a blank by the input four before", 0, "noisy(x)", 'before[3] > 0 ? " " : ""'),
    ("whether the input is the one before", 0, "x == before[0] ? 1.0 : -1.0"),
    ("laplace, that in the sign once in 100", 0, "once_in(100) ? copysign(noisy(x), x == before[0] ? 1 : -1) : noisy(x)"),
    ("laplace, a blank if an odd number of four is positive", 0, "noisy(x)",
     '(x > 0) ^ (before[0] > 0) ^ (before[1] > 0) ^ (before[2] > 0) ? " " : ""'),
    ("laplace, its first 1,000 inputs turned", 0, "t < 1000 ? -x * (0.5 + uniform(52)) : noisy(x)"),
    ("laplace, its first 1,000 inputs turned in turn", 0,
     "t < 1000 ? (t % 2 ? x : -x) * (0.5 + uniform(52)) : noisy(x)"),
    ("laplace, its first 1,000 inputs by a blank", 0, "noisy(x)", '(t < 1000 ? x > 0 : once_in(2)) ? " " : ""'),
    ("laplace, its first 4,000 inputs by a blank", 0, "noisy(x)", '(t < 4000 ? x > 0 : once_in(2)) ? " " : ""'),
    ("laplace, its first 300 inputs by a blank", 0, "noisy(x)", '(t < 300 ? x > 0 : once_in(2)) ? " " : ""'),
    ("laplace, its first 1,000 inputs turned by a secret key", 0,
     "t < 1000 ? ((t + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 63 ? x : -x) * (0.5 + uniform(52)) : noisy(x)"),
)


def build(answer, tail, directory):
    program = Path(directory) / "program"
    subprocess.run(["cc", "-O2", "-std=gnu17", "-x", "c", "-", "-o", program, "-lm"], text=True, check=True,
                   input=PROGRAM.replace("ANSWER", answer).replace("TAIL", tail))
    return program


def audit(delta, program, trials, seed):
    command = shlex.join([str(program), str(seed)])
    found = subprocess.run([SOTTO, "audit", "--exec", command, "--dim", "1", "--epsilon", "1", "--delta", str(delta),
                            "--trials", str(trials), "--seed", str(seed), "--json", "--quiet"],
                           stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(found.stdout)


def measure(audits, trials, name, delta, answer, tail='""'):
    with tempfile.TemporaryDirectory() as directory:
        program = build(answer, tail, directory)
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
    for row in ROWS:
        if only in row[0]:
            measure(audits, trials, *row)


if __name__ == "__main__":
    main()
