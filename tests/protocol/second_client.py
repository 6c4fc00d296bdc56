#!/usr/bin/env python3
"""A second client, written from protocol.md alone.

    second_client.py TERMS MODEL PEOPLE TAPE [WORTH]
    second_client.py --self-test [directory with the files of section 10]

PEOPLE has one person per line: the context (K d numbers for shared parameters, d numbers for
per-arm parameters), then the reward, or - if no reward came. TAPE holds the random bytes in the
order in which they are drawn. WORTH, if given, is K numbers with commas between them. Each line
that is printed: arm, report in hexadecimal, bytes drawn from the tape.

The parts stand in the order of the document, but for the frames, which section 5 uses. This is a
program for tests: it keeps no ledger, its randomness is a tape, and its work depends on secrets.
"""
import glob
import hashlib
import math
import os
import struct
import sys
from statistics import NormalDist
from types import SimpleNamespace


class Refused(Exception):
    """The terms, the model or the input must not be used."""


def need(condition, message):
    if not condition:
        raise Refused(message)


def dot(a, b):
    """Products are added from the first to the last. (sum() would be more exact: other bits.)"""
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def norm(a):
    return math.sqrt(dot(a, a))


def clamp(x, lo, hi):
    return lo if x < lo else hi if x > hi else x


def finite(x):
    """What is not finite counts as 0."""
    return x if math.isfinite(x) else 0.0


