#!/usr/bin/env python3
"""sotto join, and the device of the examples: what a person reads, what is sent, and what happens
when things fail. A recorder between them and a real sottod keeps every byte that was sent."""
import contextlib
import http.client
import http.server
import json
import math
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import threading
import time
import unittest

from directory_case import DirectoryCase
from sottod import Service
from sotto_binary import SOTTO, identity

EXAMPLE = os.environ["EXAMPLE_DEVICE"]
OPENSSL = shutil.which("openssl")
NOWHERE = "0" * 32
HEADERS = {"host", "accept", "content-type", "content-length", "if-none-match"}


class Recorder:
    """Forwards requests to a place, and records them. `instead(method, path)` may return another
    answer: (status, body), or "hang up"."""

    def __init__(self, place, context=None):
        self.seen, self.instead = [], lambda method, path: None
        host = place.removeprefix("http://")
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                recorder.seen.append((self.command, self.path, dict(self.headers), body))
                answer = recorder.instead(self.command, self.path)
                if answer == "hang up":
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if answer is None:
                    line = http.client.HTTPConnection(host, timeout=30)
                    with contextlib.closing(line):
                        headers = {k: v for k, v in self.headers.items() if k.lower() in HEADERS - {"host"}}
                        line.request(self.command, self.path, body=body or None, headers=headers)
                        got = line.getresponse()
                        answer = got.status, got.read()
                self.send_response(answer[0])
                if answer[0] not in (204, 304):
                    self.send_header("Content-Length", str(len(answer[1])))
                self.end_headers()
                self.wfile.write(answer[1])

            do_POST = do_GET

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # a client that does not trust us hangs up

        self.server = Server(("127.0.0.1", 0), Handler)
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.place = f"{'https' if context else 'http'}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def posted(self):
        """The bodies of reports, as hexadecimal digits."""
        return [body.hex() for method, _, _, body in self.seen if method == "POST"]


class Case(DirectoryCase):
    """One service and a recorder before it for each class; a directory for each test."""

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.service = cls.stack.enter_context(Service())
        cls.series = iter(range(1000, 2000))

    def setUp(self):
        super().setUp()
        self.ledger = self.directory / "ledger"
        self.recorder = Recorder(self.service.public)
        self.addCleanup(self.recorder.close)

    def create(self, **spec):
        """The URL of a new experiment, through the recorder."""
        seconds = (spec.get("reward_window_s", 0) + spec.get("send_spread_s", 0)) // 16 + 1  # 16: epoch_lag_max
        self.id = self.service.create({"series": next(self.series), **spec}, {"epoch_seconds_min": seconds})
        return self.url(self.id)

    def url(self, experiment, place=None):
        return f"{place or self.recorder.place}/v1/experiments/{experiment}"

    def words(self, url, *words):
        return [SOTTO, "join", url, "--ledger", str(self.ledger), *map(str, words)]

    def join(self, url, *words, stdin="", env=None):
        return subprocess.run(self.words(url, *words), input=stdin, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "COLUMNS": "100", **(env or {})})

    def lines(self, url, *words, **options):
        """The card and the events of a run that must succeed."""
        result = self.join(url, "--yes", "--json", *words, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result)
        card, *events = map(json.loads, result.stdout.splitlines())
        self.assertEqual((card["what"], events[-1]["what"]), ("card", "end"))
        return card, events

    def assert_refused(self, result, code, *parts):
        """A sentence on stderr, and nothing booked or sent."""
        self.assertEqual(result.returncode, code, result)
        said = " ".join(result.stderr.split())
        for part in parts:
            self.assertIn(part, said)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertFalse(self.ledger.exists())
        self.assertEqual(self.recorder.posted(), [])


