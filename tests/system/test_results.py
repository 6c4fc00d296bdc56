#!/usr/bin/env python3
"""sotto results: the sentence, the numbers and the exit status, from a server that answers what the
test sets, and from sottod."""
import contextlib
import copy
import csv
import http.server
import io
import json
import os
import pathlib
import tempfile
import threading
import unittest

from sotto_binary import sotto, verdict_on_terminal
from sottod import Service

ID = "0123456789abcdef" * 2
TOKEN = "ab" * 32


def interval(value, lo, hi):
    return {"value": value, "lo": lo, "hi": hi}


ARM = {"reports": 500, "mean": interval(0.5, 0.4, 0.6)}
ONE = {"id": ID, "state": "open", "labels": {"name": "front page"}, "spec": {"reward_kind": "binary"}, "held": None,
       "reports": {"folded": 10000}}
RESULTS = {
    "id": ID, "epoch": 9, "alpha": 0.05,
    "harm": {"verdict": "no", "below_best_arm": None, "served_since_epoch": None},
    "measurement": {
        "follow": {"reports": 1000, "mean": interval(0.86, 0.8, 0.9)}, "control": ARM,
        "uplift": interval(0.364, 0.296, 0.431), "fallen": False,
        "recent": {"follow_reports": 20, "control_reports": 22, "uplift": interval(None, -1, 1)},
        "arms": [{"arm": a, **ARM, "uplift": interval(0.3, 0.1, 0.5)} for a in range(3)]}}


