"""Programs that are no plain functions of their inputs: told rightly as graphs, or refused."""

import json
import unittest

import rewriting
import torch
from cupel import graph_values

X = {"x": "torch.randn(4, 6)"}

# Why a program is refused: (what the reason says, constructor, forward).
REFUSED = [
    ("writes into its inputs", "pass", "x.add_(1)\nreturn x * 2"),
    ("other views", "pass", "y = x * 2\ny[:, 0] = 5\nreturn y"),
    ("other views", "pass", "y = x * 2\nz = y[0]\ny.mul_(3)\nreturn z + y"),
    ("view of an input or a weight", "self.p = nn.Parameter(torch.ones(6))",
     "self.p[:2].mul_(2)\nreturn x * self.p"),
    ("sizes that depend on values", "pass", "return x[x > 0]"),
    ("torch.export", "pass", "return x if x.sum() > 0 else -x"),
    ("a number of its values", "pass", "return x.sum().item() * x"),
    ("what aten.add_.Tensor wrote", "self.register_buffer('n', torch.zeros(1))",
     "self.n.add_(1)\nreturn x * self.n"),
    ("draws numbers", "self.k = torch.rand(1).item()", "return x * self.k"),
    ("draws numbers", "self.k = [torch.randn(6)]", "return x * self.k[0]"),
    ("forward hooks", "self.register_forward_hook(lambda m, i, o: o * 2)", "return x * 3"),
    ("sparse", "pass", "return x.to_sparse()"),
    ("a vector", "self.a = nn.Linear(6, 6)", "return F.linear(x, self.a.bias), self.a(x)"),
    ("another dtype", "pass", "y = (x * 2).half()\ny.mul_(x.float())\nreturn y * 2"),
    ("another dtype", "pass", "y = x * 2\ny.gt_(0)\nreturn y * 2"),
    ("keep", "self.calls = 0", "self.calls += 1\nreturn x * self.calls"),
    ("keep", "self.kept = None", "self.kept = x if self.kept is None else self.kept\n"
     "return x * 2 + self.kept"),
    ("prepare()", "self.prepare = lambda: None", "return x * 2 * 3"),
]

