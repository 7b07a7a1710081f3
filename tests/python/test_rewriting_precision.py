"""Which switch of torch a rewritten program's products obey on a GPU, told without one."""

import contextlib
import types
import unittest

import rewriting
import torch

RULE = "recurrent cells as one operator"
MATMUL, CUDNN = torch.backends.cuda.matmul, torch.backends.cudnn
KINDS = {"LSTM": "lstm", "GRU": "gru", "RNN": "rnn_tanh"}


def loop_of(kind):
    step = "h, c = self.cell(x[:, i], (h, c))" if kind == "LSTM" else "h = self.cell(x[:, i], h)"
    return rewriting.task_source(
        [f"self.cell = nn.{kind}Cell(5, 7)"],
        ["c = h", "out = []", "for i in range(6):", f"    {step}", "    out.append(h)",
         "return torch.stack(out, 1)"],
        {"x": "torch.randn(3, 6, 5)", "h": "torch.randn(3, 7)"})


@contextlib.contextmanager
def switches(matmul, cudnn):
    before = MATMUL.allow_tf32, CUDNN.allow_tf32
    MATMUL.allow_tf32, CUDNN.allow_tf32 = matmul, cudnn
    try:
        yield
    finally:
        MATMUL.allow_tf32, CUDNN.allow_tf32 = before


class PrecisionTest(unittest.TestCase):
    def rewritten(self, source, policy="tf32"):
        driver = rewriting.Driver(policy)
        self.addCleanup(driver.close)
        exported = rewriting.export(source)
        self.assertNotIn("refused", exported)
        return driver.rewrite(exported)["programs"]

    def test_a_layer_made_of_cells_is_held_to_the_switch_of_products(self):
        for kind, layer in KINDS.items():
            program = self.rewritten(loop_of(kind))[0]
            self.assertIn(RULE, [step["rule"] for step in program["steps"]])
            body = program["source"].split("class ModelNew")[1]
            self.assertIn(f"as_precise_as_products(torch.{layer}, ", body)
            self.assertNotRegex(body, rf"torch\.{layer}\(")

    def test_a_layer_of_the_task_keeps_its_own_switch(self):
        source = rewriting.task_source(
            ["self.layer = nn.GRU(5, 7, batch_first=True)"],
            ["return self.layer(x * 1.0)[0] * 1.0"], {"x": "torch.randn(3, 6, 5)"})
        program = self.rewritten(source)[0]
        self.assertRegex(program["source"], r"torch\.gru\(")
        self.assertNotIn("as_precise_as_products", program["source"])

    def test_on_a_gpu_the_switch_is_set_for_the_call_alone(self):
        held = self.held()
        x = types.SimpleNamespace(is_cuda=True)
        for matmul, cudnn in ((False, True), (True, True), (True, False), (False, False)):
            with switches(matmul, cudnn):
                seen = held(lambda *given: (CUDNN.allow_tf32, given[1:]), x, "h", 1)
                self.assertEqual(seen, (matmul, ("h", 1)))
                self.assertEqual((MATMUL.allow_tf32, CUDNN.allow_tf32), (matmul, cudnn))

    @unittest.skipUnless(hasattr(MATMUL, "fp32_precision"), "torch has no such switches yet")
    def test_the_newer_switches_are_heeded_where_they_are_in_use(self):
        held, x = self.held(), types.SimpleNamespace(is_cuda=True)
        self.addCleanup(setattr, MATMUL, "allow_tf32", MATMUL.allow_tf32)
        self.addCleanup(setattr, CUDNN, "allow_tf32", CUDNN.allow_tf32)
        for matmul, rnn in (("ieee", "tf32"), ("tf32", "ieee"), ("tf32", "tf32")):
            MATMUL.fp32_precision, CUDNN.rnn.fp32_precision = matmul, rnn
            self.assertEqual(held(lambda _: CUDNN.rnn.fp32_precision == "tf32", x),
                             matmul == "tf32")
            self.assertEqual((MATMUL.fp32_precision, CUDNN.rnn.fp32_precision), (matmul, rnn))

    def test_what_raises_leaves_the_switch_as_it_was(self):
        def fails(_):
            raise RuntimeError("out of memory")
        with switches(False, True):
            with self.assertRaises(RuntimeError):
                self.held()(fails, types.SimpleNamespace(is_cuda=True))
            self.assertTrue(CUDNN.allow_tf32)

    def test_elsewhere_no_switch_is_touched(self):
        with switches(False, True):
            self.assertTrue(self.held()(lambda _: CUDNN.allow_tf32, torch.zeros(1)))

    def held(self):
        return rewriting.module_of(self.rewritten_file()).as_precise_as_products

    def rewritten_file(self):
        source = loop_of("GRU")
        self.addCleanup(torch.set_default_dtype, torch.get_default_dtype())
        return source + "\n\n" + self.rewritten(source)[0]["source"]

    def test_compiled_for_a_gpu_a_layer_is_products_of_matrices(self):
        from torch._dispatch.python import enable_python_dispatcher
        from torch._subclasses import FakeTensorMode
        from torch.fx.experimental.proxy_tensor import make_fx

        def layer(x, h, *weights):
            return torch.gru(x, h, weights, True, 1, 0.0, False, False, True)
        with FakeTensorMode(), torch.no_grad(), enable_python_dispatcher():
            shapes = [(3, 6, 5), (1, 3, 7), (21, 5), (21, 7), (21,), (21,)]
            graph = make_fx(layer)(*[torch.empty(shape, device="cuda") for shape in shapes]).graph
        called = {str(node.target) for node in graph.nodes if node.op == "call_function"}
        self.assertTrue(any("mm" in name for name in called), called)
        self.assertFalse(any("rnn" in name or "gru" in name for name in called), called)

    def test_under_strict_policies_no_layer_is_made_of_cells_on_a_gpu(self):
        for policy in ("exact", "eager"):
            for kind, layer in KINDS.items():
                for program in self.rewritten(loop_of(kind), policy):
                    self.assertNotIn(RULE, [step["rule"] for step in program["steps"]])
                    body = program["source"].split("class ModelNew")[1]
                    self.assertNotIn(f"torch.{layer}", body)


if __name__ == "__main__":
    unittest.main()
