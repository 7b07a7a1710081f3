"""Candidates with CUDA kernels of their own, for bench/throughput.py and bench/cupti.py: eight
shipped tasks, up to ten sources each, the same kernels through load_inline or cuda_kernel.

    python3 bench/cuda_candidates.py FOLDER --door load_inline|cuda_kernel

writes FOLDER/TASK/TASK_tTHREADS_uUNROLL.py. Every source is another one (block size and unrolling
stand in its text), all of them are right.
"""

import argparse
from pathlib import Path

VARIANTS = ((256, 1), (256, 2), (512, 1), (512, 2), (128, 1), (128, 2), (256, 4), (512, 4),
            (1024, 1), (1024, 2))

# One thread block a row; sums and maxima of a block.
REDUCTIONS = """
__device__ float block_sum(float v) {
  __shared__ float part[32];
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < THREADS / 32 ? part[threadIdx.x % 32] : 0.0f;
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  __syncthreads();
  return v;
}
__device__ float block_max(float v) {
  __shared__ float part[32];
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < THREADS / 32 ? part[threadIdx.x % 32] : -3.0e38f;
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  __syncthreads();
  return v;
}
"""
KERNEL = """#define THREADS {threads}
#define PASSES {passes}
{reductions}
{functions}
extern "C" __global__ void {name}(
    const float* a, const float* b, const float* p, const float* q, const float* r, float* y,
    int rows, int columns, float s, float t, float u) {{
  #pragma unroll 1
  for (int pass = 0; pass < PASSES; ++pass) {{
{body}
  }}
}}
"""
# Elements UNROLL at a time; `i` is the element, `c` its column.
POINTWISE = """
  long n = long(rows) * columns;
  #pragma unroll
  for (int k = 0; k < UNROLL; ++k) {{
    long i = (long(blockIdx.x) * UNROLL + k) * THREADS + threadIdx.x;
    int c = i % columns;
    if (i < n) y[i] = {value};
  }}"""
ROWWISE = """
  const float* x = a + long(blockIdx.x) * columns;
  const float* w = b + long(blockIdx.x) * columns;
  float* out = y + long(blockIdx.x) * columns;
{steps}"""
EACH = "\n  #pragma unroll UNROLL\n  for (int c = threadIdx.x; c < columns; c += THREADS) "
SOFTPLUS = "__device__ float softplus(float v) { return v > 20.0f ? v : log1pf(expf(v)); }\n"
SIGMOID = "__device__ float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }\n"
GELU = ("__device__ float gelu(float v) "
        "{ return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }\n")
MISH = SOFTPLUS + "__device__ float mish(float v) { return v * tanhf(softplus(v)); }\n"


class Kernel:
    """One task's kernel: what differs from the template, and how ModelNew calls it."""

    def __init__(self, body, call, init="", arguments="", functions="", rowwise=True,
                 output="torch.empty_like(a)"):
        self.body, self.call, self.init, self.arguments = body, call, init, arguments
        self.functions, self.rowwise, self.output = functions, rowwise, output

    def source(self, name, threads, unroll, passes):
        return KERNEL.format(threads=threads, passes=passes, name=name,
                             body=self.body.replace("UNROLL", str(unroll)),
                             functions=self.functions,
                             reductions=REDUCTIONS if self.rowwise else "")


def pointwise(value, **rest):
    return Kernel(POINTWISE.format(value=value), rowwise=False, **rest)


def rowwise(*steps, **rest):
    return Kernel(ROWWISE.format(steps="\n".join("  " + step for step in steps)), **rest)


EXPONENTIALS = ("float m = -3.0e38f, z = 0.0f;", EACH + "m = fmaxf(m, x[c] * s);",
                "m = block_max(m);", EACH + "z += expf(x[c] * s - m);", "z = block_sum(z);")
ROWS_ONLY = "torch.empty(a.shape[0], device=a.device)"
PARAMETER = "        self.{0} = torch.nn.Parameter({1})\n"

