#!/usr/bin/env python3
"""What all commands share: help, completion, progress, and messages about wrong options."""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios
import unittest
from pathlib import Path

import shells
from sotto_binary import SLOWER, SOTTO, on_terminal, read_terminal, sotto, verdict_on_terminal


# A sanitizer that is not told to ignore leaks searches for them for seconds at every start.
OPTIONS = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
OVER_HTTP = ("join", "fleet", "results")  # of a build with SOTTO_TRANSPORT
COMMANDS = ("simulate", "replay", "plan", "reproduce", "compare", "merge", "privatise", "inspect", "audit", "doctor",
            *(name for name in OVER_HTTP if re.search(rf"^  {name} ", sotto("--help").stdout, re.M)))


GOLDEN = Path(os.environ["SOURCE"]) / "tests/golden"
SMALL = "--dim 3 --arms 4 --horizon 500 --seeds 2 --quiet"
LOG = "replay --data log.csv --action a --reward r --propensity p --ranges-from-data --quiet"
PEOPLE = "replay --data people.csv --label y --ranges-from-data --quiet"
# Small runs that print for people, not rows of numbers.
WORDS = (f"simulate --method sotto,ldp-sgd,ols {SMALL} --summary", f"simulate --method sotto {SMALL} --delay 10,10,1 --summary",
         f"simulate --method sotto {SMALL} --measure 0.1 --measured", "simulate --constants --dim 3 --arms 4",
         f"{PEOPLE} --summary --epsilon 0.5,8 --seeds 5", f"{PEOPLE} --describe",
         f"{LOG} --summary --seeds 2", f"{LOG} --describe",
         "plan --dim 10 --arms 5", "plan --dim 10 --arms 5 --epsilon 0.5,1 --measure 0.1 --per-day 1000 --delay 10,10",
         "plan --dim 10 --arms 5 --measure 0.1 --delay 10,10,1 --shuffle 1000", "reproduce --list",
         "reproduce --quick --only rates-horizon --seeds 2 --horizon 200 --out page",
         "compare --method sotto --horizon 1000 --seeds 2 --quiet --out board",
         "audit --mechanism codebook --dim 3 --epsilon 1 --trials 500 --seed 3 --quiet",
         "audit --exec cat --dim 2 --epsilon 1 --trials 500 --seed 3 --quiet", "doctor --seconds 0",
         "inspect spec --parameters per-arm --measure 0.1 --reward-rate 0.01 --shuffle 1000",
         *(f"inspect {kind} {GOLDEN}/{kind}_{name}.bin --spec {GOLDEN}/spec_{spec}.bin" for kind, name, spec in (
             ("report", "index", "default"), ("report", "ticks", "ticks"), ("model", "split", "split"))),
         "inspect calibration", "inspect ledger person.ledger")


def help_of(command, columns=100):
    return sotto(command, "--help", env={**os.environ, "COLUMNS": str(columns)}).stdout


def rows_of(command):
    """The options of a command, with their help texts."""
    rows = {}
    for line in help_of(command).split("\nexamples:\n")[0].splitlines():
        if found := re.match(r"  --([\w-]+) +(.*)", line):
            name, rows[found[1]] = found[1], found[2]
        elif line.startswith("   ") and rows:
            rows[name] += " " + line.strip()
    return rows


