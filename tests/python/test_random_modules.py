"""Rules of src/rewrite on small models of common layers, drawn with fixed seeds: both programs
agree, whatever is shared, sliced, expanded or empty."""

import random
import unittest

import rewriting
import torch

TOLERANCE = 1e-9  # of the spread, in float64: drawn models cancel and amplify


class RandomModulesTest(unittest.TestCase):
    IMAGES, ROWS = 30, 30

    @classmethod
    def setUpClass(cls):
        cls.driver = rewriting.Driver()
        cls.addClassCleanup(cls.driver.close)

    def test_models_of_images(self):
        rules = self.check(image_model, self.IMAGES)
        wanted = {"batch norm into weights", "growing concatenation as stores",
                  "reduction through a convolution's batch",
                  "pointwise convolution after a convolution", "zeros around into a convolution",
                  "convolutions of one input", "parts laid together again"}
        self.assertEqual(wanted - rules, set())

    def test_models_of_rows(self):
        rules = self.check(row_model, self.ROWS)
        wanted = {"products of one input", "linear after linear", "attention written out",
                  "shift before a softmax", "reduction through linear", "part of a product"}
        self.assertEqual(wanted - rules, set())

    def check(self, make, count):
        """The rules that fired."""
        rules, rewritten = set(), 0
        for seed in range(count):
            draw = random.Random(seed)
            source, mode = make(draw), draw.choice(["inference", "inference", "as_constructed"])
            exported = rewriting.export(source, mode)
            self.assertNotIn("refused", exported, source)
            for program in self.driver.rewrite(exported)["programs"]:
                rewritten += 1
                rules |= {step["rule"] for step in program["steps"]}
                self.expect_same(source, program["source"], seed, mode)
        self.assertGreater(rewritten, count // 2)
        return rules

    def expect_same(self, source, program, seed, mode):
        want, got = rewriting.run_both(source, program, seed, mode=mode)
        for one, other in zip(rewriting.leaves(got), rewriting.leaves(want), strict=True):
            self.assertLessEqual(rewriting.error(one, other), TOLERANCE, source + program)

    def test_empty_expanded_and_strided_inputs(self):
        """A program derived for one call's sizes gets its inputs in any layout."""
        for x in ("torch.randn(0, 8)", "torch.randn(1, 8).expand(6, 8)", "torch.randn(8, 6).t()",
                  "torch.randn(6, 16)[:, ::2]", "torch.randn(12, 8)[1::2]",
                  "torch.randn(6, 8).flip(0)"):
            source = rewriting.task_source(
                ["self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 5)", "self.c = self.a"],
                ["y = self.c(self.a(x) * 2)", "return self.b(y).sum(1), y[:, -3:] + 0"], {"x": x})
            found = self.driver.rewrite(rewriting.export(source))["programs"]
            self.assertTrue(found, x)
            for program in found:
                self.expect_same(source, program["source"], 3, "as_constructed")

    def test_what_is_no_real_number_is_left_right(self):
        """Integers, booleans, complex numbers, and several floating dtypes at once."""
        for forward in ("return (i * 3).sum(1), i * 1, (i / 2).mean(1)",
                        "return (z * 2.0).sum(1), torch.abs(z * 1)",
                        "return torch.matmul(z, z.T).sum(1), torch.softmax(z.abs() + 1, 1)",
                        "return self.half(x.float()) * self.c, (x.float() * 3).sum(1)",
                        "return (x > 0).float() * 1, (i > 2) & (i < 4)",
                        "return self.half(x.float()).double().sum(1)"):
            source = rewriting.task_source(
                ["self.half = nn.Linear(6, 6, dtype=torch.float32)",
                 "self.c = nn.Parameter(torch.rand(6))"], [forward],
                {"x": "torch.randn(4, 6)", "i": "torch.randint(0, 5, (4, 6))",
                 "z": "torch.randn(4, 6, dtype=torch.complex128)"})
            for program in self.driver.rewrite(rewriting.export(source))["programs"]:
                want, got = rewriting.run_both(source, program["source"], 3)
                for one, other in zip(rewriting.leaves(got), rewriting.leaves(want), strict=True):
                    self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape))
                    torch.testing.assert_close(one, other, msg=forward)


# --- images: (2, 6, 8, 8)

def image_model(draw):
    init, forward = [], []
    for i in range(draw.randint(2, 5)):
        image_layer(draw, i, init, forward)
    end = draw.choice(["return x", "return x.mean([2, 3])", "return self.last(x).mean(0)",
                       "return self.norm(x).mean([1, 2, 3]), x",
                       "return F.adaptive_avg_pool2d(x, 1)",
                       "return self.last(x).mean([2, 3])", "return F.avg_pool2d(self.last(x), 2)",
                       "return self.last(x).flatten(1), x", "return x[:, 1:4] * 2"])
    init.append("self.norm = nn.GroupNorm(3, 6)")
    init.append(f"self.last = nn.Conv2d(6, {draw.randint(2, 9)}, {draw.choice([1, 3])})")
    return rewriting.task_source(init, [*forward, end], {"x": "torch.randn(2, 6, 8, 8)"})


