#!/usr/bin/env python3
"""sottod and web pages: which may send reports and which may read answers; and renewed report
keys."""
import json
import tempfile
import unittest
from pathlib import Path

from sottod import Service, sottod

OCTETS = {"Content-Type": "application/octet-stream"}
SHOP, OTHER = "https://shop.example", "https://other.example"
OLD, NEW = "old-key-0123456789", "new-key-0123456789"
BAD = ("null", "*", "https://shop.example/page", "https://shop.example:443", 1)  # all: unit/service/store/test_access_text.c


class Origins(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.__exit__)
        self.service.start()

    def send(self, experiment, frames, **headers):
        return self.service.ask(self.service.public, "POST", f"/v1/experiments/{experiment}/reports",
                                b"".join(frames), {**OCTETS, **headers})

    def preflight(self, experiment, origin, what="reports", method="POST"):
        return self.service.ask(self.service.public, "OPTIONS", f"/v1/experiments/{experiment}/{what}", headers={
            "Origin": origin, "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "content-type,sotto-report-key"})

    def set(self, experiment, what, values):
        return self.service.manage("POST", f"/v1/experiments/{experiment}/{what}", {what.replace("-", "_"): values})

    def assert_closed(self, answer, status=403):
        """The page cannot read the answer."""
        self.assertEqual(answer.status, status, answer)
        self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_by_default_no_page_sends_reports_and_all_may_read(self):
        experiment = self.service.create()
        frames = self.service.frames(experiment, 10)
        self.assertEqual(self.service.describe(experiment)["origins"], [])
        for origin in (SHOP, "null", ""):
            answer = self.send(experiment, frames, Origin=origin)
            self.assert_closed(answer)
            self.assertEqual(json.loads(answer.body)["field"], "Origin")
            self.assert_closed(self.preflight(experiment, origin))
        self.assertEqual(sum(self.service.counts(experiment).values()), 0)
        one = f"/v1/experiments/{experiment}/"
        for path, status in ((one + "terms", 200), (one + "model", 200), (one + "privacy", 200), ("/healthz", 200),
                             ("/readyz", 200), ("/v1/experiments/" + "0" * 32 + "/model", 404), ("/nothing", 404)):
            answer = self.service.get(path, Origin=SHOP)
            self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"],
                              answer.headers["Access-Control-Expose-Headers"]), (status, "*", "ETag, Retry-After, Sotto-Reports"))
        allowed = self.preflight(experiment, SHOP, "model", "GET")
        self.assertEqual((allowed.status, allowed.headers["Access-Control-Allow-Origin"]), (204, "*"))
        self.assertEqual(self.send(experiment, frames).status, 204)  # what is no page
        self.assertEqual(self.service.counts(experiment)["folded"], 10)

    def test_answers_about_the_model_say_why_reports_would_be_refused(self):
        """So that no page spends epsilon on them: it cannot read the 403, and tabs that do not send do not get the 409."""
        experiment = self.service.create(origins=[SHOP])

        def told(what="model", **headers):
            answer = self.service.get(f"/v1/experiments/{experiment}/{what}", **headers)
            return answer.status, answer.headers.get("Sotto-Reports")
        tag = {"If-None-Match": '"0"'}
        self.assertEqual([told(Origin=origin) for origin in (OTHER, "null", SHOP)], [(200, "unlisted")] * 2 + [(200, None)])
        self.assertEqual([told(), told(**tag), told(Origin=OTHER, **tag)], [(200, None), (304, None), (304, "unlisted")])
        self.assertEqual(told("terms", Origin=OTHER), (200, None))  # these may be cached for a day
        self.assertEqual(self.set(experiment, "origins", ["*"]).status, 200)
        self.assertEqual(told(Origin="null"), (200, None))
        for change, state in (("pause", "paused"), ("open", None), ("close", "closed")):
            self.assertEqual(self.service.change(experiment, change).status, 200)
            self.assertEqual((told(**tag), told(Origin=SHOP)), ((304, state), (200, state)))

    def test_listed_pages_send_reports_and_read_the_answers(self):
        experiment = self.service.create(origins=[SHOP, "http://localhost:8080"])
        frames = self.service.frames(experiment, 3)
        for frame, origin in zip(frames, (SHOP, "http://localhost:8080")):
            allowed = self.preflight(experiment, origin)
            self.assertEqual(allowed.status, 204)
            self.assertIn("Content-Type", allowed.headers["Access-Control-Allow-Headers"])
            for answer in (allowed, self.send(experiment, [frame], Origin=origin)):
                self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"],
                                  answer.headers["Vary"]), (204, origin, "Origin"))
        bad = self.send(experiment, [b"x"], Origin=SHOP)
        self.assertEqual((bad.status, bad.headers["Access-Control-Allow-Origin"]), (400, SHOP))
        for other in (OTHER, "null", "http://shop.example", SHOP + ":8443", SHOP + ".evil.example", SHOP.upper(), "*"):
            self.assert_closed(self.send(experiment, frames[2:], Origin=other))
            self.assert_closed(self.preflight(experiment, other))
        self.assertNotIn("Access-Control-Allow-Origin", self.send(experiment, frames[2:]).headers)
        self.assertEqual(self.service.counts(experiment)["folded"], 3)

    def test_it_can_be_changed_and_outlives_a_restart_and_the_id_does_not_change(self):
        experiment = self.service.create(labels={"team": "a"})
        frames = self.service.frames(experiment, 4)
        answer = self.set(experiment, "origins", ["*"])
        self.assertEqual((answer.status, json.loads(answer.body)["origins"]), (200, ["*"]))
        self.assertEqual(self.send(experiment, frames[:1], Origin="null").status, 204)
        self.service.stop()
        self.service.start()
        self.assertEqual(self.service.describe(experiment)["origins"], ["*"])
        self.assertEqual(self.set(experiment, "origins", [SHOP]).status, 200)
        self.service.kill()
        self.service.start()
        described = self.service.describe(experiment)
        self.assertEqual((described["origins"], described["labels"], described["id"]),
                         ([SHOP], {"team": "a"}, experiment))
        self.assert_closed(self.send(experiment, frames[1:2], Origin=OTHER))
        self.assertEqual(self.send(experiment, frames[1:2], Origin=SHOP).status, 204)
        self.assertEqual(self.set(experiment, "origins", []).status, 200)
        self.assert_closed(self.send(experiment, frames[2:3], Origin=SHOP))

    def test_what_is_no_origin_is_refused_and_changes_nothing(self):
        experiment = self.service.create(origins=[SHOP])
        for bad in BAD:
            for origins in ([OTHER, bad], [bad] if bad != "*" else [bad, OTHER]):
                answer = self.set(experiment, "origins", origins)
                self.assertEqual((answer.status, json.loads(answer.body)["field"].split("[")[0]), (400, "origins"))
        for origins in (None, SHOP, {}, [SHOP, OTHER, SHOP], [f"https://a{i}" for i in range(33)]):
            self.assertEqual(self.set(experiment, "origins", origins).status, 400)
        self.assertEqual(self.service.describe(experiment)["origins"], [SHOP])

    def test_a_reader_changes_neither(self):
        experiment = self.service.create(origins=[SHOP])
        reader = (self.service.directory / "reader.token").read_text().strip()
        for what in ("origins", "report-keys"):
            answer = self.service.manage("POST", f"/v1/experiments/{experiment}/{what}",
                                         {what.replace("-", "_"): []}, token=reader)
            self.assertEqual(answer.status, 403)
        self.assertEqual(self.service.describe(experiment)["origins"], [SHOP])

    def test_the_admin_port_knows_no_other_pages_whatever_is_listed(self):
        self.service.create(origins=["*"])
        for method in ("GET", "OPTIONS"):
            answer = self.service.ask(self.service.admin, method, "/v1/experiments", headers={
                "Origin": SHOP, "Authorization": "Bearer " + self.service.token})
            self.assert_closed(answer)
            self.assertFalse([name for name in answer.headers if name.startswith("Access-Control")])

    def test_a_report_key_is_renewed_without_a_stop(self):
        experiment = self.service.create(report_key=OLD)
        frames = self.service.frames(experiment, 8)
        statuses = []
        for keys in (None, [OLD, NEW], [NEW], []):
            if keys is not None:
                self.assertEqual(self.set(experiment, "report-keys", keys).status, 200)
                self.assertEqual(self.service.describe(experiment)["report_keys"], len(keys))
            statuses.append([self.send(experiment, [frames.pop()], **{"Sotto-Report-Key": key}).status
                             for key in (OLD, NEW)])
        self.assertEqual(statuses, [[204, 403], [204, 204], [403, 204], [204, 204]])
        for keys in (["short"], [OLD, OLD], [OLD, NEW, "third-key-0123456789"], [" " + OLD], [OLD + "\0"], OLD, None):
            answer = self.set(experiment, "report-keys", keys)
            self.assertEqual(answer.status, 400)
            self.assertNotIn(OLD, answer.body.decode())

    def test_both_go_with_an_experiment_that_is_exported(self):
        experiment = self.service.create(origins=[SHOP], report_key=OLD, labels={"a": "b"})
        self.set(experiment, "report-keys", [OLD, NEW])
        self.service.stop()
        with tempfile.TemporaryDirectory() as directory:
            file, there = Path(directory) / "one", Path(directory) / "data"
            done = sottod("export", experiment, file, "--data", self.service.directory)
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(sottod("import", file, "--data", there).returncode, 0)
            with Service(directory=there) as other:
                described = other.describe(experiment)
                self.assertEqual((described["origins"], described["report_keys"], described["labels"]),
                                 ([SHOP], 2, {"a": "b"}))


if __name__ == "__main__":
    unittest.main()