class Help(unittest.TestCase):
    def test_no_line_is_longer_than_the_terminal(self):
        for command in (*COMMANDS, "completion"):
            for columns in (40, 59, 60, 80, 100):
                text = help_of(command, columns)
                if columns < 59:  # an option and its value stay together
                    text = text.split("\nexamples:\n")[0]
                widest = max(text.splitlines(), key=len)
                self.assertLessEqual(len(widest), columns, (command, widest))
            self.assertEqual(sotto(command, "--help", env={**OPTIONS, "PATH": ""}).stdout, help_of(command, 80))
        for line in sotto("--help", env={**OPTIONS, "COLUMNS": "50"}).stdout.splitlines():
            self.assertLessEqual(len(line), 50)

    def test_a_terminal_tells_its_width(self):
        try:
            ours, theirs = pty.openpty()
        except OSError:
            self.skipTest("no terminal here")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 52, 0, 0))
        child = subprocess.Popen([SOTTO, "plan", "--help"], stdout=theirs, env={**OPTIONS, "COLUMNS": "90"})
        os.close(theirs)
        shown = read_terminal(ours)
        self.assertEqual(child.wait(), 0)
        self.assertEqual(shown.decode().replace("\r\n", "\n"), help_of("plan", 52))

    def test_what_commands_print_is_as_wide_as_the_terminal(self):
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            for file, head, rows in (("people", "x,y", "0.5,a\n0.1,b\n"), ("log", "x,a,r,p", "0.5,u,1,0.5\n0.1,v,0,0.5\n")):
                (directory / f"{file}.csv").write_text(f"{head}\n" + rows * 600)
            ledger = directory / "person.ledger"
            ledger.write_bytes((GOLDEN / "ledger_composed.bin").read_bytes())
            ledger.chmod(0o600)
            for columns in (60, 80):
                for words in WORDS:
                    result = subprocess.run([SOTTO, *words.split()], cwd=directory, capture_output=True, text=True, timeout=300,
                                            env={**OPTIONS, "COLUMNS": str(columns), "PATH": os.environ["PATH"]})
                    self.assertNotEqual(result.stdout, "", (words, result.stderr))
                    for line in result.stdout.splitlines():
                        if len(line) > columns:  # a word is never cut
                            self.assertEqual(len(line.split()), 1, (columns, words, line))
        lines = sotto("inspect", "calibration", env={**OPTIONS, "COLUMNS": "80"}).stdout.splitlines()
        self.assertEqual([line for line in lines if not line.endswith((" holds", " BROKEN"))], lines[:6])  # whole rows

    def test_options_stand_in_groups(self):
        text = help_of("simulate")
        groups = re.findall(r"^([a-z].*):$", text, re.M)
        self.assertEqual(groups, ["the problem", "methods", "people and their rewards", "how methods learn",
                                  "epochs, delay, drift, dishonest people", "runs", "output", "examples"])

    def test_the_defaults_that_help_shows_are_those_that_are_taken(self):
        many = ("--method", "sotto,ldp-ols,ldp-sgd,sgd,linucb", "--dim", 2, "--horizon", 200, "--seeds", 2)
        shared, per_arm = (*many, "--arms", 3), (*many[2:], "--method", "ldp-ols,ldp-sgd", "--arms", 3,
                                                 "--parameters", "per-arm")
        margin = (*many, "--arms", 2, "--environment", "margin")
        lies = (*shared, "--liars", 0.1)
        special = {"split": per_arm, "elimination": per_arm, "margin": margin, "grind": lies,
                   "seeds": shared[:6] + shared[8:]}
        found = {name: text.rsplit("; default ", 1)[1] for name, text in rows_of("simulate").items()
                 if "; default " in text}
        self.assertGreaterEqual(len(found), 20)
        for name, default in found.items():
            base = special.get(name, shared)
            plain, given = (sotto("simulate", *base, *words, "--quiet") for words in ((), (f"--{name}", default)))
            self.assertEqual((plain.returncode, given.returncode), (0, 0), (name, default, given.stderr))
            self.assertEqual(plain.stdout, given.stdout, (name, default))


class ManPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        parts = re.split(r"^# (.*)\n", (Path(os.environ["SOURCE"]) / "packaging/sotto.1.scd").read_text(), flags=re.M)
        cls.section = dict(zip(parts[1::2], parts[2::2]))

    def test_every_option_is_in_the_section_of_its_command(self):
        for command in COMMANDS:
            for name in rows_of(command):
                if name != "help":
                    self.assertIn(f"*--{name}*", self.section[command.upper()], command)

    def test_the_methods_are_those_of_the_program(self):
        listed = re.search(r"\*--method\*.*\n\tRequired\. ((?:[A-Z][a-z ]+: [a-z\s,-]+\. )+)", self.section["SIMULATE"])[1]
        allowed = re.search(r": allowed (.*)", sotto("simulate", "--method", "none").stderr)[1]
        self.assertEqual(sorted(re.findall(r"[\w-]+(?=[,.])", listed)), sorted(allowed.split(", ")))


