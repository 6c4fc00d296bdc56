"""Whether two samples are of one law."""
import bisect
import math


def distance(a, b):
    """Kolmogorov and Smirnov's, of two samples."""
    a, b = sorted(a), sorted(b)
    return max(abs(bisect.bisect_right(a, x) / len(a) - bisect.bisect_right(b, x) / len(b)) for x in a + b)


def distance_max(n, m, chance=1e-6):
    """What equal laws exceed with this chance at most."""
    return math.sqrt(-math.log(chance / 2) / 2) * math.sqrt((n + m) / (n * m))
