"""OutputError, against the formula written out."""

import math
import unittest

import referee_session  # noqa: F401  (puts python/ on the path)
import torch
from cupel import compare, slices
from cupel.alike import close_repeat
from cupel.expected import Expected, LeafPrecedents
from cupel.output_errors import output_error, worst_of


def error_of(got, want):
    return compare.Comparer().leaf_error(got, Expected(want, got.dtype))


def by_formula(got, want):
    """(rms, max, worst index), as docs/equality.md has it."""
    eps, spread = torch.finfo(got.dtype).eps, want.std(correction=0)
    ulps = 1 if got.dtype in (torch.float16, torch.bfloat16) else 8
    error = ((got.double() - want).abs() - ulps * eps * want.abs()).clamp(min=0)
    rms = (error / spread).square().mean().sqrt().item()
    error /= (want - want.mean()).abs().clamp(min=spread)
    return rms, error.max().item(), int(error.argmax())


class Floats(unittest.TestCase):
    def check(self, got, want):
        error = error_of(got, want)
        rms, worst, index = by_formula(got.reshape(-1), want.reshape(-1))
        self.assertAlmostEqual(error["rms"], rms, delta=1e-9 * max(1e-9, rms))
        self.assertAlmostEqual(error["max"], worst, delta=1e-9 * max(1e-9, worst))
        self.assertEqual(error["worst_index"], index)
        self.assertEqual(error["elements"], got.numel())
        for tolerance, key in ((1e-2, "close_1e2"), (1e-4, "close_1e4")):
            plain = torch.allclose(got.double(), want, rtol=tolerance, atol=tolerance)
            self.assertEqual(error[key], plain, key)

    def test_formula_over_chunk_borders(self):
        torch.manual_seed(1)
        for count in (2, 1000, slices.CHUNK, slices.CHUNK + 1, 3 * slices.CHUNK - 5):
            want = torch.randn(count, dtype=torch.float64)
            for noise in (0.0, 3e-5, 3e-3, 0.3):
                got = (want + noise * torch.randn(count, dtype=torch.float64)).float()
                self.check(got, want)

    def test_other_dtypes_and_layouts(self):
        torch.manual_seed(2)
        want = torch.randn(40, 30, dtype=torch.float64)
        for dtype in (torch.float64, torch.float16, torch.bfloat16):
            self.check((want * 1.05).to(dtype), want)
        self.check((want.T * 1.05).float().contiguous(), want.T)

    def test_of_low_precision_the_numbers_on_both_sides_are_right_and_no_others(self):
        torch.manual_seed(3)
        want = torch.randn(40, 30, dtype=torch.float64)
        for dtype in (torch.float16, torch.bfloat16):
            rounded, eps = want.to(dtype), torch.finfo(dtype).eps
            larger = rounded.double().abs() > want.abs()
            step = torch.where(larger, -1, 1).short()
            for got in (rounded, (rounded.view(torch.int16) + step).view(dtype)):
                self.assertEqual(error_of(got, want)["rms"], 0.0)
            self.assertGreater(error_of((want * (1 + 4 * eps)).to(dtype), want)["rms"], eps)

    def test_what_is_the_references_own_is_off_by_as_much(self):
        torch.manual_seed(4)
        want = torch.randn(300, 40, dtype=torch.float64)
        own = (want * (1 + 1e-5 * torch.randn(300, 40))).float()
        comparer, expected = compare.Comparer(), Expected(want, own.dtype)
        report = comparer.own_error(own, expected)
        self.assertGreater(report["rms"], 0)
        self.assertEqual(comparer.leaf_error(own.clone(), expected), report)
        expected._own = None  # what it is off by when it is computed
        self.assertEqual(comparer.leaf_error(own, expected), report)
        other = own.clone()
        other[7, 3] += 1
        self.assertEqual(comparer.leaf_error(other, expected)["worst_index"], 7 * 40 + 3)

    def test_what_is_the_references_own_in_another_dtype_is_computed(self):
        want = torch.arange(64, dtype=torch.float64)
        comparer, expected = compare.Comparer(), Expected(want, torch.float32)
        comparer.own_error(want.float(), expected)
        self.assertEqual(comparer.leaf_error(want.clone(), expected)["max"], 0.0)

    def test_rounding_of_the_own_dtype_is_forgiven(self):
        want = torch.randn(5000, dtype=torch.float64) * 1e6
        for dtype in (torch.float32, torch.bfloat16):
            self.assertEqual(error_of(want.to(dtype), want)["max"], 0.0)

    def test_spread_of_constants(self):
        want = torch.full((100,), 3.0, dtype=torch.float64)
        self.assertEqual(error_of(want.float(), want)["spread"], 3.0)
        self.assertEqual(error_of(want.float() * 0, want * 0)["spread"], 1.0)
        self.assertEqual(error_of(torch.tensor(2.0), torch.tensor(4.0).double())["spread"], 4.0)

    def test_small_variation_on_a_large_offset_counts(self):
        want = 1000 + 1e-2 * torch.randn(1000, dtype=torch.float64)
        self.assertGreater(error_of(torch.full((1000,), 1000.0), want)["rms"], 0.8)

    def test_an_element_far_from_all_others_is_measured_by_itself(self):
        """A row of a softmax with one outlier: 511 terms of 4e-8 are lost on a thread that has
        summed 1 already."""
        torch.manual_seed(3)
        want = 1e-6 * torch.rand(100_000, dtype=torch.float64)
        want[500] = 1.0
        spread = want.std(correction=0).item()
        got = want.float()
        got[500] -= 2e-5
        self.assertAlmostEqual(error_of(got, want)["max"], 2e-5, delta=2e-6)
        got = want.float()
        got[7] += 1e-6
        self.assertAlmostEqual(error_of(got, want)["max"], 1e-6 / spread, delta=1e-9 / spread)

    def test_the_offset_of_all_is_no_reason_to_forgive(self):
        want = 1000 + torch.randn(1000, dtype=torch.float64)
        got = want + 2e-3
        self.assertGreater(error_of(got, want)["max"], 1e-3)

    def test_empty(self):
        error = error_of(torch.empty(0), torch.empty(0, dtype=torch.float64))
        self.assertEqual((error["elements"], error["max"]), (0, 0.0))

    def test_complex_outputs_are_pairs(self):
        want = torch.randn(10, dtype=torch.complex128)
        self.assertEqual(error_of(want.to(torch.complex64), want)["max"], 0.0)
        self.assertGreater(error_of(want.conj().to(torch.complex64), want)["max"], 0.1)


