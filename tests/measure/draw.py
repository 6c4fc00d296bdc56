"""Draws the curves of a CSV file as SVG: the first column is the x axis, each other column a curve with its heading."""

import csv
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 420, 60, 60, 20, 60
COLOURS = ("#0072b2", "#d55e00", "#6e6e6e", "#009e73")


def svg(path):
    """All curves on one axis that begins at 0."""
    with open(path, encoding="utf-8", newline="") as file:
        (title, *names), *rows = csv.reader(file)
    rows = [list(map(float, row)) for row in rows]
    most = max(row[0] for row in rows) or 1
    top = math.ceil(max(value for row in rows for value in row[1:])) or 1
    x = lambda value: LEFT + value / most * (WIDTH - LEFT - RIGHT)
    y = lambda value: HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for i in range(5):
        parts.append(f'<path stroke="#e4e4e4" d="M{LEFT} {y(top * i / 4):.1f}H{WIDTH - RIGHT}"/>'
                     f'<text x="{LEFT - 8}" y="{y(top * i / 4) + 4:.1f}" text-anchor="end">{top * i / 4:.3g}</text>')
    for mark in range(int(most) + 1):
        parts.append(f'<text x="{x(mark):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{mark}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - BOTTOM + 36}" text-anchor="middle">{title}</text>')
    for i, name in enumerate(names):
        points = " ".join(f"{x(row[0]):.1f},{y(row[1 + i]):.1f}" for row in rows)
        parts.append(f'<polyline fill="none" stroke="{COLOURS[i]}" stroke-width="2" points="{points}"/>'
                     f'<text x="{LEFT + 220 * i}" y="{HEIGHT - 8}" fill="{COLOURS[i]}">{name}</text>')
    return "\n".join(parts) + "\n</svg>\n"
