#!/usr/bin/env python3
"""The playground in Debian's chromium, under the policy that sottod sends: what it shows is what `sotto simulate` prints."""
import csv
import functools
import http.server
import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "system"))
import browser  # noqa: E402
from sottod import Service  # noqa: E402

PAGES = Path(os.environ["SOTTO_WEB"]) / "pages"
AXE = PAGES.parent / "axe.js"
POLICY = "".join(re.findall('"(.*)"', (Path(os.environ["SOURCE"]) / "src/service/pages/pages.h").read_text().split("#define PAGES_POLICY")[1]))
SMALL = {"people": 3.5, "dim": 3}
PLAYED = "return document.body.dataset.regret"


class Server(http.server.ThreadingHTTPServer):
    """The pages; those in `gone` are missing."""
    def __init__(self):
        self.gone = set()
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(PAGES)))
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        return self.send_error(404) if self.path in self.server.gone else super().do_GET()

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass


class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.chromium = browser.Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.chromium.__exit__()
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.server.gone.clear()
        self.address = f"{self.server.url}/playground/"

    def script(self, body):
        return self.chromium.script(body)

    def until(self, body, seconds=120):
        for _ in range(seconds * 10):
            value = self.script(body)
            if value:
                return value
            time.sleep(0.1)
        self.fail(f"{body}: not within {seconds} s; {self.script('return document.body.innerText')}")

    def open(self, width=1280, height=900, dark=False, **sliders):
        self.chromium.view(width, height, dark)
        self.chromium.open(self.address)
        for name, value in {**SMALL, **sliders}.items():
            self.script(f"const slider = document.getElementById('{name}'); slider.value = {value};"
                        "delete document.body.dataset.regret; slider.dispatchEvent(new Event('input', {bubbles: true}))")
        self.until("const words = document.getElementById('command').textContent; return words.includes('--horizon 3162')")

    def text(self, name):
        return self.script(f"return document.getElementById('{name}').textContent")

    def simulated(self):
        """The regrets at the end by the command that the page shows."""
        words = shlex.split(self.text("command"))
        result = subprocess.run([os.environ["SOTTO"], *words[1:], "--quiet", "--csv"], capture_output=True, text=True, check=True)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        return {row["method"]: float(row["regret"]) for row in rows if row["t"] == rows[-1]["t"]}

    def test_a_module_that_does_not_come_is_told(self):
        self.server.gone.add("/lab.wasm")
        self.open()
        self.until("return !document.getElementById('fault').hidden")
        self.assertIn("404", self.text("fault"))

    def test_the_regrets_are_those_of_the_command_to_the_last_digit(self):
        self.open()
        self.assertEqual(json.loads(self.until(PLAYED)), self.simulated())

    def test_a_sentence_says_what_privacy_costs_each_person(self):
        self.open()
        regret = json.loads(self.until(PLAYED))
        three = lambda number: f"{float(f'{number:.3g}'):,.15g}"  # noqa: E731
        cost = (regret["sotto"] - regret["linucb"]) / 3162
        self.assertEqual(self.text("says"), (
            f"Privacy costs each of 3,162 people {three(cost)} of reward on average: in all they miss {three(regret['sotto'])} with Sotto and "
            f"{three(regret['linucb'])} without privacy. They miss {three(regret['ldp-sgd'])} with the method of Han and others and "
            f"{three(regret['best-arm'])} if everybody gets the same offer."))
        self.assertIn("at most 2.72 times as likely for one person as for any other", self.text("epsilon-says"))

    def test_with_delay_and_liars_they_are_too(self):
        self.open(delay=60, liars=2)
        shown = json.loads(self.until(PLAYED))
        self.assertEqual(set(shown), {"sotto", "ldp-sgd", "linucb"})
        self.assertEqual(shown, self.simulated())
        self.assertIn("The same offer for everybody is not simulated", self.text("says"))
        self.assertNotIn("Privacy costs", self.text("says"))  # liars do, too

    def test_a_key_moves_a_slider_and_other_people_come_by_a_click(self):
        self.open()
        first = json.loads(self.until(PLAYED))
        box = self.script("document.getElementById('epsilon').focus(); return document.activeElement.id")
        self.assertEqual(box, "epsilon")
        for kind in ("rawKeyDown", "keyUp"):
            self.chromium.devtools("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight",
                                   windowsVirtualKeyCode=39)
        self.until("return document.getElementById('epsilon-shown').textContent === '1.19'")
        self.until("return document.getElementById('command').textContent.includes('--epsilon 1.19 ')")
        self.assertNotEqual(json.loads(self.until(PLAYED)), first)
        self.chromium.click("#again")
        self.assertIn("--first-seed 2", self.text("command"))
        self.assertEqual(json.loads(self.until(PLAYED)), self.simulated())

    def test_one_report_is_one_of_its_directions_and_the_guesser_has_the_odds_of_epsilon(self):
        self.open()
        self.until("return document.querySelectorAll('#circle .full').length === 64")
        self.assertRegex(self.text("index"), r"^direction \d+$")
        self.assertIn("2.72 times as likely", self.text("odds"))
        shown = self.script("return [...document.querySelectorAll('#guesses .number')].map(e => e.textContent)")
        self.assertEqual(shown, ["50 %", "73.1 %", "91.1 %"])
        first = self.script("return document.getElementById('circle').innerHTML")
        self.chromium.click("#draw")
        self.until(f"return document.getElementById('circle').innerHTML !== {json.dumps(first)}")
        self.assertEqual(self.script("return document.querySelectorAll('#circle .full').length"), 64)

    def test_the_audit_catches_the_cheat_alone(self):
        self.open()
        self.chromium.click("#audit")
        self.until("return document.getElementById('audit-status').textContent.includes('caught')")
        self.assertEqual(self.text("audit-status"), "No violation found in the honest program; the cheat is caught.")

    def test_a_phone_needs_no_sideways_scrolling_and_nobody_else_is_asked(self):
        self.open(390, 844)
        self.until(PLAYED)
        self.assertLess(self.script("return document.querySelector('#curves svg').getBoundingClientRect().bottom"), 900)  # while epsilon moves
        self.chromium.click("#more-settings")
        self.until("return document.getElementById('people').checkVisibility()")
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 390)
        asked = self.chromium.requests()
        self.assertTrue(asked and all(url.startswith(self.server.url) for url in asked), asked)
        refused = [line for line in self.chromium.log("browser") if "Content Security Policy" in line]
        self.assertEqual(refused, [])

    @unittest.skipUnless(AXE.is_file(), "there is no axe.js: `make web` takes it from the npm registry")
    def test_axe_finds_nothing(self):
        self.open()
        self.until(PLAYED)
        self.chromium.click("#audit")
        self.until("return document.getElementById('audit-status').textContent.includes('caught')")
        self.script(AXE.read_text())
        for width, dark in ((1280, False), (390, True), (390, False)):
            self.chromium.view(width, 900, dark)
            self.script("document.axeFound = null; axe.run({resultTypes: ['violations']}).then(found => "
                        "{ document.axeFound = found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html)); })")
            self.assertEqual(self.until("return document.axeFound && JSON.stringify(document.axeFound)"), "[]", (width, dark))

    def test_it_is_dark_where_that_is_preferred_and_black_on_white_on_paper(self):
        colours = "const of = getComputedStyle(document.body); return [of.color, of.backgroundColor].map(c => Number(c.match(/[0-9]+/)[0]))"
        self.open(dark=True)
        ink, page = self.script(colours)
        self.assertGreater(ink, page)
        self.until(PLAYED)
        self.chromium.devtools("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(self.script(colours), [0, 255])
        seen = "return ['form', '#draw', '#audit', '#curves svg', '#says', '#command'].map(css => document.querySelector(css).checkVisibility())"
        self.assertEqual(self.script(seen), [False] * 3 + [True] * 3)

    @unittest.skipUnless("SOTTOD" in os.environ, "this build has no sottod")
    def test_sottod_serves_it_to_everybody_under_this_policy(self):
        with Service() as service:
            page = service.ask(service.admin, "GET", "/playground/")
            self.assertEqual((page.status, page.headers["Content-Security-Policy"]), (200, POLICY))
            self.address = f"{service.admin}/playground/"
            self.open()
            self.assertEqual(json.loads(self.until(PLAYED)), self.simulated())
            self.assertEqual([line for line in self.chromium.log("browser") if "Content Security Policy" in line], [])


if __name__ == "__main__":
    if browser.MISSING or not PAGES.is_dir():
        print("skipped: no chromium, no chromedriver, or no pages; `make deps-test web` gives them")
        sys.exit(77)
    unittest.main()
