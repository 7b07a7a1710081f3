"""The oracle in float64, the policies' arithmetic, and the tracker's estimates."""

import math
import unittest

import referee_session  # noqa: F401
import torch
from cupel import compare, facts, failures, loading, oracle, placement, roundings, tf32

HEAD = "import torch\n"


def instance_of(source, seed=3):
    program = loading.load({"kind": "file", "path": "/nowhere/o.py", "source": HEAD + source})
    description = facts.describe(program, 0)
    widening = oracle.Widening()
    return oracle.Instance(program, description.facts, seed, widening), widening, program


def model_of(body, shape="64, 64", init=""):
    return (f"class Model(torch.nn.Module):\n"
            f"    def __init__(self):\n        super().__init__()\n        {init or 'pass'}\n"
            f"    def forward(self, x):\n        {body}\n"
            f"def get_inputs():\n    return [torch.randn({shape})]\n")


class Oracle(unittest.TestCase):
    def expect(self, body, init="", shape="64, 64"):
        instance, widening, program = instance_of(model_of(body, shape, init))
        torch.manual_seed(1)
        (x,) = program.make_inputs()
        before = x.clone()
        (expected,) = instance.expected([x], [], "eager")
        self.assertTrue(torch.equal(x, before), "the input was written")
        self.assertEqual(torch.get_default_dtype(), torch.float32)
        return x, expected.want, instance, widening.name

    def test_is_float64(self):
        x, want, _, name = self.expect("return x @ x")
        self.assertEqual(name, "float64")
        self.assertTrue(torch.equal(want, (x.double() @ x.double()).view(-1)))

    def test_casts_to_float32_inside_are_widened(self):
        for cast in ("x.float()", "x.to(torch.float32)", "x.to(dtype=torch.float32)",
                     "x.type(torch.float32)", "x + torch.zeros(64, dtype=torch.float32)"):
            x, want, _, name = self.expect(f"return torch.exp(({cast}) / 3)")
            self.assertEqual(name, "float64")
            self.assertTrue(torch.equal(want, torch.exp(x.double() / 3).view(-1)), cast)

    def test_casts_to_half_are_widened_when_they_mix(self):
        x, want, _, name = self.expect("return torch.nn.functional.linear(x.half(), self.w.half())",
                                       "self.w = torch.nn.Parameter(torch.eye(64))")
        self.assertEqual(name, "float64")
        self.assertTrue(torch.equal(want, x.double().view(-1)))

    def test_plain_tensor_attributes_are_converted(self):
        x, want, instance, name = self.expect(
            "return x @ self.w + self.more[0]['b']",
            "self.w = torch.randn(64, 64); self.more = [{'b': torch.randn(64)}]")
        self.assertEqual(name, "float64")
        right = x.double() @ instance.model.w.double() + instance.model.more[0]["b"].double()
        self.assertTrue(torch.equal(want, right.view(-1)))

    def test_limits_are_those_of_the_references_own_type(self):
        _, want, _, name = self.expect("return x.masked_fill(x > 0, torch.finfo(x.dtype).min)")
        self.assertEqual((name, float(want.min())), ("float64", torch.finfo(torch.float32).min))
        _, want, _, _ = self.expect("return x * 0 + torch.finfo().eps")
        self.assertEqual(float(want[0]), torch.finfo(torch.float32).eps)
        self.assertEqual(torch.finfo(torch.float64).bits, 64)

    def test_what_hangs_behind_choices_is_seen(self):
        for body in ("return x.argmax(1)", "return x > 0", "return (x * 3).long()"):
            instance, _, program = instance_of(model_of(body))
            (x,) = program.make_inputs()
            (expected,) = instance.expected([x], [], "eager")
            (leaf,), (behind,) = instance.run_watched([x], [], "eager")
            comparer = compare.Comparer()
            comparer.own_error(leaf, expected, behind)
            self.assertIsNotNone(expected.behind, body)
            self.assertEqual(comparer.leaf_error(leaf, expected)["mismatched"], 0)

    def test_values_beside_tensors(self):
        instance, _, program = instance_of(model_of("return x, len(x), 'a'"))
        expected = instance.expected(program.make_inputs(), [], "eager")
        self.assertEqual(expected.values, ["int 64", "str 'a'"])

    def swallowing(self, body, got_of):
        """Places that count where `got_of` of the input stands for the output."""
        instance, _, program = instance_of(model_of(body))
        (x,) = program.make_inputs()
        x[3, 5], x[7, 9] = torch.nan, torch.inf
        (expected,) = instance.expected_on("nonfinite", [x], [], "eager")
        return compare.Comparer().leaf_error(got_of(x), expected)["nonfinite"]

    def test_only_swallowing_what_is_not_finite_is_wrong(self):
        relu = "return torch.relu(x)"
        self.assertEqual(self.swallowing(relu, torch.relu), 0)
        self.assertEqual(self.swallowing(relu, lambda x: torch.where(x > 0, x, 0.0)), 1)
        self.assertEqual(self.swallowing(relu, lambda x: x.nan_to_num().relu()), 2)

    def test_spreading_it_to_other_samples_is_wrong_too(self):
        doubled = "return x @ (2 * torch.eye(64))"
        self.assertEqual(self.swallowing(doubled, lambda x: 2 * x + 0 * x.sum(1, keepdim=True)), 0)
        self.assertEqual(self.swallowing(doubled, lambda x: x + torch.nan), 62 * 64)
        shared = "return x + x.mean()"
        self.assertEqual(self.swallowing(shared, lambda x: x + torch.nan), 0)

    def test_nan_of_zero_times_infinity_is_a_matter_of_the_formula(self):
        diagonal = "return torch.diag(torch.ones(64)) @ x"
        self.assertEqual(self.swallowing(diagonal, lambda x: x), 0)
        self.assertEqual(self.swallowing(diagonal, lambda x: x.nan_to_num()), 2)

    def test_falls_back_to_float32(self):
        body = ("raw = bytes(x.view(torch.uint8).view(-1).tolist()); "
                "return torch.frombuffer(bytearray(raw), dtype=torch.float32).view(64, 64) + 1")
        x, want, _, name = self.expect(body)
        self.assertEqual(name, "float32")
        self.assertTrue(torch.equal(want, (x + 1).double().view(-1)))

    def test_writing_to_the_input_does_not_reach_it(self):
        self.expect("return x.add_(1)")


