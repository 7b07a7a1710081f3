"""Which NaN and infinities an output must show, and which are a matter of the formula."""

import gc
import unittest
import unittest.mock
import weakref

import torch
import torch.nn.functional as F
from cupel import compare
from cupel.failures import TaskFailure
from cupel.swallowing import Spoils, Twins
from test_oracle import instance_of, model_of

CONVOLUTION = "self.c = torch.nn.Conv2d(3, 8, 3, padding=1)"


def pooled(x, larger):
    """Windows of 4 by 4, by a function of two numbers."""
    n, c, h, w = x.shape
    windows = x.view(n, c, h // 4, 4, w // 4, 4).transpose(3, 4).reshape(n, c, h // 4, w // 4, 16)
    best = windows[..., 0]
    for at in range(1, 16):
        best = larger(best, windows[..., at])
    return best


def convolved_by_fft(model, x):
    products = torch.fft.rfft2(F.pad(x, (1, 1, 1, 1)))[:, None] * \
        torch.fft.rfft2(model.c.weight.flip(2, 3), s=(18, 18))
    y = torch.fft.irfft2(products.sum(2), s=(18, 18))[:, :, 2:, 2:]
    return y + model.c.bias.view(-1, 1, 1)


class Swallowing(unittest.TestCase):
    def wrong(self, body, program, init=""):
        """How many elements of `program(model, x)` count, `body` being the reference; x: 8 samples
        of (3, 16, 16), of which the second holds a NaN, the fourth both infinities."""
        instance, _, task = instance_of(model_of(f"return {body}", "8, 3, 16, 16", init))
        torch.manual_seed(4)
        (x,) = task.make_inputs()
        x[1, 0, 5, 5], x[3, 1, 7, 2], x[3, 2, 9, 9] = torch.nan, torch.inf, -torch.inf
        (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
        comparer = compare.Comparer()
        comparer.own_error(instance.run([x.clone()], [], "eager")[0], expected)
        with torch.no_grad():
            return comparer.leaf_error(program(instance.model, x), expected)["nonfinite"]

    def assert_right(self, body, program, init=""):
        self.assertEqual(self.wrong(body, program, init), 0, body)

    def test_a_choice_shows_the_nan_among_what_it_chooses_from(self):
        pool = "torch.nn.functional.max_pool2d(x, 4)"
        self.assert_right(pool, lambda _, x: pooled(x, torch.maximum))
        self.assertEqual(self.wrong(pool, lambda _, x: pooled(x, torch.fmax)), 1)
        self.assert_right("x.flatten(1).amax(1)", lambda _, x: x.flatten(1).max(1).values)
        self.assertEqual(self.wrong("x.flatten(1).amax(1)",
                                    lambda _, x: x.nan_to_num(-9.0, torch.inf).flatten(1).amax(1)),
                         1)
        self.assertGreater(self.wrong("x.cummax(-1).values",
                                      lambda _, x: x.nan_to_num(-9.0).cummax(-1).values), 1)

    def test_what_the_reference_leaves_out_need_not_show(self):
        self.assert_right("torch.fmax(x, x.flip(0))", lambda _, x: torch.fmax(x.flip(0), x))
        self.assert_right("(x.flip(-1) * torch.eye(16)).amax(-1)", lambda _, x: torch.where(
            torch.eye(16, dtype=torch.bool), x.flip(-1), 0.0).amax(-1))

    def test_a_choice_behind_sums_shows_it_too(self):
        body = "torch.nn.functional.max_pool2d(torch.relu(self.c(x)), 4)"
        self.assert_right(body, lambda model, x: pooled(torch.relu(convolved_by_fft(model, x)),
                                                        torch.maximum), CONVOLUTION)
        self.assertGreater(self.wrong(
            body, lambda model, x: pooled(torch.relu(model.c(x)), torch.fmax), CONVOLUTION), 7)

    def test_a_sample_that_hangs_on_it_through_a_choice_alone_is_no_clean_one(self):
        """A limit hides what stands for the infinity; 0 times it is NaN in another formula."""
        body = "torch.clamp(self.c(x) + 50, max=1)"

        def with_zero_taps(model, x):
            weight = F.pad(model.c.weight, (1, 1, 1, 1))
            return torch.clamp(F.conv2d(x, weight, model.c.bias, padding=2) + 50, max=1)

        self.assert_right(body, with_zero_taps, CONVOLUTION)
        self.assertGreater(self.wrong(body, lambda model, x: torch.clamp(
            model.c(x) + 0 * x.sum() + 50, max=1), CONVOLUTION), 1000)

    def test_a_sample_whose_function_is_flat_is_no_clean_one(self):
        flat = "torch.sigmoid(self.c(x) - 1e4)"
        self.assert_right(flat, lambda model, x: torch.sigmoid(convolved_by_fft(model, x) - 1e4),
                          CONVOLUTION)
        self.assertGreater(self.wrong(flat, lambda model, x: torch.sigmoid(
            model.c(x) + 0 * x.sum() - 1e4), CONVOLUTION), 0)

    def test_what_is_replaced_is_decided(self):
        """No formula makes a NaN of what a choice has put away."""
        body = "self.c(torch.nan_to_num(x, 0.0, 2.0, -2.0))"
        self.assert_right(body, lambda model, x: model(x), CONVOLUTION)
        self.assertGreater(self.wrong(body, lambda model, x: model.c(x), CONVOLUTION), 100)
        self.assertEqual(self.wrong("torch.relu(x)", lambda _, x: x * (x > 0)), 1)
        self.assertEqual(self.wrong("torch.relu(x)", lambda _, x: torch.where(
            x.isinf(), torch.nan, x.relu())), 2)

    def test_other_formulas_may_spoil_what_is_computed(self):
        for body, program in (
                ("torch.tanh(x)", lambda _, x: ((2 * x).exp() - 1) / ((2 * x).exp() + 1)),
                ("torch.nn.functional.softplus(x)", lambda _, x: x + (1 + (-x).exp()).log()),
                ("x - x.mean(-1, keepdim=True)", lambda _, x: x @ (torch.eye(16) - 1 / 16)),
                ("x.softmax(-1)", lambda _, x: (x - x.amax(-1, keepdim=True)).exp() / (
                    x - x.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True))):
            self.assert_right(body, program)
        self.assert_right("torch.relu(self.c(x))",
                          lambda model, x: torch.relu(convolved_by_fft(model, x)), CONVOLUTION)

    def test_a_loop_over_steps_may_be_a_product_elsewhere(self):
        body = ("torch.stack([s for s in [torch.zeros(8, 3, 16)] for t in range(16) "
                "for s in [0.5 * s + x[..., t]]], -1)")
        decay = 0.5 ** (torch.arange(16.0) - torch.arange(16.0)[:, None])
        self.assert_right(body, lambda _, x: x @ decay.triu())

    def test_a_transform_moves_rounding_everywhere_and_nothing_else(self):
        self.assert_right("torch.relu(torch.fft.irfft(torch.fft.rfft(x) * 2))",
                          lambda _, x: torch.relu(x * 2))

    def test_writing_in_place(self):
        body = "(x.clone().add_(1).relu_().max(-1).values, x.zero_())[0]"
        self.assert_right(body, lambda _, x: (x + 1).relu().amax(-1))
        self.assertEqual(self.wrong(body, lambda _, x: (x + 1).relu().nan_to_num(
            0.0, torch.inf).amax(-1)), 1)
        body = ("torch.zeros(8, 3, 16).copy_(x.select(3, 5))"
                ".index_add_(1, torch.arange(3), x[..., 0])")
        self.assert_right(body, lambda _, x: x[..., 5] + x[..., 0])


NEAREST = """
class Model(torch.nn.Module):
    def forward(self, x, rows):
        return rows[(x[:, None] - rows[None]).square().sum(-1).argmin(1)]
def get_inputs():
    return [torch.randn(64, 8), torch.randn(32, 8)]
"""


class AmongInfinities(unittest.TestCase):
    """What hangs on a place among infinities that were computed is a matter of the formula."""

    def nonfinite(self, odd, leaf, program, other=0.0):
        instance, _, task = instance_of(NEAREST)
        torch.manual_seed(1)
        inputs = task.make_inputs()
        inputs[leaf][5, 3], inputs[1][9, 2] = odd, other
        (expected,) = instance.expected_on("nonfinite", inputs, [], "eager")
        comparer = compare.Comparer()
        own = instance.run([tensor.clone() for tensor in inputs], [], "eager")
        comparer.own_error(own[0], expected)
        error = comparer.leaf_error(program(*inputs), expected)
        return error["nonfinite"] + 64 * (error["max"] > 0.01)

    def test_the_nearest_by_another_formula(self):
        def by_product(x, rows):
            return rows[(rows.square().sum(1) - 2 * x @ rows.t()).argmin(1)]
        for odd in (torch.nan, torch.inf, -torch.inf):
            for leaf in (0, 1):
                self.assertEqual(self.nonfinite(odd, leaf, by_product), 0, (odd, leaf))
                self.assertEqual(self.nonfinite(odd, leaf, by_product, torch.nan), 0, (odd, leaf))

    def test_but_a_nan_is_the_nearest(self):
        def by_comparisons(x, rows):
            distances = torch.cdist(x, rows).nan_to_num(torch.inf, torch.inf)
            return rows[distances.argmin(1)]
        self.assertGreater(self.nonfinite(torch.nan, 1, by_comparisons), 0)

    def test_and_other_samples_are_as_ever(self):
        def another(x, rows):
            return rows[torch.cdist(x, rows).argmin(1)].roll(1, 0)
        self.assertGreater(self.nonfinite(torch.inf, 0, another), 0)


class MultipliedByZero(unittest.TestCase):
    """Weights of a softmax, some of which a mask makes zero, times values."""
    BODY = ("torch.softmax(x[:, 0].masked_fill(torch.arange(8) > 5, -torch.inf), -1)[:, None]"
            " @ x[:, 1:].transpose(1, 2)")

    def nonfinite(self, place, program):
        """What counts of `program(scores, values)`, each of six places: the first score is an
        infinity, and the value at `place` is a NaN."""
        instance, _, task = instance_of(model_of(f"return {self.BODY}", "4, 9, 8"))
        (x,) = task.make_inputs()
        x[0, 0, 0], x[0, 3, place] = -torch.inf, torch.nan
        (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
        got = program(torch.softmax(x[:, 0, :6], -1)[:, None], x[:, 1:, :6].transpose(1, 2))
        return compare.Comparer().leaf_error(got, expected)["nonfinite"]

    def test_a_nan_that_is_multiplied_by_zero_may_be_left_out(self):
        self.assertEqual(self.nonfinite(7, torch.matmul), 0)

    def test_nobody_asks_what_hangs_on_them_where_a_program_agrees(self):
        instance, _, task = instance_of(model_of(f"return {self.BODY}", "4, 9, 8"))
        (x,) = task.make_inputs()
        x[0, 3, 7] = torch.nan
        with unittest.mock.patch.object(instance, "oracle", wraps=instance.oracle) as oracle:
            (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
            (own,) = instance.run([x], [], "eager")
            self.assertEqual(compare.Comparer().leaf_error(own, expected)["nonfinite"], 0)
            self.assertEqual(oracle.call_count, 2)
            zeros = torch.zeros_like(own)
            self.assertEqual(compare.Comparer().leaf_error(zeros, expected)["nonfinite"], 0)
            self.assertGreater(oracle.call_count, 2)

    def test_another_one_may_not_although_an_infinity_is_behind_it_too(self):
        self.assertEqual(self.nonfinite(3, torch.matmul), 0)
        self.assertEqual(self.nonfinite(3, lambda scores, values: scores @ values.nan_to_num()), 1)


class WholeSwallowers(unittest.TestCase):
    """The reference on inputs without NaN and infinities, where what hangs on them is hard to
    see."""

    def nonfinite(self, body, odd):
        instance, _, task = instance_of(model_of(f"return {body}", "8, 16"))
        (x,) = task.make_inputs()
        for place, value in enumerate(odd):
            x[place, 3] = value
        (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
        got = instance.run([x.nan_to_num(0.0, 0.0, 0.0)], [], "eager")[0]
        return compare.Comparer().leaf_error(got, expected)["nonfinite"]

    def test_numbers_that_leave_torch_hang_on_them(self):
        odd = (torch.nan, torch.inf, -torch.inf)
        self.assertGreater(self.nonfinite("x * 0.5 + x.sum().item()", odd[:1]), 100)
        self.assertGreater(self.nonfinite(
            "torch.tensor(x.tolist()).to(x.dtype).sum(1, keepdim=True) * 2", odd), 0)
        self.assertGreater(self.nonfinite(
            "torch.from_numpy(x.numpy().copy()).cumsum(1) * 2", odd), 0)

    def test_a_function_that_is_flat_behind_a_choice_hangs_on_them(self):
        for body in ("torch.softmax(-16 * x.clamp(min=-2), 1)", "torch.tanh(100 * torch.relu(x))",
                     "torch.exp(-100 * torch.relu(x))"):
            self.assertGreater(self.nonfinite(body, (torch.nan,)), 0, body)

    def test_small_numbers_beside_large_ones_behind_a_choice_hang_on_them(self):
        for body in ("torch.exp(6 * x).clamp(max=1e30)", "torch.relu(x.abs() ** 15)"):
            instance, _, task = instance_of(model_of(f"return {body}", "256, 256"))
            torch.manual_seed(3)
            (x,) = task.make_inputs()
            x[:8, 3] = torch.nan
            (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
            (swallowed,) = instance.run([x.nan_to_num()], [], "eager")
            self.assertEqual(compare.Comparer().leaf_error(swallowed, expected)["nonfinite"], 8)

    def test_what_is_left_of_a_choice_may_be_empty(self):
        instance, _, task = instance_of(model_of(
            "return (torch.stack([(r - x).square().sum(1).argmax() for r in x]),"
            " x.new_zeros(0, 4))", "8, 16"))
        (x,) = task.make_inputs()
        x[0, 3], x[1, :3] = torch.nan, torch.inf
        self.assertEqual(len(instance.expected_on("nonfinite", [x], [], "eager")), 2)

    def test_expected_values_are_dropped_at_once(self):
        instance, _, task = instance_of(model_of("return x * 2", "8, 16"))
        (x,) = task.make_inputs()
        x[0, 3] = torch.nan
        expected = instance.expected_on("nonfinite", [x], [], "eager")
        kept = weakref.ref(expected[0])
        gc.disable()
        self.addCleanup(gc.enable)
        del expected
        self.assertIsNone(kept())

    def test_what_hangs_on_a_choice_is_seen_beside_the_rounding_of_two_runs(self):
        instance, _, task = instance_of(model_of(
            "return torch.fft.irfft(torch.fft.rfft(x)).view(64, 4, 4).amax(-1)", "64, 16"))
        (x,) = task.make_inputs()
        x[:, 14], x[:, 15] = torch.nan, torch.arange(64.0) / 10 + 5  # the largest of its four
        (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
        (swallowed,) = instance.run([x.nan_to_num()], [], "eager")
        self.assertEqual(compare.Comparer().leaf_error(swallowed, expected)["nonfinite"], 64)

    def test_a_gate_that_an_infinity_opens_lets_a_nan_through(self):
        for body in ("(x[:, :8] * 0.6).round() * x[:, 8:]",
                     "torch.where(x[:, :8] > 9, 2 * x[:, 8:], 0.0)"):
            instance, _, task = instance_of(model_of(f"return {body}", "8, 16"))
            (x,) = task.make_inputs()
            x[0, 3], x[0, 11] = torch.inf, torch.nan
            (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
            (got,) = instance.run([x], [], "eager")
            self.assertTrue(bool(got[0, 3].isnan()))
            got[0, 3] = 7.0
            self.assertEqual(compare.Comparer().leaf_error(got, expected)["nonfinite"], 1, body)

    def test_a_reference_that_fails_without_them_fails_when_it_is_asked(self):
        instance, _, task = instance_of(model_of(
            "if int(x.isnan().sum()) > 1: raise ValueError('too many')\n"
            "        return x.sum(1)", "8, 16"))
        (x,) = task.make_inputs()
        x[0, 3], x[1, 3] = torch.nan, torch.inf
        (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
        with self.assertRaises(TaskFailure):
            expected.know_what_hangs()


class Modes(unittest.TestCase):
    def test_what_hangs_on_a_choice_differs_behind_it(self):
        ones, others = torch.zeros(4), torch.zeros(4)
        others[2] = -5.0
        with Twins([ones], [others]) as twins:
            results = ones.max(), torch.argmax(ones), ones[:2] + 1
        most, place, same = [(one != two).any().item()
                             for one, two in zip(results, twins.second(results, results))]
        self.assertEqual((most, place, same), (True, True, False))

    def test_memory_is_given_back(self):
        ones, others = torch.zeros(4), torch.ones(4)
        with Twins([ones], [others]) as twins:
            for _ in range(20):
                result = ones + 1
        self.assertLessEqual(len(twins._twins), 3)
        self.assertEqual(twins.second([result], [result])[0].tolist(), [2.0] * 4)

    def test_without_memory_for_two_runs_one_is_made(self):
        instance, _, task = instance_of(model_of("return torch.relu(x)"))
        (x,) = task.make_inputs()
        x[3, 5] = torch.nan

        class Full(Twins):
            def _before(self, func, args, kwargs):
                raise MemoryError

        with unittest.mock.patch("cupel.oracle.Twins", Full):
            (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
        swallowed = torch.where(x > 0, x, 0.0)
        self.assertEqual(compare.Comparer().leaf_error(swallowed, expected)["nonfinite"], 1)

        calls = []
        def oracle(tensors, values, ask=instance.oracle):  # noqa: E306
            calls.append(len(calls))
            if len(calls) == 1:
                raise TaskFailure("too_large", "no memory")
            return ask(tensors, values)

        with unittest.mock.patch.object(instance, "oracle", oracle):
            one, two = instance._side_by_side([torch.ones_like(x)], [torch.full_like(x, 2.0)], [])
        self.assertEqual((float(one[0][3, 5]), float(two[0][3, 5])), (1.0, 2.0))
        self.assertEqual(len(calls), 3)

    def test_random_numbers_are_drawn_once(self):
        torch.manual_seed(1)
        want = torch.rand(3)
        torch.manual_seed(1)
        ones, others = torch.full((3,), 0.5), torch.full((3,), 0.25)
        with Twins([ones], [others]) as twins:
            drawn = torch.bernoulli(ones)
            after = torch.rand(3)
        torch.manual_seed(1)
        torch.bernoulli(ones)
        self.assertTrue(torch.equal(after, torch.rand(3)))
        self.assertEqual((want.shape, twins.lost), (drawn.shape, False))

    def test_what_is_computed_place_by_place_is_decided_elsewhere(self):
        x = torch.tensor([1.0, torch.inf, -torch.inf, torch.nan])
        with Spoils() as spoils:
            tanh, relu, zeros = torch.tanh(x) * 2, torch.relu(x), torch.zeros_like(x)
            product = torch.ones(2, 2) @ x[:1].expand(2)
        self.assertEqual(spoils.decided(tanh).tolist(), [True, False, False, False])
        self.assertEqual(spoils.decided(relu).tolist(), [True, True, True, False])
        self.assertTrue(bool(spoils.decided(zeros).all() and spoils.decided(product).all()))

    def test_what_several_numbers_are_computed_of_is_not(self):
        x = torch.tensor([1.0, torch.inf])
        for several in (torch.sum, lambda x: x - x.max(), torch.fft.fft,
                        lambda x: x[:1] + x[1:].repeat(2)[:1] + x):
            with Spoils() as spoils:
                several(x)
                result = torch.ones(2)
            self.assertFalse(bool(spoils.decided(result).any()))


if __name__ == "__main__":
    unittest.main()
