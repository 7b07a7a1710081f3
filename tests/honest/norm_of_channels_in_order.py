# task: norm_of_channels
# expect: correct
# why: A plain loop over all values of a channel, whose mean may happen to lie near zero.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void normalize(const float* x, const float* weight, const float* bias, float* mean,
                          float* variance, float* y, std::int64_t batch, std::int64_t channels,
                          std::int64_t places, float epsilon) {
  const auto count = static_cast<float>(batch * places);
  for (std::int64_t c = 0; c < channels; ++c) {
    float sum = 0, squares = 0;
    for (std::int64_t n = 0; n < batch; ++n) {
      const float* from = x + (n * channels + c) * places;
      for (std::int64_t i = 0; i < places; ++i) sum += from[i];
    }
    mean[c] = sum / count;
    for (std::int64_t n = 0; n < batch; ++n) {
      const float* from = x + (n * channels + c) * places;
      for (std::int64_t i = 0; i < places; ++i) {
        squares += (from[i] - mean[c]) * (from[i] - mean[c]);
      }
    }
    const float scale = 1 / std::sqrt(squares / count + epsilon);
    variance[c] = squares / (count - 1);
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t at = (n * channels + c) * places;
      for (std::int64_t i = at; i < at + places; ++i) {
        y[i] = (x[i] - mean[c]) * scale * weight[c] + bias[c];
      }
    }
  }
}
"""

normalize = cpp_kernel(SOURCE, "normalize")


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        if not self.training:
            return self.norm(x)
        x, norm = x.contiguous(), self.norm
        y, mean, variance = torch.empty_like(x), torch.empty(x.shape[1]), torch.empty(x.shape[1])
        normalize(x, norm.weight, norm.bias, mean, variance, y, x.shape[0], x.shape[1],
                  x.shape[2] * x.shape[3], norm.eps)
        norm.running_mean.lerp_(mean, norm.momentum)
        norm.running_var.lerp_(variance, norm.momentum)
        norm.num_batches_tracked += 1
        return y
