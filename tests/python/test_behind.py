"""What integers and booleans hang on, and what is right among them."""

import math
import unittest

import referee_session  # noqa: F401  (puts python/ on the path)
import torch
from cupel import compare
from cupel.behind import Watch
from cupel.expected import Expected, grain_of


class Behind(unittest.TestCase):
    def judge(self, function, x, got, own=None):
        """The error of `got`: `function` is the reference, `own` its operand as it computes it."""
        wide = Watch()
        with wide:
            want = function(x.double())
        narrow = Watch()
        with narrow:
            answers = function(x if own is None else own)
        expected = Expected(want, want.dtype, grain_of(torch.float32),
                                    wide.behind(want))
        comparer = compare.Comparer()
        comparer.own_error(answers, expected, narrow.behind(answers))
        return comparer.leaf_error(got, expected), want

    def assert_right(self, function, x, got, own=None):
        error, _ = self.judge(function, x, got, own)
        self.assertEqual(error["mismatched"], 0)
        self.assertLess(error["group"], 32)

    def assert_wrong(self, function, x, got, own=None):
        error, _ = self.judge(function, x, got, own)
        self.assertTrue(error["mismatched"] or error["group"] > 32 or error["nonfinite"]
                        or error["rms"] > 0.1, error)

    def setUp(self):
        torch.manual_seed(1)
        self.x = torch.randn(64, 50)


