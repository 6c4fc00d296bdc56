#!/usr/bin/env python3
"""The dashboard in Debian's chromium, clicked and typed at, against a sottod that runs: what it shows is what the service says."""
import concurrent.futures
import contextlib
import hashlib
import json
import math
import os
import random
import re
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "system"))
import browser  # noqa: E402
import harm  # noqa: E402
from postgres import Postgres  # noqa: E402
from sottod import Service  # noqa: E402

WEB = Path(os.environ["SOTTO_WEB"])
AXE = WEB / "axe.js"
MEASURE = 0.1
ENTER = "\ue007"
NAMES = ["<img src=x onerror=\"document.title='run'\">", "\u202eesrever \u05d0\u05d1", "x" * 200, "</script><b>bold"]


# Layouts of rows, as docs/formats.md and the tool beside it have them.
TABLES = dict(re.findall(r'"(\w+)": "(.*)"', re.sub(r'"\s*"', "", (Path(os.environ["SOURCE"]) / "examples/check_journal.py").read_text())))


def digest(table, row):
    """Of a row of the journal."""
    parts = [table.encode()]
    for field, x in zip(TABLES[table].split(), row, strict=True):
        kind = field.partition(":")[2]
        x = x.encode() if isinstance(x, str) else x
        parts += [struct.pack("<Q", len(x)), x] if kind == "*" else [struct.pack("<" + kind, x) if kind else x]
    return hashlib.sha256(b"".join(parts)).digest()


def free_ports(count):
    lines = [socket.socket() for _ in range(count)]
    for line in lines:
        line.bind(("127.0.0.1", 0))
    ports = [line.getsockname()[1] for line in lines]
    for line in lines:
        line.close()
    return ports


def planned(*options):
    """What `sotto plan` answers for a million people: a dictionary, or the sentence that refuses."""
    words = [os.environ["SOTTO"], "plan", "--horizon", "1e6", "--measure", MEASURE, "--quiet", "--json", *options]
    ran = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    return json.loads(ran.stdout)["plans"][0] if ran.returncode == 0 else ran.stderr.strip()


def three(number):
    """Three digits, as a page writes them."""
    return "–" if number is None else f"{float(f'{number:.3g}'):,.15g}"


def predictions(plan, form=False):
    """What the form or the card 'Planned and so far' says of it."""
    people = {key: "too many to say" if number is None else three(number) for key, number in {**plan, **plan["measuring"]}.items()
              if key in ("target_people", "people", "harm_people")}
    times = "–" if plan["floor"]["times"] is None else f"{three(plan['floor']['times'])} times"
    shown = {"people to detect an uplift": people["people"], "people to detect harm, if there is any": people["harm_people"]}
    if not form:
        return {**shown, "people until the mean loss stays below 5 %": people["target_people"],
                "regret over 1,000,000 people, as a multiple of the estimated minimum at this ε": times,
                "over 1,000,000 people, best-arm finds the best arm if it leads by at least": three(plan["best_arm_lead"])}
    return {**shown, "people until the mean loss stays below 5 %": people["target_people"], "days until then": three(plan["target_days"]),
            "loss over 1,000,000 people, as a share of the best reward": f"{three(100 * plan['share_of_best_reward'])} %",
            "regret, as a multiple of the estimated minimum at this ε": times,
            "reports that a device sends by default": three(plan["budget"]["reports_per_person"])}


def setUpModule():
    Case.chromium = unittest.enterModuleContext(browser.Browser())


