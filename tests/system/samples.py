"""Whether two samples have the same distribution."""
import bisect
import math


def distance(a, b):
    """The distance of Kolmogorov and Smirnov between two samples."""
    a, b = sorted(a), sorted(b)
    return max(abs(bisect.bisect_right(a, x) / len(a) - bisect.bisect_right(b, x) / len(b)) for x in a + b)


def distance_max(n, m, chance=1e-6):
    """The distance that samples of one law exceed with at most this chance."""
    return math.sqrt(-math.log(chance / 2) / 2) * math.sqrt((n + m) / (n * m))
