#!/usr/bin/env python3
"""Every number of a page of sotto reproduce, computed again from the runs stored beside it; and its
directory with other processes, signals and a full disk."""

import csv
import fcntl
import glob
import html
import json
import math
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import unittest

from sotto_binary import NO_PICTURES, SOTTO, sotto

PAPERS = ("ldp-sgd", "ldp-ols", "ldp-ucb", "ldp-gloc")


def number(value):
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def slope(x, y):
    middle_x, middle_y = statistics.fmean(x), statistics.fmean(y)
    products = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y))
    return products / sum((a - middle_x) ** 2 for a in x)


def slope_and_error(log_x, rows):
    """Of log mean regret; the error by leaving out one seed at a time."""
    seeds = len(rows[0])
    fitted = [slope(log_x, [math.log(statistics.fmean(row[:i] + row[i + 1:])) for row in rows])
              for i in range(seeds)]
    middle = statistics.fmean(fitted)
    error = math.sqrt((seeds - 1) / seeds * sum((one - middle) ** 2 for one in fitted))
    return slope(log_x, [math.log(statistics.fmean(row)) for row in rows]), error


class Page:
    def __init__(self, directory):
        with open(directory + "/index.html", encoding="utf-8") as file:
            self.text = file.read()
        self.runs = {}
        for path in glob.glob(directory + "/runs/*.jsonl"):
            with open(path, encoding="utf-8") as file:
                rows = [json.loads(line) for line in file.readlines()[1:-1]]  # between its head and its digest
            last = max(row["t"] for row in rows)
            self.runs[os.path.basename(path)[:-len(".jsonl")]] = [
                row for row in sorted(rows, key=lambda row: row["seed"]) if row["t"] == last]

    def table(self, caption):
        body = re.search(r"<caption>" + caption + r".*?</table>", self.text, re.S).group(0)
        rows = re.findall(r"<tr.*?</tr>", body, re.S)[1:]
        return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
                for row in rows]

    def regrets(self, name, method, epsilon):
        """The last round in the only file whose name matches."""
        (found,) = [key for key in self.runs if re.fullmatch(re.escape(name) + r"-\d+", key)]
        return [row["regret"] for row in self.runs[found]
                if row["method"] == method and row["epsilon"] == epsilon]

    def best(self, name, epsilon, methods=PAPERS, which=min):
        means = [self.regrets(name, method, epsilon) for method in methods]
        return which(statistics.fmean(one) for one in means if one)


class InADirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        self.out = os.path.join(directory, "page")