class Case(unittest.TestCase):
    """A service, and the browser of all tests at it."""

    @classmethod
    def setUpClass(cls, journal=None):
        ports = [f"127.0.0.1:{port}" for port in free_ports(2)]
        cls.service = Service("--experiments-max", 2000, ports=("--listen", ports[0], "--admin", ports[1]), journal=journal)
        cls.enterClassContext(cls.service)
        cls.series = 0
        cls.reader = (cls.service.directory / "reader.token").read_text().strip()

    def setUp(self):
        self.service.hang_up()  # it closes connections that were idle
        if self.service.process.poll() is not None:
            self.service.start()

    # ---- hands and eyes

    def script(self, body):
        return self.chromium.script(body)

    def until(self, body, seconds=40):
        for _ in range(seconds * 20):
            value = self.script(body)
            if value:
                return value
            time.sleep(0.05)
        self.fail(f"{body}: not within {seconds} s; {self.script('return document.body.innerText')}")

    def press(self, words):
        """The button with these words, by a real click."""
        self.until(f"const found = [...document.querySelectorAll('button')].find(b => b.textContent === {json.dumps(words)});"
                   "if (found) found.id ||= 'pressed-' + Math.random().toString(36).slice(2); return found?.id")
        name = self.script(f"return [...document.querySelectorAll('button')].find(b => b.textContent === {json.dumps(words)}).id")
        self.chromium.click(f"#{name}")

    def write(self, css, text):
        found = self.chromium.element(css)
        self.chromium.post(f"element/{found}/clear", {})
        self.chromium.post(f"element/{found}/value", {"text": text})

    def choose(self, css, value):
        """An option of a select, as browsers tell it to the page: headless Chromium opens no list to click in."""
        self.script(f"const select = document.querySelector('{css}'); select.value = '{value}';"
                    "select.dispatchEvent(new InputEvent('input', {bubbles: true}))")

    def text(self, css):
        return self.script(f"return document.querySelector({json.dumps(css)}).textContent.replaceAll('\\u00a0', ' ')")

    def open(self, token=None, place="", width=1280, dark=False):
        """A new tab's worth: nothing is remembered."""
        self.chromium.view(width, 900, dark)
        self.chromium.open(f"{self.service.admin}/icon.svg")
        self.script("sessionStorage.clear()")
        fragment = f"#token={token}&id={place}" if token else f"#{place}"
        self.chromium.open(f"{self.service.admin}/{fragment}")

    def show(self, experiment, token=None, **more):
        self.open(token or self.service.token, experiment, **more)
        self.until(f"return document.getElementById('one-id').textContent === '{experiment}' &&"
                   " document.getElementById('headline').textContent !== ''")

    def new(self, spec=None, learning=None, **more):
        type(self).series += 1
        return self.service.create({"series": self.series, **(spec or {})}, learning, **more)

    def fleet_words(self, experiment, *options):
        words = [os.environ["SOTTO"], "fleet", f"{self.service.public}/v1/experiments/{experiment}", "--admin", self.service.admin,
                 "--token-file", self.service.directory / "reader.token", "--batch", 20, "--quiet", *options]
        return [*map(str, words)]

    def fleet(self, experiment, *options):
        """People of `sotto fleet`, which checks that all their reports were counted."""
        ran = subprocess.run(self.fleet_words(experiment, *options), check=False, capture_output=True, text=True, timeout=120)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def results(self, experiment):
        """What `sotto results` prints."""
        words = [os.environ["SOTTO"], "results", f"{self.service.admin}/v1/experiments/{experiment}", "--token-file",
                 str(self.service.directory / "reader.token"), "--json"]
        return json.loads(subprocess.run(words, capture_output=True, text=True, check=False).stdout)

    def axe(self, state, part="html"):
        """What axe-core has against a part of the page as it is now: nothing."""
        if not AXE.is_file():
            self.skipTest("there is no axe.js: `make web` takes it from the npm registry")
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth - innerWidth"), 0, state)
        if not self.script("return Boolean(globalThis.axe)"):
            self.script(AXE.read_text())
        self.script(f"document.axeFound = null; axe.run('{part}', {{resultTypes: ['violations']}}).then(found => "
                    "{ document.axeFound = found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html)); })")
        self.assertEqual(self.until("return document.axeFound && JSON.stringify(document.axeFound)"), "[]", state)

    def state(self, experiment):
        return self.service.describe(experiment)["state"]

    def facts(self, css):
        return dict(self.script(f"return [...document.querySelectorAll('{css} dt')].map(t => [t.textContent, t.nextElementSibling.textContent])"))