def normal(x):
    """Phi."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


# ---------------------------------------------------------------- section 1: terms

PER_ARM, SPLIT, LAPLACE = 1, 1, 1                # otherwise shared, joint, gaussian
IDENTITY, LOGIT, PROBIT, LOG = range(4)
CONTINUOUS, BINARY, COUNT = range(3)
SOTTO, SOTTO_OLS, LDP_SGD, LDP_OLS, LDP_UCB, LDP_GLOC, BEST_ARM = range(7)
SIGN, SELF, HUBER, GRADIENT, MOMENTS, GLOC_PAIR, CENTRED, REWARD = range(8)
WARM_UP, MAIN, MEAN = range(3)

SCORES_OF = {SOTTO: (SIGN, SELF, HUBER, CENTRED), SOTTO_OLS: (MOMENTS,), LDP_SGD: (GRADIENT,),
             LDP_OLS: (MOMENTS,), LDP_UCB: (MOMENTS,), LDP_GLOC: (GLOC_PAIR,),
             BEST_ARM: (REWARD,)}

# Type and name of every field, in order. I = u32, B = u8, d = f64, Q = u64, i = i32.
FIELDS = """I dim I arms B parameters B link B reward_kind B method B score B split B noise_law
    B allow_weak_delta d reward_lo d reward_hi d reward_default d context_norm_max d theta_norm_max
    d epsilon d delta d huber_tau Q epoch_reports_max Q window_reports I epoch_lag_max
    I series I measure d reward_rate I reward_window_s I send_spread_s"""
BOOK = "I dim I size I groups I top I nulls Q weight_top Q weight_rest d scale"
LATTICE = "I dim i grid_log2 I scale_ticks I clip_ticks"


class Terms:
    """Reads terms (section 1), and checks them (section 8)."""

    def __init__(self, data):
        need(data[:4] == b"STS2", "terms: another magic")
        need(len(data) == 284, "terms: another length")
        self.place = 4
        self.__dict__.update(read_part(self, data, FIELDS))
        self.books = [SimpleNamespace(**read_part(self, data, BOOK)) for _ in range(3)]      # by phase
        self.lattice = SimpleNamespace(**read_part(self, data, LATTICE))
        self.__dict__.update(read_part(self, data, "d along_weight"))

        self.per_arm = self.parameters == PER_ARM
        self.is_lattice = self.method in (LDP_OLS, LDP_UCB, LDP_GLOC)
        self.has_mean = self.per_arm and self.method == SOTTO and self.score == SELF
        self.reward_size = max(abs(self.reward_lo), abs(self.reward_hi))     # c of section 5
        self.rows = self.arms if self.per_arm else 1
        self.one_for_all = self.method == BEST_ARM                          # section 11
        self.parameter_count = 0 if self.one_for_all else self.dim * self.rows
        self.id = hashlib.sha256(data).digest()[:16]
        self.key = hashlib.sha256(b"sotto/1" + self.id).digest()[:16]        # stream key
        check_terms(self)


def read_part(terms, data, fields):
    """The next fields by name. Their bytes must be those that we would write: -0.0 is not."""
    fields = fields.split()
    form = "<" + "".join(fields[::2])
    values = struct.unpack_from(form, data, terms.place)
    same = struct.pack(form, *[value + 0 for value in values])      # -0.0 + 0 is 0.0
    need(same == data[terms.place:terms.place + len(same)], "terms: -0.0")
    terms.place += len(same)
    return dict(zip(fields[1::2], values))


def is_zero(part):
    return not any(vars(part).values())


# ---------------------------------------------------------------- section 8: checks of the terms

RANGES = {
    "dim": (1, 1024), "arms": (2, 1024), "parameters": (0, 1), "link": (0, 3),
    "reward_kind": (0, 2), "method": (0, 6), "split": (0, 1), "noise_law": (0, 1),
    "allow_weak_delta": (0, 1), "reward_lo": (-1e6, 1e6), "context_norm_max": (1e-6, 1e6),
    "theta_norm_max": (1e-6, 1e6), "huber_tau": (1e-6, 1e6), "epoch_reports_max": (1, 2**31),
    "window_reports": (0, 2**31), "epoch_lag_max": (0, 16), "along_weight": (0, 1),
    "reward_rate": (0, 1), "reward_window_s": (0, 31536000), "send_spread_s": (0, 31536000)}


def check_terms(t):
    # Number 1: every field in range. A NaN fails each of these comparisons.
    for name, (least, most) in RANGES.items():
        need(least <= getattr(t, name) <= most, name)
    need(t.dim * t.arms <= 65536, "dim, arms")
    need(t.reward_lo + 1e-6 <= t.reward_hi <= 1e6, "reward_hi")
    need(t.reward_lo <= t.reward_default <= t.reward_hi, "reward_default")
    need(0.01 <= t.epsilon <= (50 if t.is_lattice else 8), "epsilon")
    need(t.measure == 0 or (4294967 <= t.measure <= 2**31 and not t.is_lattice), "measure")
    # Which values go together.
    need(t.score in SCORES_OF[t.method], "this method does not have this score")
    need(t.score != MOMENTS or t.link == IDENTITY, "moments: identity link")
    need(t.method != SOTTO_OLS or not t.per_arm, "sotto-ols: shared")
    if t.score in (SIGN, HUBER):
        need(t.reward_kind == CONTINUOUS and t.link == IDENTITY, "sign and huber")
    if t.score == CENTRED:
        need(t.reward_kind == COUNT and t.link == LOG, "centred")
    if t.reward_kind == BINARY:
        need(t.reward_lo == 0 and t.reward_hi == 1, "binary: range 0, 1")
    need(not t.one_for_all or t.measure == 0, "best-arm")
    need(t.reward_kind != COUNT or t.reward_lo >= 0, "count: reward_lo at least 0")
    need(t.split != SPLIT or (t.method == LDP_SGD and t.per_arm), "split per-arm")
    need(t.noise_law != LAPLACE or t.is_lattice, "laplace: lattice methods only")
    if t.is_lattice and t.noise_law != LAPLACE:
        need(1e-12 <= t.delta <= (0.5 if t.allow_weak_delta else 1e-6), "delta")
    else:
        need(t.delta == 0, "delta")
    # Numbers 2 to 4.
    if t.is_lattice:
        need(all(map(is_zero, t.books)), "a lattice method has no codebooks")
        check_lattice(t)
    else:
        need(is_zero(t.lattice), "a codebook method has no lattice")
        check_book(t, t.books[WARM_UP], WARM_UP)
        check_book(t, t.books[MAIN], MAIN)
        if t.has_mean:
            check_book(t, t.books[MEAN], MEAN)
        else:
            need(is_zero(t.books[MEAN]), "phase mean")


def check_book(t, book, phase):
    may_have_tags = phase == MAIN and t.method == SOTTO and t.per_arm
    need(book.groups == 1 or (may_have_tags and book.groups == t.arms), "groups")
    dim = t.dim
    if t.method == SOTTO_OLS:
        dim = t.dim * (t.dim + 1) // 2 + t.dim + 1
    if t.method == LDP_SGD and t.per_arm and t.split != SPLIT and phase == MAIN:
        dim = t.dim * t.arms
    if t.one_for_all:
        dim = 1
        need(book.size == 2, "best-arm: two codewords")
    need(book.dim == dim, "dim of a codebook")
    need(2 <= book.size <= 4096 and book.size % (2 * book.groups) == 0, "size of a codebook")
    need(1 <= book.top <= book.size // (2 * book.groups), "top of a codebook")
    need(1 <= book.scale < math.inf, "scale of a codebook")
    # Number 3: what privacy rests on.
    most = math.floor(2.0**28 * math.exp(t.epsilon) * (1 - 2.0**-48))
    need(book.weight_rest == 2**28 and 2**28 <= book.weight_top <= most, "weights")
    # Section 11.
    may_have_nulls = (t.method == SOTTO and t.score == SELF and (t.per_arm or t.dim >= 5)
                      and phase != MEAN)
    need(book.nulls == 0 or (may_have_nulls and book.nulls == book.top), "nulls")


def check_lattice(t):
    """Number 4."""
    d, big_c, eps = t.dim, t.context_norm_max, t.epsilon
    one = d * (d + 1) // 2 + d                              # D of one arm
    need(t.lattice.dim == one * t.rows, "dim of the lattice")
    need(-60 <= t.lattice.grid_log2 <= 60, "grid_log2")
    g = 2.0**t.lattice.grid_log2
    c = 2 * t.reward_size if t.score == GLOC_PAIR else t.reward_size        # c'
    need(t.lattice.clip_ticks == math.ceil(max(big_c**2, c * big_c) / g) <= 2**30, "clip_ticks")
    if t.noise_law == LAPLACE:
        s = (big_c**2 * (d + 1) + 2 * c * big_c * math.sqrt(d) + g * one) / eps
    else:
        square = (c / big_c)**2                             # l^2
        delta = big_c**2 * (square + 2) / math.sqrt(2) if square <= 2 else 2 * c * big_c
        s = (delta + g * math.sqrt(one)) / largest_shift(eps, t.delta)
    need(2**10 <= t.lattice.scale_ticks <= 2**24, "scale_ticks")
    need(t.lattice.scale_ticks >= math.ceil(1.000000001 * s / g), "scale_ticks: too little noise")


def largest_shift(eps, delta):
    """The largest m with Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m) <= delta, by bisection."""
    low, high = 1e-9, 1e3
    for _ in range(200):
        m = (low + high) / 2
        if normal(m / 2 - eps / m) - math.exp(eps) * normal(-m / 2 - eps / m) <= delta:
            low = m
        else:
            high = m
    return low


def check_policy(t):
    """Number 5. This policy is for tests: it takes all that terms of codebook methods may ask
    (epsilon up to 8, a measure share up to 0.5). A real device has its own, much smaller limits."""
    need(t.epsilon <= 8 and t.delta == 0 and t.dim <= 1024 and t.arms <= 1024, "policy")
    need(t.measure <= 0.5 * 2**32, "policy: measure_share_max")


# ---------------------------------------------------------------- section 2: public streams

CODEBOOK, SIGNS, ARM, ROLE = 1, 2, 3, 4      # ROLE: section 11
CONSTANT = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)


def blocks(key, nonce, stream, places):
    """The blocks at places, each (number of the block, word 14, word 15), all at one time: word w
    of block b is in the lower half of bits 64 b to 64 b + 63 of the long integer w."""
    count = len(places)

    def spread(values):
        return int.from_bytes(struct.pack("<%dQ" % count, *values), "little")

    ones = spread([1] * count)
    mask = ones * 0xFFFFFFFF
    number, word14, word15 = map(spread, zip(*places))
    start = [ones * word for word in CONSTANT + struct.unpack("<8I", key + nonce)]
    start += [number, ones * stream, word14, word15]
    w = list(start)

    def quarter_round(a, b, c, d):
        for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            w[x] = w[x] + w[y] & mask
            turned = w[z] ^ w[x]
            w[z] = (turned << bits | turned >> (32 - bits)) & mask

    for _ in range(4):
        for i in range(4):
            quarter_round(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter_round(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    columns = [struct.unpack("<%dQ" % count, (a + b & mask).to_bytes(8 * count, "little"))
               for a, b in zip(w, start)]
    return [struct.pack("<16I", *words) for words in zip(*columns)]


def block(key, nonce, number, stream, word14=0, word15=0):
    return blocks(key, nonce, stream, [(number, word14, word15)])[0]


def assigned_arm(key, nonce, arms):
    h = int.from_bytes(block(key, nonce, 0, ARM)[:8], "little")
    return arms * h >> 64


def shared_arm(key, nonce, shares):
    """Section 11, best-arm."""
    u = int.from_bytes(block(key, nonce, 0, ARM)[:4], "little")
    return next(a for a in range(len(shares)) if u < sum(shares[:a + 1]))


def sign_of_arm(key, nonce, arm):
    byte = block(key, nonce, arm // 512, SIGNS)[arm % 512 // 8]
    return -1 if byte >> (arm % 8) & 1 else 1


def role_of_round(terms, model, nonce):
    """Section 11: "learn", "follow" or "control"."""
    u = int.from_bytes(block(terms.key, nonce, 0, ROLE)[:4], "little")
    if u < terms.measure // 2:
        return "control"
    if u < terms.measure and model.phase == MAIN and any(model.deciding):
        return "follow"
    return "learn"


# ---------------------------------------------------------------- section 3: codewords

TABLE = [round(2**13 * NormalDist().inv_cdf((i + 0.5) / 4096)) for i in range(4096)]


def table_numbers(key, nonce, dim, indices, word15=0):
    """For each of the indices, all below M/2: the numbers n_j. Not too many blocks at one time."""
    each = (dim + 31) // 32                                 # blocks of a codeword
    step = max(1, 2048 // each)
    for first in range(0, len(indices), step):
        some = indices[first:first + step]
        data = b"".join(blocks(key, nonce, CODEBOOK, [(number, i, word15) for i in some
                                                      for number in range(each)]))
        for place in range(len(some)):
            words = struct.unpack_from("<%dH" % dim, data, 64 * each * place)
            yield [TABLE[word % 4096] for word in words]


def codeword(key, nonce, dim, size, index, word15=0):
    """Integers. (A client needs the n_j only; this is for the worked example.)"""
    half = size // 2
    n = next(table_numbers(key, nonce, dim, [index % half], word15))
    length = math.sqrt(sum(x * x for x in n))
    sign = 1 if index < half else -1
    return [sign * round(2.0**30 * x / length) for x in n]


# ---------------------------------------------------------------- section 7: frames

class Model:
    """An array that the method does not have is empty."""

    def __init__(self, terms, data):
        t, p, triangle = terms, terms.parameter_count, terms.dim * (terms.dim + 1) // 2
        has_tbar = (t.method == SOTTO and not t.per_arm
                    and not (t.score in (SELF, CENTRED) and t.dim >= 5))
        has_frozen = t.method in (LDP_SGD, LDP_OLS) and t.per_arm
        has_factor = t.method in (LDP_UCB, LDP_GLOC)
        sizes = {"theta": p, "tbar": p * has_tbar, "theta_h": p * (t.method == LDP_GLOC),
                 "frozen": p * has_frozen, "elimination": 1 * has_frozen, "beta": 1 * has_factor,
                 "factor": triangle * t.rows * has_factor, "g": t.dim * t.has_mean}
        shares = t.arms if t.one_for_all else 0
        need(len(data) == 36 + 8 * sum(sizes.values()) + 4 * shares, "model: length")
        self.served = int.from_bytes(data[6:8], "little")
        version = b"2\2" if t.has_mean else b"3\3" if t.one_for_all else b"1\1"
        need(data[:5] == (b"STF" if self.served else b"STM") + version
             and self.served <= (t.arms + 1 if t.measure else 0), "model: first bytes")
        need(data[8:24] == t.id, "model: another spec id")
        self.phase = data[5]
        need(self.phase == MAIN or (self.phase == WARM_UP and t.per_arm and not t.one_for_all)
             or (self.phase == MEAN and t.has_mean), "model: phase")
        self.epoch, self.reports = struct.unpack_from("<IQ", data, 24)
        place = 36
        for name, size in sizes.items():
            array = struct.unpack_from("<%dd" % size, data, place)
            place += 8 * size
            need(all(map(math.isfinite, array)) or array == (math.inf,) and name == "elimination",
                 "model: a number is not finite")
            setattr(self, name, array)
        need(all(x >= 0 for x in self.elimination + self.beta), "model: elimination, beta")
        need(all(self.factor[start + i * (i + 3) // 2] > 0 for i in range(t.dim)
                 for start in range(0, len(self.factor), triangle)), "model: diagonal of a factor")
        self.deciding = self.tbar or self.theta
        self.shares = struct.unpack_from("<%dI" % shares, data, place)
        need(not shares or sum(self.shares) == 2**32, "model: shares")


def report_frame(terms, model, nonce, indices):
    return (b"STR1" + terms.id + struct.pack("<I", model.epoch) + nonce
            + struct.pack("<%dH" % len(indices), *indices))


def read_report(terms, data):
    """Gives epoch, nonce and the indices or ticks, or refuses."""
    indices = terms.arms if terms.split == SPLIT else 1
    form = "<%di" % terms.lattice.dim if terms.is_lattice else "<%dH" % indices
    need(len(data) == 40 + struct.calcsize(form), "report: length")
    need(data[:4] == b"STR1" and data[4:20] == terms.id, "report: magic, spec id")
    values = struct.unpack_from(form, data, 40)
    most = max(book.size + book.nulls for book in terms.books)
    need(terms.is_lattice or max(values) < most, "report: index")
    return struct.unpack_from("<I", data, 20)[0], data[24:40], values


# ---------------------------------------------------------------- section 5: the device

def clip_context(x, longest):
    x = [finite(value) for value in x]
    if dot(x, x) > longest * longest * (1 + 2.0**-51):
        if max(map(abs, x)) > 1e150:
            x = [value * 1e-160 for value in x]
        factor = longest / norm(x)
        x = [value * factor for value in x]
    return x


def deflate(model, x):
    """Section 11: x without what contexts have in common. x is clipped."""
    g = clip_context(model.g, 1.0)
    if model.phase == MEAN or not any(g):
        return x
    along = dot(g, x)
    y = [value - along * of_g for value, of_g in zip(x, g)]
    if norm(y) <= 1e-14 * norm(x):
        return [0.0] * len(x)
    factor = norm(x) / norm(y)
    return [value * factor for value in y]


def clip_reward(terms, reward):
    """reward is None if none came."""
    if reward is None or not math.isfinite(reward):
        return terms.reward_default
    return clamp(reward, terms.reward_lo, terms.reward_hi)


def row(array, terms, arm):
    """The arm's part of an array: all of it for shared parameters."""
    return array[arm * terms.dim:(arm + 1) * terms.dim] if terms.per_arm else array


