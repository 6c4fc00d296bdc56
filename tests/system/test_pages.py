#!/usr/bin/env python3
"""The set of pages: how long each may be, its table of contents, its links, and tables that come from research/."""
import csv
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])

# Pages, and the number of words that they may have together. A new page is a new row.
LIMITS = {
    ("README.md",): 900,
    ("docs/start.md",): 2600,
    ("docs/lab.md",): 2000,
    ("docs/data.md",): 3500,
    ("docs/methods.md",): 5000,
    ("docs/plan.md",): 1000,
    ("docs/embedding.md", "docs/devices.md", "docs/python.md"): 4000,
    ("docs/browser.md",): 1800,
    ("docs/operations.md",): 5000,
    ("docs/install.md",): 1800,
    ("docs/settings.md",): 1500,
    ("docs/guarantees.md",): 2500,
    ("docs/privacy.md",): 7400,
    ("docs/audit.md",): 2000,
    ("docs/protocol.md",): 6500,
    ("docs/formats.md",): 3500,
    ("docs/decisions.md",): 3750,
    ("CONTRIBUTING.md",): 1400,
    ("CHANGELOG.md",): 400,
    ("research/reproduction.md",): 3000,
    ("research/measurements.md",): 2000,
    ("research/README.md", "research/data.md", "research/epochs.md", "research/liars.md", "research/week.md"): 3000,
}
SET_MAX = 53000  # words of README and docs/: 47,000, and 6,000 that later issues may add
RECORD_MAX = 150  # words of one decision
CONTENTS_FROM = 3000  # pages with at least this many words open with a table of contents