# Options whose names may also be shared objects.
PLUGINS = (("simulate", "--method"), ("simulate", "--environment"), ("audit", "--mechanism"))


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.script = {}
        for shell in ("bash", "zsh", "fish"):
            result = sotto("completion", shell)
            assert (result.returncode, result.stderr) == (0, ""), result
            cls.script[shell] = Path(cls.directory.name) / f"sotto.{shell}"
            cls.script[shell].write_text(result.stdout)
        (Path(cls.directory.name) / "my spec").write_text("")
        (Path(cls.directory.name) / "page").mkdir()
        (Path(cls.directory.name) / "drum.so").write_text("")
        (Path(cls.directory.name) / "drum.c").write_text("")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def bash(self, *words):
        if shutil.which("bash") is None:
            self.skipTest("no bash here")
        return shells.bash(self.script["bash"], "_sotto", [SOTTO, *words], self.directory.name)

    def test_a_shell_has_to_be_named(self):
        for words, part in [((), "a shell is needed: bash, zsh or fish"), (("bash", "zsh"), "a shell is needed"),
                            (("bsh",), "shell = bsh: allowed bash, zsh, fish; did you mean bash?"),
                            (("bash", "--quick"), "unknown option --quick")]:
            refused = sotto("completion", *words)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), words)
            self.assertIn(part, refused.stderr)

    def test_bash_completes_commands(self):
        self.assertEqual(self.bash(""), [*COMMANDS, "completion", "help", "--help", "--version"])
        self.assertEqual(self.bash("re"), ["replay", "reproduce", "results"])
        self.assertEqual(self.bash("help", "pl"), ["plan"])
        self.assertEqual(self.bash("completion", ""), ["bash", "zsh", "fish", "--help"])
        self.assertEqual(self.bash("completion", "zsh", ""), ["--help"])
        self.assertEqual(self.bash("nonsense", ""), [])

    def test_bash_completes_all_options_and_no_others(self):
        for command in COMMANDS:
            options = [f"--{name}" for name in rows_of(command)]
            self.assertGreater(len(options), 3)
            self.assertEqual(self.bash(command, "--"), options, command)
        self.assertEqual(self.bash("simulate", "--dim", "5", "--th"), ["--theta-norm-max", "--theta-norm", "--threads"])
        self.assertEqual(self.bash("simulate", "--quiet", "--js"), ["--json"])

    def test_bash_completes_values(self):
        self.assertEqual(self.bash("simulate", "--calibration", "p"), ["paper", "published"])
        self.assertEqual(self.bash("simulate", "--calibration", "=", "e"), ["exact"])
        self.assertEqual(self.bash("simulate", "--calibration", "="), ["exact", "paper", "published"])
        self.assertEqual(self.bash("simulate", "--score", "h"), ["huber:"])
        self.assertEqual(self.bash("privatise", "--format", ""), ["vector", "raw"])
        self.assertEqual(self.bash("plan", "--dim", ""), [])

    def test_bash_completes_each_word_of_a_list(self):
        self.assertEqual(self.bash("simulate", "--method", "ldp-s"), ["ldp-sgd"])
        self.assertEqual(self.bash("simulate", "--method", "sotto,ldp-u"), ["sotto,ldp-ucb"])
        self.assertEqual(self.bash("replay", "--method", "=", "a,b,glm-"), ["a,b,glm-ucb"])

    def test_bash_completes_files(self):
        self.assertEqual(self.bash("inspect", "s"), ["spec"])
        self.assertEqual(self.bash("inspect", "report", "m"), ["my spec"])
        self.assertEqual(self.bash("inspect", "report", "x", "--spec", "my"), ["my spec"])
        self.assertEqual(self.bash("reproduce", "--out", ""), ["page"])
        self.assertEqual(self.bash("simulate", "my"), [])

    def test_bash_completes_plug_ins_where_a_name_may_be_one(self):
        for command, option in PLUGINS:
            self.assertEqual(self.bash(command, option, "./d"), ["./drum.so"], option)
            self.assertEqual(self.bash(command, option, "./p"), ["./page/"], option)
        self.assertEqual(self.bash("simulate", "--environment", "=", "dr"), ["drift", "drum.so"])
        self.assertEqual(self.bash("simulate", "--method", "sotto,./d"), ["sotto,./drum.so"])
        self.assertEqual(self.bash("simulate", "--method", "sotto,./p"), ["sotto,./page/"])
        self.assertEqual(self.bash("replay", "--method", "./d"), [])

    def fish(self, line):
        if shutil.which("fish") is None:
            self.skipTest("no fish here")
        return shells.fish(self.script["fish"], line, self.directory.name)

    def test_fish_completes_the_same(self):
        for command in COMMANDS:
            self.assertEqual(self.fish(f"sotto {command} --"), {f"--{name}" for name in rows_of(command)}, command)
        self.assertEqual(self.fish("sotto re"), {"replay", "reproduce", "results"})
        self.assertEqual(self.fish("sotto simulate --calibration p"), {"paper", "published"})
        self.assertEqual(self.fish("sotto simulate --method sotto,ldp-u"), {"sotto,ldp-ucb"})
        self.assertEqual(self.fish("sotto inspect re"), {"report"})
        self.assertEqual(self.fish("sotto inspect report my"), {"my spec"})
        self.assertEqual(self.fish("sotto reproduce --out pa"), {"page/"})
        self.assertEqual(self.fish("sotto completion z"), {"zsh"})

    def test_fish_completes_plug_ins_where_a_name_may_be_one(self):
        for command, option in PLUGINS:
            self.assertEqual(self.fish(f"sotto {command} {option} ./d"), {"./drum.so"}, option)
            self.assertEqual(self.fish(f"sotto {command} {option} ./p"), {"./page/"}, option)
        self.assertEqual(self.fish("sotto simulate --environment=dr"),
                         {"--environment=drift", "--environment=drum.so"})
        self.assertEqual(self.fish("sotto simulate --method sotto,./d"), {"sotto,./drum.so"})
        self.assertEqual(self.fish("sotto simulate --method=sotto,./d"), {"--method=sotto,./drum.so"})
        self.assertEqual(self.fish("sotto simulate --method sotto,ldp-u"), {"sotto,ldp-ucb"})
        self.assertEqual(self.fish("sotto replay --method ./d"), set())

    def test_zsh_completes_the_same(self):
        if shutil.which("zsh") is None:
            self.skipTest("no zsh here")
        expected = {
            "sotto ": {*COMMANDS, "completion", "help", "--help", "--version"},
            "sotto re": {"replay", "reproduce", "results"},
            "sotto help pl": {"plan"},
            **{f"sotto {command} --": {f"--{name}" for name in rows_of(command)} for command in COMMANDS},
            "sotto simulate --calibration p": {"paper", "published"},
            "sotto simulate --calibration=e": {"exact"},
            "sotto simulate --score h": {"huber:"},
            "sotto replay --method sotto,ldp-u": {"ldp-ucb"},
            **{f"sotto {command} {option} ./d": {"drum.so"} for command, option in PLUGINS},
            **{f"sotto {command} {option} ./p": {"page"} for command, option in PLUGINS},
            "sotto simulate --environment=dr": {"drift", "drum.so"},
            "sotto simulate --method sotto,./d": {"drum.so"},
            "sotto simulate --method sotto,ldp-u": {"ldp-ucb"},
            "sotto replay --method ./d": set(),
            "sotto inspect re": {"report"},
            "sotto inspect report my": {r"my\ spec"},
            "sotto reproduce --out pa": {"page"},
            "sotto plan --dim ": set(),
            "sotto completion z": {"zsh"},
        }
        for line, found in zip(expected, shells.zsh(self.script["zsh"], expected, self.directory.name)):
            self.assertEqual(found, expected[line], line)


