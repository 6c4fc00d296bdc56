"""Ledgers: in memory and in files; what is refused."""

import os
import pickle
import tempfile
import unittest

import sotto

TERMS = sotto.Spec(dim=2, arms=3).terms()
CONTEXT = [[0.5, 0.1], [0.2, 0.3], [-0.4, 0.2]]


def play(ledger, rounds=1, terms=TERMS):
    """The frames of rounds that end in a report."""
    part, frames = sotto.Client(ledger=ledger).join(terms), []
    for _ in range(rounds):
        part.begin(sotto.Model(terms))
        part.decide(CONTEXT)
        frames.append(part.finish(0.5))
    return frames


def in_child(work):
    """What a child of a fork says, in one line."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = "crashed"
        try:
            said = f"done: {work()}"
        except BaseException as fault:
            said = f"{type(fault).__name__}: {fault}"
        finally:
            os.write(write, said.encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


class Files(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "ledger")

    def test_what_is_not_there_is_not_made(self):
        with self.assertRaisesRegex(sotto.LedgerError, "ledger: "):
            sotto.Ledger(self.path)
        self.assertFalse(os.path.exists(self.path))

    def test_create_is_once_in_a_life(self):
        sotto.Ledger.create(self.path).close()
        with self.assertRaisesRegex(sotto.LedgerError, "there is something at that path already"):
            sotto.Ledger.create(self.path)
        with self.assertRaisesRegex(sotto.LedgerError, "No such file or directory"):
            sotto.Ledger.create(os.path.join(self.directory.name, "no/directory"))
        for bad in (5.5, ["x"], "a\0b"):
            with self.assertRaises(sotto.FaultError):
                sotto.Ledger.create(bad)

    def test_damaged_files_are_refused(self):
        with open(self.path, "wb") as file:
            file.write(b"no ledger" * 100)
        with self.assertRaisesRegex(sotto.LedgerError, self.path):
            sotto.Ledger(self.path)

    def test_what_was_spent_survives(self):
        with sotto.Ledger.create(self.path) as ledger:
            frames = play(ledger, 3)
            self.assertEqual((3, 3, 3.0, 0.0, 0), (ledger.rounds, ledger.reports, ledger.epsilon, ledger.delta,
                                                   ledger.dropped))
        with sotto.Ledger(self.path) as ledger:
            self.assertEqual((3, 3, 3.0), (ledger.rounds, ledger.reports, ledger.epsilon))
            self.assertLessEqual(ledger.epsilon_optimal(1e-5), 3.0)
            self.assertEqual(frames[-1], sotto.Client(ledger=ledger).join(TERMS).resend())
            self.assertIn("3 rounds", repr(ledger))

    def test_unsent_reports_are_sealed_acknowledged_and_dropped(self):
        with sotto.Ledger.create(self.path) as ledger:
            frames = play(ledger, 3)
        with sotto.Ledger(self.path) as ledger:
            unsent = ledger.unsent()
            first, second, third = (report.entry for report in unsent)
            self.assertTrue(0 < first < second < third)
            self.assertEqual((TERMS.id, 42, False), (unsent[0].spec_id, unsent[0].frame_bytes, unsent[0].sealed))
            with self.assertRaises(sotto.LedgerError):
                ledger.acknowledge(first)  # not sealed
            self.assertEqual([frames[0], frames[0]], [ledger.seal(first), ledger.seal(first)])
            ledger.acknowledge(first)
            ledger.drop(second)
            self.assertEqual(([third], 1), ([report.entry for report in ledger.unsent()], ledger.dropped))
            for bad in (first, second, 99):
                with self.assertRaises(sotto.LedgerError):
                    ledger.seal(bad)
            with self.assertRaises(sotto.FaultError):
                ledger.seal(-1)

    def test_a_child_of_a_fork_must_open_the_file_again(self):
        with sotto.Ledger.create(self.path) as ledger:
            part = sotto.Client(ledger=ledger).join(TERMS)
            part.begin(sotto.Model(TERMS))
            for work in (lambda: ledger.rounds, lambda: part.decide(CONTEXT), lambda: sotto.Client(ledger=ledger)):
                self.assertRegex(in_child(work), "OrderError: this ledger belongs to the process that forked")
            self.assertEqual("done: 1", in_child(lambda: sotto.Ledger(self.path).rounds))
            part.decide(CONTEXT)

    def test_a_file_that_goes_away_is_refused(self):
        with sotto.Ledger.create(self.path) as ledger:
            part = sotto.Client(ledger=ledger).join(TERMS)
            os.rename(self.path, self.path + ".moved")
            with self.assertRaisesRegex(sotto.LedgerError, "ledger"):
                part.begin(sotto.Model(TERMS))
            self.assertTrue(ledger.fault)


class Memory(unittest.TestCase):
    def test_a_ledger_in_memory_stays_with_its_process(self):
        ledger = sotto.Ledger()
        play(ledger)
        self.assertIn("OrderError", in_child(lambda: play(ledger)))
        self.assertEqual(1, ledger.rounds)

    def test_after_close_nothing_works_and_nothing_crashes(self):
        ledger = sotto.Ledger()
        client = sotto.Client(ledger=ledger)
        part = client.join(TERMS)
        part.begin(sotto.Model(TERMS))
        ledger.close()
        ledger.close()
        self.assertTrue(ledger.closed)
        for use in (lambda: ledger.rounds, ledger.unsent, lambda: client.join(TERMS), lambda: part.decide(CONTEXT),
                    part.finish, part.resend, lambda: sotto.Client(ledger=ledger), lambda: client.card(TERMS),
                    lambda: part.entry, lambda: ledger.fault):
            with self.assertRaisesRegex(sotto.OrderError, "this ledger is closed"):
                use()
        self.assertIn("closed", repr(ledger))
        repr(client), repr(part)

    def test_no_copies(self):
        ledger = sotto.Ledger()
        client = sotto.Client(ledger=ledger)
        for one in (ledger, client, client.join(TERMS), sotto.People(TERMS, 1)):
            with self.assertRaisesRegex(sotto.OrderError, "cannot be copied"):
                pickle.dumps(one)


if __name__ == "__main__":
    unittest.main()
