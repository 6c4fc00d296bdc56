#!/usr/bin/env python3
"""The page as people see it, in a browser: on a desktop and on a phone, light, dark and printed.
Pages that are broken on purpose show that each check can fail."""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from xml.etree import ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import browser  # noqa: E402
from sotto_binary import NO_PICTURES, sotto  # noqa: E402

MAKE_PAGE, MAKE_PAPER_PAGE = (Path(os.environ["BUILD"]) / "tests" / name for name in ("make_page", "make_paper_page"))
DESK, PHONE = (1280, 900), (390, 844)
A4 = (717, 1050)  # within the margins of 1 cm that browsers leave, in CSS pixels
NASTY = "<script>alert('no')</script> & \"quotes\""
VOID = {"meta", "br", "hr", "img", "link", "input"}

BOXES = """return [...document.querySelectorAll("figure")].flatMap(figure => {
    const panels = [...figure.querySelectorAll(".panels svg")];
    return (panels.length ? panels : [figure.querySelector("none")]).map(svg => {
        const box = svg ? svg.getBoundingClientRect() : new DOMRect();
        return [box.x + scrollX, box.y + scrollY, box.width, box.height]})})"""

# Tables that need sideways scrolling; folded parts are opened first.
CUT = """for (const folded of document.querySelectorAll("details")) folded.open = true;
return [...document.querySelectorAll(".box")].filter(box => box.scrollWidth > box.clientWidth)
    .map(box => box.getAttribute("aria-label"))"""

# Where our own method is seen first: the top of its name, and whether it is between the edges.
OWN = """const name = document.querySelector("svg .own").getBoundingClientRect();
return [name.top + scrollY, name.left >= 0 && name.right <= innerWidth]"""

# Parts wider than the page, or missing. Folded tables are printed too.
WIDE = """return [...document.querySelectorAll("svg, table, pre")].map(part => {
    const box = part.getBoundingClientRect(), name = part.ariaLabel ?? part.textContent;
    return [part.tagName + " " + name.trim().slice(0, 40), box.left, box.right]})
    .filter(([name, left, right]) => left < 0 || right > innerWidth || left === right)"""

# The lines of a legend as they are drawn: colour, dashes and mark.
KEYS = """return [...document.querySelectorAll(".legend")].map(legend => [...legend.querySelectorAll("svg")].map(key => {
    const line = key.querySelector("path"), mark = key.querySelectorAll("path")[1];
    return [getComputedStyle(line).stroke, getComputedStyle(line).strokeDasharray, mark.getAttribute("d")].join(" ")}))"""

# The worst contrast of text with its background, by the formula of WCAG 2: (L1 + 0.05) / (L2 +
# 0.05).
CONTRAST = """
const numbers = colour => colour.match(/[0-9.]+/g).map(Number);
const light = colour => numbers(colour).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = element => {
    for (; element; element = element.parentElement) {
        const colour = getComputedStyle(element).backgroundColor, parts = numbers(colour);
        if (parts.length < 4 || parts[3] > 0) return colour;
    }
    return "rgb(255, 255, 255)";
};
let worst = [99, "nothing"];
for (const element of document.querySelectorAll("h1,h2,p,li,a,td,th,b,caption,summary,figcaption,code,pre,span,svg text")) {
    const style = getComputedStyle(element);
    const ink = light(element.closest("svg") ? style.fill : style.color), ground = light(behind(element));
    const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    if (ratio < worst[0]) worst = [ratio, element.tagName + " " + element.textContent.slice(0, 40)];
}
return worst"""

# Ids that occur twice.
CLASHES = """
const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
return ids.filter((id, i) => ids.indexOf(id) !== i)"""


def faults(window, url, size, dark):
    """The faults of a page, in words; empty for a good one."""
    found = []
    window.view(*size, dark)
    window.open(url)
    words = window.script("return document.body.innerText.trim().length")
    if words < 100:
        found.append(f"{words} characters of text")
    boxes = window.script(BOXES)
    if not boxes:
        found.append("no figure")
    for number, box in enumerate(boxes):
        if box[2] < 100 or box[3] < 100:
            found.append(f"figure {number} has the size {box[2:]}")
        elif len(browser.png_colours(window.screenshot(*box, scale=0.12), 10)) < 10:
            found.append(f"figure {number} is blank")
    across = window.script("return document.documentElement.scrollWidth")
    if across > size[0]:
        found.append(f"the page is {across} wide")
    if size == DESK:
        found += [f"cut off: {table}" for table in window.script(CUT)]
    for number, keys in enumerate(window.script(KEYS)):
        if len(set(keys)) < len(keys):
            found.append(f"two keys of legend {number} look alike")
    ratio, where = window.script(CONTRAST)
    if ratio < 4.5:
        found.append(f"contrast {ratio:.2f} in {where}")
    found += [f"clash: {clash}" for clash in window.script(CLASHES)]
    found += [f"request: {other}" for other in window.requests() if other != url]
    found += [f"console: {line}" for line in window.log("browser")]
    return found


