#!/usr/bin/env python3
"""sotto replay: files of labelled rows and logs, what a person can get wrong, and what it finds."""
import csv
import gzip
import io
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import tempfile
import unittest

from sotto_binary import on_terminal, sotto, verdict_on_terminal

os.environ["COLUMNS"] = "1000"  # sentences and rows whole; tests of cli/print wrap them
ROW = ["method", "epsilon", "seed", "t", "reward", "regret", "passes", "ranges"]
LOG_ROW = ["method", "epsilon", "seed", "t", "learnt", "replay", "replay_lo", "replay_hi", "ips", "ips_lo", "ips_hi",
           "self_normalised", "effective_size", "passes", "ranges"]
SUMMARY = ["method", "epsilon", "seeds", "t", "reward_mean", "reward_se", "last_mean", "last_se", "share",
           "share_lo", "share_hi", *(END := ["reason", "people_needed", "lead_lo", "lead_hi", "best_arm_lead_lo",
                                             "best_arm_lead_hi", "devices", "verdict", "passes", "ranges"])]
ESTIMATORS = ("replay", "ips", "self_normalised", "direct", "doubly_robust")
LOG_SUMMARY = ["method", "epsilon", "seeds", "t", *LOG_ROW[4:13], "self_normalised_lo", "self_normalised_hi",
               *(name + end for name in ESTIMATORS[3:] for end in ("", "_lo", "_hi")),
               *(name + end for name in ESTIMATORS for end in ("_bootstrap_lo", "_bootstrap_hi")),
               "unseen_share", "unavailable", *END]
SCHEMA = "number u -1 1\nnumber v 0 10\ncategory w a b c\nlabel y no yes\n"
LOG_SCHEMA = "number u -1 1\naction arm x y z\nreward r 0 1\npropensity p\n"
# Where every load is checked one seed goes the ways of five.
SEEDS = 1 if os.environ.get("SANITIZE") else 5
SLOW = "many runs: played by the plain build; other tests go the same ways here"


def people(count, rule, seed=1):
    """Rows with a label by a rule of u and draw."""
    draw = random.Random(seed)
    lines = ["u,v,w,y"]
    for _ in range(count):
        u = draw.uniform(-1, 1)
        lines.append(f"{u:.4f},{draw.uniform(0, 10):.3f},{draw.choice('abc')},{'yes' if rule(u, draw) else 'no'}")
    return "\n".join(lines) + "\n"


def log(count, chances, seed=1):
    """Events whose arm is drawn by chances(u); x earns where u > 0, y where u < 0, z seldom."""
    draw = random.Random(seed)
    lines = ["u,arm,r,p"]
    for _ in range(count):
        u = draw.uniform(-1, 1)
        p = chances(u)
        arm = draw.choices("xyz", p)[0]
        good = {"x": 0.8 if u > 0 else 0.1, "y": 0.8 if u < 0 else 0.1, "z": 0.1}[arm]
        lines.append(f"{u:.4f},{arm},{int(draw.random() < good)},{p['xyz'.index(arm)]}")
    return "\n".join(lines) + "\n"


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        (cls.directory / "schema").write_text(SCHEMA)
        (cls.directory / "log.schema").write_text(LOG_SCHEMA)
        (cls.directory / "people.csv").write_text(people(3000, lambda u, draw: u > -0.2))
        (cls.directory / "log.csv").write_text(log(6000, lambda u: (0.25, 0.25, 0.5)))
        cls.rows = ("--data", cls.directory / "people.csv", "--schema", cls.directory / "schema")
        cls.events = ("--data", cls.directory / "log.csv", "--schema", cls.directory / "log.schema")

    def file(self, name, text):
        (self.directory / name).write_text(text)
        return self.directory / name

    def good(self, *words, stdin=""):
        result = sotto("replay", *words, stdin=stdin)
        self.assertEqual(result.returncode, 0, (words, result.stderr))
        return result.stdout

    def table(self, *words, stdin=""):
        return list(csv.DictReader(io.StringIO(self.good(*words, "--quiet", stdin=stdin))))

    def summary(self, *words):
        lines = self.table(*words, "--summary", "--csv")
        return {(line["method"], float(line["epsilon"])): line for line in lines}

    def bad(self, code, *said, words, stdin=""):
        result = sotto("replay", *words, stdin=stdin)
        self.assertEqual((result.returncode, result.stdout), (code, ""), words)
        for part in said:
            self.assertIn(part, result.stderr, words)


