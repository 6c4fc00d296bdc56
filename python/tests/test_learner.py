"""Models and learners: reports in, the same bits after save and load, duplicates, uplift."""

import copy
import gc
import os
import pickle
import tempfile
import threading
import unittest

import numpy

import sotto

SPEC = sotto.Spec(dim=2, arms=3, epsilon=2, epoch_lag_max=1)
TERMS = SPEC.terms()
TRUTH = numpy.array([0.6, -0.8])


def reports(model, count, generator, terms=TERMS, **policy):
    """Frames of people with random contexts."""
    people = sotto.People(terms, count, sotto.Policy(**policy))
    people.begin(model)
    contexts = generator.normal(size=(count, 3, 2))
    contexts /= numpy.linalg.norm(contexts, axis=2, keepdims=True)
    arms = people.decide(contexts)
    return people.finish(contexts[numpy.arange(count), arms] @ TRUTH)


class Models(unittest.TestCase):
    def test_bytes_there_and_back(self):
        model = sotto.Model(SPEC)
        again = sotto.Model.from_bytes(TERMS, model.to_bytes())
        self.assertEqual((model, hash(model)), (again, hash(again)))
        self.assertEqual(model, pickle.loads(pickle.dumps(model)))
        self.assertEqual((0, "main", 0, False), (model.epoch, model.phase, model.reports, model.decides))

    def test_other_bytes_are_refused(self):
        data = sotto.Model(SPEC).to_bytes()
        other = sotto.Model(sotto.Spec(dim=2, arms=3)).to_bytes()
        for bad in (b"", data[:-1], data + b"x", bytes(len(data)), other):
            with self.assertRaises(sotto.FrameError):
                sotto.Model.from_bytes(TERMS, bad)
        with self.assertRaisesRegex(sotto.FaultError, "expected bytes"):
            sotto.Model.from_bytes(TERMS, "text")

    def test_one_arm_for_all_has_shares(self):
        spec = sotto.Spec(dim=2, arms=3, method="best-arm", score="reward", reward_kind="binary", link="logit",
                          epsilon=2)
        learner = sotto.Learner(spec)
        self.assertIsNone(sotto.Model(SPEC).shares)
        self.assertAlmostEqual(1, learner.model.shares.sum())
        data = bytearray(learner.model.to_bytes())
        data[36] ^= 1  # the sum is not 2^32 any more
        with self.assertRaises(sotto.FrameError):
            sotto.Model.from_bytes(spec, bytes(data))
        people = sotto.People(spec, 2000, sotto.Policy())
        people.begin(learner.model)
        arms = people.decide(numpy.zeros((2000, 3, 2)))
        learner.take(people.finish((arms == 1).astype(float)))
        self.assertGreater(learner.publish().shares[1], 0.99)
        self.assertTrue(learner.model.decides)

    def test_arrays_are_views_that_outlive_the_model_and_cannot_be_written(self):
        learner = sotto.Learner(SPEC)
        learner.take(reports(learner.model, 100, numpy.random.default_rng(1)))
        data = learner.publish().to_bytes()
        expected = learner.model.theta.tolist()
        views = [sotto.Model.from_bytes(TERMS, data).theta for _ in range(100)]
        gc.collect()
        others = [sotto.Model(SPEC) for _ in range(200)]
        self.assertEqual([expected] * 100, [theta.tolist() for theta in views])
        theta, others = views[0], None
        with self.assertRaises(ValueError):
            theta[0] = 1
        with self.assertRaises(ValueError):
            theta.setflags(write=True)

    def test_arrays_of_all_methods(self):
        for fields, shape in (({}, (2,)), ({"parameters": "per-arm"}, (3, 2)),
                              ({"method": "ldp-ucb", "score": "moments", "delta": 1e-6}, (2,))):
            model = sotto.Model(sotto.Spec(dim=2, arms=3, **fields))
            self.assertEqual((shape, shape), (model.theta.shape, model.estimate.shape))
            self.assertIn(None if model.tbar is None else model.tbar.shape, (None, shape))
            repr(model), model.g


