"""The two-sided rank test of Mann and Whitney, exact, in whole numbers."""

from fractions import Fraction


def orders(m, n):
    """By u: of the C(m+n, m) orders of m and n values, how many have u pairs with the first larger.

    They are the coefficients of prod_{i=1..m} (1 - q^(n+i))/(1 - q^i)."""
    count = [1] + [0] * (m * n)
    for i in range(1, m + 1):
        for u in range(m * n, n + i - 1, -1):
            count[u] -= count[u - n - i]
        for u in range(i, m * n + 1):
            count[u] += count[u - i]
    return count


def rank_test(first, second):
    """The chance of an order as far from even as this one, if all values have one law."""
    if set(first) & set(second):
        raise ValueError("equal values: the exact law is that of a continuous one")
    u = sum(a > b for a in first for b in second)
    count = orders(len(first), len(second))
    tail = min(sum(count[:u + 1]), sum(count[u:]))
    return float(min(Fraction(1), Fraction(2 * tail, sum(count))))
