"""A person's rounds: order, budget, bad contexts, held rounds, threads, the card."""

import os
import subprocess
import threading
import time
import unittest

import numpy

import sotto

TERMS = sotto.Spec(dim=2, arms=3).terms()
CONTEXT = numpy.array([[0.5, 0.1], [0.2, 0.3], [-0.4, 0.2]])
MODEL = sotto.Model(TERMS)


def part(**policy):
    return sotto.Client(sotto.Policy(**policy)).join(TERMS)


class Rounds(unittest.TestCase):
    def test_a_round(self):
        client = sotto.Client()
        one = client.join(TERMS.spec)
        one.begin(MODEL)
        arm = one.decide(CONTEXT)
        frame = one.finish(0.7)
        self.assertIn(arm, (0, 1, 2))
        self.assertEqual((42, bytes, frame), (len(frame), type(frame), one.resend()))
        self.assertEqual((1, 1, 1.0, 1), (client.ledger.rounds, client.ledger.reports, client.ledger.epsilon,
                                          one.entry))

    def test_out_of_order(self):
        one = part()
        for use in (lambda: one.decide(CONTEXT), one.finish, one.resend, one.hold, one.seal, one.acknowledge):
            with self.assertRaises(sotto.OrderError):
                use()
        one.begin(MODEL)
        with self.assertRaises(sotto.OrderError):
            one.finish(1)
        one.decide(CONTEXT)
        with self.assertRaises(sotto.OrderError):
            one.decide(CONTEXT)
        one.finish(1)
        with self.assertRaises(sotto.OrderError):
            one.finish(1)

    def test_a_budget_ends(self):
        one = part(epsilon_lifetime=2, delta_lifetime=0)
        for _ in range(2):
            one.begin(MODEL)
        with self.assertRaisesRegex(sotto.BudgetError, "privacy budget"):
            one.begin(MODEL)
        self.assertEqual(2.0, one.client.ledger.epsilon)

    def test_terms_that_the_policy_refuses(self):
        with self.assertRaisesRegex(sotto.PolicyError, "epsilon = 4"):
            sotto.Client().join(sotto.Spec(epsilon=4))

    def test_models_of_other_terms_are_refused(self):
        one = part()
        with self.assertRaises(sotto.FrameError):
            one.begin(sotto.Model(sotto.Spec(dim=3, arms=3)))
        for bad in (None, MODEL.to_bytes(), MODEL.theta):
            with self.assertRaisesRegex(sotto.FaultError, "expected a sotto.Model"):
                one.begin(bad)
        self.assertEqual(0, one.client.ledger.rounds)

    def test_bad_contexts_are_refused_and_the_round_goes_on(self):
        one = part()
        one.begin(MODEL)
        bad = CONTEXT.copy()
        bad[1, 1] = numpy.nan
        for context, why in ((bad, r"context\[1, 1\] = nan"), (CONTEXT[0], "shape"), (CONTEXT.T, r"expected 3 x 2"),
                             (None, "numbers"),
                             ("text", "numbers"), (CONTEXT.astype(object), "not object"), (CONTEXT * 1j, "not complex"),
                             ([[1, 2], [3]], "numbers"), (CONTEXT * numpy.inf, "finite")):
            with self.subTest(why=why), self.assertRaisesRegex(sotto.FaultError, why):
                one.decide(context)
        one.decide(bad, allow_nan=True)
        self.assertEqual(42, len(one.finish(None)))

    def test_any_layout_and_type_of_a_context(self):
        wide = numpy.zeros((6, 4))
        wide[::2, ::2] = CONTEXT
        for context in (wide[::2, ::2], numpy.asfortranarray(CONTEXT), CONTEXT.astype("f4"), CONTEXT.astype(">f8"),
                        CONTEXT.tolist(),
                        CONTEXT.astype(int)):
            one = part()
            one.begin(MODEL)
            one.decide(context)
            one.finish(0)

    def test_one_context_vector_if_each_arm_has_parameters(self):
        terms = sotto.Spec(dim=2, arms=3, parameters="per-arm").terms()
        one = sotto.Client().join(terms)
        one.begin(sotto.Model(terms))
        with self.assertRaisesRegex(sotto.FaultError, "shape"):
            one.decide(CONTEXT)
        one.decide([0.1, 0.2])
        self.assertEqual(terms.report_bytes, len(one.finish(1)))

    def test_rewards(self):
        for reward in (None, float("nan"), numpy.nan, 1, 0.5, True, numpy.float32(2), -1e300):
            one = part()
            one.begin(MODEL)
            one.decide(CONTEXT)
            self.assertEqual(42, len(one.finish(reward)))
        one.begin(MODEL)
        one.decide(CONTEXT)
        for bad in ("1", [1, 2], float("inf"), 1j):
            with self.assertRaisesRegex(sotto.FaultError, "reward = "):
                one.finish(bad)
        one.finish(1)

    def test_worth(self):
        one = part()
        one.begin(MODEL)
        for bad in ([1, 2], [1, 2, -3], [1, numpy.nan, 1], "abc"):
            with self.assertRaisesRegex(sotto.FaultError, "worth"):
                one.decide(CONTEXT, worth=bad)
        self.assertIn(one.decide(CONTEXT, worth=[1, 2, 3]), (0, 1, 2))

    def test_two_reports_of_the_same_secret_differ(self):
        one = part(epsilon_lifetime=numpy.inf)
        frames = set()
        for _ in range(50):
            one.begin(MODEL)
            one.decide(CONTEXT)
            frames.add(one.finish(1))
        self.assertEqual(50, len(frames))

    def test_nobody_can_give_a_seed(self):
        for make in (lambda: sotto.Client(seed=1), lambda: part().begin(MODEL, seed=1),
                     lambda: sotto.People(TERMS, 1, seed=1)):
            with self.assertRaises(TypeError):
                make()

    def test_a_reward_keeps_its_sign(self):
        spec = sotto.Spec(dim=1, arms=2, epsilon=8)
        for reward in (-1, 1):
            learner = sotto.Learner(spec, horizon=300)
            for _ in range(300):
                one = sotto.Client(sotto.Policy(epsilon_per_report_max=8)).join(learner.terms)
                one.begin(learner.model)
                one.decide([[1], [1]])
                learner.take(one.finish(reward)).check()
                learner.publish_if_due()
            self.assertEqual(reward, numpy.sign(learner.publish().theta[0]))

    def test_hold_seal_acknowledge(self):
        terms = sotto.Spec(dim=2, arms=3, reward_window_s=60, send_spread_s=30).terms()
        client = sotto.Client()
        one = client.join(terms)
        one.begin(sotto.Model(terms))
        send_at = one.hold(now=1000)
        self.assertTrue(1060 <= send_at <= 1090, send_at)
        one.decide(CONTEXT)
        unsent = client.ledger.unsent()[0]
        self.assertEqual((True, False), (unsent.held, unsent.sealed))
        self.assertEqual((1000000, round(1000 * send_at)), (unsent.begun_ms, unsent.send_at_ms))
        frame = one.seal()
        with self.assertRaises(sotto.Error):
            one.finish(1)  # too late
        self.assertEqual(frame, one.seal())
        one.acknowledge()
        self.assertEqual([], client.ledger.unsent())
        one.begin(sotto.Model(terms))
        before = time.time()
        self.assertGreaterEqual(one.hold(), before + 59.9)
        for bad in (-5, "now", float("nan"), float("inf"), 1e300):
            with self.assertRaises(sotto.FaultError):
                one.hold(now=bad)

    def test_bad_policies_and_ledgers(self):
        for make in (lambda: sotto.Client(policy=5), lambda: sotto.Client(ledger="path"),
                     lambda: sotto.Client().join(None)):
            with self.assertRaisesRegex(sotto.FaultError, "expected"):
                make()

    def test_a_round_keeps_what_it_needs(self):
        one = sotto.Client(sotto.Policy(), sotto.Ledger()).join(sotto.Spec(dim=2, arms=3))
        one.begin(sotto.Model(one.terms))
        one.decide(CONTEXT)
        self.assertEqual(42, len(one.finish(1)))


