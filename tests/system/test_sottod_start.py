#!/usr/bin/env python3
"""sottod: how it starts, what it prints, why it refuses to start, how it ends."""
import contextlib
import fcntl
import http.client
import json
import os
import pty
import re
import signal
import socket
import stat
import subprocess
import threading
import unittest

from directory_case import DirectoryCase
from replay_journal import Journal
from sotto_binary import identity_lines
from sottod import ANY_PORTS, SOTTOD, Service, plain_environment, sottod


class Directory(DirectoryCase):
    def refuse(self, *words, code, says, **options):
        done = sottod(*words, **options)
        self.assertEqual(done.returncode, code, done)
        self.assertRegex(done.stderr, says)
        self.assertEqual(done.stdout, "")
        return done


class WrongUsage(Directory):
    """Exit status 2, one sentence that names what is wrong, and nothing created on disk."""

    def refuse_usage(self, *words, says, env=None):
        home = self.directory / "home"
        done = self.refuse(*words, code=2, says=says, env=env or plain_environment(HOME=str(home)))
        self.assertFalse(home.exists())
        return done

    def test_words_that_cannot_be_used_are_refused(self):
        """One of each kind: tests/unit/service/config/test_config.c and test_value.c have all."""
        file = self.directory / "conf"
        file.write_text("# ours\nlog-level = loud\n")
        for words, says in (
                (("--keep-report",), "--keep-report: there is no such setting; did you mean --keep-reports?"),
                (("--listen", "localhost:80"), r"--listen = localhost:80: allowed .*127\.0\.0\.1:8787"),
                (("--data",), "--data: has no value"), (("serve",), "serve"), (("inspect", "more"), "inspect"),
                (("--with-reports",), "--with-reports"),
                (("--config", file), "conf:2: log-level = loud: allowed debug, info, warning, error")):
            with self.subTest(words=words):
                self.refuse_usage(*words, says=says)
        env = plain_environment(HOME=str(self.directory / "home"), SOTTOD_KEEP_REPORTS="1")
        self.refuse_usage(says="SOTTOD_KEEP_REPORTS = 1: allowed yes or no", env=env)