class Refusals(unittest.TestCase):
    def test_consent_is_asked_for_by_the_option_that_gives_it(self):
        with tempfile.TemporaryDirectory() as directory:
            data = Path(directory) / "people.csv"
            data.write_text("x,y\n" + "0.5,a\n0.1,b\n" * 20)
            weak = ("--delta", 0.01)
            for words in [
                ("simulate", "--method", "ldp-ols", "--dim", 2, "--arms", 2, "--horizon", 10, *weak),
                ("replay", "--data", data, "--label", "y", "--ranges-from-data", "--method", "ldp-ols", *weak),
                ("privatise", "--mechanism", "gaussian", "--dim", 2, "--epsilon", 1, *weak),
                ("audit", "--mechanism", "gaussian", "--dim", 2, "--epsilon", 1, "--trials", 100, "--seed", 1, *weak),
                ("inspect", "spec", "--method", "ldp-ols", "--score", "moments", *weak),
            ]:
                refused = sotto(*words)
                self.assertEqual(refused.returncode, 2, words)
                self.assertIn("only with --allow-weak-delta\n", refused.stderr, words)
                self.assertNotIn("_", refused.stderr, words)
                self.assertEqual(sotto(*words, "--allow-weak-delta").returncode, 0, words)

    def test_a_comma_at_the_end_of_a_list_is_refused_in_one_clear_sentence(self):
        size = ("--dim", 2, "--arms", 2)
        for command, words, option, value in [
            ("simulate", ("--method", "sotto", *size, "--horizon", 10), "--epsilon", "1,"),
            ("simulate", size, "--method", "sotto,"),
            ("plan", size, "--epsilon", "0.5,1,"),
            ("replay", ("--data", "none.csv"), "--checkpoints", "10,"),
        ]:
            refused = sotto(command, *words, option, value)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), words)
            self.assertEqual(refused.stderr,
                             f"sotto {command}: {option} = {value}: a value is missing after the last comma\n")

    def test_no_terminal_obeys_what_a_sentence_quotes(self):
        """Control characters of ASCII and of U+0080 to U+009F, bytes that are not UTF-8, line ends and directions of
        Unicode: in options, names of files, names of columns, cells and words, each is shown as one '?'."""
        bad = (b"\x1b[31m", b"\x7f", b"\xc2\x9b31m", b"\xc2\x85", b"\x9b", b"\xff", b"\xe2\x80\xa8", b"\xe2\x80\xa9",
               "\u202e".encode(), "\u2066".encode(), "\u2069".encode())
        letters = "Grö\u00dfe €\U0001f370".encode()
        with tempfile.TemporaryDirectory() as directory:
            there = directory.encode() + b"/"
            for number, piece in enumerate(bad):
                word = b"a" + piece + letters.replace(b" ", b"-")
                cell, named = (there + b"%d%s.csv" % (number, kind) for kind in (b"cell", b"named"))
                Path(os.fsdecode(cell)).write_bytes(b"x,y\n1,p\n" + word + b",q\n")
                Path(os.fsdecode(named)).write_bytes(b"x," + word + b"\n1,p\n2,q\n")
                schema = there + b"schema"
                Path(os.fsdecode(schema)).write_bytes(b"number x 0 1\nlabel y p q\n")
                shown = re.sub(rb"\x1b|\x7f|\xc2[\x80-\x9f]|\x9b|\xff|\xe2\x80[\xa8\xa9\xae]|\xe2\x81[\xa6\xa9]", b"?",
                               word, count=1)
                replay = (b"replay", b"--data")
                for words, stdin in [
                    ((word,), b""),
                    ((b"plan", b"--" + word), b""),
                    ((b"plan", b"--dim", word), b""),
                    ((b"plan", b"--method", word), b""),
                    ((b"plan", b"--epsilon", word), b""),
                    ((b"plan", word), b""),
                    ((*replay, there + word, b"--schema", schema), b""),
                    ((*replay, cell, b"--schema", there + word), b""),
                    ((*replay, cell, b"--schema", schema, b"--describe"), b""),
                    ((*replay, named, b"--schema", schema, b"--describe"), b""),
                    ((*replay, cell, b"--label", word, b"--draft"), b""),
                    ((b"merge", there + word, b"--out", there + b"out"), b""),
                    ((b"inspect", b"ledger", there + word), b""),
                    ((b"simulate", b"--method", there + word + b".so", b"--dim", b"2", b"--arms", b"2", b"--horizon",
                      b"9"), b""),
                    ((b"privatise", b"--mechanism", b"codebook", b"--dim", b"1", b"--epsilon", b"1"), word + b"\n"),
                ]:
                    result = subprocess.run([SOTTO.encode(), *words], input=stdin, capture_output=True, timeout=120)
                    self.assertNotEqual(result.returncode, 0, words)
                    self.assertIn(shown, result.stderr, words)
                    text = result.stderr.decode()  # it is UTF-8
                    self.assertNotRegex(text.rstrip("\n"), "[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", words)

    def test_a_quote_is_not_cut_within_a_character(self):
        for before in range(4):
            word = "a" * before + "\U0001f370" * 3000
            for words in (("plan", "--dim", word), ("plan", "--" + word), ("plan", "--method", word), (word,),
                          ("plan", "--epsilon", word), ("plan", word)):
                result = sotto(*words)
                self.assertEqual(result.returncode, 2, words)
                self.assertIn("a" * before + "\U0001f370" * 14, result.stderr)
                self.assertNotIn("\U0001f370?", result.stderr)


