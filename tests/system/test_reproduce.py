#!/usr/bin/env python3
"""sotto reproduce, as a person runs it: bad input first, then a small page, whole and torn."""

import csv
import glob
import html
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from sotto_binary import NO_PICTURES, SOTTO, on_terminal, sotto

SMALL = ["--only", "shared-d2", "--horizon", "500", "--seeds", "3"]
SLOWER = 5 if os.environ.get("SANITIZE") else 1  # about how much: long runs are shorter by as much
FIGURES = ["shared-d2-epsilon-0.5", "shared-d2-epsilon-1", "shared-d2-epsilon-5"]


def reproduce(*words, env=NO_PICTURES):
    return sotto("reproduce", *words, env=env)


def read(path, mode="r"):
    with open(path, mode, **({} if "b" in mode else {"encoding": "utf-8"})) as file:
        return file.read()


class InADirectory(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.out = os.path.join(self.directory, "page")


class BadInput(InADirectory):
    def refused(self, code, pattern, *words):
        result = reproduce(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr, pattern)
        return result

    def test_usage(self):
        self.refused(2, "--out", "--quick")
        self.refused(2, "--quick and --full", "--quick", "--full", "--out", self.out)
        self.refused(2, r"--only = shared-d3.*shared-d2", "--only", "shared-d3", "--out", self.out)
        self.refused(2, "--only = glance", "--only", "glance", "--out", self.out)
        self.refused(2, "--seeds = 1: allowed whole numbers 2", "--seeds", "1", "--out", self.out)
        self.refused(2, "--horizon = 5: allowed whole numbers 10", "--horizon", "5", "--out", self.out)
        self.refused(2, "unexpected word", "shared-d2", "--out", self.out)
        self.assertFalse(os.path.exists(self.out))

    def test_a_directory_that_cannot_be_made(self):
        self.refused(1, "No such file", *SMALL, "--out", os.path.join(self.directory, "no", "such"))
        path = os.path.join(self.directory, "file")
        open(path, "w", encoding="utf-8").close()
        self.refused(1, "not a directory", *SMALL, "--out", path)
        if os.geteuid() == 0:
            self.refused(1, "--out /proc/page", *SMALL, "--out", "/proc/page")

    def test_a_directory_of_somebody_else_is_left_alone(self):
        os.mkdir(self.out)
        mine = os.path.join(self.out, "thesis.txt")
        with open(mine, "w", encoding="utf-8") as file:
            file.write("mine")
        self.refused(2, "the directory has files that do not belong to a page", *SMALL, "--out", self.out)
        self.assertEqual(os.listdir(self.out), ["thesis.txt"])

    def test_an_old_page_is_never_mixed(self):
        self.assertEqual(reproduce(*SMALL, "--out", self.out).returncode, 0)
        before = {path: read(path, "rb") for path in glob.glob(self.out + "/**", recursive=True)
                  if os.path.isfile(path)}
        self.refused(2, "another page .first seed 1; this one: first seed 2", *SMALL,
                     "--first-seed", "2", "--out", self.out)
        self.refused(2, "another page .scale quick; this one: scale full", "--full", *SMALL,
                     "--out", self.out)
        manifest = os.path.join(self.out, "reproduce.txt")
        with open(manifest, "w", encoding="utf-8") as file:
            file.write(before[manifest].decode().replace("program ", "program 0"))
        self.refused(2, "another page .program 0", *SMALL, "--out", self.out)
        for path, content in before.items():
            if path != manifest:
                self.assertEqual(read(path, "rb"), content, path)

    def test_without_rsvg_convert_the_page_is_whole(self):
        result = reproduce(*SMALL, "--out", self.out)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, "librsvg2-bin; PNG and PDF are left out")
        for name in FIGURES:
            self.assertTrue(os.path.getsize(f"{self.out}/{name}.csv") > 500)
            self.assertTrue(os.path.getsize(f"{self.out}/{name}.svg") > 500)
            self.assertFalse(os.path.exists(f"{self.out}/{name}.png"))
        self.assertEqual(read(self.out + "/index.html").count('<svg class="fig"'), 12)

    def test_runs_that_were_edited_are_refused(self):
        self.assertEqual(reproduce(*SMALL, "--out", self.out).returncode, 0)
        path = glob.glob(self.out + "/runs/*exact*")[0]
        text = read(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"t": 200', '"t": 201', 1))
        self.refused(1, "not the row expected", *SMALL, "--out", self.out)

    def test_a_full_disk_is_said(self):
        if os.path.exists("/dev/full"):
            self.assertEqual(reproduce(*SMALL, "--out", self.out).returncode, 0)
            path = glob.glob(self.out + "/runs/*exact*")[0]
            os.remove(path)
            os.symlink("/dev/full", path)
            self.refused(1, "not a regular file", *SMALL, "--out", self.out)


class Page(InADirectory):
    def test_whole(self):
        result = reproduce(*SMALL, "--out", self.out, env=None)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.rstrip().endswith(self.out + "/index.html"))
        for name in FIGURES:
            for ending in ("csv", "svg", "png", "pdf"):
                self.assertGreater(os.path.getsize(f"{self.out}/{name}.{ending}"), 500)
        page = read(self.out + "/index.html")
        for text in ("sotto simulate --method", "true epsilon", "over the paper&#39;s best",
                     "What differs from the paper", "--first-seed 1"):
            self.assertTrue(text in page or text.replace("&#39;", "'") in page, text)
        self.assertEqual(page.count('<svg class="fig"'), 3 * 4)

    def test_stopped_and_gone_on_gives_the_same_bytes(self):
        whole = os.path.join(self.directory, "whole")
        words = ["--only", "shared-d2", "--horizon", str(6000 // SLOWER), "--seeds", "4"]
        self.assertEqual(reproduce(*words, "--threads", "1", "--out", whole).returncode, 0)
        process = subprocess.Popen([SOTTO, "reproduce", *words, "--out", self.out],
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=NO_PICTURES)
        deadline = time.monotonic() + 300
        while not glob.glob(self.out + "/runs/*exact*") and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        if process.returncode == 1:
            self.assertRegex(errors, r"stopped: \d+ of 156 runs are finished and kept")
        self.assertEqual(reproduce(*words, "--out", self.out).returncode, 0)
        for name in FIGURES:
            self.assertEqual(read(f"{whole}/{name}.csv"), read(f"{self.out}/{name}.csv"))
        page = read(whole + "/index.html").replace(whole, self.out)
        self.assertTrue(page == read(self.out + "/index.html"))

    def test_numbers_are_those_of_simulate(self):
        """The command that the page names repeats the same runs."""
        self.assertEqual(reproduce(*SMALL, "--out", self.out).returncode, 0)
        commands = re.findall(r"sotto (simulate --method [^<]*)", read(self.out + "/index.html"))
        self.assertEqual(len(commands), 2)
        for panel, command in zip(("as published: the authors' code", "exact: the claim kept"), commands):
            rows = list(csv.DictReader(sotto(*command.split()).stdout.splitlines()))
            means = {}
            for row in rows:
                if row["epsilon"] == "1" and row["t"] == "500":
                    means.setdefault(row["method"], []).append(float(row["regret"]))
            with open(f"{self.out}/shared-d2-epsilon-1.csv", encoding="utf-8") as file:
                drawn = [row for row in csv.DictReader(file) if float(row["x"]) == 500]
            there = {row["curve"]: float(row["y"]) for row in drawn if row["panel"] == panel}
            self.assertEqual(set(there), set(means), panel)
            for method, regrets in means.items():
                self.assertAlmostEqual(there[method], sum(regrets) / 3, delta=1e-9 * there[method])

    def test_one_bar_over_all_of_it(self):
        shown = on_terminal("reproduce", "--only", "shared-d2", "--horizon", str(20000 // SLOWER), "--seeds", "3",
                            "--out", self.out, env=NO_PICTURES)
        if shown is not None:
            self.assertRegex(shown[1].decode(), r"\[#* *\] +\d+ %, .* left: shared-d2")

    def test_a_directory_with_a_blank_is_quoted_in_the_command(self):
        out = os.path.join(self.directory, "it's mine")
        self.assertEqual(reproduce(*SMALL, "--out", out).returncode, 0)
        made = re.search(r"Made by <code>(.*?)</code> with sotto", read(out + "/index.html")).group(1)
        words = shlex.split(html.unescape(made))
        self.assertEqual(words[-2:], ["--out", out])

    def test_list(self):
        result = reproduce("--list")
        self.assertEqual(result.returncode, 0)
        self.assertIn("per-arm-d10", result.stdout)

    @unittest.skipIf(os.environ.get("SANITIZE"), "test_paper_constants goes the same ways here")
    def test_constants_alone(self):
        result = reproduce("--only", "constants", "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue("lambda_min" in read(self.out + "/index.html"))


class Loans(InADirectory):
    """The auto-loan study: the page says whose customers they are."""
    SMALL = ["--only", "loan-revenue", "--horizon", "100", "--seeds", "2", "--quiet"]

    def path(self, name):
        return os.path.join(self.directory, name)

    def standin(self):
        self.assertEqual(reproduce("--standin", self.path("made.csv")).returncode, 0)
        with open(self.path("made.csv"), encoding="utf-8") as file:
            return list(csv.reader(file))

    def write(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        return self.path(name)

    def page(self, *words):
        result = reproduce(*self.SMALL, "--out", self.out, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        page = read(self.out + "/index.html")
        shutil.rmtree(self.out)
        return page

    def test_a_path_that_is_too_long(self):
        path = "/".join([self.directory] + ["."] * 2000 + ["made.csv"])
        self.standin()
        self.assertTrue("SYNTHETIC customers" in self.page("--data", path))

    def test_figures_say_that_the_customers_are_synthetic(self):
        result = reproduce(*self.SMALL, "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue("(SYNTHETIC)" in read(self.out + "/loan-revenue-epsilon-4.svg"))

    def test_bad_input(self):
        for words, code, text in (
                (["--data", self.path("none.csv")], 1, "none.csv"),
                (["--data", "/dev/null"], 1, "/dev/null"),
                (["--standin", self.directory], 1, "exists"),
                (["--standin", self.path("no/such.csv")], 1, "No such file")):
            result = reproduce(*self.SMALL, "--out", self.out, *words)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(text, result.stderr)
        result = reproduce("--only", "shared-d2", "--data", self.path("x.csv"), "--out", self.out)
        self.assertEqual(result.returncode, 2)
        self.assertIn("does not need it", result.stderr)
        rows = self.standin()
        rows[7][2] = "seven hundred"
        result = reproduce(*self.SMALL, "--out", self.out, "--data", self.write("bad.csv", rows))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"bad\.csv.*8.*Primary_FICO.*seven hundred")

    def test_a_stand_in_is_called_one_whatever_it_is_called(self):
        rows = self.standin()[:3000]
        self.assertTrue("SYNTHETIC customers" in self.page())
        renamed = self.write("CPRM_AutoLOan_OnlineAutoLoanData.csv", rows)
        self.assertTrue("SYNTHETIC customers (known by their column SYNTHETIC)" in self.page("--data", renamed))
        stripped = self.write("stripped.csv", [row[:-1] for row in rows])
        self.assertTrue("SYNTHETIC customers" in self.page("--data", stripped))

    def test_a_file_without_a_mark_is_taken_as_given(self):
        rows = [row[:-1] for row in self.standin()[:3000]]
        payment = rows[0].index("mp")
        for row in rows[1:]:
            row[payment] = f"{float(row[payment]) + 0.37:.2f}"
        page = self.page("--data", self.write("other.csv", rows))
        self.assertFalse("SYNTHETIC" in page)
        self.assertTrue("A file cannot prove where it comes from" in page)


if __name__ == "__main__":
    unittest.main()