class Threads(unittest.TestCase):
    def test_one_ledger_used_by_many_threads_books_every_round(self):
        client = sotto.Client(sotto.Policy(epsilon_lifetime=numpy.inf))
        faults = []

        def work():
            try:
                one = client.join(TERMS)
                for _ in range(200):
                    one.begin(MODEL)
                    one.decide(CONTEXT)
                    one.finish(0.5)
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], faults)
        self.assertEqual((1600, 1600), (client.ledger.rounds, client.ledger.reports))

    def test_one_round_used_by_many_threads_is_out_of_order_at_worst(self):
        one = part(epsilon_lifetime=numpy.inf)
        other = []

        def work():
            for _ in range(300):
                for use in (lambda: one.begin(MODEL), lambda: one.decide(CONTEXT), lambda: one.finish(1)):
                    try:
                        use()
                    except sotto.OrderError:
                        pass
                    except BaseException as fault:
                        other.append(fault)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], other)
        self.assertLessEqual(one.client.ledger.reports, one.client.ledger.rounds)


class Cards(unittest.TestCase):
    def test_numbers_and_words(self):
        client = sotto.Client()
        card = client.card(TERMS)
        self.assertEqual((42, 1.0, 0, False), (card.report_bytes, card.epsilon, card.rounds_before, card.refused))
        self.assertIn("nothing", str(card))
        one = client.join(TERMS)
        one.begin(MODEL)
        card = client.card(TERMS)
        self.assertEqual((1, 1.0), (card.rounds_before, card.epsilon_before))
        self.assertIn("1 rounds of all experiments", str(card))
        self.assertEqual(card.fields()["rounds_left"], card.rounds_left)
        self.assertNotIn("When", str(card))
        self.assertIn("0 s after the round begins, and up to 5 s later",
                      str(client.card(sotto.Spec(dim=2, arms=3, send_spread_s=5))))
        with self.assertRaises(AttributeError):
            card.nothing

    def test_it_names_the_program_that_made_it(self):
        """As `sotto --version` of the same build does, whose sources these are."""
        card = sotto.Client().card(TERMS)
        said = subprocess.run([os.environ["SOTTO"], "--version"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(said, f"sotto {card.version}\ncommit {card.commit}\nsources {card.sources}\n")
        self.assertRegex(card.sources, "^[0-9a-f]{64}$")
        for name in ("version", "commit", "sources"):
            self.assertIn(f"{name if name != 'version' else 'sotto'} {card.fields()[name]}", str(card))

    def test_a_refusal_is_in_words(self):
        card = sotto.Client().card(sotto.Spec(epsilon=4))
        self.assertTrue(card.refused)
        self.assertIn("epsilon = 4", str(card))

    def test_measuring_and_waiting(self):
        card = str(sotto.Client().card(sotto.Spec(measure=0.1, reward_window_s=60, send_spread_s=5)))
        self.assertIn("10 % of the rounds measure", card)
        self.assertIn("60 s after the round begins, and up to 5 s later", card)


if __name__ == "__main__":
    unittest.main()
