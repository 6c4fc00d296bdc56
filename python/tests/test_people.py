"""Many people at once: the same rounds as one by one, each with a status of their own."""

import threading
import unittest

import numpy

import sotto
from sotto import _c
from test_ledger import in_child

TERMS = sotto.Spec(dim=2, arms=3).terms()
MODEL = sotto.Model(TERMS)
CONTEXTS = numpy.random.default_rng(1).normal(size=(50, 3, 2))


class Rounds(unittest.TestCase):
    def test_everybody_takes_part(self):
        people = sotto.People(TERMS, 50)
        self.assertTrue(people.begin(MODEL).all())
        arms = people.decide(CONTEXTS)
        frames = people.finish(numpy.zeros(50))
        self.assertEqual(((50,), numpy.int64, {0, 1, 2}), (arms.shape, arms.dtype, set(arms.tolist())))
        self.assertEqual(((50, 42), numpy.uint8), (frames.shape, frames.dtype))
        self.assertEqual(50, len({frame.tobytes() for frame in frames}))
        self.assertEqual(50, sotto.Learner(TERMS).take(frames).check().taken)
        self.assertEqual([1.0] * 50, people.epsilon.tolist())

    def test_one_after_the_other_comes_to_an_end(self):
        people = sotto.People(TERMS, 3)
        self.assertEqual([1, 1, 1], [len(one) for one in people])
        people[-3].begin(MODEL)
        self.assertEqual([1.0, 0.0, 0.0], people.epsilon.tolist())
        for bad in (3, -4, numpy.int64(3), 1.5, "a"):
            with self.subTest(bad=bad), self.assertRaises(IndexError):
                people[bad]
        with self.assertRaisesRegex(sotto.FaultError, "people.True.: expected a number"):
            people[True]

    def test_arms_are_those_of_the_model(self):
        learner = sotto.Learner(TERMS, horizon=2000)
        crowd = sotto.People(TERMS, 2000)
        crowd.begin(learner.model)
        contexts = numpy.tile(CONTEXTS, (40, 1, 1))
        arms = crowd.decide(contexts)
        learner.take(crowd.finish(contexts[range(2000), arms, 0]))
        model = learner.publish()
        self.assertTrue(model.decides)
        people = sotto.People(TERMS, 50)
        people.begin(model)
        many = people.decide(CONTEXTS)
        one = sotto.Client(sotto.Policy(epsilon_lifetime=numpy.inf)).join(TERMS)
        for context, arm in zip(CONTEXTS, many):
            one.begin(model)
            self.assertEqual(one.decide(context), arm)

    def test_who_has_no_budget_left_takes_no_part(self):
        people = sotto.People(TERMS, 10, sotto.Policy(epsilon_lifetime=1, delta_lifetime=0))
        people[:4].begin(MODEL)
        self.assertEqual([False] * 4 + [True] * 6, people.begin(MODEL).tolist())
        self.assertEqual({"the person's privacy budget does not cover another report": 4}, people.why)
        self.assertEqual(4, (people.status != 0).sum())

    def test_who_did_not_begin_has_no_arm_and_no_report(self):
        people = sotto.People(TERMS, 50)
        people[::2].begin(MODEL)
        arms = people.decide(CONTEXTS)
        self.assertEqual([True, False] * 25, (arms >= 0).tolist())
        frames = people.finish(numpy.ones(50))
        self.assertEqual([True, False] * 25, frames.any(axis=1).tolist())
        self.assertEqual([True, False] * 25, people.ok.tolist())
        self.assertEqual(25, sotto.Learner(TERMS).take(frames).taken)

    def test_out_of_order(self):
        people = sotto.People(TERMS, 50)
        self.assertEqual([-1] * 50, people.decide(CONTEXTS).tolist())
        self.assertFalse(people.finish(numpy.zeros(50)).any())
        self.assertEqual({"a round needs begin, decide and finish, in this order, each once": 50}, people.why)

    def test_parts_of_people(self):
        people = sotto.People(TERMS, 10)
        mask = numpy.arange(10) % 3 == 0
        self.assertEqual((4, 3, 1, 1, 2, 0), (len(people[mask]), len(people[2:5]), len(people[-1]), len(people[3]),
                                              len(people[[7, 1]]), len(people[:0])))
        people[[7, 1]].begin(MODEL)
        self.assertEqual([1, 7], numpy.flatnonzero(people.epsilon).tolist())
        self.assertEqual([1.0], people[5:][2].epsilon.tolist())
        with self.assertRaisesRegex(sotto.FaultError, "nobody is twice"):
            people[[1, 1]]
        with self.assertRaises(IndexError):
            people[[99]]

    def test_nobody(self):
        nobody = sotto.People(TERMS, 0)
        self.assertEqual(0, len(nobody.begin(MODEL)))
        self.assertEqual((0, (0, 42)), (len(nobody.decide(CONTEXTS[:0])), nobody.finish([]).shape))


class BadInput(unittest.TestCase):
    def test_contexts(self):
        people = sotto.People(TERMS, 50)
        people.begin(MODEL)
        bad = CONTEXTS.copy()
        bad[3, 1, 0] = numpy.nan
        for contexts, why in ((bad, r"contexts\[3, 1, 0\] = nan"), (CONTEXTS[:49], r"expected 50 x 3 x 2"),
                              (CONTEXTS[0], "shape"),
                              (CONTEXTS.astype(object), "not object"), (CONTEXTS.astype(str), "expected numbers")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                people.decide(contexts)
        self.assertTrue((people.decide(bad, allow_nan=True) >= 0).all())
        for rewards, why in ((numpy.zeros(49), "expected 50"), ([None] * 50, "expected numbers"),
                             (numpy.full(50, numpy.inf), "infinite")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                people.finish(rewards)
        self.assertTrue(people.finish(numpy.full(50, numpy.nan)).any(axis=1).all())

    def test_counts_and_policies(self):
        for count in (-1, 1.5, "5", None, True):
            with self.assertRaisesRegex(sotto.FaultError, "count = "):
                sotto.People(TERMS, count)
        with self.assertRaisesRegex(sotto.PolicyError, "epsilon = 4"):
            sotto.People(sotto.Spec(epsilon=4), 5)

    def test_models(self):
        people = sotto.People(TERMS, 5)
        with self.assertRaisesRegex(sotto.FrameError, "belongs to terms"):
            people.begin(sotto.Model(sotto.Spec(dim=3)))
        with self.assertRaisesRegex(sotto.FaultError, "expected a sotto.Model"):
            people.begin(None)
        self.assertEqual(0, people.epsilon.sum())

    def test_nothing_is_copied_that_c_can_read(self):
        self.assertIs(CONTEXTS, _c.vector("contexts", CONTEXTS, 50, 3, 2))

    def test_a_child_of_a_fork_has_no_part_in_it(self):
        people = sotto.People(TERMS, 50)
        people.begin(MODEL)
        self.assertIn("OrderError: this group of people belongs to the process",
                      in_child(lambda: people.decide(CONTEXTS)))
        self.assertTrue((people.decide(CONTEXTS) >= 0).all())

    def test_threads_wait_for_each_other(self):
        people = sotto.People(TERMS, 400, sotto.Policy(epsilon_lifetime=numpy.inf))
        made = []

        def work(part):
            for _ in range(20):
                part.begin(MODEL)
                part.decide(CONTEXTS)
                made.append(part.finish(numpy.ones(50)))

        threads = [threading.Thread(target=work, args=(people[i * 50:i * 50 + 50],)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((160, 8000), (len(made), people.epsilon.sum()))


if __name__ == "__main__":
    unittest.main()
