#!/usr/bin/env python3
"""sotto fleet against the real service: every acknowledged report is there, whatever happens
meanwhile; and a server that only claims so is detected. Measure rounds, end to end: the service's
results equal, to the last digit, those of the library from the same reports, and their interval
contains the truth that only the people know."""
import contextlib
import csv
import http.server
import itertools
import json
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

from replay_journal import Journal
from sotto_binary import SOTTO, on_terminal, verdict_on_terminal
from sottod import Service, free_port, plain_environment

SERIES = itertools.count(1)
PEOPLE = 12000
TRIES = 10  # models come late on a busy machine
SPEC = {"dim": 3, "arms": 4, "reward_kind": "continuous", "link": "identity", "epsilon": 2, "measure": 0.1,
        "reward_window_s": 0, "send_spread_s": 1, "epoch_lag_max": 16}
MEASURE = 0.1  # the most that devices allow by default


class Forgetful(http.server.BaseHTTPRequestHandler):
    """Forwards requests, and answers 204 to reports without keeping them."""
    protocol_version = "HTTP/1.1"
    behind = ""

    def do_GET(self):
        asked = urllib.request.Request(self.behind + self.path)
        if "If-None-Match" in self.headers:
            asked.add_header("If-None-Match", self.headers["If-None-Match"])
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                status, tag, body = answer.status, answer.headers.get("ETag"), answer.read()
        except urllib.error.HTTPError as error:
            status, tag, body = error.code, error.headers.get("ETag"), b""
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class FleetCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.directory = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.service = cls.serve()

    @classmethod
    def serve(cls):
        """A service that is started again has the same ports."""
        ports = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        return cls.stack.enter_context(Service(ports=("--listen", ports[0], "--admin", ports[1])))

    def new(self, service=None, **spec):
        return (service or self.service).create({"series": next(SERIES), **spec})

    def words(self, experiment, *words, service=None, public=None):
        service = service or self.service
        return [SOTTO, "fleet", f"{public or service.public}/v1/experiments/{experiment}", "--admin", service.admin,
                "--token-file", str(service.directory / "reader.token"), "--json", *map(str, words)]

    def start(self, experiment, *words, **places):
        return subprocess.Popen(self.words(experiment, *words, **places), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=plain_environment())

    def end(self, fleet, code=0, timeout=300):
        """The summary, and the lines on stderr."""
        try:
            said, errors = fleet.communicate(timeout=timeout)
        finally:
            fleet.kill()
        self.assertEqual(fleet.returncode, code, (said, errors))
        return json.loads(said) if said else None, errors

    def play(self, experiment, *words, code=0, **places):
        return self.end(self.start(experiment, *words, **places), code)

    def assert_all_there(self, experiment, summary, service=None):
        counts = (service or self.service).counts(experiment)
        self.assertEqual(counts["folded"] + counts["late"], summary["acknowledged"], counts)
        self.assertEqual((counts["duplicate"], counts["conflicting"]), (0, 0))