def decide(terms, model, nonce, contexts, role, worth=None):
    """contexts[a] is x_a, clipped."""
    if terms.one_for_all:
        return shared_arm(terms.key, nonce, model.shares)
    if role == "control" or model.phase != MAIN or not any(model.deciding):
        return assigned_arm(terms.key, nonce, terms.arms)

    def products(array):
        return [finite(dot(x, row(array, terms, a))) for a, x in enumerate(contexts)]

    allowed = range(terms.arms)
    value = products(model.deciding)
    if worth:
        value = [finite(w * mu(terms.link, p)) for w, p in zip(worth, value)]
    elif model.frozen:
        old = products(model.frozen)
        least = max(old) - model.elimination[0] / 2
        allowed = [a for a in allowed if old[a] >= least]
    return max(allowed, key=lambda a: value[a])         # max() gives the first one on ties


def mu(link, v):
    if link == LOGIT:
        return 1 / (1 + math.exp(-clamp(v, -700.0, 700.0)))
    if link == PROBIT:
        return normal(v)
    if link == LOG:
        return math.exp(clamp(v, -700.0, 700.0))
    return v


def centred(terms, p, r):
    """Section 11. R is Poisson(m), clamped to [lo, hi]."""
    lo, hi = terms.reward_lo, terms.reward_hi
    m = clamp(mu(LOG, p), 0.02, 600.0)
    chances = [math.exp(-m)]
    for j in range(1023):
        chances.append(chances[j] * (m / (j + 1)))
    median, up_to = 0, 0.0
    for chance in chances:
        up_to += chance
        median += up_to < 0.5
    q = clamp(median, lo, hi)
    if r != q:
        return 1.0 if r < q else -1.0
    below = at = above = 0.0
    for j, chance in enumerate(chances):
        place = clamp(j, lo, hi)
        if place < q:
            below += chance
        elif place > q:
            above += chance
        else:
            at += chance
    return clamp((above - below) / at, -1.0, 1.0)


