"""A reader of ledger files, written only from the format at the head of src/client/ledger_log.c. It
refuses what that text refuses."""
import collections
import hashlib
import math
import pathlib
import struct
import time

DEBIT, REPORT, HELD, SEALED, ACKNOWLEDGED, DUE, DROPPED = range(1, 8)
BLOCK = 4096
HEAD = 2 * BLOCK
TWO_YEARS_MS = 63_072_000_000
READS = 100


def half(data):
    return hashlib.sha256(data).digest()[:16]


class Round:
    """One debit and its reports."""

    def __init__(self, sequence, spec_id, nonce, epsilon, delta):
        self.sequence, self.spec_id, self.nonce, self.epsilon, self.delta = sequence, spec_id, nonce, epsilon, delta
        self.reports = []       # (sequence, held, frame)
        self.sealed = None      # the frame that may be sent
        self.begun_ms = self.send_at_ms = None
        self.acknowledged = self.dropped = False

    @property
    def over(self):
        return self.acknowledged or self.dropped

    @property
    def sealed_default(self):
        """True if the report that may be sent has the default reward."""
        return self.sealed is not None and self.reports[-1][1]


class Ledger:
    """All rounds of a file, by nonce. It can read a file in use, because what a head block anchors
    does not change any more."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.rounds, self.by_sequence = collections.OrderedDict(), {}
        self.kinds = collections.Counter()
        self.sequence, self.chain, self.at = 0, None, HEAD
        self.follow()

    def read(self):
        """The file's bytes, and its newest head. A device that uses the file may write one head
        block after the other was read. Then the newest one is torn and the other one older than
        expected, so both are read again."""
        for _ in range(READS):
            data = self.path.read_bytes()
            heads = [head for head in (self.head(data, block) for block in (0, 1)) if head is not None]
            newest = max(heads, key=lambda head: head["sequence"], default=None)
            if newest is not None and newest["sequence"] >= self.sequence:
                return data, newest
            time.sleep(0.001)
        raise AssertionError("no head block is whole" if newest is None else "the head blocks went back")

    def follow(self):
        """Reads what was added since."""
        data, self.newest = self.read()
        if self.sequence == 0:
            self.chain = half(b"sotto ledger 1" + self.newest["id"])
        while self.sequence < self.newest["sequence"]:
            self.sequence += 1
            self.chain, self.at = self.entry(data, self.at, self.sequence, self.chain)
        assert (self.chain, self.at) == (self.newest["chain"], self.newest["end"]), "the head block does not match the log"
        self.check_sums()
        return self

    @staticmethod
    def head(data, block):
        part = data[block * BLOCK:(block + 1) * BLOCK]
        if len(part) < BLOCK or part[4080:] != half(part[:4080]):
            return None  # being written
        assert part[:4] == b"STL1" and struct.unpack_from("<I", part, 4)[0] == block, "not a head block"
        assert not any(part[112:4080]), "bytes that must be zero"
        names = "sequence end rounds reports epsilon delta epsilon_max delta_max composed_at".split()
        numbers = struct.unpack_from("<QQ", part, 24) + struct.unpack_from("<QQ5d", part, 56)
        return {"id": part[8:24], "chain": part[40:56], **dict(zip(names, numbers))}

    def entry(self, data, at, sequence, chain):
        kind, zero1, zero2, rest, number = struct.unpack_from("<BBHIQ", data, at)
        end = at + 64 + rest
        assert (zero1, zero2, number) == (0, 0, sequence), f"entry {sequence}"
        assert rest == 0 or kind in (REPORT, HELD), f"entry {sequence}: kind {kind} with {rest} bytes more"
        chain = half(chain + data[at:end])
        assert data[end:end + 16] == chain, f"entry {sequence}: its chain"
        self.kinds[kind] += 1
        self.take(kind, sequence, data[at + 16:at + 64], data[at + 64:end])
        return chain, end + 16

    def take(self, kind, sequence, body, rest):
        if kind == DEBIT:
            debit = Round(sequence, body[:16], body[16:32], *struct.unpack_from("<dd", body, 32))
            assert math.isfinite(debit.epsilon) and debit.epsilon >= 0 and 0 <= debit.delta <= 1
            assert debit.nonce not in self.rounds, "a nonce twice"
            self.rounds[debit.nonce] = self.by_sequence[sequence] = debit
            return
        mine = self.by_sequence[struct.unpack_from("<Q", body)[0]]
        assert not mine.over, f"entry {sequence}: the round is over"
        if kind in (REPORT, HELD):
            self.take_report(mine, kind, sequence, body[8:] + rest)
        elif kind == SEALED:
            assert mine.reports and mine.sealed is None, f"entry {sequence}: nothing to seal"
            assert struct.unpack_from("<Q", body, 8)[0] == mine.reports[-1][0] and not any(body[16:])
            mine.sealed = mine.reports[-1][2]
        elif kind == ACKNOWLEDGED:
            assert mine.sealed is not None and not any(body[8:]), f"entry {sequence}: it is not sealed"
            mine.acknowledged = True
        elif kind == DUE:
            assert not mine.reports and mine.begun_ms is None and not any(body[24:]), f"entry {sequence}: times"
            mine.begun_ms, mine.send_at_ms = struct.unpack_from("<QQ", body, 8)
            assert 1 <= mine.begun_ms <= 2**62 and 0 <= mine.send_at_ms - mine.begun_ms <= TWO_YEARS_MS
        else:
            assert kind == DROPPED, f"entry {sequence}: kind {kind}"
            assert mine.reports and not any(body[8:]), f"entry {sequence}: nothing to drop"
            mine.dropped = True

    @staticmethod
    def take_report(mine, kind, sequence, frame):
        assert frame[:4] == b"STR1" and frame[4:20] == mine.spec_id and frame[24:40] == mine.nonce, "another's frame"
        if mine.reports:
            last = mine.reports[-1]
            assert kind == REPORT and last[1] and mine.sealed is None and len(last[2]) == len(frame), "a second report"
        mine.reports.append((sequence, kind == HELD, frame))

    def check_sums(self):
        rounds = self.rounds.values()
        assert self.newest["rounds"] == len(rounds), "rounds"
        assert self.newest["reports"] == sum(bool(each.reports) for each in rounds), "reports"
        total = 0.0
        for each in rounds:
            total += each.epsilon
        assert abs(self.newest["epsilon"] - total) <= 1e-9 * max(1, total), "the sum of epsilon"

    def unsent(self):
        return [each for each in self.rounds.values() if each.reports and not each.over]