class Verdict(unittest.TestCase):
    PLAN = ("plan", "--dim", 10, "--arms", 5)
    AUDIT = ("audit", "--dim", 2, "--epsilon", 1, "--trials", 2000, "--seed", 1)

    def test_only_a_terminal_that_wants_colour_gets_it(self):
        if verdict_on_terminal("--version") is None:
            self.skipTest("no terminal here")
        plain = sotto(*self.PLAN, env=OPTIONS).stdout
        self.assertNotIn("\033", plain)
        for variables in ({"NO_COLOR": "1"}, {"NO_COLOR": "no"}, {"TERM": "dumb"}, {"TERM": ""}):
            self.assertEqual(verdict_on_terminal(*self.PLAN, **variables), plain)
        for variables in ({}, {"NO_COLOR": ""}):
            shown = verdict_on_terminal(*self.PLAN, **variables)
            self.assertEqual(re.sub("\033\\[[0-9;]*m", "", shown), plain)

    def test_the_first_sentence_has_the_colour_of_the_answer(self):
        if verdict_on_terminal("--version") is None:
            self.skipTest("no terminal here")
        for words, colour, first in (
                (self.PLAN, "1;32", r"Epsilon 1 costs a regret of about [^\0]* of the best\sreward\."),
                ((*self.PLAN, "--epsilon", "0.5,1,2", "--target", 1e-9), "1", r"Regret is about [^\0]* at\sepsilon\s2\."),
                ((*self.PLAN, "--epsilon", 0.01, "--horizon", 2), "1;31", r"Epsilon 0\.01 costs [^\0]*reward\."),
                ((*self.AUDIT, "--mechanism", "l2ball"), "1;32", r"No violation found: [^\0]* confidence\s0\.99\."),
                ((*self.AUDIT[:-2], "--exec", "cat"), "1;31", r"VIOLATION: [^\0]* confidence\s0\.99\."),
                (("audit", "--mechanism", "l2ball", "--dim", 2, "--epsilon", 1, "--trials", 1), "1", r"Inconclusive: [^\0]*\.")):
            with self.subTest(words=words):
                shown = verdict_on_terminal(*words)
                self.assertRegex(shown, rf"\A\033\[{colour}m{first}\033\[0m[ \n]")
                self.assertEqual(shown.count("\033"), 2)