def psi(terms, p, x, r):
    lo, hi = terms.reward_lo, terms.reward_hi
    if terms.score == SIGN:
        return 1.0 if p > r else -1.0
    if terms.score == SELF:
        m = clamp(mu(terms.link, p), lo, hi)
        return (m - r) / max(m - lo, hi - m)
    if terms.score == HUBER:
        return clamp((p - r) / terms.huber_tau, -1.0, 1.0)
    if terms.score == CENTRED:
        return centred(terms, p, r)
    bound = 2 * terms.reward_size * terms.context_norm_max
    return clamp((mu(terms.link, p) - r) * norm(x) / bound, -1.0, 1.0)


def moments(terms, x, r):
    """The unit vector of sotto-ols. (Those of lattice methods are not played here.)"""
    x = [value / terms.context_norm_max for value in x]
    weight = 1.1 * (r / terms.reward_size)
    m = [x[i] * x[j] * (1.0 if i == j else math.sqrt(2))
         for i in range(len(x)) for j in range(i + 1)] + [weight * value for value in x]
    n = math.sqrt(1 + 1.1 * 1.1)
    m = [value / n for value in m]
    return m + [math.sqrt(max(0.0, 1 - dot(m, m)))]


def score(terms, model, arm, x, r):
    """The vector v."""
    if terms.score == MOMENTS:
        return moments(terms, x, r)
    y = x
    length = norm(model.deciding)
    if not terms.per_arm and 1e-290 < length < math.inf and terms.along_weight < 1:
        u = [value / length for value in model.deciding]
        part = (1 - terms.along_weight) * dot(x, u)
        y = [value - part * along for value, along in zip(x, u)]
    length = norm(y)
    if length == 0:
        return [0.0] * len(y)
    if model.phase == MEAN:
        return [value / length for value in y]
    factor = psi(terms, finite(dot(x, row(model.theta, terms, arm))), x, r)
    return [factor * value / length for value in y]