def image_layer(draw, i, init, forward):
    """Keeps the size: six channels, 8 x 8."""
    bias = f"bias={draw.random() < 0.5}"
    name = f"self.m{i}"
    init.append(f"{name} = " + draw.choice([
        f"nn.Conv2d(6, 6, 3, padding=1, {bias})", f"nn.Conv2d(6, 6, 1, {bias})",
        f"nn.Conv2d(6, 6, 3, padding=1, groups={draw.choice([2, 6])}, {bias})",
        f"nn.ConvTranspose2d(6, 6, 3, padding=1, {bias})",
        f"nn.Sequential(nn.Conv2d(6, 12, 1, {bias}), nn.Conv2d(12, 6, 1, {bias}))",
        f"nn.Sequential(nn.Conv2d(6, 9, 3, padding=1), nn.Conv2d(9, 6, 1, {bias}))",
        f"nn.Sequential(nn.ZeroPad2d(1), nn.Conv2d(6, 6, 3, {bias}))",
        f"nn.Sequential(nn.BatchNorm2d(6), nn.Conv2d(6, 6, 1, {bias}))",
        f"nn.Sequential(nn.Conv2d(6, 6, 3, padding=1, {bias}), nn.BatchNorm2d(6), nn.ReLU())",
        "nn.InstanceNorm2d(6)", "nn.GroupNorm(2, 6)", "nn.Dropout(0.0)", "nn.Identity()",
        "nn.Sequential(nn.MaxPool2d(2), nn.Upsample(scale_factor=2))",
        "nn.Hardtanh(-0.5, 2.0)", "nn.LeakyReLU(0.1)"]))
    other = f"self.m{draw.randint(0, i)}"  # perhaps a layer that another place uses, too
    init.append(f"self.p{i} = nn.Conv2d(6, 3, 1)")
    init.append(f"self.q{i} = nn.Conv2d(6, 3, 1)")
    init.append(f"self.s{i} = nn.Parameter(torch.rand({draw.choice(['6, 1, 1', '1', '6, 8, 8'])}))")
    forward.append(draw.choice([
        f"x = {name}(x)", f"x = {name}(x)", f"x = {other}(x) {draw.choice('+-*')} self.s{i}",
        f"x = x + {name}(x)", f"x = torch.relu({name}(x) * 0.5)",
        f"x = torch.cat([self.p{i}(x), self.q{i}(x)], 1)",
        f"x = torch.cat([torch.relu(self.p{i}(x)), torch.relu(self.q{i}(x))], 1)",
        f"a, b = {name}(x).chunk(2, 1)\nx = torch.cat([a, b], 1)",
        f"y = torch.cat([x, self.p{i}(x)], 1)\ny = torch.cat([y, self.q{i}(y[:, 3:])], 1)\n"
        f"x = {draw.choice(['y[:, 2:8]', 'y[:, ::2]'])} * 1",
        f"a, b = {name}(x).chunk(2, 1)\nx = torch.cat([b, a * 1], 1)"]).replace("\n", "; "))


# --- rows: (3, 5, 8)

def row_model(draw):
    init, forward = [], []
    for i in range(draw.randint(2, 5)):
        row_layer(draw, i, init, forward)
    end = draw.choice(["return x", "return x[:, -1]", "return self.last(x).sum(-1)",
                       "return self.last(x)[:, 1:3]", "return self.last(x).mean(1), x + 0",
                       "return torch.softmax(self.last(x) - x.amax(-1, keepdim=True), -1)",
                       "return F.log_softmax(x + 2.5, -1)[..., ::3]"])
    init.append(f"self.last = nn.Linear(8, {draw.choice([1, 8])})")
    return rewriting.task_source(init, [*forward, end], {"x": "torch.randn(3, 5, 8)"})


def row_layer(draw, i, init, forward):
    bias = f"bias={draw.random() < 0.5}"
    init += [f"self.{name}{i} = nn.Linear(8, 8, {bias})" for name in "qkv"]
    init.append(f"self.n{i} = " + draw.choice(["nn.LayerNorm(8)", "nn.Dropout(0.0)", "nn.GELU()",
                                               f"nn.Linear(8, 8, {bias})", "nn.RMSNorm(8)"]))
    init.append(f"self.s{i} = nn.Parameter(torch.rand({draw.choice(['8', '1', '5, 1'])}))")
    weight = f"self.{draw.choice('qkv')}{draw.randint(0, i)}"
    q, k, v = (f"self.{name}{i}(x)" for name in "qkv")
    forward.append(draw.choice([
        f"x = self.n{i}(x)", f"x = x + {weight}(self.n{i}(x))", f"x = self.q{i}(self.k{i}(x))",
        f"x = torch.softmax({q} @ {k}.transpose(-2, -1) / 2.5, -1) @ {v}",
        f"x = torch.tanh({q}) * torch.sigmoid({k}) + {v}", f"x = {weight}(x) * self.s{i}",
        f"x = {weight}(x * self.s{i})", f"x = F.linear(x, {weight}.weight.T)",
        f"x = torch.cat([{q}[..., :4], {k}[..., 4:]], -1)", f"x = {q} @ ({k}.mT @ {v}) / 9",
        f"x = torch.stack([{weight}(x[:, t]) for t in range(5)], 1)",
        f"x = x.unflatten(-1, (2, 4)).transpose(1, 2).transpose(1, 2).flatten(-2) * 1"]))


if __name__ == "__main__":
    unittest.main()