class Indices(Behind):
    def test_the_largest_is_right_and_another_is_not(self):
        for function in (lambda x: x.argmax(1), lambda x: torch.max(x, dim=1).indices,
                         lambda x: x.max(1, keepdim=True)[1].squeeze(1).int(),
                         lambda x: torch.topk(x, 3, dim=1).indices[:, 0],
                         lambda x: x.sort(dim=1, descending=True)[1][:, 0],
                         lambda x: x.t().argmax(dim=0)):
            right = function(self.x)
            self.assert_right(function, self.x, right)
            self.assert_wrong(function, self.x, (right + 1) % 50)
            self.assert_wrong(function, self.x, right * 0)

    def test_one_wrong_row_counts(self):
        got = self.x.argmax(1)
        got[9] = self.x[9].argmin()
        self.assert_wrong(lambda x: x.argmax(1), self.x, got)

    def test_places_that_do_not_exist(self):
        got = self.x.argmax(1)
        got[3] = 50
        self.assert_wrong(lambda x: x.argmax(1), self.x, got)

    def test_the_first_of_equals_where_that_is_promised(self):
        x = self.x.round().clamp(-1, 1)
        last = 49 - x.flip(1).argmax(1)
        self.assert_wrong(lambda x: x.argmax(1), x, last)
        self.assert_wrong(lambda x: torch.max(x, 1).indices, x, last)
        self.assert_right(lambda x: x.argmax(1), x, x.argmax(1))
        stable = x.sort(dim=1, stable=True).indices
        other = 49 - x.flip(1).sort(dim=1, stable=True).indices
        self.assert_right(lambda x: x.sort(dim=1, stable=True).indices, x, stable)
        self.assert_wrong(lambda x: x.sort(dim=1, stable=True).indices, x, other)

    def test_what_was_made_of_indices_is_as_right_as_a_place_of_it(self):
        for made in (lambda index: index // 10, lambda index: index % 10,
                     lambda index: torch.div(index, 5, rounding_mode="floor") % 5 + 1,
                     lambda index: index.floor_divide_(10).int()):
            def function(x, made=made):
                return made(x.topk(4, dim=1).indices)
            right = function(self.x)
            self.assert_right(function, self.x, right)
            other = right.clone()
            others = made(torch.arange(50))
            other[9, 2] = next(number for number in others if number not in right[9])
            self.assert_wrong(function, self.x, other)
            self.assert_wrong(function, self.x, right + 50)
            equal = torch.zeros(64, 50)
            self.assert_right(function, equal, made(50 - 1 - equal.topk(4, dim=1).indices))
            self.assert_wrong(function, equal, right * 0 + 77)

    def test_what_was_made_of_a_place_that_no_row_may_be_taken_for(self):
        """A beam that is masked is none, whatever else is infinite or NaN."""
        for odd in (9.0, math.inf, math.nan):
            x = self.x[:4].clone()
            x[:, 30:], x[0, 0] = -math.inf, odd
            def function(x):
                return x.topk(2, 1).indices // 10
            right = function(x)
            self.assert_right(function, x, right)
            masked = right.clone()
            masked[0, 0] = 4
            self.assert_wrong(function, x, masked)
            beyond = right.clone()
            beyond[1, 1] = 7
            self.assert_wrong(function, x, beyond)

    def test_of_all_places_that_it_can_be_made_of_the_nearest_counts(self):
        x = self.x[:20].clone()
        x[3, 5], x[4, 7], x[5, :30], x[6] = math.inf, math.nan, -math.inf, x[6].round()
        watch = Watch()
        with watch:
            made = x.topk(6, 1).indices % 7
        behind, want, made_of = watch.behind(made), made.reshape(-1), torch.arange(50) % 7
        got = torch.randint(0, 7, want.shape)
        wanted, given = behind.wanted(want), behind.given(got, want)
        for place in (got != want).nonzero().view(-1).tolist():
            numbers = x[place // 6][made_of == got[place]].double()
            alike = (numbers == wanted[place]) | (numbers.isnan() & wanted[place].isnan())
            off = (numbers - wanted[place]).abs().nan_to_num(math.inf).masked_fill(alike, 0.0)
            best = numbers[off == off.min()]
            self.assertTrue(bool(((best == given[place]) | best.isnan()).any()), place)

    def test_no_place_is_named_twice_in_other_words(self):
        x = self.x.round().clamp(-1, 1)
        def function(x):
            return x.topk(4, 1).indices + 1
        right = function(x)
        self.assert_right(function, x, right)
        self.assert_wrong(function, x, right[:, :1].expand(64, 4))

    def test_what_is_made_of_indices_leaves_them_alone(self):
        """The operations are done again, on copies."""
        def moves(x):
            at = x.topk(1, 1).indices
            (at % 10).squeeze_(1)
            return (at // 10)[:, 0]

        def writes_later(x):
            word = x.topk(4, 1).indices % 10
            kept = word.int()
            word.add_(100)
            return kept

        def writes_to_the_index(x):
            at = x.topk(4, 1).indices
            word = at % 10
            at.floor_divide_(10)
            return word

        def writes_elsewhere(x):
            buffer = torch.zeros((), dtype=torch.int64)
            torch.add(x[0].argmax(), 1, out=buffer)
            return buffer

        def narrows(x):
            return x.repeat(1, 8).argmax(1).to(torch.uint8) // 10
        for function in (moves, writes_later, writes_to_the_index, writes_elsewhere, narrows):
            want = function(self.x)
            self.assert_right(function, self.x, want)
            other = (function(-self.x) if want.dim() else want + 1).expand(want.shape)
            self.assert_wrong(function, self.x, other)

    def test_what_two_choices_make_is_compared_as_it_is(self):
        watch = Watch()
        with watch:
            both = self.x.argmax(1) + 100 * self.x[0].argmax()
        self.assertIsNone(watch.behind(both))

    def test_ties_of_many_columns_take_no_time_for_each(self):
        """Of 128 rows of 2048 all places are others, as of the class ties."""
        x = torch.randint(0, 3, (128, 2048)).float()
        def function(x):
            return x.argsort(1) % 64
        other = (2047 - x.flip(1).argsort(dim=1, stable=True)) % 64
        self.assert_right(function, x, other)

    def test_what_was_made_of_the_first_of_equals(self):
        x = self.x.round().clamp(-1, 1)
        last = 49 - x.flip(1).argmax(1)
        self.assert_wrong(lambda x: x.argmax(1) % 10, x, last % 10)
        self.assert_right(lambda x: x.argmax(1) % 10, x, x.argmax(1) % 10)

    def test_any_of_equals_where_nothing_is_promised(self):
        x = self.x.round().clamp(-1, 1)
        other = 49 - x.flip(1).sort(dim=1, stable=True).indices
        self.assert_right(lambda x: x.sort(dim=1).indices, x, other)
        self.assert_right(lambda x: torch.topk(-x, 4).indices, x, other[:, :4])
        self.assert_wrong(lambda x: x.sort(dim=1).indices, x, other[:, :1].expand(64, 50).clone())

    def test_what_hangs_on_rounding(self):
        """Two columns that differ by less than the reference's own rounding."""
        self.x[:, 7] = 9
        self.x[:, 30] = 9.000001
        own = self.x.clone()
        own[:, 7] = 9.000002
        got = torch.full((64,), 7)
        self.assert_right(lambda x: x.argmax(1), self.x, got, own)
        self.assert_wrong(lambda x: x.argmax(1), self.x, torch.full((64,), 8), own)

    def test_of_all_elements(self):
        at = self.x.argmax()
        self.assert_right(lambda x: torch.argmax(x), self.x, at)
        self.assert_wrong(lambda x: torch.argmax(x), self.x, at * 0)


class Others(Behind):
    def test_comparisons_have_one_answer_where_nothing_is_rounded(self):
        function = lambda x: x > 0.5  # noqa: E731
        got = function(self.x)
        self.assert_right(function, self.x, got)
        got[5, 5] = ~got[5, 5]
        self.assert_wrong(function, self.x, got)

    def test_comparisons_near_the_edge_hang_on_rounding(self):
        self.x[:, 3] = 0.5 + 1e-7
        own = self.x.clone()
        own[:, 3] = 0.5 - 1e-7
        own += 1e-8 * torch.randn_like(own)
        got = self.x > 0.5
        got[:, 3] = torch.rand(64) < 0.5
        self.assert_right(lambda x: x > 0.5, self.x, got, own)
        self.assert_wrong(lambda x: x > 0.5, self.x, ~got, own)

    def test_conversions(self):
        function = lambda x: (x * 10).long()  # noqa: E731
        self.assert_right(function, self.x, function(self.x))
        self.assert_wrong(function, self.x, function(self.x) + 1)
        self.x[4] = 0.3
        got = function(self.x.double())
        got[4] = 3 - (got[4] == 3).long()
        self.assert_right(function, self.x, got)

    def test_rounded_numbers_hang_on_what_they_were(self):
        scale = self.x.abs().amax() / 127
        for function in (lambda x: torch.round(x / scale).clamp(-127, 127).to(torch.int8),
                         lambda x: (x / scale).round_().clamp_(min=-127).add_(3).char(),
                         lambda x: (x / scale).floor().int(),
                         lambda x: torch.ceil(x / scale).long()):
            right = function(self.x)
            near = function(self.x * (1 + 1e-7 * torch.randn_like(self.x)))
            self.assert_right(function, self.x, near)
            self.assert_wrong(function, self.x, right + (torch.rand(64, 50) < 0.01))

    def test_a_shift_that_is_no_number_in_one_row_hides_no_other_row(self):
        def function(x):
            by = 127 / x.abs().amax(dim=1, keepdim=True)
            return (x * by).round().add(torch.round(x[:, :1] * by)).clamp(-99, math.inf).int()
        self.x[7, 3] = math.nan
        self.x[0, 4:6] = torch.tensor([127.0, 42.5 - 4e-6])
        right = function(self.x)
        near = right.clone()
        near[0, 5] += 1
        self.assert_right(function, self.x, near)
        self.assert_wrong(function, self.x, right + (torch.rand(64, 50) < 0.01))

    def test_no_limit_may_be_an_infinity(self):
        function = lambda x: (x * 9).round().clamp(-math.inf, math.inf).int()  # noqa: E731
        self.assert_right(function, self.x, function(self.x))

    def test_what_was_rounded_and_then_scaled_in_place_is_another_thing(self):
        watch = Watch()
        with watch:
            want = torch.round(self.x.double()).mul_(7.3).long()
        behind = watch.behind(want).wanted(want)
        self.assertTrue(torch.equal(behind, self.x.double().round().mul(7.3).view(-1)))

    def test_a_half_is_decided_where_nothing_is_rounded(self):
        function = lambda x: (x / 2).round().int()  # noqa: E731
        x = torch.randint(-9, 9, (64, 50)).float()
        up = torch.floor(x / 2 + 0.5).int()
        self.assert_right(function, x, function(x))
        self.assert_wrong(function, x, up)
        y = self.x.clone()
        y[0, 0] = 5.0
        half = lambda x: (x / 3).mul(0.9).round().int()  # noqa: E731
        got = half(y)
        got[0, 0] = 1  # 1.5 in both arithmetics, or next to it
        self.assert_right(half, y, got)

    def test_what_is_not_known_is_compared_as_it_is(self):
        function = lambda x: (x > 0).sum(dim=1)  # noqa: E731
        error, want = self.judge(function, self.x, function(self.x) + (torch.arange(64) == 4))
        self.assertEqual(error["mismatched"], 1)

    def test_the_references_own_answer_is_never_wrong(self):
        function = lambda x: (x > 0).sum(dim=1)  # noqa: E731
        own = self.x.clone()
        own[3] = 1
        self.assert_right(function, self.x, function(own), own)


if __name__ == "__main__":
    unittest.main()
