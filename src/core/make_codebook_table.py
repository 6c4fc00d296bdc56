#!/usr/bin/env python3
"""Writes codebook_table.c: rint(2^13 Phi^-1((i + 1/2)/4096)), i = 0 .. 4095.

Half of the table is computed and mirrored; the unit test checks every entry against Phi itself.
"""
from statistics import NormalDist

SIZE = 4096
upper = [round(2**13 * NormalDist().inv_cdf((i + 0.5) / SIZE)) for i in range(SIZE // 2, SIZE)]
table = [-n for n in reversed(upper)] + upper

print("/* Made by make_codebook_table.py. Do not edit: these numbers are part of the protocol. */")
print('#include "inner.h"\n')
print("/* clang-format off */")
print("const int16_t sotto__normal_table[SOTTO__TABLE_SIZE] = {")
for start in range(0, SIZE, 16):
    print("    " + " ".join(f"{n}," for n in table[start : start + 16]))
print("};")
