"""What rounding in another order may change: docs/rewriting.md, "Proof", in float32."""

import random
import unittest

import rewriting
import torch
from rewriting import in_float32
from rewriting_cases import CASES

UNIT = 2.0 ** -24  # of float32
EXTRA = 3          # roundings beside those of the sum: of scales, and of constants
DRAWS = 3

# Rules whose programs are sums of products, so that what is summed can be counted.
COUNTED = {
    "reduction through linear", "reduction through a product", "reduction of a reduction",
    "reduction through one axis of a convolution",
    "reduction through a convolution's channels", "linear after linear",
    "products in another order", "products of one input", "product with weights as linear",
    "shift into bias", "scale or shift before linear",
    "one weight at many places, beside a state", "product added at many places",
}

# Loops with nothing but sums of products, so that each result is one sum.
LINEAR_LOOPS = {
    "one weight at many places, beside a state": lambda draw: (
        [f"self.a = nn.Linear(13, 4, bias={draw.random() < 0.5})"],
        ["h = g", "for t in range(3):", "    h = self.a(torch.cat([x[:, t], h], 1))", "return h"],
        {"x": "torch.randn(3, 3, 9)", "g": "torch.randn(3, 4)"}),
    "product added at many places": lambda draw: (
        ["self.a = nn.Linear(9, 4)", "self.b = nn.Linear(4, 4)"],
        ["h = g", "for t in range(3):", "    h = self.a(x[:, t]) + self.b(h)", "return h"],
        {"x": "torch.randn(3, 3, 9)", "g": "torch.randn(3, 4)"}),
}


def state_of(source):
    """A state that float32 holds exactly."""
    torch.manual_seed(3)
    return rewriting.module_of(in_float32(source)).Model().state_dict()


def run(source, state, fill, inputs):
    """The task's own program in float64, with weights and inputs that `fill` makes of these."""
    module = rewriting.module_of(source)
    try:
        with torch.no_grad():
            model = module.Model()
            model.load_state_dict({name: fill(value.double()) for name, value in state.items()})
            return rewriting.leaves(model(*[fill(value.double()) for value in inputs]))
    finally:
        torch.set_default_dtype(torch.float32)


class RoundingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = rewriting.Driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def check(self, source, program):
        torch.manual_seed(5)
        inputs = [value.float() for value in rewriting.module_of(source).get_inputs()]
        torch.set_default_dtype(torch.float32)
        state = state_of(source)
        counts = run(source.replace("mean", "sum"), state, torch.ones_like, inputs)
        sizes = run(source, state, torch.abs, inputs)
        exact = run(source, state, torch.clone, inputs)
        new = rewriting.module_of(in_float32(source) + "\n\n" + program["source"]).ModelNew()
        new.load_state_dict(state)
        if hasattr(new, "prepare"):
            new.prepare()
        with torch.no_grad():
            got = rewriting.leaves(new(*inputs))
        for one, want, size, count in zip(got, exact, sizes, counts, strict=True):
            limit = (count.max() + EXTRA) * UNIT * size
            self.assertTrue(((one.double() - want).abs() <= limit).all(), program["source"])

    def test_rewritten_programs_are_within_the_bound(self):
        for rule, make, _ in CASES:
            if rule not in COUNTED:
                continue
            make = LINEAR_LOOPS.get(rule, make)
            draw = random.Random(rule)
            with self.subTest(rule=rule):
                fired = 0
                for _ in range(DRAWS):
                    source = rewriting.task_source(*make(draw))
                    if " - " in source or "pool" in source:
                        continue  # differences have no size of their own; means are not counted
                    exported = rewriting.export(in_float32(source))
                    for program in self.driver.rewrite(exported)["programs"][:1]:
                        fired += rule in [step["rule"] for step in program["steps"]]
                        self.check(source, program)
                self.assertGreater(fired, 0, rule)


if __name__ == "__main__":
    unittest.main()
