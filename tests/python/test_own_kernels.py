"""Which CUDA kernels a memory checker looks at, by their sources as a compiler gets them."""

import os
import tempfile
import unittest
from unittest import mock

from cupel import inline, light_extension, own_kernels

SHARING = """
extern "C" __global__ void plain(const float* x) {}
template <int N>
__global__ void __launch_bounds__(256, 2) reduced(const float* x, float* y) {
  __shared__ float part[N];
}
static void __global__ later(const float* x, int (*by)(int));
// __global__ KERNEL is only spoken of here
"""
TEMPLATE = """
extern "C" __global__ void {name}(float* x) {{ __shared__ float s[32]; }}
"""


class Extensions(unittest.TestCase):
    """Sources that reach nvcc."""

    def test_kernels_are_found_by_name(self):
        self.assertEqual(own_kernels.kernels_in(SHARING), ["plain", "reduced", "later"])

    def test_without_shared_memory_there_is_nothing_to_race_for(self):
        self.assertEqual(own_kernels.kernels_in("__global__ void plain(float* x) {}"), [])
        self.assertEqual(own_kernels.kernels_in("// __shared__\n__global__ void f(int) {}"), [])

    def test_what_macros_make_cannot_be_told(self):
        for source in ("#define KERNEL __global__ void\nKERNEL f(float* x) { __shared__ int s; }",
                       "#define K(n) __global__ void n##_kernel() { S int s; }\nK(f)",
                       "__global__ void BOUNDS(256) f(float* x) { __shared__ int s; }",
                       "__global__ OF(f) { __shared__ int s; }",
                       "__global__ void f(float* x"):
            self.assertIsNone(own_kernels.kernels_in(source + "\n__shared__ int t;"), source)

    def test_load_inline_and_load_tell_what_they_compile(self):
        self.addCleanup(light_extension._cuda_sources.clear)
        built = light_extension.lightly(lambda name=None, cuda_sources=None, sources=None,
                                        extra_include_paths=None: name)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.cu")
            with open(path, "w", encoding="utf-8") as file:
                file.write("from a file")
            built("one", cuda_sources="a text")
            built("two", cuda_sources=["some", "texts"])
            built("three", sources=[path, "main.cpp", os.path.join(folder, "gone.cu")])
            built("four", sources=["main.cpp"], extra_include_paths=[folder])
            built("five", cuda_sources="of headers", extra_include_paths=[folder])
        self.assertEqual(light_extension.cuda_sources_built(),
                         ["a text", "some", "texts", "from a file", None, "of headers", None])


class Told(unittest.TestCase):
    """What a host tells its judge."""

    def test_a_name_that_the_program_puts_together_is_told(self):
        program = "SOURCE.format(name=NAME + str(8))"
        self.assertEqual(
            own_kernels.told(program, {"sum8": TEMPLATE.format(name="sum8")}, []),
            {"names": ["sum8"], "unnamed": False})
        self.assertEqual(
            own_kernels.told(program, {}, [TEMPLATE.format(name="sum8")]),
            {"names": ["sum8"], "unnamed": False})

    def test_kernels_without_shared_memory_are_left_out(self):
        kernels = {"plain": "__global__ void plain() {}", "ptx": 'asm("st.shared.u32 ...");'}
        self.assertEqual(own_kernels.told("", kernels, []), {"names": ["ptx"], "unnamed": False})

    def test_what_cannot_be_told_is_said(self):
        nothing = {"names": [], "unnamed": True}
        self.assertEqual(own_kernels.told("", {}, [None]), nothing)
        self.assertEqual(own_kernels.told("K = '__global__ void f'", {}, []), nothing)
        self.assertEqual(own_kernels.told("import torch", {}, []), {"names": [], "unnamed": False})
        many = {f"k{i}": "__shared__" for i in range(own_kernels.NAMES_MAX + 1)}
        told = own_kernels.told("", many, [])
        self.assertEqual((len(told["names"]), told["unnamed"]), (own_kernels.NAMES_MAX, True))

    def test_cuda_kernel_notes_the_source_that_it_compiles(self):
        self.addCleanup(inline._cuda_kernels.clear)
        with mock.patch("cupel.inline_cuda.build", lambda *_: print):
            for width in (8, 16):
                name = f"sum{width}"
                inline.cuda_kernel(TEMPLATE.format(name=name), name)
        self.assertEqual(list(inline.cuda_kernels_built()), ["sum8", "sum16"])
        self.assertEqual(own_kernels.told("", inline.cuda_kernels_built(), [])["names"],
                         ["sum8", "sum16"])


if __name__ == "__main__":
    unittest.main()
