"""A learner as coba's users know it. coba is not needed: the protocol is played by hand."""

import copy
import itertools
import pickle
import unittest
import warnings

import numpy

import sotto
from test_ledger import in_child

ACTIONS = ["left", "middle", "right"]


def play(learner, rounds, generator, actions=ACTIONS):
    """As coba's experiments do: predict, then learn. People with a positive number want "right", others "left". The
    share of right choices among the last half."""
    right = 0
    for i in range(rounds):
        context = (generator.normal(),)
        action, probability, more = learner.predict(context, actions)
        reward = float(action == ("right" if context[0] > 0 else "left"))
        learner.learn(context, action, reward, probability, **more)
        right += reward * (2 * i >= rounds)
    return 2 * right / rounds


class Protocol(unittest.TestCase):
    def test_it_learns(self):
        learner = sotto.PrivateLearner(epsilon=2, reward_kind="binary", horizon=6000)
        self.assertGreater(play(learner, 6000, numpy.random.default_rng(1)), 0.6)  # by chance: 0.33
        self.assertEqual(6000, learner.learner.model.reports + learner.learner.taken)

    def test_what_predict_answers(self):
        learner = sotto.PrivateLearner(epsilon=1)
        action, probability, more = learner.predict([0.1, 0.2], ACTIONS)
        self.assertIn(action, ACTIONS)
        self.assertEqual(1 / 3, probability)  # nothing is learnt yet
        self.assertIsNone(learner.learn([0.1, 0.2], action, 1, probability, **more))
        self.assertEqual((3, 3, 1.0), (learner.learner.terms.dim, learner.learner.terms.arms,
                                       learner.learner.terms.epsilon))
        self.assertEqual({"family": "sotto", "parameters": "per-arm", "epsilon": 1}, learner.params)

    def test_a_score_is_the_probability(self):
        learner = sotto.PrivateLearner(epsilon=2, reward_kind="binary", horizon=2000)
        self.assertEqual(1 / 3, learner.score((1.0,), ACTIONS, "left"))
        play(learner, 2000, numpy.random.default_rng(1))
        self.assertTrue(learner.learner.model.decides)
        self.assertEqual([0, 0, 1], sorted(learner.score((1.0,), ACTIONS, action) for action in ACTIONS))
        self.assertEqual(1.0, learner.predict((1.0,), ACTIONS)[1])
        for actions in itertools.permutations(ACTIONS):
            self.assertEqual(learner.predict((1.0,), ACTIONS)[0], learner.predict((1.0,), actions)[0])

    def test_no_context_at_all(self):
        learner = sotto.PrivateLearner()
        action, probability, more = learner.predict(None, ACTIONS)
        learner.learn(None, action, 0.5, probability, **more)
        self.assertEqual(1, learner.learner.terms.dim)

    def test_actions_in_any_order(self):
        learner = sotto.PrivateLearner()
        learner.predict((1,), ACTIONS)
        self.assertIn(learner.predict((1,), ACTIONS[::-1])[0], ACTIONS)
        for bad in (["left", "middle"], ["left", "middle", "other"], ["left"] * 3, [], None):
            with self.assertRaisesRegex(sotto.FaultError, "actions"):
                learner.predict((1,), bad)
        with self.assertRaisesRegex(sotto.FaultError, "twice"):
            sotto.PrivateLearner().predict((1,), ["left", "left"])

    def test_actions_with_numbers(self):
        learner = sotto.PrivateLearner(parameters="shared")
        for actions in ([(1, 0), (0, 1)], [[0.5, 0.5], [0.2, 0.1]]):
            action, probability, more = learner.predict((0.3,), actions)
            learner.learn((0.3,), action, 1, probability, **more)
        self.assertEqual((4, 2), (learner.learner.terms.dim, learner.learner.terms.arms))
        with self.assertRaisesRegex(sotto.FaultError, "as many numbers"):
            learner.predict((0.3,), [(1, 0), (1,)])

    def test_an_encoding_of_ones_own(self):
        colours = {"red": 0, "blue": 1}
        learner = sotto.PrivateLearner(encode=lambda context, actions: numpy.eye(2)[colours[context]])
        self.assertIn(learner.predict("red", ACTIONS)[0], ACTIONS)
        with self.assertRaisesRegex(sotto.FaultError, "context = 'red': expected numbers; `encode`"):
            sotto.PrivateLearner().predict("red", ACTIONS)
        with self.assertRaisesRegex(sotto.FaultError, "encode gave"):
            sotto.PrivateLearner(encode=lambda *_: [[1, 2]]).predict(None, ACTIONS)


class Scales(unittest.TestCase):
    """Contexts whose numbers have other scales: the small ones vanish when a row is scaled to length 1."""

    def warnings_of(self, scale, people=250, learner=None, **fields):
        learner = learner or sotto.PrivateLearner(**fields)
        generator = numpy.random.default_rng(1)
        actions = [(1, 0), (0, 1)] if fields else ACTIONS
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(people):
                learner.predict((generator.normal(), 1e6 + scale * generator.normal()), actions)
        return found

    def test_they_are_warned_of_once(self):
        for fields in ({}, {"parameters": "shared"}):
            [found] = self.warnings_of(1000, **fields)
            self.assertRegex(str(found.message), "contexts have standard deviations from .* scale contexts first")
            self.assertEqual(__file__, found.filename)

    def test_one_scale_is_fine(self):
        self.assertEqual([], self.warnings_of(5))

    def test_deviations_are_those_of_all_rows(self):
        """A column far from 0 too, whose squares alone have too few digits."""
        learner = sotto.PrivateLearner()
        self.assertEqual([], self.warnings_of(1000, people=99, learner=learner))
        generator = numpy.random.default_rng(1)
        rows = [(1.0, generator.normal(), 1e6 + 1000 * generator.normal()) for _ in range(99)]
        numpy.testing.assert_allclose(learner._scales.deviations(), numpy.std(rows, axis=0), rtol=1e-9)

    def test_a_copy_has_no_sums_over_contexts(self):
        learner = sotto.PrivateLearner()
        self.warnings_of(1000, people=99, learner=learner)
        self.assertEqual(0, pickle.loads(pickle.dumps(learner))._scales.people)


