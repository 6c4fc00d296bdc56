#!/usr/bin/env python3
"""Writes the golden tally with nulls, tags and measure rounds, from docs/protocol.md alone
(sections 2, 3 and 11, by the functions of tests/protocol/second_client.py): tally_nulls.bin beside
spec_nulls.bin, the terms. Report r of 400, epoch 7, main phase, a model that decides: nonce byte j = 7 r +
13 j + floor(r/256) mod 256; index 37 r + 5 mod M + nulls, in measure rounds r mod 2.
Usage: make_tally.py DIRECTORY"""
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "protocol"))
import second_client as client

DIRECTORY = Path(sys.argv[1])
MAIN = 1


class Decides:
    phase = MAIN
    deciding = (1.0,)


terms = client.Terms((DIRECTORY / "spec_nulls.bin").read_bytes())
book, arms, dim = terms.books[MAIN], terms.arms, terms.dim
learn = heard = 0
pairs = [[0, 0] for _ in range(1 + arms)]       # follow, then control by arm
arm_count, sums = [0] * arms, [0] * (arms * dim)
for r in range(400):
    nonce = bytes((7 * r + 13 * j + r // 256) % 256 for j in range(16))
    role = client.role_of_round(terms, Decides, nonce)
    if role != "learn":
        z = client.codeword(terms.key, nonce, 1, 2, r % 2)[0] >> 30
        pair = pairs[0 if role == "follow" else 1 + client.assigned_arm(terms.key, nonce, arms)]
        pair[0] += 1
        pair[1] += z
        continue
    learn += 1
    index = (37 * r + 5) % (book.size + book.nulls)
    if index >= book.size:
        continue
    heard += 1
    arm = index % (book.size // 2) % arms
    arm_count[arm] += 1
    for j, z in enumerate(client.codeword(terms.key, nonce, dim, book.size, index)):
        sums[arm * dim + j] += z
frame = b"STT2" + terms.id + struct.pack("<IBBHQQ", 7, MAIN, 1, 0, learn, heard)
frame += b"".join(struct.pack("<Qq", *pair) for pair in pairs)
frame += struct.pack(f"<{arms}Q", *arm_count) + struct.pack(f"<{arms * dim}q", *sums)
(DIRECTORY / "tally_nulls.bin").write_bytes(frame)
