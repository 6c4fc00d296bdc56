"""A second learner, written from docs/protocol.md (sections 2, 3, 6, 7, 11 and 14) and docs/formats.md (section 11): it
reads terms, reports and learners, folds, publishes and writes models and learners, and shares no code with the C
libraries. What it shares with second_client.py, which was written from the same page, is the reading of terms and the
table of codewords.

It knows one estimator, the averaged one, of terms without measure rounds and without nulls."""
import hashlib
import math
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "protocol"))
from second_client import CENTRED, CODEBOOK, CONSTANT, IDENTITY, MAIN, SELF, SOTTO, TABLE, Terms  # noqa: E402

AT_ONCE = 4096  # reports of a publish computed at a time
LEARNING, MODEL, ESTIMATOR, EPOCH = 1, 2, 3, 5  # blocks of a learner
MASK = 0xFFFFFFFF


class Wrong(Exception):
    """The bytes violate the page."""


def need(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)))


def covers(terms):
    """True if it knows this kind of terms."""
    return (terms.method == SOTTO and not terms.per_arm and terms.measure == 0
            and terms.books[MAIN].nulls == 0 and not (terms.score in (SELF, CENTRED) and terms.dim >= 5))


# ---- codewords: sections 2 and 3


def spread(values):
    """Packs each value into 64 bits of one long integer."""
    return int.from_bytes(struct.pack(f"<{len(values)}Q", *values), "little")


def streams(key, nonces, number, words14):
    """Block `number` of CODEBOOK for each nonce and its word 14, computed together."""
    count = len(nonces)
    ones = spread([1] * count)
    mask = ones * MASK
    start = [ones * word for word in (*CONSTANT, *struct.unpack("<4I", key))]
    start += [spread(column) for column in zip(*(struct.unpack("<4I", nonce) for nonce in nonces))]
    start += [ones * number, ones * CODEBOOK, spread(words14), 0]
    w = list(start)
    for double_round in range(8):
        shift = double_round % 2  # columns, then diagonals
        for i in range(4):
            a, b, c, d = i, 4 + (i + shift) % 4, 8 + (i + 2 * shift) % 4, 12 + (i + 3 * shift) % 4
            for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                w[x] = w[x] + w[y] & mask
                turned = w[z] ^ w[x]
                w[z] = (turned << bits | turned >> 32 - bits) & mask
    columns = [struct.unpack(f"<{count}Q", (a + b & mask).to_bytes(8 * count, "little")) for a, b in zip(w, start)]
    return [struct.pack("<16I", *words) for words in zip(*columns)]


