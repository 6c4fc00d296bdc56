#!/usr/bin/env python3
"""sotto inspect, and the binary's manners."""
import json
import math
import os
import struct
import subprocess
import unittest
from pathlib import Path

from directory_case import DirectoryCase
from sotto_binary import SOTTO, codeword, identity_lines, sotto

GOLDEN = Path(os.environ["GOLDEN"])
ID, NONCE = bytes(range(16)), bytes(range(16, 32))
CODEWORD = ("inspect", "codeword", "--spec-id", ID.hex(), "--nonce", NONCE.hex())


class Codeword(unittest.TestCase):
    def test_integers_follow_from_the_definition(self):
        for dim, size, index, arm in [(1, 2, 0, 0), (2, 2, 1, 0), (20, 64, 5, 0), (20, 64, 37, 0),
                                      (33, 1024, 1000, 7), (100, 4096, 2048, 1023)]:
            result = sotto(*CODEWORD, "--dim", dim, "--codebook-size", size, "--index", index, "--arm", arm)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([int(x) for x in result.stdout.split()],
                             codeword(ID, NONCE, dim, size, index, arm))

    def test_json_is_an_array(self):
        result = sotto(*CODEWORD, "--dim", 4, "--codebook-size", 64, "--index", 3, "--json")
        self.assertEqual(json.loads(result.stdout), codeword(ID, NONCE, 4, 64, 3))

    def test_bad_input(self):
        for words, part in [
            ((*CODEWORD, "--dim", 4, "--codebook-size", 64, "--index", 64), "--index = 64"),
            ((*CODEWORD, "--dim", 4, "--codebook-size", 63, "--index", 1), "even"),
            ((*CODEWORD, "--dim", 4, "--codebook-size", 64), "--index is needed"),
            (("inspect", "codeword", "--spec-id", "zz" * 16, "--nonce", NONCE.hex(), "--dim", 4,
              "--codebook-size", 64, "--index", 1), "32 hexadecimal digits"),
            (("inspect", "codeword", "--spec-id", "00", "--nonce", NONCE.hex(), "--dim", 4,
              "--codebook-size", 64, "--index", 1), "32 hexadecimal digits"),
            (("inspect", "codework"), "did you mean codeword?"),
            (("inspect",), "name what to inspect: spec, report, model, tally, codeword, ledger"),
            (("inspect", "report"), "needs a FILE and --spec"),
        ]:
            result = sotto(*words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(part, result.stderr)


class Frames(DirectoryCase):
    def setUp(self):
        super().setUp()
        self.spec = self.directory / "terms.spec"
        made = sotto("inspect", "spec", "--dim", 3, "--arms", 2, "--epsilon", 1, "--json", "--out", self.spec)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.facts = json.loads(made.stdout)
        self.id = bytes.fromhex(self.facts["spec_id"])

    def inspect(self, what, frame, *more):
        file = self.directory / "frame"
        file.write_bytes(frame)
        return sotto("inspect", what, file, *more)

    def test_a_spec_file_reads_back_the_same(self):
        again = sotto("inspect", "spec", self.spec, "--json")
        self.assertEqual(json.loads(again.stdout), self.facts)
        self.assertEqual(self.spec.stat().st_size, 284)
        self.assertEqual((self.facts["main_size"], self.facts["main_top"]), (64, 24))
        self.assertEqual(self.facts["report_bytes"], 42)

    def test_what_shuffling_adds(self):
        found = sotto("inspect", "spec", self.spec, "--shuffle", 1000, "--json")
        facts = json.loads(found.stdout)
        self.assertEqual({name: facts[name] for name in self.facts}, self.facts)
        self.assertEqual((facts["shuffle_reports"], facts["shuffle_delta"]), (1000, 1e-6))
        self.assertTrue(0.13 < facts["shuffle_epsilon"] < 0.15, facts)
        self.assertIn("a party other than the server", facts["shuffle_conditions"])
        weaker = json.loads(sotto("inspect", "spec", "--dim", 3, "--arms", 2, "--epsilon", 1, "--json", "--shuffle", 1000,
                                  "--delta", 1e-3).stdout)
        self.assertEqual(weaker["spec_id"], facts["spec_id"])
        self.assertLess(weaker["shuffle_epsilon"], facts["shuffle_epsilon"])
        shown = sotto("inspect", "spec", self.spec, "--shuffle", 1000).stdout
        self.assertIn(facts["shuffle_conditions"], " ".join(shown.split()))
        for words, part in [
            (("inspect", "spec", self.spec, "--shuffle", 0), "--shuffle = 0"),
            (("inspect", "spec", self.spec, "--shuffle", 10, "--delta", 0), "--delta = 0: allowed 1e-15"),
            (("inspect", "spec", self.spec, "--delta", 0.1), "only beside --shuffle"),
            (("inspect", "spec", "--method", "ldp-ols", "--score", "moments", "--delta", 1e-6, "--shuffle", 10), "not for lattice reports"),
        ]:
            result = sotto(*words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(part, result.stderr)

    def test_a_report_in_words(self):
        frame = b"STR1" + self.id + struct.pack("<I", 9) + NONCE + struct.pack("<H", 63)
        result = self.inspect("report", frame, "--spec", self.spec, "--json")
        self.assertEqual(json.loads(result.stdout), {"spec_id": self.id.hex(), "epoch": 9,
                                                     "nonce": NONCE.hex(), "index_0": 63})
        self.assertIn("already private", self.inspect("report", frame, "--spec", self.spec).stdout)

    def test_a_model_in_words(self):
        frame = b"STM1\x01\x01\0\0" + self.id + struct.pack("<IQ6d", 2, 500, 3, 4, 0, 0, 0, 1)
        facts = json.loads(self.inspect("model", frame, "--spec", self.spec, "--json").stdout)
        self.assertEqual((facts["epoch"], facts["phase"], facts["reports"]), (2, "main", 500))
        self.assertEqual((facts["theta"], facts["tbar"]), ([3, 4, 0], [0, 0, 1]))
        self.assertIn("3 numbers, norm 5", self.inspect("model", frame, "--spec", self.spec).stdout)

    def test_the_largest_count_of_reports_is_printed_as_it_is(self):
        facts = json.loads(sotto("inspect", "model", GOLDEN / "model_gloc.bin", "--spec", GOLDEN / "spec_gloc.bin",
                                 "--json").stdout)
        self.assertEqual(facts["reports"], 2**63 + 5)
        self.assertEqual(len(facts["theta_h"]), 6)

    def test_nulls_are_told_of_terms_reports_and_tallies(self):
        plain = json.loads(sotto("inspect", "spec", GOLDEN / "spec_default.bin", "--json").stdout)
        self.assertEqual({name: value for name, value in plain.items() if "null" in name}, {"main_nulls": 0})
        spec = self.directory / "nulls.spec"
        made = sotto("inspect", "spec", "--dim", 5, "--arms", 2, "--epsilon", 4, "--reward-kind", "binary",
                     "--reward-rate", 0.02, "--json", "--out", spec)
        facts = json.loads(made.stdout)
        m, k, b = (facts[f"main_{name}"] for name in ("size", "top", "scale"))
        self.assertEqual(facts["main_nulls"], k)
        a, e = 2 * 0.02 * 0.98 / 0.98, math.exp(4)
        q = (a * (k * e + m - k) + (1 - a) * m) / (k * e + m)
        self.assertAlmostEqual(facts["main_score_size"], a)
        self.assertAlmostEqual(facts["main_null_share"], 1 - q)
        self.assertAlmostEqual(facts["main_variance"], b * b * q)

        ident = bytes.fromhex(facts["spec_id"])
        for index, null in [(0, False), (m - 1, False), (m, True), (m + k - 1, True)]:
            frame = b"STR1" + ident + struct.pack("<I", 9) + NONCE + struct.pack("<H", index)
            report = json.loads(self.inspect("report", frame, "--spec", spec, "--json").stdout)
            self.assertEqual((report["index_0"], report["null_main"]), (index, null))
            self.assertNotIn("null_warm_up", report)
        frame = b"STR1" + ident + struct.pack("<I", 9) + NONCE + struct.pack("<H", m + k)
        self.assertEqual(self.inspect("report", frame, "--spec", spec).returncode, 1)

        tally = b"STT2" + ident + struct.pack("<IBBHQQ", 3, 1, 0, 0, 40, 30) + bytes(8 * 5)
        words = json.loads(self.inspect("tally", tally, "--spec", spec, "--json").stdout)
        self.assertEqual((words["epoch"], words["phase"], words["reports"], words["not_null"]), (3, "main", 40, 30))
        self.assertEqual(words["null_share"], 0.25)
        for bad in (tally[:-1], tally + b"\0", tally[:28] + struct.pack("<Q", 20) + tally[36:]):
            self.assertEqual(self.inspect("tally", bad, "--spec", spec).returncode, 1)
        self.assertIn("needs a FILE and --spec", sotto("inspect", "tally").stderr)

    def test_nulls_of_each_phase_are_told_apart(self):
        spec = self.directory / "arms.spec"
        made = sotto("inspect", "spec", "--dim", 6, "--arms", 5, "--epsilon", 4, "--reward-kind", "binary",
                     "--parameters", "per-arm", "--reward-rate", 0.5, "--json", "--out", spec)
        facts = json.loads(made.stdout)
        first, later = facts["warm_up_size"], facts["main_size"]
        self.assertLess(first, later)
        self.assertEqual(facts["mean_nulls"], 0)
        frame = b"STR1" + bytes.fromhex(facts["spec_id"]) + struct.pack("<I", 9) + NONCE + struct.pack("<H", first)
        report = json.loads(self.inspect("report", frame, "--spec", spec, "--json").stdout)
        self.assertEqual((report["null_warm_up"], report["null_main"]), (True, False))

    def test_the_mean_phase_and_its_g_are_shown(self):
        facts = json.loads(sotto("inspect", "spec", GOLDEN / "spec_mean.bin", "--json").stdout)
        self.assertEqual((facts["mean_dim"], facts["mean_size"], facts["mean_top"]), (3, 64, 24))
        facts = json.loads(sotto("inspect", "model", GOLDEN / "model_mean.bin", "--spec", GOLDEN / "spec_mean.bin",
                                 "--json").stdout)
        self.assertEqual(facts["g"], [0.875, -1, 1.125])

    def test_bad_frames_fail_with_the_reason(self):
        good = b"STR1" + self.id + struct.pack("<I", 9) + NONCE + struct.pack("<H", 63)
        for frame, part in [(good[:-1], "not a valid frame"), (good + b"\0", "not a valid frame"),
                            (b"XXXX" + good[4:], "not a valid frame"), (b"", "not a valid frame"),
                            (good[:4] + bytes(16) + good[20:], "another spec"),
                            (good[:-2] + b"\x40\0", "not below the size")]:
            result = self.inspect("report", frame, "--spec", self.spec)
            self.assertEqual(result.returncode, 1)
            self.assertIn(part, result.stderr)
        longer = (GOLDEN / "report_ticks.bin").read_bytes()
        self.assertIn("another spec", self.inspect("report", longer, "--spec", self.spec).stderr)
        self.assertIn("4 bytes: terms have 284", self.inspect("spec", b"STS2").stderr)
        self.assertIn("terms of version 1: this library reads version 2",
                      self.inspect("spec", b"STS1" + bytes(204)).stderr)
        spec = bytearray(self.spec.read_bytes())
        spec[172 + 20] += 1
        self.assertIn("main weight_top = 729683223: epsilon 1 allows 2^28 to 729683222",
                      self.inspect("spec", bytes(spec)).stderr)
        spec[4] = 0
        self.assertIn("dim = 0: allowed 1 to 1024", self.inspect("spec", bytes(spec)).stderr)
        self.assertIn("No such file", sotto("inspect", "spec", self.directory / "nowhere").stderr)
        self.assertEqual(sotto("inspect", "spec", "--dim", 3, "--out", "/nowhere/at/all").returncode, 1)

    def test_a_method_with_one_score_need_not_name_it(self):
        for words, score in ((("sotto-ols",), "moments"), (("ldp-sgd",), "gradient"), (("best-arm", "--shuffle", 10), "reward"),
                             (("ldp-gloc", "--delta", 1e-6), "gloc-pair")):
            found = json.loads(sotto("inspect", "spec", "--json", "--method", *words).stdout)
            self.assertEqual(found["score"], score)

    def test_a_spec_that_cannot_be_names_field_value_and_range(self):
        for words, part in [
            (("--epsilon", 9), "epsilon = 9: allowed 0.01 to 8"),
            (("--method", "ldp-ols"), "delta = 0: allowed 1e-12 to 0.5"),
            (("--reward-kind", "binary", "--score", "sign"), "not for binary rewards; use self"),
            (("--dim", 1024, "--arms", 1024), "--dim x --arms is at most 65536"),
            (("--method", "sotto-old"), "did you mean sotto-ols?"),
            (("--reward-range", "1,0"), "--reward-range = 1, 0: the first must be at least 1e-6 below the second"),
            (("--reward-range", "1"), "--reward-range = 1: allowed LO,HI"),
            (("--spec", "x"), "--spec does not apply to a spec"),
            ((GOLDEN / "spec_default.bin", "--epsilon", 2), "--epsilon does not apply to a spec from a file"),
        ]:
            result = sotto("inspect", "spec", *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(part, result.stderr)

    def test_golden_specs_are_read(self):
        files = sorted(GOLDEN.glob("spec_*.bin"))
        self.assertTrue(files)
        for file in files:
            self.assertEqual(sotto("inspect", "spec", file).returncode, 0, file)


    def test_counts_have_the_score_of_their_link(self):
        count = ("inspect", "spec", "--reward-kind", "count")
        for words, score in [
            ((), "centred"),
            (("--link", "identity"), "self"),
            (("--score", "self"), "self"),
        ]:
            result = sotto(*count, *words, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["score"], score, words)
        result = sotto(*count, "--score", "centred", "--link", "identity")
        self.assertEqual(result.returncode, 2)
        self.assertIn("score = centred", result.stderr)

    def test_every_term_can_be_given(self):
        words = ("--reward-range", "2,5", "--context-norm-max", 3, "--theta-norm-max", 4, "--score", "huber",
                 "--huber-tau", 0.25, "--epoch-reports-max", 7, "--window", 8, "--lag", 2)
        facts = json.loads(sotto("inspect", "spec", *words, "--json").stdout)
        wanted = {"reward_lo": 2, "reward_hi": 5, "reward_default": 2, "context_norm_max": 3, "theta_norm_max": 4,
                  "score": "huber", "huber_tau": 0.25, "epoch_reports_max": 7, "window_reports": 8,
                  "epoch_lag_max": 2, "allow_weak_delta": False}
        self.assertEqual({name: facts[name] for name in wanted}, wanted)


class Ledger(DirectoryCase):
    """The golden ledger, which Python wrote: three rounds, two reports, epsilon 1 + 0.5 + 1."""

    def setUp(self):
        super().setUp()
        self.path = self.directory / "person.ledger"
        self.path.write_bytes((GOLDEN / "ledger_rounds.bin").read_bytes())
        self.path.chmod(0o600)

    def refused(self, part, code=1, *words):
        result = sotto("inspect", "ledger", *(words or (self.path,)))
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertIn(part, result.stderr)

    def test_refusals_say_why(self):
        self.refused("needs a FILE", 2, "--json")
        self.refused("--epsilon does not apply to a ledger", 2, self.path, "--epsilon", 1)
        self.refused("--delta = 0.6: allowed 0 to 0.5", 2, self.path, "--delta", 0.6)
        self.refused("cannot be found: No such file", 1, self.path.parent / "nothing")
        self.refused("cannot be found: No such file", 1, self.path.parent / "nothing", "--json")
        self.refused("is not a regular file", 1, self.path.parent)
        self.path.chmod(0o644)
        self.refused("mode 644: others may read or write it")
        self.path.chmod(0o600)
        whole = self.path.read_bytes()
        for at, part in [(0, "head block 0: not a ledger"), (4100, "head block 1: wrong checksum"),
                         (8192 + 20, "entry 1 at byte 8192: wrong digest")]:
            self.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            self.refused(part)
        self.path.write_bytes(whole[:-1])
        self.refused(f"cut short: {len(whole) - 1} bytes of {len(whole)}")

    def test_what_was_spent(self):
        result = sotto("inspect", "ledger", self.path, "--json")
        self.assertEqual(json.loads(result.stdout), {
            "rounds": 3, "reports": 2, "unsent": 2, "dropped": 0, "open_rounds": 1, "epsilon_basic": 2.5,
            "delta_basic": 1e-6, "delta_total": 1e-5, "epsilon_total": 2.5, "composition": "basic"})
        self.assertIn("spent nevertheless", " ".join(sotto("inspect", "ledger", self.path).stdout.split()))

    def test_what_waits_and_what_was_dropped(self):
        self.path.write_bytes((GOLDEN / "ledger_due.bin").read_bytes())
        facts = json.loads(sotto("inspect", "ledger", self.path, "--json").stdout)
        wanted = {"rounds": 4, "reports": 3, "unsent": 1, "dropped": 2, "open_rounds": 1}
        self.assertEqual({name: facts[name] for name in wanted}, wanted)
        self.assertIn("given up", sotto("inspect", "ledger", self.path).stdout)

    def test_optimal_composition_counts_where_it_is_smaller(self):
        facts = json.loads(sotto("inspect", "ledger", self.path, "--delta", 0.4, "--json").stdout)
        self.assertEqual((facts["composition"], facts["delta_total"]), ("optimal", 0.4))
        self.assertLess(facts["epsilon_total"], 2.5)

    def test_no_epsilon_holds_below_the_sum_of_deltas(self):
        result = sotto("inspect", "ledger", self.path, "--delta", 0)
        self.assertRegex(result.stdout, r"epsilon_total +inf [^\n]*\ncomposition +none ")


class Manners(unittest.TestCase):
    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_output_that_cannot_be_written_is_a_failure(self):
        for words in (("--help",), ("--version",), ("inspect", "spec"), ("inspect", "--help")):
            with open("/dev/full", "w") as full:
                code = subprocess.run([SOTTO, *words], stdout=full, stderr=subprocess.DEVNULL).returncode
            self.assertEqual(code, 1, words)

    def test_help_is_found_however_it_is_asked_for(self):
        wanted = sotto("privatise", "--help").stdout
        for words in (("help", "privatise"), ("privatise", "-h"), ("privatise", "--nonsense", "--help")):
            self.assertEqual(sotto(*words).stdout, wanted)
        self.assertEqual(sotto("-h").stdout, sotto("--help").stdout)
        self.assertEqual(sotto("help", "nonsense").returncode, 2)

    def test_help_version_and_no_command(self):
        self.assertIn("privatise", sotto("--help").stdout)
        self.assertEqual(sotto("--version").stdout, identity_lines("sotto"))
        self.assertEqual(sotto().returncode, 2)
        self.assertEqual(sotto("inspect", "--help").returncode, 0)


class Calibration(unittest.TestCase):
    def test_the_paper_s_claim_holds_where_its_true_epsilon_is_no_larger(self):
        rows = json.loads(sotto("inspect", "calibration", "--json").stdout)
        self.assertEqual(len(rows), 4 * 4 * 6)
        for row in rows:
            self.assertEqual(row["holds"], row["true_epsilon"] <= row["epsilon"], row)
        for epsilon, holds in ((5.73, True), (5.75, False)):
            row, = json.loads(sotto("inspect", "calibration", "--epsilon", epsilon, "--delta", 0.1,
                                    "--context-norm-max", 1, "--json").stdout)
            self.assertEqual(row["holds"], holds)

    def test_bad_numbers_are_refused(self):
        for words in (("--delta", 0), ("--epsilon", 51), ("--arms", 3), ("a.file",)):
            self.assertEqual(sotto("inspect", "calibration", *words).returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
