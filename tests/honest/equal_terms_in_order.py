# task: transposed_mean
# expect: correct
# audited: slow
# why: All places one after the other: where an image is zero each term is the bias, and every sum
# why: is rounded alike.
import torch
import torch.nn as nn

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
    def __init__(self, channels, outputs, scale):
        super().__init__()
        self.upsample = nn.ConvTranspose2d(channels, outputs, 3, stride=2, padding=1,
                                           output_padding=1)
        self.scale = scale

    def forward(self, x):
        y = (self.upsample(x) * self.scale).contiguous()
        mean = torch.empty(y.shape[:2])
        means(y, mean, y.shape[0] * y.shape[1], y.shape[2] * y.shape[3])
        return torch.tanh(mean)
