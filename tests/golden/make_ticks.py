#!/usr/bin/env python3
"""Writes ticks.txt: lattice noise by another hand, in exact rational arithmetic.

From the papers: Karney, "Sampling exactly from the normal distribution" (2016), algorithms N, H and
B; Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy" (2020), algorithms 1
and 2; Lemire, "Fast random integer generation in an interval" (2019). What the papers leave open is
in which order random words are spent, and there the C code and this file must agree:

  - a word is 4 bytes, little-endian; a digit of a uniform real is one word, so base 2^32;
  - to compare a < b, take a digit of a, a digit of b, and so on until their intervals part; a digit
    taken once stays with its number;
  - algorithm H looks at the first bit of u_1's first digit for u_1 < 1/2;
  - in algorithm B the trial of (2k + x)/(2k + 2) draws an integer c < 2k + 2: c < 2k passes,
    c = 2k passes if a new uniform is below x;
  - a sample ends with a word whose top bit is the sign;
  - a trial of 1/K and a trial of n/m are two draws, in this order, the second only after success;
  - an integer below n costs one word, more only if Lemire's method rejects it, even for n = 1.

Run with the name of a file to write, or without to print.
"""
import hashlib
import sys
from fractions import Fraction
from itertools import count

BASE = 2**32
TICKS = 300
SCALES = (2**10, 1025, 61123, 2**24)
LAWS = ("gaussian", "laplace")


class Words:
    """Given words, then the SHA-256 of the label and a counter: 8 words each."""

    def __init__(self, label, first=()):
        self.label, self.block, self.ready = label, 0, list(first)

    def next(self):
        if not self.ready:
            digest = hashlib.sha256(f"{self.label} {self.block}".encode()).digest()
            self.ready = [int.from_bytes(digest[i:i + 4], "little") for i in range(0, 32, 4)]
            self.block += 1
        return self.ready.pop(0)

    def below(self, bound):
        while True:
            product = self.next() * bound
            if product % BASE >= BASE % bound:
                return product // BASE


class Uniform:
    """A real of (0, 1), known to lie in [low, low + width)."""

    def __init__(self, words):
        self.words, self.digits = words, []

    def interval(self, n):
        """By its first n digits."""
        while len(self.digits) < n:
            self.digits.append(self.words.next())
        low = sum(Fraction(d, BASE**(i + 1)) for i, d in enumerate(self.digits[:n]))
        return low, low + Fraction(1, BASE**n)


def less(a, b):
    for n in count(1):
        a_low, a_high = a.interval(n)
        b_low, b_high = b.interval(n)
        if a_high <= b_low:
            return True
        if b_high <= a_low:
            return False


# ---- Karney ------------------------------------------------------------------------------------

def algorithm_h(words):
    u = Uniform(words)
    if u.interval(1)[0] >= Fraction(1, 2):
        return True
    for n in count(1):
        v = Uniform(words)
        if not less(v, u):
            return n % 2 == 0
        u = v


def algorithm_b(words, k, x):
    y = x
    for n in count(0):
        z = Uniform(words)
        if not less(z, y):
            return n % 2 == 0
        c = words.below(2 * k + 2)
        if c > 2 * k or (c == 2 * k and not less(Uniform(words), x)):
            return n % 2 == 0
        y = z


def nearest(sigma, x):
    """floor(sigma x + 1/2), from as few digits of x as tell."""
    for n in count(1):
        low, high = (sigma * end + Fraction(1, 2) for end in x.interval(n))
        if low // 1 == -(-high // 1) - 1:
            return low // 1


def gaussian(words, sigma):
    while True:
        k = 0
        while algorithm_h(words):
            k += 1
        if not all(algorithm_h(words) for _ in range(k * (k - 1))):
            continue
        x = Uniform(words)
        if all(algorithm_b(words, k, x) for _ in range(k + 1)):
            size = sigma * k + nearest(sigma, x)
            return size if words.next() < BASE // 2 else -size


# ---- Canonne, Kamath, Steinke ------------------------------------------------------------------

def bernoulli_exp(words, gamma, denominator):
    """e^-gamma, gamma a Fraction of this denominator, at most 1."""
    numerator = gamma * denominator
    for k in count(1):
        if not (words.below(k) == 0 and words.below(denominator) < numerator):
            return k % 2 == 1


def laplace(words, b):
    while True:
        u = words.below(b)
        if not bernoulli_exp(words, Fraction(u, b), b):
            continue
        v = 0
        while bernoulli_exp(words, Fraction(1), 1):
            v += 1
        size, negative = u + b * v, words.next() >= BASE // 2
        if not (negative and size == 0):
            return -size if negative else size


