#!/usr/bin/env python3
"""Computes the numbers of tests/unit/server/test_shuffle.c by another hand: the sum of docs/privacy.md, section 15, in
integers of fixed point, over every term that does not round to 0.

The C code sums over b, then c, and follows the tail of a. Here m = a + b comes first: a is binomial(m, 1/2), and c, of
the n - m others, is added up to where S = A a - B b - C c changes its sign.

Run with test_shuffle.c and the largest crowd to compute; the largest ones take minutes. Prints every row with its delta
to 15 digits; fails if the file has another one.
"""
import re
import sys
from decimal import Decimal, getcontext

ROW = re.compile(r"\{(\d+), (\d+), UINT64_C\((\d+)\), (\d+),\s+([\d.e+-]+),\s+([\d.e+-]+)\}")
WEIGHT_REST = 2**28


def binomial(n, chance, rest, one):
    """The first count and the chances from there on, of a binomial of n and chance/(chance + rest)."""
    mode = min(n, (n + 1) * chance // (chance + rest))
    up, down, p = [], [], one
    for x in range(mode, n + 1):
        if p == 0:
            break
        up.append(p)
        p = p * ((n - x) * chance) // ((x + 1) * rest) if rest else 0
    p = one
    for x in range(mode, 0, -1):
        p = p * (x * rest) // ((n + 1 - x) * chance) if chance else 0
        if p == 0:
            break
        down.append(p)
    both = down[::-1] + up
    total = sum(both)
    return mode - len(down), [p * one // total for p in both]


def delta(size, k, top, people, epsilon):
    bits = 768 if people <= 1000 else 192
    one = 1 << bits
    ratio, x = Decimal(top) / WEIGHT_REST, Decimal(epsilon).exp()
    gain, loss, drag = (int(v * one) for v in (ratio - x, x * ratio - 1, x - 1))
    # In units of 1/W: a + b has 2 k, c has M - 2 k, and the rest k (top/rest - 1), all times weight_rest.
    pair, other, none = 2 * k * WEIGHT_REST, (size - 2 * k) * WEIGHT_REST, k * (top - WEIGHT_REST)
    total = 0
    m_first, m_chances = binomial(people, pair, other + none, one)
    for m, m_chance in enumerate(m_chances, m_first):
        a_first, a_chances = binomial(m, 1, 1, one)
        c_first, c_chances = binomial(people - m, other, none, one)
        chance, mean, upto = 0, 0, []  # of c up to a certain one
        for c, p in enumerate(c_chances, c_first):
            chance, mean = chance + p, mean + c * p
            upto.append((chance, mean))
        inner = 0
        for a, p in enumerate(a_chances, a_first):
            s = gain * a - loss * (m - a)  # before c
            if s <= 0:
                continue
            last = min(s // drag - c_first, len(upto) - 1) if drag else len(upto) - 1
            if last >= 0:
                inner += p * (s * upto[last][0] - drag * upto[last][1]) >> bits
        total += m_chance * inner
    return Decimal(total) / one / one / one / people


def main():
    name, people_max = sys.argv[1], int(sys.argv[2])
    getcontext().prec = 300
    wrong = 0
    with open(name, encoding="ascii") as file:
        rows = ROW.findall(file.read())
    for size, k, top, people, epsilon, expected in rows:
        if int(people) > people_max:
            continue
        found = f"{delta(int(size), int(k), int(top), int(people), float(epsilon)):.14e}"
        wrong += Decimal(found) != Decimal(expected)
        print(size, k, top, people, epsilon, found, flush=True)
    sys.exit(f"{wrong} rows of {name} are not so" if wrong or not rows else 0)


if __name__ == "__main__":
    main()