class Balance(HTMLParser):
    """Tags that are not closed or wrongly nested, and all the text between tags."""

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.words, self.tags, self.links, self.labels = [], [], [], [], [], []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name == "href"]
        self.labels += [value for name, value in attributes if name == "aria-label"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def setUpModule():
    if shutil.which("rsvg-convert") is None:
        raise unittest.SkipTest("rsvg-convert is not installed")
    Page.path = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    result = subprocess.run([MAKE_PAGE, Page.path], capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    Page.html = (Page.path / "index.html").read_text(encoding="utf-8")
    Page.paper = Page.path / "paper" / "index.html"
    Page.paper.parent.mkdir()
    subprocess.run([MAKE_PAPER_PAGE, Page.paper.parent], check=True, timeout=300)


class Page(unittest.TestCase):
    """The files under test: `path`, its directory, `html`, its page, and `paper`, the page of a
    whole reproduction."""


class Files(Page):
    def test_nothing_half_written_is_left(self):
        names = {f"{name}.{kind}" for name in ("both", "one") for kind in ("csv", "svg", "png", "pdf")}
        there = {path.name for path in self.path.iterdir()}
        self.assertLessEqual(names | {"index.html"}, there)
        self.assertEqual([name for name in there if name.endswith(".part")], [])

    def test_pictures_are_of_their_kind_and_size(self):
        for name in ("both", "one"):
            png = (self.path / f"{name}.png").read_bytes()
            self.assertEqual((png[:8], int.from_bytes(png[16:20], "big")), (b"\x89PNG\r\n\x1a\n", 1600))
            self.assertEqual((self.path / f"{name}.pdf").read_bytes()[:5], b"%PDF-")
            svg = (self.path / f"{name}.svg").read_text(encoding="utf-8")
            self.assertIn("cumulative regret</text>", svg)  # words, not outlines
            self.assertEqual(ElementTree.fromstring(svg).tag, "{http://www.w3.org/2000/svg}svg")
            self.assertNotRegex(svg, r"<script|<image|<title|https?://(?!www.w3.org/)")

    def test_numbers_are_all_there(self):
        with open(self.path / "both.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 12 * 61)
        self.assertEqual({row["panel"] for row in rows}, {"as published", "exact"})
        for row in rows:
            self.assertLess(float(row["lo"]), float(row["y"]))
            self.assertLess(float(row["y"]), float(row["hi"]))

    def test_the_page_is_well_formed_and_text_is_text(self):
        page = Balance(self.html)
        self.assertEqual(page.wrong, [])
        self.assertNotIn("script", page.tags)
        self.assertEqual("".join(page.words).count(NASTY), 4)  # paragraph, caption of a figure, cell, check
        self.assertIn(NASTY, page.labels)
        self.assertEqual(set(page.links), {"#regret", "#numbers", *(
            f"{name}.{kind}" for name in ("both", "one") for kind in ("csv", "svg", "png", "pdf"))})
        for ident in ("regret", "numbers"):
            self.assertIn(f'id="{ident}"', self.html)
        self.assertLess(len(self.html), 300_000)

    def test_large_numbers_have_separators(self):
        """Except in commands, which can be copied."""
        page = self.paper.read_text(encoding="utf-8")
        text = re.sub(r"<(style|pre|code)\b.*?</\1>|<[^>]+>", " ", page, flags=re.S)
        self.assertIn("100,000 people", text)
        self.assertEqual(re.findall(r".{0,30}(?<![\d.,])\d{5,}.{0,10}", text), [])

    def test_balance_can_fail(self):
        for text in ("<p>", "<p><b></p></b>", "</p>"):
            self.assertNotEqual(Balance(text).wrong, [], text)


@unittest.skipIf(browser.MISSING, "chromium or chromedriver is not installed")
class Seen(Page):
    @classmethod
    def setUpClass(cls):
        cls.window = cls.enterClassContext(browser.Browser())

    def faults(self, html=None, size=DESK, dark=False):
        path = self.path / "index.html"
        if html is not None:
            path = self.path / "twin.html"
            path.write_text(html, encoding="utf-8")
        return faults(self.window, path.as_uri(), size, dark)

    def test_it_is_good_on_desk_and_phone_light_and_dark(self):
        for size in (DESK, PHONE):
            for dark in (False, True):
                with self.subTest(size=size, dark=dark):
                    self.assertEqual(self.faults(size=size, dark=dark), [])
                    ground = self.window.script("return getComputedStyle(document.body).backgroundColor")
                    self.assertEqual(max(map(int, re.findall(r"\d+", ground))) < 60, dark)

    def test_the_page_of_a_command_is_good(self):
        out = self.path / "reproduced"
        words = ["--only", "logistic", "--seeds", "2", "--horizon", "200", "--quiet", "--out", out]
        self.assertEqual(sotto("reproduce", *words, env=NO_PICTURES).returncode, 0)
        for size, dark in ((DESK, False), (PHONE, True)):
            self.assertEqual(faults(self.window, (out / "index.html").as_uri(), size, dark), [])

    def wide_in_print(self, path):
        """What does not fit on a page of A4."""
        self.window.view(*A4)
        self.window.open(path.as_uri())
        self.window.devtools("Emulation.setEmulatedMedia", media="print", features=[])
        wide = self.window.script(WIDE)
        self.window.devtools("Emulation.setEmulatedMedia", media="", features=[])
        return wide

    def test_what_is_printed_fits_the_page(self):
        for path in (self.path / "index.html", self.paper):
            self.assertEqual(self.wide_in_print(path), [], path)
            self.assertGreater(len(re.findall(rb"/Type\s*/Page\b", self.window.pdf())), 0)

    def test_without_the_rules_for_print_it_would_not_fit(self):
        page = self.paper.read_text(encoding="utf-8")
        twin = page.replace("@media print {", "@media not all {")
        self.assertNotEqual(twin, page)
        path = self.paper.with_name("twin.html")
        path.write_text(twin, encoding="utf-8")
        self.assertNotEqual(self.wide_in_print(path), [])

    def test_on_a_phone_our_method_is_seen_first(self):
        """On the first screen, without sideways scrolling; panels are stacked."""
        self.assertEqual(self.faults(size=PHONE), [])
        top, inside = self.window.script(OWN)
        self.assertTrue(inside)
        self.assertLess(top, PHONE[1])
        boxes = self.window.script(BOXES)
        self.assertTrue(all(box[0] >= 0 and box[0] + box[2] <= PHONE[0] for box in boxes), boxes)
        self.assertGreaterEqual(boxes[1][1], boxes[0][1] + boxes[0][3])
        self.window.view(*DESK)
        boxes = self.window.script(BOXES)
        self.assertEqual(boxes[0][1], boxes[1][1])  # side by side

    def test_on_a_phone_the_papers_figure_is_stacked_with_our_number_first(self):
        """The findings stand above the figure, and no table is cut: its rows are stacked, our own
        number first."""
        for dark in (False, True):
            self.window.view(*PHONE, dark)
            self.window.open(self.paper.as_uri())
            boxes = self.window.script(BOXES)
            self.assertTrue(all(box[0] >= 0 and box[0] + box[2] <= PHONE[0] for box in boxes), boxes)
            above = self.window.script("return document.querySelector('.findings').getBoundingClientRect().bottom + scrollY")
            self.assertLess(above, boxes[0][1])
            self.assertLess(self.window.script("return document.querySelector('.findings').getBoundingClientRect().top"), PHONE[1])
            cells = self.window.script("return [...document.querySelector('#glance tbody tr').children].map(c => [c.className, "
                                       "c.getBoundingClientRect().top, c.getBoundingClientRect().right])")
            self.assertTrue(all(right <= PHONE[0] for _, _, right in cells), cells)
            cut = self.window.script("return [...document.querySelectorAll('.fig text')].filter(t => t.getBoundingClientRect().right > innerWidth)"
                                     ".map(t => t.textContent)")
            self.assertEqual(cut, [])
            gaps = self.window.script("return [...document.querySelectorAll('.first .fig .own')].map(t => t.textContent)")
            self.assertEqual(sum(text.endswith(" times less") for text in gaps), 4, gaps)
            self.assertEqual([kind for kind, _, _ in sorted(cells, key=lambda cell: cell[1])[:2]], ["long", "n own"])

    def test_on_a_desk_findings_stand_beside_the_papers_figure(self):
        self.window.view(1400, 900)
        self.window.open(self.paper.as_uri())
        words, figure = (self.window.script(f"return document.querySelector('{name}').getBoundingClientRect().toJSON()")
                         for name in (".findings", ".first figure"))
        self.assertLess(words["right"], figure["left"])
        self.assertLess(words["bottom"], 900)
        self.assertLess(figure["bottom"], 900)

    def test_figures_are_as_dark_as_the_page(self):
        for dark in (False, True):
            self.window.view(*DESK, dark)
            for name in ("index.html", "both.svg"):
                self.window.open((self.path / name).as_uri())
                box = self.window.script(BOXES)[0] if name == "index.html" else [0, 0, 400, 300]
                colours = browser.png_colours(self.window.screenshot(*box, scale=0.5), 10**6)
                white, night = bytes((255, 255, 255)), bytes((0x15, 0x17, 0x1A))
                self.assertEqual(white in {colour[:3] for colour in colours}, not dark, name)
                self.assertEqual(night in {colour[:3] for colour in colours}, dark, name)

    def test_a_picture_of_its_own_has_no_fault(self):
        self.window.open((self.path / "both.svg").as_uri())
        self.assertEqual(self.window.log("browser"), [])
        self.assertEqual(self.window.script("return document.querySelectorAll('.axis').length"), 2)

    def test_what_is_folded_is_printed(self):
        self.window.view(*DESK)
        self.window.open((self.path / "index.html").as_uri())
        measure = "return document.querySelector('details pre').checkVisibility({contentVisibilityAuto: true})"
        self.assertFalse(self.window.script(measure))
        self.window.devtools("Emulation.setEmulatedMedia", media="print", features=[])
        shown = self.window.script("return document.querySelector('details pre').getBoundingClientRect().height")
        self.window.devtools("Emulation.setEmulatedMedia", media="", features=[])
        self.assertGreater(shown, 10)

    def test_twins_are_caught(self):
        page = re.sub(r"<section id=.regret.*?</section>", "", self.html, flags=re.S)  # one figure is enough
        policy = re.search(r"<meta http-equiv.*?>", page)[0]
        free = page.replace(policy, "")
        drawing = re.search(r"(<svg class=.fig[^>]*>).*?</svg>", page, re.S)
        key = re.search(r"<li><svg class=.key.*?</li>", page, re.S)
        panels = re.search(r"<div class=.panels.*?</div>", page, re.S)
        for what, twin, said in (
                ("an empty page", "<!DOCTYPE html><title>x</title>", "0 characters"),
                ("no figure", re.sub(r"<figure.*?</figure>", "", page, flags=re.S), "no figure"),
                ("a figure without its drawing", page.replace(panels[0], ""), "figure 0 has the size"),
                ("a blank drawing", page.replace(drawing[0], drawing[1] + "</svg>"), "figure 0 is blank"),
                ("a script", page.replace("<main>", "<main><script>1</script>"), "console: "),
                ("a mistake in a script", free.replace("<main>", "<main><script>oh()</script>"), "console: "),
                ("a request", free.replace("<main>", "<main><img src='both.png' alt=''>"), "request: "),
                ("pale words", page.replace("--soft: #55595f", "--soft: #999"), "contrast 2."),
                ("keys alike", page.replace(key[0], 2 * key[0]), "look alike"),
                ("a table that is cut off", page.replace("max-width: 86rem", "max-width: 40rem"), "cut off: "),
                ("an id twice", page.replace("</main>", "<p id='numbers'></p></main>"), "clash: ")):
            with self.subTest(what):
                self.assertNotIn(twin, (page, self.html))
                self.assertIn(said, "; ".join(self.faults(twin)))

    def test_twins_are_caught_on_a_phone_and_in_the_dark(self):
        wide = self.html.replace("@media screen and (max-width: 41.99rem)", "@media print").replace(  # rows are not stacked
            ".box { overflow-x: auto", ".box { overflow-x: visible")
        self.assertIn("the page is", "; ".join(self.faults(wide, size=PHONE)))
        dull = self.html.replace("--ink: #e6e7e9", "--ink: #666")
        self.assertEqual(self.faults(dull), [])
        self.assertIn("contrast", "; ".join(self.faults(dull, dark=True)))


if __name__ == "__main__":
    unittest.main()
