#!/usr/bin/env python3
"""The documents agree with the code: quoted code is the code, linked files exist, examples give the
printed results."""
import csv
import hashlib
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import unittest
from pathlib import Path
from statistics import NormalDist

from directory_case import DirectoryCase
from sotto_binary import TABLE, chacha8, codeword, sotto

SOURCE = Path(os.environ["SOURCE"])
DOCUMENTS = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"), *SOURCE.glob("research/*.md")])


class Documents(unittest.TestCase):
    def test_the_first_page_quotes_the_example(self):
        page = (SOURCE / "docs/start.md").read_text()
        example = (SOURCE / "examples/00_one_round.c").read_text()
        body = example[example.index("    /* The public terms"):example.index("    sotto_tally_free")].rstrip()
        self.assertIn(body, page)

    def test_the_readme_s_factors_are_those_of_the_reproduction(self):
        with open(SOURCE / "research/reproduction.csv", encoding="utf-8", newline="") as file:
            factor = [1 / float(row["over the best"]) for row in csv.DictReader(file)]
        words = [f"{x:.0f}" if x >= 10 else f"{x:.1f}" for x in factor]
        readme = (SOURCE / "README.md").read_text()
        rows = re.findall(r"^\| [^|]+ \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", readme, re.M)
        self.assertEqual([cell for row in rows for cell in row], words)
        self.assertIn(f"{min(factor):.1f} to {max(factor):.0f} times less regret", readme)

    def test_the_readme_s_figure_is_that_of_the_reproduction(self):
        def rows(name):
            with open(SOURCE / "research" / name, encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))

        column = {"sotto": "sotto", "ols (no privacy)": "no privacy", "ldp-sgd (paper)": "exact ldp-sgd",
                  "ldp-ols (paper)": "exact ldp-ols", "ldp-ucb (Zheng 2020)": "exact ldp-ucb",
                  "ldp-gloc (Zheng 2020)": "exact ldp-gloc"}
        regret = {row["epsilon"]: row for row in rows("reproduction.csv") if row["figure"] == "shared-d2"}
        drawn = (SOURCE / "docs/images/paper-figure.svg").read_text()
        last = [row for row in rows("paper_figure.csv") if row["x"] == "1000000" and row["curve"] in column]
        self.assertEqual(len(last), 2 * len(column))
        for row in last:
            self.assertIn(row["panel"], drawn)
            self.assertIn(row["curve"], drawn)
            table = regret[re.match(r"epsilon (\d+):", row["panel"])[1]]
            self.assertAlmostEqual(float(row["y"]) * float(table["random"]) / float(table[column[row["curve"]]]), 1,
                                   delta=0.006)
        self.assertIn("All private methods have the same epsilon. Mean ± one standard error", drawn)

    def test_the_lab_s_page_quotes_its_example(self):
        [quoted] = re.findall(r"```c\n(.*?)```", (SOURCE / "docs/lab.md").read_text(), re.S)
        example = [line.strip() for line in (SOURCE / "examples/05_sweep.c").read_text().splitlines()]
        self.assertGreater(quoted.count("\n"), 5)
        for line in quoted.splitlines():
            self.assertIn(line, example)

    def test_the_page_of_devices_quotes_its_example(self):
        [quoted] = re.findall(r"```c\n(.*?)```", (SOURCE / "docs/devices.md").read_text(), re.S)
        example = " ".join((SOURCE / "examples/04_device.c").read_text().split())
        self.assertEqual(quoted.count("\n"), 4)
        for line in quoted.splitlines():
            self.assertIn(line, example)

    def test_the_page_of_promises_has_those_of_the_script_and_their_tests_exist(self):
        script = SOURCE / "tests/measure/promises.py"
        check = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
        page = (SOURCE / "docs/guarantees.md").read_text()
        for row in printed.splitlines()[2:]:
            self.assertIn(row.rsplit(" | ", 1)[0], page)

    def test_the_page_of_settings_is_made_from_the_tables(self):
        script = SOURCE / "tests/measure/settings.py"
        made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
        self.assertEqual(made, (SOURCE / "docs/settings.md").read_text(), "make tables")

    def test_what_no_ledger_notices_is_said_in_the_same_words_everywhere(self):
        words = ("Sotto does not notice these roll-backs of a ledger file: - to an older copy while no process has the "
                 "ledger open; - to an older copy before an open handle is used for the first time, if the file's time "
                 "of modification is set back as well; - to an older copy in which another process then books; - where "
                 "the system cannot watch files (no inotify), to what an open handle saw last, if that time is set "
                 "back. Behind calls, a store that keeps a `generation` notices every roll-back; without one, the same "
                 "go unnoticed there too. Nothing protects a ledger from a program that writes its own bytes into it.")
        for name in ("include/sotto/client.h", "SECURITY.md", "docs/privacy.md"):
            text = " ".join((SOURCE / name).read_text().replace("\n *", "\n").split())
            self.assertTrue(words in text, name)

    def test_linked_files_exist(self):
        for document in DOCUMENTS:
            for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
                self.assertTrue((document.parent / target).exists(), f"{document.name}: {target}")

    def test_named_source_files_exist(self):
        for document in DOCUMENTS:
            for path in re.findall(r"`((?:src|tests|include|examples|bench|python)/[\w/.-]+\.\w+)`", document.read_text()):
                self.assertTrue((SOURCE / path).exists(), f"{document.name}: {path}")

    def test_short_names_of_files_are_ends_of_paths(self):
        """`lab/run/match.c` may leave out src/, and `test_x.c` its directory; a * stands for part of a name."""
        rooms = ("src", "tests", "include", "examples", "bench", "python", "packaging")
        files = [path.relative_to(SOURCE) for room in rooms for path in sorted((SOURCE / room).rglob("*.[chp]*"))]
        for document in DOCUMENTS:
            named = re.findall(r"`([\w/.*-]+\.(?:c|h|py))`", document.read_text())
            short = [name for name in named if "/" in name or name.startswith("test_")]
            missing = [name for name in short if not any(path.match(name) for path in files)]
            self.assertEqual(missing, [], document.name)


class Protocol(DirectoryCase):
    """docs/protocol.md against the binary and against the Python of sotto_binary.py."""

    def setUp(self):
        super().setUp()
        self.text = (SOURCE / "docs/protocol.md").read_text()
        self.example = re.search(r"^## 4\..*?(?=^## 5\.)", self.text, re.M | re.S)[0]
        self.spec = bytes.fromhex("".join(re.findall(r"^    ((?:[0-9a-f]{8} ){2,3}[0-9a-f]{8})$", self.example, re.M)))
        self.id, self.stream_key, self.nonce = (
            bytes.fromhex(self.find(rf"^    {name} +([0-9a-f]{{32}})\b")[0])
            for name in ("spec id", "stream key", "nonce"))
        size, top, *weights = map(int, self.find(
            r"M = (\d+), k = (\d+), w_top = (\d+), w_rest = (\d+), W =\s(\d+), and"))
        self.size, self.top, self.weights = size, top, dict(zip(("w_top", "w_rest", "W"), weights))

    def find(self, pattern):
        found = re.findall(pattern, self.example, re.M)
        self.assertEqual(len(found), 1, pattern)
        return [found[0]] if isinstance(found[0], str) else found[0]

    def run_quoted(self, text, what):
        """Runs the only `sotto inspect WHAT` of the text."""
        lines = text.replace("\\\n", " ").splitlines()
        commands = [line for line in lines if line.startswith(f"    sotto inspect {what} ")]
        self.assertEqual(len(commands), 1, what)
        result = sotto(*shlex.split(commands[0])[1:])
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def block(self, name):
        """The words 12 to 15 and the bytes of the block that follows a mention of its stream."""
        *words, first, second = self.find(
            rf"{name} \(words 12-15 = (\d+), (\d+), (\d+), (\d+)\):\n\n    ([0-9a-f]{{64}})\n    ([0-9a-f]{{64}})\n")
        return tuple(map(int, words)), bytes.fromhex(first + second)

    def ranked(self, v):
        """TOP for v, then the other indices, each in order of index."""
        def product(index):
            return sum(z * x for z, x in zip(codeword(self.id, self.nonce, 2, self.size, index), v))
        half = self.size // 2
        best = sorted(range(half), key=lambda i: -abs(product(i)))[:self.top]
        top = sorted(i if product(i) >= 0 else i + half for i in best)
        return top, [index for index in range(self.size) if index not in top]

    def test_the_spec_is_what_the_command_writes(self):
        written = self.directory / "example.spec"
        self.run_quoted(self.example.replace("example.spec", shlex.quote(str(written))), "spec")
        self.assertEqual(self.spec.hex(), written.read_bytes().hex())
        facts = json.loads(sotto("inspect", "spec", written, "--json").stdout)
        self.assertEqual(facts["spec_id"], self.id.hex())

    def test_the_constants_are_those_of_the_spec(self):
        for codebook in (self.spec[128:172], self.spec[172:216]):
            self.assertEqual(struct.unpack("<5I2Q", codebook[:36]),
                             (2, self.size, 1, self.top, 0, self.weights["w_top"], self.weights["w_rest"]))
        self.assertEqual(self.weights["W"], self.top * self.weights["w_top"]
                         + (self.size - self.top) * self.weights["w_rest"])

    def test_the_id_and_the_stream_key_are_hashes(self):
        self.assertEqual(self.id, hashlib.sha256(self.spec).digest()[:16])
        self.assertEqual(self.stream_key, hashlib.sha256(b"sotto/1" + self.id).digest()[:16])

    def test_the_arm_and_the_signs(self):
        words, block = self.block("Block 0 of ARM")
        self.assertEqual(words, (0, 3, 0, 0))
        self.assertEqual(block, chacha8(self.stream_key + self.nonce, words))
        h, decimal, arm = self.find(r"^h = (0x[0-9a-f]{16}) = (\d+), assigned arm floor\(3 h / 2\^64\) = (\d)\.")
        self.assertEqual(int(h, 16), int.from_bytes(block[:8], "little"))
        self.assertEqual(int(h, 16), int(decimal))
        self.assertEqual(int(arm), 3 * int(decimal) >> 64)
        first, *signs = self.find(r"SIGNS begins\swith (\w\w): s_0 = ([+-]1), s_1 = ([+-]1), s_2 = ([+-]1) ")
        byte = chacha8(self.stream_key + self.nonce, (0, 2, 0, 0))[0]
        self.assertEqual(int(first, 16), byte)
        self.assertEqual([int(sign) for sign in signs], [1 - 2 * (byte >> k & 1) for k in range(3)])

    def test_the_hash_of_the_table(self):
        [quoted] = re.findall(r"SHA-256 is\n\n    ([0-9a-f]{64})\n", self.text)
        source = (SOURCE / "src/core/codebook_table.c").read_text()
        ours = [int(n) for n in re.findall(r"-?\d+(?=,)", source[source.index("= {"):])]
        for table in (TABLE, ours):
            self.assertEqual(hashlib.sha256(struct.pack("<4096i", *table)).hexdigest(), quoted)
        exact = [2**13 * NormalDist().inv_cdf((i + 0.5) / 4096) for i in range(4096)]
        nearest = min(abs(abs(x) % 1 - 0.5) for x in exact)
        [error] = re.findall(r"Any Phi\^-1 whose\serror is below (\S+) gives the right\sintegers", self.text)
        [gap] = re.findall(r"none is nearer than (\S+) to a half", self.text)
        self.assertGreaterEqual(nearest, float(gap))
        self.assertGreater(nearest, 2**13 * float(error))

    def test_the_limits_are_those_of_the_default_policy(self):
        words = re.sub(r"\s+", " ", self.text)
        [said] = re.findall(r"epsilon of a report at most (\S+), its delta at most (\S+), every method, dim and arms "
                            r"up to 1024, and at most (\S+) of all rounds .* in all at most (\S+) and (\S+) \(the "
                            r"library's default", words)
        source = (SOURCE / "src/client/policy.c").read_text()
        names = ("epsilon_per_report_max", "delta_max", "measure_share_max", "epsilon_lifetime", "delta_lifetime")
        ours = [re.search(rf"\.{name} = ([^,]+),", source)[1] for name in names]
        self.assertEqual(list(said), ours)

    def test_the_codewords(self):
        words, block = self.block("Codeword 3, block 0 of CODEBOOK")
        self.assertEqual(words, (0, 1, 3, 0))
        self.assertEqual(block, chacha8(self.stream_key + self.nonce, words))
        found = self.find(r"^Half-words (\w+), (\w+); table entries (\d+) and (\d+); "
                          r"n = (-?\d+), (-?\d+); sum of squares (\d+)\.$")
        half_words = struct.unpack("<2H", block[:4])
        entries = [word % 4096 for word in half_words]
        n = [TABLE[entry] for entry in entries]
        self.assertEqual([int(word, 0) for word in found],
                         [*half_words, *entries, *n, sum(x * x for x in n)])
        quoted = re.findall(r"^    codeword (\d+) +(-?\d+) +(-?\d+)$", self.example, re.M)
        self.assertEqual([int(index) for index, *_ in quoted], [3, 35])
        for index, *z in quoted:
            self.assertEqual([int(x) for x in z], codeword(self.id, self.nonce, 2, self.size, int(index)))
        ours = self.run_quoted(self.example, "codeword")
        self.assertEqual(ours.split(), list(quoted[0][1:]))

    def test_the_choice(self):
        v = [float(x) for x in self.find(r"^The choice for v = \((\S+), (\S+)\), no flip: M = ")]
        top, rest = self.ranked(v)
        self.assertEqual([int(i) for i in self.find(r"^    TOP = ([\d ]+)$")[0].split()], top)
        rows = re.findall(r"^\| (\d+)(?: = ([^|]+))? \| (\d+) \|$", self.example, re.M)
        self.assertEqual(len(rows), 6)
        w_top, w_rest = self.weights["w_top"], self.weights["w_rest"]
        for member, formula, index in rows:
            u = int(member)
            if formula:
                self.assertEqual(u, eval(formula.replace(" w_", " * w_"), dict(self.weights)), formula)
            past = u - self.top * w_top
            self.assertEqual(int(index), top[u // w_top] if past < 0 else rest[past // w_rest], u)

    def test_the_choice_after_a_flip(self):
        *v, index = self.find(r"^With v = \((\S+), (\S+)\) and coins `sign` = 0, `member` = 0 the sign flips, "
                              r"and the index is (\d+)\.")
        top, _ = self.ranked([-float(x) for x in v])
        self.assertEqual(int(index), top[0])

    def test_the_report_and_the_tally(self):
        index, epoch, report = self.find(r"^A report of index (\d+) under a model of epoch (\d+):\n\n"
                                         r"    ([0-9a-f ]+)\n")
        spec, frame = self.directory / "spec", self.directory / "report"
        spec.write_bytes(self.spec)
        frame.write_bytes(bytes.fromhex(report))
        result = sotto("inspect", "report", frame, "--spec", spec, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout), {"spec_id": self.id.hex(), "epoch": int(epoch),
                                                     "nonce": self.nonce.hex(), "index_0": int(index)})
        same_epoch, tally = self.find(r"^The tally of epoch (\d+) with this one report:\n\n((?:    [0-9a-f ]+\n)+)")
        self.assertEqual(same_epoch, epoch)
        self.assertEqual(bytes.fromhex(tally), b"STT2" + self.id + struct.pack(
            "<IB3x2Q2q", int(epoch), 1, 1, 1, *codeword(self.id, self.nonce, 2, self.size, int(index))))

    def test_golden_files_are_there_and_can_be_read(self):
        names = re.findall(r"tests/golden/(\w+\.bin)", self.text)
        self.assertTrue(names)
        for name in names:
            self.assertTrue((SOURCE / "tests/golden" / name).exists(), name)
        for kind in re.findall(r"`(\w+_\*\.bin)`", self.text):
            self.assertTrue(list((SOURCE / "tests/golden").glob(kind)), kind)
        vectors = self.text[self.text.index("## 10. Test vectors"):self.text.index("## 11. ")].replace(
            "tests/golden", shlex.quote(str(SOURCE / "tests/golden")))
        for what in ("spec", "report", "model"):
            self.run_quoted(vectors, what)


class Privacy(unittest.TestCase):
    """The numbers of docs/privacy.md that a command prints."""

    def rows(self, section):
        text = (SOURCE / "docs/privacy.md").read_text()
        text = text[text.index(f"\n## {section}. "):text.index(f"\n## {section + 1}. ")]
        table = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
                 if line.startswith("|")]
        return table[2:]

    def test_the_constants_of_codebooks(self):
        rows = self.rows(8)
        self.assertGreater(len(rows), 3)
        for dim, epsilon, *told in rows:
            found = json.loads(sotto("inspect", "spec", "--dim", dim, "--arms", "2", "--epsilon", epsilon,
                                     "--json").stdout)
            names = ("main_size", "main_top", "main_scale", "main_mse")
            self.assertEqual(told, [f"{found[name]:.8g}" for name in names])

    def test_the_paper_s_calibration(self):
        rows = self.rows(11)
        self.assertGreater(len(rows), 3)
        for delta, norm, *told in rows:
            for epsilon, cell in zip((1, 2, 5, 8, 10), told, strict=True):
                [found] = json.loads(sotto("inspect", "calibration", "--delta", delta, "--context-norm-max", norm,
                                           "--epsilon", str(epsilon), "--json").stdout)
                number = f"{found['true_epsilon']:.4g}"
                self.assertEqual(cell, number if found["holds"] else f"**{number}**")


if __name__ == "__main__":
    unittest.main()
