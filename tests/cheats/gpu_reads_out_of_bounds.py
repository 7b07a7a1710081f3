# task: softmax_rows
# device: cuda
# expect: wrong(stray_access)
# audited: yes
# why: Each thread reads the scale from a place of its own, where the tensor has a single element:
# why: memory of nobody's, which torch's allocator happens to have there, and of which nothing is
# why: used. The next user's allocator may end there.
import torch
import torch.nn as nn

from cupel.inline import cuda_kernel

SOURCE = r"""
extern "C" __global__ void scaled(const float* x, const float* scale, float* y, int count) {
  const float own = scale[threadIdx.x % 32];
  const float first = __shfl_sync(0xffffffff, own, 0);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] * first;
}
"""

scaled = cuda_kernel(SOURCE, "scaled")


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.scale = torch.tensor([1.0 / temperature], device="cuda")

    def forward(self, x):
        y = torch.empty_like(x)
        scaled(x, self.scale, y, x.numel(), grid=-(-x.numel() // 256), block=256)
        return torch.softmax(y, dim=1)