# Programs that are rewritten rightly, or left as they are: (constructor, forward).
TOLD = [
    ("pass", "y = x * 2\ny.relu_()\nreturn y + y.sum(1, keepdim=True).mean(1, keepdim=True)"),
    ("pass", "y = x.sin().to(torch.float32) + 1\ny.mul_(2)\nreturn y * 1"),
    ("self.fc = nn.Linear(6, 3)\nself.fc.register_forward_hook(lambda m, i, o: o * 2)",
     "return self.fc(x).sum(1)"),
    ("self.a = nn.Linear(6, 6)\nself.b = nn.Linear(6, 6)\nself.b.weight = self.a.weight",
     "return self.b(self.a(x)).sum(1)"),
    ("self.fc = nn.Linear(6, 6)", "return self.fc(x * 1), self.fc(x + 0)"),
    ("self.norm = nn.BatchNorm1d(6)", "return self.norm(x * 1)"),
    ("self.fc = nn.Linear(6, 6)\nself.norm = nn.BatchNorm1d(6)",
     "return self.norm(self.fc(x) * 2)"),
    ("self.fc = nn.Linear(6, 6)\nself.norm = nn.InstanceNorm1d(4, track_running_stats=True)",
     "return self.norm((self.fc(x) * 2)[None])"),
    ("self.register_buffer('n', torch.zeros(6))", "self.n.mul_(0.9)\nreturn x * 1 * 2"),
    ("self.register_buffer('n', torch.zeros(6), persistent=False)", "return (x + self.n) * 1"),
    ("pass", "return torch.view_as_real(torch.fft.fft(x * 1)).sum(-1).sum(-1)"),
    ("pass", "return (x * 1).argmax(1) + 0, x * 1.0"),
    ("pass", "return torch.multiply(torch.subtract(x, 0.0), 1.0).divide(2.0)"),
    ("pass", "return x * 1"),
    ("pass", "return x, x.view(24), x * 1, x + 0"),
    ("pass", "return {'a': x * 1 * 2, 'b': [x + 1, (x * 2,)]}"),
    ("self.rnn = nn.LSTM(6, 5, batch_first=True)", "return self.rnn(x[None] * 1)[0][:, -1]"),
    ("self.layers = nn.ModuleList([nn.Linear(6, 6) for _ in range(3)])",
     "for layer in self.layers:\n    x = layer(x) / 2\nreturn x.sum(1)"),
    ("self.p = nn.ParameterDict({'a': nn.Parameter(torch.randn(6))})",
     "return (x @ torch.diag(self.p['a'])).sum(1)"),
    ("self.fc = nn.utils.parametrizations.weight_norm(nn.Linear(6, 3))",
     "return self.fc(x).sum(1)"),
    ("self.table = nn.Embedding(10, 4)",
     "return self.table((x.abs() * 3).long().clamp(max=9)).sum(-1).sum(-1)"),
    ("self.t = torch.full((6,), 3.0)", "return (x * self.t).sum(1).sum(0, keepdim=True)"),
    ("pass", "return x.to(torch.float32).sum(1).double().sum(0)"),
    ("pass", "return torch.max(x * 2.0, torch.tensor(0.5)).clamp(min=0.25)"),
    ("pass", "return x[:, [0, 2]] * 2 * 3 + torch.tensor([1, 2]) * x[:, :2]"),
    ("pass", "return torch.special.expit(torch.special.i0(x * 1)) + torch.erfinv(x.tanh() + 0)"),
    ("self.attention = nn.MultiheadAttention(6, 2, batch_first=True)",
     "return self.attention(x[None], x[None], x[None])[0][:, -1]"),
    ("self.layer = nn.TransformerEncoderLayer(6, 2, 12, batch_first=True)\nself.eval()",
     "return self.layer(x[None])[:, 0]"),
    ("pass", "return torch.zeros(4, 6) + x * 1, torch.arange(6.0)"),
    ("pass", "i = (x * 3).long()\na = torch.cat([i, i * 2], 1)\n"
             "return torch.cat([a, i], 1), a, torch.einsum('ij,kj->ik', i, i)"),
    ("pass", "z = torch.complex(x, x + 1)\na = torch.cat([z, z * 2], 1)\n"
             "b = torch.cat([torch.cat([a, z], 1), a], 1)\n"
             "return torch.einsum('ij,kj->ik', z, z).real, b.abs()"),
    ("self.fc = nn.Linear(12, 6)\n"
     "self.fc.register_forward_pre_hook(lambda m, given: (given[0] + 1,))",
     "return self.fc(torch.cat([x, x[:1].expand(4, -1)], 1)).sum(1)"),
    ("self.a = nn.Conv2d(2, 2, 3)\nself.b = nn.Conv2d(2, 2, 1)\nself.b.weight = nn.Parameter("
     "self.a.weight[:, :, :1, :1])\nself.c = self.a",
     "z = x.reshape(1, 2, 3, 4).repeat(3, 1, 1, 1)\nreturn self.b(self.a(z)).mean(0), self.c(z)"),
]


def source_of(init, forward):
    return rewriting.task_source(init.split("\n"), forward.split("\n"), X)


class RefusedTest(unittest.TestCase):
    def test_says_why(self):
        for reason, init, forward in REFUSED:
            with self.subTest(init=init, forward=forward):
                exported = rewriting.export(source_of(init, forward))
                self.assertIn(reason, exported.get("refused", ""))


