#!/usr/bin/env python3
"""Writes the golden ledgers with held rounds from the specification at the head of
src/client/ledger_log.c, without our code: ledger_held.bin (a file), entries_held.bin (its entries
alone), anchor_held.bin (what sotto_ledger_calls stores beside them); and the same three of rounds
with times and drops, ..._due.bin. Usage: make_ledger.py DIRECTORY"""
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

    def due(self, debit, begun_ms, send_at_ms):
        return self.add(6, struct.pack("<QQQ", debit, begun_ms, send_at_ms) + bytes(24))

    def drop(self, debit):
        return self.add(7, struct.pack("<Q", debit) + bytes(40))

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

    def write(self, directory, name):
        entries = b"".join(self.entries)
        (directory / f"ledger_{name}.bin").write_bytes(self.block(0) + self.block(1) + entries)
        (directory / f"entries_{name}.bin").write_bytes(entries)
        (directory / f"anchor_{name}.bin").write_bytes(self.anchor())


def held_rounds():
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
    return ledger


def due_rounds():
    ledger = Ledger()
    first = ledger.debit(0xAA, 1, 1.0)
    ledger.due(first, 1790000000000, 1790000086400)
    second = ledger.debit(0xAA, 2, 1.0)
    held = ledger.report(3, first, frame(0xAA, 1, 5))
    ledger.due(second, 1 << 62, (1 << 62) + 63072000000)
    ledger.seal(first, held)
    ledger.drop(first)  # sealed
    ledger.report(3, second, frame(0xAA, 2, 6))
    third = ledger.debit(0xAA, 3, 0.5)
    ledger.due(third, 1, 1)
    ledger.report(3, third, frame(0xAA, 3, 7))
    ledger.drop(third)  # not sealed
    ledger.due(ledger.debit(0xAA, 4, 0.25), 2, 3)  # and no report
    return ledger


if __name__ == "__main__":
    held_rounds().write(Path(sys.argv[1]), "held")
    due_rounds().write(Path(sys.argv[1]), "due")
