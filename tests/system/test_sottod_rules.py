#!/usr/bin/env python3
"""The alert rules and the dashboard in packaging/: every metric that they name exists, and
Prometheus can read them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SOURCE"])
RULES, DASHBOARD = SOURCE / "packaging/sottod.rules.yml", SOURCE / "packaging/sottod.grafana.json"
CASES = SOURCE / "tests/system/sottod_rules.yml"
PROMTOOL = shutil.which("promtool")


def metrics():
    """{name: kind}, as settings.md lists them; test_sottod_api.py compares the list with what the
    service prints."""
    text = (SOURCE / "docs/settings.md").read_text()
    section = re.search(r"^## 2\. .*?(?=^## )", text, re.S | re.M)[0]
    return dict(re.findall(r"^\| `(\w+)` \| (counter|gauge|histogram) \|", section, re.M))


def unknown(text):
    """Names in the text that are no metrics, or a histogram without a suffix."""
    known = set()
    for name, kind in metrics().items():
        known |= {name + end for end in ("_bucket", "_sum", "_count")} if kind == "histogram" else {name}
    return set(re.findall(r"\bsottod_\w+", text)) - known


def rules():
    """The expressions of the rules, each on one line."""
    return [" ".join(expr.removeprefix(">-").split())
            for expr in re.findall(r"^        expr: (.*(?:\n {10}.*)*)", RULES.read_text(), re.M)]


def panels():
    return [target["expr"] for panel in json.loads(DASHBOARD.read_text())["panels"] for target in panel["targets"]]


class Names(unittest.TestCase):
    def test_an_unknown_name_is_found(self):
        self.assertEqual(unknown("rate(sottod_ready[5m]) + sottod_redy"), {"sottod_redy"})
        self.assertEqual(unknown("sottod_request_seconds"), {"sottod_request_seconds"})

    def test_rules_and_panels_name_our_metrics(self):
        self.assertEqual(len(rules()), RULES.read_text().count("- alert: "))
        for expr in rules() + panels():
            self.assertEqual(unknown(expr), set(), expr)
            self.assertRegex(expr, r"\bsottod_\w|^up\{")

    def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not(self):
        for name in re.findall(r"- alert: (\w+)", RULES.read_text()):
            self.assertRegex(CASES.read_text(), rf"alertname: {name}\n +exp_alerts:\n +- exp_labels")
            self.assertIn(f"alertname: {name}, exp_alerts: []", CASES.read_text())

    def test_the_dashboard_is_whole(self):
        board = json.loads(DASHBOARD.read_text())
        self.assertEqual(len({panel["id"] for panel in board["panels"]}), len(board["panels"]))
        for variable in board["templating"]["list"][1:]:
            self.assertEqual(unknown(variable["query"]["query"]), set())
            self.assertTrue(all("$" + variable["name"] in expr for expr in panels()))

    def test_counters_are_rates_and_gauges_are_not(self):
        """A counter needs a rate to say anything, and the rate of a gauge says nothing."""
        used = 0
        for name, kind in metrics().items():
            suffix = "_(?:bucket|sum|count)" if kind == "histogram" else ""
            for found in re.finditer(rf"(rate\(|increase\(|)\b{name}{suffix}\b", "\n".join(rules() + panels())):
                used += 1
                self.assertEqual(found[1] != "", kind != "gauge", name)
        self.assertGreater(used, 50)

    def test_totals_are_told_from_one_experiment(self):
        """Counters that both have: a job that scrapes one experiment is not added."""
        for expr in rules() + panels():
            for name in re.findall(r"\b(sottod_(?:reports|watch)_\w+)\{(?![^}]*experiment=\"\")", expr):
                self.fail((name, expr))


@unittest.skipUnless(PROMTOOL, "there is no promtool (Debian: prometheus)")
class Promtool(unittest.TestCase):
    def run_tool(self, *words):
        done = subprocess.run([PROMTOOL, *map(str, words)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rules_are_rules(self):
        self.run_tool("check", "rules", RULES)

    def test_rules_say_what_they_should(self):
        self.run_tool("test", "rules", CASES)

    def test_panels_are_queries(self):
        """The expressions as rules, which promtool reads."""
        made = [{"record": f"panel:{i}", "expr": expr.replace("$__rate_interval", "5m")} for i, expr in enumerate(panels())]
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "panels.yml"
            file.write_text(json.dumps({"groups": [{"name": "panels", "rules": made}]}))
            self.run_tool("check", "rules", file)


if __name__ == "__main__":
    unittest.main()