class Reports(unittest.TestCase):
    def setUp(self):
        self.generator = numpy.random.default_rng(1)

    def test_it_learns(self):
        learner = sotto.Learner(SPEC, horizon=20000)
        for _ in range(20):
            learner.take(reports(learner.model, 1000, self.generator)).check()
            learner.publish()
        estimate = learner.model.estimate
        self.assertEqual((20, 20000), (learner.model.epoch, learner.model.reports))
        self.assertGreater(estimate @ TRUTH / numpy.linalg.norm(estimate), 0.95)

    def test_frames_of_any_form(self):
        learner = sotto.Learner(SPEC)
        frames = reports(learner.model, 6, self.generator)
        wide = numpy.zeros((2, 84), dtype=numpy.uint8)
        wide[:, ::2] = frames[4:]
        for form, count in ((frames[0].tobytes(), 1), (frames[1], 1), ([frames[2].tobytes()], 1),
                            (bytearray(frames[3]), 1),
                            (wide[:, ::2], 2), (b"", 0), ([], 0), (frames[:0], 0)):
            self.assertEqual(count, learner.take(form).check().taken)
        self.assertEqual(6, learner.taken)
        again = sotto.Learner(SPEC)
        self.assertEqual([3, 3], [again.take(form).taken for form in (frames[:3].ravel(), memoryview(frames[3:]))])

    def test_what_are_no_frames(self):
        learner = sotto.Learner(SPEC)
        frames = reports(learner.model, 2, self.generator)
        for bad in (frames.tobytes()[:-1], frames[:, :-1], [b"short"], frames[None]):
            with self.assertRaisesRegex(sotto.FrameError, "42"):
                learner.take(bad)
        for bad in (None, 5, "text", frames.astype(float), {"a": 1}):
            with self.assertRaisesRegex(sotto.FaultError, "expected bytes or an array of uint8"):
                learner.take(bad)

    def test_bad_frames_are_refused_each_by_itself(self):
        learner = sotto.Learner(SPEC)
        frames = reports(learner.model, 5, self.generator)
        frames[0] = 0
        frames[2, 40:] = 255  # no such codeword
        frames[3, 20] = 7  # another epoch
        taken = learner.take(frames)
        self.assertEqual((2, 0, 3), (taken.taken, taken.duplicates, taken.refused))
        self.assertEqual(3, sum(taken.why.values()))
        self.assertIn("2 taken", repr(taken))
        with self.assertRaisesRegex(sotto.FrameError, "frame 0: "):
            taken.check()

    def test_frames_of_other_terms_are_refused(self):
        other = sotto.Spec(dim=2, arms=3).terms()
        taken = sotto.Learner(SPEC).take(reports(sotto.Model(other), 3, self.generator, other))
        self.assertEqual({"the message belongs to another spec": 3}, taken.why)

    def test_duplicates_count_once(self):
        learner = sotto.Learner(SPEC)
        frames = reports(learner.model, 100, self.generator)
        self.assertEqual(100, learner.take(frames).taken)
        self.assertEqual(100, learner.take(frames).duplicates)
        twice = numpy.concatenate([reports(learner.model, 5, self.generator)] * 2)
        taken = learner.take(twice)
        self.assertEqual((5, 5), (taken.taken, taken.duplicates))
        learner.publish()
        self.assertEqual((0, 100), (learner.take(frames).taken, learner.take(frames).duplicates))  # epoch_lag_max is 1
        learner.publish()
        self.assertEqual(100, learner.take(frames).refused)

    def test_a_bad_frame_does_not_keep_a_good_one_out(self):
        learner = sotto.Learner(SPEC)
        good = reports(learner.model, 1, self.generator)
        bad = good.copy()
        bad[0, 40:] = 255
        taken = learner.take(numpy.concatenate([bad, good]))
        self.assertEqual((1, 1), (taken.taken, taken.refused))

    def test_frames_taken_together_are_frames_taken_one_by_one(self):
        together, alone = sotto.Learner(SPEC), sotto.Learner(SPEC)
        frames = reports(together.model, 3000, self.generator)  # more than a set has room for at first
        frames[5] = frames[4]
        frames[100, 40] ^= 1
        frames[200:300, 24:40] = frames[100:200, 24:40]  # other frames of the same nonces
        frames[7, 40:] = 255
        frames[8] = frames[9]
        frames[8, 20] = 7
        for many in (frames, frames[::-1]):  # in the second all good ones are known
            statuses = [int(alone.take(frame.tobytes()).status[0]) for frame in many]
            self.assertEqual(statuses, together.take(many).status.tolist())
        self.assertEqual(alone.to_bytes(), together.to_bytes())
        self.assertEqual(2897, together.taken)

    def test_without_unique_duplicates_count(self):
        learner = sotto.Learner(SPEC, unique=False)
        frames = reports(learner.model, 10, self.generator)
        learner.take(frames)
        self.assertEqual((10, 20), (learner.take(frames).taken, learner.taken))

    def test_a_set_of_nonces_grows(self):
        learner = sotto.Learner(SPEC)
        nonces = sotto.NonceSet(TERMS, capacity=1)
        for frame in reports(learner.model, 40, self.generator):
            self.assertEqual(["new", "same"], [nonces.see(frame), nonces.see(frame.tobytes())])
            frame[40] ^= 1
            self.assertEqual("other", nonces.see(frame))
        self.assertEqual(40, len(nonces))
        nonces.advance(5)
        self.assertEqual(0, len(nonces))
        with self.assertRaises(sotto.FrameError):
            nonces.advance(4)
        with self.assertRaises(sotto.FaultError):
            sotto.NonceSet(TERMS, capacity=0)
        with self.assertRaisesRegex(sotto.OrderError, "a set of nonces cannot be copied"):
            copy.deepcopy(nonces)

    def test_settings(self):
        for settings, why in (({"horizon": -1}, "horizon = -1"), ({"alpha": 2}, "alpha = 2"),
                              ({"epok": 5}, "did you mean 'epoch'"),
                              ({"warm_up": 5}, "warm_up = 5")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                sotto.Learner(SPEC, **settings)
        self.assertEqual(7, sotto.Learner(SPEC, epoch=7).wanted)
        with self.assertRaisesRegex(sotto.FaultError, "expected sotto.Terms or sotto.Spec"):
            sotto.Learner(None)

    def test_publish_if_due_and_discard(self):
        learner = sotto.Learner(SPEC, epoch=10)
        learner.take(reports(learner.model, 9, self.generator))
        self.assertFalse(learner.publish_if_due())
        learner.take(reports(learner.model, 1, self.generator))
        self.assertTrue(learner.publish_if_due())
        before = learner.model
        learner.take(reports(before, 10, self.generator))
        self.assertEqual((2, before.theta.tolist(), 10), (learner.discard().epoch, learner.model.theta.tolist(),
                                                         learner.model.reports))
        self.assertEqual(0, learner.unpublished["learn"])

    def test_threads_share_a_learner(self):
        learner = sotto.Learner(SPEC)
        groups = [reports(learner.model, 200, self.generator) for _ in range(8)]
        alone = sotto.Learner(SPEC)
        for frames in groups:
            alone.take(frames)
        threads = [threading.Thread(target=learner.take, args=(frames,)) for frames in groups * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(1600, learner.taken)
        self.assertEqual(alone.publish(), learner.publish())  # sums are exact, in any order


class Keeping(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "learner")
        generator = numpy.random.default_rng(2)
        self.learner = sotto.Learner(SPEC, horizon=5000)
        for _ in range(2):
            self.learner.take(reports(self.learner.model, 500, generator))
            self.learner.publish()
        self.frames = reports(self.learner.model, 500, generator)
        self.learner.take(self.frames[:300])

    def test_a_learner_that_was_saved_goes_on_to_the_bit(self):
        self.learner.save(self.path)
        again = sotto.Learner.load(self.path)
        also = sotto.Learner.from_bytes(TERMS, self.learner.to_bytes())
        for learner in (self.learner, again, also, pickle.loads(pickle.dumps(self.learner))):
            learner.take(self.frames[300:]).check()
            learner.publish()
            self.assertEqual(self.learner.to_bytes(), learner.to_bytes())
            self.assertEqual(self.learner.model, learner.model)
        self.assertEqual(["learner"], os.listdir(self.directory.name))

    def test_a_learner_that_was_saved_knows_what_it_has_taken(self):
        self.learner.save(self.path)
        self.assertEqual(300, sotto.Learner.load(self.path).take(self.frames[:300]).duplicates)

    def test_reports_of_an_epoch_that_is_still_open_count_once_after_a_restart(self):
        learner = sotto.Learner(SPEC)
        early = reports(learner.model, 20, numpy.random.default_rng(1))
        learner.take(early)
        learner.publish()  # epoch_lag_max is 1: reports of epoch 0 are still taken
        again = pickle.loads(pickle.dumps(learner))
        self.assertEqual([20, 20], [one.take(early).duplicates for one in (learner, again)])
        again.publish()
        self.assertEqual(20, again.take(early).refused)

    def test_damaged_files_are_refused(self):
        self.learner.save(self.path)
        with open(self.path, "rb") as file:
            data = file.read()
        for bad in (b"", b"something else", data[:-1], data[:100], data + b"x", data[:40] + bytes(8) + data[48:],
                    data[:33] + b"\xff" * 8 + data[41:]):
            with open(self.path, "wb") as file:
                file.write(bad)
            with self.assertRaisesRegex(sotto.FrameError, self.path):
                sotto.Learner.load(self.path)
        with self.assertRaises(FileNotFoundError):
            sotto.Learner.load(self.path + ".none")

    def test_bytes_of_other_terms_are_refused(self):
        data = self.learner.to_bytes()
        for bad in (data[:-1], b"", bytes(len(data))):
            with self.assertRaises(sotto.FrameError):
                sotto.Learner.from_bytes(TERMS, bad)
        with self.assertRaises(sotto.FrameError):
            sotto.Learner.from_bytes(sotto.Spec(dim=3), data)


class Uplift(unittest.TestCase):
    def test_what_the_policy_is_worth(self):
        terms = SPEC.replace(measure=0.5).terms()
        generator, learner = numpy.random.default_rng(3), sotto.Learner(terms, horizon=40000)
        for _ in range(20):
            learner.take(reports(learner.model, 2000, generator, terms, measure_share_max=0.5)).check()
            learner.publish()
        found = learner.measure(0.05)
        self.assertGreater(found.uplift.lo, 0.1)
        self.assertTrue(found.uplift.lo <= found.uplift.value <= found.uplift.hi)
        self.assertEqual([0, 1, 2], [arm.arm for arm in found.arms])
        self.assertEqual(found.control_count, sum(arm.reports for arm in found.arms))
        for arm in found.arms:
            self.assertAlmostEqual(found.follow.value - arm.mean.value, arm.uplift.value)
            self.assertLess(arm.mean.value, arm.uplift.value)
        self.assertIn("95 % at any time", str(found))
        wider = learner.measure(0.001)
        self.assertLess(wider.uplift.lo, found.uplift.lo)
        for alpha in (0, 1, -1, float("nan"), "x"):
            with self.assertRaisesRegex(sotto.FaultError, "alpha = "):
                learner.measure(alpha)

    def test_terms_without_measure_rounds(self):
        with self.assertRaisesRegex(sotto.FaultError, "no measure rounds"):
            sotto.Learner(SPEC).measure()
        harm = sotto.Learner(SPEC).harm()
        self.assertEqual((harm.verdict, harm.better_arm, harm.served_epoch), ("unknown", None, None))

    def test_harm_and_a_fallback(self):
        spec = sotto.Spec(dim=2, arms=3, epsilon=2, measure=0.5)
        for fallback, arm in ((4, "3"), (9, "8")):
            with self.assertRaisesRegex(sotto.FaultError, f"fallback = {arm}: allowed arms 0 to 2, random, none"):
                sotto.Learner(spec, fallback=fallback)
        with self.assertRaisesRegex(sotto.FaultError, "allowed only none while measure is 0"):
            sotto.Learner(sotto.Spec(dim=2, arms=3), fallback=1)
        learner = sotto.Learner(spec, fallback=2)
        self.assertEqual(learner.harm().verdict, "no")
        with self.assertRaises(sotto.OrderError):
            learner.end_fallback()


if __name__ == "__main__":
    unittest.main()
