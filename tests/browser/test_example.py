#!/usr/bin/env python3
"""The pages at the end of `make demo`: a person decides, answers, and one report reaches sottod at its time; and the playground."""
import os
import pty
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

from tabs import SKIP, SOURCE, WEB, Tabs, main
from sotto_binary import read_terminal

SCRIPT = SOURCE / "examples/09_browser.sh"
PROGRAMS = Path(os.environ["SOTTOD"]).parent


@unittest.skipIf(SKIP, SKIP)
class Example(unittest.TestCase):
    def test_it_says_so_if_the_programs_are_missing(self):
        got = subprocess.run([SCRIPT, "/nowhere", WEB, "3"], capture_output=True, text=True, timeout=120)
        self.assertEqual(got.returncode, 1)
        self.assertEqual(got.stderr, "09_browser: there is no /nowhere/sottod; 'make build web' makes it\n")

    def started(self, seconds, terminal, **display):
        """What the script prints, and the file with the address that it opened."""
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "xdg-open").write_text('#!/bin/sh\necho "$1" >"$0.part" && mv "$0.part" "$0.opened"\n')
        (directory / "xdg-open").chmod(0o755)
        env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        env |= {"PATH": f"{directory}:{os.environ['PATH']}", **display}
        ours, theirs = pty.openpty() if terminal else os.pipe()
        subprocess.run([SCRIPT, PROGRAMS, WEB, str(seconds)], stdout=theirs, env=env, timeout=120, check=True)
        os.close(theirs)
        return read_terminal(ours).decode(), directory / "xdg-open.opened"

    def test_no_browser_is_opened_without_a_terminal_or_a_display(self):
        for terminal, display in ((False, {"DISPLAY": ":0"}), (True, {})):
            said, opened = self.started(10, terminal, **display)
            self.assertIn("/playground/", said)
            self.assertFalse(opened.exists())

    def test_a_person_takes_part_and_all_of_it_ends_by_itself(self):
        said, opened = self.started(20, True, WAYLAND_DISPLAY="wayland-0")
        page, playground = re.findall(r"http://\S+", said)
        end = time.monotonic() + 30
        while not opened.exists() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(opened.read_text().strip(), playground)
        with Tabs() as browser:
            tab = browser.first()
            browser.go(tab, page)
            wait = "for (let i = 0; i < 600 && !(%s); i++) await new Promise(next => setTimeout(next, 50)); return document.body.innerText"
            self.assertIn("Safari", browser.run(tab, wait % "document.querySelectorAll('li').length === 5"))
            browser.run(tab, "document.getElementById('decide').click()")
            self.assertRegex(browser.run(tab, wait % "/We suggest/.test(document.body.innerText)"), "a haiku|a short story|a novel")
            browser.run(tab, "document.querySelector('[data-reward=\"1\"]').click()")
            text = browser.run(tab, wait % r"/Thank you[^]*time\s*1/.test(document.body.innerText)")
            self.assertIn("Thank you", text)
            self.assertRegex(text, r"wait for their random time\s*1")
            browser.go(tab, playground)
            self.assertRegex(browser.run(tab, wait % "document.querySelector('#curves svg')"), "What does privacy cost")
            self.assertTrue(browser.run(tab, "return document.querySelector('#curves svg') !== null && document.getElementById('fault').hidden"))
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                urllib.request.urlopen(page, timeout=5).close()
            except OSError:
                return
            time.sleep(1)
        self.fail("the page is still there")


class Demo(unittest.TestCase):
    """The recipe of `make demo`, with programs that do nothing for all that it runs."""
    PAGE, DASHBOARD = "build/web/sotto-client/index.js", "build/web/pages/uplot.js"

    def run_demo(self, *built):
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            shutil.copy(SOURCE / "Makefile", directory)
            runs = ["build/release/01_demo", "build/release/sotto", "examples/08_service.sh", "packaging/deps.sh", "bin/cmake", "bin/node"]
            for program in ("examples/09_browser.sh", *runs, *built):
                (directory / program).parent.mkdir(parents=True, exist_ok=True)
                (directory / program).write_text("#!/bin/sh\n" + ("echo the page\n" if "09" in program else ""))
                (directory / program).chmod(0o755)
            environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
            demo = subprocess.run(["make", "demo"], cwd=directory, env=environment | {"PATH": f"{directory}/bin:{os.environ['PATH']}"},
                                  capture_output=True, text=True, timeout=120, check=True)
        return demo.stdout.split("TAKE PART WITH YOUR OWN BROWSER\n\n")[1]

    def test_it_says_what_could_not_be_built(self):
        self.assertEqual(self.run_demo(self.PAGE, self.DASHBOARD), "the page\n")
        self.assertEqual(self.run_demo(self.PAGE), "the dashboard of sottod cannot be built (build/web.log says why); 'make web build' tries again\nthe page\n")
        self.assertEqual(self.run_demo(), "the page cannot be built (build/web.log says why); 'make web' tries again\n")

    def test_a_package_that_npm_does_not_give_is_named(self):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "npm").write_text("#!/bin/sh\nexit 1\n")
            (Path(name) / "npm").chmod(0o755)
            got = subprocess.run([SOURCE / "web/fetch.sh", name, "uplot", "1.0.0", "0", "a", "b"], timeout=120, capture_output=True, text=True,
                                 env={**os.environ, "PATH": f"{name}:{os.environ['PATH']}"})
        self.assertEqual((got.returncode, got.stderr), (1, "uplot cannot be had from the npm registry: sottod's pages or their tests need it\n"))


if __name__ == "__main__":
    main()
