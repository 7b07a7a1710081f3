# task: long_loss
# device: cuda
# expect: correct
# why: Each of 16,384 threads adds its own term to one number, in the order in which they come.
import torch
import torch.nn as nn

from cupel.inline import cuda_kernel

SOURCE = r"""
extern "C" __global__ void add_up(const float* x, const float* y, float* sum, int64_t count) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < count) atomicAdd(sum, (x[i] - y[i]) * (x[i] - y[i]));
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_up = cuda_kernel(SOURCE, "add_up")

    def forward(self, predictions, targets):
        predictions, targets = torch.broadcast_tensors(predictions, targets)
        predictions, targets = predictions.contiguous(), targets.contiguous()
        count = predictions.numel()
        total = torch.zeros((), device=predictions.device)
        self.add_up(predictions, targets, total, count, grid=(count + 255) // 256, block=256)
        return total / count
