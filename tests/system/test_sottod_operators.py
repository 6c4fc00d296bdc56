#!/usr/bin/env python3
"""sottod for its operators: SIGHUP, tokens with names, the audit lines, and who may reach the admin
port."""
import json
import signal
import unittest

from sottod import ANY_PORTS, Service, sottod

HEX = "0123456789abcdef" * 4


class Operators(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.__exit__)
        self.service.start()
        self.hashes = self.service.directory / "token-hashes"

    def token(self, name):
        return (self.service.directory / (name + ".token")).read_text().strip()

    def events(self, name):
        return [line for line in self.service.log() if line["event"] == name]

    def hang_up(self, event="reloaded"):
        """Sends SIGHUP; waits until the log has the result."""
        before = len(self.events(event))
        self.service.process.send_signal(signal.SIGHUP)
        self.assertTrue(self.service.wait_for(lambda: len(self.events(event)) > before or self.ended()))
        self.assertFalse(self.ended(), "SIGHUP ended it")
        return self.events(event)[-1]

    def ended(self):
        return self.service.process.poll() is not None

    def change_tokens(self, *words):
        done = sottod(*words, "--data", self.service.directory)
        self.assertEqual((done.returncode, "SIGHUP" in done.stderr), (0, True), done)
        return done.stdout

    def status(self, token, method="GET", path="/v1/experiments"):
        return self.service.manage(method, path, token=token).status


class Reload(Operators):
    def test_sighup_ends_nothing_however_often_it_comes(self):
        experiment = self.service.create()
        for _ in range(20):
            self.service.process.send_signal(signal.SIGHUP)
        self.hang_up()
        self.assertEqual(self.service.post(experiment, self.service.frames(experiment, 5)).status, 204)
        self.assertEqual(self.service.stop(), 0)

    def test_a_bad_file_leaves_the_old_tokens_in_force_and_the_log_names_file_and_line(self):
        good = self.hashes.read_bytes()
        lines = good.splitlines(keepends=True)
        for bad, line in ((b"", 1), (good + lines[0], 3), (good + b"admin " + HEX.encode() + b" ops 2027-02-30\n", 3)):
            self.hashes.write_bytes(bad)
            failed = self.hang_up("reload_failed")
            self.assertEqual(failed["level"], "error")
            self.assertTrue(failed["why"].startswith(f"{self.hashes}:{line}: "), failed)
            self.assertEqual((self.status(self.token("admin")), self.status(self.token("reader"))), (200, 200))
            self.assertEqual(self.status(HEX), 401)
        self.hashes.write_bytes(lines[1])
        self.assertIn("no admin token is valid", self.hang_up("reload_failed")["why"])
        self.hashes.unlink()
        self.assertIn("token-hashes: does not exist", self.hang_up("reload_failed")["why"])
        self.assertEqual(self.status(self.token("admin")), 200)
        self.hashes.write_bytes(good)
        self.hashes.chmod(0o644)
        self.assertIn("other users have access to it", self.hang_up("reload_failed")["why"])
        self.hashes.chmod(0o600)
        self.assertEqual(self.hang_up()["tokens"], 2)


class LogLevel(Operators):
    def test_it_is_read_again_from_the_file_and_a_bad_file_changes_nothing(self):
        file = self.service.home / "sottod.conf"
        file.write_text("log-level = error\n")
        self.service.stop()
        self.service.words += ["--config", str(file)]
        self.service.start()
        before = len(self.service.log())
        experiment = self.service.create()
        self.assertEqual([line["event"] for line in self.service.log()[before:]], ["admin"])
        file.write_text("log-level = info\n")
        self.assertEqual(self.hang_up()["log_level"], "info")
        self.service.change(experiment, "pause")
        self.assertEqual(self.events("paused")[0]["experiment"], experiment)
        file.write_text("# a comment\nlog-level = loud\n")
        self.assertIn(f"{file}:2: log-level = loud: allowed", self.hang_up("reload_failed")["why"])
        self.service.change(experiment, "open")
        self.assertEqual(self.service.get("/healthz").status, 200)

    def test_tokens_are_taken_though_the_settings_are_bad(self):
        """Otherwise a removed token would stay valid."""
        file = self.service.home / "sottod.conf"
        file.write_text("")
        self.service.stop()
        self.service.words += ["--config", str(file)]
        self.service.start()
        reader = self.token("reader")
        self.change_tokens("remove-token", "reader")
        file.write_text("nonsense\n")
        self.hang_up("reload_failed")
        self.assertTrue(self.service.wait_for(lambda: self.status(reader) == 401))