class People(FleetCase):
    def test_five_thousand_people_are_all_counted(self):
        experiment = self.new(measure=MEASURE)
        summary, errors = self.play(experiment, "--people", 5000, "--batch", 10)
        self.assertEqual((summary["people"], summary["acknowledged"]), (5000, 5000))
        self.assertEqual((summary["dropped"], summary["under_way"], summary["liars"]), (0, 0, 0))
        self.assertTrue(summary["check_exact"])
        self.assertTrue(summary["check_holds"])
        self.assertEqual(summary["regret_oracle"], 0)
        blocks = summary["loss_by_1000"]
        self.assertEqual(len(blocks), 5)
        rises = [share - min(blocks[:i]) for i, share in enumerate(blocks) if i > 0]
        self.assertAlmostEqual(summary["rebound"], max(0, *rises))
        self.assertRegex(summary["loss"], "rises again: people" if summary["rebound"] > 0.1 else "does not rise again")
        self.assertLessEqual(summary["latency_p50_ms"], summary["latency_p90_ms"])
        self.assertLessEqual(summary["latency_p90_ms"], summary["latency_p99_ms"])
        self.assertEqual(summary["share_default"], 0)
        self.assert_all_there(experiment, summary)
        self.assertIn("reports/s", errors)

    def test_two_people_and_epochs_of_one_and_of_everybody(self):
        """Epochs of one report end with epoch_reports_min, 20."""
        for people, epoch, ends in ((2, 1, False), (1, 10**6, False), (200, 10**6, False), (200, 1, True)):
            with self.subTest(people=people, epoch=epoch):
                for _ in range(TRIES):
                    experiment = self.service.create({"series": next(SERIES)}, {"epoch": epoch})
                    summary, _ = self.play(experiment, "--people", people, "--rate", 100)
                    self.assertEqual((summary["people"], summary["acknowledged"]), (people, people))
                    self.assertTrue(summary["check_holds"])
                    self.assert_all_there(experiment, summary)
                    if (summary["epochs_seen"] > 0) == ends:
                        break
                else:
                    self.fail(summary)

    def test_the_same_seed_gives_the_same_people_and_another_one_does_not(self):
        sums = [self.play(self.new(), "--people", 300, "--seed", seed, "--environment", "ball")[0]["regret_random"]
                for seed in (5, 5, 6)]
        self.assertEqual(sums[0], sums[1])
        self.assertNotEqual(sums[0], sums[2])

    def test_people_get_better_arms_once_models_come_and_the_uplift_is_seen(self):
        """The truth lies in the interval with chance 0.95 or more; with so few measure rounds it is
        wide."""
        for people in (6000, 12000, 24000, 48000):
            summary, _ = self.play(self.new(measure=MEASURE), "--people", people, "--rate", 2000, "--batch", 20)
            if summary["epochs_seen"] > 1:
                break  # otherwise models came late on a busy machine
        self.assertGreater(summary["regret_random"], 1.1 * summary["regret"])
        self.assertGreater(min(summary["measured_follow"], summary["measured_control"]), 0)
        self.assertLess(summary["uplift_lo"], summary["uplift_true"])
        self.assertLess(summary["uplift_true"], summary["uplift_hi"])

    def test_liars_and_people_without_a_reward_take_part_like_others(self):
        experiment = self.new(measure=MEASURE)
        summary, _ = self.play(experiment, "--people", 2000, "--liars", 0.25, "--reward-missing", 1, "--batch", 10)
        self.assertTrue(350 < summary["liars"] < 650, summary)  # 500, and seven standard deviations
        self.assertEqual(summary["rewards_missing"], 2000 - summary["liars"])
        self.assertAlmostEqual(summary["share_default"], 1 - summary["liars"] / 2000)
        self.assert_all_there(experiment, summary)

    def test_reports_wait_for_the_time_that_the_terms_say(self):
        experiment = self.service.create({"series": next(SERIES), "reward_window_s": 1, "send_spread_s": 1},
                                         {"epoch_seconds_min": 2})
        start = time.monotonic()
        summary, errors = self.play(experiment, "--people", 300, "--at-once", 300)
        self.assertGreater(time.monotonic() - start, 1)
        self.assertIn("1 to 2 s after their round", errors)
        self.assert_all_there(experiment, summary)

    def test_nobody_begins_after_so_many_seconds(self):
        experiment = self.new()
        summary, _ = self.play(experiment, "--people", "1e9", "--seconds", 1)
        self.assertLess(summary["seconds"], 60)
        self.assertGreater(summary["people"], 0)
        self.assert_all_there(experiment, summary)

    def test_the_curve_has_a_row_per_second(self):
        experiment, path = self.new(), self.directory / "curve.csv"
        summary, errors = self.play(experiment, "--people", 600, "--rate", 250, "--csv", path, "--quiet")
        with path.open() as file:
            rows = list(csv.DictReader(file))
        self.assertTrue(2 <= len(rows) <= 100, rows)
        self.assertEqual(int(rows[-1]["acknowledged"]), 600)
        self.assertAlmostEqual(float(rows[-1]["regret"]), summary["regret"], places=6)
        self.assertEqual(errors, "")

    def test_on_a_terminal_one_line_changes(self):
        shown = on_terminal(*self.words(self.new(measure=MEASURE), "--people", 500, "--rate", 300)[1:])
        if shown is None:
            self.skipTest("no terminal")
        code, text = shown
        self.assertEqual(code, 0)
        lines = text.decode().replace("\r\n", "\n").strip("\n").split("\n")
        self.assertEqual(len(lines), 2, text)  # the head, and what changes
        self.assertGreater(lines[1].count("\r\033[K"), 1)
        for line in lines[1].split("\r\033[K"):
            self.assertLess(len(line), 80)

    def test_the_check_comes_first(self):
        words = [word for word in self.words(self.new(), "--people", 200, "--batch", 20, "--quiet") if word != "--json"]
        shown = verdict_on_terminal(*words[1:])
        if shown is None:
            self.skipTest("no terminal")
        self.assertRegex(shown, r"\A\033\[1;32mThe check holds: 200 acknowledged; [^\033]*\.\033\[0m\n\nurl\s")

    def test_a_loss_that_rises_again_comes_before_the_check(self):
        """The world turns by a radian while 1,000 people come, and fewer models: none is good for long."""
        words = [word for word in self.words(self.new(), "--environment", "drift", "--drift", 0.001, "--people", PEOPLE,
                                             "--rate", 2500, "--batch", 20, "--quiet") if word != "--json"]
        shown = verdict_on_terminal(*words[1:])
        if shown is None:
            self.skipTest("no terminal")
        self.assertRegex(shown, r"\A\033\[1mThe loss rises again: people [^\033]*\.\033\[0m\s+The\s+check\s+holds:\s+"
                                rf"{PEOPLE}\s+acknowledged;")