class Says(http.server.BaseHTTPRequestHandler):
    """The admin port, as its class attributes have it."""
    one, results, asked = ONE, RESULTS, []

    def do_GET(self):
        type(self).asked.append(self.path)
        known = {"/v1/experiments": {"experiments": [self.one]}, f"/v1/experiments/{ID}": self.one}
        said = self.results if "/results?" in self.path else known.get(self.path)
        status = 401 if self.headers["Authorization"] != "Bearer " + TOKEN else 200 if said is not None else 404
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.directory = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.token = cls.directory / "reader.token"
        cls.token.write_text(TOKEN + "\n")
        server = cls.stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Says))
        cls.stack.callback(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.url = f"http://127.0.0.1:{server.server_port}"

    def setUp(self):
        Says.one, Says.results, Says.asked = copy.deepcopy(ONE), copy.deepcopy(RESULTS), []

    def run_results(self, *words, code=0, url=None):
        done = sotto("results", url or self.url, "--token-file", self.token, *words)
        self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
        return done.stderr if code in (1, 2) else " ".join(done.stdout.split())

    # ---- bad input

    def test_wrong_words_are_wrong_usage(self):
        self.assertIn("give only one of them", self.run_results("--json", "--csv", code=2))
        self.assertIn("one URL", self.run_results("more", code=2))
        self.assertIn("--alpha", self.run_results("--alpha", "0", code=2))
        self.assertIn("names one already", self.run_results("--experiment", ID, url=f"{self.url}/v1/experiments/{ID}", code=2))
        self.run_results("--experiment", "x", code=2)
        self.run_results(url="http://example.org", code=2)  # the token would be sent in clear
        self.run_results("--token-file", self.directory / "none", code=2)
        alone = sotto("results", self.url, env={**os.environ, "XDG_STATE_HOME": str(self.directory / "none")})
        self.assertEqual((alone.returncode, alone.stdout), (2, ""))
        self.assertIn("No such file or directory; name the token of sottod with --token-file FILE", alone.stderr)

    def test_who_does_not_answer_as_sottod_is_named(self):
        self.assertIn("no answer", self.run_results(url="http://127.0.0.1:1", code=1))
        (self.directory / "other.token").write_text("cd" * 32)
        self.assertIn("token", self.run_results("--token-file", self.directory / "other.token", code=1))
        self.assertIn("no such experiment", self.run_results("--experiment", "f" * 32, code=1))
        Says.one["state"] = "closed"
        self.assertIn("0 are open", self.run_results(code=1))
        for path in (("harm",), ("measurement", "uplift"), ("measurement", "arms", 0, "mean", "lo"), ("alpha",)):
            Says.one, Says.results = copy.deepcopy(ONE), copy.deepcopy(RESULTS)
            part = Says.results
            for key in path[:-1]:
                part = part[key]
            for wrong in ("no", [], -1) if path != ("alpha",) else ("no",):
                if not (path[-1] == "lo" and wrong == -1):
                    part[path[-1]] = wrong
                    self.assertIn("not come from a sottod", self.run_results(code=1))
        Says.results = b"{"
        self.assertIn("not JSON", self.run_results(code=1))

    def test_a_name_cannot_give_orders_to_a_terminal(self):
        for name in ("a\x1b[31m", "a\u202ebc", "x" * 4000):
            Says.one["labels"]["name"] = name
            done = sotto("results", self.url, "--token-file", self.token)
            self.assertEqual(done.returncode, 0)
            self.assertNotRegex(done.stdout, "[\x1b\u202e]")
            self.assertLess(max(map(len, done.stdout.splitlines())), 400)

    # ---- the sentence

    def assert_begins(self, sentence, code=0):
        self.assertTrue(self.run_results(code=code).startswith(sentence), self.run_results(code=code))

    def test_the_sentence_comes_first(self):
        self.assert_begins("The learned choice earns 36.4 percentage points more than an arm at random "
                           "(95 % any-time interval 29.6 to 43.1).")
        Says.one["spec"]["reward_kind"] = "count"
        self.assert_begins("The learned choice earns 0.364 more than an arm at random (95 % any-time interval 0.296 to 0.431).")

    def test_what_is_not_certain_is_not_claimed(self):
        Says.results["measurement"]["uplift"] = interval(0.03, -0.02, 0.08)
        self.assert_begins("It is not yet certain whether the learned choice is better than an arm at random: the difference "
                           "is 3.0 percentage points (95 % any-time interval -2.0 to 8.0).")
        Says.results["measurement"]["uplift"] = interval(None, -1, 1)
        self.assert_begins("Nothing is measured yet")
        Says.results["measurement"] = None
        self.assert_begins("This experiment has no measure rounds")

    def test_an_impossible_estimate_is_shown_as_the_nearest_possible_one(self):
        Says.results["measurement"]["uplift"] = interval(-2.164, -1, -1)
        self.assert_begins("The learned choice earns 100.0 percentage points less than an arm at random "
                           "(95 % any-time interval 100.0 to 100.0).")
        Says.results["measurement"]["uplift"] = interval(1.7, -0.4, 1)
        self.assert_begins("It is not yet certain whether the learned choice is better than an arm at random: the difference "
                           "is 100.0 percentage points (95 % any-time interval -40.0 to 100.0).")

    def test_a_terminal_shows_the_sentence_in_its_colour(self):
        if verdict_on_terminal("--version") is None:
            self.skipTest("no terminal here")
        for uplift, colour in (((0.3, 0.2, 0.4), "1;32"), ((0.03, -0.02, 0.08), "1"), ((-0.4, -0.6, -0.2), "1;31")):
            Says.results["measurement"]["uplift"] = interval(*uplift)
            shown = verdict_on_terminal("results", self.url, "--token-file", self.token)
            self.assertRegex(shown, rf"\A\033\[{colour}m[A-Z][^\033]*\)\.\033\[0m\n")
            self.assertEqual(shown.count("\033"), 2)

    def test_harm_is_exit_status_3(self):
        Says.results["harm"]["verdict"] = "yes"
        Says.results["measurement"]["uplift"] = interval(-0.437, -0.626, -0.248)
        self.assert_begins("The learned choice earns 43.7 percentage points less than an arm at random "
                           "(95 % any-time interval 24.8 to 62.6).", code=3)
        Says.results["measurement"]["uplift"] = interval(-0.1, -0.3, 0.1)
        self.assert_begins("The learned choice is worse than an arm at random", code=3)
        self.run_results("--json", code=3)
        self.run_results("--csv", code=3)

    def test_caveats_follow_what_the_server_says(self):
        plain = self.run_results()
        for part, key, value, words in (("harm", "below_best_arm", 2, "Arm 2 for everybody"),
                                        ("harm", "served_since_epoch", 7, "Since epoch 7 people get the fallback"),
                                        ("measurement", "fallen", True, "has fallen")):
            self.setUp()
            Says.results[part][key] = value
            self.assertIn(words, self.run_results())
            self.assertNotIn(words, plain)
        Says.one["held"] = {"epoch": 3}
        self.assertIn("The watch holds an epoch", self.run_results())

    # ---- the numbers

    def test_csv_has_all_digits_and_a_row_per_arm(self):
        text = sotto("results", self.url, "--token-file", self.token, "--csv").stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["row"] for row in rows],
                         ["learned choice", "arm at random", "the same lately", "arm 0", "arm 1", "arm 2"])
        self.assertEqual([float(rows[1][key]) for key in ("uplift", "uplift_lo", "uplift_hi")], [0.364, 0.296, 0.431])
        self.assertEqual((rows[0]["reports"], rows[2]["reports"], float(rows[3]["mean"])), ("1000", "42", 0.5))

    def test_alpha_is_asked_for(self):
        self.run_results("--alpha", "0.01")
        self.assertIn(f"/v1/experiments/{ID}/results?alpha=0.01", Says.asked)

    def test_sottod_is_read_to_the_last_digit(self):
        with Service() as service:
            experiment = service.create({"measure": 0.1}, labels={"name": "one"})
            words = ("results", service.admin, "--token-file", service.directory / "reader.token", "--json")
            got = json.loads(sotto(*words).stdout)
            said = json.loads(service.manage("GET", f"/v1/experiments/{experiment}/results").body)
            self.assertEqual(got["results"], said)
            self.assertEqual((got["name"], got["state"]), ("one", "open"))
            service.change(experiment, "delete")
            self.assertEqual(sotto(*words[:1], f"{service.admin}/v1/experiments/{experiment}", *words[2:]).returncode, 1)


if __name__ == "__main__":
    unittest.main()
