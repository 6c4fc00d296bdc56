#!/usr/bin/env python3
"""The second learner has the same bits as the library for many kinds of terms; and it detects a
fault in folding that a replay with the library misses, because the library has it too."""
import os
import pathlib
import random
import struct
import subprocess
import unittest
import unittest.mock

from directory_case import DirectoryCase
import replay_journal
import second_learner
from replay_journal import Damage, Journal, learn, sha256
from second_client import Terms
from soak import SEED

GOLDEN = pathlib.Path(os.environ["GOLDEN"])
# Arguments of `sotto inspect spec`, and the number of reports of each epoch.
KINDS = {
    "of the kill tests": ("--dim 2 --arms 3 --reward-kind binary --link logit --epsilon 1", (300, 1, 0, 20)),
    "sign": ("--dim 1 --arms 2 --epsilon 8", (1, 1, 1, 50)),
    "sign, four sums": ("--dim 33 --arms 2 --epsilon 2 --theta-norm-max 0.01", (400, 30)),
    "huber": ("--dim 7 --arms 2 --score huber --huber-tau 0.5 --epsilon 5", (200, 200)),
    "self, identity link": ("--dim 3 --arms 4 --reward-kind binary --link identity --epsilon 1", (64, 100, 128)),
    "centred": ("--dim 4 --arms 2 --reward-kind count --link log --epsilon 3", (500, 20)),
    "a window": ("--dim 2 --arms 2 --epsilon 1 --window 100", (80, 50, 300)),
    "more at once than it goes through": ("--dim 2 --arms 2 --epsilon 1", (4096, 4097, 6000)),
    "more at once, first": ("--dim 2 --arms 2 --epsilon 8", (5000,)),
}


def first_learner(terms):
    """The learner before any report, after section 11 of docs/formats.md; the settings are those of
    a golden file."""
    spec_id, d = terms.id, terms.dim
    golden = (GOLDEN / "learner_default.bin").read_bytes()
    model = struct.pack("<4sBBH16sIQ", b"STM1", 1, 1, 0, spec_id, 0, 0) + bytes(16 * d)
    tally = second_learner.Tally(0, d).encode(spec_id)
    blocks = [(1, golden[28:28 + struct.unpack_from("<I", golden, 24)[0]]), (2, model), (3, bytes(8)), (5, tally)]
    data = b"STK1" + spec_id + b"".join(struct.pack("<II", kind, len(body)) + body for kind, body in blocks)
    return data + sha256(data)[:16]


class Second(DirectoryCase):
    def setUp(self):
        super().setUp()
        self.draw = random.Random(SEED)

    def terms(self, words):
        file = self.directory / "terms"
        subprocess.run([os.environ["SOTTO"], "inspect", "spec", *words.split(), "--lag", "2", "--out", file], check=True,
                       capture_output=True, timeout=60)
        return file.read_bytes()

    def people(self, model, count):
        (self.directory / "model").write_bytes(model)
        words = [os.environ["PEOPLE"], self.directory / "terms", self.directory / "model", str(count), str(self.draw.getrandbits(32))]
        return subprocess.run(words, capture_output=True, timeout=60, check=True).stdout

    def commands(self, words, sizes):
        """People follow the models; some reports are late, and one epoch is discarded."""
        data = self.terms(words)
        terms = Terms(data)
        self.assertTrue(second_learner.covers(terms), words)
        commands = [(b"T", data), (b"L", first_learner(terms))]
        kept = b""
        for size in sizes:
            model = bytes.fromhex(learn(commands).split("end ")[1].split()[1])
            frames = self.people(model, size) if size else b""
            late = 42 * min(5, size // 4)
            commands += [(b"F", kept + frames[late:]), (b"S", b""), (b"P", b""), (b"S", b"")]
            kept = frames[:late]
        return [*commands, (b"F", kept), (b"D", b""), (b"P", b"")]

    def test_it_has_the_bits_of_the_library(self):
        for name, (words, sizes) in KINDS.items():
            with self.subTest(name):
                before = second_learner.compared
                learn(self.commands(words, sizes))
                self.assertGreater(second_learner.compared, before)

    def test_terms_that_it_does_not_cover_are_named(self):
        for words in ("--dim 5 --arms 3 --reward-kind binary --link logit --epsilon 1",  # tracked
                      "--dim 2 --arms 3 --epsilon 1 --parameters per-arm", "--dim 2 --arms 3 --epsilon 1 --measure 0.1",
                      "--dim 2 --arms 3 --epsilon 1 --method ldp-sgd --score gradient"):
            self.assertFalse(second_learner.covers(Terms(self.terms(words))), words)

    def test_a_fault_in_folding_is_seen_though_the_library_has_it_on_both_sides(self):
        commands = self.commands(*KINDS["of the kill tests"])
        with unittest.mock.patch.dict(os.environ, REPLAY_LEARNER=os.environ["REPLAY_LEARNER_TWICE"]):
            with self.assertRaisesRegex(Damage, "and the second learner has"):
                learn(commands)

    @unittest.skipUnless("TWICE_SOTTOD" in os.environ, "sottod is not built")
    def test_a_service_with_that_fault_is_seen_in_its_journal(self):
        import sottod
        with unittest.mock.patch.object(sottod, "SOTTOD", os.environ["TWICE_SOTTOD"]), \
                unittest.mock.patch.dict(os.environ, REPLAY_LEARNER=os.environ["REPLAY_LEARNER_TWICE"]), \
                sottod.Service("--keep-reports") as service:
            experiment = service.create({}, {"epoch": 300})
            self.assertEqual(service.post(experiment, service.frames(experiment, 300)).status, 204)
            self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] == 1))
            told, counts = service.model(experiment), service.counts(experiment)
            self.assertEqual(service.stop(), 0)
            with unittest.mock.patch.object(replay_journal.second_learner, "compare", lambda *_: ""):
                replay = Journal(service.directory).replay(experiment)
            self.assertEqual(((replay.epoch, replay.model), replay.counts), (told, counts))  # as if all were well
            self.assertEqual(counts["folded"], 300)
            with self.assertRaisesRegex(Damage, "and the second learner has"):
                Journal(service.directory).replay(experiment)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
