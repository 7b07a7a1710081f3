# task: pooled_gelu
# expect: correct
# audited: slow
# why: All places one after the other. Where a row of later weights is zero, each term is the bias,
# why: and every sum is rounded alike.
import torch
import torch.nn as nn
import torch.nn.functional as F

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void means(const float* x, float* y, std::int64_t rows, std::int64_t places) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < places; ++j) sum += x[i * places + j];
    y[i] = sum / static_cast<float>(places);
  }
}
"""

means = cpp_kernel(SOURCE, "means")


class ModelNew(nn.Module):
    def __init__(self, channels, outputs):
        super().__init__()
        self.conv = nn.Conv2d(channels, outputs, 3)

    def forward(self, x):
        y = F.gelu(self.conv(x)).contiguous()
        mean = torch.empty(y.shape[:2])
        means(y, mean, y.shape[0] * y.shape[1], y.shape[2] * y.shape[3])
        return mean
