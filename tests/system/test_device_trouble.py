#!/usr/bin/env python3
"""A device whose own machine fails: its ledger, its clocks, its randomness, its policy. Each time
it gives a sentence, releases nothing that is not booked, and never sends two reports of one round
with different bytes."""
import fcntl
import os
import resource
import shutil
import time
import unittest

from device_driver import CHECKED, Device, Experiment, Directory
from hostile_server import Server, reply
from ledger_reader import DEBIT, Ledger

YEAR_S, WEEK_S = 365 * 86400, 7 * 86400
SOON = Experiment()
TIMED = Experiment(1, 1)
LONGER = Experiment(3, 1)
LATER = Experiment(600, 600)


class Case(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(Directory())
        self.ledger = self.directory / "ledger"
        self.server = self.enterContext(Server())

    def device(self, experiment=SOON, ledger="open", words="", answers=None, preload=(), wire="timeout=60000", **env):
        experiment.serve(self.server, answers)
        if not self.ledger.exists():
            ledger = "create"
        device = self.enterContext(Device(preload, **env))
        return device.join(experiment, self.server.place, f"{ledger} {self.ledger}", words, wire)

    def assert_booked(self):
        """Everything that arrived is in the ledger as sealed, and no nonce came with two different
        reports. Returns the ledger."""
        ledger = Ledger(self.ledger)
        for frame, _ in self.server.frames(42):
            self.assertEqual(ledger.rounds[frame[24:40]].sealed, frame)
        return ledger

    def assert_sentence(self, text, words):
        self.assertRegex(text, f"(?i){words}")
        self.assertGreater(len(text.split()), 2, text)


class Ledgers(Case):
    def test_an_older_copy_stops_everything(self):
        device = self.device(TIMED)
        copy = self.directory / "copy"
        shutil.copy(self.ledger, copy)
        device.do("play 2 1")
        os.replace(copy, self.ledger)
        self.assertEqual(device.ask("begin").status, "E_LEDGER")
        self.assert_sentence(device.fault("device"), "replaced|rolled|another file")
        device.do("run 2300")
        self.assert_sentence(device.fault("device"), "replaced|rolled|another file")
        self.assertEqual(self.server.seen("reports"), [])

    def test_an_older_copy_written_over_it_spoils_it_for_good(self):
        device = self.device(LATER)
        device.do("play 1 1")
        old = self.ledger.read_bytes()
        device.do("play 2 1")
        with open(self.ledger, "r+b") as file:
            file.write(old)
            file.truncate(len(old))
        self.assertEqual(device.ask("begin").status, "E_LEDGER")
        self.assert_sentence(device.fault("device"), "rolled|back|older|cut|ledger")
        self.assertEqual(self.server.seen("reports"), [])

    def test_a_full_disk_is_told_and_nothing_leaves_that_was_not_written(self):
        for room in range(0, 600, 40):  # the debit fits some limits, the rest does not
            with self.subTest(room):
                self.ledger.unlink(missing_ok=True)
                before = len(self.server.seen("reports"))
                device = self.device()
                device.do("play 1 1")
                device.do("until acknowledged 1 60000")
                size = Ledger(self.ledger).newest["end"] + room
                resource.prlimit(device.process.pid, resource.RLIMIT_FSIZE, (size, size))
                status = device.ask("play 1 1").status
                device.do("run 60")
                if status is not None:
                    self.assertEqual(status, "E_LEDGER")
                device.run_until(lambda: device.counts()["acknowledged"] == 2 or device.fault("device") != "-")
                if device.counts()["acknowledged"] < 2:
                    self.assert_sentence(device.fault("device"), "ledger|written|File too large|disk")
                device.kill()
                ledger = Ledger(self.ledger)
                arrived = {frame for frame, _ in self.server.frames(42)[before:]}
                self.assertLessEqual(arrived, {each.sealed for each in ledger.rounds.values()})
                again = self.device()  # with room again, what is kept is sent
                again.do(f"until acknowledged {len(ledger.unsent())} 60000")
                again.kill()
                self.assertEqual(Ledger(self.ledger).unsent(), [])
                frames = [frame for frame, _ in self.server.frames(42)[before:]]
                self.assertEqual(len({frame[24:40] for frame in frames}), len(set(frames)))

    def test_a_lock_that_another_process_keeps_is_told_and_nothing_is_sent(self):
        device = self.device()
        device.do("play 1 1")
        with open(self.ledger, "rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            answer = device.ask("begin")
            self.assertEqual(answer.status, "E_LEDGER")
            self.assert_sentence(answer.text, "another process has locked it")
            self.assertEqual(self.server.seen("reports"), [])
        device.do("play 1 1")
        device.do("until acknowledged 2 60000")
        self.assertEqual(self.assert_booked().unsent(), [])

    def test_a_lock_of_a_moment_is_waited_for(self):
        device = self.device()
        device.do("play 2 1")
        with open(self.ledger, "rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            device.begin_to("until acknowledged 2 1500")
            time.sleep(0.7)
            self.assertEqual(self.server.seen("reports"), [])
        device.hear()
        device.do("until acknowledged 2 60000")
        self.assertEqual(self.assert_booked().unsent(), [])

    def test_two_processes_with_one_ledger_send_each_report_with_the_same_bytes(self):
        one, two = self.device(LONGER), self.device(LONGER)
        rounds = [one.begin()[0] for _ in range(10)]
        for i, number in enumerate(rounds):
            one.do(f"decide {number} {i}")
        two.do("play 5 1")
        for number in rounds[:5]:
            self.assertTrue(one.ask(f"finish {number} 1").ok)
        end = time.monotonic() + 60
        while (len(self.server.frames(42)) < 15 or Ledger(self.ledger).unsent()) and time.monotonic() < end:
            two.begin_to("run 100")
            one.do("run 100")
            two.hear()
        ledger = self.assert_booked()
        self.assertEqual((len(ledger.rounds), ledger.unsent()), (15, []))
        frames = {frame for frame, _ in self.server.frames(42)}
        self.assertEqual(len(frames), 15)


class Policies(Case):
    def refusal(self, experiment, words):
        experiment.serve(self.server)
        with Device() as device:
            device.open(experiment, self.server.place)
            device.settle()
            device.do("ledger memory")
            return device.ask("device " + words)

    def test_terms_beyond_the_policy_are_refused_and_nothing_is_booked(self):
        for words, status, name in (("epsilon=0.5", "E_POLICY", "epsilon"), ("epsilon=-1", "E_FAULT", "epsilon"),
                                    ("rounds=0", "E_FAULT", "rounds_max")):
            with self.subTest(words):
                answer = self.refusal(SOON, words)
                self.assertEqual(answer.status, status)
                self.assert_sentence(answer.text, name)
        answer = self.refusal(Experiment(measure=0.2, series=3), "")
        self.assertEqual(answer.status, "E_POLICY")
        self.assert_sentence(answer.text, "measure")
        self.assertEqual(self.server.seen("reports"), [])

    def test_the_budget_ends_and_says_so(self):
        device = self.device(words="epsilon=1 lifetime=2 delta=0")
        device.do("play 2 1")
        for _ in range(3):
            answer = device.ask("begin")
            self.assertEqual(answer.status, "E_BUDGET")
            self.assert_sentence(answer.text, "budget|epsilon")
        device.do("until acknowledged 2 60000")
        self.assertEqual(len(self.assert_booked().rounds), 2)
        device.kill()
        self.assertEqual(self.device(words="epsilon=1 lifetime=2 delta=0").ask("begin").status, "E_BUDGET")


@unittest.skipIf(CHECKED, "libraries cannot be loaded before those of a sanitizer")
class Clocks(Case):
    def setUp(self):
        super().setUp()
        self.wall, self.steady = self.directory / "wall", self.directory / "steady"

    def shift(self, wall_s=None, steady_s=None):
        """Sets the offsets of the clocks, each in one step."""
        for path, seconds in ((self.wall, wall_s), (self.steady, steady_s)):
            if seconds is not None:
                new = path.with_suffix(".new")
                new.write_text(str(seconds))
                os.replace(new, path)

    def shifted(self, *words, **options):
        return self.device(*words, preload=[os.environ["SHIFTED_CLOCK"]], CLOCK_SHIFT=str(self.wall),
                           STEADY_SHIFT=str(self.steady), **options)

    def test_a_clock_that_went_back_delays_a_report_by_window_and_spread_at_most_after_a_restart(self):
        device = self.shifted(TIMED)
        device.do("play 5 1")
        device.kill()
        self.shift(wall_s=-YEAR_S)
        start = time.monotonic()
        self.shifted(TIMED).do("until acknowledged 5 60000")
        frames = self.server.frames(42)
        self.assertEqual(len(frames), 5)
        self.assertLess(max(at for _, at in frames) - start, 30)

    def test_a_device_that_slept_through_its_time_sends_when_it_wakes(self):
        device = self.shifted(LATER)
        device.do("play 3 1")
        device.do("run 50")
        self.assertEqual(self.server.seen("reports"), [])
        self.shift(3600, 3600)
        self.assertEqual(device.do("until acknowledged 3 60000"), "3")

    def test_a_restart_makes_no_report_younger(self):
        device = self.shifted(SOON, words="age=3600", answers=reply(503))
        device.do("play 2 1")
        device.kill()
        self.shift(3000, 3000)
        again = self.shifted(SOON, words="age=3600", answers=reply(503))
        again.do("until put_off 1 60000")
        self.shift(3700, 3700)
        self.assertEqual(again.do("until dropped 2 60000"), "2")
        self.assertTrue(all(each.dropped for each in Ledger(self.ledger).rounds.values()))

    def test_after_a_week_without_network_the_same_bytes_arrive(self):
        device = self.shifted(SOON, answers=reply(503), words="age=31536000")
        device.do("play 3 1")
        device.do("until put_off 3 60000")
        before = {frame for frame, _ in self.server.frames(42)}
        for day in range(1, 8):
            self.shift(day * 86400, day * 86400)
            device.do("run 50")
        self.server.on("reports", reply(204))
        self.shift(WEEK_S + 2 * 86400, WEEK_S + 2 * 86400)
        self.assertEqual(device.do("until acknowledged 3 60000"), "3")
        self.assertEqual({frame for frame, _ in self.server.frames(42)}, before)
        self.assertEqual(self.assert_booked().unsent(), [])

    def test_a_steady_clock_that_stands_still_or_jumps_ends_no_turn(self):
        device = self.shifted(SOON)
        self.shift(steady_s=10**6)
        device.do("play 1 1")
        self.assertEqual(device.do("until acknowledged 1 60000"), "1")
        self.shift(steady_s=0)
        device.do("play 1 1")
        device.do("until acknowledged 2 60000")
        self.assertEqual(self.assert_booked().unsent(), [])


@unittest.skipIf(CHECKED, "libraries cannot be loaded before those of a sanitizer")
class Names(unittest.TestCase):
    def test_a_name_that_is_not_resolved_does_not_hold_up_turns(self):
        with Device([os.environ["SLOW_NAMES_LIBRARY"]]) as device:
            device.open(SOON, "https://example.org", "timeout=300")
            worst = 0
            while device.fault("site") == "-":
                before = time.monotonic()
                device.do("turn 20")
                worst = max(worst, time.monotonic() - before)
            self.assertRegex(device.fault("site"), "(?i)resolv")
            self.assertLess(worst, 20)  # the resolver takes a minute


@unittest.skipIf(CHECKED, "libraries cannot be loaded before those of a sanitizer")
class Entropy(Case):
    def test_without_randomness_nothing_begins_and_nothing_is_sent(self):
        dry = self.directory / "dry"
        device = self.device(TIMED, preload=[os.environ["NO_ENTROPY_LIBRARY"]], NO_ENTROPY=str(dry))
        number, _ = device.begin()
        dry.touch()
        answer = device.ask("begin")
        self.assertEqual(answer.status, "E_ENTROPY")
        self.assert_sentence(answer.text, "random")
        self.assertEqual(Ledger(self.ledger).kinds[DEBIT], 1)
        self.assertIn(device.ask(f"decide {number} 1").status, (None, "E_ENTROPY"))
        device.do("run 2300")
        sealed = len([each for each in self.assert_booked().rounds.values() if each.sealed])
        self.assertTrue(device.run_until(lambda: len(self.server.frames(42)) == sealed))
        dry.unlink()
        device.do("play 1 1")
        self.assertTrue(device.run_until(lambda: len(self.server.frames(42)) > sealed))
        self.assertEqual(len(self.server.frames(42)), sealed + 1)
        self.assert_booked()


if __name__ == "__main__":
    unittest.main()