class Own(unittest.TestCase):
    def test_what_is_hidden_counts_where_values_lie_far_from_zero(self):
        torch.manual_seed(6)
        want = 2048 + 16 * torch.randn(4096, dtype=torch.float64)
        expected = Expected(want, torch.float32)
        error = compare.Comparer().own_error(want.float(), expected)
        self.assertEqual(error["rms"], 0.0)
        raw = (want.float().double() - want).square().mean().sqrt().item() / expected.spread
        self.assertAlmostEqual(expected.own_rms, raw - 2.0 ** -23, delta=1e-10)

    def test_of_a_single_number_it_is_what_it_usually_is(self):
        precedents, asked, comparer = LeafPrecedents(), [], compare.Comparer(least_multiple=4.0)

        def expected(value, off):
            one = Expected(torch.tensor([value], dtype=torch.float64), torch.float32)
            comparer.own_error(torch.tensor([value + off]), one, precedents=precedents)
            return one

        def learn():
            asked.append(expected(0.5 * len(asked) - 1.0, 1e-5))
            return len(asked) < 8
        lucky = expected(0.01, 0.0)
        error = comparer.leaf_error(torch.tensor([0.0101]), lucky, learn)
        self.assertAlmostEqual(lucky.own_error()["rms"], 1e-3, delta=2e-5)
        self.assertAlmostEqual(error["rms"], 1e-2, delta=1e-4)
        self.assertEqual(len(asked), 8)

    def test_and_of_one_that_is_right_nobody_asks(self):
        lucky = Expected(torch.tensor([0.01], dtype=torch.float64), torch.float32)
        comparer = compare.Comparer(least_multiple=4.0)
        comparer.own_error(torch.tensor([0.01]), lucky)
        error = comparer.leaf_error(torch.tensor([0.01 + 1e-9]), lucky, self.fail)
        self.assertLess(error["rms"], 1e-6)

    def test_and_not_beside_their_spread(self):
        want = torch.randn(4096, dtype=torch.float64)
        expected = Expected(want, torch.float32)
        compare.Comparer().own_error(want.float(), expected)
        self.assertEqual((expected.own_rms, expected.own_max), (0.0, 0.0))


