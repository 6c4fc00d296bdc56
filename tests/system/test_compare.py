#!/usr/bin/env python3
"""`sotto compare` as a person runs it: bad input first, then the same bytes whatever the threads."""
import csv
import hashlib
import os
import re
import unittest

from directory_case import DirectoryCase
from sotto_binary import sotto

COIN, GUEST = os.environ["COIN"], os.environ["GUEST"]
SMALL = "--horizon 1000 --seeds 2 --quiet".split()
COLUMNS = ("world,method,promise,epsilon,people,seeds,regret_or_reward,two_se,floor,floor_kind,over_floor,over_floor_two_se,"
           "ahead_best_arm,ahead_best_arm_two_se,ahead_explorer,ahead_explorer_two_se").split(",")


class Case(DirectoryCase):
    def setUp(self):
        super().setUp()
        self.data, self.schema = self.directory / "people.csv", self.directory / "people.schema"
        self.data.write_text("x,y\n" + "".join(f"{i % 10},{'p' if i % 10 < 5 else 'q'}\n" for i in range(1200)))
        self.schema.write_text("number x 0 9\nlabel y p q\n")

    def refused(self, pattern, code, *words):
        result = sotto("compare", *words)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr, pattern)
        self.assertEqual(result.stdout, "")

    def board(self, name, *words):
        result = sotto("compare", *words, *SMALL, "--out", self.directory / name)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.directory / name / "scoreboard.csv", encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            self.assertEqual(reader.fieldnames, COLUMNS)
            return list(reader)

    def left_out(self, name):
        """By world and method: the reason that the page gives for leaving it out."""
        sections = re.findall(r'<section id="([^"]+)"(.*?)</section>', self.bytes_of(name)[0].decode(), re.S)
        return {world: dict(re.findall(r"<p>Left out: ([^:]+): (.*?)\.</p>", text)) for world, text in sections}

    def bytes_of(self, name):
        return [(self.directory / name / file).read_bytes() for file in ("index.html", "scoreboard.csv")]

    def test_bad_options_name_what_is_allowed(self):
        out = ("--out", self.directory / "out")
        self.refused("--out is needed", 2)
        self.refused("--method = none: allowed sotto", 2, *out, "--method", "none")
        self.refused("each method may be given only once", 2, *out, "--method", "sotto,sotto")
        self.refused("--epsilon", 2, *out, "--epsilon", "0")
        self.refused("--horizon", 2, *out, "--horizon", "999")
        self.refused("--seeds", 2, *out, "--seeds", "1")
        self.refused("nosuch.so", 2, *out, "--method", "./nosuch.so")

    def test_bad_files_are_named_before_anything_is_played(self):
        out = ("--out", self.directory / "out")
        self.refused("the schema is missing", 1, *out, self.data)
        self.refused("the schema is missing", 1, *out, f"{self.data}:")
        self.refused("nosuch.csv: cannot be read: No such file or directory", 1, *out, f"{self.directory}/nosuch.csv:{self.schema}")
        self.refused("nosuch: cannot be read: No such file or directory", 1, *out, f"{self.data}:{self.directory}/nosuch")
        self.schema.write_text("number x 0 9\n")
        self.refused("label", 1, *out, f"{self.data}:{self.schema}")
        self.assertFalse((self.directory / "out" / "index.html").exists())

    def test_a_directory_that_cannot_be_made_is_named(self):
        self.refused("--out .*people.csv/x", 1, "--out", self.data / "x")

    def test_threads_change_no_byte(self):
        words = (f"{self.data}:{self.schema}", "--method", f"sotto,ldp-sgd,merino,shuffle-ucb,{COIN}")
        rows = self.board("one", *words, "--threads", "1")
        self.board("two", *words, "--threads", "2")
        self.assertEqual(self.bytes_of("one"), self.bytes_of("two"))
        worlds = dict.fromkeys(row["world"] for row in rows)
        self.assertEqual(len(worlds), 12)
        page = self.bytes_of("one")[0].decode()
        for file in (self.data, self.schema):
            self.assertIn(hashlib.sha256(file.read_bytes()).hexdigest(), page)
        self.assertNotRegex(page, re.escape(str(self.directory)))  # nor where the files are
        promises = {row["method"]: row["promise"] for row in rows}
        self.assertEqual(promises["merino"], "local")
        self.assertEqual(promises["shuffle-ucb"], "shuffle")
        self.assertEqual(promises["linucb"], "none")
        self.assertEqual(promises["coin"], "claimed")
        self.assertIn("only shared parameters", self.left_out("one")["arms-five"]["coin"])

    def test_a_method_has_a_line_or_a_reason_in_every_world(self):
        asked = ("sotto", "sotto-ols", "merino", "shuffle-ucb", "joint-glm", "oracle", "coin", "guest", "best-arm")
        rows = self.board("out", f"{self.data}:{self.schema}", "--method", ",".join((*asked[:6], COIN, GUEST)))
        reasons = self.left_out("out")
        for world in dict.fromkeys(row["world"] for row in rows):
            played = {row["method"] for row in rows if row["world"] == world}
            for method in asked:
                self.assertNotEqual(method in played, method in reasons[world], (world, method))
        self.assertEqual(set(reasons["liars"]), {"merino", "shuffle-ucb", "joint-glm", "coin", "guest", "best-arm"})
        self.assertEqual(set(reasons["people.csv"]), {"sotto-ols", "joint-glm", "oracle", "coin"})
        self.assertIn("only shared parameters", reasons["people.csv"]["coin"])
        for row in rows:
            if (row["world"], row["method"]) == ("people.csv", "guest"):
                self.assertEqual((row["promise"], row["epsilon"], row["people"]), ("none", "inf", "1000"))
                self.assertTrue(0.4 < float(row["regret_or_reward"]) < 0.6)  # one arm for all earns 0.5
        self.assertIn("meet only honest people", self.bytes_of("out")[0].decode().split('id="liars"')[1])
        self.assertEqual(reasons["two"], {"merino": "method merino has per-arm parameters only"})

    def test_the_numbers_are_those_of_simulate(self):
        board = {(row["world"], row["method"]): row for row in self.board("out", "--method", "sotto")}
        result = sotto("simulate", "--method", "sotto,linucb", "--dim", "2", "--arms", "10", "--epsilon", "1", "--horizon",
                       "1000", "--seeds", "2", "--checkpoints", "1000", "--quiet")
        regret = {}
        for row in csv.DictReader(result.stdout.splitlines()):
            regret.setdefault(row["method"], []).append(float(row["regret"]))
        ours, best, free = (sum(regret[name]) / 2 for name in ("sotto", "best-arm", "linucb"))
        row = board["two", "sotto"]
        self.assertEqual(float(row["regret_or_reward"]), float(f"{ours:.4g}"))
        self.assertAlmostEqual(float(row["ahead_best_arm"]), (best - ours) / 1000, delta=1e-4)
        self.assertAlmostEqual(float(row["ahead_explorer"]), (free - ours) / 1000, delta=1e-4)
        floor = float(row["floor"])
        apart = abs(regret["sotto"][0] - regret["sotto"][1]) / floor  # two standard errors of two runs
        self.assertAlmostEqual(float(row["over_floor"]), ours / floor, delta=0.01 * ours / floor)
        self.assertAlmostEqual(float(row["over_floor_two_se"]), apart, delta=0.06 * apart)
        section = self.bytes_of("out")[0].decode().split('id="two"')[1].split("</section>")[0]
        for name in ("sotto", "best-arm"):
            self.assertRegex(section, rf'<td>{name}</td>.*data-label="regret / floor">[\d.,]+ ± [\d.,]+<')


if __name__ == "__main__":
    unittest.main()