KERNELS = {
    "gelu_residual": pointwise(
        "gelu(a[i] * p[c] + q[c]) * r[c] + b[i]", functions=GELU,
        call="a, b, self.scale, self.shift, self.gain, y, 0.0, 0.0, 0.0", arguments="channels",
        init=PARAMETER.format("scale", "1.0 + 0.2 * torch.randn(channels)")
        + PARAMETER.format("shift", "0.5 * torch.randn(channels)")
        + PARAMETER.format("gain", "0.5 + torch.rand(channels)")),
    "mish_gate": pointwise(
        "mish(a[i] + p[c]) * tanhf(mish(b[i] * q[c])) + a[i]", functions=MISH,
        call="a, b, self.bias, self.slope, a, y, 0.0, 0.0, 0.0", arguments="channels",
        init=PARAMETER.format("bias", "0.5 * torch.randn(channels)")
        + PARAMETER.format("slope", "0.5 + torch.rand(channels)")),
    "row_logsumexp": rowwise(
        *EXPONENTIALS, "if (threadIdx.x == 0) y[blockIdx.x] = m + logf(z);", output=ROWS_ONLY,
        call="a, a, a, a, a, y, 1.0, 0.0, 0.0"),
    "rms_norm": rowwise(
        "float z = 0.0f;", EACH + "z += x[c] * x[c];",
        "z = rsqrtf(block_sum(z) / columns + s);", EACH + "out[c] = x[c] * z * p[c];",
        call="a, a, self.weight, a, a, y, self.eps, 0.0, 0.0", arguments="width, eps",
        init=PARAMETER.format("weight", "1.0 + 0.3 * torch.randn(width)")
        + "        self.eps = eps\n"),
    "layer_norm": rowwise(
        "float m = 0.0f, z = 0.0f;", EACH + "m += x[c] + w[c];", "m = block_sum(m) / columns;",
        EACH + "z += (x[c] + w[c] - m) * (x[c] + w[c] - m);",
        "z = rsqrtf(block_sum(z) / columns + s);",
        EACH + "out[c] = (x[c] + w[c] - m) * z * p[c] + q[c];",
        call="a, b, self.norm.weight, self.norm.bias, a, y, self.norm.eps, 0.0, 0.0",
        arguments="width",
        init="        self.norm = torch.nn.LayerNorm(width)\n"
        "        torch.nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)\n"
        "        torch.nn.init.normal_(self.norm.bias, std=0.2)\n"),
    "cosine_similarity": rowwise(
        "float d = 0.0f, m = 0.0f, z = 0.0f;",
        EACH + "{ d += x[c] * w[c]; m += x[c] * x[c]; z += w[c] * w[c]; }",
        "d = block_sum(d); m = block_sum(m); z = block_sum(z);",
        "if (threadIdx.x == 0) y[blockIdx.x] = d / (fmaxf(sqrtf(m) * sqrtf(z) - s, 0.0f) + s);",
        call="a, b, a, a, a, y, 1e-8, 0.0, 0.0", output=ROWS_ONLY),
    "softmax_rows": rowwise(
        *EXPONENTIALS, EACH + "out[c] = expf(x[c] * s - m) / z;", arguments="temperature",
        call="a, a, a, a, a, y, 1.0 / self.temperature, 0.0, 0.0",
        init="        self.temperature = temperature\n"),
    "bias_swish_clamp": pointwise(
        "fminf(fmaxf((a[i] + p[c]) * sigmoid(a[i] + p[c]) * s, t), u)", functions=SIGMOID,
        call="a, a, self.bias, a, a, y, *self.range", arguments="channels, *scalars",
        init=PARAMETER.format("bias", "torch.randn(channels)")
        + "        self.range = scalars\n"),
}
TWO_INPUTS = ("gelu_residual", "mish_gate", "layer_norm", "cosine_similarity")

MODEL = """

class ModelNew(torch.nn.Module):
    def __init__(self{arguments}):
        super().__init__()
{init}
    def forward(self, {inputs}):
        y = {output}
        launch({call})
        return y
"""
NVRTC = '''import torch
from cupel.inline import cuda_kernel

kernel = cuda_kernel(r"""
{source}""", "{name}")


def launch(a, b, p, q, r, y, s, t, u):
    rows, columns = a.shape
    kernel(a, b, p, q, r, y, rows, columns, s, t, u, grid={grid}, block={threads})
'''
EXTENSION = '''import torch
from torch.utils.cpp_extension import load_inline

launch = load_inline("{name}", cpp_sources="""
void launch(torch::Tensor a, torch::Tensor b, torch::Tensor p, torch::Tensor q, torch::Tensor r,
            torch::Tensor y, double s, double t, double u);""", functions=["launch"],
    cuda_sources=r"""
#include <torch/extension.h>
{source}
void launch(torch::Tensor a, torch::Tensor b, torch::Tensor p, torch::Tensor q, torch::Tensor r,
            torch::Tensor y, double s, double t, double u) {{
  long rows = a.size(0), columns = a.size(1);
  {name}<<<{grid}, {threads}>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), p.data_ptr<float>(), q.data_ptr<float>(),
      r.data_ptr<float>(), y.data_ptr<float>(), rows, columns, s, t, u);
}}""").launch
'''
DOORS = {"load_inline": EXTENSION, "cuda_kernel": NVRTC}


def candidate(task, door, threads, unroll, passes=1):
    """The text of one candidate; its kernel does its work `passes` times over."""
    kernel, name = KERNELS[task], f"{task}_t{threads}_u{unroll}_p{passes}"
    elements, division = threads * unroll, "//" if door == "cuda_kernel" else "/"
    grid = "rows" if kernel.rowwise else f"(rows * columns + {elements - 1}) {division} {elements}"
    opening = DOORS[door].format(source=kernel.source(name, threads, unroll, passes), name=name,
                                 grid=grid, threads=threads)
    return opening + MODEL.format(
        arguments=", " + kernel.arguments if kernel.arguments else "", init=kernel.init,
        inputs="a, b" if task in TWO_INPUTS else "a", output=kernel.output, call=kernel.call)


def write_all(folder, door, tasks=len(KERNELS), count=40):
    """{task: [files]} of `count` candidates of the first `tasks` tasks, written below `folder`."""
    written = {}
    for task in list(KERNELS)[:tasks]:
        (folder / task).mkdir(parents=True, exist_ok=True)
        for threads, unroll in VARIANTS[:count // tasks]:
            path = folder / task / f"{task}_t{threads}_u{unroll}.py"
            path.write_text(candidate(task, door, threads, unroll), encoding="utf-8")
            written.setdefault(task, []).append(path)
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--door", choices=sorted(DOORS), default="cuda_kernel")
    arguments = parser.parse_args()
    for files in write_all(arguments.folder, arguments.door).values():
        print(*files, sep="\n")


if __name__ == "__main__":
    main()
