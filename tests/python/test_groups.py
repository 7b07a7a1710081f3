"""Groups of alike parts: what the spread of all would hide."""

import math
import unittest

import referee_session  # noqa: F401  (puts python/ on the path)
import torch
from cupel import compare, groups, slices
from cupel.expected import Expected, LeafPrecedents, grain_of

UNIT = torch.finfo(torch.float32).eps
SINGLE = 2.0 ** -8


def group_of(got, want, own, policy="eager"):
    """The error of the worst group, in multiples of what `own` is off by."""
    return error_of(got, want, own, policy)["group"]


def error_of(got, want, own, policy="eager", least_multiple=math.inf):
    """`least_multiple`: what is off by more is looked at again."""
    expected = Expected(want, got.dtype, grain_of(got.dtype, policy))
    comparer = compare.Comparer(least_multiple=least_multiple)
    comparer.own_error(own, expected)
    return comparer.leaf_error(got, expected)


class Names(unittest.TestCase):
    def test_of_slices_with_the_worst_one(self):
        torch.manual_seed(4)
        want = torch.randn(40, 50, dtype=torch.float64)
        want[7] *= 1e-6
        got = want.float()
        got[7] = 0
        self.assertEqual(error_of(got, want, want.float())["group_name"],
                         "slices along dimension 0 of about 1e-06 (most of it in 7)")

    def test_of_elements(self):
        torch.manual_seed(5)
        want = torch.randn(64, 96, dtype=torch.float64)
        want[torch.rand(64, 96) < 0.3] *= 1e-9
        got = torch.where(want.abs() < 1e-7, 0.0, want).float()
        self.assertRegex(error_of(got, want, want.float())["group_name"],
                         r"^elements of about \d?e-\d\d$|^elements of about")

    def test_what_is_right_has_none(self):
        want = torch.randn(64, 96, dtype=torch.float64)
        self.assertEqual(error_of(want.float(), want, want.float())["group_name"], "")


class Few(unittest.TestCase):
    """Outputs of a handful of numbers."""

    def test_small_ones_beside_a_large_one_count(self):
        want = torch.tensor([6e6, 0.8, 1.0, 4.5, 0.5, 0.4], dtype=torch.float64)
        own = want.float()
        got = torch.where(want < 1e3, 0.0, want).float()
        self.assertGreater(group_of(got, want, own), 1e6)
        self.assertEqual(group_of(own * (1 + 3e-7), want, own), 0.0)
        self.assertEqual(group_of(got, want, own.bfloat16().float(), "half"), 0.0)

    def test_one_next_to_zero_may_be_off_by_rounding(self):
        """Sums of 256 terms in another order, one of them a thousandth of what it could be."""
        torch.manual_seed(8)
        for _ in range(200):
            terms = torch.randn(8, 256)
            terms[3] -= terms[3].mean() * 0.999
            want = terms.double().sum(1)
            self.assertLess(group_of(terms.cumsum(1)[:, -1], want, terms.sum(1)), 8)


class Luck(unittest.TestCase):
    """Two rows, of one element each, that the reference happened to get right."""

    def multiple(self, usual, least_multiple=4.0):
        """Of a program that leaves them out. `usual`: what the reference is off by in such rows
        on other inputs of the class, in sizes of the row. And how many inputs were asked for."""
        torch.manual_seed(6)
        precedents, asked = LeafPrecedents(), []
        comparer = compare.Comparer(least_multiple=least_multiple)

        def expected(off):
            want = torch.rand(60, 28, dtype=torch.float64) + 0.1
            want[3:5] = 0
            want[3:5, 7] = 5e-6
            own = want * (1 + 2.0 ** -12 * torch.randn_like(want))
            own[3:5, 7] += off * 5e-6
            one = Expected(want, torch.float32, grain_of(torch.float32, "tf32"))
            comparer.own_error(own.float(), one, precedents=precedents)
            return one

        def learn():
            if len(asked) == 3:
                return False
            asked.append(expected(usual))
            return True

        lucky = expected(0.01)
        got = lucky.want.reshape(60, 28).float()
        got[3:5] = 0
        return comparer.leaf_error(got, lucky, learn)["group"], len(asked)

    def test_is_not_looked_into_where_the_judge_refuses_nothing(self):
        multiple, asked = self.multiple(usual=1.0, least_multiple=1e9)
        self.assertEqual(asked, 0)
        self.assertGreater(multiple, 4)

    def test_tells_nothing_of_a_program(self):
        self.assertEqual(self.multiple(20.0), (0.0, 1))

    def test_is_none_where_it_is_so_on_other_inputs_too(self):
        multiple, asked = self.multiple(0.01)
        self.assertGreater(multiple, 30)
        self.assertEqual(asked, 3)