class WrongUsage(Case):
    def test_it_needs_one_url_of_an_experiment(self):
        good = self.url(NOWHERE)
        for words, part in [
                ((), "the URL of the experiment is needed"), ((good, good), "one experiment at a time"),
                (("ftp://127.0.0.1/v1/experiments/" + NOWHERE,), "url: allowed https"),
                (("http://127.0.0.1:1/v1/experiments/xyz",), "32 lower-case hexadecimal digits"),
                ((good, "--rounds", "1001"), "--rounds = 1001"), ((good, "--with-reward"), "--context FILE"),
                ((good, "--proxy", "nonsense"), "--proxy: allowed http"), ((good, "--timeout", "0"), "--timeout = 0"),
                ((good, "--relay", self.url("1" * 32)), "same experiment")]:
            result = subprocess.run([SOTTO, "join", *words], capture_output=True, text=True, timeout=300)
            self.assert_refused(result, 2, part)
            self.assertEqual(result.stdout, "")

    def test_http_stays_on_this_machine(self):
        for host in ("example.org", "192.0.2.1", "127.1"):
            result = self.join(f"http://{host}/v1/experiments/{NOWHERE}", "--yes")
            self.assert_refused(result, 2, "url: http is allowed only to this machine", "https")

    def test_without_a_terminal_somebody_has_to_say_yes(self):
        result = self.join(self.create())
        self.assert_refused(result, 2, "--yes")
        self.assertIn("what leaves", result.stdout)


class BadServers(Case):
    def test_nobody_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            place = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = self.join(self.url(NOWHERE, place), "--yes")
        self.assert_refused(result, 1, NOWHERE, "terms: no answer")
        self.assertEqual(result.stdout, "")

    def test_a_server_that_says_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            begin = time.monotonic()
            result = self.join(self.url(NOWHERE, f"http://127.0.0.1:{silent.getsockname()[1]}"), "--yes",
                               "--timeout", 0.5)
        self.assertLess(time.monotonic() - begin, 25)
        self.assert_refused(result, 1, "terms: no answer")

    def test_an_experiment_that_is_not_there(self):
        self.assert_refused(self.join(self.url(NOWHERE), "--yes"), 1, "no such experiment (404)")

    def test_the_terms_of_another_experiment(self):
        other = self.service.terms(self.service.create({"series": next(self.series)}))
        url = self.create()
        self.recorder.instead = lambda method, path: (200, other) if path.endswith("/terms") else None
        self.assert_refused(self.join(url, "--yes"), 1, "the terms are refused", "another experiment")

    def test_terms_that_are_none(self):
        url = self.create()
        for body, part in ((b"", "0 bytes: terms have 284"), (b"<html>Welcome</html>", "terms have 284"),
                           (b"\0" * 284, "the terms are refused"), (b"x" * 100000, "terms: the answer (200) is too long")):
            self.recorder.instead = lambda method, path: (200, body)
            self.assert_refused(self.join(url, "--yes"), 1, part)

    def test_a_redirect_is_not_followed(self):
        url = self.create()
        self.recorder.instead = lambda method, path: (302, b"")
        self.assert_refused(self.join(url, "--yes"), 1, "redirect")

    def test_an_experiment_that_was_closed_takes_nothing_and_the_round_is_spent(self):
        url = self.create()
        self.service.change(self.id, "close")
        result = self.join(url, "--yes", "--rounds", 2)
        self.assertEqual(result.returncode, 1)
        self.assertIn("0 reports acknowledged, 2 dropped, 0 left to be sent.", result.stdout)
        self.assertIn("the experiment has ended (410)", result.stdout)
        card = self.join(url, "--rounds", 0)
        self.assertIn("2 rounds of all experiments: epsilon 2 by the sum", " ".join(card.stdout.split()))
        self.assertIn("2 reports dropped", " ".join(card.stdout.split()))