class Tokens(Operators):
    def test_bad_words_are_refused(self):
        for words, code, says in ((("../ops", "admin"), 2, "allowed"), (("ops", "root"), 2, "role root: allowed admin or reader"),
                                  (("ops", "admin", "2027-2-1"), 2, "last day 2027-2-1: allowed"),
                                  (("ops", "admin", "2020-01-01"), 1, "the last day is in the past"),
                                  (("admin", "admin"), 1, "a token with this name"), (("ops",), 2, "allowed")):
            done = sottod("add-token", *words, "--data", self.service.directory)
            self.assertEqual(done.returncode, code, done)
            self.assertIn(says, done.stderr)
        for words, says in ((("nobody",), "no token has this name"), (("admin",), "the last valid admin token")):
            done = sottod("remove-token", *words, "--data", self.service.directory)
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)
        self.assertEqual(len(self.hashes.read_text().splitlines()), 2)
        done = sottod("add-token", "ops", "admin", "--data", self.service.home / "nowhere")
        self.assertEqual(done.returncode, 1)

    def test_an_admin_whose_token_expired_is_none(self):
        good = self.hashes.read_text()
        expired = "".join(line + (" admin 2020-01-01\n" if line.startswith("admin ") else "\n")
                          for line in good.splitlines())
        self.hashes.write_text(expired + f"admin {HEX} old 2020-01-01\n")
        self.assertIn("no admin token is valid", self.hang_up("reload_failed")["why"])
        self.assertEqual(self.status(self.token("admin")), 200)
        self.service.stop()
        done = sottod("--data", self.service.directory, *ANY_PORTS)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("no admin token is valid; make one: sottod add-token NAME admin", done.stderr)
        done = sottod("remove-token", "old", "--data", self.service.directory)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("no admin token is valid; make one: sottod add-token NAME admin", done.stderr)
        self.assertEqual(self.change_tokens("add-token", "ops", "admin").split()[0], "token")
        done = sottod("remove-token", "ops", "--data", self.service.directory)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("token ops: it is the last valid admin token", done.stderr)
        self.service.start()
        self.assertEqual((self.status(self.token("ops")), self.status(self.token("admin"))), (200, 401))

    def test_what_is_shown_padded_empty_or_twice_is_refused(self):
        token = self.token("admin")
        for shown in ("", token[:-1], token + " " + token, "0" * 64):
            answer = self.service.ask(self.service.admin, "GET", "/v1/experiments",
                                      headers={"Authorization": "Bearer " + shown})
            self.assertEqual(answer.status, 401, shown)

    def test_an_admin_is_renewed_without_a_stop(self):
        """The old and the new token are both valid until the old one is removed."""
        old = self.token("admin")
        self.assertEqual(self.change_tokens("add-token", "ops-2", "admin").strip(),
                         f"token  {self.service.directory / 'ops-2.token'}")
        new = self.token("ops-2")
        self.assertEqual((self.service.directory / "ops-2.token").stat().st_mode & 0o777, 0o600)
        self.assertEqual((self.status(old), self.status(new)), (200, 401))
        self.assertEqual(self.hang_up()["tokens"], 3)
        self.assertEqual((self.status(old), self.status(new)), (200, 200))
        self.change_tokens("remove-token", "admin")
        self.assertFalse((self.service.directory / "admin.token").exists())
        self.hang_up()
        self.assertEqual((self.status(old), self.status(new)), (401, 200))

    def test_a_reader_of_any_name_only_reads(self):
        self.change_tokens("add-token", "dashboard", "reader", "9999-12-31")
        self.hang_up()
        experiment = self.service.create()
        path = f"/v1/experiments/{experiment}"
        reader = self.token("dashboard")
        for good in ("/v1/experiments", path, path + "/results", path + "/history", "/metrics"):
            self.assertEqual(self.status(reader, path=good), 200, good)
        for method, bad in (("POST", "/v1/experiments"), ("DELETE", path), ("POST", path + "/pause"),
                            ("POST", path + "/end-fallback")):
            self.assertEqual(self.status(reader, method, bad), 403, bad)
        self.assertEqual(self.service.describe(experiment)["state"], "open")

    def test_one_that_expired_is_refused_and_says_so(self):
        token = self.token("reader")
        role, digest = self.hashes.read_text().splitlines()[1].split()
        self.hashes.write_text(self.hashes.read_text().splitlines()[0] + f"\n{role} {digest} reader 2020-12-31\n")
        self.hang_up()
        answer = self.service.manage("GET", "/v1/experiments", token=token)
        self.assertEqual((answer.status, json.loads(answer.body)["error"]), (401, "The token has expired."))

    def test_files_of_before_names_existed_are_read(self):
        self.assertRegex(self.hashes.read_text(), r"\Aadmin [0-9a-f]{64}\nreader [0-9a-f]{64}\n\Z")