class CannotStart(Directory):
    """Exit status 1 and a sentence."""

    def test_a_port_that_is_taken_is_refused_by_its_address(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            for flag, other in (("--listen", "--admin"), ("--admin", "--listen")):
                done = self.refuse("--data", self.directory / "data", flag, "127.0.0.1:" + port, other,
                                   "127.0.0.1:0", code=1, says="127.0.0.1")
                self.assertRegex(done.stderr, rf"\b{port}\b.*in use")

    def test_a_second_one_on_the_directory_is_refused_and_the_first_goes_on(self):
        with Service() as first:
            experiment = first.create()
            self.refuse("--data", first.directory, *ANY_PORTS, code=1, says=re.escape(str(first.directory)))
            self.assertEqual(first.post(experiment, first.frames(experiment, 5)).status, 204)
            self.assertEqual(first.counts(experiment)["folded"], 5)
            self.assertEqual(first.stop(), 0)

    def test_a_directory_that_cannot_be_made_is_refused(self):
        (self.directory / "file").write_text("")
        for place in (self.directory / "file", self.directory / "file" / "data", "/proc/sotto"):
            self.refuse("--data", place, *ANY_PORTS, code=1, says=re.escape(str(place)))


class Words(Directory):
    """Options that print something and end."""

    def test_help_has_every_setting_and_the_exit_codes(self):
        done = sottod("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("--data", "--listen", "--admin", "--config", "--keep-reports", "--print-config", "--recover-to",
                     "inspect", "export", "import", "127.0.0.1:8787", "127.0.0.1:8788"):
            self.assertIn(word, done.stdout)
        self.assertRegex(done.stdout, "exit.*0.*1.*2")

    def test_help_is_wrapped_to_the_terminal(self):
        for columns in (41, 50, 67, 68, 80, 100):
            text = sottod("--help", env=plain_environment(COLUMNS=str(columns))).stdout
            widest = max(text.splitlines(), key=len)
            self.assertLessEqual(len(widest), columns, widest)
        self.assertEqual(sottod("--help", env=plain_environment(COLUMNS="")).stdout,
                         sottod("--help", env=plain_environment(COLUMNS="80")).stdout)

    def test_help_stands_in_groups(self):
        groups = re.findall(r"^([a-z].*):$", sottod("--help", env=plain_environment(COLUMNS="")).stdout, re.M)
        self.assertEqual(groups, ["commands", "data directory and database", "ports", "reports and log",
                                  "limits of the public port", "limits of one address", "experiments",
                                  "other options", "examples"])

    def test_the_version_is_that_of_the_library(self):
        self.assertEqual(sottod("--version").stdout, identity_lines("sottod"))

    def test_print_config_prints_a_file_that_is_read_as_the_same(self):
        env = plain_environment(XDG_STATE_HOME=str(self.directory), SOTTOD_LOG_LEVEL="warning")
        first = sottod("--listen", "[::1]:99", "--keep-reports", "--print-config", env=env)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        for line in ("listen = [::1]:99", "keep-reports = yes", "log-level = warning", "admin = 127.0.0.1:8788",
                     f"data = {self.directory}/sotto"):
            self.assertIn(f"\n{line}\n", "\n" + first.stdout)
        (self.directory / "conf").write_text(first.stdout)
        self.assertEqual(sottod("--config", self.directory / "conf", "--print-config").stdout, first.stdout)
        self.assertFalse((self.directory / "sotto").exists())


class Start(Directory):
    def test_without_options_it_is_on_loopback_with_data_under_the_state_directory(self):
        for port in (8787, 8788):
            with contextlib.closing(socket.socket()) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    self.skipTest(f"port {port} is taken on this machine")
        env = plain_environment(HOME=str(self.directory))
        env.pop("XDG_STATE_HOME", None)
        with contextlib.ExitStack() as stack:
            service = Service(env=env, ports=())
            stack.callback(service.__exit__)
            service.words = []
            service.start()
            self.assertEqual((service.public, service.admin), ("http://127.0.0.1:8787", "http://127.0.0.1:8788"))
            self.assertTrue(service.token_file.is_relative_to(self.directory / ".local/state/sotto"))
            self.assertEqual(service.stop(), 0)

    def test_it_says_where_it_is_and_keeps_the_token_to_itself(self):
        with Service() as service:
            self.assertEqual([line.split()[0] for line in service.printed], ["public", "admin", "token"])
            self.assertRegex(service.public, r"^http://127\.0\.0\.1:\d+$")
            self.assertEqual(service.token_file.parent, service.directory)
            self.assertEqual(stat.S_IMODE(service.token_file.stat().st_mode), 0o600)
            self.assertEqual(stat.S_IMODE(service.directory.stat().st_mode) & 0o077, 0)
            self.assertGreaterEqual(len(service.token), 32)
            self.assertNotIn(service.token, "".join(service.printed))  # the output of a service may be a log
            for path in ("/healthz", "/readyz"):
                self.assertEqual(service.get(path).status, 200)
            self.assertEqual(service.manage("GET", "/v1/experiments").status, 200)
            self.assertEqual(service.manage("GET", "/v1/experiments", token="0" * 64).status, 401)
            token = service.token
            self.assertEqual(service.stop(), 0)
            service.start()
            self.assertEqual(service.token, token)  # the same one as before

    def test_a_terminal_is_shown_the_new_token_once(self):
        data = self.directory / "data"
        shown = []
        for _ in range(2):
            ours, theirs = pty.openpty()
            process = subprocess.Popen([SOTTOD, "--data", data, *ANY_PORTS], stdout=theirs, stderr=subprocess.DEVNULL,
                                       env=plain_environment())
            os.close(theirs)
            text = b""
            while b"token " not in text or not text.endswith(b"\n"):
                text += os.read(ours, 4096)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=60), 0)
            with contextlib.suppress(OSError):  # the other end is closed
                while part := os.read(ours, 4096):
                    text += part
            os.close(ours)
            shown.append(text.decode())
        token = next(data.glob("admin*")).read_text().strip()
        self.assertIn(token, shown[0])
        self.assertNotIn(token, shown[1])

    def test_both_ports_can_be_of_the_sixth_version(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("this machine has no ::1")
        with Service(ports=("--listen", "[::1]:0", "--admin", "[::1]:0")) as service:
            self.assertRegex(service.public, r"^http://\[::1\]:\d+$")
            self.assertEqual(service.manage("GET", "/v1/experiments").status, 200)

    def test_flags_win_over_variables_and_variables_over_the_file(self):
        file = self.directory / "conf"
        file.write_text("log-level = error\nkeep-reports = yes\n")
        with Service("--config", file, env=plain_environment(SOTTOD_LOG_LEVEL="info")) as service:
            self.assertIn("started", [line["event"] for line in service.log()])  # not only errors
        with Service("--config", file) as service:
            self.assertEqual(service.log(), [])


class AfterAKill(Directory):
    def test_ports_are_open_while_the_journal_is_read(self):
        """Reports are refused, everything known is served, and then all is as before."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            place = f"127.0.0.1:{taken.getsockname()[1]}"
        ports = ("--listen", place, "--admin", "127.0.0.1:0")
        with Service(ports=ports) as service:
            experiment = service.create(None, {"epoch_seconds_min": 31536000})  # one epoch
            frames = service.frames(experiment, 40000 if os.environ["SANITIZE"] else 400000)  # sanitizers take longer
            for at in range(0, len(frames), 20000):
                self.assertEqual(service.post(experiment, frames[at:at + 20000]).status, 204)
            before = service.counts(experiment)
            service.kill()
            service.spawn()
            service.public = "http://" + place
            seen = set()
            path = f"/v1/experiments/{experiment}"
            self.assertTrue(service.wait_for(lambda: service.get("/healthz").status == 200))
            while (ready := service.get("/readyz")).status == 503:
                self.assertEqual(ready.headers["Retry-After"], "1")
                posted = service.post(experiment, [b"x" * 42])  # 400 if it should be ready by now
                seen.add(("reports", posted.status, posted.headers.get("Retry-After")))
                model = service.get(path + "/model")
                seen.add(("model", model.status, model.headers.get("ETag")))
                self.assertEqual(service.get("/healthz").status, 200)
            self.assertIn(("reports", 503, "1"), seen)
            self.assertTrue(any(name == "model" and status == 200 for name, status, _ in seen), seen)
            service.kill()
            service.process.stdout.close()
            service.start()
            self.assertEqual(service.counts(experiment), before)


class SignalsBeforeItIsReady(Directory):
    def test_the_end_does_not_wait_for_the_start(self):
        """We have a lease on a file that SQLite opens: the system holds it up for /proc/sys/fs/lease-break-time, 45 s."""
        self.addCleanup(signal.signal, signal.SIGIO, signal.signal(signal.SIGIO, signal.SIG_IGN))
        with socket.create_server(("127.0.0.1", 0)) as taken:
            place = f"127.0.0.1:{taken.getsockname()[1]}"
        for by in (signal.SIGTERM, signal.SIGINT):
            ports = ("--listen", place, "--admin", "127.0.0.1:0")
            with self.subTest(by=by.name), contextlib.ExitStack() as stack, Service(ports=ports) as service:
                self.assertEqual(service.stop(), 0)
                service.log_path.unlink()
                (service.directory / "journal.sqlite-wal").touch(0o600)
                index = stack.enter_context(open(service.directory / "journal.sqlite-shm", "w+b"))
                try:
                    fcntl.fcntl(index, fcntl.F_SETLEASE, fcntl.F_WRLCK)
                except OSError:
                    self.skipTest("this file system has no leases")
                service.spawn()
                service.public = "http://" + place
                self.assertTrue(service.wait_for(lambda: service.get("/healthz").status == 200))
                self.assertEqual(service.get("/readyz").status, 503)
                self.assertEqual(service.stop(by), 0)
                self.assertEqual([line["event"] for line in service.log()], ["stopped"])
                service.process.stdout.close()

    def test_a_hangup_before_all_else_reloads_later(self):
        file = self.directory / "conf"
        os.mkfifo(file)
        with contextlib.ExitStack() as stack:
            service = Service("--config", file)
            stack.callback(service.__exit__)
            service.spawn()
            with open(file, "w") as pipe:  # it reads its settings now
                service.process.send_signal(signal.SIGHUP)
                file.unlink()
                file.write_text("log-level = info\n")
                pipe.write("log-level = warning\n")
            self.assertTrue(service.wait_for(
                lambda: service.process.poll() is not None or "reloaded" in service.log_path.read_text()))
            self.assertEqual(service.stop(), 0)
            self.assertEqual([line["event"] for line in service.log()], ["reloaded", "stopped"])
            service.process.stdout.close()

    def test_a_command_ends_with_a_hangup(self):
        file = self.directory / "conf"
        os.mkfifo(file)
        process = subprocess.Popen([SOTTOD, "inspect", "--config", file], env=plain_environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(file, "w") as pipe:
            process.send_signal(signal.SIGHUP)
            pipe.write(f"data = {self.directory / 'data'}\n")
        self.assertEqual(process.wait(timeout=60), -signal.SIGHUP)


class End(Directory):
    """SIGTERM and SIGINT: what was begun is answered, and what was acknowledged is kept."""

    def load(self, service, experiment, batches, answered):
        """Posts until the service is gone."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            while batches:
                batch = batches.pop()
                answer = service.post(experiment, batch)
                if answer.status == 204:
                    answered.extend(batch)
                elif answer.status != 503:
                    raise AssertionError(answer)

    def test_a_graceful_stop_under_load_loses_nothing(self):
        for by in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(by=by.name), Service("--keep-reports") as service:
                experiment = service.create()
                frames = service.frames(experiment, 40000)
                batches = [frames[i:i + 5] for i in range(0, len(frames), 5)]
                answered = []
                threads = [threading.Thread(target=self.load, args=(service, experiment, batches, answered))
                           for _ in range(4)]
                for thread in threads:
                    thread.start()
                self.assertTrue(service.wait_for(lambda: len(answered) > 500))
                self.assertEqual(service.stop(by), 0)
                for thread in threads:
                    thread.join()
                self.assertTrue(batches, "the load was over before the stop")
                journal = Journal(service.directory)
                replay = journal.replay(experiment)
                self.assertEqual(set(answered) - set(replay.frames), set())
                self.assertEqual(set(replay.frames) - set(answered), set())  # whoever was taken in heard of it
                self.assertEqual(replay.counts["late"], 0)
                self.assertEqual(journal.replay(experiment, from_snapshot=True).learner, replay.learner)
                self.assertEqual(len(journal.replay(experiment, from_snapshot=True).frames), 0)  # all is in it
                self.assertEqual(service.log()[-1]["event"], "stopped")
                service.start()
                self.assertEqual(service.model(experiment), (replay.epoch, replay.model))
                self.assertEqual(service.counts(experiment), replay.counts)

    def test_a_request_that_was_begun_is_answered(self):
        with Service() as service:
            experiment = service.create()
            frame = service.frames(experiment, 1)[0]
            host, port = service.public.removeprefix("http://").split(":")
            heads = "sottod_requests_total", "public"
            before = service.metrics()[heads]
            with socket.create_connection((host, int(port)), timeout=30) as line:
                head = (f"POST /v1/experiments/{experiment}/reports HTTP/1.1\r\nHost: {host}:{port}\r\n"
                        f"Content-Type: application/octet-stream\r\nContent-Length: {len(frame)}\r\n\r\n")
                line.sendall(head.encode() + frame[:10])
                self.assertTrue(service.wait_for(lambda: service.metrics()[heads] > before))
                service.process.send_signal(signal.SIGTERM)
                self.assertTrue(service.wait_for(lambda: self.refuses(host, int(port))))
                line.sendall(frame[10:])
                self.assertRegex(line.recv(4096), rb"^HTTP/1.1 204 ")
            self.assertEqual(service.process.wait(timeout=30), 0)
            service.start()
            self.assertEqual(service.counts(experiment)["folded"], 1)

    @staticmethod
    def refuses(host, port):
        try:
            socket.create_connection((host, port), timeout=5).close()
        except ConnectionRefusedError:
            return True
        return False

    def test_log_lines_are_json_and_tell_nothing_of_people(self):
        with Service("--log-level", "debug") as service:
            experiment = service.create()
            frames = service.frames(experiment, 30)
            self.assertEqual(service.post(experiment, frames).status, 204)
            self.assertEqual(service.post(experiment, frames[:3]).status, 204)
            self.assertEqual(service.post(experiment, [b"x" * 42]).status, 400)
            service.get("/v1/nothing", **{"X-Forwarded-For": "203.0.113.7"})
            service.manage("GET", "/v1/experiments", token="f" * 64)
            self.assertEqual(service.change(experiment, "pause").status, 200)
            self.assertEqual(service.stop(), 0)
            text = service.log_path.read_text()
            for line in text.splitlines():
                read = json.loads(line)
                self.assertRegex(read["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\dZ$")  # no seconds
                self.assertIn(read["level"], ("debug", "info", "warning", "error"))
                self.assertRegex(read["event"], "^[a-z_]+$")
            self.assertEqual([service.log()[i]["event"] for i in (0, -1)], ["started", "stopped"])
            for secret in ("127.0.0.1", "203.0.113.7", "::1", service.token, "f" * 64,
                           *(frame[24:40].hex() for frame in frames)):
                self.assertNotIn(secret, text)


if __name__ == "__main__":
    unittest.main()