class Clamped(unittest.TestCase):
    """Of few rows a clamp left one small element each: rounding before it is larger than these."""

    def refused(self, lucky):
        """Of 24 programs that are off by nine sizes there, and a reference that has zeros, but
        the part `lucky` of one of these elements. Its error there is large by chance, too."""
        refused = 0
        for seed in range(24):
            generator = torch.Generator().manual_seed(seed)
            want = torch.rand(512, 64, generator=generator, dtype=torch.float64)
            want[:256] = 0
            few = 1 + seed % 4
            want[:few, 7] = 1e-6 * 4.0 ** (3 * torch.rand(few, generator=generator))
            own, got = want.clone(), want.clone()
            own[:few] = 0
            own[0, 7] = lucky * want[0, 7]
            got[:few, 7] *= 10
            refused += error_of(got.float(), want, own.float(), "tf32", 4.0)["group"] > 4
        return refused

    def test_two_draws_of_one_chance_tell_nothing(self):
        self.assertEqual([self.refused(lucky) for lucky in (0.0, 0.25)], [0, 0])

    def test_what_the_reference_knows_better_is_compared(self):
        self.assertGreater(self.refused(0.99), 0)

    def test_of_many_more_is_known(self):
        """A small head of sums that cancel, in which the reference is off by 0.7 of what is there,
        and a program by four times that."""
        generator = torch.Generator().manual_seed(5)
        want = torch.randn(64, 32, generator=generator, dtype=torch.float64)
        want[:, 16:] *= 1e6
        own, got = want.clone(), want.clone()
        noise = torch.randn(2, 64, 16, generator=generator, dtype=torch.float64)
        own[:, :16] += 0.7 * noise[0]
        got[:, :16] += 3.5 * noise[1]
        self.assertGreater(group_of(got.float(), want, own.float(), "tf32"), 4)


class Flushed(unittest.TestCase):
    def test_a_product_of_what_was_flushed_to_zero_may_be_zero(self):
        x = torch.linspace(-95, -80, 64 * 96, dtype=torch.float64).view(64, 96)
        want = torch.cat([torch.randn(64, 96, dtype=torch.float64), x * torch.exp(x)])
        got = want.float()
        got[64:][torch.exp(x) < 2.0 ** -126] = 0
        self.assertEqual(group_of(got, want, want.float()), 0.0)
        larger = want * 1e10
        got = larger.float()
        got[64:] = 0
        self.assertGreater(group_of(got, larger, larger.float()), 4)


