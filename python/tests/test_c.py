"""Between Python and C: bad numbers, arrays and names are refused before C sees them."""

import unittest

import numpy

import sotto
from sotto import _c
from sotto._lab import ffi, lib


class Numbers(unittest.TestCase):
    def test_whole_numbers(self):
        self.assertEqual([5, 100000, 7], [_c.whole("n", value, 0, 10**6) for value in (5, 1e5, numpy.uint8(7))])
        for bad in (1.5, "5", None, True, numpy.bool_(True), float("nan"), float("inf"), [5]):
            with self.assertRaisesRegex(sotto.FaultError, "n = .*: expected a whole number"):
                _c.whole("n", bad, 0, 10)
        with self.assertRaisesRegex(sotto.FaultError, r"n = 11: allowed 0 to 10"):
            _c.whole("n", 11, 0, 10)

    def test_real_numbers(self):
        self.assertEqual(0.5, _c.real("x", numpy.float32(0.5)))
        for bad in ("1", None, True, float("nan"), 1j, [1, 2]):
            with self.assertRaisesRegex(sotto.FaultError, "x = .*: expected a number"):
                _c.real("x", bad)

    def test_numbers_that_are_too_large_for_words(self):
        with self.assertRaisesRegex(sotto.FaultError, "n = a number of 16610 bits: allowed 0 to 10"):
            _c.whole("n", 10**5000, 0, 10)
        with self.assertRaisesRegex(sotto.FaultError, "x is a number beyond the range of float"):
            _c.real("x", 10**5000)


class Arrays(unittest.TestCase):
    def test_an_array_that_c_can_read_is_not_copied(self):
        given = numpy.ones((3, 2))
        self.assertIs(given, _c.vector("x", given, None, 2))

    def test_others_are_copied(self):
        wide = numpy.arange(24.0).reshape(4, 6)
        for given in (wide[:, ::2], wide.T, wide.astype("f4"), wide.astype(int), wide.astype(">f8"), wide.tolist()):
            found = _c.vector("x", given, None, None)
            self.assertTrue(found.flags.c_contiguous and found.dtype == numpy.float64)
            numpy.testing.assert_array_equal(found, numpy.asarray(given, dtype=float))

    def test_what_is_behind_a_mask_is_not_read(self):
        _c.vector("x", numpy.ma.array([1.0, 2.0], mask=[False, False]), None)
        with self.assertRaisesRegex(sotto.FaultError, "x: some numbers are masked"):
            _c.vector("x", numpy.ma.array([1.0, 2.0], mask=[False, True]), None)

    def test_what_is_no_array_of_numbers_is_refused(self):
        for bad, why in (([[1, 2], [3]], "expected numbers"), (["a"], "expected numbers"), ([1j], "expected numbers"),
                         (numpy.array([1, None]), "expected numbers, not object"), ([[1.0]], "shape"), (1.0, "shape"),
                         ([1.0, numpy.nan], r"x\[1\] = nan: expected finite"), ([numpy.inf], r"x\[0\] = inf")):
            with self.assertRaisesRegex(sotto.FaultError, why):
                _c.vector("x", bad, None)
        with self.assertRaisesRegex(sotto.FaultError, r"x has shape \(2, 3\): expected n x 4"):
            _c.vector("x", numpy.ones((2, 3)), None, 4)


class Structs(unittest.TestCase):
    def test_fields_by_name(self):
        spec = ffi.new("sotto_spec *", lib.sotto_spec_default(lib.SOTTO_REWARD_BINARY))
        _c.put(spec[0], {"dim": 3, "link": "logit", "epsilon": 1.5, "allow_weak_delta": True})
        found = _c.get(spec[0])
        self.assertEqual((3, "logit", 1.5, True), tuple(found[name] for name in ("dim", "link", "epsilon", "allow_weak_delta")))

    def test_bad_fields_are_named(self):
        spec = ffi.new("sotto_spec *")
        for values, why in (({"epsilom": 1}, "epsilom: there is no such setting; did you mean 'epsilon'?"),
                            ({"link": "logitt"}, "link = 'logitt': allowed identity, logit, probit, log; did you mean 'logit'?"),
                            ({"dim": -1}, "dim = -1: allowed 0 to 4294967295"), ({"dim": 2**32}, "allowed 0 to 4294967295"),
                            ({"epsilon": "1"}, "epsilon = '1': expected a number"),
                            ({"allow_weak_delta": 1}, "allow_weak_delta = 1: expected True or False"),
                            ({"link": ["logit"]}, "link = ['logit']: allowed")):
            with self.assertRaises(sotto.FaultError) as caught:
                _c.put(spec[0], values)
            self.assertIn(why, str(caught.exception))

    def test_statuses_are_exceptions(self):
        _c.check(lib.SOTTO_OK)
        with self.assertRaisesRegex(sotto.BudgetError, "privacy budget"):
            _c.check(lib.SOTTO_E_BUDGET)
        with self.assertRaises(sotto.PolicyError):
            _c.check(lib.SOTTO_E_BUDGET)
        with self.assertRaisesRegex(sotto.LedgerError, "mine"):
            _c.check(lib.SOTTO_E_LEDGER, "mine")


if __name__ == "__main__":
    unittest.main()