class Batch(list):
    """As coba marks one."""

    is_batch = True


class BadUse(unittest.TestCase):
    def test_batches_are_refused_whole_so_that_coba_goes_one_by_one(self):
        learner = sotto.PrivateLearner()
        with self.assertRaisesRegex(sotto.FaultError, "one person after another"):
            learner.predict(Batch([(1,), (2,), (3,)]), Batch([["a", "b"], ["c", "d"], ["e", "f"]]))
        self.assertIsNone(learner.learner)
        found = [learner.predict((i,), ["a", "b"]) for i in range(3)]
        with self.assertRaises(sotto.OrderError):
            learner.learn(Batch([(0,)]), Batch(["a"]), Batch([1]), Batch([0.5]),
                          round=[more["round"] for *_, more in found])
        for i, (action, probability, more) in enumerate(found):
            learner.learn((i,), action, 1, probability, **more)
        self.assertEqual(3, learner.learner.taken)

    def test_rewards_may_come_late_but_not_too_late(self):
        learner = sotto.PrivateLearner(learning={"epoch": 1}, epoch_lag_max=1)
        found = [learner.predict((1,), ACTIONS)]
        for _ in range(2):
            found.append(learner.predict((1,), ACTIONS))
            action, probability, more = found[-1]
            learner.learn((1,), action, 1, probability, **more)
        learner.predict((1,), ACTIONS)
        self.assertEqual(2, learner.learner.model.epoch)
        action, probability, more = found[0]
        learner.learn((1,), action, 1, probability, **more)
        self.assertEqual((1, 2), (learner.late, learner.learner.taken + learner.learner.model.reports))

    def test_coba_asks_whether_there_is_a_score_without_any_action(self):
        for parameters in ("per-arm", "shared"):
            learner = sotto.PrivateLearner(parameters=parameters)
            with self.assertRaises(sotto.FaultError) as caught:
                learner.score(None, None, None)
            self.assertNotIn("score", str(caught.exception))
            self.assertIsNone(learner.learner)

    def test_a_round_is_learnt_once_and_as_it_was_played(self):
        learner = sotto.PrivateLearner()
        action, probability, more = learner.predict((1,), ACTIONS)
        other = next(name for name in ACTIONS if name != action)
        with self.assertRaisesRegex(sotto.FaultError, "this round played"):
            learner.learn((1,), other, 1, probability, **more)
        with self.assertRaisesRegex(sotto.FaultError, "reward"):
            learner.learn((1,), action, "much", probability, **more)
        learner.learn((1,), action, 1, probability, **more)
        for again in (more, {}, {"round": 99}):
            with self.assertRaisesRegex(sotto.OrderError, "learn wants a round"):
                learner.learn((1,), action, 1, probability, **again)
        self.assertEqual(1, learner.learner.taken + learner.learner.model.reports)

    def test_settings(self):
        for settings, why in (({"epsilon": 99}, "epsilon = 99"), ({"dim": 3}, "dim: follows"),
                              ({"measure": 0.1}, "measure"),
                              ({"policy": 5}, "policy = 5"), ({"epsilom": 1}, "did you mean 'epsilon'")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                sotto.PrivateLearner(**settings)
        with self.assertRaisesRegex(sotto.PolicyError, "epsilon = 4"):
            sotto.PrivateLearner(epsilon=4, policy=sotto.Policy()).predict((1,), ACTIONS)
        self.assertIn(sotto.PrivateLearner(epsilon=4).predict((1,), ACTIONS)[0], ACTIONS)

    def test_contexts_that_are_no_numbers(self):
        learner = sotto.PrivateLearner()
        learner.predict((1, 2), ACTIONS)
        for bad in ((1, numpy.nan), (1,), (1, 2, 3), (1, numpy.inf), {"a": 1}):
            with self.assertRaisesRegex(sotto.FaultError, "context"):
                learner.predict(bad, ACTIONS)

    def test_copies_go_on_without_open_rounds(self):
        learner = sotto.PrivateLearner(epsilon=2, reward_kind="binary")
        play(learner, 200, numpy.random.default_rng(1))
        action, probability, more = learner.predict((1.0,), ACTIONS)
        for copied in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
            with self.assertRaises(sotto.OrderError):
                copied.learn((1.0,), action, 1, probability, **more)
            self.assertEqual(learner.learner.to_bytes(), copied.learner.to_bytes())
            play(copied, 20, numpy.random.default_rng(2))
        self.assertIn("OrderError", in_child(lambda: learner.learn((1.0,), action, 1, probability, **more)))
        self.assertEqual("done: 0", in_child(lambda: int(play(learner, 5, numpy.random.default_rng(2)) < 0)))
        learner.learn((1.0,), action, 1, probability, **more)


if __name__ == "__main__":
    unittest.main()
