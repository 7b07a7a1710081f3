"""Float32 products by float16 numbers: docs/rewriting_precision.md. Here float32 multiplies them,
which adds nothing to what splitting loses; tests/gpu has the tensor cores."""

import json
import unittest

import rewriting
import torch

NAME = "rewrite_product_of_split_numbers"
ROWS, TERMS, COLUMNS = 1024, 2048, 2048  # as few multiplications as the rule takes
PARTS_BITS = 2.0**-23  # of a number is what splitting loses
ROW_BITS = 2.0**-50    # of a row's largest number, where that is more
TERM_BITS = 2.0**-21   # of a product of two: both, and the low parts' product


def linear_task(rows=ROWS, terms=TERMS, columns=COLUMNS, bias=True, is_double=False):
    source = rewriting.task_source(
        [f"self.fc = nn.Linear({terms}, {columns}, bias={bias})"], ["return self.fc(x)"],
        {"x": f"torch.randn({rows}, {terms})"})
    return source if is_double else rewriting.in_float32(source)


def product_task(right):
    return rewriting.in_float32(rewriting.task_source([], [f"return x @ {right}"], {
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

    def both(self, source):
        """The module of both programs, its Model, and ModelNew with its weights, prepared."""
        module = rewriting.module_of(source + "\n\n" + self.program(source)["source"])
        model, rewritten = module.Model(), module.ModelNew()
        rewritten.load_state_dict(model.state_dict())
        getattr(rewritten, "prepare", lambda: None)()
        return module, model, rewritten

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
        few, terms, columns = 64, 512, 96
        fall = torch.logspace(-5, 5, terms)
        far = normal(few, terms)
        far[:, 7] *= 1.7e9
        factors = {
            "normal": (1, 1), "positive": (normal(few, terms).abs(), 1), "large": (2e37, 1e-3),
            "small": (1e-37, 1), "small by large": (1e-37, 1e37), "large by small": (1e37, 1e-37),
            "large weight": (1e-6, 1e37), "tails": (torch.exp(3 * normal(few, terms)), 1),
            "rows": (torch.exp(20 * normal(few, 1)), 1), "rising by falling": (fall, 1 / fall),
            "zeros": (0, 1), "one feature": (far, torch.where(torch.arange(terms) == 7, 1e-9, 1))}
        for name, (of_x, of_weight) in factors.items():
            x, weight = normal(few, terms) * of_x, normal(columns, terms) * of_weight
            scales = split.split_scales(weight)
            got = split.split_product(x, split.split_matrix(weight, scales, True), scales, 2)
            sizes = x.double().abs(), weight.double().abs().T
            most = [one.amax(dim, keepdim=True) for dim, one in zip((1, 0), sizes)]
            allowed = sizes[0] @ sizes[1] * (TERM_BITS + terms * 2.0**-24) + 2 * ROW_BITS * (
                most[0] * sizes[1].sum(0) + sizes[0].sum(1, keepdim=True) * most[1])
            error = (got.double() - x.double() @ weight.double().T).abs()
            self.assertLessEqual((error / (allowed + 1e-300)).max().item(), 1, name)

    def test_compiled_a_number_is_its_parts(self):
        split = self.functions()
        x = torch.randn(64, 256, generator=torch.Generator().manual_seed(2))
        x[:, :80] *= torch.logspace(0, -24, 80)
        x[0, :4] = torch.tensor([0.0, 2.0**-149, 3.4e38, 1.0])
        x[1] = 0
        x[2] *= 2.0**-120
        scales = split.split_scales(x)
        for function in (split.split_numbers, torch.compile(split.split_numbers)):
            high, low = function(x, scales)
            self.assertIs(high.dtype, torch.float16)
            again = (high.double() + low.double() / split.SPLIT_LOW) * scales.double()[:, None]
            allowed = torch.maximum(PARTS_BITS * x.double().abs(),
                                    ROW_BITS * x.double().abs().amax(1, keepdim=True))
            self.assertTrue(((again - x).abs() <= allowed).all())
            self.assertTrue(torch.equal(high == 0, x == 0))

    def test_what_is_not_finite_is_so_in_the_same_places(self):
        inf, nan = float("inf"), float("nan")
        generator = torch.Generator().manual_seed(3)
        for source in (linear_task(), product_task("y")):
            module, model, rewritten = self.both(source)
            x, *others = [torch.randn(given.shape, generator=generator)
                          for given in module.get_inputs()]
            rows = x.view(-1, TERMS)
            rows[0, 3], rows[1, 5], rows[2, 9], rows[2, 2] = inf, -inf, nan, inf
            rows[3] = torch.softmax(9 * rows[3], 0)  # numbers that are small beside their largest
            rows[3, 4] = inf
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

    def test_an_infinite_weight_gives_infinity(self):
        source = rewriting.in_float32(rewriting.task_source(
            [f"self.register_buffer('mask', torch.full(({TERMS}, {COLUMNS}), -1e9).triu(1))",
             "self.mask[self.mask == -1e9] = float('-inf')"], ["return x.abs() @ self.mask"],
            {"x": f"torch.randn({ROWS}, {TERMS})"}))
        _, model, program = self.both(source)
        x = torch.randn(ROWS, TERMS)
        with torch.no_grad():
            want, got = model(x), program(x)
        self.assertGreater(want.isinf().sum().item(), 0)
        self.assertTrue(torch.equal(want.nan_to_num(7.0), got.nan_to_num(7.0)))

    def test_a_weight_of_several_products_is_split_once(self):
        source = rewriting.in_float32(rewriting.task_source(
            [f"self.fc = nn.Linear({TERMS}, {TERMS})",
             f"self.w = nn.Parameter(torch.randn({TERMS}, {TERMS}))"],
            ["for _ in range(3):", "    x = torch.tanh(self.fc(x))",
             "return x @ self.w"],
            {"x": f"torch.randn({ROWS}, {TERMS})"}))
        program = self.program(source)
        body = program["source"].split("class ModelNew")[1]
        self.assertEqual((body.count("split_matrix("), body.count("split_product(")), (2, 4))
        want, got = rewriting.run_both(source, program["source"], 2)
        self.assertLess((want - got).abs().max().item() / want.std().item(), 1e-4)

    def test_a_product_whose_sums_take_much_memory_is_left_alone(self):
        driver = rewriting.Driver("eager")
        self.addCleanup(driver.close)
        exported = json.dumps(rewriting.export(linear_task(rows=1009, terms=2056, columns=2099)))
        for side, offered in ((8192, True), (32768, False)):
            large = exported.replace("1009", str(side)).replace("2099", str(side))
            programs = driver.rewrite(json.loads(large.replace("2056", "16384")))["programs"]
            self.assertEqual(NAME in [each["name"] for each in programs], offered)

    def test_under_autocast_it_stays_float32(self):
        _, _, program = self.both(linear_task())
        x = torch.randn(ROWS, TERMS)
        with torch.no_grad():
            want = program(x)
            with torch.autocast("cpu", torch.bfloat16):
                self.assertTrue(torch.equal(program(x), want))

    def test_in_another_dtype_the_task_runs_as_written(self):
        source = rewriting.in_float32(rewriting.task_source(
            ["self.embedding = nn.Embedding(50, 2048)", "self.fc = nn.Linear(2048, 2048)"],
            ["return self.fc(self.embedding(x))"], {"x": f"torch.randint(50, ({ROWS},))"}))
        module, _, program = self.both(source)
        x = torch.randint(50, (ROWS,))
        for dtype in (torch.float64, torch.bfloat16):
            cast = program.to(dtype)
            with torch.no_grad():
                self.assertTrue(torch.equal(cast(x), module.Model.forward(cast, x)))

    def test_of_another_dtype_the_task_runs_as_written(self):
        module, _, program = self.both(linear_task())
        half = program.bfloat16()
        x = torch.randn(ROWS, TERMS, dtype=torch.bfloat16)
        with torch.no_grad():
            self.assertTrue(torch.equal(half(x), module.Model.forward(half, x)))


if __name__ == "__main__":
    unittest.main()