class Trouble(FleetCase):
    def test_nothing_is_lost_when_the_service_is_killed_and_started_again(self):
        service = self.serve()
        experiment = self.new(service)
        fleet = self.start(experiment, "--people", "1e9", "--rate", 6000, "--batch", 5, service=service)
        self.assertTrue(service.wait_for(lambda: sum(service.counts(experiment).values()) > 2000))
        service.kill()
        time.sleep(0.3)
        service.start()
        before = sum(service.counts(experiment).values())
        self.assertTrue(service.wait_for(lambda: sum(service.counts(experiment).values()) > before + 2000))
        fleet.send_signal(signal.SIGINT)
        summary, errors = self.end(fleet)
        people = summary["people"]
        self.assertIn("put off", errors)
        self.assertGreater(people, 4000)
        self.assertEqual((summary["acknowledged"], summary["dropped"]), (people, 0))
        self.assertGreater(summary["put_off"], 0)
        self.assertTrue(summary["check_holds"])
        counts = service.counts(experiment)
        self.assertGreaterEqual(counts["folded"] + counts["late"], people)
        self.assertLessEqual(counts["folded"], people)

    def test_a_server_that_acknowledges_and_forgets_is_found_out(self):
        handler = type("Handler", (Forgetful,), {"behind": self.service.public})
        liar = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.addCleanup(liar.server_close)
        threading.Thread(target=liar.serve_forever, daemon=True).start()
        self.addCleanup(liar.shutdown)
        experiment = self.new()
        summary, errors = self.play(experiment, "--people", 300, code=1,
                                    public=f"http://127.0.0.1:{liar.server_port}")
        self.assertEqual(summary["acknowledged"], 300)
        self.assertFalse(summary["check_holds"])
        self.assertIn("300 are lost", summary["check"])
        self.assertIn("the check failed", errors)

    def test_reports_of_somebody_else_are_found_out(self):
        experiment = self.new()
        fleet = self.start(experiment, "--people", "1e9", "--rate", 500)
        self.assertTrue(self.service.wait_for(lambda: self.service.counts(experiment)["folded"] > 10))
        self.assertEqual(self.service.post(experiment, self.service.frames(experiment, 5)).status, 204)
        fleet.send_signal(signal.SIGINT)
        summary, _ = self.end(fleet, code=1)
        self.assertIn("another client", summary["check"])

    def test_ctrl_c_ends_it_cleanly(self):
        experiment = self.new()
        fleet = self.start(experiment, "--people", "1e9", "--rate", 500)
        self.assertTrue(self.service.wait_for(lambda: self.service.counts(experiment)["folded"] > 100))
        fleet.send_signal(signal.SIGINT)
        start = time.monotonic()
        summary, _ = self.end(fleet)
        self.assertLess(time.monotonic() - start, 60)
        self.assertTrue(summary["check_holds"])
        self.assert_all_there(experiment, summary)

    def test_a_closed_experiment_drops_everybody(self):
        experiment = self.new()
        self.service.change(experiment, "close")
        summary, errors = self.play(experiment, "--people", 20, code=1)
        self.assertEqual((summary["dropped"], summary["acknowledged"]), (20, 0))
        self.assertIn("dropped", errors)

    def test_a_paused_experiment_is_waited_for_no_longer_than_said(self):
        experiment = self.new()
        self.service.change(experiment, "pause")
        summary, errors = self.play(experiment, "--people", 20, "--drain", 1, code=1)
        self.assertEqual((summary["under_way"], summary["acknowledged"]), (20, 0))
        self.assertIn("not acknowledged in time", errors)
        self.service.change(experiment, "open")

    def run_fleet(self, *words, **variables):
        """Exit status and stderr."""
        env = plain_environment(XDG_STATE_HOME=str(self.directory / "nothing"), **variables)
        got = subprocess.run([SOTTO, "fleet", *map(str, words)], capture_output=True, text=True, timeout=300, env=env)
        return got.returncode, got.stderr, got.stdout

    def test_without_a_token_the_check_is_the_weaker_one(self):
        experiment = self.new()
        url = f"{self.service.public}/v1/experiments/{experiment}"
        code, errors, said = self.run_fleet(url, "--people", 3000, "--rate", 1500, "--json")
        summary = json.loads(said)
        self.assertEqual(code, 0, (errors, said))
        self.assertIn("weaker", errors)
        self.assertFalse(summary["check_exact"])
        self.assertIn("weak", summary["check"])

    def test_the_only_open_experiment_need_not_be_named(self):
        service = self.serve()
        experiment = self.new(service)
        words = ["--admin", service.admin, "--token-file", service.directory / "reader.token", "--people", 50, "--json"]
        code, errors, said = self.run_fleet(service.public, *words)
        self.assertEqual(code, 0, errors)
        self.assertTrue(json.loads(said)["url"].endswith(experiment))
        code, errors, said = self.run_fleet(service.public, "--experiment", experiment, *words)
        self.assertEqual(code, 0, errors)
        self.new(service)
        code, errors, _ = self.run_fleet(service.public, *words)
        self.assertEqual(code, 1)
        self.assertIn("2 are open", errors)

    def test_bad_input_is_told_in_a_sentence(self):
        experiment, strict = self.new(), self.new(epsilon=4)
        url = f"{self.service.public}/v1/experiments/{experiment}"
        nobody = f"http://127.0.0.1:{free_port()}"
        missing = f"{self.service.public}/v1/experiments/{'0' * 32}"
        for words, code, word in (
                ((), 2, "the URL of the experiment is needed"),
                ((url, url), 2, "one URL"),
                (("",), 2, "URL"),
                (("nonsense",), 2, "URL: allowed"),
                (("http://example.org/v1/experiments/" + experiment,), 2, "http is allowed only to this machine"),
                ((self.service.public + "/v1/experiments/123",), 2, "32 lower-case hexadecimal"),
                ((self.service.public,), 2, "--experiment"),
                ((self.service.public, "--experiment", "xyz"), 2, "experiment = xyz"),
                ((url, "--experiment", experiment), 2, "--experiment"),
                ((url, "--people", 0), 2, "--people = 0: allowed"),
                ((url, "--liars", 0.6), 2, "--liars = 0.6: allowed 0 to 0.5"),
                ((url, "--batch", 10001), 2, "--batch"),
                ((url, "--environment", "spere"), 2, "sphere"),
                ((url, "--unknown"), 2, "--unknown"),
                ((url, "--token-file", self.directory / "none"), 2, "none"),
                ((url, "--admin", "http://example.org"), 2, "admin: allowed"),
                ((url, "--csv", self.directory / "none" / "curve"), 1, "--csv"),
                ((url, "--environment", "gaussian"), 1, "environment gaussian does not fit the terms"),
                ((url, "--environment", "loan"), 1, "environment loan does not fit the terms"),
                ((url, "--theta-norm", 5), 1, "theta-norm"),
                ((f"{self.service.public}/v1/experiments/{strict}",), 1, "--epsilon-max"),
                ((missing,), 1, "404"),
                ((nobody + "/v1/experiments/" + experiment,), 1, nobody),
        ):
            with self.subTest(words=words):
                got, errors, said = self.run_fleet(*words)
                self.assertEqual(got, code, errors)
                self.assertIn(word, errors)
                self.assertEqual(said, "")
        self.play(strict, "--epsilon-max", 4, "--people", 20)