class Scatter(unittest.TestCase):
    """One element in a hundred is off by two hundred times what the others are."""

    def multiple(self, off, least_multiple=4.0, shape=(1 << 16,)):
        """Of a program that is off by so much in one lone small element, or row."""
        torch.manual_seed(3)
        want = 10 ** (-6 * torch.rand(shape, dtype=torch.float64))
        want[5] = 3e-9
        sizes = torch.where(torch.rand(shape[0]) < 0.01, 200.0, 1.0).double()
        sizes = sizes.view(-1, *[1] * (len(shape) - 1))
        own = want + 1e-4 * sizes * torch.randn(shape, dtype=torch.float64)
        got = want + 1e-4 * sizes * torch.randn(shape, dtype=torch.float64)
        got[5] = want[5] + off
        return error_of(got.float(), want, own.float(), least_multiple=least_multiple)["group"]

    def test_a_single_element_may_be_one_of_those(self):
        self.assertGreater(self.multiple(0.04, least_multiple=math.inf), 8)
        self.assertLess(self.multiple(0.04), 4)
        self.assertGreater(self.multiple(0.4), 4)

    def test_so_may_a_row(self):
        self.assertGreater(self.multiple(0.03, math.inf, (1 << 12, 16)), 8)
        self.assertLess(self.multiple(0.03, 4.0, (1 << 12, 16)), 4)

    def test_what_scatters_alike_is_held_to_the_rms(self):
        torch.manual_seed(3)
        want = torch.randn(1 << 14, dtype=torch.float64)
        own = (want + 1e-3 * torch.randn_like(want)).float()
        got = (want + 6e-3 * torch.randn_like(want)).float()
        self.assertGreater(error_of(got, want, own, least_multiple=4.0)["group"], 4)


class Worst(unittest.TestCase):
    def test_is_the_worst_of_all_groups_though_few_are_looked_at_again(self):
        """Against the plain formula, of a wrong program: it is off in every group."""
        looks = []
        for seed in range(20):
            torch.manual_seed(seed)
            want = torch.randn(4096, dtype=torch.float64).mul_(4).exp_()
            own, off = (torch.randn_like(want) * 6e-8 * want for _ in range(2))
            own[0] = 1e-3 * want[0]
            cells = groups.elements_of(want, 1024, grain_of(torch.float32, "eager"))
            cells.settle(cells.by_band(own.square()), groups.Precedents())
            squares = cells.by_band((1e7 * off).square())

            def own_squares():
                looks.append(seed)
                return own.square()
            plain = []
            for group, error, own_error in zip(cells.groups, cells.errors(squares), cells.own()):
                left = error - SINGLE / math.sqrt(group.elements)
                if left / (own_error + UNIT) > 4.0:
                    own_error *= cells._scatter(group, own.square())
                plain.append(left / (own_error + UNIT))
            multiple, group = cells.worst(squares, 4.0, own_squares)
            self.assertEqual(multiple, max(plain))
            self.assertIs(group, cells.groups[plain.index(multiple)])
            self.assertEqual(cells.worst(squares, 4.0, self.fail, 1e9), (1e9, None))
        self.assertEqual(looks, sorted(set(looks)))


class Outliers(unittest.TestCase):
    """Where inputs were made to hold some, a transform may spread the rounding of the largest."""

    def multiples(self, got_of):
        torch.manual_seed(9)
        want = torch.randn(64, 96, dtype=torch.float64)
        want.view(-1)[:16] = 3e5
        expected = Expected(want, torch.float32)
        comparer = compare.Comparer()
        comparer.own_error(want.float(), expected)
        found = [comparer.leaf_error(got_of(want).float(), expected)["group"]]
        expected.round_by_the_largest()
        return found + [comparer.leaf_error(got_of(want).float(), expected)["group"]]

    def test_rounding_of_the_largest_is_granted(self):
        before, after = self.multiples(lambda want: want + 3e5 * UNIT * torch.randn_like(want))
        self.assertGreater(before, 1000)
        self.assertLess(after, 32)

    def test_zeros_beside_them_are_not(self):
        self.assertGreater(self.multiples(lambda want: torch.where(want > 1e5, want, 0.0))[1], 32)