class Policies(unittest.TestCase):
    def run_as(self, policy, body, init=""):
        instance, _, program = instance_of(model_of(body, init=init))
        (x,) = program.make_inputs()
        (got,) = instance.run([x.clone()], [], policy)
        (want,) = instance.expected([x], [], "eager")
        self.assertEqual(got.dtype, torch.float32)
        return float((got.double().view(-1) - want.want).abs().max() / want.spread)

    def test_half_rounds_as_bfloat16_does(self):
        init = "self.w = torch.nn.Parameter(torch.randn(64, 64))"
        self.assertLess(self.run_as("eager", "return x @ self.w", init), 1e-5)
        self.assertTrue(1e-3 < self.run_as("half", "return x @ self.w", init) < 0.1)

    def test_half_survives_code_that_names_float32(self):
        init = "self.w = torch.nn.Parameter(torch.randn(64, 64))"
        error = self.run_as("half", "return x.to(torch.float32) @ self.w", init)
        self.assertTrue(1e-4 < error < 0.1)


    def test_tf32_cuts_the_operands_of_products(self):
        init = ("self.w = torch.nn.Parameter(torch.randn(64, 64)); "
                "self.c = torch.nn.Conv1d(64, 64, 3)")
        for body in ("return x @ self.w", "return torch.nn.functional.linear(x, self.w, self.w[0])",
                     "return torch.einsum('ij,jk->ik', x, self.w)", "return self.c(x)"):
            self.assertLess(self.run_as("eager", body, init), 1e-5)
            self.assertTrue(1e-4 < self.run_as("tf32", body, init) < 1e-2, body)
        self.assertLess(self.run_as("tf32", "return (x * x).sum(0) + x", init), 1e-5)

    def test_eager_allows_tf32_to_a_gpus_convolutions_alone(self):
        x, w, c = torch.randn(8, 8, 8), torch.randn(8, 8), torch.nn.Conv1d(8, 8, 3)
        plain = x @ w, c(x)

        def change(policy, on_gpu):
            with torch.no_grad(), tf32.arithmetic_of(policy, on_gpu):
                return [float((got - want).abs().max()) for got, want in zip((x @ w, c(x)), plain)]

        product, convolution = change("eager", True)
        self.assertEqual(product, 0)
        self.assertTrue(1e-5 < convolution < 1e-1)
        with placement.no_tf32():
            self.assertEqual(change("eager", True), [0, 0])
        self.assertEqual(change("eager", False), [0, 0])
        self.assertEqual(change("exact", True), [0, 0])

    def test_cutting_keeps_ten_bits(self):
        kept = torch.tensor([1.0, 1 + 2.0 ** -10, -3.5, 0.0, float("inf")])
        self.assertTrue(torch.equal(tf32.cut(kept), kept))
        self.assertTrue(torch.equal(tf32.cut(kept * (1 + 2.0 ** -12)), kept))
        wide = torch.randn(8, 8).T.double()
        self.assertTrue(torch.equal(tf32.cut(wide), wide))

    def test_half_can_be_autocast_alone(self):
        init = "self.w = torch.nn.Parameter(torch.randn(64, 64))"
        instance, _, program = instance_of(model_of("return (x + 1e3 - 1e3) @ self.w", init=init))
        (x,) = program.make_inputs()
        (want,) = instance.expected([x], [], "eager")
        throughout, autocast = oracle.half_ways("cpu")
        errors = [float((instance.run([x], [], "half", half_way=way)[0].double().view(-1)
                         - want.want).abs().max() / want.spread) for way in (throughout, autocast)]
        self.assertGreater(errors[0], 0.3)
        self.assertLess(errors[1], 0.1)

    def test_want_of_memory_is_not_tried_in_another_arithmetic(self):
        body = "if x.dtype != torch.float32: raise MemoryError\n        return x + 1"
        instance, _, program = instance_of(model_of(body))
        (x,) = program.make_inputs()
        for run in (lambda: instance.expected([x], [], "eager"),
                    lambda: instance.run([x], [], "half")):
            with self.assertRaises(failures.TaskFailure) as caught:
                run()
            self.assertEqual(caught.exception.kind, "too_large")


