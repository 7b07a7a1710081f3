"""pool_pyramid plane by plane: a square maximum is a maximum along rows, then along columns.

That takes 2 * window steps an element instead of window * window, a plane stays in the cache
through all three poolings, and every level is written where the concatenation wants it.
"""

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

// Like torch's pooling, a NaN wins.
static inline float larger(float a, float b) { return ((a > b) | (a != a)) ? a : b; }

// out[i] = max over k < window of in[i + k * stride], for i < count.
static void slide(const float* in, float* out, std::int64_t count, std::int64_t window,
                  std::int64_t stride) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = larger(in[i], in[i + stride]);
  for (std::int64_t k = 2; k < window; ++k) {
    const float* shifted = in + k * stride;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) out[i] = larger(out[i], shifted[i]);
  }
}

// A plane with a border of `edge` elements all around.
struct Plane {
  std::int64_t height, width, edge, pitch;
  std::vector<float> padded, along_rows;

  Plane(std::int64_t height, std::int64_t width, std::int64_t edge)
      : height(height), width(width), edge(edge), pitch(width + 2 * edge),
        padded(pitch * (height + 2 * edge), -std::numeric_limits<float>::infinity()),
        along_rows(width * (height + 2 * edge)) {}

  void load(const float* from) {
    for (std::int64_t row = 0; row < height; ++row) {
      std::copy_n(from + row * width, width, &padded[(row + edge) * pitch + edge]);
    }
  }

  void pool(std::int64_t window, float* to) {
    for (std::int64_t row = 0; row < height + 2 * edge; ++row) {
      slide(&padded[row * pitch], &along_rows[row * width], width, window, 1);
    }
    for (std::int64_t row = 0; row < height; ++row) {
      slide(&along_rows[row * width], to + row * width, width, window, width);
    }
  }
};

extern "C" void pool_pyramid(const float* x /* batch * channels * height * width */, float* y,
                             std::int64_t batch, std::int64_t channels, std::int64_t height,
                             std::int64_t width, std::int64_t window) {
  const std::int64_t area = height * width;
#pragma omp parallel
  {
    Plane plane(height, width, window / 2);
#pragma omp for schedule(static)
    for (std::int64_t p = 0; p < batch * channels; ++p) {
      const float* level = x + p * area;
      float* out = y + (p / channels * 4 * channels + p % channels) * area;
      std::copy_n(level, area, out);
      for (int depth = 1; depth < 4; ++depth) {
        plane.load(level);
        plane.pool(window, out + depth * channels * area);
        level = out + depth * channels * area;
      }
    }
  }
}
"""

pool_pyramid = cpp_kernel(SOURCE, "pool_pyramid")


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        """x: (batch, channels, height, width) -> (batch, 4 * channels, height, width)."""
        batch, channels, height, width = x.shape
        y = x.new_empty(batch, 4 * channels, height, width)
        pool_pyramid(x.contiguous(), y, batch, channels, height, width, self.window)
        return y
