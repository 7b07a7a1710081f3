"""gru_sequence with the whole recurrence in one call: rows of the batch need no synchronization.

Each thread takes four rows through all steps; packed weights stay in its second-level cache.
"""

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

constexpr int k_rows = 4;    // rows of the batch that a thread takes through time together
constexpr int k_panel = 32;  // columns of a packed panel of weights

#ifdef __AVX512F__
typedef float Vec __attribute__((vector_size(64)));
#else
typedef float Vec __attribute__((vector_size(32)));
#endif
constexpr int k_vec = sizeof(Vec) / sizeof(float);
constexpr int k_tile = 2;  // vectors of columns, of k_rows rows each, that stay in registers

static inline Vec load(const float* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// 2^n and exp(r) - 1 of x = n ln 2 + r, |r| <= ln(2) / 2; x must lie in [-87, 88].
struct Split { float power, rest; };

static inline Split split_exp(float x) {
  const float rounder = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float n = (x * 1.44269504f + rounder) - rounder;
  const float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r * r + r;
  return {std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23), p};
}

static inline float sigmoid(float x) {
  const Split s = split_exp(std::clamp(-x, -87.0f, 87.0f));
  return 1.0f / (1.0f + (s.power * s.rest + s.power));
}

// expm1(2x) / (expm1(2x) + 2): relative-accurate near zero.
static inline float tanh_of(float x) {
  const Split s = split_exp(2.0f * std::clamp(x, -12.0f, 12.0f));
  const float m = s.power * s.rest + (s.power - 1.0f);
  return m / (m + 2.0f);
}

// out[r][:] = bias + a[r][:] . W for k_rows rows; W packed as panels of (depth, k_panel).
static void project(const float* const* a, const float* packed, const float* bias, float* out,
                    std::int64_t depth, std::int64_t columns) {
  for (std::int64_t at = 0; at < columns; at += k_tile * k_vec) {
    Vec sum[k_rows][k_tile];
    for (int r = 0; r < k_rows; ++r)
      for (int v = 0; v < k_tile; ++v) sum[r][v] = load(bias + at + v * k_vec);
    const float* panel = packed + at / k_panel * k_panel * depth + at % k_panel;
    for (std::int64_t k = 0; k < depth; ++k) {
      for (int v = 0; v < k_tile; ++v) {
        const Vec w = load(panel + k * k_panel + v * k_vec);
        for (int r = 0; r < k_rows; ++r) sum[r][v] += a[r][k] * w;
      }
    }
    for (int r = 0; r < k_rows; ++r) std::memcpy(out + r * columns + at, sum[r], sizeof sum[r]);
  }
}

static void advance(const float* xs, const float* hs, const float* state, float* next,
                    std::int64_t hidden) {
#pragma omp simd
  for (std::int64_t i = 0; i < hidden; ++i) {
    const float reset = sigmoid(xs[i] + hs[i]);
    const float keep = sigmoid(xs[hidden + i] + hs[hidden + i]);
    const float fresh = tanh_of(xs[2 * hidden + i] + reset * hs[2 * hidden + i]);
    next[i] = fresh + keep * (state[i] - fresh);
  }
}

extern "C" void gru_sequence(const float* x /* batch * steps * features */,
                             const float* start /* batch * hidden */,
                             const float* wx /* 3 * hidden * features */,
                             const float* bx /* 3 * hidden */,
                             const float* wh /* 3 * hidden * hidden */,
                             const float* bh /* 3 * hidden */,
                             float* y /* batch * steps * hidden */,
                             std::int64_t batch, std::int64_t steps, std::int64_t features,
                             std::int64_t hidden) {
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < batch; first += k_rows) {
    const std::int64_t rows = std::min<std::int64_t>(k_rows, batch - first);
    std::vector<float> xs(k_rows * 3 * hidden), hs(k_rows * 3 * hidden);
    for (std::int64_t t = 0; t < steps; ++t) {
      const float *in[k_rows], *state[k_rows];
      for (int r = 0; r < k_rows; ++r) {
        const std::int64_t row = first + std::min<std::int64_t>(r, rows - 1);
        in[r] = x + (row * steps + t) * features;
        state[r] = t ? y + (row * steps + t - 1) * hidden : start + row * hidden;
      }
      project(in, wx, bx, xs.data(), features, 3 * hidden);
      project(state, wh, bh, hs.data(), hidden, 3 * hidden);
      for (int r = 0; r < rows; ++r) {
        advance(&xs[r * 3 * hidden], &hs[r * 3 * hidden], state[r],
                y + ((first + r) * steps + t) * hidden, hidden);
      }
    }
  }
}
"""

PANEL = 32

gru_sequence = cpp_kernel(SOURCE, "gru_sequence")


def panels(weight):
    """(outputs, depth) -> (outputs / PANEL, depth, PANEL), contiguous."""
    outputs, depth = weight.shape
    return weight.detach().view(outputs // PANEL, PANEL, depth).transpose(1, 2).contiguous()


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        if hidden % PANEL:
            raise ValueError(f"hidden must be a multiple of {PANEL}")
        self.from_input = nn.Linear(features, 3 * hidden)
        self.from_state = nn.Linear(hidden, 3 * hidden)
        self.packed_input = self.packed_state = None

    def prepare(self):
        """Packs the weights; called once they are final."""
        self.packed_input = panels(self.from_input.weight)
        self.packed_state = panels(self.from_state.weight)

    def forward(self, x, state):
        """x: (batch, steps, features), state: (batch, hidden) -> (batch, steps, hidden)."""
        if self.packed_input is None:
            self.prepare()
        batch, (_, steps, features), hidden = max(len(x), len(state)), x.shape, state.shape[1]
        if len(x) != len(state):
            x, state = x.expand(batch, -1, -1), state.expand(batch, -1)
        y = x.new_empty(batch, steps, hidden)
        gru_sequence(x.contiguous(), state.contiguous(), self.packed_input,
                     self.from_input.bias.detach(), self.packed_state,
                     self.from_state.bias.detach(), y, batch, steps, features, hidden)
        return y