@unittest.skipUnless(OPENSSL, "openssl must be installed")
class Https(Case):
    def certificate(self, name, subject):
        key, certificate = self.directory / f"{name}.key", self.directory / f"{name}.pem"
        subprocess.run([OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=test",
                        "-addext", f"subjectAltName={subject}"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return certificate, context

    def secure(self, context):
        recorder = Recorder(self.service.public, context)
        self.addCleanup(recorder.close)
        return recorder

    def test_a_certificate_of_somebody_else_is_refused(self):
        ours, _ = self.certificate("ours", "IP:127.0.0.1")
        _, theirs = self.certificate("theirs", "IP:127.0.0.1")
        other_ca, other_name = self.certificate("elsewhere", "DNS:example.org")
        self.create()
        for context, trusted in ((theirs, ("--ca-file", ours)), (theirs, ()), (other_name, ("--ca-file", other_ca))):
            recorder = self.secure(context)
            self.assert_refused(self.join(self.url(self.id, recorder.place), "--yes", *trusted), 1, "terms: no answer")
            self.assertEqual(recorder.seen, [])

    def test_the_right_certificate_is_good(self):
        ours, context = self.certificate("ours", "IP:127.0.0.1")
        recorder = self.secure(context)
        self.create()
        _, events = self.lines(self.url(self.id, recorder.place), "--rounds", 1, "--ca-file", ours)
        self.assertEqual([event["frame"] for event in events if event["what"] == "sent"], recorder.posted())

    def test_a_proxy_is_used_if_it_is_said_and_never_taken_from_the_environment(self):
        ours, context = self.certificate("ours", "IP:127.0.0.1")
        recorder, tunnel = self.secure(context), Tunnel()
        self.addCleanup(tunnel.socket.close)
        self.create()
        url = self.url(self.id, recorder.place)
        variables = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY"), tunnel.place)
        self.lines(url, "--rounds", 1, "--ca-file", ours, env=variables)
        self.assertEqual(tunnel.asked, [])
        self.lines(url, "--rounds", 1, "--ca-file", ours, "--proxy", tunnel.place)
        self.assertGreaterEqual(len(tunnel.asked), 1)
        for head in tunnel.asked:
            self.assertEqual(head.split()[:2], ["CONNECT", recorder.place.removeprefix("https://")])
        words = " ".join(self.join(url, "--rounds", 0, "--ca-file", ours, "--proxy", tunnel.place).stdout.split())
        self.assertIn("The proxy sees your network address", words)


class Tunnel:
    """A proxy for https: it sees which hosts a device connects to, and passes bytes on."""

    def __init__(self):
        self.asked = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.place = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                threading.Thread(target=self.serve, args=self.socket.accept()[:1], daemon=True).start()

    def serve(self, line):
        head = b""
        while b"\r\n\r\n" not in head:
            head += line.recv(4096)
        self.asked.append(head.decode())
        host, port = head.split()[1].decode().rsplit(":", 1)
        there = socket.create_connection((host, int(port)))
        line.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=self.copy, args=(there, line), daemon=True).start()
        self.copy(line, there)

    @staticmethod
    def copy(here, there):
        with contextlib.suppress(OSError), here:
            while part := here.recv(4096):
                there.sendall(part)
            there.shutdown(socket.SHUT_WR)


class TheCard(Case):
    def test_its_facts_are_those_of_the_terms(self):
        url = self.create(epsilon=1.5, measure=0.0625, reward_window_s=3600, send_spread_s=600)
        result = self.join(url, "--json")
        card = json.loads(result.stdout)
        self.assertAlmostEqual(card.pop("odds_factor"), math.exp(1.5), delta=1e-12)
        self.assertEqual(card, {
            "what": "card", "spec_id": self.id, "report_bytes": 42, "reward_window_s": 3600, "send_spread_s": 600,
            "epsilon": 1.5, "delta": 0, "measure_share": 1 / 16, "ledger": str(self.ledger), "rounds_before": 0,
            "dropped_before": 0, "epsilon_before": 0, "delta_before": 0, "epsilon_before_optimal": 0, "unsent": 0,
            "epsilon_per_report_max": 2, "epsilon_lifetime": 8, "delta_lifetime": 1e-5, "measure_share_max": 0.1,
            "rounds_left": 5, "refused": None, **identity()})

    def test_in_words_it_says_the_same(self):
        url = self.create(epsilon=1.5, measure=0.0625, reward_window_s=3600, send_spread_s=600)
        shown = self.join(url).stdout
        self.assertLessEqual(shown.count("\n"), 21)
        words = " ".join(shown.split())
        for part in (self.id, "One report of 42 bytes per round", "no context, no arm, no reward, no name",
                     "1 hour after the round begins, and up to 10 minutes later", "e^1.5 = 4.48.",
                     "6.25 % of the rounds measure", "Half of these play an arm at random", "Nothing: ",
                     "5 more rounds of this experiment", "e^8 = 2981", "network address", identity()["sources"]):
            self.assertIn(part, words)
        self.assertNotIn("delta 0", words)

    def test_delta_and_other_times_are_told(self):
        gaussian = {"method": "ldp-ols", "score": "moments", "link": "identity", "delta": 1e-7}
        words = " ".join(self.join(self.create(**gaussian, send_spread_s=90)).stdout.split())
        self.assertIn("The chance that it changes them by more is about 1e-07.", words)
        self.assertIn("Within 90 seconds after the round begins", words)
        self.assertNotIn("measuring", words)
        words = " ".join(self.join(self.create(reward_window_s=172800)).stdout.split())
        self.assertIn("when 2 days after the round begins, whatever happens in it.", words)

    def test_the_server_s_own_card_is_never_asked_for(self):
        url = self.create()
        self.lines(url, "--rounds", 1)
        self.assertEqual({path.rsplit("/", 1)[1] for _, path, _, _ in self.recorder.seen}, {"terms", "model", "reports"})

    def test_a_second_start_shows_what_was_spent(self):
        url = self.create()
        before, _ = self.lines(url, "--rounds", 2)
        after, _ = self.lines(self.create(epsilon=0.5), "--rounds", 1)
        self.assertEqual((before["rounds_before"], before["rounds_left"]), (0, 8))
        self.assertEqual((after["rounds_before"], after["epsilon_before"], after["rounds_left"]), (2, 2, 12))
        words = " ".join(self.join(url, "--rounds", 0).stdout.split())
        self.assertIn("3 rounds of all experiments: epsilon 2.5 by the sum", words)
        self.assertIn("0 reports dropped", words)
        self.assertIn("5 more rounds of this experiment", words)

    def test_an_epsilon_above_the_limit_is_refused_until_the_person_widens_it(self):
        url = self.create(epsilon=4)
        result = self.join(url, "--yes")
        self.assert_refused(result, 1, "epsilon = 4: this device allows at most 2")
        self.assertIn("refused", result.stdout)
        self.assertEqual(json.loads(self.join(url, "--yes", "--json").stdout)["refused"],
                         "epsilon = 4: this device allows at most 2")
        card, events = self.lines(url, "--rounds", 1, "--epsilon-max", 4)
        self.assertEqual((card["rounds_left"], events[-1]["acknowledged"]), (2, 1))

    def test_a_larger_share_of_measure_rounds_is_refused_until_the_person_widens_it(self):
        url = self.create(measure=0.25)
        self.assert_refused(self.join(url, "--yes"), 1, "measure = 0.25: ", "at most 0.1")
        self.lines(url, "--rounds", 1, "--measure-max", 0.25)

    def test_more_rounds_than_the_limits_allow_are_refused_before_the_first(self):
        url = self.create()
        self.assert_refused(self.join(url, "--yes", "--rounds", 9), 1, "--rounds = 9: your limits allow 8 more")
        self.assert_refused(self.join(url, "--yes", "--rounds", 2, "--epsilon-lifetime", 1), 1, "allow 1 more")
        _, events = self.lines(url, "--epsilon-lifetime", 2)  # nothing was said: as many as fit
        self.assertEqual(events[-1]["acknowledged"], 2)
        result = self.join(url, "--yes", "--epsilon-lifetime", 2)
        self.assertEqual(result.returncode, 1)
        self.assertIn("your limits allow 0 more", result.stderr)


class Consent(Case):
    def ask(self, url, answer):
        """The exit status, the output, and what the terminal shows."""
        try:
            ours, theirs = pty.openpty()
        except OSError:
            self.skipTest("no terminal here")
        child = subprocess.Popen(self.words(url, "--rounds", 1), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        shown = b""
        while b"Take part? [y/N] " not in shown:
            shown += os.read(ours, 4096)
        os.write(ours, answer)
        output = child.communicate(timeout=300)[0].decode()
        with contextlib.suppress(OSError):
            while part := os.read(ours, 4096):
                shown += part
        os.close(ours)
        return child.returncode, output, shown.decode()

    def test_only_a_yes_is_a_yes(self):
        url = self.create()
        for answer in (b"n\n", b"\n", b"\x04", b"maybe\n", b"yet\n"):
            code, output, shown = self.ask(url, answer)
            self.assertEqual(code, 1, answer)
            self.assertIn("what leaves", output)
            self.assertIn("nothing was booked, nothing was sent", shown)
            self.assertFalse(self.ledger.exists())
        self.assertEqual(self.recorder.posted(), [])

    def test_a_yes_plays(self):
        for answer in (b"y\n", b"yes\n", b"Y\n"):
            code, output, _ = self.ask(self.create(), answer)
            self.assertEqual(code, 0, answer)
            self.assertIn("1 report acknowledged, 0 dropped, 0 left to be sent.", output)
        self.assertEqual(len(self.recorder.posted()), 3)


class WhatLeaves(Case):
    def test_one_frame_per_round_as_it_was_printed(self):
        _, events = self.lines(self.create(), "--rounds", 3)
        sent = [event for event in events if event["what"] == "sent"]
        self.assertEqual(sorted(event["frame"] for event in sent), sorted(self.recorder.posted()))
        self.assertEqual(len({event["round"] for event in sent}), 3)
        for event in sent:
            self.assertEqual((event["bytes"], len(event["frame"])), (42, 84))
        self.assertEqual(events[-1], {"what": "end", "acknowledged": 3, "dropped": 0, "left": 0})
        self.assertEqual(self.service.counts(self.id)["folded"], 3)
        for _, _, headers, _ in self.recorder.seen:
            self.assertLessEqual({name.lower() for name in headers}, HEADERS)

    def test_in_words_byte_by_byte(self):
        url = self.create(measure=0.0625)
        shown = self.join(url, "--yes", "--rounds", 2).stdout
        fields = re.findall(r"^ {10}([0-9a-f]+) +(magic|spec id|epoch|nonce|payload)", shown, re.M)
        self.assertEqual([name for _, name in fields], ["magic", "spec id", "epoch", "nonce", "payload"] * 2)
        frames = ["".join(digits for digits, _ in fields[i:i + 5]) for i in (0, 5)]
        self.assertEqual(sorted(frames), sorted(self.recorder.posted()))  # two may be under way at once
        self.assertEqual(fields[0][0], b"STR1".hex())
        self.assertEqual(fields[1][0], self.id)
        self.assertEqual(len(re.findall(r"Role: (learn|control|follow)\.", shown)), 2)
        self.assertEqual(len(re.findall(r"Its report leaves at \d\d:\d\d:\d\d", shown)), 2)
        self.assertEqual(shown.count("Context and reward are made up."), 2)

    def test_long_reports_are_printed_whole(self):
        url = self.create(dim=5, method="ldp-ols", score="moments", link="identity", delta=1e-7)
        shown = self.join(url, "--yes", "--rounds", 1).stdout
        [frame] = self.recorder.posted()
        printed = "".join(re.findall(r"^ {10}([0-9a-f]{2,32})(?: |$)", shown, re.M))
        self.assertGreater(len(frame), 100)
        self.assertEqual(printed, frame)

    def test_it_leaves_at_the_time_that_was_told(self):
        _, events = self.lines(self.create(reward_window_s=1, send_spread_s=1), "--rounds", 2)
        told = {event["round"]: event["send_at_ms"] for event in events if event["what"] == "round"}
        left = {event["round"]: event["at_ms"] for event in events if event["what"] == "sent"}
        self.assertEqual(told.keys(), left.keys())
        for number in told:
            self.assertGreaterEqual(left[number] + 1, told[number])  # two clocks, each cut to a millisecond
            self.assertLess(left[number], told[number] + 20000)  # for a busy machine

    def test_a_relay_gets_the_reports_and_nothing_else(self):
        relay = Recorder(self.service.public)
        self.addCleanup(relay.close)
        url = self.create()
        _, events = self.lines(url, "--rounds", 1, "--relay", self.url(self.id, relay.place))
        self.assertEqual([method for method, _, _, _ in relay.seen], ["POST"])
        self.assertEqual(self.recorder.posted(), [])
        self.assertEqual(events[-1]["acknowledged"], 1)


class Inputs(Case):
    def test_bad_lines_are_named_before_a_round_is_booked(self):
        url = self.create()  # 2 numbers for each of 3 arms
        for text, words, part in [
                ("1 2 3 4 5\n", (), "line 1 has 5 numbers: allowed 6"), ("1 2 3 4 5 6 7\n", (), "has 7 numbers"),
                ("1 2 3 4 5 6\n1 2 x 4 5 6\n", (), "line 2, number 3 is not a number"),
                ("1 2 3 4 5 6\n", ("--with-reward",), "has 6 numbers: allowed 7, 6 of a context and a reward"),
                ("1 2 3 4 5 6\n", ("--rounds", 2), "--rounds = 2: --context has 1 line"),
                ("1 2 3\0 4 5 6\n", (), "zero byte"), ("\n\n", (), "--context: the file is empty; allowed one line")]:
            self.assert_refused(self.join(url, "--yes", "--context", "-", *words, stdin=text), 1, part)
        self.assert_refused(self.join(url, "--yes", "--context", self.directory / "none"), 1, "No such file")
        self.assert_refused(self.join(url, "--yes", "--context", "-", stdin="1 2 3 4 5 6\n" * 1001), 1, "1000 rounds")

    def test_one_round_per_line(self):
        url = self.create()
        file = self.directory / "me"
        file.write_text("1 0 0 1 .5 .5 1\n\n1,0,0,1,.5,.5,nan\n")
        _, events = self.lines(url, "--context", file, "--with-reward")
        rounds = [event for event in events if event["what"] == "round"]
        self.assertEqual([event["reward_came"] for event in rounds], [True, False])
        self.assertEqual({(event["context_made_up"], event["reward_made_up"]) for event in rounds}, {(False, False)})
        self.assertEqual(len(self.recorder.posted()), 2)

    def test_per_arm_parameters_take_one_vector(self):
        url = self.create(parameters="per-arm")
        shown = self.join(url, "--yes", "--context", "-", stdin="0.3 -0.2\n").stdout
        self.assertIn("The reward is made up.", shown)
        self.assertIn("1 report acknowledged", shown)


class Ledgers(Case):
    def test_the_usual_one_is_made_for_its_owner_alone(self):
        url = self.create()
        for variables, path in (({"HOME": str(self.directory / "a")}, "a/.local/state/sotto/ledger"),
                                ({"HOME": "/nonexistent", "XDG_STATE_HOME": str(self.directory / "b")}, "b/sotto/ledger")):
            env = {name: value for name, value in os.environ.items() if name != "XDG_STATE_HOME"}
            result = subprocess.run([SOTTO, "join", url, "--yes", "--rounds", "1"], capture_output=True, text=True,
                                    timeout=300, env={**env, **variables})
            self.assertEqual(result.returncode, 0, result)
            made = self.directory / path
            self.assertEqual(stat.S_IMODE(made.stat().st_mode), 0o600)
            self.assertEqual(stat.S_IMODE(made.parent.stat().st_mode), 0o700)

    def test_one_that_cannot_be_trusted_is_refused_before_anything_is_asked(self):
        url = self.create()
        self.ledger.write_bytes(b"not a ledger")
        result = self.join(url, "--yes")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn(f"ledger {self.ledger}: ", result.stderr)
        self.assertEqual(self.recorder.seen, [])

    def test_one_that_cannot_be_made(self):
        self.ledger = self.directory / "no" / "such" / "ledger"
        self.assert_refused(self.join(self.create(), "--yes"), 1, "cannot make the ledger", "No such file")


class Interrupted(Case):
    def start(self, url, *words):
        child = subprocess.Popen(self.words(url, "--yes", "--json", *words), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def events_until(self, child, what, count=1):
        events = []
        while [event["what"] for event in events].count(what) < count:
            line = child.stdout.readline()
            self.assertNotEqual(line, "", (events, child.poll()))
            events.append(json.loads(line))
        return events

    def stop(self, child, by=signal.SIGINT):
        child.send_signal(by)
        self.assertEqual(child.wait(timeout=120), 1)
        return child.stderr.read(), [json.loads(line) for line in child.stdout.read().splitlines()]

    def test_what_has_not_left_yet_leaves_at_its_time_by_the_next_start(self):
        url = self.create(reward_window_s=6)
        child = self.start(url, "--rounds", 2)
        told = {e["round"]: e["send_at_ms"] for e in self.events_until(child, "round", 2) if e["what"] == "round"}
        said, rest = self.stop(child)
        self.assertEqual(rest[-1], {"what": "end", "acknowledged": 0, "dropped": 0, "left": 2})
        self.assertIn("2 reports are still to be sent, the next at ", said)
        self.assertIn("--rounds 0", said)
        self.assertEqual(self.recorder.posted(), [])
        card, events = self.lines(url, "--rounds", 0)
        left = {event["round"]: event["at_ms"] for event in events if event["what"] == "sent"}
        self.assertEqual(card["unsent"], 2)
        self.assertEqual(left.keys(), told.keys())
        for number in told:
            self.assertGreaterEqual(left[number] + 1, told[number])  # two clocks, each cut to a millisecond
        self.assertEqual(len(self.recorder.posted()), 2)
        self.assertEqual(events[-1]["acknowledged"], 2)

    def test_what_left_without_an_answer_is_sent_again_byte_by_byte(self):
        url = self.create()
        self.recorder.instead = lambda method, path: "hang up" if method == "POST" else None
        for by in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            child = self.start(url, "--rounds", 1)
            events = self.events_until(child, "put off")
            self.assertIn("no answer", events[-1]["why"])
            if by == signal.SIGKILL:
                child.kill()
                child.wait()
            else:
                said, _ = self.stop(child, by)
                self.assertRegex(said, r"\d reports? (is|are) still to be sent")
        unanswered = set(self.recorder.posted())
        self.assertLessEqual(len(unanswered), 3)
        self.recorder.seen.clear()
        self.recorder.instead = lambda method, path: None
        card, events = self.lines(url, "--rounds", 0)
        self.assertEqual(card["unsent"], 3)
        # What the killed one had under way may be recorded only now: it is one of the three.
        self.assertEqual({event["frame"] for event in events if event["what"] == "sent"}, set(self.recorder.posted()))
        self.assertEqual(len(set(self.recorder.posted())), 3)
        self.assertLessEqual(unanswered, set(self.recorder.posted()))
        self.assertEqual(self.service.counts(self.id)["folded"], 3)

    def test_a_server_that_goes_away_puts_reports_off_and_gets_them_when_it_is_back(self):
        url = self.create()
        self.recorder.instead = lambda method, path: (503, b"") if method == "POST" else None
        child = self.start(url, "--rounds", 1)
        events = self.events_until(child, "put off")
        self.assertIn("503", events[-1]["why"])
        self.recorder.instead = lambda method, path: None
        self.assertEqual(self.events_until(child, "end")[-1]["acknowledged"], 1)
        self.assertEqual(child.wait(timeout=120), 0)
        self.assertEqual(len(set(self.recorder.posted())), 1)

    def test_several_starts_at_once_send_the_same_bytes(self):
        url = self.create(reward_window_s=5)
        child = self.start(url, "--rounds", 4)
        self.events_until(child, "round", 4)
        self.stop(child)
        children = [self.start(url, "--rounds", 0) for _ in range(2)]
        acknowledged = [self.events_until(child, "end")[-1]["acknowledged"] for child in children]
        self.assertEqual([child.wait(timeout=120) for child in children], [0, 0])
        self.assertEqual(sum(acknowledged), 4)
        self.assertEqual(len(set(self.recorder.posted())), 4)
        counts = self.service.counts(self.id)
        self.assertEqual((counts["folded"], counts["conflicting"]), (4, 0))

    def test_nothing_is_left_to_send(self):
        url = self.create()
        self.assertEqual(self.join(url, "--rounds", 0).returncode, 0)
        self.assertFalse(self.ledger.exists())  # nobody agreed
        self.lines(url, "--rounds", 1)
        result = self.join(url, "--rounds", 0)  # no question, because nothing new is booked
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("0 reports acknowledged, 0 dropped, 0 left to be sent.", result.stdout)


class Progress(Case):
    def test_a_terminal_shows_how_long_it_takes(self):
        try:
            ours, theirs = pty.openpty()
        except OSError:
            self.skipTest("no terminal here")
        url = self.create(reward_window_s=4)
        for quiet in (False, True):
            result = subprocess.run(self.words(url, "--yes", "--rounds", 1, *(["--quiet"] if quiet else [])),
                                    stdout=subprocess.PIPE, stderr=theirs, timeout=300)
            self.assertEqual(result.returncode, 0)
            os.set_blocking(ours, False)
            shown = b""
            with contextlib.suppress(BlockingIOError):
                shown = os.read(ours, 65536)
            self.assertEqual(b"1 report to be sent; the next leaves at " in shown, not quiet, shown)
        os.close(ours), os.close(theirs)


class Example(Case):
    def run_example(self, *words):
        return subprocess.run([EXAMPLE, *map(str, words)], capture_output=True, text=True, timeout=300)

    def test_it_is_short(self):
        source = (pathlib.Path(os.environ["SOURCE"]) / "examples/04_device.c").read_text()
        code = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
        self.assertLessEqual(sum(1 for line in code.splitlines() if line.strip()), 60)

    def test_it_says_what_is_wrong(self):
        url = self.create()
        for words, part in [((), "usage: 04_device URL LEDGER"), ((url, self.directory / "no" / "ledger"), "no/ledger: "),
                            (("http://example.org/x", self.ledger), "http://example.org/x: "),
                            ((self.url(NOWHERE), self.ledger), "no such experiment (404)"),
                            ((self.create(epsilon=4), self.ledger), "refused: epsilon = 4: this device allows")]:
            result = self.run_example(*words)
            self.assertEqual((result.returncode, result.stdout), (1, ""), words)
            self.assertIn(part, result.stderr)
        self.assertEqual(self.recorder.posted(), [])

    def test_it_takes_part_again_with_the_same_ledger(self):
        url = self.create()
        for start in (1, 2):
            result = self.run_example(url, self.ledger)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"^round (\d+) plays arm [0-2]\nround \1 sent\nround \1 acknowledged\n$")
            self.assertEqual(self.service.counts(self.id)["folded"], start)
            spent = json.loads(self.join(url, "--rounds", 0, "--json").stdout.splitlines()[0])
            self.assertEqual((spent["rounds_before"], spent["epsilon_before"], spent["unsent"]), (start, start, 0))
        self.assertEqual(len(set(self.recorder.posted())), 2)


if __name__ == "__main__":
    unittest.main()