PAGES = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"), *SOURCE.glob("research/*.md")])
GENERATED = re.compile(r"<!-- table: .*?<!-- end of table -->", re.S)
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


def words(text):
    """Counts words that have a letter or a digit, without remarks and generated tables."""
    text = re.sub(r"<!--.*?-->", "", GENERATED.sub("", text), flags=re.S)
    return sum(re.search(r"\w", word) is not None for word in text.split())


def headings(text):
    """[(level, title)] of a page, without what stands in blocks of code."""
    return [(len(marks), title) for marks, title in re.findall(r"^(#+) (.+?)\s*$", FENCED.sub("", text), re.M)]


def anchors(text):
    """The fragments of a page's headings, as GitHub makes them."""
    found = {}
    for _, title in headings(text):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found[f"{name}-{found[name]}"] = 0
    return set(found)


def links(text):
    return re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", text))


class Rules(unittest.TestCase):
    """The rules, tested on examples."""

    def test_words(self):
        self.assertEqual(words("One — two, 3 | x = 1 <!-- a b -->"), 5)
        self.assertEqual(words("a\n<!-- table: research/x.csv -->\n| b | c |\n<!-- end of table -->\nd"), 2)

    def test_anchors(self):
        text = "# A page\n## 4.5 Averaged (`sotto`): `x.c`\n```\n# no heading\n```\n## Again\n## Again\n"
        self.assertEqual(anchors(text), {"a-page", "45-averaged-sotto-xc", "again", "again-1"})


class Pages(unittest.TestCase):
    def test_no_page_is_longer_than_its_limit(self):
        for names, limit in LIMITS.items():
            with self.subTest(names=names):
                self.assertLessEqual(sum(words((SOURCE / name).read_text()) for name in names), limit)

    def test_the_set_is_no_longer_than_its_limit(self):
        pages = [SOURCE / "README.md", *SOURCE.glob("docs/*.md")]
        self.assertLessEqual(sum(words(page.read_text()) for page in pages), SET_MAX)

    def test_every_page_has_a_limit(self):
        limited = {name for names in LIMITS for name in names}
        there = {str(page.relative_to(SOURCE)) for page in PAGES if page.parent != SOURCE}
        self.assertEqual(there - limited, set(), "a new page needs a row of LIMITS")

    def test_long_pages_open_with_a_table_of_contents(self):
        for page in PAGES:
            text = page.read_text()
            if page.parent.name != "docs" or words(text) <= CONTENTS_FROM:
                continue
            with self.subTest(page=page.name):
                opening = text[:re.search(r"^## (?!Contents$)", FENCED.sub(lambda m: " " * len(m[0]), text), re.M).start()]
                listed = [target[1:] for target in links(opening) if target.startswith("#")]
                sections = [title for level, title in headings(text) if level == 2 and title != "Contents"]
                wanted = [next(iter(anchors("## " + title))) for title in sections]
                self.assertEqual([name for name in listed if name in wanted], wanted)

    def test_decisions_are_short(self):
        text = (SOURCE / "docs/decisions.md").read_text()
        for record in re.split(r"^##+ ", text, flags=re.M)[1:]:
            self.assertLessEqual(words(record), RECORD_MAX, record.splitlines()[0])

    def test_links_lead_to_files_and_headings(self):
        for page in PAGES:
            for link in links(page.read_text()):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, fragment = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(target.exists())
                    if fragment and target.suffix == ".md":
                        self.assertIn(fragment, anchors(target.read_text()))


class Contributing(unittest.TestCase):
    """The page of contributors has what there is."""

    @classmethod
    def setUpClass(cls):
        cls.text = (SOURCE / "CONTRIBUTING.md").read_text()

    def test_the_table_of_rooms_is_complete_and_arrows_run_upwards(self):
        table = re.search(r"^\| room \|.*?\n\n", self.text, re.M | re.S)[0]
        listed = [room for row in table.strip().splitlines()[2:] for room in re.findall(r"`([a-z_/]+)`", row.split("|")[1])]
        uses = dict(line.split(":") for line in (Path(os.environ["BUILD"]) / "rooms/rooms.txt").read_text().splitlines())
        self.assertEqual(sorted(listed), sorted(uses))
        for room, used in uses.items():
            for other in used.split():
                self.assertLess(listed.index(other), listed.index(room), f"{room} uses {other}")

    def test_its_commands_of_make_exist(self):
        named = set(re.findall(r"`make ([a-z-]+)`", self.text))
        targets = set(re.findall(r"^([a-z-]+):", (SOURCE / "Makefile").read_text(), re.M))
        self.assertEqual(named - targets, set())
        self.assertLessEqual({"test", "format", "tables", "docs", "help"}, named)

    def test_make_help_lists_commands(self):
        said = subprocess.run(["make", "--no-print-directory", "-C", SOURCE, "help"], capture_output=True, text=True).stdout
        self.assertIn("make test        build without a warning", said)
        self.assertLessEqual(max(map(len, said.splitlines())), 80)


class Plan(unittest.TestCase):
    def test_the_page_has_what_its_command_prints(self):
        text = (SOURCE / "docs/plan.md").read_text()
        [command] = re.findall(r"^    (sotto plan .+)$", text, re.M)
        done = subprocess.run([os.environ["SOTTO"], *command.split()[1:], "--json"], capture_output=True, text=True, check=True)
        [plan] = json.loads(done.stdout)["plans"]
        floor, half = plan["floor"], plan["half"]
        said = {"regret": f"{plan['regret']:.4g}", "Target": f"{plan['target_people']} people, {plan['target_days']} days",
                "Near": f"{plan['within_people']} people", "Half of epsilon": f"{half['ratio']:.3g} times the regret",
                "Floor": f"{floor['times']:.3g} times", "Budget": f"{plan['budget']['reports_per_person']} reports",
                "Without context": f"{plan['best_arm_lead']:.3g}"}
        reading = text[:text.index("## What it was")]
        self.assertEqual(dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", reading, re.M)), {"line": "here", **said})
        self.assertIn(f"{plan['cost']:.3g} times that of the same method without privacy "
                      f"({plan['regret_without_privacy']:.4g})", text)
        self.assertIn(f"at most {plan['regret'] / floor['proved']:.3g} times the proved minimum", text)


class Research(unittest.TestCase):
    """Tables of pages come from research/*.csv, and research/index.csv says where those come from."""

    @classmethod
    def setUpClass(cls):
        with open(SOURCE / "research/index.csv", encoding="utf-8", newline="") as file:
            cls.index = list(csv.DictReader(file))

    def test_tables_and_figures_are_those_of_the_files(self):
        check = subprocess.run([sys.executable, SOURCE / "tests/measure/tables.py", "--check"], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)

    def test_the_index_lists_every_file(self):
        listed = [row["file"] for row in self.index]
        self.assertEqual(sorted([*listed, "index.csv"]), sorted(path.name for path in SOURCE.glob("research/*.csv")))
        for row in self.index:
            self.assertTrue(row["what"], row["file"])
            self.assertTrue(row["file"] == "data_sets.csv" or row["command"] and row["commit"], row["file"])

    def test_commands_of_the_index_exist(self):
        for row in self.index:
            for path in re.findall(r"(?:tests|bench)/[\w/]+\.\w+", row["command"]):
                self.assertTrue((SOURCE / path).exists(), row["file"])

    def test_rows_are_whole(self):
        for path in SOURCE.glob("research/*.csv"):
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.reader(line for line in file if not line.startswith("#")))
            self.assertGreater(len(rows), 1, path.name)
            self.assertEqual({len(row) for row in rows}, {len(set(rows[0]))}, path.name)

    def test_every_file_is_shown_on_a_page(self):
        shown = set()
        for page in PAGES:
            shown.update(re.findall(r"research/(\w+\.csv)", page.read_text()))
        self.assertEqual({row["file"] for row in self.index} - shown, set())

    def test_nothing_of_it_is_installed(self):
        for path in [SOURCE / "CMakeLists.txt", *SOURCE.glob("cmake/*"), *SOURCE.glob("src/**/CMakeLists.txt"),
                     *SOURCE.glob("packaging/*.cmake")]:
            if path.is_file():
                self.assertNotIn("research/", path.read_text(), path.name)


if __name__ == "__main__":
    unittest.main()