class PlaceTest(unittest.TestCase):
    """A program runs wherever its user puts it: on the second GPU, or on none."""

    MADE = ("y = self.fc(x.to(self.fc.weight.device)) * torch.arange(3, device=x.device)",
            "y = y + self.shift.to(x.device)",
            "limit = torch.tensor(3.0, device=x.device, dtype=x.dtype)",
            "return torch.maximum(y * 2 + y * 3, limit.log()) + torch.ones(3, device=x.device)")

    def test_the_device_of_the_state_is_named_nowhere(self):
        source = rewriting.task_source(["self.fc = nn.Linear(6, 3)", "self.register_buffer("
                                        "'shift', torch.ones(3), persistent=False)"], self.MADE,
                                       {"x": "torch.randn(4, 6)"})
        exported = rewriting.export(source)
        self.assertNotIn("cpu", json.dumps(exported))
        driver = rewriting.Driver()
        self.addCleanup(driver.close)
        program = driver.rewrite(exported)["programs"][0]["source"]
        self.assertIn("device=self.fc.weight.device", program)
        # An input that lies elsewhere is still brought there; what a weight is made of lies there.
        self.assertRegex(program, r"dtype_layout\(x, .*device=self\.fc\.weight\.device\)")
        self.assertRegex(program, r"dtype_layout\(self\.shift, .*device=None\)")
        new = rewriting.module_of(source + "\n\n" + program)
        try:
            model = new.ModelNew().to("meta")
            model.prepare()
            found = model(torch.randn(4, 6, device="meta"))
        finally:
            torch.set_default_dtype(torch.float32)
        self.assertEqual((found.device.type, found.shape), ("meta", (4, 3)))

    def test_another_one_is_and_so_is_that_of_a_model_without_a_state(self):
        limit = torch.tensor(100.0)
        self.assertEqual(graph_values.literal_tensor(limit, ""),
                         "torch.tensor(100.0, dtype=torch.float32)")
        self.assertEqual(graph_values.literal_tensor(limit, "cpu"),
                         'torch.tensor(100.0, dtype=torch.float32, device="cpu")')
        exported = rewriting.export(rewriting.task_source(
            [], ["return x + torch.arange(6, device=x.device)"], {"x": "torch.randn(4, 6)"}))
        self.assertIn('"device": "cpu"', json.dumps(exported))


