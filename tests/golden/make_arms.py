#!/usr/bin/env python3
"""Writes the golden terms, model and tally of best-arm from docs/protocol.md alone (sections 1, 7 and 11, by
the functions of tests/protocol/second_client.py): spec_arms.bin, model_arms.bin, tally_arms.bin. Terms: binary
rewards, dim 2, 5 arms, epsilon 1. Shares: 2^31, 2^30, 2^30 - 1, 1, 0. Report r of 100, epoch 7: nonce byte
j = 7 r + 13 j mod 256, index r mod 2.
Usage: make_arms.py DIRECTORY"""
import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "protocol"))
import second_client as client

DIRECTORY, MAIN = Path(sys.argv[1]), 1
DIM, ARMS, EPSILON = 2, 5, 1.0


def to_40_bits(x):
    lowest = math.frexp(x)[1] - 40
    return math.ldexp(round(math.ldexp(x, -lowest)), lowest)


top = math.floor(2**28 * math.exp(EPSILON) * (1 - 2.0**-40))
scale = to_40_bits((math.exp(EPSILON) + 1) / (math.exp(EPSILON) - 1))
book = struct.pack("<5I2Qd", 1, 2, 1, 1, 0, top, 2**28, scale)
spec = b"STS2" + struct.pack("<2I8B8d2QI", DIM, ARMS, 0, 1, 1, client.BEST_ARM, client.REWARD, 0, 0, 0,
                             0, 1, 0, 1, 1, EPSILON, 0, 0.5, 1000000, 0, 0)
spec += struct.pack("<2Id2I", 0, 0, 0, 0, 0) + 2 * book + bytes(len(book)) + bytes(16) + struct.pack("<d", 1)
(DIRECTORY / "spec_arms.bin").write_bytes(spec)
terms = client.Terms(spec)

shares = (2**31, 2**30, 2**30 - 1, 1, 0)
model = b"STM3\3\1\0\0" + terms.id + struct.pack("<IQ5I", 7, 12345, *shares)
(DIRECTORY / "model_arms.bin").write_bytes(model)
client.Model(terms, model)

count, sums = [0] * ARMS, [0] * ARMS
for r in range(100):
    nonce = bytes((7 * r + 13 * j) % 256 for j in range(16))
    arm = client.shared_arm(terms.key, nonce, shares)
    count[arm] += 1
    sums[arm] += client.codeword(terms.key, nonce, 1, 2, r % 2)[0]
tally = b"STT2" + terms.id + struct.pack("<IBBHQQ", 7, MAIN, 0, 0, 100, 100)
tally += struct.pack("<5I5Q5q", *shares, *count, *sums)
(DIRECTORY / "tally_arms.bin").write_bytes(tally)