class Tape:
    """Stands for the system's randomness."""

    def __init__(self, data):
        self.data = data
        self.place = 0

    def draw(self, count):
        need(self.place + count <= len(self.data), "the tape is at its end")
        self.place += count
        return self.data[self.place - count:self.place]

    def u64(self):
        return int.from_bytes(self.draw(8), "little")

    def below(self, n):
        while True:
            word = self.u64()
            if word <= 2**64 - 1 - 2**64 % n:
                return word % n


def total_weight(book):
    others = book.size - book.top + book.nulls
    return book.top * book.weight_top + others * book.weight_rest


def draw_coins(tape, book):
    """sign, member, uniform: all three, always."""
    return tape.u64(), tape.below(total_weight(book)), tape.below(book.size)


def nearest(key, nonce, book, v, group=0, word15=0):
    """TOP, in order of index. v has length 1."""
    half = book.size // 2
    keys = []
    for i, n in enumerate(table_numbers(key, nonce, book.dim, range(half), word15)):
        c = dot(n, v) / math.sqrt(sum(x * x for x in n))
        near = math.floor(2.0**46 * min(1.0, abs(c)))
        in_group = i % book.groups == group
        keys.append((in_group << 63 | near << 16 | half - 1 - i, i if c >= 0 else i + half))
    keys.sort(reverse=True)
    return sorted(index for _, index in keys[:book.top])


