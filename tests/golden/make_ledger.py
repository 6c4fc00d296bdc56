#!/usr/bin/env python3
"""Writes the golden ledger with held rounds from the specification at the head of
src/client/ledger_log.c, without our code: ledger_held.bin (a file), entries_held.bin (its entries
alone), anchor_held.bin (what sotto_ledger_calls stores beside them). Usage: make_ledger.py FOLDER"""
import hashlib
import struct
import sys
from pathlib import Path

ID = bytes(range(16))


def half(data):
    return hashlib.sha256(data).digest()[:16]


def frame(spec, nonce, index):
    return b"STR1" + bytes([spec]) * 16 + struct.pack("<I", 7) + bytes([nonce]) * 16 + struct.pack("<H", index)


class Ledger:
    def __init__(self):
        self.chain = half(b"sotto ledger 1" + ID)
        self.entries, self.rounds, self.reports, self.epsilon, self.largest = [], 0, 0, 0.0, 0.0
        self.states = [self.state()]

    def state(self):
        end = 8192 + sum(map(len, self.entries))
        composed_at = 2.0 if self.rounds else 0.0  # epsilon_per_report_max of the default policy
        return (ID + struct.pack("<QQ", len(self.entries), end) + self.chain
                + struct.pack("<QQ", self.rounds, self.reports)
                + struct.pack("<ddddd", self.epsilon, 0.0, self.largest, 0.0, composed_at))

    def add(self, kind, body, rest=b""):
        assert len(body) == 48
        entry = struct.pack("<B3xIQ", kind, len(rest), len(self.entries) + 1) + body + rest
        self.chain = half(self.chain + entry)
        self.entries.append(entry + self.chain)
        self.states.append(self.state())
        return len(self.entries)

    def debit(self, spec, nonce, epsilon):
        self.rounds += 1
        self.epsilon += epsilon
        self.largest = max(self.largest, epsilon)
        return self.add(1, bytes([spec]) * 16 + bytes([nonce]) * 16 + struct.pack("<dd", epsilon, 0.0))

    def report(self, kind, debit, bytes_, replaces=False):
        self.reports += not replaces
        return self.add(kind, struct.pack("<Q", debit) + bytes_[:40], bytes_[40:])

    def seal(self, debit, report):
        return self.add(4, struct.pack("<QQ", debit, report) + bytes(32))

    def acknowledge(self, debit):
        return self.add(5, struct.pack("<Q", debit) + bytes(40))

    def block(self, number):
        last = len(self.entries)
        at = last if number == last % 2 else last - 1
        head = b"STL1" + struct.pack("<I", number) + self.states[at]
        head += bytes(4080 - len(head))
        return head + half(head)

    def anchor(self):
        head = b"STA1" + bytes(4) + self.states[-1]
        assert len(head) == 112
        return head + half(head)


ledger = Ledger()
first = ledger.debit(0xAA, 1, 1.0)
ledger.report(3, first, frame(0xAA, 1, 5))
replacing = ledger.report(2, first, frame(0xAA, 1, 6), replaces=True)
ledger.seal(first, replacing)
ledger.acknowledge(first)
second = ledger.debit(0xAA, 2, 1.0)
held = ledger.report(3, second, frame(0xAA, 2, 7))
third = ledger.debit(0xAA, 3, 0.5)
ledger.report(3, third, frame(0xAA, 3, 8))
ledger.seal(second, held)
folder = Path(sys.argv[1])
(folder / "ledger_held.bin").write_bytes(ledger.block(0) + ledger.block(1) + b"".join(ledger.entries))
(folder / "entries_held.bin").write_bytes(b"".join(ledger.entries))
(folder / "anchor_held.bin").write_bytes(ledger.anchor())