class MeasureRounds(unittest.TestCase):
    def test_the_service_says_what_the_library_says_and_holds_the_truth(self):
        with Service("--keep-reports") as service:
            experiment = service.create(SPEC, {"epoch": 1000, "epoch_seconds_min": 1, "epoch_reports_min": 20})
            fleet = subprocess.run(
                [SOTTO, "fleet", f"{service.public}/v1/experiments/{experiment}", "--admin", service.admin,
                 "--token-file", str(service.token_file), "--people", str(PEOPLE), "--batch", "20", "--rate", "2000", "--seed", "5",
                 "--json", "--quiet"], capture_output=True, text=True, timeout=300)
            self.assertEqual(fleet.returncode, 0, fleet.stderr)
            seen = json.loads(fleet.stdout)
            self.assertEqual(service.stop(), 0)
            replay = Journal(service.directory).replay(experiment)
            service.start()  # after a restart it reports all that it knows
            answer = service.manage("GET", f"/v1/experiments/{experiment}/results")
            self.assertEqual(answer.status, 200)
            told = json.loads(answer.body)["measurement"]
        self.assertEqual(replay.counts["folded"], PEOPLE)
        said = [told["follow"]["reports"], told["control"]["reports"]]
        for interval in (told["follow"]["mean"], told["control"]["mean"], told["uplift"]):
            said += [interval["value"], interval["lo"], interval["hi"]]
        self.assertEqual(said, replay.measured)
        self.assertGreater(said[0] + said[1], PEOPLE / 50)  # most of the measure rounds came after the first epochs
        # The people know the truth. The interval fails to hold it once in twenty at most; this one is of one seed
        # for contexts and rewards, and fresh noise: 99.9999 % need twice the width (a normal has 1.96 and 4.9).
        truth, uplift = seen["uplift_true"], told["uplift"]
        half = (uplift["hi"] - uplift["lo"]) / 2
        self.assertLess(abs(uplift["value"] - truth), 2.5 * half)


if __name__ == "__main__":
    unittest.main()