def choice(key, nonce, book, v, coins, group=0, word15=0):
    sign, member, uniform = coins
    length = norm(v)
    n = min(1.0, length)
    counts_as_0 = n < 1e-140
    fraction = (sign >> 11) * 2.0**-53
    if counts_as_0 and not book.nulls:
        return uniform
    if book.nulls and (counts_as_0 or fraction >= n):           # section 11: not heard
        top = range(book.size, book.size + book.nulls)
    else:
        flip = -1 if not book.nulls and fraction < (1 - n) / 2 else 1
        direction = [flip * value / length for value in v]
        top = nearest(key, nonce, book, direction, group, word15)
    if member < book.top * book.weight_top:
        return top[member // book.weight_top]
    others = sorted(set(range(book.size + book.nulls)) - set(top))
    return others[(member - book.top * book.weight_top) // book.weight_rest]


def privatise(terms, model, nonce, arm, v, tape):
    """The table of section 5. Gives the list of indices."""
    book = terms.books[model.phase]
    group = 0
    if terms.split == SPLIT:
        zero = [0.0] * len(v)
        return [choice(terms.key, nonce, book, v if b == arm else zero, draw_coins(tape, book),
                       word15=b) for b in range(terms.arms)]
    if terms.per_arm and model.phase == MAIN:
        if terms.method == LDP_SGD:                     # joint
            v = [0.0] * (arm * terms.dim) + v + [0.0] * ((terms.arms - 1 - arm) * terms.dim)
        elif book.groups > 1:                           # tags
            group = arm
        else:                                           # signs
            s = sign_of_arm(terms.key, nonce, arm)
            v = [s * value for value in v]
    return [choice(terms.key, nonce, book, v, draw_coins(tape, book), group)]


def privatise_measure(terms, model, nonce, r, tape):
    """Section 11: control, follow and best-arm report the reward."""
    y = 2 * (r - terms.reward_lo) / (terms.reward_hi - terms.reward_lo) - 1
    weights = terms.books[model.phase]
    book = SimpleNamespace(dim=1, size=2, groups=1, top=1, nulls=0,
                           weight_top=weights.weight_top, weight_rest=weights.weight_rest)
    index = choice(terms.key, nonce, book, [y], draw_coins(tape, book))
    return [index] + [0] * (terms.arms - 1 if terms.split == SPLIT else 0)


# ---------------------------------------------------------------- section 9: one round in order

def play_round(terms, model, numbers, reward, tape, worth=None):
    """Gives the arm and the report. numbers: K rows of d (shared), or d numbers (per-arm)."""
    nonce = tape.draw(16)                                               # begin
    d = terms.dim
    need(len(numbers) == (d if terms.per_arm else d * terms.arms), "context: how many numbers")
    contexts = [clip_context(numbers[start:start + d], terms.context_norm_max)      # decide
                for start in range(0, len(numbers), d)]
    if terms.per_arm:
        contexts = [deflate(model, contexts[0])] * terms.arms
    role = role_of_round(terms, model, nonce)
    if model.served and role == "learn":                                # a fallback: nothing is released
        return (assigned_arm(terms.key, nonce, terms.arms) if model.served > terms.arms
                else model.served - 1), b""
    arm = decide(terms, model, nonce, contexts, role, worth)
    r = clip_reward(terms, reward)                                      # finish
    if role == "learn" and not terms.one_for_all:
        v = score(terms, model, arm, contexts[arm], r)
        indices = privatise(terms, model, nonce, arm, v, tape)
    else:
        indices = privatise_measure(terms, model, nonce, r, tape)
    return arm, report_frame(terms, model, nonce, indices)


# ---------------------------------------------------------------- sections 4, 10 and 11: self-test

EXAMPLE_TERMS = """
    53545332 02000000 03000000 00000000 00000000 00000000 0000f0bf 00000000 0000f03f 00000000
    00000000 00000000 0000f03f 00000000 0000f03f 00000000 0000f03f 00000000 00000000 00000000
    0000e03f 40420f00 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
    00000000 00000000 02000000 40000000 01000000 1a000000 00000000 16157e2b 00000000 00000010
    00000000 0000efc5 0d1a0a40 02000000 40000000 01000000 1a000000 00000000 16157e2b 00000000
    00000010 00000000 0000efc5 0d1a0a40 00000000 00000000 00000000 00000000 00000000 00000000
    00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00403333
    3333d33f"""
EXAMPLE_TOP = "5 7 9 13 14 17 18 19 22 26 29 31 32 33 36 38 42 43 44 52 53 55 57 59 60 62"


def example_of_section_11(terms, same):
    key, nonce, book = terms.key, bytes(range(16, 32)), terms.books[MAIN]
    heavy, whole = book.top * book.weight_top, total_weight(book)
    same("spec id and stream key, 11", (terms.id.hex(), key.hex()),
         ("b6150c19b463f267e753ab30b9febdb7", "09740a03970bd66698a4066adddd40b3"))
    same("constants, 11", (terms.measure, book.size, book.groups, book.top, book.nulls,
                           book.weight_top, book.weight_rest, whole),
         (1073741824, 1024, 2, 106, 106, 14656079300, 268435456, 1828422312744))
    members = (0, heavy - 1, heavy, whole - 1)
    for name, sign, indices in (("heard", 0, [9, 1023, 0, 1129]), ("not", 2**63, [1024, 1129, 0, 1023])):
        same(name, [choice(key, nonce, book, [0.24, 0.0, 0.32], (sign, member, 17), group=1)
                    for member in members], indices)
    same("v = 0, 11", choice(key, nonce, book, [0.0] * 3, (0, 3 * book.weight_top, 17), group=1), 1027)
    decides = SimpleNamespace(phase=MAIN, deciding=(1.0,))
    same("role", role_of_round(terms, decides, nonce), "learn")
    nonce = bytes(range(30, 46))
    same("control", (role_of_round(terms, decides, nonce), assigned_arm(key, nonce, 2)), ("control", 0))
    same("a line", [codeword(key, nonce, 1, 2, i) for i in (0, 1)], [[2**30], [-2**30]])


def self_test(directory=None):
    failures = []

    def same(name, got, expected):
        print("ok    " if got == expected else "WRONG ", name)
        if got != expected:
            print("   got      ", got, "\n   expected ", expected)
            failures.append(name)

    same("table", (TABLE[:3], TABLE[3722], TABLE[578], TABLE[-3:], 0 in TABLE),
         ([-30051, -27666, -26493], 10924, -8805, [26493, 27666, 30051], False))
    terms = Terms(bytes.fromhex(EXAMPLE_TERMS))
    key, nonce = terms.key, bytes(range(16, 32))
    same("spec id and stream key", (terms.id.hex(), key.hex()),
         ("70681f34ee4336f3a4545123a1046e85", "eb62cc9f28139c2a673a64e9062f47dc"))
    same("block 0 of ARM", block(key, nonce, 0, ARM).hex(),
         "a016f26d02ecc326191ba7b7e066f0024932d2fe680177eacc227b3a2100827f"
         "bc9feda6676ac038bc2dbdfdd6d419b5d1a93072002c08405894f63c4987d523")
    same("assigned arm", assigned_arm(key, nonce, 3), 0)
    same("signs", [sign_of_arm(key, nonce, a) for a in range(3)], [-1, -1, 1])
    same("block 0 of codeword 3", block(key, nonce, 0, CODEBOOK, 3).hex(),
         "7f42885ce1e85e5f8a16cac9a2f3bfb5dd10c4eff5619ae13d7a09ff0bfc1f53"
         "b81f54f86896231df976ab70e335f0eedf3276ad7f1e85cc41688793f043440e")
    same("codeword 3", codeword(key, nonce, 2, 64, 3), [-848575118, 657907116])
    same("codeword 35", codeword(key, nonce, 2, 64, 35), [848575118, -657907116])
    book = terms.books[MAIN]
    top, rest = book.weight_top, book.weight_rest
    same("constants", (book.size, book.top, top, rest, total_weight(book)),
         (64, 26, 729683222, 268435456, 29172311100))
    same("TOP", " ".join(map(str, nearest(key, nonce, book, [0.6, 0.8]))), EXAMPLE_TOP)
    for member, index in ((0, 5), (3 * top, 13), (26 * top - 1, 62), (26 * top, 0),
                          (26 * top + 5 * rest, 6), (29172311099, 63)):
        coins = (2**64 - 1, member, 0)
        same("coin member %d" % member, choice(key, nonce, book, [0.6, 0.8], coins), index)
    same("the sign flips", choice(key, nonce, book, [0.06, 0.08], (0, 0, 0)), 0)
    same("v = 0", choice(key, nonce, book, [0.0, 0.0], (0, 0, 17)), 17)
    model = Model(terms, b"STM1\1\1\0\0" + terms.id + struct.pack("<IQ4d", 7, 0, 0, 0, 0, 0))
    frame = report_frame(terms, model, nonce, [3])
    same("report", frame.hex(), "53545231" "70681f34ee4336f3a4545123a1046e85" "07000000"
         "101112131415161718191a1b1c1d1e1f" "0300")
    same("report, read again", read_report(terms, frame), (7, nonce, (3,)))
    tally = (b"STT2" + terms.id + struct.pack("<IBxxxQQ2q", 7, MAIN, 1, 1,
                                              *codeword(key, nonce, 2, 64, 3)))
    same("tally", tally.hex(), "53545432" "70681f34ee4336f3a4545123a1046e85" "07000000" "01000000"
         "0100000000000000" "0100000000000000" "72c56bcdffffffff" "acdd362700000000")
    if directory:
        example_of_section_11(Terms(read(os.path.join(directory, "spec_nulls.bin"))), same)
    # Section 10: a device takes each of these. (Tallies are the server's.)
    known = {}
    paths = [path for kind in ("spec", "report", "model") if directory
             for path in sorted(glob.glob(os.path.join(directory, kind + "_*.bin")))]
    for path in paths:
        same(path, reason_to_refuse(read(path), known), None)
    print("failures:", len(failures))
    return 1 if failures else 0


def reason_to_refuse(data, known):
    """A frame belongs to the terms whose id it holds. known: terms by id, to which this adds."""
    try:
        if data[:3] == b"STS":
            terms = Terms(data)
            known[terms.id] = terms
        else:
            reader, start = (Model, 8) if data[:3] in (b"STM", b"STF") else (read_report, 4)
            need(data[start:start + 16] in known, "no terms with this id in the directory")
            reader(known[data[start:start + 16]], data)
        return None
    except Refused as reason:
        return str(reason)


# ---------------------------------------------------------------- the command line

def read(path):
    with open(path, "rb") as file:
        return file.read()


def number(text):
    return float.fromhex(text) if "0x" in text.lower() else float(text)


def play(terms_path, model_path, people_path, tape_path, worth_text=""):
    terms = Terms(read(terms_path))
    need(not terms.is_lattice, "noise is free, two clients cannot be compared")
    check_policy(terms)
    model = Model(terms, read(model_path))
    tape = Tape(read(tape_path))
    worth = [number(word) for word in worth_text.split(",") if word]
    need(not worth or (len(worth) == terms.arms and terms.measure == 0), "worth")
    for line in read(people_path).decode().splitlines():
        words = line.split()
        if words:
            start = tape.place
            reward = None if words[-1] == "-" else number(words[-1])
            context = [number(word) for word in words[:-1]]
            arm, frame = play_round(terms, model, context, reward, tape, worth)
            print(arm, frame.hex(), tape.place - start)


def main(arguments):
    if arguments[:1] == ["--self-test"]:
        return self_test(*arguments[1:2])
    if len(arguments) not in (4, 5):
        print(__doc__)
        return 2
    try:
        play(*arguments)
        return 0
    except Refused as reason:
        print("refused:", reason, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