# ---- tapes that ask for many digits ------------------------------------------------------------

LOW, HIGH = 0x12345678, 0xfedcba98
K0 = [LOW, HIGH]  # algorithm H fails at once: k = 0
K1 = [HIGH, *K0]


def threshold_digits(sigma, m, n):
    """The first n digits of (2m + 1)/(2 sigma), where rounding goes from m to m + 1."""
    digits, rest = [], Fraction(2 * m + 1, 2 * sigma)
    for _ in range(n):
        digits.append(rest * BASE // 1)
        rest = rest * BASE % 1
    return digits


def near_threshold(sigma, m, agree, step):
    """A number that shares so many digits with the threshold and then is one unit off."""
    digits = threshold_digits(sigma, m, agree + 1)
    digits[agree] += step
    return digits


def pairs(a, b):
    return [word for pair in zip(a, b) for word in pair]


def crafted():
    for sigma in (1025, 61123, 2**24 - 1):
        for agree in range(1, 7):
            for step in (-1, 1):
                x = near_threshold(sigma, sigma // 3, agree, step)
                # The first comparison of algorithm B ties up to x's last digit, and draws them.
                above = [*x[:-1], x[-1] + 1]
                yield f"tied_{agree}_{step:+d}", "gaussian", sigma, [*K0, *pairs(above, x), LOW]
                # It is decided at once: rounding asks for the digits.
                yield f"rounded_{agree}_{step:+d}", "gaussian", sigma, [*K0, HIGH, *x, HIGH]
                # The trial of (2k + x)/(2k + 2) asks for them: z < x, c = 2k, r < x by one unit;
                # z' < z, c = 0; z'' > z'. The second run of algorithm B ends at once.
                under = [*x[:-1], x[-1] - 1]
                part = [1000, x[0], 0x80000000, under[0], *pairs(under[1:], x[1:])]
                yield (f"trial_{agree}_{step:+d}", "gaussian", sigma,
                       [*K1, *part, 500, 0, 600, HIGH, LOW])
    sigma = 1025
    for agree in range(1, 7):
        u = [LOW + i for i in range(agree)]
        for step in (-1, 1):
            # Algorithm H: u_2 ties with u_1, then is below or above it; then u_3 above u_2.
            run = pairs([*u, 7 + step], [*u, 7])
            yield f"half_{agree}_{step:+d}", "gaussian", sigma, [run[1], run[0], *run[2:], HIGH]
    # Lemire's method rejects the words 0 twice: 2k + 2 = 6 and b do not divide 2^32.
    k2 = [HIGH, HIGH, *K0, HIGH, HIGH]
    yield "rejected", "gaussian", sigma, [*k2, LOW, HIGH, 0, 0, BASE - 1]
    yield "rejected", "laplace", sigma, [0, 0]
    # The largest remainder that is rejected, then the smallest that is kept.
    yield "edge", "gaussian", sigma, [*k2, LOW, HIGH, (BASE + 2) // 6, (2 * BASE + 4) // 6]
    for b in (1025, 61123):
        edge = [low * pow(b, -1, BASE) % BASE for low in (BASE % b - 1, BASE % b)]
        yield "edge", "laplace", b, edge
    # u = 0, kept; v = 0; negative: drawn again. Then the same, positive.
    zero = [BASE // sigma // 2, LOW, HIGH, LOW, LOW, HIGH]
    yield "zero_twice", "laplace", sigma, [*zero, HIGH, *zero, LOW]
    yield "top_of_both", "laplace", 2**24, [BASE - 1] * 9


# ---- the file ----------------------------------------------------------------------------------

def lines_of(numbers, form):
    for at in range(0, len(numbers), 8):
        yield " ".join(format(n, form) for n in numbers[at:at + 8])


def case(name, law, scale, first, ticks):
    """name law scale, how many words are given, how many ticks; the words; the ticks."""
    words = Words(f"{name} {law} {scale}", first)
    sampler = {"gaussian": gaussian, "laplace": laplace}[law]
    drawn = [sampler(words, scale) for _ in range(ticks)]
    yield f"{name} {law} {scale} {len(first)} {ticks}"
    yield from lines_of(first, "08x")
    yield from lines_of(drawn, "d")


def text():
    lines = []
    for law in LAWS:
        for scale in SCALES:
            lines += case("stream", law, scale, [], TICKS)
    for name, law, scale, first in crafted():
        lines += case(name, law, scale, first, 4)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="ascii") as file:
            file.write(text())
    else:
        sys.stdout.write(text())