class Tracker(unittest.TestCase):
    def test_peak_counts_what_lives_at_once(self):
        program = loading.load({"kind": "file", "path": "/nowhere/p.py", "source": HEAD + model_of(
            "y = x + 1; y = y + 1; y = y + 1; return y", "1024, 1024")})
        peak = facts.describe(program, 0).facts["peak_bytes"]
        self.assertEqual(peak, 3 * (4 << 20))  # the input and two of the results

    def test_fakes_say_the_same(self):
        source = HEAD + model_of("y = self.c(x).relu(); return y + self.c(x)", "4, 8, 64, 64",
                                 "self.c = torch.nn.Conv2d(8, 16, 3)")
        program = loading.load({"kind": "file", "path": "/nowhere/f.py", "source": source})
        self.assertEqual(facts._on_fakes(program).facts, facts.describe(program, 0).facts)


class Memory(unittest.TestCase):
    FACTS = {"weight_bytes": 0, "peak_bytes": 3 << 30, "input_bytes": 1 << 30,
             "output_bytes": 1 << 30}

    def test_a_lint_needs_no_room_for_hosts(self):
        facts.require_memory(self.FACTS, 16 << 30, hosts=0)
        with self.assertRaises(failures.TaskFailure) as caught:
            facts.require_memory(self.FACTS, 16 << 30)
        self.assertIn("judging needs about 35.00 GiB", caught.exception.what)
        with self.assertRaises(failures.TaskFailure) as caught:
            facts.require_memory(self.FACTS, 8 << 30, hosts=0)
        self.assertIn("linting needs about 14.00 GiB", caught.exception.what)


class Cache(unittest.TestCase):
    def test_drops_the_least_recently_used(self):
        class Leaf:
            bytes = 10
        cache, computed = oracle.ExpectedCache(bytes_max=25), []
        for key in ((0, 0), (1, 0), (0, 0), (2, 0), (0, 0), (1, 0)):
            cache.get(key, lambda: computed.append(key) or [Leaf()])
        self.assertEqual(computed, [(0, 0), (1, 0), (2, 0), (1, 0)])
        cache.release(1)
        cache.get((1, 0), lambda: computed.append("again") or [Leaf()])
        self.assertEqual(computed[-1], "again")


class Roundings(unittest.TestCase):
    """The oracle's own, of outputs in float64."""

    def test_show_how_hard_an_input_is(self):
        places = torch.arange(1.0, 9.0, dtype=torch.float64)
        hard = 1 / (places[:, None] + places - 1)  # Hilbert's matrix, of a condition of 1e10
        easy = torch.eye(8, dtype=torch.float64)

        def off(matrix):
            def run():
                return [torch.linalg.solve(matrix * 1.0, places)]
            (leaf,), (found,) = run(), roundings.rounded_otherwise(run(), run, 5)
            return float(((found - leaf).abs() / leaf.abs()).max())
        self.assertTrue(1e-9 < off(hard) < 1e-4, off(hard))
        self.assertTrue(0 < off(easy) < 1e-14, off(easy))

    def test_are_looked_for_in_float64_alone(self):
        leaves = [torch.randn(8), torch.arange(8)]
        self.assertIs(roundings.rounded_otherwise(leaves, None, 5), leaves)

    def test_leave_what_is_no_number(self):
        leaf = torch.tensor([1.0, math.nan, math.inf], dtype=torch.float64)
        (found,) = roundings.rounded_otherwise([leaf], lambda: [leaf * 1.0], 5)
        self.assertTrue(bool(found[1].isnan() and found[2].isinf()))


if __name__ == "__main__":
    unittest.main()