class Numbers(InADirectory):
    def page(self, *words):
        result = sotto("reproduce", *words, "--quiet", "--out", self.out, env=NO_PICTURES)
        self.assertEqual(result.returncode, 0, result.stderr)
        return Page(self.out)

    def test_regret_and_its_error_and_the_claim(self):
        page = self.page("--only", "shared-d2", "--horizon", "2000", "--seeds", "5")
        rows = page.table("Regret at the last round, and")
        self.assertEqual(len(rows), 3 * (6 + 7))
        for row in rows:
            name, epsilon = "shared-d2-" + row[1], float(row[0])
            regrets = page.regrets(name, row[2], epsilon)
            self.assertEqual(len(regrets), 5)
            mean = statistics.fmean(regrets)
            self.assertEqual(row[3:7], [
                number(mean), number(statistics.stdev(regrets) / math.sqrt(5)),
                number(statistics.median(regrets)), number(mean / self.kept(page, epsilon))], row)
            if row[1] == "published" and row[2] == "ldp-sgd":
                self.assertEqual(row[7:9], [row[0], "0"])
        verdicts = page.table("Who has less regret after 2,000 people")
        self.assertEqual([row[0] for row in verdicts], ["0.5", "1", "5"])
        for row in verdicts:
            for cell, part in zip(row[2:], ("exact", "published")):
                self.assertEqual(cell, self.claim(page, "shared-d2-" + part, float(row[0]),
                                                  ("ldp-sgd", "ldp-ols"), ("ldp-ucb", "ldp-gloc")))
            self.assertEqual(row[1], self.claim(page, "shared-d2-exact", float(row[0]), ("sotto",), PAPERS))
        self.assertNotRegex(page.text, r"-[0-9.,]+ ± [0-9.,]+ (less|more)")
        self.check_bands(page)

    def kept(self, page, epsilon):
        """The best of the methods that keep their claim: all but the authors' ldp-gloc."""
        return min(page.best("shared-d2-exact", epsilon),
                   page.best("shared-d2-published", epsilon, PAPERS[:3]))

    def claim(self, page, name, epsilon, own, earlier):
        """The worst of some methods compared with the best of others, in words."""
        def mean_of(method):
            return statistics.fmean(page.regrets(name, method, epsilon))
        own, earlier = max(own, key=mean_of), min(earlier, key=mean_of)
        gain = [b - a for a, b in zip(page.regrets(name, own, epsilon),
                                      page.regrets(name, earlier, epsilon))]
        mean, error = statistics.fmean(gain), statistics.stdev(gain) / math.sqrt(len(gain))
        verdict = "cannot tell" if abs(mean) <= 3 * error else "yes" if mean > 0 else "no"
        return (f"{verdict} {own} has {number(abs(mean))} ± {number(error)} "
                f"{'more' if mean < 0 else 'less'} than {earlier}")

    def check_bands(self, page):
        """The band at the last point: one standard error to each side."""
        for epsilon in (0.5, 1, 5):
            with open(f"{self.out}/shared-d2-epsilon-{epsilon:g}.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(min(float(row["x"]) for row in rows), 2)
            for row in rows:
                if float(row["x"]) != 2000:
                    continue
                part = "published" if "published" in row["panel"] else "exact"
                regrets = page.regrets("shared-d2-" + part, row["curve"], epsilon)
                mean, half = statistics.fmean(regrets), statistics.stdev(regrets) / math.sqrt(len(regrets))
                if "random" in row["panel"]:
                    unit = statistics.fmean(page.regrets("shared-d2-" + part, "random", epsilon))
                    self.assertAlmostEqual(float(row["y"]), mean / unit, delta=1e-9)
                    self.assertAlmostEqual(float(row["lo"]), (mean - half) / unit, delta=1e-9)
                    self.assertAlmostEqual(float(row["hi"]), (mean + half) / unit, delta=1e-9)
                    continue
                self.assertAlmostEqual(float(row["y"]), mean, delta=1e-9 * mean)
                self.assertAlmostEqual(float(row["hi"]), mean + half, delta=1e-9 * mean)
                self.assertAlmostEqual(float(row["lo"]), max(mean - half, mean / 10),
                                       delta=1e-9 * mean)

    def test_exponents_of_epsilon(self):
        page = self.page("--only", "rates-epsilon", "--horizon", "300", "--seeds", "4")
        epsilons = (0.1, 0.2, 0.5, 1)
        for row in page.table("Exponent of regret in epsilon"):
            regrets = [page.regrets("rates-epsilon-exact", row[0], one) for one in epsilons]
            fitted = slope_and_error([math.log(one) for one in epsilons], regrets)
            self.assertEqual(row[1:3], [f"{one:.2f}" for one in fitted], row)

    def test_regret_over_the_lower_bound(self):
        page = self.page("--only", "lower-bound", "--seeds", "2")
        rows = page.table("Regret over sqrt")
        self.assertEqual(len(rows), 9)
        for row in rows:
            epsilon = float(row[1])
            k = min(4, math.exp(2 * epsilon)) * 16 / math.pi**2 * 5 / 6
            self.assertEqual(row[2], number(-math.expm1(-k) / (2 * k * math.sqrt(math.pi))))
            for cell, horizon in zip(row[3:], (1000, 3000, 10000, 30000, 100000)):
                regrets = [one["regret"] for one in page.runs[f"lower-bound-gaussian-{horizon}"]
                           if one["method"] == row[0] and one["epsilon"] == epsilon]
                bound = math.sqrt(5 * horizon) / math.expm1(epsilon)
                self.assertEqual(cell, number(statistics.fmean(regrets) / bound), row)


    def test_too_few_seeds_pass_nothing(self):
        page = self.page("--only", "agreement", "--seeds", "2")
        rows = page.table("Regret at the last round, ours")
        self.assertTrue(rows and all("too few seeds" in row[6] for row in rows))
        self.assertFalse("checks passed" in page.text)


class Directory(InADirectory):
    SMALL = ["reproduce", "--only", "shared-d2", "--horizon", "100", "--quiet", "--seeds"]

    def test_other_seeds_are_another_page(self):
        self.assertEqual(sotto(*self.SMALL, "2", "--out", self.out, env=NO_PICTURES).returncode, 0)
        result = sotto(*self.SMALL, "3", "--out", self.out, env=NO_PICTURES)
        self.assertEqual(result.returncode, 2)
        self.assertIn("(seeds 2; this one: seeds 3)", result.stderr)

    def test_a_directory_in_use_is_refused(self):
        os.mkdir(self.out)
        with open(self.out + "/reproduce.txt", "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            result = sotto(*self.SMALL, "2", "--out", self.out, env=NO_PICTURES)
        self.assertEqual(result.returncode, 1)
        self.assertIn("another sotto reproduce uses the directory", result.stderr)

    def test_both_signals_stop_it(self):
        def listen():  # a shell's background job ignores the first of them, and so would sotto
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        for which in (signal.SIGINT, signal.SIGTERM):
            out = f"{self.out}-{int(which)}"
            process = subprocess.Popen(
                [SOTTO, "reproduce", "--only", "shared-d2", "--horizon", "100000000", "--quiet",
                 "--out", out], preexec_fn=listen, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            deadline = time.monotonic() + 300
            while not glob.glob(out + "/runs/*published*") and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(which)
            _, errors = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 1, which)
            self.assertIn("stopped: 0 of", errors)

    def test_a_full_disk_is_said_and_what_is_there_is_kept(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        full = subprocess.run([SOTTO, *self.SMALL, "3", "--out", self.out], preexec_fn=limit,
                              capture_output=True, text=True, check=False)
        self.assertEqual(full.returncode, 1)
        self.assertRegex(full.stderr, r"runs/.*jsonl: File too large")
        self.assertEqual(sotto(*self.SMALL, "3", "--out", self.out, env=NO_PICTURES).returncode, 0)


if __name__ == "__main__":
    unittest.main()
