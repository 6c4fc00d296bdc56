#!/usr/bin/env python3
"""Writes golden frames of version 2 by docs/protocol.md, section 11, with the second client's codewords:
make_version_2.py FOLDER, which holds the specs."""
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "protocol"))
import second_client as client  # noqa: E402

FOLDER = Path(sys.argv[1])


def fold(terms, phase, decides, reports):
    """The tally of epoch 7 with these reports: nonces and indices by the number of the report."""
    book, arms, dim = terms.books[phase], terms.arms, terms.dim
    learn = heard = 0
    follow, control = [0, 0], [[0, 0] for _ in range(arms)]
    sums = [0] * (arms * dim)
    for r in range(reports):
        nonce = bytes((7 * r + 13 * j) % 256 for j in range(16))
        u = int.from_bytes(client.block(terms.key, nonce, 0, client.ROLE)[:4], "little")
        role = "control" if u < terms.measure // 2 else "follow" if u < terms.measure and decides else "learn"
        if role != "learn":
            [one] = client.codeword(terms.key, nonce, 1, 2, r % 2)
            to = follow if role == "follow" else control[client.assigned_arm(terms.key, nonce, arms)]
            to[0] += 1
            to[1] += 1 if one > 0 else -1
            continue
        learn += 1
        index = (37 * r + 5) % (book.size + book.nulls)
        if index >= book.size:
            continue
        heard += 1
        z = client.codeword(terms.key, nonce, dim, book.size, index)
        for arm in range(arms):
            sign = client.sign_of_arm(terms.key, nonce, arm)
            for j in range(dim):
                sums[arm * dim + j] += sign * z[j]
    pairs = [follow, *control] if terms.measure else []
    return (b"STT2" + terms.id + struct.pack("<IBBHQQ", 7, phase, decides, 0, learn, heard)
            + b"".join(struct.pack("<Qq", *pair) for pair in pairs) + struct.pack(f"<{len(sums)}q", *sums))


measured = client.Terms((FOLDER / "spec_measured.bin").read_bytes())
(FOLDER / "tally_measured.bin").write_bytes(fold(measured, client.MAIN, True, 100))
nulls = client.Terms((FOLDER / "spec_mean.bin").read_bytes())
(FOLDER / "tally_nulls.bin").write_bytes(fold(nulls, client.MAIN, False, 100))
null = nulls.books[client.MAIN].size + 5
(FOLDER / "report_null.bin").write_bytes(b"STR1" + nulls.id + struct.pack("<I", 12) + bytes(range(0xa0, 0xb0)) + struct.pack("<H", null))
