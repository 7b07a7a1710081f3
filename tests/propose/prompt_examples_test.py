"""Every program that the prompts show is run: the C++ ones are compiled and compared with what they
say they compute, the CUDA one is parsed, and run where there is a GPU."""

import ast
import os
import re
import sys
import tempfile
import types
import unittest
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

HOME = Path(os.environ.get("CUPEL_HOME") or Path(__file__).resolve().parents[2])
sys.path.insert(0, str(HOME / "python"))

from cupel.inline import cpp_kernel  # noqa: E402
from cupel.inline_signature import parse_signature  # noqa: E402

ROWS, WIDTH = 300, 1024
SMALLEST_NORMAL = torch.finfo(torch.float32).tiny
EXP_ALL = """
extern "C" void exp_all(const float* x, float* y, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) y[i] = exp_of(x[i]);
}
"""
ERROR_MAX = 2e-6  # of the largest value: some units in the last place of float32


def examples():
    """{name: source} of all python blocks below prompts/; each must say its name first."""
    found = {}
    for path in sorted((HOME / "prompts").rglob("*.txt")):
        for block in re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.S | re.M):
            name = re.match(r"# example: (\w+)\n", block)
            if name is None:
                raise AssertionError(f"{path}: a python block must begin with # example: NAME")
            found[name[1]] = block
    return found


def imported(source):
    """The module of a source, from a file as the judge imports it."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(source)
    module = types.ModuleType("candidate")
    exec(compile(source, file.name, "exec", dont_inherit=True), module.__dict__)
    os.unlink(file.name)
    return module


class RmsSilu(nn.Module):
    """What the kernels' prompts say that Model computes."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x + F.silu(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight)


class ExamplesTest(unittest.TestCase):
    def test_each_is_known(self):
        self.assertEqual(set(examples()), {"packed_linear", "cpp_rms_silu", "cuda_rms_silu"})

    def test_each_begins_with_a_docstring_and_defines_the_class(self):
        for name, source in examples().items():
            tree = ast.parse(source)
            self.assertTrue(ast.get_docstring(tree), name)
            classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
            self.assertEqual(classes, ["ModelNew"], name)

    def compare(self, reference, model, x):
        model.load_state_dict(reference.state_dict())
        if hasattr(model, "prepare"):
            model.prepare()
        with torch.no_grad():
            wanted = reference.double()(x.double())
            error = (model(x) - wanted).abs().max().item()
        self.assertLess(error, ERROR_MAX * wanted.abs().max().item())

    def test_packed_linear(self):
        torch.manual_seed(1)
        model = imported(examples()["packed_linear"]).ModelNew(64, 32)
        model.prepare()
        x = torch.randn(8, 64)
        with torch.no_grad():
            self.assertLess((model(x) - model.linear(x)).abs().max().item(), 1e-5)

    def test_cpp_kernel(self):
        torch.manual_seed(2)
        module = imported(examples()["cpp_rms_silu"])
        for scale in (1.0, 16.0, 1 / 64):
            reference = RmsSilu(WIDTH)
            nn.init.normal_(reference.weight)
            self.compare(reference, module.ModelNew(WIDTH), torch.randn(ROWS, WIDTH) * scale)

    def test_the_exponential_is_right_where_it_is_small(self):
        source = examples()["cpp_rms_silu"]
        head = source[source.index('r"""') + 4:source.index('extern "C"')]
        exp_all = cpp_kernel(head + EXP_ALL, "exp_all")
        x = torch.linspace(-110, 88, 2_000_001)
        y = torch.empty_like(x)
        exp_all(x, y, x.numel())
        error = (y.double() - x.double().exp()).abs() / x.double().exp().clamp(min=SMALLEST_NORMAL)
        self.assertLess(error.max().item(), 2e-7)

    def test_cuda_kernel(self):
        source = examples()["cuda_rms_silu"]
        assigned = {node.targets[0].id: node.value for node in ast.parse(source).body
                    if isinstance(node, ast.Assign)}
        cuda_source = ast.literal_eval(assigned["SOURCE"])
        call = assigned["rms_silu"]
        self.assertEqual(call.func.id, "cuda_kernel")
        signature = parse_signature(cuda_source, ast.literal_eval(call.args[1]))
        self.assertEqual(signature.python_names(), ["x", "weight", "y", "rows", "width"])
        if torch.cuda.is_available():
            reference = RmsSilu(WIDTH).cuda()
            self.compare(reference, imported(source).ModelNew(WIDTH).cuda(),
                         torch.randn(ROWS, WIDTH, device="cuda"))


if __name__ == "__main__":
    unittest.main()
