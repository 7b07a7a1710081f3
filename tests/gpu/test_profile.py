"""What a profile on a GPU holds: kernels with their launches, and what bounds them."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from gpu_machine import BINARY, needs_binary, needs_gpu

SPILLING = '''
import torch
from cupel.inline import cuda_kernel

KERNEL = """
extern "C" __global__ void spilling(const float* x, float* y, int n, int at) {
  float kept[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < 64; ++j) kept[(j * at) & 63] = x[i] + j;
  y[i] = kept[at & 63];
}
"""

class ModelNew(torch.nn.Module):
    def __init__(self, _):
        super().__init__()
        self.kernel = cuda_kernel(KERNEL, "spilling")

    def forward(self, x):
        y = torch.empty_like(x)
        self.kernel(x, y, x.numel(), 7, grid=-(-x.numel() // 256), block=256)
        return torch.softmax(x, -1) + 0 * y
'''


@needs_gpu
@needs_binary
class GpuProfile(unittest.TestCase):
    def profile(self, task, *candidates):
        run = subprocess.run([str(BINARY), "profile", task, *candidates,
                              "--device", "cuda", "--json"], text=True, capture_output=True)
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        print(run.stdout[:4000])
        return json.loads(run.stdout)["profiles"]

    def test_eager(self):
        (eager,) = self.profile("softmax_rows")
        longest = eager["kernels"][0]
        self.assertIn("softmax", longest["name"].lower())
        self.assertAlmostEqual(longest["launches"], 1)
        self.assertGreater(longest["registers"], 0)
        self.assertTrue(0 < longest["occupancy"] <= 1)
        softmax = next(row for row in eager["operators"] if "softmax" in row["name"])
        rate = softmax["bytes"] / softmax["device_ns"] * 1e9
        self.assertTrue(0.02 < rate / eager["copied_bytes_per_s"] < 3, rate)
        self.assertGreater(eager["copied_bytes_per_s"], 1e11)

    def test_local_memory_of_a_kernel_is_told_by_the_driver(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "spilling.py"
            file.write_text(SPILLING)
            _, candidate = self.profile("softmax_rows", str(file))
        kernel = next(row for row in candidate["kernels"] if row["name"] == "spilling")
        self.assertGreaterEqual(kernel["spilled_bytes"], 256)
        self.assertTrue(candidate["claimed"])


if __name__ == "__main__":
    unittest.main()
