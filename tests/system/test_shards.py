#!/usr/bin/env python3
"""Sweeps on many machines, as a person runs them: bad input first, then shards of `simulate` and
`reproduce`, killed, run again and merged, compared with the files of one machine. The recipes of
docs/lab.md run as printed there."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from directory_case import DirectoryCase
from sotto_binary import NO_PICTURES, SOTTO, sotto

GUEST = os.environ["GUEST"]
sys.path.insert(0, str(Path(os.environ["SOURCE"]) / "tests/measure"))
from slurm import options, recipe  # noqa: E402
SWEEP = "--method sotto,ldp-sgd,ols --dim 3 --arms 3 --epsilon 1,2 --horizon 500 --seeds 5 --quiet".split()  # 40 runs, those of best-arm included
SMALL = "--only shared-d2 --horizon 300 --seeds 2 --quiet".split()
TRIES = 20
LONG = "1000" if os.environ.get("SANITIZE") else "5000"  # long enough to be killed midway
BAD_SHARDS = ["0/3", "4/3", "3", "1/0", "1/1e9", "a/b", "", "/", "1/3/3", "-1/3", "1/3 ", "1/100001"]


class Case(DirectoryCase):
    def good(self, *words, **more):
        result = sotto(*words, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, pattern, *words, code=1):
        result = sotto(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, pattern)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def shards(self, count, *words, ending="csv"):
        """The files of all shards of a sweep."""
        paths = [self.directory / f"part{index}.{ending}" for index in range(1, count + 1)]
        for index, path in enumerate(paths, 1):
            self.good("simulate", *(words or SWEEP), "--shard", f"{index}/{count}", "--out", path)
        return paths

    def started(self, *words, **more):
        process = subprocess.Popen([SOTTO, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def killed(self, rows_of, *words, **more):
        """Starts it, waits until one of these files has some rows, and kills it. If it ends before
        it is killed because this process was slow, removes the files and tries again."""
        for _ in range(TRIES):
            process = self.started(*words, **more)
            while process.poll() is None and not any(path.read_text().count("\n") > 20 for path in rows_of()):
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            if process.wait() == -signal.SIGKILL:
                return
            for path in rows_of():
                path.unlink()
        self.fail("it always ended before it could be killed")


class BadInput(Case):
    def test_a_shard_beyond_the_count_is_refused(self):
        for shard in BAD_SHARDS:
            with self.subTest(shard):
                sentence = f"--shard = {re.escape(shard)}: allowed I/N, such as 2/8"
                self.refused(sentence, "simulate", *SWEEP, "--shard", shard, code=2)
                self.refused(sentence, "reproduce", *SMALL, "--out", self.directory / "page", "--shard", shard, code=2)
        self.assertEqual(os.listdir(self.directory), [])

    def test_summaries_of_a_shard_are_refused(self):
        for option in ("--summary", "--constants"):
            self.refused(f"{option}: not with --shard", "simulate", *SWEEP, "--shard", "1/2", option, code=2)
        self.refused("--measured: not with --shard", "simulate", "--method", "sotto", *SWEEP[2:], "--measure", "0.1",
                     "--shard", "1/2", "--measured", code=2)

    def test_merge_needs_files_and_one_place(self):
        self.refused("the files are missing", "merge", code=2)
        self.refused("--out and --resume: give only one of them", "merge", "a", "--out", "b", "--resume", "c", code=2)
        self.refused("--out is needed", "merge", self.directory, code=2)
        self.refused("--resume x: not for directories", "merge", self.directory, "--resume", "x", code=2)

    def test_files_that_are_no_shards_are_refused(self):
        one, two, three = self.shards(3)
        out = self.directory / "rows.csv"
        self.good("simulate", *SWEEP, "--out", self.directory / "whole.csv", "--resume", self.directory / "kept.jsonl")
        (self.directory / "empty").touch()
        (self.directory / "table.csv").write_text("a,b\n1,2\n")
        (self.directory / "directory").mkdir()
        for name, sentence in (("empty", "the file is empty"), ("table.csv", "not a file of rows"),
                               (SOTTO, "not a file of rows"), ("directory", "not a regular file"),
                               ("nowhere", "No such file"), ("whole.csv", "rows of a whole sweep"),
                               ("/dev/null", "not a regular file")):
            path = self.directory / name
            self.refused(f"{re.escape(str(path))}: .*{sentence}", "merge", one, path, three, "--out", out)
        self.refused("shard 3 of 3 is missing", "merge", one, two, "--out", out)
        self.refused("part1.csv are one file, of shard 1 of 3", "merge", one, two, one, "--out", out)
        self.assertFalse(out.exists())
        self.refused("part2.csv is one of the shards", "merge", one, two, three, "--out", two)
        self.good("merge", one, two, three, "--out", out)
        self.assertEqual(out.read_bytes(), (self.directory / "whole.csv").read_bytes())

    def test_a_finished_resume_file_is_the_only_shard(self):
        kept = self.directory / "kept.jsonl"
        self.good("simulate", *SWEEP, "--quiet", "--resume", kept)
        self.refused("are shards of 3 and of 1", "merge", self.shards(3)[0], kept)
        self.assertEqual(self.good("merge", kept).stdout, self.good("simulate", *SWEEP, "--json").stdout)

    def test_a_cut_or_changed_file(self):
        one, two, three = self.shards(3)
        text = two.read_text()
        two.write_text(text[:len(text) // 2])
        self.refused(r"shard 2 of 3 is not finished \(.*part2.csv has \d of its 13 runs\): run it again", "merge", one,
                     two, three)
        at = text.rindex(",") + 3
        two.write_text(text[:at] + ("1" if text[at] != "1" else "2") + text[at + 1:])
        self.refused("part2.csv: damaged at line .* run this shard again", "merge", one, two, three)
        two.write_text(text)
        self.good("merge", one, two, three)

    def test_shards_of_other_sweeps(self):
        one, two, three = self.shards(3)
        for words, sentence in ((["--first-seed", "9"], "first seed 1, and first seed 9"),
                                (["--arms", "4"], "arms 3, and arms 4"), (["--noise", "0.3"], "other options"),
                                (["--seeds", "6"], "of 40 and of 48 runs"), (["--json"], "the other JSON lines"),
                                (["--shard", "2/4"], "shards of 3 and of 4")):
            self.good("simulate", *SWEEP, "--shard", "2/3", "--out", two, *words)
            self.refused(f"part1.csv and .*part2.csv.*{sentence}", "merge", one, two, three)

    def test_an_output_that_cannot_be_written(self):
        paths = self.shards(2)
        self.refused("No such file", "merge", *paths, "--out", self.directory / "no" / "such")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([SOTTO, "merge", *paths], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)

    def test_directories_that_do_not_belong_together(self):
        parts = [self.directory / f"part{index}" for index in (1, 2)]
        page = self.directory / "page"
        for index, part in enumerate(parts, 1):
            self.good("reproduce", *SMALL, "--shard", f"{index}/2", "--out", part)
        self.refused("shard 2 of 2 is missing: run it, and give it too", "merge", parts[0], "--out", page)
        self.refused("are one file, of shard 1 of 2", "merge", parts[0], parts[0], "--out", page)
        other = self.directory / "other"
        self.good("reproduce", *SMALL, "--seeds", "3", "--shard", "2/2", "--out", other)
        self.refused("other reproductions: seeds 2, and seeds 3", "merge", parts[0], other, "--out", page)
        self.refused("holds another page .shard 1 of 2; this one: shard 2 of 2", "reproduce", *SMALL, "--shard", "2/2",
                     "--out", parts[0], code=2)
        self.refused("holds another page", "merge", *parts, "--out", other, code=2)
        self.refused("not a regular file", "merge", parts[0], SOTTO, "--out", page)
        self.assertFalse(page.exists())


class Simulated(Case):
    def test_any_number_of_shards_is_one_sweep(self):
        for words, ending in (([], "csv"), (["--json"], "jsonl")):
            wanted = self.good("simulate", *SWEEP, *words).stdout
            for count in (1, 2, 7, 33):
                paths = self.shards(count, *SWEEP, *words, ending=ending)
                self.assertEqual(self.good("merge", *reversed(paths)).stdout, wanted)

    def test_a_shard_is_the_same_on_any_number_of_threads_and_on_the_standard_output(self):
        words = ["simulate", *SWEEP, "--shard", "2/3"]
        self.assertEqual(self.good(*words, "--threads", 1).stdout, self.good(*words, "--threads", 4).stdout)

    def test_a_shard_says_what_it_is(self):
        words = [word for word in SWEEP if word != "--quiet"]
        self.assertIn("shard 2 of 4: 10 of the 40 runs of the sweep; sotto merge joins",
                      self.good("simulate", *words, "--shard", "2/4").stderr)
        told = self.good("simulate", *words, "--shard", "41/41").stderr
        self.assertIn("shard 41 of 41 has no runs: the sweep has only 40.", told)

    def test_a_killed_shard_is_run_again(self):
        """Once from the start, once from the stored runs."""
        words = [*SWEEP, "--seeds", "40", "--horizon", LONG, "--threads", "1"]
        wanted = self.good("simulate", *words).stdout
        paths = self.shards(3, *words)
        again = ["simulate", *words, "--shard", "2/3", "--out", paths[1]]
        for more in ([], ["--resume", self.directory / "kept.jsonl"]):
            paths[1].unlink()
            self.killed(lambda: paths[1].parent.glob(paths[1].name), *again, *more)
            self.refused("shard 2 of 3 is not finished", "merge", *paths)
            self.good(*again, *more)
            self.assertEqual(self.good("merge", *paths).stdout, wanted)

    def test_one_file_keeps_a_shard_and_is_merged(self):
        words = [*SWEEP, "--seeds", "40", "--horizon", LONG, "--json"]
        paths = [self.directory / f"part{i}.jsonl" for i in (1, 2, 3)]
        self.killed(lambda: paths[1].parent.glob(paths[1].name), "simulate", *words, "--shard", "2/3", "--resume", paths[1])
        kept = paths[1].read_text().count("\n")
        self.refused("shard 2 of 3 is not finished", "merge", paths[1])
        for i, path in enumerate(paths):
            self.assertEqual(self.good("simulate", *words, "--shard", f"{i + 1}/3", "--resume", path).stdout, "")
        self.assertGreater(paths[1].read_text().count("\n"), kept)
        self.assertEqual(self.good("merge", *paths).stdout, self.good("simulate", *words).stdout)

    def test_a_stopped_shard_counts_its_own_runs(self):
        path, kept = self.directory / "part.csv", self.directory / "kept.jsonl"
        process = self.started("simulate", *SWEEP, "--seeds", "999999", "--shard", "1/3", "--out", path, "--resume", kept)
        while not kept.exists() or kept.read_text().count("\n") < 10:
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        told = process.stderr.read().decode()
        self.assertEqual(process.wait(), 1)
        self.assertRegex(told, r"stopped by a signal: \d+ of 2666664 runs are finished")

    def test_runs_of_other_shards_in_a_resume_file_are_not_in_the_rows(self):
        """One resume file for all shards, one after the other: stored runs are not played again."""
        kept = self.directory / "kept.jsonl"
        wanted = [path.read_bytes() for path in self.shards(3)]
        paths = self.shards(3, *SWEEP, "--resume", kept)
        self.assertEqual([path.read_bytes() for path in paths], wanted)
        self.assertEqual(self.good("simulate", *SWEEP, "--resume", kept).stdout, self.good("merge", *paths).stdout)

    def test_a_summary_of_merged_shards(self):
        kept = self.directory / "kept.csv"
        self.good("merge", *self.shards(3), "--resume", kept)
        words = ["simulate", *SWEEP, "--summary", "--csv"]
        before = kept.read_bytes()
        found, wanted = self.good(*words, "--resume", kept).stdout, self.good(*words).stdout
        self.assertEqual(kept.read_bytes(), before)

        def numbers(text):  # except the time that runs took
            head, *lines = [line.split(",") for line in text.splitlines()]
            return [[value for name, value in zip(head, line) if not name.startswith(("rounds_per", "null_share"))]
                    for line in lines]
        self.assertEqual(numbers(found), numbers(wanted))

    def test_methods_that_people_bring_are_dealt_out_too(self):
        words = ["--method", f"ols,{GUEST}", *SWEEP[2:]]
        wanted = self.good("simulate", *words).stdout
        paths = self.shards(3, *words)
        self.assertEqual(self.good("merge", *paths).stdout, wanted)
        misbehaving = {**os.environ, "METHOD_MISDEED": "crashes"}
        result = sotto("simulate", *words, "--shard", "2/3", "--out", paths[1], env=misbehaving)
        self.assertEqual(result.returncode, 1)
        self.refused("shard 2 of 3 is not finished", "merge", *paths)


class Reproduced(Case):
    def test_shards_make_the_page_of_one_machine(self):
        """In two directories, so that both pages show the same command; one shard is killed and run
        again."""
        here, there = self.directory / "here", self.directory / "there"
        words = [SOTTO, "reproduce", *SMALL, "--horizon", LONG, "--threads", "1", "--out"]

        def run(place, *line):
            place.mkdir(exist_ok=True)
            done = subprocess.run(list(map(str, line)), cwd=place, capture_output=True, text=True, check=False, env=NO_PICTURES)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        run(here, *words, "page")
        for index in (1, 3):
            run(there, *words, f"part{index}", "--shard", f"{index}/3")
        runs = there / "part2" / "runs"
        self.killed(lambda: runs.glob("*.jsonl"), *words[1:], "part2", "--shard", "2/3", cwd=there)
        self.refused(r"shard 2 of 3 is not finished \(.*: run it again", "merge",
                     *(there / f"part{index}" for index in (1, 2, 3)), "--out", there / "page")
        self.assertIn("shard 2 of 3 is finished", run(there, *words, "part2", "--shard", "2/3"))
        run(there, SOTTO, "merge", "part3", "part1", "part2", "--out", "page")
        for path in (here / "page" / "runs").iterdir():
            self.assertEqual((there / "page" / "runs" / path.name).read_bytes(), path.read_bytes())
        run(there, *words, "page")
        names = sorted(path.relative_to(here) for path in here.rglob("*") if path.is_file())
        self.assertEqual(sorted(path.relative_to(there) for path in (there / "page").rglob("*") if path.is_file()), names)
        for name in names:
            self.assertEqual((here / name).read_bytes(), (there / name).read_bytes(), name)


class Recipes(Case):
    """The recipes of docs/lab.md, run as printed there; tests/measure/slurm.py runs the one for
    Slurm."""

    def run_recipe(self, text):
        (self.directory / "bin").mkdir()
        (self.directory / "bin/sotto").symlink_to(SOTTO)
        path = f"{self.directory}/bin:{os.environ['PATH']}"
        done = subprocess.run(["sh", "-eu", "-c", text], cwd=self.directory, capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": path, "HOME": str(self.directory)})
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(os.environ.get("SANITIZE"), "the other tests play shards under sanitizers")
    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed: apt-get install parallel")
    def test_gnu_parallel(self):
        text = recipe("parallel")
        self.run_recipe(text)
        wanted = self.good("simulate", *options(text), "--quiet").stdout
        self.assertEqual((self.directory / "rows.csv").read_text(), wanted)


if __name__ == "__main__":
    unittest.main()
