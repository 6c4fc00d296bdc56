#!/usr/bin/env python3
"""A client written from docs/protocol.md alone and the C client say the same bytes on one tape."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FIRST = os.environ["SOTTO_FIRST_CLIENT"].split()
SECOND = [sys.executable, str(Path(__file__).with_name("second_client.py"))]
GOLDEN = os.environ["SOTTO_GOLDEN"]
CASES = int(os.environ.get("SOTTO_CASES", 60))
SEED = os.environ.get("SOTTO_SEED", "7")


def said(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


class SecondClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        subprocess.run([*FIRST, "make", cls.directory.name, str(CASES), SEED], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def parts(self, number):
        return [f"{self.directory.name}/{number}.{part}" for part in ("terms", "model", "people", "tape")]

    def test_it_refuses_terms_with_any_byte_of_a_weight_raised(self):
        """Of the first case: the last byte of weight_top, which makes it far too large."""
        terms, model, people, tape = self.parts(0)
        bytes_ = bytearray(Path(terms).read_bytes())
        at = (128 if bytes_[:4] == b"STS2" else 104) + (20 if bytes_[:4] == b"STS2" else 16)
        bytes_[at + 7] = 1
        Path(terms + ".weak").write_bytes(bytes_)
        for client in ([*FIRST, "play"], SECOND):
            answer = said([*client, terms + ".weak", model, people, tape])
            self.assertEqual((answer.returncode, answer.stdout), (1, ""), client)

    def test_the_worked_example_and_the_golden_files(self):
        answer = said([*SECOND, "--self-test", GOLDEN])
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_the_whole_round_of_the_document(self):
        """Section 4 of docs/protocol.md, played by both clients."""
        text = (Path(GOLDEN).parents[1] / "docs/protocol.md").read_text()
        example = text[text.index("## 4. "):text.index("## 5. ")]
        terms = "".join(re.findall(r"^    ((?:[0-9a-f]{8} ){2,3}[0-9a-f]{8})$", example, re.M))
        story = example[example.index("**A whole round**"):]
        model, drawn, report = re.findall(r":\n\n((?:    [0-9a-f ]{60,}\n)+)", story)
        [context] = re.findall(r"^\| context \| (.*) \|$", story, re.M)
        [reward] = re.findall(r"^\| reward \| r = (\S+) \|$", story, re.M)
        [arm] = re.findall(r"^\| decide.*: arm (\d) \|$", story, re.M)
        [other] = re.findall(r"the same coins give index (\d+)\.", story)
        numbers = " ".join(re.sub(r"x_\d = ", "", context).translate(str.maketrans("(),", "   ")).split())
        report = bytes.fromhex(report)
        without = report[:40] + int(other).to_bytes(2, "little")
        parts = [f"{self.directory.name}/document.{part}" for part in ("terms", "model", "people", "tape")]
        for path, bytes_ in zip(parts, (terms, model, "", drawn * 2)):
            Path(path).write_bytes(bytes.fromhex(bytes_))
        Path(parts[2]).write_text(f"{numbers} {reward}\n{numbers} -\n")
        for client in ([*FIRST, "play"], SECOND):
            answer = said([*client, *parts])
            self.assertEqual(answer.stdout.splitlines(), [f"{arm} {frame.hex()} 40" for frame in (report, without)],
                             (client, answer.stderr))

    def test_the_steps_of_the_whole_round(self):
        """The numbers in between, by the second client."""
        sys.path.insert(0, str(Path(__file__).parent))
        import second_client as client
        text = (Path(GOLDEN).parents[1] / "docs/protocol.md").read_text()
        story = text[text.index("**A whole round**"):text.index("## 5. ")]
        terms = client.Terms(bytes.fromhex(client.EXAMPLE_TERMS))
        model = client.Model(terms, bytes.fromhex(re.search(r":\n\n((?:    [0-9a-f ]{60,}\n)+)", story)[1]))
        contexts = [client.clip_context(x, 1.0) for x in ([0.5, 0.5], [1.5, 2.0], [-0.25, 0.75])]
        x, length = contexts[1], client.norm(model.tbar)
        u = [t / length for t in model.tbar]
        y = [a - 0.7 * client.dot(x, u) * b for a, b in zip(x, u)]
        v = client.score(terms, model, 1, x, 0.25)
        book, nonce = terms.books[client.MAIN], bytes(range(16, 32))
        top = client.nearest(terms.key, nonce, book, v)
        rows = {"clip, C = 1": x, "decide: x_a . tbar": [client.dot(z, model.tbar) for z in contexts],
                "score: p = x_1 . theta": [client.dot(x, model.theta)], "u = tbar/norm(tbar)": [*u, client.dot(x, u)],
                "y = x_1 - (1 - w)(x_1 . u) u": [*y, client.norm(y)], "v = psi y/norm(y)": v}
        for name, numbers in rows.items():
            [row] = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", story, re.M)
            row = re.sub(r"x_\d", "", row)
            quoted = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", row)][:len(numbers)]
            for ours, theirs in zip(numbers, quoted, strict=True):
                self.assertAlmostEqual(ours, theirs, delta=6e-10, msg=row)
        [quoted] = re.findall(r"^    TOP of v = ([\d ]+)$", story, re.M)
        self.assertEqual([int(i) for i in quoted.split()], top)
        [member] = re.findall(r"`member` = 81985529216486895 mod W = (\d+);", story)
        self.assertEqual(int(member), 81985529216486895 % client.total_weight(book))
        self.assertIn(f"= {int(member) // book.weight_top}: member number", story)
        self.assertIn(f"is index {top[int(member) // book.weight_top]} |", story)

    def test_both_clients_say_the_same_bytes(self):
        for number in range(CASES):
            with self.subTest(case=number):
                first = said([*FIRST, "play", *self.parts(number)])
                second = said([*SECOND, *self.parts(number)])
                self.assertEqual(first.returncode, 0, first.stderr)
                self.assertEqual(second.returncode, 0, second.stderr)
                self.assertEqual(first.stdout, second.stdout)
                self.assertGreater(first.stdout.count("\n"), 3)


if __name__ == "__main__":
    unittest.main()
