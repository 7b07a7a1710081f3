"""CUDA kernels of cupel.inline. What a declaration means and what NVRTC says is tested wherever
NVRTC is; launches where there is a GPU."""

import os
import tempfile
import threading
import unittest
from unittest import mock

import torch

from cupel import inline, inline_nvrtc
from cupel.inline_signature import SignatureError, parse_signature

HAS_GPU = torch.cuda.is_available()
SCALE = r"""
extern "C" __global__ void scale(const float* __restrict__ x, float* y, int64_t n, float by) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
"""
# Every width, in an order that needs padding; shared memory; several dimensions.
MIXED = r"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void mixed(int8_t a, double b, const half* h, bool c, int64_t d,
                                 __nv_bfloat16* w, int16_t e, float f, float* out) {
  extern __shared__ float block[];
  block[threadIdx.x] = a + b + c + d + e + f + float(h[0]) + float(w[0]);
  __syncthreads();
  out[blockIdx.y * blockDim.x + threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
}
"""


def has_nvrtc():
    try:
        return inline_nvrtc.version() is not None
    except inline_nvrtc.NvrtcError:
        return False


class Declarations(unittest.TestCase):
    def test_cuda_words_and_types(self):
        source = ('extern "C" __global__ __launch_bounds__(256, 2) void __cluster_dims__(2, 1, 1) '
                  'f(const __nv_bfloat16* a, half2* b, const float4* __restrict__ c, uint4* d, '
                  'const __grid_constant__ int e) {}')
        parameters = parse_signature(source, "f").parameters
        self.assertEqual([(p.name, p.kind.dtypes, p.kind.alignment) for p in parameters[:4]],
                         [("a", ("bfloat16",), 1), ("b", ("float16",), 4),
                          ("c", ("float32",), 16), ("d", (), 16)])
        self.assertFalse(parameters[4].pointer)

    def test_vectors_are_not_passed_by_value(self):
        with self.assertRaisesRegex(SignatureError, "float4 x"):
            parse_signature('extern "C" __global__ void f(float4 x) {}', "f")


class IncludeDirectories(unittest.TestCase):
    def found(self, *files):
        """Of `a` and `b`, which hold these files."""
        with tempfile.TemporaryDirectory() as folder:
            for file in files:
                path = os.path.join(folder, file)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8"):
                    pass
            with mock.patch.object(inline_nvrtc, "_include_candidates",
                                   lambda: [os.path.join(folder, name) for name in "ab"]):
                paths = inline_nvrtc.include_directories.__wrapped__()
            return [os.path.relpath(path, folder) for path in paths]

    def test_the_core_library_is_the_runtimes_or_else_anybodys(self):
        self.assertEqual(self.found("a/nv/target"), [])
        self.assertEqual(self.found("b/cuda_fp16.h"), ["b"])
        self.assertEqual(self.found("a/cuda_fp16.h", "a/nv/target", "b/cccl/nv/target"), ["a"])
        self.assertEqual(self.found("a/cuda_fp16.h", "a/cccl/nv/target", "b/nv/target"),
                         ["a", "a/cccl"])
        self.assertEqual(self.found("a/cuda_fp16.h", "b/cuda_fp16.h", "b/cccl/nv/target"),
                         ["a", "b/cccl"])
        self.assertEqual(self.found("b/cuda_fp16.h", "a/nv/target"), ["b", "a"])


@unittest.skipUnless(has_nvrtc(), "there is no libnvrtc")
class Compiling(unittest.TestCase):
    def compiled(self, source, flags=()):
        return inline_nvrtc.compile_cubin(source, "kernel", "sm_80", flags)

    def test_a_cubin_is_made_and_holds_the_name(self):
        self.assertIn(b"scale", self.compiled(SCALE))

    def test_c_headers_hold_what_a_kernel_can_use(self):
        self.compiled("#include <cstdint>\n#include <stdint.h>\n#include <math.h>\n"
                      "#include <cfloat>\n#include <climits>\n#include <algorithm>\n"
                      "#include <cuda_runtime.h>\n"
                      "std::int32_t twice(std::int32_t x) { return 2 * x; }\n"
                      'extern "C" __global__ void f(float* y) { y[0] = twice(INT_MAX) + FLT_MAX '
                      "+ INFINITY + std::max(1.0f, 2.0f); }")

    def test_errors_name_the_line(self):
        with self.assertRaises(inline_nvrtc.NvrtcError) as caught:
            self.compiled('\nextern "C" __global__ void f(float* y) { y[0] = nothing; }')
        self.assertIn('kernel.cu(2): error: identifier "nothing" is undefined',
                      caught.exception.log)

    def test_flags_reach_the_compiler_and_the_key(self):
        plain = inline_nvrtc.key(SCALE, "sm_80", ())
        self.assertNotEqual(plain, inline_nvrtc.key(SCALE, "sm_80", ("-DN=1",)))
        self.assertNotEqual(plain, inline_nvrtc.key(SCALE, "sm_90a", ()))
        self.assertNotEqual(plain, inline_nvrtc.key(SCALE + " ", "sm_80", ()))
        with mock.patch.object(inline_nvrtc, "version", return_value=(11, 7)):
            self.assertNotEqual(plain, inline_nvrtc.key(SCALE, "sm_80", ()))
        with mock.patch.dict(inline_nvrtc.HEADERS, {next(iter(inline_nvrtc.HEADERS)): "changed"}):
            self.assertNotEqual(plain, inline_nvrtc.key(SCALE, "sm_80", ()))
        self.compiled('extern "C" __global__ void f(float* y) { y[0] = N; }', ("-DN=1",))


class Storing(unittest.TestCase):
    def test_what_is_stored_is_not_made_again(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "inline", "key.cubin")
            self.assertEqual(inline_nvrtc.stored(path, lambda: b"made"), b"made")
            self.assertEqual(inline_nvrtc.stored(path, self.fail), b"made")
            self.assertEqual(os.listdir(os.path.dirname(path)), ["key.cubin"])

    def test_a_cache_that_cannot_be_written_costs_only_time(self):
        self.assertEqual(inline_nvrtc.stored("/proc/no/such/key.cubin", lambda: b"made"), b"made")


@unittest.skipIf(HAS_GPU, "there is a GPU")
class WithoutGpu(unittest.TestCase):
    def test_the_need_is_said(self):
        with self.assertRaisesRegex(RuntimeError, "needs an NVIDIA GPU"):
            inline.cuda_kernel(SCALE, "scale")


@unittest.skipUnless(HAS_GPU, "there is no GPU")
class Launching(unittest.TestCase):
    def setUp(self):
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        self.cache = cache.name
        changed = mock.patch.dict(os.environ, CUPEL_CACHE=self.cache)
        changed.start()
        self.addCleanup(changed.stop)

    def test_a_kernel_computes_and_its_cubin_is_kept(self):
        scale = inline.cuda_kernel(SCALE, "scale")
        x = torch.rand(1000, device="cuda")
        y = torch.empty_like(x)
        self.assertIsNone(scale(x, y, 1000, 3, grid=4, block=256))
        self.assertTrue(torch.equal(y, 3 * x))
        self.assertEqual(len(os.listdir(os.path.join(self.cache, "inline"))), 1)
        with mock.patch.object(inline_nvrtc, "compile_cubin", self.fail):
            inline.cuda_kernel(SCALE, "scale")

    def test_arguments_of_every_width_and_shared_memory(self):
        mixed = inline.cuda_kernel(MIXED, "mixed")
        h = torch.full((1,), 0.5, device="cuda", dtype=torch.float16)
        w = torch.full((1,), 0.25, device="cuda", dtype=torch.bfloat16)
        out = torch.zeros(2, 32, device="cuda")
        mixed(-3, 0.125, h, True, 1 << 20, w, -7, 2.0, out, grid=(1, 2), block=(32,), shared=128)
        self.assertEqual(set(out.flatten().tolist()), {-3 + 0.125 + 0.5 + 1 + 2**20 + 0.25 - 7 + 2})

    def test_a_block_may_have_more_shared_memory_than_the_plain_limit(self):
        source = ('extern "C" __global__ void f(float* y) { extern __shared__ float s[]; '
                  "s[20000] = 5; y[0] = s[20000]; }")
        y = torch.zeros(1, device="cuda")
        kernel = inline.cuda_kernel(source, "f")
        kernel(y, grid=1, block=1, shared=90_000)
        self.assertEqual(y.item(), 5)
        with self.assertRaisesRegex(RuntimeError, "f: cannot give .* bytes of shared memory"):
            kernel(y, grid=1, block=1, shared=10_000_000)

    def test_arguments_are_checked_and_named(self):
        scale = inline.cuda_kernel(SCALE, "scale")
        x = torch.rand(4, 2, device="cuda")
        y = torch.empty(8, device="cuda")
        wrong = [((x.double(), y, 8, 1.0), "argument 1", "float64"),
                 ((x.t(), y, 8, 1.0), "strides (1, 2)", ".contiguous()"),
                 ((x.cpu(), y, 8, 1.0), "it is on cpu"),
                 ((x, [1.0], 8, 1.0), "argument 2", "got list [1.0]"),
                 ((x, y, 8.5, 1.0), "int64_t n", "an integer")]
        for arguments, *words in wrong:
            with self.subTest(words), self.assertRaises(TypeError) as caught:
                scale(*arguments, grid=1, block=8)
            for word in words:
                self.assertIn(word, str(caught.exception))

    def test_vectors_need_their_alignment(self):
        kernel = inline.cuda_kernel('extern "C" __global__ void f(float4* y) { y[0].x = 1; }', "f")
        y = torch.zeros(8, device="cuda")
        kernel(y, grid=1, block=1)
        with self.assertRaisesRegex(TypeError, "multiple of 16 bytes"):
            kernel(y[1:5], grid=1, block=1)

    def test_a_launch_that_the_driver_refuses_is_told(self):
        scale = inline.cuda_kernel(SCALE, "scale")
        x = torch.rand(8, device="cuda")
        with self.assertRaisesRegex(RuntimeError, "scale: cannot launch grid.*CUDA_ERROR_INVALID"):
            scale(x, x, 8, 1.0, grid=1, block=4096)

    def test_bad_source_is_a_build_error_with_the_compilers_lines(self):
        with self.assertRaises(inline.BuildError) as caught:
            inline.cuda_kernel('extern "C" __global__ void f(float* y) { y[0] = nothing; }', "f")
        self.assertIn("f.cu(1): error", str(caught.exception))

    def test_current_stream_named_stream_and_graphs(self):
        scale = inline.cuda_kernel(SCALE, "scale")
        x, y = torch.rand(64, device="cuda"), torch.zeros(64, device="cuda")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        scale(x, y, 64, 2.0, grid=1, block=64, stream=side)
        side.synchronize()
        self.assertTrue(torch.equal(y, 2 * x))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            scale(x, y, 64, 5.0, grid=1, block=64)
        x.fill_(1)
        y.zero_()
        graph.replay()
        self.assertEqual(y.tolist(), [5.0] * 64)

    def test_threads_without_a_context_can_launch(self):
        scale = inline.cuda_kernel(SCALE, "scale")
        x, y = torch.rand(64, device="cuda"), torch.zeros(64, device="cuda")
        torch.cuda.synchronize()
        thread = threading.Thread(target=scale, args=(x, y, 64, 4.0),
                                  kwargs={"grid": 1, "block": 64})
        thread.start()
        thread.join()
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(y, 4 * x))


if __name__ == "__main__":
    unittest.main()
