"""What a launch and a build of a kernel cost, through cupel.inline.cuda_kernel and through
torch's load_inline: the same kernel, on a machine with a GPU.

    PYTHONPATH=python python3 bench/launch.py [--no-load-inline]
"""

import argparse
import os
import statistics
import tempfile
import time

CUDA = r"""
extern "C" __global__ void scale(const float* x, float* y, int64_t n, float by) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
"""
EXTENSION = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void scale_kernel(const float* x, float* y, int64_t n, float by) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
void scale(torch::Tensor x, torch::Tensor y, int64_t n, double by) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && y.is_contiguous());
  scale_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), n, by);
}
"""
CALLS, ROUNDS = 2000, 15


def launch_us(call, synchronize):
    """Host time of one call, in microseconds: the median of several runs of many calls."""
    runs = []
    for _ in range(ROUNDS):
        synchronize()
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        runs.append((time.perf_counter_ns() - start) / CALLS / 1000)
        synchronize()
    return statistics.median(runs)


def timed(build):
    start = time.perf_counter()
    return build(), time.perf_counter() - start


def with_cuda_kernel(x, y):
    """(call, seconds to build)."""
    from cupel.inline import cuda_kernel
    kernel, seconds = timed(lambda: cuda_kernel(CUDA, "scale"))
    return (lambda: kernel(x, y, 256, 2.0, grid=1, block=256)), seconds


def with_load_inline(x, y):
    from torch.utils.cpp_extension import load_inline
    module, seconds = timed(lambda: load_inline(
        "launch_bench", cpp_sources="void scale(torch::Tensor, torch::Tensor, int64_t, double);",
        cuda_sources=EXTENSION, functions=["scale"]))
    return (lambda: module.scale(x, y, 256, 2.0)), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-load-inline", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["CUPEL_CACHE"] = os.environ["TORCH_EXTENSIONS_DIR"] = cache
        import torch
        x, y = torch.rand(256, device="cuda"), torch.empty(256, device="cuda")
        ways = {"cuda_kernel": with_cuda_kernel}
        if not options.no_load_inline:
            ways["load_inline"] = with_load_inline
        for name, way in ways.items():
            call, seconds = way(x, y)
            microseconds = launch_us(call, torch.cuda.synchronize)
            assert torch.equal(y, 2 * x), name
            print(f"{name:<12} build {seconds:7.3f} s   launch {microseconds:6.2f} us", flush=True)
        microseconds = launch_us(lambda: torch.mul(x, 2.0, out=y), torch.cuda.synchronize)
        print(f"{'torch.mul':<12} {'':16}   launch {microseconds:6.2f} us")


if __name__ == "__main__":
    main()