class Dashboard(Case):
    # ---- who may look

    def test_nobody_sees_anything_without_a_token(self):
        self.open()
        self.until("return !document.getElementById('enter').hidden")
        self.assertEqual(self.text("#service"), "needs a token")
        self.write("#token", "0" * 64 + ENTER)
        self.until("return document.getElementById('enter-why').textContent.includes('refuses')")
        self.assertTrue(self.script("return document.getElementById('list').hidden"))
        for text in ("p\u0430ssword", "\u201c" + self.reader + "\u201d", "\u00e9"):
            self.write("#token", text + ENTER)
            self.until("return document.getElementById('enter-why').textContent.includes('This is not a token')")
            self.assertTrue(self.script("return document.getElementById('trouble').hidden"))
            self.write("#token", "0" * 64 + ENTER)
            self.until("return document.getElementById('enter-why').textContent.includes('refuses')")
        self.write("#token", self.reader + ENTER)
        self.until("return !document.getElementById('list').hidden && document.getElementById('enter').hidden")
        self.press("Forget the token")
        self.until("return !document.getElementById('enter').hidden && document.getElementById('list').hidden")
        self.assertEqual(self.script("return sessionStorage.length"), 0)

    def test_a_token_in_the_address_leaves_it_at_once(self):
        experiment = self.new()
        self.show(experiment)
        self.assertEqual(self.script("return location.href"), f"{self.service.admin}/#{experiment}")
        self.assertEqual(self.script("return [localStorage.length, document.cookie, sessionStorage.sottoToken]"), [0, "", self.service.token])
        asked = self.chromium.requests()
        self.assertFalse([url for url in asked if not url.startswith(self.service.admin + "/")])
        self.assertFalse([url for url in asked if self.service.token in url.split("#")[0]])
        self.assertEqual([line for line in self.chromium.log("browser") if "favicon" not in line], [])

    def test_a_reader_is_told_what_is_missing(self):
        experiment = self.new()
        self.show(experiment, self.reader)
        self.press("Pause")
        self.chromium.click("#confirm-yes")
        self.until("return document.getElementById('confirm-fault').textContent.includes('the admin token is needed')")
        self.assertEqual(self.state(experiment), "open")

    # ---- what is shown

    def test_the_figures_are_those_of_the_service(self):
        experiment = self.new({"measure": MEASURE, "epsilon": 1, "dim": 3}, {"epoch": 400}, labels={"name": "Front page"})
        self.fleet(experiment, "--people", 6000, "--rate", 3000)
        self.show(experiment)
        self.until("return document.querySelectorAll('#table-uplift tbody tr').length > 0")
        results = self.results(experiment)
        self.assertEqual(self.text("#headline"), results["sentence"])
        self.assertEqual(self.text("#one-title bdi"), "Front page")
        tiles = dict(self.script("return [...document.querySelectorAll('.tile')].map(t => [t.querySelector('.l').textContent, t.querySelector('.v').textContent])"))
        self.assertEqual(tiles["reports counted"], f"{self.service.counts(experiment)['folded']:,}")
        self.assertEqual((tiles["harm"], tiles["of one report"]), ("no alarm", "ε 1"))
        measured = results["results"]["measurement"]
        last = self.script("return [...document.querySelectorAll('#table-uplift tbody tr:last-child td')].slice(1).map(c => c.textContent)")
        self.assertEqual(last, [f"{100 * measured['uplift'][key]:.1f}" for key in ("value", "lo", "hi")])
        drawn = self.script("return document.querySelector('#plot-arms svg').getAttribute('aria-label')")
        for arm in measured["arms"]:
            self.assertIn(f"arm {arm['arm']}: {float(format(arm['mean']['value'], '.3g')):g}", drawn)
        self.assertEqual(self.script("return document.querySelectorAll('#plot-arms circle').length"), len(measured["arms"]) + 1)
        self.assertTrue(self.script("return document.querySelector('#plot-uplift canvas') !== null"))
        self.assertEqual(self.facts("#privacy")["a report that leaves the device"], "42 bytes")

    def test_the_prediction_is_that_of_sotto_plan(self):
        shown = set()
        for spec, options in (
                ({}, ("--link", "logit")),
                ({"parameters": "per-arm", "epsilon": 0.5}, ("--link", "logit", "--parameters", "per-arm", "--epsilon", 0.5)),
                ({"reward_kind": "binary", "link": "identity"}, ("--link", "identity", "--reward-kind", "binary")),
                ({"reward_kind": "count", "link": "log", "reward_hi": 20, "theta_norm_max": 1.5},
                 ("--link", "log", "--reward-range", "0,20", "--theta-norm-max", 1.5))):
            with self.subTest(spec):
                self.show(self.new({"measure": MEASURE, "dim": 3, **spec}))
                self.until("return document.getElementById('plan').textContent.includes('people until the mean loss')")
                facts, wanted = self.facts("#plan"), predictions(planned("--dim", 3, "--arms", 3, *options))
                self.assertEqual({key: facts.get(key) for key in wanted}, wanted)
                self.assertFalse({"predicted for", "delay of reports"} & set(facts))
                self.assertIn(f"an uplift shows after about {wanted['people to detect an uplift']} people.", self.text("#advice"))
                shown.add(tuple(facts.values()))
        self.assertEqual(len(shown), 4)

    def test_what_sotto_plan_refuses_is_not_predicted(self):
        self.show(self.new({"measure": MEASURE, "dim": 3, "theta_norm_max": 8}))
        self.until("return document.getElementById('plan').textContent.includes('none: ')")
        said = planned("--dim", 3, "--arms", 3, "--link", "logit", "--theta-norm-max", 8)
        self.assertIn("level off", said)
        self.assertEqual(self.facts("#plan")["prediction"], said.replace("sotto plan: --theta-norm-max", "none: theta_norm_max"))
        self.assertEqual(self.text("#advice"), "")

    def test_of_another_method_the_prediction_is_said_to_be_about_sotto(self):
        other = {"method": "sotto-ols", "reward_kind": "continuous", "link": "identity", "reward_window_s": 60, "measure": MEASURE, "dim": 3}
        self.show(self.new(other, {"epoch_seconds_min": 60}))
        self.until("return document.getElementById('plan').textContent.includes('people until the mean loss')")
        facts, wanted = self.facts("#plan"), predictions(planned("--dim", 3, "--arms", 3))
        self.assertEqual({key: facts.get(key) for key in wanted}, wanted)
        self.assertEqual((facts["predicted for"], facts["delay of reports"]), ("method sotto, not sotto-ols", "not in the prediction"))
        self.assertEqual(self.text("#advice"), "")

    def test_what_a_shuffler_would_add_is_shown_with_its_conditions(self):
        for spec, reports in (({"measure": MEASURE}, 400), ({"method": "ldp-ols", "link": "identity", "delta": 1e-6}, 400)):
            with self.subTest(spec), tempfile.NamedTemporaryFile() as file:
                experiment = self.new(spec, {"epoch": reports})
                file.write(self.service.terms(experiment))
                file.flush()
                words = [os.environ["SOTTO"], "inspect", "spec", file.name, "--shuffle", str(reports), "--delta", "1e-6", "--json"]
                ran = subprocess.run(words, capture_output=True, text=True, check=False)
                self.show(experiment)
                self.chromium.click("#one-body summary:not(#numbers-uplift summary)")
                self.until("return document.getElementById('shuffle-says').checkVisibility() && "
                           "document.getElementById('shuffle-says').textContent !== ''")
                [(name, value)] = self.facts("#shuffle").items()
                self.assertEqual(name, f"sottod would learn about one person, from the {reports} reports of the next epoch, at most")
                if ran.returncode == 0:
                    said = json.loads(ran.stdout)
                    self.assertEqual((value, self.text("#shuffle-says")),
                                     (f"ε {three(said['shuffle_epsilon'])} at δ 0.000001", said["shuffle_conditions"]))
                else:
                    self.assertEqual(value, "not computed")
                    self.assertIn(self.text("#shuffle-says"), ran.stderr)

    def test_the_privacy_card_is_that_of_the_service(self):
        for spec, reports in (({"measure": MEASURE, "epsilon": 0.5}, None), ({"epsilon": 4}, "none: its owner must allow more")):
            experiment = self.new(spec)
            card = self.service.describe(experiment)["privacy"]
            self.show(experiment)
            most = card["device_by_default"]["reports_max"]
            self.assertEqual(most == 0, reports is not None)
            self.assertEqual(self.facts("#privacy"), {
                "a report that leaves the device": f"{card['leaves_the_device']['report_bytes']} bytes",
                "one report changes the odds between any two people by at most a factor of": three(math.exp(spec["epsilon"])),
                "reports that a device sends by default": reports or f"{most:,}",
                "measure rounds": f"{three(100 * spec.get('measure', 0))} %",
                "reports are kept": "until their epoch accepts no more", "never stored": card["never_stored"]})

    def test_what_cannot_be_known_is_not_claimed(self):
        without, fresh = self.new(), self.new({"measure": MEASURE})
        self.show(without)
        self.assertTrue(self.text("#headline").startswith("This experiment has no measure rounds"))
        self.assertIn("unknown", self.text("#tiles"))
        self.assertEqual(self.text("#plot-uplift"), "Without measure rounds it is unknown.")
        self.assertFalse(self.script("return document.getElementById('numbers-uplift').checkVisibility()"))
        self.script("window.real = fetch; window.fetch = (...words) => new Promise(done => setTimeout(done, 700)).then(() => real(...words))")
        self.chromium.click(f"#rows a[href='#{fresh}']")
        self.until("return document.getElementById('loading').checkVisibility() && document.getElementById('one-title').textContent === '' &&"
                   " !document.getElementById('headline').checkVisibility({visibilityProperty: true})")
        self.script("window.fetch = real")
        self.until("return document.getElementById('headline').textContent.startsWith('Nothing is measured yet')")
        self.assertFalse(self.script("return document.getElementById('loading').checkVisibility()"))
        self.assertIn("The curve begins with the first batch", self.text("#plot-uplift"))
        self.until("return document.getElementById('advice').textContent.startsWith('Wait: with simulated people')")
        for place, why in (("0" * 32, "There is no experiment with this id."), ("../changes", "This is not the id"), ("%E0%A4%A", "This is not the id")):
            self.script(f"location.hash = '{fresh}'")
            self.until("return document.getElementById('headline').checkVisibility()")
            self.script(f"location.hash = '{place}'")
            self.until("return document.getElementById('one-title').textContent === 'This experiment cannot be shown'")
            self.assertIn(why, self.text("#one-id"))

    def test_names_are_text_whatever_they_are(self):
        ids = [self.new(labels={"name": name}) for name in NAMES]
        for width in (390, 1280):
            self.show(ids[2], width=width)
            self.until(f"return document.querySelector(\"#rows a[href='#{ids[-1]}']\")")
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth - innerWidth"), 0)
        for name, experiment in zip(NAMES, ids):
            self.assertEqual(self.text(f"#rows a[href='#{experiment}'] bdi"), name)
        self.assertEqual(self.script("return document.querySelectorAll('#rows img, #rows b, #rows script').length"), 0)
        self.assertEqual(self.script("return document.title"), "Sotto: experiments")

    def test_harm_says_what_now_and_the_fallback_can_be_ended(self):
        experiment = self.new(harm.SPEC, harm.LEARNING)
        self.service.post(experiment, self.service.frames(experiment, 300))
        self.assertTrue(self.service.wait_for(lambda: self.service.model(experiment)[0] == 1))
        self.service.post(experiment, harm.bad_news(self.service, experiment, 800))
        self.assertTrue(self.service.wait_for(lambda: self.service.model(experiment)[0] == 2))
        self.show(experiment)
        self.until("return document.querySelector('#headline .bad')")
        self.assertRegex(self.text("#headline"), "percentage points less than an arm at random|is worse than an arm at random")
        self.assertIn("Since epoch 2 people get arm 1", self.text("#advice"))
        self.press("End the fallback")
        self.chromium.click("#confirm-yes")
        self.until("return document.getElementById('advice').textContent.includes('ends with the open epoch')")
        self.assertTrue(harm.harm_of(self.service, experiment)["ends"])

    def test_liars_of_a_fleet_are_shown_as_far_as_the_service_sees_them(self):
        # Those who know the truth reverse the choice, and the watch does not see them; those who try many nonces are seen once
        # the model points to where they do.
        clever = self.new({"epsilon": 8, "measure": 0.5, "reward_kind": "continuous", "link": "identity"}, {"epoch": 500})
        greedy = self.new({"epsilon": 2}, {"epoch": 400}, quarantine=True)
        words = self.fleet_words(greedy, "--people", 50000, "--rate", 800, "--connections", 4, "--liars", 0.5, "--grind", 100)
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as come:
            try:
                self.fleet(clever, "--people", 6000, "--rate", 3000, "--epsilon-max", 8, "--measure-max", 0.5, "--liars", 0.5)
                self.assertTrue(self.service.wait_for(lambda: harm.harm_of(self.service, clever)["verdict"] == "yes"))
                self.assertTrue(self.service.wait_for(lambda: self.service.describe(greedy)["held"] is not None))
            finally:
                come.kill()
        self.show(clever)
        self.until("return document.querySelector('#headline .bad') && document.querySelector('#watch .bad')")
        said = self.results(clever)
        self.assertEqual(self.text("#headline"), said["sentence"])
        self.assertRegex(said["sentence"], "less than an arm at random|worse than an arm at random")
        self.assertIn("Somebody may be sending false reports.", self.text("#advice"))
        facts, watch = self.facts("#watch"), said["results"]["watch"]
        self.assertEqual(facts["harm"], f"yes, since epoch {said['results']['harm']['since_epoch']}")
        self.assertEqual((facts["index"], facts["tail"], watch["alarms"]), ("no alarm (p = 1.0)", "no alarm (p = 1.0)", []))
        self.show(greedy)
        held, watch = self.service.describe(greedy)["held"], self.facts("#watch")
        self.assertEqual((held["alarms"], watch["tail"], watch["index"], watch["harm"]), (["tail"], "ALARM", "no alarm (p = 1.0)", "unknown"))
        self.assertIn(f"The watch holds epoch {held['epoch']} back (tail; {held['reports']:,} reports)", self.text("#advice"))
        self.assertIn("epoch held", self.text(f"#rows tr:has(a[href='#{greedy}'])"))
        self.assertNotIn("epoch held", self.text(f"#rows tr:has(a[href='#{clever}'])"))

    def test_a_held_epoch_is_released_or_discarded(self):
        for words, verb in (("Release the epoch", "release"), ("Discard the epoch", "discard")):
            held = self.new({}, {"epoch": 100}, quarantine=True)
            self.service.post(held, self.service.lies(held, 200))
            self.assertTrue(self.service.wait_for(lambda: self.service.describe(held)["held"] is not None))
            self.show(held)
            self.until("return document.getElementById('advice').textContent.includes('The watch holds epoch 0')")
            self.press(words)
            self.chromium.click("#confirm-yes")
            self.assertTrue(self.service.wait_for(lambda: self.service.model(held)[0] == 1))
            rows = json.loads(self.service.manage("GET", f"/v1/experiments/{held}/history").body)["rows"]
            self.assertEqual(rows[0]["learn"], 200 if verb == "release" else 0)

    # ---- what is done

    def test_a_change_is_confirmed_first(self):
        experiment = self.new()
        self.show(experiment)
        self.press("Pause")
        self.until("return document.getElementById('confirm').open && document.activeElement.id === 'confirm-no'")
        self.press("Cancel")
        self.assertEqual(self.state(experiment), "open")
        self.press("Pause")
        self.chromium.click("#confirm-yes")
        self.until("return document.querySelector('#one-title .state').textContent === 'paused'")
        self.assertEqual(self.state(experiment), "paused")
        self.press("Open again")
        self.chromium.click("#confirm-yes")
        self.until("return document.querySelector('#one-title .state').textContent === 'open'")
        self.press("Close")
        self.chromium.click("#confirm-yes")
        self.until("return document.querySelector('#one-title .state').textContent === 'closed'")
        self.assertEqual(self.state(experiment), "closed")
        self.assertEqual(self.script("return document.getElementById('actions').children.length"), 0)

    def test_the_quarantine_is_turned_on_and_off(self):
        experiment = self.new()
        quarantine = lambda: self.service.describe(experiment)["quarantine"]  # noqa: E731
        self.show(experiment)
        for words, before in (("Turn the quarantine on", False), ("Turn the quarantine off", True)):
            self.press(words)
            self.until("return document.getElementById('confirm').open")
            self.press("Cancel")
            self.until("return !document.getElementById('confirm').open")
            self.assertEqual(quarantine(), before)
            self.press(words)
            self.assertIn(words, self.text("#confirm-title"))
            self.chromium.click("#confirm-yes")
            self.until("return !document.getElementById('confirm').open")
            self.assertTrue(self.service.wait_for(lambda: quarantine() is not before))  # noqa: B023
            state = "off" if before else "on"
            self.until(f"return [...document.querySelectorAll('#watch dt')].find(t => t.textContent === 'quarantine').nextElementSibling.textContent === '{state}'")

    def posted_by(self, origin, experiment):
        """A report of a web page: the answer of sottod."""
        headers = {"Content-Type": "application/octet-stream", "Origin": origin}
        return self.service.ask(self.service.public, "POST", f"/v1/experiments/{experiment}/reports",
                                b"".join(self.service.frames(experiment, 1)), headers)

    def test_an_engineer_finds_path_context_and_pages_and_an_owner_changes_the_pages(self):
        experiment = self.new({"reward_window_s": 60}, {"epoch_seconds_min": 60})
        self.show(experiment)
        path, none = f"/v1/experiments/{experiment}", "none: only apps can send reports"
        facts = self.facts("#app")
        self.assertEqual(facts, {
            "path on the public address of sottod": path, "in a web page": f'person.join("https://HOST{path}")',
            "web pages that take part (origins)": none, "a decision takes": "6 numbers: 2 for each of 3 arms",
            "a reward is": "0 or 1, within 60 s", "a report leaves, after the decision": "60 s to 60 s"})
        self.assertEqual(self.service.get(path + "/terms").status, 200)
        pages = "return [...document.querySelectorAll('#app dt')].find(t => t.textContent.includes('origins')).nextElementSibling.textContent"
        for typed, wanted, shown in (("*", ["*"], "all"), ("https://shop.example/a", ["https://shop.example"], "https://shop.example"),
                                     ("", [], none)):
            self.press("Change web pages")
            self.until("return document.getElementById('confirm').open && document.activeElement.id === 'confirm-text'")
            self.write("#confirm-text", "http://[no-page")
            self.chromium.click("#confirm-yes")
            self.until("return document.getElementById('confirm-fault').textContent.includes('This is not the origin of a web page')")
            self.write("#confirm-text", typed + ENTER)
            self.until("return !document.getElementById('confirm').open")
            self.assertEqual(self.service.describe(experiment)["origins"], wanted)
            self.until(f"{pages} === {json.dumps(shown)}")

    def test_the_form_predicts_what_sotto_plan_does(self):
        self.open(self.service.token, "new")
        self.until("return document.activeElement.id === 'c-name'")
        size = ("--dim", 5, "--arms", 4, "--per-day", 10000)
        for kind, ends, options in (("binary", None, ("--link", "logit")), ("continuous", (-1, 1), ()),
                                    ("continuous", (-2, 3), ("--reward-range=-2,3",)), ("count", (0, 10), ("--link", "log")),
                                    ("binary", None, ("--link", "logit", "--parameters", "per-arm"))):
            with self.subTest(kind, options=options):
                self.choose("#c-kind", kind)
                self.choose("#c-parameters", "per-arm" if "per-arm" in options else "shared")
                self.assertEqual(self.script("return document.getElementById('c-range').checkVisibility()"), ends is not None)
                if "--reward-range=-2,3" in options:
                    self.write("#c-lo", str(ends[0]))
                    self.write("#c-hi", str(ends[1]))
                wanted = {"delay of reports": "not in the prediction", "a report leaves, after the decision": "10 min to 15 min",
                          **predictions(planned(*size, *options), form=True)}
                self.service.wait_for(lambda: self.facts("#predict") == wanted, 40)  # noqa: B023
                self.assertEqual(self.facts("#predict"), wanted)
        self.choose("#c-parameters", "shared")
        self.choose("#c-kind", "continuous")
        self.write("#c-lo", "0")
        self.until("return document.getElementById('predict-says').textContent.startsWith('No prediction: ')")
        said = planned(*size, "--reward-range", "0,1").replace("sotto plan: --reward-range", "No prediction: reward_lo, reward_hi")
        self.assertEqual(self.text("#predict-says"), said)
        self.assertEqual(self.facts("#predict"), {})
        self.write("#c-lo", "-1")
        self.press("Create")
        made = self.until("return location.hash.length === 33 && location.hash.slice(1)")
        spec = self.service.describe(made)["spec"]
        self.assertEqual([spec[key] for key in ("reward_kind", "link", "reward_lo", "reward_hi", "reward_default")],
                         ["continuous", "identity", -1, 1, 0])

    def test_an_experiment_is_made_by_the_form(self):
        self.open(self.service.token, "new")
        self.until("return document.activeElement.id === 'c-name'")
        self.write("#c-name", "made by hand")
        self.until("return document.getElementById('predict').textContent.includes('people to detect an uplift')")
        self.write("#c-epsilon", "9")
        self.until("return document.getElementById('predict-says').textContent === 'Some value is not allowed.'")
        self.write("#c-epsilon", "2")
        self.write("#c-measure", "60")
        self.write("#c-measure", "5")
        self.assertEqual(self.text("#c-context-says"), "The app passes 20 numbers: 5 for each of 4 arms.")
        self.choose("#c-parameters", "per-arm")
        self.until("return document.getElementById('c-context-says').textContent === 'The app passes 5 numbers, the same for all arms.'")
        self.write("#c-origins", "shop.example")
        self.press("Create")
        self.until("return document.getElementById('create-fault').textContent.includes('This is not the origin of a web page')")
        self.write("#c-origins", "https://Shop.example/offers?day=1, http://localhost:8080 https://shop.example")
        self.press("Create")
        made = self.until("return location.hash.length === 33 && location.hash.slice(1)")
        self.until("return document.getElementById('one-title').textContent.startsWith('made by hand')")
        one = self.service.describe(made)
        self.assertEqual((one["labels"], one["spec"]["epsilon"], round(one["spec"]["measure"], 6)), ({"name": "made by hand"}, 2, 0.05))
        self.assertEqual([one["spec"][key] for key in ("parameters", "reward_window_s", "send_spread_s")], ["per-arm", 600, 300])
        self.assertEqual(one["origins"], ["https://shop.example", "http://localhost:8080"])
        self.assertEqual(self.posted_by("https://shop.example", made).status, 204)
        self.assertEqual(self.posted_by("https://other.example", made).status, 403)
        self.open(self.reader, "new")
        self.until("return document.activeElement.id === 'c-name'")
        self.press("Create")
        self.until("return document.getElementById('create-fault').textContent.includes('the admin token is needed')")

    # ---- trouble

    def test_a_service_that_stops_is_said_to_be_away_and_comes_back(self):
        experiment = self.new()
        self.show(experiment)
        self.service.stop()
        self.until("return !document.getElementById('trouble').hidden")
        self.axe("trouble")
        self.assertIn("sottod does not answer.", self.text("#trouble"))
        self.assertIn("What you see is from", self.text("#trouble"))
        self.assertEqual(self.text("#one-id"), experiment)
        self.service.start()
        self.until("return document.getElementById('trouble').hidden")
        self.until("return document.getElementById('service').textContent.includes('sottod was started again')")

    def test_a_clock_that_is_off_in_either_direction_is_told_and_hides_nothing(self):
        experiment = self.new({"measure": MEASURE}, {"epoch": 20})
        self.service.post(experiment, self.service.frames(experiment, 60))
        self.assertTrue(self.service.wait_for(lambda: self.service.model(experiment)[0] == 1))
        table = "return document.getElementById('table-uplift').textContent"
        shown = []
        for days in (0, -2, 400):
            self.show(experiment)
            self.script(f"const real = Date.now; Date.now = () => real() + {days * 86400000}; location.hash = ''")
            self.until("return document.getElementById('one').hidden")
            self.script(f"location.hash = '{experiment}'")
            self.until("return document.getElementById('headline').textContent !== '' && !document.getElementById('one').hidden")
            said = "document.getElementById('service').textContent.includes('the clocks of this device and of sottod differ')"
            self.until(f"return {'' if days else '!'}{said}")
            shown.append((self.text("#headline"), self.script(table), self.facts("#plan")["rounds so far"]))
        self.assertEqual(len(set(shown)), 1, shown)
        self.assertEqual(shown[0][2], "60")

    def test_a_change_elsewhere_is_seen_at_once(self):
        experiment = self.new()
        self.show(experiment)
        self.service.change(experiment, "pause")
        self.until("return document.querySelector('#one-title .state').textContent === 'paused'", 30)

    # ---- everybody

    def test_axe_finds_nothing(self):
        experiment = self.new({"measure": MEASURE})
        self.open(width=390, dark=True)
        self.write("#token", "0" * 64 + ENTER)
        self.until("return document.getElementById('enter-why').textContent.includes('refuses')")
        self.axe("token form")
        for words, dark, width in (("Pause", False, 1280), ("Change web pages", True, 390)):
            self.show(experiment, self.reader, width=width, dark=dark)
            self.axe((experiment, dark, width))
            self.press(words)
            self.chromium.click("#confirm-yes")
            self.until("return !document.getElementById('confirm-fault').hidden")
            self.axe(f"dialog: {words}", "dialog")
        self.open(self.reader, "0" * 32, dark=True)
        self.until("return document.getElementById('one-title').textContent === 'This experiment cannot be shown'")
        self.axe("no experiment", "#one")
        for dark, width in ((False, 390), (True, 1280)):
            self.open(self.reader, "new", dark=dark, width=width)
            self.press("Create")
            self.until("return !document.getElementById('create-fault').hidden")
            self.axe(("form with a fault", dark, width))

    def test_on_paper_there_is_one_experiment_and_nothing_to_press(self):
        experiment = self.new({"measure": MEASURE})
        self.show(experiment, dark=True)
        self.until("return document.getElementById('plan').textContent.includes('people until the mean loss')")
        seen = "return ['#list', '#actions', '.bar nav', '#headline', '#plan', '#privacy'].map(css => document.querySelector(css).checkVisibility())"
        self.assertEqual(self.script(seen), [True] * 6)
        self.chromium.devtools("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(self.script(seen), [False] * 3 + [True] * 3)
        self.assertEqual(self.script("const of = getComputedStyle(document.body); return [of.color, of.backgroundColor]"),
                         ["rgb(0, 0, 0)", "rgb(255, 255, 255)"])
        self.assertTrue(self.chromium.pdf().startswith(b"%PDF"))

    def test_the_playground_is_a_click_away(self):
        self.open()
        self.chromium.click("a[href='playground/']")
        self.until("return document.title.startsWith('Sotto playground')")

    def test_the_keyboard_reaches_everything(self):
        experiment = self.new()
        self.show(experiment)
        reached = set()
        for _ in range(40):
            self.chromium.post("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
                {"type": "keyDown", "value": "\ue004"}, {"type": "keyUp", "value": "\ue004"}]}]})
            reached.add(self.script("return document.activeElement.textContent"))
        self.assertLessEqual({"New experiment", "Forget the token", "Pause", "Close", "If somebody else shuffled the reports"}, reached)
        self.script("[...document.querySelectorAll('button')].find(b => b.textContent === 'Pause').focus()")
        self.chromium.post("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": ENTER}, {"type": "keyUp", "value": ENTER}]}]})
        self.until("return document.getElementById('confirm').open")
        self.chromium.post("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": "\ue00c"}, {"type": "keyUp", "value": "\ue00c"}]}]})
        self.until("return !document.getElementById('confirm').open")
        self.assertEqual(self.state(experiment), "open")