class Progress(unittest.TestCase):
    def test_a_resumed_sweep_starts_at_its_true_share(self):
        with tempfile.TemporaryDirectory() as directory:
            runs, horizon = Path(directory) / "runs.jsonl", 60000 // SLOWER
            words = ("simulate", "--method", "sotto", "--dim", 5, "--arms", 3, "--horizon", horizon, "--seeds", 4,
                     "--threads", 1, "--resume", runs)
            self.assertEqual(sotto(*words).returncode, 0)
            whole = runs.read_bytes()
            runs.write_bytes(whole[:len(whole) * 3 // 4])
            result = on_terminal(*words)
            if result is None:
                self.skipTest("no terminal here")
            self.assertEqual(result[0], 0)
            shown = [float(count) for count in re.findall(rb"%, (\S+) of \S+ rounds", result[1])]
            self.assertGreater(len(shown), 1)
            self.assertGreaterEqual(shown[0], 2 * horizon)
            self.assertLessEqual(shown[-1], 4 * horizon)
            self.assertEqual(runs.read_bytes(), whole)

    def test_a_short_run_prints_no_progress_into_a_file(self):
        words = ("--method", "sotto", "--dim", 5, "--arms", 3, "--horizon", 20000, "--seeds", 2, "--summary")
        self.assertEqual(sotto("simulate", *words).stderr, "")


if __name__ == "__main__":
    unittest.main()