class NonFinite(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.want = torch.randn(slices.CHUNK + 50, dtype=torch.float64)
        self.got = self.want.float()

    def test_agreement_by_place_is_no_error(self):
        for index, value in ((3, math.nan), (slices.CHUNK + 7, math.inf), (9, -math.inf)):
            self.want[index] = self.got[index] = value
        error = error_of(self.got, self.want)
        self.assertEqual((error["nonfinite"], error["max"]), (0, 0.0))
        self.assertTrue(error["close_1e4"])

    def test_one_side_only_counts(self):
        for got, want in ((math.nan, 1.0), (1.0, math.nan), (math.inf, -math.inf),
                          (math.nan, math.inf), (1.0, math.inf)):
            self.setUp()
            self.got[slices.CHUNK + 4], self.want[slices.CHUNK + 4] = got, want
            error = error_of(self.got, self.want)
            self.assertEqual(error["nonfinite"], 1, (got, want))
            self.assertEqual(error["worst_index"], slices.CHUNK + 4)
            self.assertFalse(error["close_1e2"])
            self.assertTrue(all(math.isfinite(float(v)) for key, v in error.items()
                                if not key.startswith(("worst_", "group_name"))))
            self.assertEqual((error["worst_got"], error["worst_want"]),
                             tuple(v if math.isfinite(v) else str(v) for v in (got, want)))

    def test_nan_is_no_wildcard(self):
        error = error_of(torch.full_like(self.got, math.nan), self.want)
        self.assertEqual(error["nonfinite"], self.got.numel())
        self.assertEqual(error["poison"], 0)

    def test_poison(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
            got = self.want.to(dtype)
            words = got.view(-1, 1).view(torch.int16)
            words[[1, slices.CHUNK + 1]] = 0xFFFD - 2 ** 16
            self.assertEqual(error_of(got, self.want)["poison"], 2)

    def test_a_nan_as_masks_of_vector_instructions_make_it_is_no_poison(self):
        got = self.want.float()
        got.view(torch.int32)[[1, slices.CHUNK + 1]] = -1
        error = error_of(got, self.want)
        self.assertEqual((error["poison"], error["nonfinite"]), (0, 2))


class Overflow(unittest.TestCase):
    """What the reference's own type cannot hold."""

    def setUp(self):
        torch.manual_seed(5)
        self.want = torch.randn(slices.CHUNK + 50, dtype=torch.float64)
        self.want[[3, slices.CHUNK + 7]] = torch.tensor([1e6, -2e6]).double()
        self.own = self.want.half()
        self.expected = Expected(self.want, torch.float16)
        self.comparer = compare.Comparer()
        self.assertEqual(self.comparer.own_error(self.own, self.expected)["nonfinite"], 0)

    def nonfinite(self, got):
        return self.comparer.leaf_error(got, self.expected)["nonfinite"]

    def test_the_reference_itself_is_right(self):
        self.assertEqual(self.nonfinite(self.own), 0)
        self.assertLess(self.expected.comparable(), 1)

    def test_infinity_of_another_sign_or_place_is_not(self):
        for place, value in ((3, -math.inf), (4, math.inf), (3, math.nan)):
            got = self.own.clone()
            got[place] = value
            self.assertEqual(self.nonfinite(got), 1)

    def test_near_the_largest_number_both_are(self):
        want = self.want.clone()
        want[9] = 65500.0
        expected = Expected(want, torch.float16)
        got = want.half()
        self.comparer.own_error(got, expected)
        got[9] = math.inf
        self.assertEqual(self.comparer.leaf_error(got, expected)["nonfinite"], 0)

    def test_what_it_cannot_hold_is_no_measure_of_the_rest(self):
        factors = 1 + 0.01 * torch.randn(4, 400)
        factors[1, 100:164] *= 1000.0  # up to 10^192, whose square no float64 holds
        want, got = factors.double().cumprod(1), torch.ones(4, 400)
        for column in range(400):
            got[:, column] = got[:, max(0, column - 1)] * factors[:, column]
        expected = Expected(want, torch.float32)
        self.comparer.own_error(want.float(), expected)
        error = self.comparer.leaf_error(got, expected)
        self.assertEqual(error["nonfinite"], 0)
        self.assertLess(error["rms"], 1e-5)
        self.assertLess(error["group"], 1000)
        worse = self.comparer.leaf_error(got * (1 + 1e-3), expected)
        self.assertGreater(worse["rms"], 1e-5)
        self.assertGreater(worse["group"], 1000)

    def test_another_arithmetic_than_the_policys_can_be_learnt(self):
        expected = Expected(self.want, torch.float16)
        self.comparer.own_error(self.want.half().nan_to_num(posinf=6e4, neginf=-6e4), expected)
        got = self.own.clone()
        got[17] = math.nan
        self.assertEqual(self.comparer.leaf_error(got, expected)["nonfinite"], 1)
        expected.know_odd(got)
        self.assertEqual(self.comparer.leaf_error(got, expected)["nonfinite"], 0)


class Integers(unittest.TestCase):
    def test_mismatches(self):
        want = torch.arange(10)
        got = want.to(torch.int32)
        self.assertEqual(error_of(got, want)["mismatched"], 0)
        got[4] = 9
        error = error_of(got, want)
        self.assertEqual((error["mismatched"], error["worst_index"]), (1, 4))
        self.assertEqual((error["worst_got"], error["worst_want"]), (9.0, 4.0))

    def test_bool_bytes_that_are_neither(self):
        want = torch.ones(4, dtype=torch.bool)
        got = torch.tensor([1, 1, 7, 1], dtype=torch.uint8).view(torch.bool)
        self.assertEqual(error_of(got, want)["mismatched"], 1)


class WorstOf(unittest.TestCase):
    def test_merges_by_leaf(self):
        one, two = ([output_error(rms=r, max=m, worst_index=i, close_1e2=c)]
                    for r, m, i, c in ((0.3, 0.5, 1, True), (0.2, 0.9, 2, False)))
        (worst,) = worst_of([one, two])
        self.assertEqual((worst["rms"], worst["max"], worst["worst_index"]), (0.3, 0.9, 2))
        self.assertFalse(worst["close_1e2"])


class Repeats(unittest.TestCase):
    """Two runs on one input."""

    def test_those_of_nothing_are_close(self):
        nothing = torch.zeros(3, 0)
        expected = Expected(nothing.double(), torch.float32)
        self.assertTrue(close_repeat(nothing, nothing, expected, 0.0))

    def test_what_is_not_finite_must_be_at_the_same_places(self):
        one = torch.tensor([1.0, math.inf, 1e308], dtype=torch.float64)
        expected = Expected(one, torch.float64)
        self.assertTrue(close_repeat(one, one.clone(), expected, 1e-9))
        self.assertFalse(close_repeat(one, one.flip(0), expected, 1e-9))
        self.assertFalse(close_repeat(one, one * torch.tensor([1, 1, -1]), expected, 1e-9))


if __name__ == "__main__":
    unittest.main()
