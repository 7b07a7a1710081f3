import json
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


class ThroughTheDoor(unittest.TestCase):
    def setUp(self):
        self.asked = []
        self.addCleanup(light_extension.set_door, None)

    def request(self, **arguments):
        return light_extension.request_of({"name": "a", "cpp_sources": "x"} | arguments)

    def test_what_can_be_told_is_asked_for(self):
        def door(name, request):
            self.asked.append((name, json.loads(request)["arguments"]))
            error = RuntimeError("broken")
            error.log = "a.cpp:1: error: no"
            raise error
        light_extension.set_door(door)
        build = light_extension.lightly(cpp_extension.load_inline)
        with self.assertRaisesRegex(RuntimeError, "Error building extension 'a': a.cpp:1: error"):
            build("a", "int f();", functions=["f"], extra_cflags=["-O3"], verbose=True)
        self.assertEqual(self.asked, [("a", {"name": "a", "cpp_sources": "int f();",
                                             "functions": ["f"], "extra_cflags": ["-O3"]})])

    def test_what_names_files_here_is_built_here(self):
        self.assertIsNotNone(self.request(verbose=True, with_cuda=True))
        self.assertIsNone(self.request(build_directory="/work/a"))
        self.assertIsNone(self.request(extra_include_paths=["/work/include"]))
        self.assertIsNone(self.request(is_python_module=False))
        self.assertIsNone(self.request(functions={"f", "g"}))
        self.assertIsNone(self.request(name="not a name"))
        self.assertIsNone(light_extension.request_of({"name": "a", "sources": ["a.cpp"]}))

    def test_the_architecture_of_this_machine_is_told(self):
        with mock.patch.dict(os.environ, TORCH_CUDA_ARCH_LIST="9.0a"):
            self.assertEqual(json.loads(self.request())["architectures"], "9.0a")


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
