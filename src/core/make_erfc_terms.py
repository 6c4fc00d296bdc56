#!/usr/bin/env python3
"""Prints the coefficients of elementary.c: Chebyshev's series of f(x) = (1 + 2 x) e^(x^2) erfc(x) for x from 1/2 to 28, in
s = (69 x - 227)/(55 (x + 3)), which runs from -1 to 1. Needs python3-mpmath; to be run by hand."""
from mpmath import cos, erfc, exp, mp, mpf, pi

mp.dps = 50
NODES, TERMS = 64, 23


def f(s):
    x = (165 * s + 227) / (69 - 55 * s)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


angles = [pi * (k + mpf(1) / 2) / NODES for k in range(NODES)]
values = [f(cos(angle)) for angle in angles]
series = [2 * sum(v * cos(j * a) for v, a in zip(values, angles)) / NODES for j in range(NODES)]
print(f"left out: {mp.nstr(sum(map(abs, series[TERMS:])), 3)}")
print(", ".join([mp.nstr(series[0] / 2, 18)] + [mp.nstr(c, 18) for c in series[1:TERMS]]))
