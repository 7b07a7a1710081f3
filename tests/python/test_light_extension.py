import os
import tempfile
import unittest
from unittest import mock

from torch.utils import cpp_extension

from cupel import light_extension

SOURCE = """
#include <torch/extension.h>
torch::Tensor f(torch::Tensor x, double by) {
  TORCH_CHECK(x.is_contiguous(), "contiguous tensors only");
  auto y = torch::empty_like(x);
  auto options = torch::TensorOptions().dtype(torch::kFloat32).device(x.device());
  auto light = torch::zeros({1}, options);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", [&] {
    for (int64_t i = 0; i < x.numel(); ++i)
      y.data_ptr<scalar_t>()[i] = x.data_ptr<scalar_t>()[i] * scalar_t(by);
  });
#ifdef CUPEL_LIGHT_HEADERS
  light[0] = 1;
#endif
  return torch::cat({y, light});
}
"""


def recorder(fails_with=()):
    """(a stand-in for load(), its calls' include paths)."""
    calls = []

    def load(name, sources, extra_cflags=None, extra_include_paths=None, use_pch=False):
        calls.append(extra_include_paths)
        if fails_with and light_extension.HEADERS in (extra_include_paths or []):
            raise fails_with(name)
        return name
    return load, calls


class Lightly(unittest.TestCase):
    def test_light_headers_come_first(self):
        load, calls = recorder()
        self.assertEqual(light_extension.lightly(load)("a", [], extra_include_paths="own"), "a")
        self.assertEqual(calls, [[light_extension.HEADERS, "own"]])

    def test_what_fails_is_built_as_it_is(self):
        for error in (RuntimeError, ImportError):
            load, calls = recorder(error)
            self.assertEqual(light_extension.lightly(load)("a", []), "a")
            self.assertEqual(calls, [[light_extension.HEADERS], None])

    def test_other_errors_are_the_callers(self):
        load, calls = recorder(KeyError)
        with self.assertRaises(KeyError):
            light_extension.lightly(load)("a", [])
        self.assertEqual(len(calls), 1)

    def test_precompiled_headers_are_left_alone(self):
        load, calls = recorder()
        light_extension.lightly(load)("a", [], use_pch=True)
        self.assertEqual(calls, [None])

    def test_only_sources_that_build_are_accelerated_and_once(self):
        plain = cpp_extension.load_inline
        with mock.patch.multiple(cpp_extension, load=cpp_extension.load, load_inline=plain):
            light_extension.accelerate_for("import torch")
            self.assertIs(cpp_extension.load_inline, plain)
            light_extension.accelerate_for("from torch.utils.cpp_extension import load_inline")
            light = cpp_extension.load_inline
            self.assertIs(light.cupel_plain, plain)
            light_extension.accelerate_for("from torch.utils.cpp_extension import load_inline")
            self.assertIs(cpp_extension.load_inline, light)


class Building(unittest.TestCase):
    def test_a_usual_extension_builds_with_the_light_headers(self):
        import torch
        build = light_extension.lightly(cpp_extension.load_inline)
        with tempfile.TemporaryDirectory() as directory, \
                mock.patch.dict(os.environ, TORCH_EXTENSIONS_DIR=directory):
            module = build("light_extension_test", cpp_sources=SOURCE, functions=["f"])
            got = module.f(torch.tensor([1.0, 2.0]), 3.0)
        self.assertEqual(got.tolist(), [3.0, 6.0, 1.0])


if __name__ == "__main__":
    unittest.main()
