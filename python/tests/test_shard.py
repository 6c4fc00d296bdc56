"""Sweeps on many machines: shards played by Python and by the command line, killed, merged."""

import concurrent.futures
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import distributed

import sotto

SOTTO = os.environ["SOTTO"]
SWEEP = {"dim": 3, "arms": 4, "horizon": 300, "epsilon": [1, 4], "seeds": 5}
LINE = "--method sotto,ols --dim 3 --arms 4 --horizon 300 --epsilon 1,4 --seeds 5".split()


def simulate(**more):
    return sotto.simulate("sotto,ols", **SWEEP, **more)


class Shards(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def part(self, index, count, **more):
        path = self.path(f"part{index}.csv")
        simulate(shard=(index, count), out=path, **more)
        return path

    def test_shards_that_cannot_be(self):
        for bad in ("0/3", "4/3", "3", "1/0", "a/b", "1/3/5", "-1/3", "1/1000000", "\u0661/\u0662", (1,), (1, 2, 3), (1.5, 3), (0, 3), 3,
                    ("1", None), (True, 2)):
            with self.subTest(shard=bad), self.assertRaisesRegex(sotto.FaultError, "shard = "):
                simulate(shard=bad)
        with self.assertRaisesRegex(sotto.FaultError, "out: only of a shard"):
            simulate(out=self.path("rows.csv"))
        with self.assertRaisesRegex(sotto.FaultError, "nowhere"):
            simulate(shard="1/3", out=self.path("nowhere/part.csv"))

    def test_paths_that_cannot_be(self):
        parts = [self.part(1, 1)]
        for bad, why in ((5, "expected a path"), ("a\0b", "a path has no NUL")):
            with self.subTest(path=bad):
                with self.assertRaisesRegex(sotto.FaultError, f"out = .*{why}"):
                    simulate(shard="1/3", out=bad)
                with self.assertRaisesRegex(sotto.FaultError, f"out = .*{why}"):
                    sotto.merge(parts, bad)
                with self.assertRaisesRegex(sotto.FaultError, f"paths = .*{why}"):
                    sotto.merge([bad])
        for bad in (None, 5, parts[0]):
            with self.subTest(paths=bad), self.assertRaisesRegex(sotto.FaultError, "paths = .*: expected a list"):
                sotto.merge(bad)
        self.assertTrue(sotto.merge(iter(parts)).equals(simulate()))

    def test_shards_are_disjoint_and_together_the_whole(self):
        whole = simulate()
        parts = [simulate(shard=f"{i}/3") for i in (1, 2, 3)]
        keys = [set(zip(part.method, part.epsilon, part.seed)) for part in parts]
        self.assertEqual([10, 10, 10], [len(key) for key in keys])
        for one, other in itertools.combinations(keys, 2):
            self.assertFalse(one & other)
        self.assertEqual(len(whole), sum(map(len, parts)))
        self.assertEqual(("2/3", True), (parts[1].attrs["shard"], parts[1].attrs["complete"]))

    def test_merged_they_are_what_one_machine_writes(self):
        parts = [self.part(i, 3) for i in (2, 3, 1)]
        rows = sotto.merge(parts, self.path("merged.csv"))
        self.assertTrue(rows.equals(simulate()))
        one = subprocess.run([SOTTO, "simulate", *LINE, "--csv", "--quiet"], check=True, capture_output=True).stdout
        with open(self.path("merged.csv"), "rb") as file:
            self.assertEqual(one, file.read())

    def test_parts_of_python_and_of_the_command_line_fit(self):
        theirs = self.path("theirs.csv")
        subprocess.run([SOTTO, "simulate", *LINE, "--quiet", "--shard", "2/2", "--out", theirs], check=True)
        self.assertTrue(sotto.merge([self.part(1, 2), theirs]).equals(simulate()))
        with open(self.part(2, 2), "rb") as mine, open(theirs, "rb") as file:
            self.assertEqual(file.read(), mine.read())

    def test_json_lines(self):
        paths = [self.path(f"{i}.jsonl") for i in (1, 2)]
        for i, path in enumerate(paths, 1):
            subprocess.run([SOTTO, "simulate", *LINE, "--quiet", "--json", "--shard", f"{i}/2", "--out", path], check=True)
        self.assertTrue(sotto.merge(paths).equals(simulate()))

    def test_what_does_not_fit_is_refused_and_named(self):
        one, two = self.part(1, 2), self.part(2, 2)
        other = self.path("other.csv")
        sotto.simulate("sotto,ols", **{**SWEEP, "horizon": 301}, shard="2/2", out=other)
        with open(two, "rb") as file:
            whole = file.read()
        for name, data in (("cut.csv", whole[:-40]), ("changed.csv", whole.replace(b"0.1", b"0.2", 1)), ("empty.csv", b"")):
            with open(self.path(name), "wb") as file:
                file.write(data)
        for paths in ([one], [one, one], [one, two, two], [one, other], [one, self.path("cut.csv")],
                      [one, self.path("changed.csv")], [one, self.path("empty.csv")], [one, self.path("no.csv")],
                      [one, self.directory], []):
            with self.subTest(paths=paths), self.assertRaises(sotto.FaultError):
                sotto.merge(paths, self.path("out.csv"))
            self.assertFalse(os.path.exists(self.path("out.csv")))
        with self.assertRaisesRegex(sotto.FaultError, "a list of files"):
            sotto.merge(one)

    def test_an_interrupted_shard_writes_no_file_and_keep_goes_on(self):
        def interrupt(done, total):
            raise KeyboardInterrupt
        path = self.path("part1.csv")
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            some = simulate(shard="1/2", out=path, progress=interrupt, threads=1)
        if not some.attrs["complete"]:
            self.assertFalse(os.path.exists(path))
        simulate(shard="1/2", out=path, keep=some)
        self.assertTrue(sotto.merge([path, self.part(2, 2)]).equals(simulate()))

    def test_a_killed_shard_is_simply_run_again(self):
        path = self.path("part1.csv")
        script = ("import sys, sotto; print(1, flush=True); "
                  f"sotto.simulate('sotto,ols', dim=3, arms=4, horizon=300, epsilon=[1, 4], seeds=5, shard='1/2', out={path!r}, "
                  "progress=lambda *_: print(2, flush=True) or sys.stdin.read())")
        with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            child.stdout.readline()
            child.send_signal(signal.SIGKILL)
        self.assertFalse(os.path.exists(path))
        self.assertTrue(sotto.merge([self.part(1, 2), self.part(2, 2)]).equals(simulate()))


class Executors(unittest.TestCase):
    def test_processes_and_machines_play_the_same_rows(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            rows = simulate(executor=pool)
        self.assertTrue(rows.equals(simulate()))
        self.assertTrue(rows.attrs["complete"])
        self.assertNotIn("shard", rows.attrs)
        with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as machines:
            self.assertTrue(simulate(executor=machines.get_executor()).equals(rows))

    def test_what_is_no_executor(self):
        with self.assertRaisesRegex(sotto.FaultError, "executor = 3: expected a concurrent.futures.Executor"):
            simulate(executor=3)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            with self.assertRaisesRegex(sotto.FaultError, "executor: not with shard or out"):
                simulate(executor=pool, shard="1/2")
            with self.assertRaisesRegex(sotto.FaultError, "epsilon = 99"):
                sotto.simulate("sotto", **{**SWEEP, "epsilon": 99}, executor=pool)


if __name__ == "__main__":
    unittest.main()