class ToldTest(unittest.TestCase):
    def setUp(self):
        self.driver = rewriting.Driver()
        self.addCleanup(self.driver.close)

    def test_both_programs_agree(self):
        for init, forward in TOLD:
            with self.subTest(init=init, forward=forward):
                source = source_of(init, forward)
                exported = rewriting.export(source)
                self.assertNotIn("refused", exported)
                for program in self.driver.rewrite(exported)["programs"]:
                    want, got = rewriting.run_both(source, program["source"], 3)
                    for one, other in zip(rewriting.leaves(got), rewriting.leaves(want),
                                          strict=True):
                        self.assertLessEqual(rewriting.error(one, other), 1e-12)

    def program_of(self, init, forward):
        source = source_of(init, forward)
        programs = self.driver.rewrite(rewriting.export(source))["programs"]
        self.assertEqual(len(programs), 1, source)
        return source, programs[0]["source"]

    def test_what_is_returned_is_as_separate_as_before(self):
        source, program = self.program_of("pass", "return x * 1, x + 0")
        new = rewriting.module_of(source + "\n" + program).ModelNew()
        torch.set_default_dtype(torch.float32)
        x = torch.randn(4, 6, dtype=torch.float64)
        a, b = new(x)
        self.assertEqual(len({t.data_ptr() for t in (a, b, x)}), 3)

    def test_stores_into_one_memory_are_of_one_call_and_one_result(self):
        """Two concatenations that lie in one memory are two results, and each call has its own."""
        source, program = self.program_of(
            "pass", "s = x.sin()\na = torch.cat([x, s], 1)\nb = torch.cat([a, a.cos()], 1)\n"
                    "c = torch.cat([x, s, x.cos()], 1)\nreturn a, b, c")
        self.assertIn("begun_with(", program)
        task, new = rewriting.module_of(source), rewriting.module_of(source + "\n" + program)
        model = new.ModelNew()
        torch.set_default_dtype(torch.float32)
        inputs = [torch.randn(4, 6, dtype=torch.float64) for _ in range(2)]
        got = [model(x) for x in inputs]
        for x, results in zip(inputs, got, strict=True):
            for one, other in zip(results, task.Model()(x), strict=True):
                self.assertTrue(torch.equal(one, other))
        memories = [tensor.untyped_storage().data_ptr() for results in got for tensor in results]
        self.assertEqual(len(set(memories)), 6)

    def test_buffers_change_as_in_the_reference(self):
        source, program = self.program_of(
            "self.fc = nn.Linear(6, 6)\nself.norm = nn.BatchNorm1d(6)",
            "return self.norm(self.fc(x) * 2)")
        task = rewriting.module_of(source)
        new = rewriting.module_of(source + "\n" + program).ModelNew()
        model = task.Model()
        new.load_state_dict(model.state_dict())
        new.prepare()
        x, = task.get_inputs()
        torch.set_default_dtype(torch.float32)
        with torch.no_grad():
            for _ in range(3):
                model(x), new(x)
        for name, value in model.state_dict().items():
            torch.testing.assert_close(new.state_dict()[name], value, msg=name)

    def test_other_calls_run_as_the_task_wrote_them(self):
        source, program = self.program_of("self.fc = nn.Linear(6, 5)", "return self.fc(x).sum(1)")
        new = rewriting.module_of(source + "\n" + program).ModelNew()
        torch.set_default_dtype(torch.float32)
        new.prepare()
        for sizes in ((7, 6), (2, 4, 6)):
            x = torch.randn(sizes, dtype=torch.float64)
            torch.testing.assert_close(new(x), new.fc(x).sum(1))

    def test_arguments_that_the_call_did_not_give_are_the_tasks(self):
        source = source_of("self.fc = nn.Linear(6, 5)", "return self.fc(x).sum(1) * by + to")
        source = source.replace("forward(self, x)", "forward(self, x, by=2.0, *, to=1.0)")
        program, = self.driver.rewrite(rewriting.export(source))["programs"]
        task, new = (rewriting.module_of(text).__dict__ for text in
                     (source, source + "\n" + program["source"]))
        model, rewritten = task["Model"](), new["ModelNew"]()
        torch.set_default_dtype(torch.float32)
        rewritten.load_state_dict(model.state_dict())
        rewritten.prepare()
        x = torch.randn(4, 6, dtype=torch.float64)
        for given, named in (((), {}), ((3.0,), {}), ((), {"to": 0.0}), ((3.0,), {"to": x[:, 0]})):
            torch.testing.assert_close(rewritten(x, *given, **named), model(x, *given, **named))

    def test_an_operator_that_no_rule_knows_is_named(self):
        found = self.driver.rewrite(rewriting.export(source_of(
            "self.fc = nn.Linear(6, 6)", "return torch.special.i0(self.fc(x) * 2) * 1")))
        self.assertEqual(found["left_alone"], ["aten.special_i0.default"])
        self.assertIn("special_i0", found["programs"][0]["source"])

    def test_dropout_in_training_widens_ranges(self):
        source = source_of("self.drop = nn.Dropout(0.5)",
                           "return torch.clamp(self.drop(torch.sigmoid(x)), 0.0, 1.0)")
        self.assertEqual(self.driver.rewrite(rewriting.export(source))["programs"], [])

    def test_a_constant_result_is_found(self):
        for forward in ("y = x.sum(1, keepdim=True)\nreturn F.gelu(y - y.mean(1, keepdim=True))",
                        "return torch.clamp(torch.clamp(x, max=0.0), 0.0, 1.0)",
                        "return F.dropout(torch.clamp(torch.min(x, torch.tensor(0.0)), 0.0, 1.0))",
                        "return F.relu(-torch.sigmoid(x))"):
            findings = self.driver.rewrite(rewriting.export(source_of("pass", forward)))["findings"]
            self.assertTrue(any(finding["degenerate"] for finding in findings), forward)
        for forward in ("return torch.clamp(x, 0.0, 1.0)", "return x - x.mean(1, keepdim=True)"):
            findings = self.driver.rewrite(rewriting.export(source_of("pass", forward)))["findings"]
            self.assertEqual(findings, [], forward)


if __name__ == "__main__":
    unittest.main()