class Multiples(unittest.TestCase):
    def test_formula_of_slices(self):
        torch.manual_seed(4)
        want = torch.randn(40, 50, dtype=torch.float64)
        want[7] *= 1e-6
        own, got = want.float(), want.float()
        own[7] *= 1 + 1e-4
        got[7] *= 1 + 1e-2
        row = want[7]
        weight = row.square().sum() ** 2 / row.pow(4).sum()
        error, off = (((leaf[7].double() - row).square().sum() / row.square().sum()).sqrt().item()
                      for leaf in (got, own))
        wanted = (error - SINGLE / math.sqrt(weight)) / (off + UNIT)
        self.assertAlmostEqual(group_of(got, want, own), wanted, delta=1e-6 * wanted)

    def test_elements_far_smaller_than_others(self):
        torch.manual_seed(5)
        want = torch.randn(64, 96, dtype=torch.float64)
        want[torch.rand(64, 96) < 0.3] = -1e30
        own, got = want.float(), want.float()
        self.assertEqual(group_of(own, want, own), 0.0)
        got[got > -1e29] = 0
        self.assertGreater(group_of(got, want, own), 1e6)

    def test_zeros_beside_masks_are_wrong_in_half_too(self):
        torch.manual_seed(6)
        want = torch.randn(64, 96, dtype=torch.float64)
        want[torch.rand(64, 96) < 0.3] = -1e30
        got = torch.where(want < -1e29, want, 0.0).float()
        self.assertGreater(group_of(got, want, want.bfloat16().float(), "half"), 40)

    def test_short_rows(self):
        torch.manual_seed(7)
        want = torch.randn(512, 16, dtype=torch.float64)
        want[torch.rand(512) < 0.5] *= 1e-9
        own, got = want.float(), want.float()
        got[want.abs().amax(dim=1) < 1e-6] = 0
        self.assertGreater(group_of(got, want, own), 1e6)

    def test_a_few_beside_masks_are_no_chance_where_other_rows_have_none(self):
        torch.manual_seed(7)
        for mask, shown, other in ((-1e4, 8, 0), (-1e9, 2, 0), (-1e30, 1, 0), (-1e9, 7, 300)):
            want = torch.randn(512, 16, dtype=torch.float64)
            want[9, shown:] = mask
            if other:  # no excuse for what lies beside larger ones
                want[77, 1:] = other
            own, got = want.float(), want.float()
            got[9, :shown] = 0
            with self.subTest(mask=mask):
                self.assertGreater(group_of(got, want, own), 1e3)

    def test_rows_of_tensors(self):
        """Each slice along a dimension has rows of both sizes."""
        torch.manual_seed(8)
        want = torch.randn(32, 32, 16, dtype=torch.float64)
        small = torch.rand(32, 32) < 0.5
        want[small] *= 1e-9
        own, got = want.float(), want.float()
        got[small] *= 1.001
        self.assertGreater(group_of(got, want, own), 1000)

    def test_chunks_and_rows_longer_than_one(self):
        for shape in ((3000, 100), (3, slices.CHUNK + 17), (2, 3, 70000)):
            torch.manual_seed(9)
            want = torch.randn(shape, dtype=torch.float64)
            want[1] *= 1e-5
            own, got = want.float(), want.float()
            got[1] *= 1.5
            with self.subTest(shape=shape):
                self.assertGreater(group_of(got, want, own), 1e5)

    def test_what_must_be_zero_is_held_to_the_smallest(self):
        want = torch.tensor([0.0] * 500 + [1.0] * 500, dtype=torch.float64)
        got = want.float()
        got[:500] = 0.1
        self.assertGreater(group_of(got, want, want.float()), 1e4)


