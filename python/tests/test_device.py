"""Devices and owners of a real sottod: rounds over HTTP, admin requests, trouble."""

import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import numpy

import sotto

from test_ledger import in_child

sys.path.insert(0, os.path.join(os.environ["SOURCE"], "tests/system"))
import sottod  # noqa: E402

SPEC = sotto.Spec(dim=2, arms=3, reward_kind="binary", epoch_lag_max=16)
CONTEXT = [[0.5, 0.1], [0.2, 0.3], [-0.4, 0.2]]
NOWHERE = "http://127.0.0.1:9/v1/experiments/" + "0" * 32
QUICK = {"refresh_ms": 50}


class WithService(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.running = sottod.Service().__enter__()
        cls.addClassCleanup(cls.running.__exit__)
        cls.service = sotto.Service(cls.running.admin, cls.running.token, public_url=cls.running.public)
        cls.series = 0

    def experiment(self, spec=SPEC, **more):
        """The id of a new one."""
        type(self).series += 1
        return self.service.create(spec.replace(series=self.series), learning=sottod.LEARNING, **more)["id"]


class Rounds(WithService):
    def test_a_round_over_http(self):
        id = self.experiment()
        told = []
        with sotto.Device(self.service.url(id), on_event=told.append) as device:
            self.assertEqual(("ready", id, 0), (device.state, device.terms.id, device.model.epoch))
            round = device.begin()
            self.assertIn(device.decide(round, CONTEXT), (0, 1, 2))
            device.finish(round, 1)
            self.assertTrue(device.wait(30))
            self.assertEqual((1, 1, 1, 0, 1, 0), device.counts[:6])
            self.assertEqual(["sent", "acknowledged"], [event.kind for event in told])
            self.assertEqual((told, round, device.terms.report_bytes), (list(device.events), told[0].round,
                                                                        len(told[0].frame)))
            self.assertEqual(1.0, device.epsilon)
            self.assertIsNone(device.fault)
            called = unittest.mock.Mock(SOTTO_OK=0)
            called.sotto_wire_turn.return_value = called.sotto_device_finish.return_value = 0
            with unittest.mock.patch.object(device, "_lib", called):
                device.turn(0.02)
                device.finish(round, -0.5)
            self.assertEqual(20, called.sotto_wire_turn.call_args.args[1])
            self.assertEqual((round, -0.5), called.sotto_device_finish.call_args.args[1:])
            self.assertGreaterEqual(device.due, 0)
        self.assertEqual(1, self.service.experiment(id)["reports"]["folded"])

    def test_many_rounds_reach_a_learner_that_python_can_look_at(self):
        id = self.experiment()
        terms, model = self.service.terms(id), self.service.model(id)
        self.assertEqual((id, 0), (terms.id, model.epoch))
        people = sotto.People(terms, 60)
        people.begin(model)
        people.decide(numpy.tile(CONTEXT, (60, 1, 1)))
        frames = people.finish(numpy.ones(60))
        self.assertEqual(204, self.running.post(id, [frames.tobytes()]).status)
        self.assertEqual(60, self.service.experiment(id)["reports"]["folded"])

    def test_a_reward_that_never_came(self):
        with sotto.Device(self.service.url(self.experiment())) as device:
            device.decide(device.begin(), CONTEXT)
            self.assertTrue(device.wait(30))
            self.assertEqual((1, 1), (device.counts.sent, device.counts.sent_default))

    def test_what_was_not_sent_is_sent_by_the_next_device_of_the_ledger(self):
        id = self.experiment()
        with tempfile.TemporaryDirectory() as directory:
            ledger = sotto.Ledger.create(os.path.join(directory, "ledger"))
            with sotto.Device(self.service.url(id), ledger) as device:
                device.decide(device.begin(), CONTEXT)
                self.assertEqual(1, device.waiting)
            self.assertEqual(1, len(ledger.unsent()))
            with sotto.Device(self.service.url(id), pathlib.Path(ledger.path)) as device:
                self.assertTrue(device.wait(30))
            self.assertEqual([], ledger.unsent())
            ledger.close()

    def test_order_budget_and_bad_input(self):
        url = self.service.url(self.experiment())
        with sotto.Device(url, policy=sotto.Policy(epsilon_lifetime=1, delta_lifetime=0)) as device:
            for use in (lambda: device.decide(7, CONTEXT), lambda: device.finish(7, 1)):
                with self.assertRaises(sotto.OrderError):
                    use()
            round = device.begin()
            for context, why in (([[1, 2]], "shape"), (numpy.full((3, 2), numpy.nan), "finite"), ("text", "numbers")):
                with self.assertRaisesRegex(sotto.FaultError, why):
                    device.decide(round, context)
            device.decide(round, numpy.full((3, 2), numpy.nan), allow_nan=True)
            with self.assertRaisesRegex(sotto.BudgetError, "would exceed epsilon_lifetime 1"):
                device.begin()
            with self.assertRaisesRegex(sotto.FaultError, "reward"):
                device.finish(round, "much")
            with self.assertRaisesRegex(sotto.FaultError, "round"):
                device.finish(-1, 1)
            self.assertTrue(device.wait(30))
            with self.assertRaises(sotto.OrderError):
                device.finish(round, 1)  # too late
        for use in (device.begin, device.turn, lambda: device.counts, lambda: device.waiting, lambda: device.model):
            with self.assertRaisesRegex(sotto.OrderError, "this device is closed"):
                use()
        device.close()

    def test_a_child_of_a_fork_has_no_part_in_it(self):
        with sotto.Device(self.service.url(self.experiment())) as device:
            round = device.begin()
            for use in (device.begin, device.turn, lambda: device.decide(round, CONTEXT)):
                self.assertIn("OrderError: this device belongs to the process that forked", in_child(use))
            self.assertEqual("done: None", in_child(device.close))
            device.decide(round, CONTEXT)
            self.assertTrue(device.wait(30))
            self.assertEqual(1, device.counts.acknowledged)

    def test_an_exception_of_on_event_comes_out_of_the_turn(self):
        def fail(event):
            raise KeyError(event.kind)

        with sotto.Device(self.service.url(self.experiment()), on_event=fail) as device:
            device.decide(device.begin(), CONTEXT)
            with self.assertRaisesRegex(KeyError, "sent"):
                device.wait(30)
            self.assertEqual("sent", device.events[0].kind)

    def test_an_experiment_that_is_closed_is_gone(self):
        id = self.experiment()
        with sotto.Device(self.service.url(id), **QUICK) as device:
            device.decide(device.begin(), CONTEXT)
            self.service.close(id)
            self.assertTrue(device.wait(30))
            self.assertEqual((1, "gone"), (device.counts.dropped, device.state))
            with self.assertRaises(sotto.OrderError):
                device.begin()
            self.assertTrue(device.fault)

    def test_a_device_takes_newer_models(self):
        id = self.experiment(SPEC)
        with sotto.Device(self.service.url(id), policy=sotto.Policy(epsilon_lifetime=2000), rounds_max=1024,
                          queue_max=1024,
                          batch_max=100, keep_connections=True, **QUICK) as device:
            for _ in range(1024):
                device.decide(device.begin(), CONTEXT)
            end = time.monotonic() + 30
            while device.model.epoch == 0 and time.monotonic() < end:
                device.turn(0.05)
            self.assertEqual(1, device.model.epoch)

    def test_a_policy_that_refuses(self):
        with self.assertRaisesRegex(sotto.PolicyError, "epsilon = 4"):
            sotto.Device(self.service.url(self.experiment(SPEC.replace(epsilon=4))))

    def test_threads_share_a_device(self):
        id = self.experiment(SPEC.replace(reward_window_s=2))  # a round that is not decided by its send time is lost
        with sotto.Device(self.service.url(id), policy=sotto.Policy(epsilon_lifetime=1000), rounds_max=1024) as device:
            faults, stop = [], threading.Event()

            def turn():
                while not stop.is_set():
                    device.turn()
                    time.sleep(0.001)

            def play():
                try:
                    for _ in range(25):
                        round = device.begin()
                        device.decide(round, CONTEXT)
                        device.finish(round, 1)
                except BaseException as fault:
                    faults.append(fault)

            threads = [threading.Thread(target=play) for _ in range(4)]
            turner = threading.Thread(target=turn)
            for thread in [turner, *threads]:
                thread.start()
            for thread in threads:
                thread.join()
            stop.set()
            turner.join()
            self.assertEqual([], faults)
            self.assertTrue(device.wait(30))
            self.assertEqual((100, 100), (device.counts.begun, device.counts.acknowledged))


class Trouble(unittest.TestCase):
    def test_nobody_answers(self):
        with self.assertRaisesRegex(sotto.Error, "no terms and model in 0.3 s"):
            sotto.Device(NOWHERE, wait=0.3)

    def test_bad_settings(self):
        for options, why in (({"url": "ftp://host"}, "url"), ({"url": 5}, "url = 5"),
                             ({"timeout_ms": 1}, "timeout_ms = 1: allowed 100 to"),
                             ({"refresh": 5}, "did you mean 'refresh_ms'"), ({"rounds_max": 0}, "rounds_max"),
                             ({"relay": 5}, "relay = 5: expected text"),
                             ({"ledger": sotto.Ledger()}, "ledger is in memory"),
                             ({"policy": 5}, "policy = 5"), ({"event": None}, "no such setting"),
                             ({"wait": "x"}, "wait"),
                             ({"keep_connections": 1}, "True or False"), ({"report_key": "short"}, "report_key")):
            with self.subTest(options=options), self.assertRaisesRegex((sotto.FaultError, sotto.Error), why):
                sotto.Device(**{"url": NOWHERE, "wait": 0, **options})

    def test_a_ledger_is_not_made(self):
        with tempfile.TemporaryDirectory() as directory, self.assertRaisesRegex(sotto.LedgerError, "sotto.Ledger.create"):
            sotto.Device(NOWHERE, os.path.join(directory, "none"))

    def test_without_libcurl_there_is_a_sentence(self):
        script = ("import sys; sys.modules['sotto._wire'] = None; import sotto\n"
                  "try:\n    sotto.Device('http://127.0.0.1:9/v1/experiments/" + "0" * 32 + "')\n"
                  "except ImportError as fault:\n    print(fault)")
        printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        self.assertIn("sotto.Device needs libcurl", printed)


class Owners(WithService):
    def test_an_experiment_from_begin_to_end(self):
        id = self.experiment(labels={"name": "front page"})
        self.assertIn(id, [row["id"] for row in self.service.experiments()])
        found = self.service.experiment(id)
        self.assertEqual(("open", "front page", 2), (found["state"], found["labels"]["name"], found["spec"]["dim"]))
        self.assertEqual(["paused", "open", "closed", "deleted"], [self.service.pause(id), self.service.open(id),
                                                                   self.service.close(id), self.service.delete(id)])
        with self.assertRaises(sotto.ServiceError) as caught:
            self.service.experiment(id)
        self.assertEqual(410, caught.exception.status)

    def test_results_history_privacy_metrics(self):
        id = self.experiment(SPEC.replace(measure=0.1))
        self.assertEqual(0.01, self.service.results(id, alpha=0.01)["alpha"])
        self.assertTrue(self.service.results(id)["measurement"])
        self.assertEqual(("epoch", [], False), tuple(self.service.history(id)[key] for key in ("resolution", "rows", "more")))
        self.assertEqual("day", self.service.history(id, since=0, until=9, after=1, limit=2, resolution="day")["resolution"])
        for wrong in ({"since": -1}, {"limit": 0}, {"after": 0.5}, {"until": 2**32}):
            with self.assertRaises(sotto.FaultError):
                self.service.history(id, **wrong)
        with self.assertRaises(sotto.ServiceError) as caught:
            self.service.history(id, resolution="week&x=1")
        self.assertEqual(("resolution", 400), (caught.exception.field, caught.exception.status))
        self.assertEqual(id, self.service.privacy(id).get("id", id))
        self.assertIn("sottod_reports_folded_total ", self.service.metrics())
        self.assertIn(f'sottod_reports_folded_total{{experiment="{id}"}}', self.service.metrics(id))
        twice = [self.service.create(SPEC, learning=sottod.LEARNING)["id"] for _ in range(2)]
        self.assertNotEqual(*twice)  # the same terms, each with a series of its own
        self.assertAlmostEqual(0.1, self.service.terms(id).measure, places=6)

    def test_quarantine(self):
        id = self.experiment(quarantine=True)
        self.assertTrue(self.service.experiment(id)["quarantine"])
        self.service.quarantine(id, False)
        self.assertFalse(self.service.experiment(id)["quarantine"])
        for verb in (self.service.release, self.service.discard):
            with self.assertRaises(sotto.ServiceError) as caught:
                verb(id)
            self.assertEqual(409, caught.exception.status)

    def test_a_key_for_reports(self):
        id = self.experiment(report_key="k" * 20)
        with sotto.Device(self.service.url(id), report_key="k" * 20) as device:
            device.decide(device.begin(), CONTEXT)
            self.assertTrue(device.wait(30))

    def test_origins_and_keys_can_be_changed(self):
        id = self.experiment(origins=["https://shop.example"])
        self.assertEqual(["https://shop.example"], self.service.experiment(id)["origins"])
        self.assertEqual(["*"], self.service.set_origins(id, ["*"])["origins"])
        self.assertEqual(2, self.service.set_report_keys(id, ["k" * 20, "l" * 20])["report_keys"])
        with self.assertRaises(sotto.ServiceError) as caught:
            self.service.set_origins(id, ["null"])
        self.assertEqual((400, "origins[0]"), (caught.exception.status, caught.exception.field))

    def test_refusals_name_the_field(self):
        with self.assertRaises(sotto.ServiceError) as caught:
            self.service.create({"reward_kind": "binary", "dim": 0})
        self.assertEqual((400, True), (caught.exception.status, "dim" in caught.exception.field))
        self.assertIn("dim", str(caught.exception))
        with self.assertRaises(sotto.ServiceError) as caught:
            sotto.Service(self.running.admin, "x" * 40).experiments()
        self.assertEqual(401, caught.exception.status)
        self.assertNotIn("x" * 40, repr(caught.exception) + repr(self.service))

    def test_a_token_from_its_file(self):
        self.assertIsInstance(sotto.Service(self.running.admin, self.running.token_file).experiments(), list)
        self.assertIsInstance(sotto.Service(self.running.admin, str(self.running.token_file)).experiments(), list)
        with self.assertRaisesRegex(sotto.FaultError, "token = '/no/such/file': No such file or directory"):
            sotto.Service(self.running.admin, "/no/such/file")

    def test_bad_arguments(self):
        for make in (lambda: sotto.Service("127.0.0.1:8788", "t"), lambda: sotto.Service(5, "t"),
                     lambda: sotto.Service("http://h/?x", "t"), lambda: sotto.Service("http://h", "two words"), lambda: sotto.Service("http://h", "nope"),
                     lambda: self.service.experiment("../x"), lambda: self.service.results("0" * 31),
                     lambda: sotto.Service(self.running.admin, self.running.token).terms("0" * 32),
                     lambda: sotto.Service(self.running.admin, self.running.token).url("0" * 32)):
            with self.assertRaises(sotto.FaultError):
                make()
        with self.assertRaisesRegex(sotto.ServiceError, "127.0.0.1:9"):
            sotto.Service("http://127.0.0.1:9", "t" * 64, timeout=2).experiments()

    def test_a_redirect_is_not_followed(self):
        seen = []

        class Elsewhere(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append(self.path)
                self.send_response(302)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
            thread = threading.Thread(target=server.handle_request)
            thread.start()
            with self.assertRaisesRegex(sotto.ServiceError, "302"):
                sotto.Service(f"http://127.0.0.1:{server.server_port}", "t" * 64).experiments()
            thread.join()
        self.assertEqual(["/v1/experiments"], seen)


if __name__ == "__main__":
    unittest.main()
