"""Who may use a C object: one thread at a time, not after close, not in a child of a fork."""

import threading
import unittest

import numpy

import sotto
from sotto._guard import Guard
from test_ledger import in_child

TERMS = sotto.Spec(dim=2, arms=3).terms()
MODEL = sotto.Model(TERMS)
CONTEXT = numpy.zeros((3, 2))
WAIT_S = 0.05  # long enough for what does not wait


class Guards(unittest.TestCase):
    def waits(self, guard, use):
        """Whether a use in another thread waits until this one leaves the guard, and then ends."""
        ended = threading.Event()

        def work():
            try:
                use()
            except sotto.Error:
                pass
            ended.set()

        thread = threading.Thread(target=work)
        with guard:
            thread.start()
            early = ended.wait(WAIT_S)
        thread.join(60)
        return not early and ended.is_set()

    def test_a_second_thread_waits(self):
        client = sotto.Client()
        one, learner, people, nonces = client.join(TERMS), sotto.Learner(TERMS), sotto.People(TERMS,
                                                                                              3), sotto.NonceSet(TERMS)
        ledger = client.ledger
        for guard, use in ((ledger._guard, lambda: ledger.rounds), (ledger._guard, ledger.unsent),
                           (ledger._guard, lambda: ledger.seal(1)), (ledger._guard, lambda: ledger.acknowledge(1)),
                           (ledger._guard, lambda: ledger.drop(1)), (ledger._guard, lambda: one.begin(MODEL)),
                           (ledger._guard, lambda: one.decide(CONTEXT)), (ledger._guard, lambda: one.finish(1)),
                           (ledger._guard, one.resend), (ledger._guard, one.hold), (ledger._guard, one.seal),
                           (ledger._guard, one.acknowledge), (ledger._guard, lambda: client.join(TERMS)),
                           (ledger._guard, lambda: client.card(TERMS)),
                           (ledger._guard, lambda: sotto.Client(ledger=ledger)),
                           (learner._guard, lambda: learner.model), (learner._guard, lambda: learner.take(bytes(42))),
                           (learner._guard, learner.publish), (learner._guard, learner.to_bytes),
                           (learner._guard, lambda: learner.taken), (people._guard, lambda: people.begin(MODEL)),
                           (people._guard, lambda: people[1:].decide([CONTEXT] * 2)),
                           (people._guard, lambda: people.finish([1, 1, 1])),
                           (nonces._guard, lambda: nonces.see(bytes(42))),
                           (ledger._guard, ledger.close)):
            with self.subTest(use=use):
                self.assertTrue(self.waits(guard, use))
        self.assertTrue(ledger.closed)

    def test_one_thread_may_enter_again(self):
        guard = Guard("thing")
        with guard, guard:
            pass
        self.assertTrue(self.waits(guard, lambda: guard.__enter__().__exit__()))

    def test_nothing_passes_after_close(self):
        guard = Guard("thing")
        self.assertEqual([True, False], [guard.close(), guard.close()])
        for _ in range(2):
            with self.assertRaisesRegex(sotto.OrderError, "this thing is closed"), guard:
                self.fail("passed")

    def test_a_child_of_a_fork_is_refused_and_does_not_hang(self):
        person, server = Guard("person"), Guard("server", copies=True)

        def enter(guard):
            with guard:
                return guard.closed

        with person, server:  # held while the process forks, as by another thread
            self.assertIn("OrderError: this person belongs to the process that forked", in_child(lambda: enter(person)))
            self.assertEqual("done: False", in_child(lambda: enter(server)))
            self.assertEqual("done: False", in_child(person.close))


if __name__ == "__main__":
    unittest.main()
