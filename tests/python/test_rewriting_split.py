"""Float32 products by float16 numbers: docs/rewriting_precision.md. Here float32 multiplies them,
which adds nothing to what splitting loses; tests/gpu has the tensor cores."""

import unittest

import rewriting
import torch

NAME = "rewrite_product_of_split_numbers"
ROWS, TERMS, COLUMNS = 1024, 2048, 2048  # as few multiplications as the rule takes
PARTS_BITS = 2.0**-23  # of a number is what splitting loses
ROW_BITS = 2.0**-39    # of a row's largest number: float16 has no smaller ones
TERM_BITS = 2.0**-21   # of a product of two: both, and the low parts' product


def in_float32(source):
    return source.replace("torch.set_default_dtype(torch.float64)", "")


def linear_task(rows=ROWS, terms=TERMS, columns=COLUMNS, bias=True, is_double=False):
    source = rewriting.task_source(
        [f"self.fc = nn.Linear({terms}, {columns}, bias={bias})"], ["return self.fc(x)"],
        {"x": f"torch.randn({rows}, {terms})"})
    return source if is_double else in_float32(source)


def product_task(right):
    return in_float32(rewriting.task_source([], [f"return x @ {right}"], {
        "x": f"torch.randn(2, {ROWS // 2}, {TERMS})", "y": f"torch.randn({TERMS}, {COLUMNS})",
        "z": f"torch.randn({COLUMNS}, {TERMS})"}))


class SplitProductTest(unittest.TestCase):
    def program(self, source, policy="eager", device="cuda"):
        """Of the task, the program with split numbers; None where it is not offered."""
        driver = rewriting.Driver(policy, device)
        self.addCleanup(driver.close)
        exported = rewriting.export(source)
        self.assertNotIn("refused", exported)
        programs = driver.rewrite(exported)["programs"]
        return next((each for each in programs if each["name"] == NAME), None)

    def functions(self):
        return rewriting.module_of("import torch\n" + self.program(linear_task())["source"]
                                   .split("class ModelNew")[0])

    def test_small_integers_are_multiplied_exactly(self):
        for source in (linear_task(), linear_task(bias=False), product_task("y"),
                       product_task("z.T")):
            want, got = rewriting.run_both(source, self.program(source)["source"], 1, integers=True)
            self.assertTrue(torch.equal(want, got), source)

    def test_products_are_off_by_no_more_than_their_bits(self):
        split = self.functions()
        generator = torch.Generator().manual_seed(4)

        def normal(*shape):
            return torch.randn(shape, generator=generator)
        few = (64, 512)
        inputs = {
            "normal": normal(*few), "positive": normal(*few).abs(), "large": normal(*few) * 2e37,
            "small": normal(*few) * 1e-37, "tails": normal(*few) * torch.exp(3 * normal(*few)),
            "rows": normal(*few) * torch.exp(20 * normal(few[0], 1)), "zeros": torch.zeros(few)}
        for name, x in inputs.items():
            weight = normal(96, few[1]) * (1e-3 if name == "large" else 1)
            scales = split.split_scales(weight)
            got = split.split_product(x, split.split_matrix(weight, scales, True), scales, 2)
            terms = x.double().abs() @ weight.double().abs().T
            error = (got.double() - x.double() @ weight.double().T).abs()
            sums = few[1] * 2.0**-24  # of float32, whatever the order
            least = torch.finfo(torch.float32).tiny * few[1]
            self.assertLessEqual((error / (terms * (TERM_BITS + sums) + least)).max().item(), 1,
                                 name)

    def test_compiled_a_number_is_its_parts(self):
        split = self.functions()
        x = torch.randn(64, 256, generator=torch.Generator().manual_seed(2))
        scales = split.split_scales(x)
        for function in (split.split_numbers, torch.compile(split.split_numbers)):
            high, low = function(x, scales)
            self.assertIs(high.dtype, torch.float16)
            again = (high.double() + low.double()) * scales.double().unsqueeze(-1)
            allowed = PARTS_BITS * x.abs() + ROW_BITS * x.abs().amax(1, keepdim=True)
            self.assertLessEqual(((again - x).abs() / allowed).max().item(), 1)

    def test_what_is_not_finite_is_so_in_the_same_places(self):
        inf, nan = float("inf"), float("nan")
        generator = torch.Generator().manual_seed(3)
        for source in (linear_task(), product_task("y")):
            module = rewriting.module_of(source + "\n\n" + self.program(source)["source"])
            model, rewritten = module.Model(), module.ModelNew()
            rewritten.load_state_dict(model.state_dict())
            getattr(rewritten, "prepare", lambda: None)()
            x, *others = [torch.randn(given.shape, generator=generator)
                          for given in module.get_inputs()]
            rows = x.view(-1, TERMS)
            rows[0, 3], rows[1, 5], rows[2, 9], rows[3, 1], rows[3, 2] = inf, -inf, nan, inf, inf
            if others:
                others[0][7, 11], others[0][8, 12], others[0][9, 12] = -inf, inf, nan
            with torch.no_grad():
                want, got = model(x, *others), rewritten(x, *others)
            self.assertTrue(torch.equal(want.isnan(), got.isnan()))
            where = ~want.isfinite()
            self.assertTrue(torch.equal(want[where].nan_to_num(7.0), got[where].nan_to_num(7.0)))
            self.assertGreater(want.isinf().sum().item(), ROWS if others else 0)

    def test_sums_are_short(self):
        for terms, sums in ((512, 1), (768, 1), (2048, 2), (3072, 3)):
            rows = 2**32 // terms // 2048 + 1
            program = self.program(linear_task(rows=rows, terms=terms, columns=2048))
            self.assertRegex(program["source"], rf"split_product\(x, .*, {sums}\)")

    def test_offered_where_it_may_gain(self):
        for policy in ("exact", "tf32", "half"):
            self.assertIsNone(self.program(linear_task(), policy), policy)
        self.assertIsNone(self.program(linear_task(), device="cpu"))
        for task in (linear_task(rows=512), linear_task(rows=16, columns=2**17),
                     linear_task(terms=2047, rows=2048), linear_task(terms=2 * 1031, rows=2048),
                     linear_task(is_double=True)):
            self.assertIsNone(self.program(task), task)

    def test_in_another_dtype_the_task_runs_as_written(self):
        source = linear_task()
        module = rewriting.module_of(source + "\n\n" + self.program(source)["source"])
        program = module.ModelNew()
        program.prepare()
        half = program.bfloat16()
        x = torch.randn(ROWS, TERMS, dtype=torch.bfloat16)
        with torch.no_grad():
            self.assertTrue(torch.equal(half(x), module.Model.forward(half, x)))


if __name__ == "__main__":
    unittest.main()