class Audit(Operators):
    def actions(self):
        return [(line["action"], line["experiment"], line["token"], line["role"], line["status"])
                for line in self.events("admin")]

    def test_every_action_has_a_line_with_the_name_of_the_token_also_if_it_is_refused(self):
        self.change_tokens("add-token", "ops", "admin")
        self.hang_up()
        reader, ops = self.token("reader"), self.token("ops")
        experiment = self.service.create()
        path = f"/v1/experiments/{experiment}"
        self.service.manage("GET", path)
        self.service.manage("POST", path + "/pause", token=ops)
        self.service.manage("POST", path + "/open", token=ops)
        self.service.manage("POST", path + "/quarantine", {"quarantine": True}, token=ops)
        self.service.manage("POST", path + "/release", token=ops)
        self.service.manage("POST", path + "/discard", token=ops)
        self.service.manage("POST", path + "/end-fallback", token=ops)
        self.service.manage("POST", path + "/close", token=reader)
        self.service.manage("POST", path + "/close", token=HEX)
        self.service.manage("POST", path + "/close", token=ops)
        self.service.manage("DELETE", path, token=ops)
        self.service.manage("POST", "/v1/experiments", {"spec": {}}, token=ops)
        self.service.manage("POST", "/v1/nothing/" + ops, token=ops)
        self.service.manage("POST", "/v1/experiments", {"spec": " " * 70000}, token=ops)
        self.assertEqual(self.actions(), [
            ("create", experiment, "admin", "admin", 201), ("pause", experiment, "ops", "admin", 200),
            ("open", experiment, "ops", "admin", 200), ("quarantine", experiment, "ops", "admin", 200),
            ("release", experiment, "ops", "admin", 409), ("discard", experiment, "ops", "admin", 409),
            ("end-fallback", experiment, "ops", "admin", 409), ("close", experiment, "reader", "reader", 403),
            ("close", experiment, "", "nobody", 401), ("close", experiment, "ops", "admin", 200),
            ("delete", experiment, "ops", "admin", 200), ("create", "", "ops", "admin", 400),
            ("unknown", "", "ops", "admin", 404), ("create", "", "ops", "admin", 413)])
        log = self.service.log_path.read_text()
        for token in (reader, ops, self.token("admin"), HEX):
            self.assertNotIn(token, log)


class Exposed(unittest.TestCase):
    def test_an_admin_port_that_others_reach_needs_a_flag_and_the_error_says_why(self):
        for address in ("0.0.0.0:0", "[::]:0", "10.1.2.3:0"):
            done = sottod("--admin", address)
            self.assertEqual(done.returncode, 2, done)
            for part in (f"admin = {address}", "other machines", "unencrypted", "loopback", "--admin-exposed"):
                self.assertIn(part, done.stderr)
        with Service("--admin-exposed", ports=("--listen", "127.0.0.1:0", "--admin", "0.0.0.0:0")) as service:
            self.assertEqual(service.get("/healthz").status, 200)
        with Service(ports=ANY_PORTS) as service:
            self.assertEqual(service.get("/healthz").status, 200)


if __name__ == "__main__":
    unittest.main()
