#!/usr/bin/env python3
"""Writes the golden learners from the specification at the head of src/server/learner_codec.c and from
docs/protocol.md, without our code: learner_*.bin beside the spec_*.bin of their terms.
Usage: make_learner.py DIRECTORY"""
import hashlib
import struct
import sys
from pathlib import Path

DIRECTORY = Path(sys.argv[1])
INFINITY = float("inf")


def half(data):
    return hashlib.sha256(data).digest()[:16]


def f64(*numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers)


def u64(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def i64(*numbers):
    return struct.pack(f"<{len(numbers)}q", *numbers)


def block(kind, content):
    return struct.pack("<II", kind, len(content)) + content


def learning(horizon=0, warm_up=0, epoch=1, step=0, project=1, alpha=0.1, eta0=5.0, shift=1.0, elimination=4.0):
    return block(1, u64(horizon, warm_up, epoch) + struct.pack("<II", step, project)
                 + f64(alpha, eta0, shift, elimination))


def model(spec_id, phase, epoch, reports, *numbers):
    return block(2, b"STM1" + struct.pack("<BBH", 1, phase, 0) + spec_id
                 + struct.pack("<IQ", epoch, reports) + f64(*numbers))


def tally(spec_id, epoch, phase, count, sums, arms=(), theta_h=(), decides=0, pairs=(), magic=b"STT2"):
    return block(5, f64(*theta_h) + magic + spec_id + struct.pack("<IBBHQQ", epoch, phase, decides, 0, count, count)
                 + b"".join(struct.pack("<Qq", *pair) for pair in pairs) + u64(*arms) + i64(*sums))


def write(name, blocks, terms=None, magic=b"STK1"):
    """blocks: a function of the spec id, which is the hash of the terms."""
    spec_id = half((DIRECTORY / f"spec_{terms or name}.bin").read_bytes())
    frame = magic + spec_id + blocks(spec_id)
    (DIRECTORY / f"learner_{name}.bin").write_bytes(frame + half(frame))


def default(spec_id):
    """sotto, shared, averaged: the estimator keeps nothing; 2 reports of epoch 3."""
    theta = [(i - 4.5) / 16 for i in range(10)]
    return (learning(horizon=5000, epoch=0, alpha=0.05)
            + model(spec_id, 1, 3, 1000, *theta, *[x / 2 for x in theta])
            + block(3, u64(0))
            + tally(spec_id, 3, 1, 2, [(i - 5) << 26 for i in range(10)]))


def split(spec_id):
    """ldp-sgd, per-arm, split: 12 of 30 reports of the warm-up, and 3 of epoch 6."""
    theta = [i / 32 for i in range(12)]
    return (learning(warm_up=30, epoch=2, step=1, project=0, eta0=0.03)
            + model(spec_id, 0, 6, 12, *theta, *[0.0] * 12, INFINITY)
            + block(3, u64(0) + u64(5, 4, 3))
            + tally(spec_id, 6, 0, 3, [1 << 29] * 4 + [0] * 4 + [-(1 << 30)] * 4, arms=(1, 0, 2)))


def gloc(spec_id):
    """ldp-gloc, per-arm: theta_h of the epoch beside its tally."""
    theta, theta_h = [0.5, -0.25, 0.125, 0, 0.75, -1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    triangle = [2, 0.5, 3, -0.5, 0.25, 4]
    kept = f64(40) + f64(40, 40) + f64(7.5, INFINITY) + f64(*triangle, *triangle) + f64(*range(6))
    return (learning(horizon=100)
            + model(spec_id, 1, 5, 40, *theta, *theta_h, 12.5, *triangle, *triangle)
            + block(3, u64(1) + kept)
            + tally(spec_id, 5, 1, 1, [1000 * i - 9000 for i in range(18)], theta_h=theta_h))


def ticks(spec_id):
    """ldp-ols, shared: shifts were doubled 3 times, and nothing came since the last publish."""
    kept = f64(9) + f64(9) + f64(300.25) + f64(-1, 0.5, 2) + f64(-3, 4)
    return (learning(shift=0.5, elimination=INFINITY)
            + model(spec_id, 1, 4294967295, 9, 0.25, -0.75)
            + block(3, u64(3) + kept)
            + tally(spec_id, 4294967295, 1, 0, [0] * 5))


def measured(spec_id):
    """sotto, per-arm, tracked: three open epochs, the oldest of the warm-up, and measure rounds."""
    theta = [0.5, 0, -0.5, 0.25]
    pairs = [(40, 6), (8, -2), (7, 1), (20, 4), (18, -6)]  # follow, its recent part, that of control, control
    return (learning(warm_up=20)
            + model(spec_id, 1, 9, 64, *theta)
            + block(3, u64(0) + f64(2.5, 3.5))
            + block(4, b"".join(struct.pack("<Qq", *pair) for pair in pairs))
            + tally(spec_id, 7, 0, 1, [0, 0, 3, -4], arms=(0, 1), pairs=[(0, 0), (0, 0), (2, 0)])
            + tally(spec_id, 8, 1, 0, [0] * 4, decides=1, pairs=[(1, 1), (1, -1), (0, 0)])
            + tally(spec_id, 9, 1, 2, [1, -1, 1 << 31, 5], decides=1, pairs=[(3, -1), (0, 0), (1, 1)]))


def mean(spec_id):
    """sotto, per-arm: 12 of 40 reports of the warm-up after 30 of the mean phase, whose g stays."""
    theta, g = [0.5, 0, -0.5, 0.25, 0, 0.125], [0.5, -0.25, 0.125]
    return (learning(warm_up=40, epoch=50)
            + block(2, b"STM2" + struct.pack("<BBH", 2, 0, 0) + spec_id + struct.pack("<IQ", 4, 42) + f64(*theta, *g))
            + block(3, u64(0) + f64(3.5, 4.5) + u64(3, 0, 9, 0))
            + block(6, u64(25) + f64(0.5) + u64(30) + f64(20, -10, 5))
            + tally(spec_id, 4, 0, 2, [0, 0, 3, -4, 5, 1 << 30], arms=(1, 1)))


def served(spec_id):
    """As measured, and its fallback, arm 1, is served since epoch 9, after one that was ended; it ends, too."""
    model_served = (b"STF1" + struct.pack("<BBH", 1, 1, 2) + spec_id + struct.pack("<IQ", 9, 64)
                    + f64(0.5, 0, -0.5, 0.25))
    (DIRECTORY / "model_served.bin").write_bytes(model_served)
    pairs = [(40, 6), (8, -2), (7, 1), (20, 4), (18, -6)]
    return (learning(warm_up=20)
            + block(2, model_served)
            + block(3, u64(0) + f64(2.5, 3.5))
            + block(4, b"".join(struct.pack("<Qq", *pair) for pair in pairs))
            + block(7, struct.pack("<IIIIII", 2, 1, 8, 9, 1, 0) + struct.pack("<QqQq", 30, -20, 10, -8))
            + tally(spec_id, 7, 0, 1, [0, 0, 3, -4], arms=(0, 1), pairs=[(0, 0), (0, 0), (2, 0)])
            + tally(spec_id, 8, 1, 2, [1, -1, 1 << 31, 5], decides=1, pairs=[(1, 1), (1, -1), (0, 0)])
            + tally(spec_id, 9, 1, 0, [0] * 4, decides=1, pairs=[(3, -1), (0, 0), (1, 1)], magic=b"STT3"))


write("served", served, terms="measured", magic=b"STK2")
for learner in (default, split, gloc, ticks, measured, mean):
    write(learner.__name__, learner)