class Many(Case):
    def test_a_thousand_experiments_can_be_searched(self):
        self.open(self.service.token)
        self.until("return document.getElementById('list-empty').checkVisibility()")
        self.chromium.open("about:blank")  # it would read the list again and again
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: self.service.create({"series": number}, labels={"name": f"number {number}"}), range(1000)))
        self.open(self.service.token)
        self.until("return document.querySelectorAll('#rows tbody tr').length === 50")
        self.assertIn("Show 50 more of 1,0", self.text("#more"))
        self.axe("long list")
        self.chromium.click("#more")
        self.until("return document.querySelectorAll('#rows tbody tr').length === 100")
        self.write("#filter", "number 777")
        self.until("return document.querySelectorAll('#rows tbody tr').length === 1")
        self.chromium.click("#rows a")
        self.until("return document.getElementById('one-title').textContent.startsWith('number 777')")
        self.script("const f = document.getElementById('filter'); f.value = ''; f.dispatchEvent(new Event('input'))")
        self.until("return document.querySelector('#rows tr[aria-current] bdi').textContent === 'number 777'")
        self.assertLess(self.script("return document.querySelectorAll('#rows tbody tr').length"), 10)


class Year(Case):
    """A service with the history of a year, one row per hour, as after thinning: written into its journal while it was stopped."""
    HOURS = 365 * 24
    EPSILON = 1

    def write_year(self, experiment):
        rng, now = random.Random(41), int(time.time() // 60)
        number = len(json.loads(self.service.manage("GET", "/v1/experiments").body)["experiments"])
        self.assertEqual(self.service.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.service.directory / "journal.sqlite")) as journal, journal:
            names = [field.partition(":")[0] for field in TABLES["experiment"].split()]
            row = dict(zip(names, journal.execute(f"SELECT {', '.join(names)} FROM experiment WHERE number = ?", (number,)).fetchone()))
            row["created_minute"] = now - 60 * self.HOURS - 1
            journal.execute("UPDATE experiment SET created_minute = ?, digest = ? WHERE number = ?",
                            (row["created_minute"], digest("experiment", [*row.values()]), number))
            for hour in range(1, self.HOURS + 1):
                control, follow = rng.randint(0, 40), rng.randint(0, 40)  # an hour without either counts all the same
                sums = [sum(rng.random() < 0.5 + up or -1 for _ in range(count)) for count, up in ((control, 0), (follow, 0.1 * hour / self.HOURS))]
                one = [number, hour, now - 60 * (self.HOURS - hour), 1, rng.randint(100, 400), control, follow, *sums, 0, 0, 0, 0]
                journal.execute(f"INSERT INTO history VALUES ({', '.join('?' * 14)})", (*one, digest("history", one)))
        self.service.start()

    def recomputed(self, rows):
        """SPEC 15 from the sums of the rows alone: (uplift, recent uplift) after each, as [value, lo, hi]."""
        scale = 1 / math.tanh(self.EPSILON / 2)

        def width(count, alpha):
            odds = 2 * math.log(1 / alpha)
            n = count * (odds + math.log(1 + odds)) / 10000
            return math.sqrt(2 * (n + 1) / (count * n) * math.log(math.sqrt(n + 1) / alpha))

        def interval(of, alpha):
            (n, follow), (m, control) = of
            if n == 0 or m == 0:
                return [None, -1, 1]
            value = scale * (follow / n - control / m) / 2
            half = scale * (width(n, alpha) + width(m, alpha)) / 2
            return [value, max(-1, min(1, value - half)), max(-1, min(1, value + half))]
        every, recent, doublings = [[0, 0], [0, 0]], [[0, 0], [0, 0]], 0
        for row in rows:
            more = [[row["follow"], row["follow_sum"]], [row["control"], row["control_sum"]]]
            every = [[a + b for a, b in zip(*pair)] for pair in zip(every, more)]
            count = every[0][0] + every[1][0]
            starts = count > 0 and math.floor(math.log2(count)) > doublings
            doublings = math.floor(math.log2(count)) if starts else doublings
            recent = [[0, 0], [0, 0]] if starts else [[a + b for a, b in zip(*pair)] for pair in zip(recent, more)]
            j = max(1, doublings)
            yield interval(every, 0.05 / 2), interval(recent, 0.05 / (j * (j + 1)) / 2)

    def test_a_year_of_history_is_read_by_the_day_and_shown_to_its_end(self):
        experiment = self.new({"measure": 0.1, "epsilon": self.EPSILON})
        self.write_year(experiment)
        answer = lambda by: json.loads(self.service.manage("GET", f"/v1/experiments/{experiment}/history?resolution={by}").body)["rows"]  # noqa: E731
        hours = answer("hour")
        self.assertEqual(len(hours), self.HOURS)
        for row, (uplift, recent) in zip(hours, self.recomputed(hours)):
            for name, wanted in (("uplift", uplift), ("recent_uplift", recent)):
                for key, number in zip(("value", "lo", "hi"), wanted):
                    (self.assertIsNone if number is None else self.assertAlmostEqual)(row[name][key], *([] if number is None else [number, 9]))
        self.show(experiment)
        self.until("return document.querySelectorAll('#table-uplift tbody tr').length === 12")
        self.assertTrue([url for url in self.chromium.requests() if "/history?resolution=day" in url])
        days = answer("day")
        self.assertIn(len(days), (365, 366))
        self.assertEqual(days[-1]["uplift"], hours[-1]["uplift"])
        shown = self.script("return [...document.querySelectorAll('#table-uplift tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        people = sum(row[role] for row in hours for role in ("learn", "control", "follow"))
        self.assertEqual(shown[-1], [f"{people:,}", *(f"{100 * hours[-1]['uplift'][key]:.1f}" for key in ("value", "lo", "hi"))])
        self.assertEqual(sorted(shown, key=lambda row: int(row[0].replace(",", ""))), shown)
        drawn = "return document.querySelector('#plot-%s [role=img]').getAttribute('aria-label')"
        self.assertIn(f"Uplift over {people:,} people: at the end {100 * hours[-1]['uplift']['value']:.1f}", self.script(drawn % "uplift"))
        self.assertIn("Learn reports per second", self.script(drawn % "rate"))
        self.chromium.click("#numbers-uplift summary")
        self.assertTrue(self.script("return document.querySelector('#table-uplift tbody tr').checkVisibility()"))
        for width in (390, 1280):
            self.chromium.view(width, 900)
            self.until(f"return document.querySelector('#plot-uplift canvas').getBoundingClientRect().width < {width}")
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth - innerWidth"), 0)


class Damaged(Case):
    @classmethod
    def setUpClass(cls):
        cls.database = cls.enterClassContext(Postgres())
        super().setUpClass(journal=cls.database.url)

    def test_a_damaged_experiment_is_named_and_the_others_go_on(self):
        bad, good = self.new(), self.new()
        self.assertEqual(self.service.stop(), 0)
        self.database.ask("UPDATE sotto.experiment SET epoch_reports_min = 21 WHERE number = 1")
        self.service.start()
        self.open(self.service.token)
        self.until("return !document.getElementById('stopped').hidden")
        self.assertEqual(self.text("#stopped"), f"Stopped, because their rows in the journal are damaged: {bad[:8]}")
        self.chromium.click("#stopped a")
        self.until("return document.getElementById('one-title').textContent === 'This experiment cannot be shown'")
        self.assertIn("This experiment's row in the journal is damaged, so the service does not use it.", self.text("#one-id"))
        self.chromium.click(f"#rows a[href='#{good}']")
        self.until(f"return document.getElementById('one-id').textContent === '{good}' && document.getElementById('headline').textContent !== ''")
        self.assertEqual(self.service.stop(), 0)
        self.database.ask("UPDATE sotto.experiment SET epoch_reports_min = 20 WHERE number = 1")
        self.service.start()
        self.until("return document.getElementById('stopped').hidden")
        self.until(f"return document.querySelector(\"#rows a[href='#{bad}']\")")


if __name__ == "__main__":
    if browser.MISSING or not (WEB / "pages" / "uplot.js").is_file():
        print("skipped: chromium and chromedriver, and the pages that `make web` builds with uPlot from the npm registry, are needed")
        sys.exit(77)
    unittest.main()