class Forgiven(unittest.TestCase):
    """Honest arithmetic, whatever the size."""

    def check(self, got, want, own, policy="eager"):
        self.assertLess(group_of(got, want, own, policy), 32 if policy == "eager" else 4)

    def test_the_ends_of_a_tail_are_held_to_what_is_more(self):
        """Two elements, far from one another and from all others."""
        torch.manual_seed(6)
        x = torch.randn(128, 256)
        x[x.abs() < 3e-4] = 0.5
        x[3, 5], x[4, 6] = 1e-8, 1e-6
        want, e = torch.tanh(x.double()), torch.exp(2 * x)
        self.assertLess(group_of((e - 1) / (e + 1), want, torch.tanh(x)), 32)

    def test_an_element_as_small_as_other_rows_by_chance(self):
        """tanh through exp is off by the rounding of one there, as by the largest of its row."""
        x = torch.randn(512, 16, generator=torch.Generator().manual_seed(7))
        quiet = torch.arange(512) % 2 == 0
        x[101, 3] = 1e-8
        factor = torch.where(quiet, 1e-9, 1.0).unsqueeze(1)
        want, own, e = x.double().tanh() * factor, x.tanh() * factor, torch.exp(2 * x)
        self.check((e - 1) / (e + 1) * factor, want, own)
        for rows in (quiet, ~quiet & (torch.arange(512) < 99)):
            left_out = torch.where(rows.unsqueeze(1), 0.0, own)
            self.assertGreater(group_of(left_out, want, own), 1e4)

    def test_the_rounding_of_one_where_values_are_near_zero(self):
        torch.manual_seed(10)
        x = torch.randn(1 << 18, dtype=torch.float64)
        e = torch.exp(2 * x.float())
        self.check((e - 1) / (e + 1), x.tanh(), x.float().tanh())
        x *= 16
        self.check(0.5 * (1 + torch.tanh(x.float() / 2)), x.sigmoid(), x.float().sigmoid())

    def test_the_order_of_terms(self):
        torch.manual_seed(11)
        a, b = torch.randn(2, 256, 256, dtype=torch.float64)
        total = torch.zeros(256, 256)
        for i in range(256):
            total += a.float()[:, i:i + 1] * b.float()[i]
        self.check(total, a @ b, a.float() @ b.float())

    def test_one_element_that_comes_out_of_a_cancellation(self):
        torch.manual_seed(12)
        want = torch.randn(128, 96, dtype=torch.float64)
        want[:, 7] = 0
        want[3, 7] = 1e-4
        own, got = want.float(), want.float()
        got[3, 7] *= 1.003
        self.check(got, want, own)

    def test_underflow_of_half(self):
        torch.manual_seed(13)
        want = torch.randn(4096, dtype=torch.float64)
        want[::2] *= 1e-7
        self.check(want.half().float(), want, want.bfloat16().float(), "half")

    def test_nothing_to_group(self):
        for want in (torch.zeros(40, 40).double(), torch.randn(0, 4).double(),
                     torch.randn(5, 6).double()):
            self.assertEqual(group_of(want.float(), want, want.float()), 0.0)

    def test_agreed_infinities_leave_the_rest_as_it_is(self):
        torch.manual_seed(14)
        want = torch.randn(64, 64, dtype=torch.float64)
        want[:, 0] *= 1e-8
        want[3, 3], want[4, 4] = math.inf, math.nan
        own, got = want.float(), want.float()
        self.check(got, want, own)
        got[:, 0] = 0
        self.assertGreater(group_of(got, want, own), 1e4)


class Hopeless(unittest.TestCase):
    def test_groups_of_cancellation_are_named(self):
        torch.manual_seed(15)
        want = torch.randn(64, 64, dtype=torch.float64)
        want[:, 5] *= 1e-8
        own = (want + 1e-8 * torch.randn_like(want)).float()
        expected = Expected(want, torch.float32)
        compare.Comparer().own_error(own, expected)
        names = expected.hopeless()
        self.assertTrue(any(name.startswith("slices along dimension 1") for name in names), names)
        self.assertFalse([name for name in names if name.endswith("e+00")])


class Bands(unittest.TestCase):
    def test_numbers_whose_squares_no_float64_holds(self):
        want = torch.randn(40, 50, dtype=torch.float64)
        want[3] *= 1e200
        got = want.float()  # infinite there
        self.assertLess(group_of(got, want, got), 1)

    def test_edges(self):
        sizes = torch.tensor([0.0, 1.0, 3.9, 4.0, -5.0, math.inf, math.nan, 1e-40]).double()
        bands = groups._bands(sizes, 1).tolist()
        self.assertEqual(bands[0], 0)
        self.assertEqual(bands[5:7], [0, 0])
        self.assertGreater(bands[3], bands[1])
        self.assertEqual(bands[3], bands[4])
        self.assertGreater(bands[7], 0)


if __name__ == "__main__":
    unittest.main()