def codewords(key, book, reports):
    """The codeword of each (nonce, index), integers."""
    half = book.size // 2
    nonces, words14 = [nonce for nonce, _ in reports], [index % half for _, index in reports]
    blocks = [streams(key, nonces, number, words14) for number in range((book.dim + 31) // 32)]
    found = []
    for place, (_, index) in enumerate(reports):
        words = struct.unpack_from(f"<{book.dim}H", b"".join(block[place] for block in blocks))
        n = [TABLE[word % 4096] for word in words]
        length = math.sqrt(sum(x * x for x in n))
        sign = 1 if index < half else -1
        found.append([sign * round(2.0**30 * x / length) for x in n])
    return found


# ---- the step: section 14


def squares(theta):
    whole = len(theta) // 4 * 4
    four = [0.0] * 4
    for i in range(whole):
        four[i % 4] += theta[i] * theta[i]
    total = (four[0] + four[2]) + (four[1] + four[3])
    for x in theta[whole:]:
        total += x * x
    return total


def one_by_one(t, n, o, window):
    steps, kept = 0.0, 1.0
    for u in range(t + 1, t + n + 1):
        s = float(min(u, window) if window else u)
        steps += 1 / math.sqrt(s + o)
        kept *= 1 - 4 / (s + 3)
    return steps, kept


def at_once(t, n, o):
    def edge(y):
        w = 1 / (y * y)
        return (-1 / 24 + w * (1 / 384 - w / 1024)) / (y * math.sqrt(y))

    v, a, steps, left = float(t + n), t + 1 + o, 0.0, n
    while a < 64 and left > 0:
        steps, a, left = steps + 1 / math.sqrt(a), a + 1, left - 1
    b = a + (left - 1)
    ends = (1 / math.sqrt(a) + 1 / math.sqrt(b)) / 2
    steps += 2 * (left - 1) / (math.sqrt(a) + math.sqrt(b)) + ends + (edge(b) - edge(a))
    return steps, t / v * ((t + 1) / (v + 1)) * ((t + 2) / (v + 2)) * ((t + 3) / (v + 3))


# ---- a learner


class Tally:
    def __init__(self, epoch, dim):
        self.epoch, self.count, self.sums = epoch, 0, [0] * dim

    def encode(self, spec_id):
        return (struct.pack("<4s16sIBBHQQ", b"STT2", spec_id, self.epoch, MAIN, 0, 0, self.count, self.count)
                + struct.pack(f"<{len(self.sums)}q", *self.sums))


class Learner:
    """Built from terms and a learner (docs/formats.md, section 11). `known` keeps codewords between
    replays."""

    def __init__(self, terms, data, known):
        self.terms, self.known = terms, known
        need(data[:4] == b"STK1" and data[4:20] == terms.id, "a learner: magic or id")
        need(hashlib.sha256(data[:-16]).digest()[:16] == data[-16:], "a learner: hash")
        blocks, at = [], 20
        while at < len(data) - 16:
            kind, size = struct.unpack_from("<II", data, at)
            blocks.append((kind, data[at + 8:at + 8 + size]))
            at += 8 + size
        need([kind for kind, _ in blocks[:3]] == [LEARNING, MODEL, ESTIMATOR] and at == len(data) - 16,
             "a learner: blocks")
        self.learning, self.estimator = blocks[0][1], blocks[2][1]
        self.read_model(blocks[1][1])
        need(all(kind == EPOCH for kind, _ in blocks[3:]), "a learner: blocks")
        self.open = {tally.epoch: tally for tally in map(self.read_tally, (body for _, body in blocks[3:]))}
        need(list(self.open) == self.epochs(), "a learner: open epochs are", list(self.open))

    def epochs(self):
        return list(range(max(0, self.epoch - self.terms.epoch_lag_max), self.epoch + 1))

    def read_model(self, data):
        magic, version, phase, zero, spec_id, self.epoch, self.t = struct.unpack_from("<4sBBH16sIQ", data)
        need((magic, version, phase, zero, spec_id) == (b"STM1", 1, MAIN, 0, self.terms.id), "a model: its head")
        d = self.terms.dim
        numbers = struct.unpack_from(f"<{2 * d}d", data, 36)
        need(len(data) == 36 + 16 * d, "a model: its length")
        self.theta, self.tbar = list(numbers[:d]), list(numbers[d:])

    def read_tally(self, data):
        tally = Tally(struct.unpack_from("<I", data, 20)[0], self.terms.dim)
        tally.count = struct.unpack_from("<Q", data, 28)[0]
        tally.sums = list(struct.unpack_from(f"<{self.terms.dim}q", data, 44))
        need(tally.encode(self.terms.id) == data, "a tally")
        return tally

    def model(self):
        numbers = (*self.theta, *self.tbar)
        return (struct.pack("<4sBBH16sIQ", b"STM1", 1, MAIN, 0, self.terms.id, self.epoch, self.t)
                + struct.pack(f"<{len(numbers)}d", *numbers))

    def encode(self):
        blocks = [(LEARNING, self.learning), (MODEL, self.model()), (ESTIMATOR, self.estimator)]
        blocks += [(EPOCH, self.open[epoch].encode(self.terms.id)) for epoch in self.epochs()]
        data = b"STK1" + self.terms.id + b"".join(struct.pack("<II", kind, len(body)) + body for kind, body in blocks)
        return data + hashlib.sha256(data).digest()[:16]

    def take(self, data):
        """Sections 6 and 7."""
        book = self.terms.books[MAIN]
        need(len(data) % 42 == 0, "reports: length")
        frames = [data[i:i + 42] for i in range(0, len(data), 42)]
        new = [frame for frame in frames if frame not in self.known]
        for i in range(0, len(new), 512):
            some = new[i:i + 512]
            reports = [(frame[24:40], struct.unpack_from("<H", frame, 40)[0]) for frame in some]
            self.known.update(zip(some, codewords(self.terms.key, book, reports)))
        for frame in frames:
            magic, spec_id, epoch, _, index = struct.unpack("<4s16sI16sH", frame)
            need(magic == b"STR1" and spec_id == self.terms.id and index < book.size, "a report")
            need(epoch in self.open, "a report of epoch", epoch)
            tally = self.open[epoch]
            tally.count += 1
            tally.sums = [a + b for a, b in zip(tally.sums, self.known[frame])]

    def publish(self):
        """Section 14."""
        terms, t = self.terms, self.t
        n = sum(tally.count for tally in self.open.values())
        if n > 0:
            d, big_d, scale, window = terms.dim, terms.theta_norm_max, terms.books[MAIN].scale, terms.window_reports
            need(n <= AT_ONCE or window == 0, n, "reports with a window: this learner does not know how")
            sums = [0.0] * d
            for epoch in self.epochs():
                if self.open[epoch].count > 0:
                    sums = [a + 2.0**-30 * float(b) for a, b in zip(sums, self.open[epoch].sums)]
            o = 1 + 0.4 * d * (scale * scale - 1)
            steps, kept = one_by_one(t, n, o, window) if n <= AT_ONCE else at_once(t, n, o)
            last = float(min(t + n, window) if window else t + n) + o
            c = 1.0 if terms.score == SELF and terms.link == IDENTITY else 0.5
            late = sum((self.epoch - tally.epoch) * tally.count for tally in self.open.values())
            length, part = scale * math.sqrt(last), 1.0
            if late > 0:
                fresh = min(1.0, max(0.3, (n + late) / (min(t + n, window) if window else t + n)))
                part = max(2.0, math.sqrt(2.0 * d)) * fresh * length / (n + late)
            step = c * big_d * steps / n * min(1.0, 2 * length / n, part)
            theta = [x - step * y for x, y in zip(self.theta, sums)]
            q = squares(theta)
            if q > big_d * big_d and math.sqrt(q) > big_d:
                theta = [x * (big_d / math.sqrt(q)) for x in theta]
            self.tbar = [x + (1 - kept) * (y - x) for x, y in zip(self.tbar, theta)]
            self.theta, self.t = theta, t + n
        self.open_next()

    def open_next(self):
        self.epoch += 1
        self.open = {epoch: Tally(epoch, self.terms.dim) for epoch in self.epochs()}


# ---- beside replay_learner

KNOWN = {}  # {spec id: {frame: codeword}}: a journal is replayed many times
KNOWN_MAX = 200000  # of one id
compared = 0  # models and learners that were the same


def lines(commands):
    """What replay_learner prints of models and learners for the same commands; None if it does not
    know this kind."""
    (_, terms), (_, start), *rest = commands
    terms = Terms(terms)
    if not covers(terms):
        return None
    known = KNOWN.setdefault(terms.id, {})
    if len(known) > KNOWN_MAX:
        known.clear()
    learner = Learner(terms, start, known)
    said = []
    for letter, data in rest:
        if letter == b"F":
            learner.take(data)
        elif letter == b"S":
            said.append(["learner", learner.encode().hex()])
        else:
            learner.publish() if letter == b"P" else learner.open_next()
            said.append(["model", str(learner.epoch), learner.model().hex()])
    return [*said, ["end", str(learner.epoch), learner.model().hex()], ["learner", learner.encode().hex()]]


def compare(commands, printed):
    """What is wrong with the output of replay_learner; "" if nothing is."""
    global compared
    try:
        wanted = lines(commands)
    except Wrong as wrong:
        return f"the second learner refuses: {wrong}"
    if wanted is None:
        return ""
    got = [words for words in map(str.split, printed.splitlines()) if words[0] in ("model", "end", "learner")]
    for number, (ours, theirs) in enumerate(zip(wanted, got)):
        if ours != theirs:
            return f"line {number} of models and learners is {theirs}, and the second learner has {ours}"
    compared += len(wanted)
    return "" if len(wanted) == len(got) else f"{len(got)} lines, and the second learner has {len(wanted)}"