class Mistakes(Case):
    def test_options_that_do_not_fit(self):
        data = ("--data", self.directory / "people.csv")
        for words, said in (
                ((), ("--data is needed",)),
                (data, ("the roles of its columns are unknown. Give --label COLUMN", "--action, --reward and --propensity")),
                ((*data, "--label", "y"), ("--label y --draft > my.schema", "--ranges-from-data", "epsilon does not cover")),
                ((*data, "--action", "y"), ("needs --reward and --propensity",)),
                ((*data, "--action", "y", "--reward", "u", "--propensity", "v"), ("--action y --draft",)),
                ((*data, "--action", "y", "--label", "y"), ("--label: a log has an action",)),
                ((*self.rows, "--label", "y"), ("--label: only without --schema",)),
                ((*self.rows, "--ignore", "y"), ("--ignore: only without --schema",)),
                ((*self.rows, "--ranges-from-data"), ("--ranges-from-data: only without",)),
                ((*self.rows, "--draft"), ("--draft: only without",)),
                ((*data, "--label", "y", "--draft", "--describe"), ("--draft and --describe",)),
                ((*self.rows, "--csv", "--json"), ("--csv and --json",)),
                ((*self.rows, "--method", "oracle"), ("oracle", "true parameters")),
                ((*self.rows, "--method", "sotto,sotto"), ("--method = sotto", "method may be given only once")),
                ((*self.rows, "--method", "soto"), ("did you mean sotto?",)),
                ((*self.rows, "--method", "ldp-ols", "--link", "logit"), ("--method ldp-ols", "identity link")),
                ((*self.rows, "--method", "sotto-ols"), ("shared parameters only",)),
                ((*self.rows, "--epsilon", "9"), ("--method sotto", "epsilon = 9")),
                ((*self.rows, "--epsilon", "1,x"), ("--epsilon = x", "0.01 to 50")),
                ((*self.rows, "--seeds", "0"), ("--seeds = 0", "1 to 10000")),
                ((*self.rows, "--passes", "0"), ("--passes = 0", "1 to 1000000")),
                ((*self.rows, "--clip", "0"), ("--clip = 0", "1e-06 to 1")),
                ((*self.rows, "--order", "any"), ("--order = any", "shuffled, file")),
                ((*self.rows, "--format", "xml"), ("--format = xml", "csv, libsvm")),
                ((*self.rows, "--checkpoints", "5,4"), ("--checkpoints = 4", "rounds must increase")),
                ((*self.rows, "--checkpoints", "3001"), ("--checkpoints = 3001", "1 to the horizon")),
                ((*self.rows, "--warmup", "5", "--parameters", "shared"), ("--warmup", "per-arm")),
                ((*self.rows, "--delta", "1e-3", "--method", "ldp-ols"), ("delta = 0.001",)),
                ((*self.rows, "word"), ("word: unexpected word",))):
            self.bad(2, *said, words=words)

    def test_a_file_that_does_not_exist_is_named_before_its_columns_are_asked_for(self):
        for words in ((), ("--label", "y"), ("--label", "y", "--draft")):
            self.bad(2, "--data nowhere.csv: cannot be read: No such file", words=("--data", "nowhere.csv", *words))

    def test_text_in_utf_16(self):
        for code in ("utf-16", "utf-16-le", "utf-16-be"):
            (self.directory / "wide.csv").write_bytes("u,y\n0.5,yes\n0.7,no\n".encode(code))
            self.bad(1, "wide.csv: line 1: this is UTF-16; convert it to UTF-8: iconv -f UTF-16",
                     words=("--data", self.directory / "wide.csv", "--label", "y", "--draft"))

    def test_a_number_as_label_needs_ranges(self):
        prices = self.file("prices.csv", "u,price\n" + "".join(f"{i % 9},{i}.25\n" for i in range(300)))
        self.bad(1, 'column "price": more than 256 levels, too many for arms', "ranges", "docs/data.md",
                 words=("--data", prices, "--label", "price", "--draft"))

    def test_a_propensity_for_all_is_a_chance(self):
        for chance in ("2", "1.25", "0"):
            self.bad(1, f'a propensity for all is between 0 and 1; column "{chance}" is not in the file',
                     words=("--data", self.directory / "log.csv", "--action", "arm", "--reward", "r", "--propensity", chance,
                            "--draft"))

    def test_files_that_cannot_be_used(self):
        self.bad(1, "nowhere.csv", words=("--data", "nowhere.csv", "--schema", self.directory / "schema"))
        self.bad(1, "nowhere.schema", words=("--data", self.directory / "people.csv", "--schema", "nowhere.schema"))
        broken = self.file("broken.csv", "u,v,w,y\n0.5,1,a,yes\n0.5,x,a,no\n")
        self.bad(1, "broken.csv", "3", "x", words=("--data", broken, "--schema", self.directory / "schema"))
        unknown = self.file("unknown.csv", "u,v,w,y\n0.5,1,a,yes\n0.5,2,a,perhaps\n")
        self.bad(1, "unknown.csv", "perhaps", words=("--data", unknown, "--schema", self.directory / "schema"))
        zero = self.file("zero.csv", "u,arm,r,p\n0.5,x,1,0.5\n0.5,x,1,0\n")
        self.bad(1, "zero.csv", "p", words=("--data", zero, "--schema", self.directory / "log.schema"))
        self.bad(1, "cannot write /nowhere/rows", words=(*self.rows, "--out", "/nowhere/rows"))

    def test_a_list_of_columns_with_a_comma_too_many(self):
        words = ("--data", self.directory / "people.csv", "--label", "y", "--draft", "--ignore")
        for names in ("v,", ",v", "v,,w", ","):
            self.bad(1, "people.csv: one name is empty (does the list end with a comma?), but every column of the file "
                     "has a name", words=(*words, names))
        unnamed = self.file("unnamed.csv", ",u,v,y\n1,0.5,3,yes\n2,0.25,4,no\n")
        for names in ("", ",", "u,", ",u"):
            self.assertIn('ignore ""', self.good("--data", unnamed, "--label", "y", "--draft", "--ignore", names), names)

    def test_what_is_read_is_never_overwritten(self):
        (self.directory / "other.svg").symlink_to(self.directory / "schema")
        for words, what in ((("--out", self.directory / "people.csv"), "--data"),
                            (("--figure", self.directory / "people"), "--data"),
                            (("--figure", self.directory / "other"), "--schema"),
                            (("--out", self.directory / "schema"), "--schema")):
            result = sotto("replay", *self.rows, *words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertRegex(result.stderr, f"is the file of {what}, and would be overwritten")
        self.assertEqual((self.directory / "schema").read_text(), SCHEMA)
        self.assertTrue((self.directory / "people.csv").read_text().startswith("u,v,w,y"))

    def test_a_pipe_is_read_once(self):
        text = (self.directory / "people.csv").read_text()
        words = ("--data", "-", "--schema", self.directory / "schema")
        self.bad(2, "--passes = 2", words=(*words, "--passes", 2), stdin=text)


class Rows(Case):
    def test_check_points_of_every_run(self):
        rows = self.table(*self.rows, "--method", "sotto,random", "--epsilon", "1,2", "--seeds", 2, "--checkpoints", "10,100")
        self.assertEqual(list(rows[0]), ROW)
        self.assertEqual([(r["method"], r["epsilon"], r["seed"], r["t"]) for r in rows],
                         [(m, e, s, t)
                          for m, e in (("sotto", "1"), ("sotto", "2"), ("random", "inf"), ("best-arm", "1"), ("best-arm", "2"),
                                       ("ols", "inf"), ("linucb", "inf"))
                          for s in "12" for t in ("10", "100", "3000")])
        for row in rows:
            self.assertEqual(float(row["reward"]) + float(row["regret"]), float(row["t"]))
            self.assertEqual(row["ranges"], "public")
        self.assertEqual([r["t"] for r in self.table(*self.rows, "--seeds", 1, "--method", "linucb") if r["method"] == "linucb"],
                         ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000", "3000"])

    def test_json_has_the_same_numbers(self):
        words = (*self.rows, "--seeds", 2, "--checkpoints", "7", "--horizon", 600)
        lines = [json.loads(line) for line in self.good(*words, "--json", "--quiet").splitlines()]
        for line, row in zip(lines, self.table(*words), strict=True):
            self.assertEqual(list(line), ROW)
            self.assertEqual(line["epsilon"], None if row["epsilon"] == "inf" else float(row["epsilon"]))
            self.assertEqual([str(line["t"]), line["reward"], line["regret"]],
                             [row["t"], float(row["reward"]), float(row["regret"])])

    def test_threads_change_nothing(self):
        words = (*self.rows, "--method", "sotto,ldp-ucb", "--epsilon", "1,4", "--seeds", 3, "--quiet", "--horizon", 1000)
        self.assertEqual(self.good(*words, "--threads", 1), self.good(*words, "--threads", 7))

    def test_rows_go_to_a_file(self):
        words = (*self.rows, "--seeds", 1, "--quiet")
        self.assertEqual(self.good(*words, "--out", self.directory / "rows.csv"), "")
        self.assertEqual((self.directory / "rows.csv").read_text(), self.good(*words))

    def test_the_summary_is_told_beside_rows(self):
        result = sotto("replay", *self.rows, "--seeds", 1)
        self.assertTrue(result.stdout.startswith("method,epsilon,seed,t,"))
        self.assertIn("majority-arm", result.stderr)
        self.assertEqual(sotto("replay", *self.rows, "--seeds", 1, "--quiet").stderr, "")

    def test_a_terminal_sees_progress(self):
        code_and_shown = on_terminal("replay", *self.rows, "--method", "ldp-gloc", "--seeds", 10, "--threads", 1)
        if code_and_shown is None:
            self.skipTest("no terminal here")
        self.assertEqual(code_and_shown[0], 0)


class People(Case):
    def test_all_rows_again_and_no_more_than_asked_for(self):
        last = lambda *words: self.table(*self.rows, "--seeds", 1, "--method", "ols,linucb", *words)[-1]
        self.assertEqual(last("--passes", 3)["t"], "9000")
        self.assertEqual(last("--horizon", 50)["t"], "50")
        self.assertEqual(last("--passes", 3, "--horizon", 3500)["t"], "3500")
        self.assertEqual(last("--horizon", 5000)["t"], "3000")
        self.assertIn("2 passes: a person met 2 times spends 2 times epsilon and delta",
                      self.good(*self.rows, "--passes", 2, "--seeds", 1, "--summary"))

    def test_a_sorted_file_is_shuffled(self):
        lines = people(600, lambda u, draw: draw.random() < 0.5, seed=2).splitlines()
        ordered = self.file("sorted.csv", "\n".join([lines[0], *sorted(lines[1:], key=lambda r: r[-2:])]) + "\n")
        words = ("--data", ordered, "--schema", self.directory / "schema", "--seeds", 3, "--checkpoints", "200", "--method", "ols")
        shuffled = [float(r["reward"]) for r in self.table(*words) if r["t"] == "200"]
        as_filed = [float(r["reward"]) for r in self.table(*words, "--order", "file") if r["t"] == "200"]
        self.assertGreater(min(as_filed), 190)  # one label only
        self.assertLess(max(shuffled), 150)
        self.assertGreater(len(set(shuffled)), 1)

    def test_a_pipe_plays_the_same_people(self):
        text = (self.directory / "people.csv").read_text()
        words = ("--schema", self.directory / "schema", "--seeds", 2, "--epsilon", 0.5)
        from_file = self.table("--data", self.directory / "people.csv", *words)
        self.assertEqual(self.table("--data", "-", *words, "--horizon", 3000, stdin=text), from_file)
        unknown = self.table("--data", "-", *words, stdin=text)
        self.assertEqual(unknown[-1], from_file[-1])  # linucb learns the same; sotto is not told how many come
        self.assertNotEqual([r["reward"] for r in unknown], [r["reward"] for r in from_file])
        early = self.good("--data", "-", *words, "--horizon", 4000, "--summary", stdin=text)
        self.assertIn("fewer people came than were announced", early)
        self.assertNotIn("Epsilon", early)
        self.assertIn("here on all", self.good("--data", "-", *words, "--summary", stdin=text))

    def test_shared_parameters_learn_too(self):
        found = self.summary(*self.rows, "--parameters", "shared", "--method", "sotto-ols", "--epsilon", 4, "--seeds", 5,
                             "--horizon", 600)
        self.assertEqual(found["linucb", float("inf")]["verdict"], "better than one arm for all")
        self.assertIn("sotto-ols", {method for method, _ in found})

    def test_logit_has_its_own_baseline(self):
        found = self.summary(*self.rows, "--link", "logit", "--epsilon", 4, "--seeds", 5)
        self.assertEqual({method for method, _ in found}, {"sotto", "best-arm", "glm", "glm-ucb", "majority-arm", "random-arm"})
        self.assertEqual(found["sotto", 4]["reason"], "learnt")

    def test_warmup_is_at_random(self):
        rows = self.table(*self.rows, "--warmup", 3000, "--epsilon", 8, "--seeds", 2)
        rewards = [float(r["reward"]) / 3000 for r in rows if r["method"] == "sotto" and r["t"] == "3000"]
        for reward in rewards:  # a chance of 1/2 over 3000 people: 5 standard deviations are 0.046
            self.assertAlmostEqual(reward, 0.5, delta=0.046)


@unittest.skipIf(os.environ.get("SANITIZE"), SLOW)
class Verdicts(Case):
    def test_what_is_learnt(self):
        found = self.summary(*self.rows, "--method", "sotto,ldp-ols", "--epsilon", "0.05,4", "--seeds", 6)
        self.assertEqual(list(next(iter(found.values()))), SUMMARY)
        best, worse, linucb = found["sotto", 4], found["ldp-ols", 4], found["linucb", float("inf")]
        self.assertEqual((best["reason"], best["verdict"]), ("learnt", "better than one arm for all"))
        self.assertEqual(worse["reason"], "learnt")  # the best private method of an epsilon is judged
        self.assertLess(float(worse["share"]), float(best["share"]))
        self.assertTrue(float(best["lead_lo"]) > 0 and float(best["best_arm_lead_lo"]) > 0, best)
        self.assertEqual((best["devices"], found["sotto", 0.05]["devices"], linucb["devices"]), ("refuse", "accept", ""))
        self.assertTrue(0.25 <= float(best["share_lo"]) <= float(best["share"]) <= float(best["share_hi"]))
        self.assertEqual([float(linucb[key]) for key in ("share", "share_lo", "share_hi")], [1, 1, 1])
        self.assertEqual((linucb["reason"], linucb["people_needed"]), ("", "nan"))
        self.assertNotEqual(found["sotto", 0.05]["reason"], "learnt")
        self.assertGreater(int(found["sotto", 0.05]["people_needed"]), 3000)
        arm = found["best-arm", 4]
        self.assertEqual((arm["verdict"], arm["best_arm_lead_lo"]),
                         ("one arm for all: what this epsilon buys without context", "nan"))
        majority, chance = found["majority-arm", float("inf")], found["random-arm", float("inf")]
        labels = [line[-3:] == "yes" for line in (self.directory / "people.csv").read_text().splitlines()[1:]]
        self.assertAlmostEqual(float(majority["reward_mean"]), sum(labels) / 3000, places=12)
        self.assertEqual((float(chance["reward_mean"]), chance["verdict"]), (0.5, ""))
        words = self.good(*self.rows, "--epsilon", 4, "--seeds", 6, "--summary")
        self.assertTrue(words.startswith("Recommendation: sotto at epsilon 4. It learns from these 3000 people. Devices refuse "
                                         "epsilon 4 by default: they accept 2 per report and 8 over a life."), words)
        self.assertRegex(words, r"\nEpsilon 4: learnt\. sotto is ahead of the majority arm by 0\.\d+ \(0\.\d+ to 0\.\d+\), and "
                                r"is ahead of best-arm by .*; it wins \d+ % \(\d+ to \d+ %\) of the lead of linucb\.")
        self.assertRegex(words, r"\nsotto +4 .* better than one arm for all; devices refuse this epsilon\n")
        self.assertIn("lead of linucb over that arm, 0.41.", words)
        self.assertIn("The majority arm is yes", words)
        for absent in ("people's rows", "takes about", "because of privacy"):
            self.assertNotIn(absent, words)

    def test_labels_that_rows_say_nothing_of(self):
        blind = self.file("blind.csv", people(3000, lambda u, draw: draw.random() < 0.7, seed=3))
        words = ("--data", blind, "--schema", self.directory / "schema", "--seeds", 6)
        found = self.summary(*words, "--epsilon", 0.3)
        self.assertEqual((found["sotto", 0.3]["reason"], found["sotto", 0.3]["share"], found["sotto", 0.3]["people_needed"]),
                         ("no-signal", "nan", "nan"))
        said = self.good(*words, "--epsilon", 0.3, "--summary")
        nothing = "Recommendation: nothing to learn from contexts; give everybody one arm (best-arm finds it). Even without privacy, linucb is "
        self.assertTrue(said.startswith(nothing), said)
        self.assertIn("\nEpsilon 0.3: nothing to learn. sotto ", said)
        self.assertTrue(self.good(*words, "--method", "linucb", "--summary").startswith(nothing))
        flip = itertools.cycle((False, True))
        even = self.file("even.csv", people(2000, lambda u, draw: next(flip), seed=4))
        words = ("--data", even, "--schema", self.directory / "schema", "--epsilon", 0.1, "--seeds", 6)
        found = self.summary(*words)["sotto", 0.1]
        self.assertEqual((found["verdict"], found["reason"]), ("no better than chance", "unknown"))
        said = self.good(*words, "--summary")
        self.assertTrue(said.startswith("Recommendation: one arm for all (best-arm), until more is known."), said)
        self.assertIn("cannot tell with 6 seeds whether there is anything to learn. sotto earns between 0.", said)
        self.assertRegex(said, r"Without privacy, linucb earns between 0\.\d+ less and 0\.\d+ more than the majority arm")

    def test_one_arm_that_nobody_can_beat(self):
        labels = ["no"] * 1999 + ["yes"]
        random.Random(1).shuffle(labels)
        data = self.file("nobody.csv", "u,v,w,y\n" + "".join(f"{i % 7 / 7},1,a,{y}\n" for i, y in enumerate(labels)))
        found = self.summary("--data", data, "--schema", self.directory / "schema", "--epsilon", "1,8", "--seeds", 5)
        self.assertEqual({found["sotto", e]["reason"] for e in (1, 8)}, {"no-signal"})
        same = self.file("same_label.csv", "u,v,w,y\n" + "0.5,1,a,no\n" * 400)
        self.assertTrue(self.good("--data", same, "--schema", self.directory / "schema", "--seeds", 5, "--summary").startswith(
            "Recommendation: nothing to learn from contexts; give everybody one arm (best-arm finds it). Even without privacy, linucb is not ahead"))

    def test_two_people(self):
        data = self.file("two.csv", "u,v,w,y\n0.5,1,a,no\n-0.5,2,b,yes\n")
        said = self.good("--data", data, "--schema", self.directory / "schema", "--seeds", 5, "--summary")
        self.assertTrue(said.startswith("No recommendation: 2 people are too few to compare methods"), said)
        self.assertIn("nothing is known yet", said)

    def test_people_are_counted_once(self):
        words = (*self.rows, "--seeds", 5, "--epsilon", "1,2", "--passes", 5, "--summary")
        said = self.good(*words)
        self.assertIn("from these 3000 people", said)
        self.assertIn("people.csv: 3000 people, ", said)
        self.assertIn("Devices refuse epsilon 2 times 5 passes by default: they accept 2 per report and 8 over a life.", said)
        self.assertNotIn("Devices refuse epsilon 1", said)

    def test_privacy_is_to_blame_where_columns_are_many(self):
        draw = random.Random(7)
        lines = ["u,city,job,y"]
        for _ in range(3000):
            u = draw.uniform(-1, 1)
            lines.append(f"{u:.4f},{draw.randrange(30)},{draw.randrange(8)},{'yes' if u > -0.2 else 'no'}")
        data = self.file("wide.csv", "\n".join(lines) + "\n")
        schema = self.file("wide.schema", "number u -1 1\ncategory city 0..29\ncategory job 0..7\nlabel y no yes\n")
        words = ("--data", data, "--schema", schema, "--epsilon", "0.2,8", "--seeds", 6)
        found = self.summary(*words)
        self.assertEqual(found["sotto", 8]["reason"], "learnt")
        self.assertIn(found["sotto", 0.2]["reason"], ("privacy", "one-arm"))
        self.assertGreater(float(found["ols", float("inf")]["share_lo"]), 0.25)
        alone = self.summary(*words, "--epsilon", 0.2)["sotto", 0.2]
        self.assertEqual(alone["people_needed"], found["sotto", 0.2]["people_needed"])  # whatever else is asked for
        said = self.good(*words, "--epsilon", 0.2, "--summary")
        self.assertTrue(said.startswith("Recommendation: one arm for all (best-arm)"), said)
        self.assertRegex(said, r"\nEpsilon 0\.2: (.* learnt, because of privacy|worse than one arm for all)\. sotto .* Without "
                               r"privacy, greedy ols wins .* of the lead of linucb\. To win 25 % takes about \d+ people; there are 3000\. This estimate is "
                               r"from sotto plan only, and may be far off\.\n")
        self.assertNotIn("city", said)  # the number of levels is no reason to leave a column out

    def test_exploration_is_to_blame_where_greedy_fails_too(self):
        # Arm no is right for nearly everybody, so whoever is greedy never tries the other one.
        stuck = self.file("stuck.csv", people(3000, lambda u, draw: u > 0.8 and draw.random() < 0.7, seed=5))
        words = ("--data", stuck, "--schema", self.directory / "schema", "--epsilon", 1, "--seeds", 20)
        found = self.summary(*words)
        self.assertEqual(found["sotto", 1]["reason"], "exploration")
        self.assertIn("Only linucb, which explores, learns it", self.good(*words, "--summary"))

    def test_the_last_tenth_is_a_tenth(self):
        labels = ["no"] * 900 + ["yes"] * 100
        rows = "".join(f"0,0,a,{label}\n" for label in labels)
        data = self.file("tenth.csv", "u,v,w,y\n" + rows)
        words = ("--data", data, "--schema", self.directory / "schema", "--order", "file", "--method", "ols", "--seeds", 1)
        majority = self.summary(*words)["majority-arm", float("inf")]
        self.assertEqual((float(majority["reward_mean"]), float(majority["last_mean"])), (0.9, 0))
        last = self.summary(*words, "--horizon", 910)["majority-arm", float("inf")]["last_mean"]
        self.assertAlmostEqual(float(last), 81 / 91, places=12)

    def test_labels_below_one_half_are_learnt(self):
        # No label has a chance above 0.45 anywhere, so the median of every reward is 0 and says nothing.
        draw = random.Random(5)
        lines = ["u,y"]
        for _ in range(6000):
            u = draw.uniform(-1, 1)
            lines.append(f"{u:.4f},{draw.choices('pqrs', (45, 5, 25, 25) if u > 0 else (5, 45, 25, 25))[0]}")
        data = self.file("below.csv", "\n".join(lines) + "\n")
        schema = self.file("below.schema", "number u -1 1\nlabel y p q r s\n")
        found = self.summary("--data", data, "--schema", schema, "--epsilon", 8, "--seeds", 2)
        self.assertGreater(float(found["sotto", 8]["reward_mean"]), 0.32)  # chance: 0.25; the best there is: 0.45

    def test_few_seeds_tell_too_little(self):
        self.assertEqual(self.summary(*self.rows, "--seeds", 4, "--horizon", 600)["sotto", 1]["verdict"],
                         "too few seeds to tell")

    def test_summary_as_json(self):
        lines = [json.loads(line) for line in self.good(*self.rows, "--seeds", 2, "--horizon", 600, "--summary",
                                                            "--json").splitlines()]
        self.assertEqual([line["method"] for line in lines], ["sotto", "best-arm", "ols", "linucb", "majority-arm", "random-arm"])
        self.assertEqual(list(lines[0]), SUMMARY)
        self.assertIsNone(lines[2]["epsilon"])
        self.assertEqual((lines[0]["share"], lines[0]["reason"], lines[0]["people_needed"]), (None, "", None))  # 2 seeds


class Schemas(Case):
    def test_a_draft_is_a_schema_that_says_where_it_comes_from(self):
        draft = self.good("--data", self.directory / "people.csv", "--label", "y", "--ignore", "v,w", "--draft")
        self.assertIn("ranges data", draft)
        self.assertIn("ignore v", draft)
        words = ("--data", self.directory / "people.csv", "--seeds", 1)
        played = self.table(*words, "--schema", self.file("draft.schema", draft))
        self.assertEqual({row["ranges"] for row in played}, {"data"})
        self.assertEqual(self.table(*words, "--label", "y", "--ignore", "v,w", "--ranges-from-data"), played)
        edited = self.file("edited.schema", draft.replace("ranges data", "ranges public"))
        self.assertEqual({row["ranges"] for row in self.table(*words, "--schema", edited)}, {"public"})
        for form in ("--csv", "--json"):
            self.assertIn("data", self.good(*words, "--label", "y", "--ranges-from-data", "--summary", form))
        self.assertIn("taken from people's rows: epsilon does not cover that",
                      self.good(*words, "--label", "y", "--ranges-from-data", "--summary"))

    def test_describe_counts(self):
        odd = self.file("odd.csv", "u,v,w,y\n0.5,1,a,yes\n7,,d,no\n0.1,3,b,yes\n-0.1,11,b,yes\n")
        words = ("--data", odd, "--schema", self.directory / "schema", "--describe")
        found = json.loads(self.good(*words, "--json"))
        for key, value in {"rows": 4, "columns": 4, "numbers": 2, "categories": 1, "ignored": 0, "missing": 1,
                           "clipped": 2, "unknown": 1, "arms": 2, "shares": [0.25, 0.75], "ranges": "public",
                           "bytes": odd.stat().st_size}.items():
            self.assertEqual(found[key], value, key)
        self.assertGreater(found["mb_per_second"], 0)
        said = self.good(*words)
        self.assertRegex(said, r"rows +4 ")
        self.assertRegex(said, r"yes +0.7500")

    def test_libsvm(self):
        draw = random.Random(5)
        lines = []
        for _ in range(500):
            u = draw.uniform(-1, 1)
            lines.append(f"{1 if u > 0 else -1} 1:{u:.3f} 3:{draw.uniform(0, 2):.3f}")
        data = self.file("rows.libsvm", "\n".join(lines) + "\n")
        words = ("--data", data, "--format", "libsvm", "--ranges-from-data", "--method", "ols", "--seeds", 5)
        self.assertEqual(self.summary(*words)["ols", float("inf")]["verdict"], "better than one arm for all")


class Logs(Case):
    def test_wrong_labels_earn_by_a_table(self):
        """Most people are `no`, but a missed `yes` costs much: the best arm for all is not the commonest."""
        self.file("costs.csv", "y,no,yes\nno,1,0\nyes,-9,1\n")
        schema = self.file("costs.schema", SCHEMA + "rewards costs.csv\n")
        data = self.file("costs_people.csv", people(4000, lambda u, draw: u > 0.5))
        words = ("--data", data, "--schema", schema, "--seeds", 2, "--epsilon", 8)
        played = sotto("replay", *words, "--checkpoints", 4000)
        self.assertEqual(played.returncode, 0, played.stderr)
        rows = list(csv.DictReader(io.StringIO(played.stdout)))
        self.assertEqual(len(rows), 4 * 2)
        yes = sum(line.endswith("yes") for line in data.read_text().splitlines())
        for row in rows:
            self.assertAlmostEqual(float(row["reward"]) + float(row["regret"]), 4000)
        lines = {key[0]: line for key, line in self.summary(*words).items()}
        self.assertNotIn("majority-arm", lines)
        self.assertAlmostEqual(float(lines["fixed-arm"]["reward_mean"]), yes / 4000)
        self.assertAlmostEqual(float(lines["random-arm"]["reward_mean"]), (4000 - yes - 8 * yes) / 8000)
        self.assertGreater(float(lines["linucb"]["last_mean"]), 0.5)
        self.assertIn("The best fixed arm is yes", played.stderr)
        judged = ("--data", data, "--schema", schema, "--seeds", 6, "--epsilon", 8)
        lines = {key[0]: float(line["last_mean"]) for key, line in self.summary(*judged).items()}
        said = re.search(r"lead of linucb over that arm, ([0-9.]+)\.\n", self.good(*judged, "--summary"))
        self.assertAlmostEqual(float(said[1]), lines["linucb"] - lines["fixed-arm"], delta=0.01)  # not over 10, the range

    def exported(self, name, *words):
        """The words that play what was exported."""
        target = self.directory / name
        self.assertEqual(self.good(*words, "--export-vw", target, "--quiet"), "")
        return "--data", target, "--schema", f"{target}.schema"

    def test_exported_people_are_the_same(self):
        play = ("--seeds", 1, "--epsilon", 4)
        words = self.exported("people.vw", *self.rows)
        self.assertEqual(self.good(*self.rows, *play, "--quiet"), self.good(*words, *play, "--quiet"))
        first = (self.directory / "people.vw").read_text().splitlines()[0]
        self.assertRegex(first, r"^[12] \| u:-?[0-9.]+ v:[0-9.]+ w=[abc]$")
        words = self.exported("log.vw", *self.events)
        self.assertEqual(self.good(*self.events, *play, "--quiet"), self.good(*words, *play, "--quiet"))
        first = (self.directory / "log.vw").read_text().splitlines()[0]
        self.assertRegex(first, r"^[123]:(0|-1):0\.(25|5) \| u:-?[0-9.]+$")
        said = sotto("replay", *self.rows, "--export-vw", self.directory / "again.vw").stderr
        self.assertIn("3000 people are in", said)

    def test_exports_that_cannot_be(self):
        self.bad(2, "--export-vw and --describe: give only one of them",
                 words=(*self.rows, "--describe", "--export-vw", self.directory / "x.vw"))
        self.bad(2, "--export-vw", "is the file of --data, and would be overwritten",
                 words=(*self.rows, "--export-vw", self.directory / "people.csv"))
        schema = self.file("own.schema", SCHEMA)
        self.bad(2, "--export-vw", "is the file of --schema, and would be overwritten",
                 words=("--data", self.directory / "people.csv", "--schema", schema, "--export-vw", self.directory / "own"))
        self.bad(1, "cannot write", words=(*self.rows, "--export-vw", self.directory / "none" / "x.vw"))
        words = self.exported("once.vw", *self.rows)
        self.bad(1, "the data are VW text already", words=(*words, "--export-vw", self.directory / "twice.vw"))

    def test_vw_text_with_names_of_its_own(self):
        """Words that no schema knows share buckets; blocks of lines are events."""
        draw = random.Random(3)
        lines, blocks = [], []
        for _ in range(2000):
            good, place = draw.random() < 0.5, draw.randrange(2)
            words = " ".join(draw.choice(("sun", "sea") if good else ("rain", "fog")) for _ in range(3))
            lines.append(f"{2 if good else 1} |text {words}")
            earned = int(draw.random() < (0.9 if (place == 1) == good else 0.1))
            actions = [f"0:{-earned}:0.5 | p:{k}" if k == place else f"| p:{k}" for k in range(2)]
            blocks.append("\n".join([f"shared |text {words}", *actions]))
        data = self.file("words.vw", "\n".join(lines) + "\n")
        schema = self.file("words.schema", "format vw\nhash 16\nlabel weather 1 2\n")
        line = self.summary("--data", data, "--schema", schema, "--seeds", SEEDS)[("linucb", float("inf"))]
        self.assertGreater(float(line["last_mean"]), 0.85)
        data = self.file("blocks.vw", "\n\n".join(blocks) + "\n")
        schema = self.file("blocks.schema", "format vw-adf\nhash 16\nothers ignore\naction go in out\n"
                           "reward r 0 1\npropensity p\n")
        line = self.summary("--data", data, "--schema", schema, "--seeds", SEEDS)[("linucb", float("inf"))]
        self.assertGreater(float(line["ips"]), 0.7)  # a random arm earns 0.5, the best one 0.9

    def test_features_of_arms_are_shared(self):
        """Twelve arms along a line; whoever has u likes those near it. One vector of few numbers knows all arms."""
        arms = [f"a{i}" for i in range(12)]
        place = [-1 + 2 * i / 11 for i in range(12)]
        self.file("arms.csv", "item,place,square\n" + "".join(
            f"{a},{z:.4f},{z * z:.4f}\n" for a, z in zip(arms, place)))
        draw = random.Random(5)
        lines = ["u,item,r,p"]
        for _ in range(6000):
            u, arm = draw.uniform(-1, 1), draw.randrange(12)
            lines.append(f"{u:.4f},{arms[arm]},{int(draw.random() < 0.9 - abs(u - place[arm]) / 2.2)},{1 / 12:.6f}")
        data = self.file("arms_log.csv", "\n".join(lines) + "\n")
        schema = self.file("arms.schema", "number u -1 1\naction item a0..11\nreward r 0 1\npropensity p\n"
                           "arms arms.csv\narm number place -1 1\narm number square 0 1\n")
        words = ("--data", data, "--schema", schema, "--seeds", SEEDS)
        shared = self.summary(*words, "--parameters", "shared")[("linucb", float("inf"))]
        apart = self.summary(*words)[("linucb", float("inf"))]
        self.assertGreater(float(shared["ips"]), float(apart["ips"]) + 0.02)
        self.assertIn("2 features of arms, so vectors of 5 numbers", self.good(*words, "--summary", "--parameters", "shared"))
        self.assertIn("do not use the features of arms", self.good(*words, "--summary"))
        self.assertEqual(json.loads(self.good(*words[:4], "--describe", "--json"))["arm_features"], 2)

    def test_a_table_of_rewards_that_does_not_fit(self):
        table = self.file("costs.csv", "y,no,yes\nno,1,0\nmaybe,-9,1\n")
        schema = self.file("bad.schema", SCHEMA + "rewards costs.csv\n")
        self.bad(1, f'{table}: line 3, column "y": "maybe" is not one of no yes',
                 words=("--data", self.directory / "people.csv", "--schema", schema))

    def test_rows_of_a_log(self):
        rows = self.table(*self.events, "--method", "sotto", "--epsilon", 8, "--seeds", 2, "--checkpoints", "1,100")
        self.assertEqual(list(rows[0]), LOG_ROW)
        self.assertEqual([r["t"] for r in rows[:3]], ["1", "100", "6000"])
        for row in rows:
            if row["t"] != "6000":
                continue
            self.assertLess(float(row["replay_lo"]), float(row["replay"]))
            self.assertGreater(float(row["ips_hi"]), float(row["ips"]))
            self.assertLessEqual(float(row["effective_size"]), 6000)

    def test_a_constant_chance_is_as_good_as_a_column_of_it(self):
        with_column = log(2000, lambda u: (0.25, 0.25, 0.25), seed=3)
        without = "".join(line.rsplit(",", 1)[0] + "\n" for line in with_column.splitlines())
        data = (self.file("column.csv", with_column), self.file("constant.csv", without))
        words = ("--action", "arm", "--reward", "r", "--ranges-from-data", "--seeds", 2)
        self.assertEqual(self.good("--data", data[0], *words, "--propensity", "p"),
                         self.good("--data", data[1], *words, "--propensity", "0.25"))
        self.assertIn("propensity constant 0.25\n",
                      self.good("--data", data[1], *words[:4], "--propensity", "0.25", "--draft"))
        self.bad(1, 'column "1.5" is not in the file', words=("--data", data[1], *words, "--propensity", "1.5"))

    def test_propensities_that_cannot_be_are_told(self):
        data = self.file("thirds.csv", log(2000, lambda u: (1 / 3, 1 / 3, 1 / 3), seed=3))
        words = ("--data", data, "--action", "arm", "--reward", "r", "--ranges-from-data", "--ignore", "p", "--seeds", 2)
        for chance, said in (("0.25", "The propensities are wrong: according to them an event had 4 arms to choose from, but there are 3."),
                             ("0.5", "By the propensities an event had 2 of 3 arms to choose from. If it had all of them, ")):
            self.assertIn(said, self.good(*words, "--propensity", chance, "--summary"))
        self.assertNotIn("arms to choose from", self.good(*words, "--propensity", "0.33", "--summary"))
        self.assertNotIn("arms to choose from", self.good(*self.events, "--seeds", 2, "--summary"))

    def test_a_policy_that_learns_beats_the_log(self):
        found = self.summary(*self.events, "--epsilon", 8, "--seeds", 3)
        self.assertEqual(list(next(iter(found.values()))), LOG_SUMMARY)
        best = found["linucb", float("inf")]
        self.assertEqual(best["verdict"], "better than one arm for all")
        self.assertEqual((found["sotto", 8]["reason"], found["sotto", 8]["devices"]), ("learnt", "refuse"))
        self.assertAlmostEqual(float(best["lead_lo"]) + float(best["lead_hi"]), 2 * (float(best["self_normalised"]) - float(
            found["fixed-arm", float("inf")]["self_normalised"])), places=9)
        self.assertGreater(float(best["replay"]), 0.7)  # 0.8 is the best there is
        self.assertAlmostEqual(float(best["replay"]), float(best["ips"]), delta=0.08)
        # 6000 events, thinned to chances of 1/4, agreed with once in 4
        self.assertAlmostEqual(float(best["learnt"]), 1500, delta=200)
        logging = found["logging", float("inf")]
        rewards = [int(line.split(",")[2]) for line in (self.directory / "log.csv").read_text().splitlines()[1:]]
        self.assertAlmostEqual(float(logging["ips"]), sum(rewards) / 6000, places=12)
        arm = found["fixed-arm", float("inf")]
        self.assertTrue(float(arm["ips_lo"]) < 0.45 < float(arm["ips_hi"]))  # x or y: (0.8 + 0.1)/2
        said = self.good(*self.events, "--epsilon", 8, "--seeds", 2, "--summary")
        self.assertTrue(said.startswith("Recommendation: sotto at epsilon 8. It learns from these 6000 events. Devices refuse"), said)
        self.assertIn("the best of 3 in hindsight", said)
        self.assertIn("0 % of events have a propensity below the clip, 0.01", said)

    def test_to_beat_the_log_is_not_enough(self):
        """One arm is the best for everybody: whoever finds it beats the log, and not that arm."""
        draw = random.Random(3)
        rows = [f"{draw.uniform(-1, 1):.4f},{arm},{int(draw.random() < good)},{1 / 3}"
                for arm, good in (draw.choice((("x", 0.2), ("y", 0.3), ("z", 0.6))) for _ in range(4000))]
        data = self.file("fixed.csv", "u,arm,r,p\n" + "\n".join(rows) + "\n")
        words = ("--data", data, "--schema", self.directory / "log.schema", "--epsilon", 8, "--seeds", 3)
        found = self.summary(*words)
        self.assertGreater(float(found["linucb", float("inf")]["ips_lo"]), float(found["logging", float("inf")]["ips_hi"]))
        self.assertNotIn("better", found["linucb", float("inf")]["verdict"].replace("better than the logging policy", ""))
        self.assertEqual(found["sotto", 8]["reason"], "no-signal")
        self.assertTrue(self.good(*words, "--summary").startswith("Recommendation: nothing to learn"))

    def test_logs_that_tell_nothing(self):
        one = self.file("one_arm.csv", "u,arm,r,p\n" + "".join(f"0.5,x,{i % 2},0.5\n" for i in range(400)))
        words = ("--schema", self.directory / "log.schema", "--seeds", 2, "--summary")
        said = self.good("--data", one, *words)
        self.assertTrue(said.startswith("No recommendation: the log gave one arm only.\n"), said)
        same = self.file("same_reward.csv", "u,arm,r,p\n" + "".join(f"0.5,{'xyz'[i % 3]},1,0.5\n" for i in range(400)))
        self.assertTrue(self.good("--data", same, *words).startswith(
            "Recommendation: nothing to learn; give everybody one arm. All rewards are the same.\n"))
        few = self.file("few.csv", "u,arm,r,p\n0.5,x,1,0.01\n0.2,y,0,0.5\n0.1,z,1,0.01\n0.3,x,0,0.5\n")
        said = self.good("--data", few, *words)
        self.assertTrue(said.startswith("Recommendation: one arm for all (best-arm), until more is known. With these 4 events no "),
                        said)
        self.assertIn("agrees with too few events to be compared with the best fixed arm", said)
        for data, colour in ((same, "1;31"), (one, "1"), (few, "1")):
            shown = verdict_on_terminal("replay", "--data", data, *words)
            if shown is not None:
                self.assertRegex(shown, rf"\A\033\[{colour}m(Recomm|No recomm)[^\033]*\.\033\[0m[ \n]")
        self.assertIn("nothing is known yet: the interval holds ", said)

    def test_a_summary_is_of_one_log(self):
        # With equal chances the effective size is the number of events agreed on.
        words = ("--data", self.file("equal.csv", log(2000, lambda u: (1 / 3, 1 / 3, 1 / 3), seed=8)),
                 "--schema", self.directory / "log.schema", "--method", "random", "--seeds", 4)
        ends = [row for row in self.table(*words, "--checkpoints", 2000) if row["method"] == "random"]
        found = self.summary(*words)["random", float("inf")]
        self.assertEqual(len(ends), 4)
        for key in ("learnt", "effective_size", "ips"):
            mean = sum(float(row[key]) for row in ends) / 4
            self.assertAlmostEqual(float(found[key]), mean, places=9)
        reach = sum(float(row["ips_hi"]) - float(row["ips"]) for row in ends) / 4
        self.assertAlmostEqual(float(found["ips_hi"]) - float(found["ips"]), reach, delta=0.05 * reach)

    def test_five_estimates_of_one_policy(self):
        # Rewards are a step of u, so a linear model is wrong for who learns the step; a random arm earns 1/3.
        words = (*self.events, "--method", "random", "--seeds", 3)
        found = self.summary(*words)
        best, chance = found["linucb", float("inf")], found["random", float("inf")]
        for name in ESTIMATORS:
            for end in ("", "_bootstrap"):
                lo, hi = float(chance[name + end + "_lo"]), float(chance[name + end + "_hi"])
                self.assertTrue(lo < float(chance[name]) < hi and lo < 1 / 3 < hi, (name, chance))
        self.assertLess(float(best["direct_hi"]), float(best["doubly_robust_lo"]))
        self.assertAlmostEqual(float(best["doubly_robust"]), float(best["ips"]), delta=0.03)
        self.assertEqual((best["unavailable"], float(best["unseen_share"])), ("", 0))
        self.assertEqual(found["logging", float("inf")]["direct"], "nan")
        said = self.good(*words, "--summary")
        self.assertIn("All five value the method while it learns along the log", said)
        self.assertIn("do not include the bias of a wrong model.", said)
        self.assertEqual(len([line for line in said.splitlines() if " doubly_robust " in line]), 3)

    def test_what_the_estimates_cannot_tell(self):
        pipe = sotto("replay", "--data", "-", "--schema", self.directory / "log.schema", "--seeds", 1, "--summary", "--quiet",
                     stdin=(self.directory / "log.csv").read_text())
        self.assertEqual(pipe.returncode, 0, pipe.stderr)
        self.assertIn("cannot tell: the reward model reads the log first, and a pipe is read once", pipe.stdout)
        rows = "u,arm,r,p\n" + "0.5,x,1,0.5\n" * 5
        small = ("--data", self.file("small.csv", rows), "--schema", self.directory / "log.schema", "--seeds", 1)
        found = [json.loads(line) for line in self.good(*small, "--summary", "--json").splitlines()]
        self.assertIsNone(found[0]["direct"])
        self.assertIn("direct: cannot tell: the reward model needs at least 10 events", found[0]["unavailable"])
        rows = "u,arm,r,p\n" + "0.5,x,1,0.5\n" * 500
        same = ("--data", self.file("same.csv", rows), "--schema", self.directory / "log.schema", "--method", "random",
                "--seeds", 2, "--summary")
        said = self.good(*same)
        self.assertRegex(said, "direct .* cannot tell: all events give the same value")
        self.assertRegex(said, r"6\d(\.\d)? % of the choices of random are arms that the log never gave")

    def test_a_log_that_favours_an_arm_misleads_nobody(self):
        # The log gives x mostly where it earns: a plain mean of matched events would flatter random arms.
        skewed = self.file("skewed.csv", log(8000, lambda u: (0.8, 0.1, 0.1) if u > 0 else (0.1, 0.1, 0.8), seed=6))
        words = ("--data", skewed, "--schema", self.directory / "log.schema", "--method", "random", "--seeds", 3)
        found = self.summary(*words)["random", float("inf")]
        truth = (0.8 + 0.1 + 0.1) / 3
        self.assertTrue(float(found["replay_lo"]) < truth < float(found["replay_hi"]), found)
        self.assertTrue(float(found["ips_lo"]) < truth < float(found["ips_hi"]), found)
        clipped = self.good(*words, "--clip", 0.2, "--summary")
        self.assertRegex(clipped, r"[1-9][0-9.]* % of events have a propensity below the clip, 0.2")


class Figures(Case):
    def test_a_figure_of_reward_against_epsilon(self):
        if shutil.which("rsvg-convert") is None:
            self.skipTest("no rsvg-convert here")
        words = (*self.rows, "--method", "sotto", "--epsilon", "8,1", "--seeds", 2, "--horizon", 600)
        self.good(*words, "--quiet", "--figure", self.directory / "fig")
        for ending in (".csv", ".svg", ".png", ".pdf"):
            self.assertGreater((self.directory / f"fig{ending}").stat().st_size, 100)
        with open(self.directory / "fig.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["curve"], float(r["x"])) for r in rows],
                         [("sotto", 1), ("sotto", 8), ("best-arm", 1), ("best-arm", 8), ("ols", 1), ("ols", 8), ("linucb", 1), ("linucb", 8), ("the majority arm", 1), ("the majority arm", 8)])
        found = self.summary(*words)
        self.assertEqual(float(rows[1]["y"]), float(found["sotto", 8]["reward_mean"]))
        self.bad_figure()

    def bad_figure(self):
        result = sotto("replay", *self.rows, "--seeds", 1, "--summary", "--figure", "/nowhere/fig")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--figure /nowhere/fig", result.stderr)


class Review(Case):
    """What a reader of the numbers could have been misled by."""

    def last_events(self, *words):
        rows = self.table(*words)
        return [row for row in rows if row["t"] == rows[-1]["t"]]

    def test_a_log_is_played_once(self):
        self.bad(2, "--passes = 2", "a log is played once", words=(*self.events, "--passes", 2))

    @unittest.skipIf(os.environ.get("SANITIZE"), SLOW)
    def test_later_passes_are_not_judged(self):
        words = (*self.rows, "--seeds", 5, "--epsilon", 2)
        once, thrice = self.summary(*words, "--method", "linucb"), self.summary(*words, "--method", "linucb", "--passes", 3)
        line, again = once["linucb", float("inf")], thrice["linucb", float("inf")]
        # linucb is not told how many will come: its first pass is the same, and so is the last tenth of it
        self.assertEqual([line[key] for key in ("last_mean", "last_se", "verdict")],
                         [again[key] for key in ("last_mean", "last_se", "verdict")])
        self.assertNotEqual(line["reward_mean"], again["reward_mean"])
        self.assertEqual((line["passes"], line["t"], again["passes"], again["t"]), ("1", "3000", "3", "9000"))
        words = (*self.rows, "--seeds", 1, "--epsilon", 2)
        said = self.good(*words, "--passes", 3, "--summary")
        self.assertIn("3 passes: a person met 3 times spends 3 times epsilon and delta", said)
        self.assertIn("last tenth of people of the first pass", said)
        self.assertIn("Later passes meet people who were learnt from", said)
        self.assertNotIn("ater passes", self.good(*words, "--summary"))
        for row in self.table(*words, "--passes", 2):
            self.assertEqual(row["passes"], "2")
        for part in ((), ("--summary",)):
            first = self.good(*words, "--passes", 2, "--json", *part).splitlines()[0]
            self.assertEqual(json.loads(first)["passes"], 2)

    def test_rewards_of_any_unit_teach_the_same(self):
        lines = (self.directory / "log.csv").read_text().splitlines()[:2001]
        rows = [line.split(",") for line in lines[1:]]
        scale = [",".join((u, arm, str(100 * int(r)), p)) for u, arm, r, p in rows]
        shift = [",".join((u, arm, str(2 * int(r) - 7), p)) for u, arm, r, p in rows]
        found = []
        for name, text, lo, hi in (("unit", lines[1:], 0, 1), ("scale", scale, 0, 100), ("shift", shift, -7, -5)):
            data = self.file(f"{name}.csv", "\n".join(lines[:1] + text) + "\n")
            schema = self.file(f"{name}.schema", LOG_SCHEMA.replace("r 0 1", f"r {lo} {hi}"))
            found.append(self.last_events("--data", data, "--schema", schema, "--epsilon", "1,8", "--seeds", 2,
                                          "--method", "sotto,ldp-ucb"))
        for one, hundred, moved in zip(*found, strict=True):
            self.assertEqual(one["learnt"], hundred["learnt"])
            self.assertEqual(one["learnt"], moved["learnt"])
            for key in ("replay", "replay_lo", "replay_hi", "ips"):
                self.assertAlmostEqual(100 * float(one[key]), float(hundred[key]), places=9)
            self.assertAlmostEqual(2 * float(one["replay"]) - 7, float(moved["replay"]), places=9)

    def test_a_sorted_file_longer_than_a_block_is_told(self):
        draw = random.Random(9)
        rows = [f"{draw.uniform(-1, 1):.3f},{'no' if i < 45000 else 'yes'}" for i in range(75000)]
        schema = self.file("two.schema", "number u -1 1\nlabel y no yes\n")
        words = ("--schema", schema, "--method", "random", "--seeds")
        ordered = ("--data", self.file("long.csv", "\n".join(["u,y", *rows]) + "\n"), *words, 1)
        said = self.good(*ordered, "--summary")
        self.assertIn("There are no verdicts, because the file seems sorted", said)
        self.assertIn("Shuffle it first", said)
        self.assertNotIn("nothing to learn", said)
        self.assertNotIn("cannot tell", said)
        self.assertRegex(said, "random .* the file seems sorted\nols .* the file seems sorted\nlinucb .* the file seems sorted\n")
        draw.shuffle(rows)
        mixed = ("--data", self.file("mixed.csv", "\n".join(["u,y", *rows]) + "\n"), *words, 5)
        said = self.good(*mixed, "--summary")
        self.assertRegex(said, "random .* (no better than chance|worse than one arm for all)")
        self.assertNotIn("sorted", said)

    def test_what_does_not_fit_the_schema_is_told(self):
        def said(u, v, w):
            lines = [f"{u if i % 10 == 0 else 0.5},{v if i % 10 == 1 else 5},{w if i % 10 == 2 else 'a'},{'yes' if i % 2 else 'no'}"
                     for i in range(500)]
            data = self.file("counted.csv", "\n".join(["u,v,w,y", *lines]) + "\n")
            return self.good("--data", data, "--schema", self.directory / "schema", "--seeds", 1, "--summary", "--passes", 2)
        self.assertIn("\n5 % of numbers were clipped to their range.\n", said(3, 1, "b"))
        self.assertIn("\n3.33 % of fields were missing.\n", said(0.1, "", "b"))
        self.assertIn("\n10 % of categories had unknown levels.\n", said(0.1, 1, "z"))
        self.assertIn("\n5 % of numbers were clipped to their range, 3.33 % of fields were missing, 10 % of ", said(3, "", "z"))
        self.assertNotRegex(said(0.1, 1, "b"), "clipped|missing|levels|left out")
        data = self.file("unlabelled.csv", (self.directory / "people.csv").read_text() + "0,0,a,\n" * 7)
        schema = self.file("unlabelled.schema", "unlabelled skip\n" + SCHEMA)
        self.assertIn("\n7 rows without a label were left out.\n",
                      self.good("--data", data, "--schema", schema, "--seeds", 1, "--summary"))

    @unittest.skipIf(os.environ.get("SANITIZE"), SLOW)
    def test_nothing_learnt_is_said_where_it_is_certain(self):
        skewed = self.file("often.csv", people(3000, lambda u, draw: u > -0.8, seed=10))
        words = ("--data", skewed, "--schema", self.directory / "schema", "--epsilon", "2,0.5", "--seeds", 5)
        random_arms = self.good(*self.rows, *words[4:], "--warmup", 3000, "--passes", 2, "--summary")
        for epsilon in ("2", "0.5"):
            self.assertRegex(random_arms, f"Epsilon {epsilon}: (.*not learnt, because of privacy|worse than one arm for all)\\. "
                                          "sotto is behind the majority arm by ")
        self.assertNotIn("cannot tell", random_arms)
        # Half of the last tenth at random is far below the majority arm, and above chance.
        half = self.summary(*words, "--warmup", 2850)["sotto", 2]
        self.assertEqual(half["verdict"], "worse than one arm for all")
        few = self.good(*words[:-1], 4, "--warmup", 3000, "--summary")
        self.assertNotIn("Epsilon", few)
        self.assertIn("too few seeds to tell", few)

    @unittest.skipIf(os.environ.get("SANITIZE"), SLOW)
    def test_three_standard_errors_decide_what_is_said(self):
        words = (*self.rows, "--epsilon", "0.05,4", "--seeds", 6, "--method", "sotto,random", "--checkpoints", 2700)
        ends, labels = {}, [line[-3:] == "yes" for line in (self.directory / "people.csv").read_text().splitlines()[1:]]
        found = self.summary(*words, "--order", "file")
        majority = sum(labels[2700:]) / 300
        for row in self.table(*words, "--order", "file"):
            ends.setdefault((row["method"], float(row["epsilon"])), []).append(float(row["reward"]))
        last = {key: [(b - a) / 300 for a, b in zip(rewards[::2], rewards[1::2], strict=True)] for key, rewards in ends.items()}

        def span(numbers):
            mean = sum(numbers) / 6
            reach = 3 * (sum((x - mean) ** 2 for x in numbers) / 5 / 6) ** 0.5
            return mean - reach, mean + reach
        verdicts = set()
        for (method, epsilon), rewards in last.items():
            over = span([x - majority for x in rewards])
            arm = last.get(("best-arm", epsilon))
            other = span([x - y for x, y in zip(rewards, arm, strict=True)]) if arm else over
            lo, hi = span([x - 0.5 for x in rewards])
            wanted = ("one arm for all: what this epsilon buys without context" if method == "best-arm" else
                      "better than one arm for all" if over[0] > 0 and other[0] > 0 else
                      "worse than one arm for all" if other[1] < 0 else
                      "no better than chance" if lo <= 0 <= hi < 0.05 else
                      "worse than the best arm in hindsight" if over[1] < 0 else
                      "cannot be told apart from one arm for all with 6 seeds")
            self.assertEqual(found[method, epsilon]["verdict"], wanted, (method, epsilon))
            verdicts.add(wanted)
        self.assertGreaterEqual(len(verdicts), 3)

    def test_a_little_off_chance_is_not_chance(self):
        # In the order of the file greedy ols gives everybody the arm of the first 900, in all seeds alike.
        for good in (52, 48):
            labels = ["no"] * 900 + ["no", "yes"] * min(good, 100 - good) + ["no" if good > 50 else "yes"] * 4
            data = self.file("off.csv", "u,v,w,y\n" + "".join(f"0,0,a,{label}\n" for label in labels))
            line = self.summary("--data", data, "--schema", self.directory / "schema", "--order", "file", "--method", "ols",
                                "--seeds", 5)["ols", float("inf")]
            self.assertEqual((float(line["last_mean"]), float(line["last_se"])), (good / 100, 0))
            self.assertEqual(line["verdict"], "cannot be told apart from one arm for all with 5 seeds")

    def test_yardsticks_say_what_they_are_of(self):
        for words, lines in ((self.events, ("logging", "fixed-arm")), (self.rows, ("majority-arm", "random-arm"))):
            read = 6000 if words == self.events else 3000
            part = self.summary(*words, "--horizon", 100, "--seeds", 1)
            self.assertEqual([part[name, float("inf")]["t"] for name in lines], [str(read)] * 2)
            self.assertEqual(part["linucb", float("inf")]["t"], "100")
            said = self.good(*words, "--horizon", 100, "--seeds", 1, "--summary")
            self.assertIn(f"are for all {read} rows that were read; each seed plays its own 100 of them", said)
            self.assertNotIn("rows that were read", self.good(*words, "--seeds", 1, "--summary"))
            in_order = self.summary(*words, "--horizon", 100, "--seeds", 1, "--order", "file")
            self.assertEqual({line["t"] for line in in_order.values()}, {"100"})

    def test_what_methods_know_beyond_reports(self):
        self.assertIn("Besides the reports, methods know the number of people; epsilon does not cover that.",
                      self.good(*self.rows, "--seeds", 1, "--summary"))
        self.assertRegex(self.good(*self.events, "--seeds", 1, "--summary"),
                         "Besides the reports, .* propensities, of which the smallest is 0.25; epsilon does not cover these")
        text = (self.directory / "people.csv").read_text()
        self.assertNotIn("Beyond", self.good("--data", "-", "--schema", self.directory / "schema", "--seeds", 1, "--summary",
                                             "--horizon", 3000, stdin=text))

    def test_arms_with_control_characters(self):
        rows = "".join(f"{i / 100},a\x1b[31mred\n{-i / 100},b\n{i / 100},a\x1b[31mred\n" for i in range(100))
        data = self.file("escape.csv", "u,y\n" + rows)
        said = self.good("--data", data, "--label", "y", "--ranges-from-data", "--seeds", 1, "--summary")
        self.assertNotIn("\x1b", said)
        self.assertRegex(said, "The majority arm is a.*red")
        events = self.file("escape-log.csv", "u,arm,r,p\n" + rows.replace("\n", ",1,0.5\n"))
        said = self.good("--data", events, "--action", "arm", "--reward", "r", "--propensity", "p", "--ranges-from-data",
                         "--seeds", 1, "--summary")
        self.assertNotIn("\x1b", said)

    def test_epochs_are_those_of_a_server(self):
        # All contexts are the same, so an epoch gives everybody one arm. After 3,600 reports an epoch has 15, and 40
        # people see at most 3 of its ends; with a model after every report some seeds change their arm more often.
        draw = random.Random(7)
        labels = [draw.choice("abcdefgh") for _ in range(3660)]
        data = self.file("same.csv", "u,y\n" + "".join(f"0,{label}\n" for label in labels))
        schema = self.file("same.schema", "number u -1 1\nlabel y a b c d e f g h\n")
        rows = self.table("--data", data, "--schema", schema, "--order", "file", "--parameters", "shared", "--epsilon", 8,
                          "--method", "ldp-ucb", "--checkpoints", ",".join(map(str, range(3600, 3641))))
        for seed in range(1, 11):
            reward = {int(r["t"]): float(r["reward"]) for r in rows if (r["method"], r["seed"]) == ("ldp-ucb", str(seed))}
            given = [labels[t - 1] for t in range(3601, 3641) if reward[t] > reward[t - 1]]
            self.assertLessEqual(sum(a != b for a, b in zip(given, given[1:])), 3)

    def test_a_log_foresees_what_it_teaches(self):
        # Two arms with even chances: half of the events will agree, as a pipe of two arms supposes.
        draw = random.Random(11)
        text = "u,arm,r,p\n" + "".join(f"{draw.uniform(-1, 1):.4f},{draw.choice('xy')},{draw.randint(0, 1)},0.5\n" for _ in range(1000))
        data, schema = self.file("halves.csv", text), self.file("halves.schema", LOG_SCHEMA.replace("x y z", "x y"))
        words = ("--schema", schema, "--clip", 0.5, "--seeds", 4, "--epsilon", "1,8", "--method", "sotto,ldp-ucb")
        piped = self.table("--data", "-", "--horizon", 1000, *words, stdin=text)
        self.assertEqual(self.table("--data", data, *words), piped)
        self.assertNotEqual(self.table("--data", "-", *words, stdin=text), piped)  # how many matters


class RealData(Case):
    def test_magic(self):
        source = pathlib.Path(os.environ["SOURCE"])
        data = source / "../shared/data/magic/magic04.data"
        if not data.exists():
            self.skipTest("the data set is not here")
        found = self.summary("--data", data, "--schema", source / "examples/schemas/magic.schema", "--epsilon", 4,
                             "--seeds", 5, "--horizon", 3000)
        self.assertEqual(found["sotto", 4]["verdict"], "better than one arm for all")
        self.assertAlmostEqual(float(found["majority-arm", float("inf")]["reward_mean"]), 0.648, places=3)


class Drafts(Case):
    def draft(self, *words, stdin=""):
        """The schema, and what was told beside it."""
        result = sotto("replay", *words, "--draft", stdin=stdin)
        self.assertEqual(result.returncode, 0, (words, result.stderr))
        return result.stdout, result.stderr

    def test_what_is_left_out_is_told(self):
        lines = [f"{i}.5,{i},7,{i % 2}" for i in range(300)]
        lines[15] = "15.5,faulty,7,1"
        lines[20:24] = ["n/a,#N/A,7,1", "None,-,7,0", "na,.,7,1", "none,N/A,7,0"]
        data = self.file("dropped.csv", "x,z,w,y\n" + "\n".join(lines) + "\n")
        said = ('sotto replay: column z: ignored: "faulty" in line 17 is not a number, and more than 256 levels\n'
                "sotto replay: column w: ignored: all rows have the same value\n")
        schema, told = self.draft("--data", data, "--label", "y")
        self.assertEqual(told, said)
        self.assertIn('# "faulty" in line 17 is not a number, and more than 256 levels\nignore z\n', schema)
        self.assertIn("number x 0.5 299.5\n", schema)
        rough = sotto("replay", "--data", data, "--label", "y", "--ranges-from-data", "--describe", "--json")
        self.assertEqual(rough.stderr, said)
        words = ("--data", data, "--schema", self.file("dropped.schema", schema), "--describe", "--json")
        for text in (rough.stdout, self.good(*words)):  # the same words are missing when it is read back
            self.assertEqual(json.loads(text)["missing"], 4)
        self.assertEqual(self.draft("--data", data, "--label", "y", "--ignore", "z,w")[1], "")

    def test_no_feature_is_no_verdict(self):
        data = self.file("times.csv", "q;y\n" + "".join(f"0:{i};{i % 2}\n" for i in range(300)))
        for what in ("--draft", "--ranges-from-data"):
            self.bad(1, 'column "q": "0:0" in line 2 is not a number', "no other feature is left",
                     words=("--data", data, "--label", "y", what))

    def test_a_pipe_is_drafted(self):
        text = (self.directory / "people.csv").read_text()
        from_file = self.draft("--data", self.directory / "people.csv", "--label", "y")
        self.assertEqual(self.draft("--data", "-", "--label", "y", stdin=text), from_file)
        self.bad(1, "a second time", words=("--data", "-", "--label", "y", "--ranges-from-data"), stdin=text)

    def test_headers_and_separators_can_be_set(self):
        """What is guessed: tests/unit/lab/dataset/test_draft.c and test_csv.c."""
        data = self.file("numbers.csv", "0,1,2\n" + "".join(f"{i},{2 * i},{i % 2}\n" for i in range(9)))
        words = ("--data", data, "--label", "2")
        self.bad(1, '"2" is a word of the first record', "--header yes or --header no", words=(*words, "--draft"))
        for answer, line in (("yes", "label 2 0 1\n"), ("no", "number 1 0 8\n")):
            schema, _ = self.draft(*words, "--header", answer)
            self.assertIn(f"header {answer}\n", schema)
            self.assertIn(line, schema)
        schema, _ = self.draft("--data", "-", "--label", "y", "--separator", "bar", stdin='"u,,,;;;"|y\n1|0\n2|1\n')
        self.assertIn("separator bar\n", schema)
        self.bad(2, "--separator = pipe", "guess, comma, semicolon, tab, bar, blank", words=(*words, "--separator", "pipe"))
        self.bad(2, "--header = maybe", "guess, no, yes", words=(*words, "--header", "maybe"))
        for option in (("--separator", "comma"), ("--header", "no"), ("--decimal", "comma")):
            self.bad(2, f"{option[0]}: only without --schema", words=(*self.rows, *option))
            self.bad(2, f"{option[0]}: a LIBSVM file has", words=("--data", data, "--format", "libsvm", "--draft", *option))

    def test_the_same_people_in_every_spelling(self):
        rows = [f"{i / 4},{i % 3},{'ab'[i % 2]}" for i in range(40)]
        plain = "\n".join(["x,z,y", *rows]) + "\n"
        words = ("--label", "y", "--ranges-from-data", "--seeds", "2", "--data")
        wanted = self.good(*words, self.file("plain.csv", plain))
        for text in (plain.replace("\n", "\r\n"), plain.replace(",", ";").replace(".", ",")):
            self.assertEqual(self.good(*words, self.file("spelt.csv", text)), wanted)
        self.bad(1, "decimal comma: the separator cannot be a comma too", words=(*words[:2], "--data",
                 self.file("plain.csv", plain), "--draft", "--decimal", "comma"))

    def test_numbers_that_are_written_otherwise_are_named_and_never_words(self):
        data = self.file("other.csv", "x;z;y\n1.234,50;1,5;a\n2,5;2,5;b\n")
        said = ('other.csv: line 2, column "x": "1.234,50" is not a finite number: the decimal mark is a comma, and thousands '
                "separators are not read")
        words = ("--data", data, "--label", "y")
        self.bad(1, said, "; the mark was guessed: set it with --decimal point or --decimal comma", words=(*words, "--draft"))
        self.bad(1, said, words=(*words, "--ranges-from-data"))
        schema = self.file("other.schema", "separator semicolon\ndecimal comma\nnumber x 0 9\nnumber z 0 9\nlabel y a b\n")
        self.bad(1, said, words=("--data", data, "--schema", schema, "--describe"))

    def test_packed_files_are_the_same_people(self):
        """What is wrong with a packed file: tests/unit/lab/dataset/test_source.c."""
        plain = b"".join((self.directory / "people.csv").read_bytes().splitlines(keepends=True)[:601])
        few, packed = self.directory / "few.csv", self.directory / "few.csv.gz"
        few.write_bytes(plain)
        packed.write_bytes(gzip.compress(plain))
        words = ("--label", "y", "--ranges-from-data", "--method", "sotto", "--seeds", "1", "--passes", "2", "--data")
        self.assertEqual(self.good(*words, packed), self.good(*words, few))
        packed.write_bytes(packed.read_bytes()[:-9])
        self.bad(1, "few.csv.gz: line 1: cannot be read: the gzip data ends too early: the file was cut off",
                 words=(*words, packed))

    def test_rows_without_a_label(self):
        data = self.file("regions.csv", "x,y\n" + "".join(f"{i},{('EU', 'NA', 'US', '')[i % 4]}\n" for i in range(40)))
        schema, told = self.draft("--data", data, "--label", "y")
        said = 'rows without a label: 20 of 40, and `unlabelled skip` skips them; the first has "NA", in line 3\n'
        self.assertEqual(told, "sotto replay: column y: " + said)
        self.assertIn("# " + said + "label y EU US\n", schema)
        self.assertIn("unlabelled skip\n", schema)
        words = ("--data", data, "--describe", "--schema")
        found = json.loads(self.good(*words, self.file("regions.schema", schema), "--json"))
        self.assertEqual((found["rows"], found["unlabelled"], found["shares"]), (20, 20, [0.5, 0.5]))
        self.assertEqual({row["t"] for row in self.table("--data", data, "--schema", self.directory / "regions.schema",
                                                         "--seeds", 1, "--checkpoints", 20)}, {"20"})
        america = self.file("america.schema", schema.replace("label y EU US", "label y EU NA US"))
        said = self.good(*words, america)
        self.assertRegex(said, r"rows +30 ")
        self.assertRegex(said, r"unlabelled +10 +rows without a label, skipped")
        self.assertRegex(said, r"NA +0.3333")
        strict = self.file("strict.schema", schema.replace("unlabelled skip", "unlabelled fault"))
        self.bad(1, 'line 3, column "y": "NA" counts as missing', words=(*words, strict))

    def test_what_a_file_says_moves_no_cursor(self):
        data = self.file("escape.csv", 'x,"v\a",y\n1,5,"a\x1b[31m"\n2,5,b\n')
        described = sotto("replay", "--data", data, "--label", "y", "--ranges-from-data", "--describe")
        self.assertRegex(described.stdout, r"a\?\[31m +0.5000")
        self.assertIn("column v?: ignored: all rows have the same value", described.stderr)
        self.assertNotRegex(described.stdout + described.stderr, "[\x1b\a]")
        bare = self.good("--data", "-", "--schema", self.file("bare.schema", "label y a b\n"), "--describe",
                         stdin="y\na\nb\n")
        self.assertRegex(bare, r"context +1 +number, the constant\n")


if __name__ == "__main__":
    unittest.main()
