# task: long_loss
# expect: correct
# why: One loop over all values, whose sum is rounded 16,384 times.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void loss(const float* x, const float* y, float* mean, std::int64_t count) {
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  *mean = sum / static_cast<float>(count);
}
"""

loss = cpp_kernel(SOURCE, "loss")


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        mean = torch.empty(())
        predictions, targets = torch.broadcast_tensors(predictions, targets)
        loss(predictions.contiguous(), targets.contiguous(), mean, predictions.numel())
        return mean
