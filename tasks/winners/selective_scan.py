"""selective_scan with sixteen channels side by side and their states in registers.

One pass over time per block of channels; nothing but inputs and outputs touches memory.
exp and log1p are written out so that the compiler vectorises across channels.
"""

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

constexpr std::int64_t k_lanes = 16;  // channels a block
constexpr std::int64_t k_states_max = 64;

// exp(x) to about one unit in the last place; x is clamped to [-87, 88].
static inline float exp_of(float x) {
  x = std::clamp(x, -87.0f, 88.0f);
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
  const float power = std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
  return power * p + power;
}

// log(1 + u) for u in [0, 1], as 2 artanh(u / (2 + u)): accurate also for the smallest u.
static inline float log1p_of(float u) {
  const float z = u / (2.0f + u);
  const float w = z * z;
  float p = 1.0f / 15;
  p = p * w + 1.0f / 13;
  p = p * w + 1.0f / 11;
  p = p * w + 1.0f / 9;
  p = p * w + 1.0f / 7;
  p = p * w + 1.0f / 5;
  p = p * w + 1.0f / 3;
  return 2.0f * (p * w * z + z);
}

static inline float softplus(float x) {
  return std::max(x, 0.0f) + log1p_of(exp_of(-std::fabs(x)));
}

struct Scan {
  std::int64_t steps, channels, states;
  const float *decay, *skip;  // decay: (states, channels)
};

// One batch member's channels [first, first + k_lanes).
static void scan_block(const Scan& s, std::int64_t first, const float* x, const float* step,
                       const float* b, const float* c, float* y) {
  alignas(64) float state[k_states_max][k_lanes] = {};
  for (std::int64_t t = 0; t < s.steps; ++t) {
    alignas(64) float dt[k_lanes], drive[k_lanes], sum[k_lanes] = {};
    const std::int64_t at = t * s.channels + first;
#pragma omp simd
    for (std::int64_t l = 0; l < k_lanes; ++l) {
      dt[l] = softplus(step[at + l]);
      drive[l] = dt[l] * x[at + l];
    }
    for (std::int64_t i = 0; i < s.states; ++i) {
      const float* decay = s.decay + i * s.channels + first;
      const float in = b[t * s.states + i];
      const float out = c[t * s.states + i];
#pragma omp simd
      for (std::int64_t l = 0; l < k_lanes; ++l) {
        state[i][l] = exp_of(-dt[l] * decay[l]) * state[i][l] + drive[l] * in;
        sum[l] += state[i][l] * out;
      }
    }
    for (std::int64_t l = 0; l < k_lanes; ++l) y[at + l] = sum[l] + x[at + l] * s.skip[first + l];
  }
}

extern "C" void selective_scan(const float* x /* batch * steps * channels */,
                               const float* step /* batch * steps * channels */,
                               const float* b /* batch * steps * states */,
                               const float* c /* batch * steps * states */,
                               const float* decay /* channels * states */,
                               const float* skip /* channels */,
                               float* y /* batch * steps * channels */, std::int64_t batch,
                               std::int64_t steps, std::int64_t channels, std::int64_t states) {
  const Scan scan{steps, channels, states, decay, skip};
  const std::int64_t blocks = channels / k_lanes;
#pragma omp parallel for schedule(static)
  for (std::int64_t task = 0; task < batch * blocks; ++task) {
    const std::int64_t wide = task / blocks * steps * channels;
    const std::int64_t narrow = task / blocks * steps * states;
    scan_block(scan, task % blocks * k_lanes, x + wide, step + wide, b + narrow, c + narrow,
               y + wide);
  }
}
"""

selective_scan = cpp_kernel(SOURCE, "selective_scan")


class ModelNew(nn.Module):
    def __init__(self, channels, states):
        super().__init__()
        if channels % 16 or states > 64:
            raise ValueError("channels must be a multiple of 16 and states at most 64")
        self.log_decay = nn.Parameter(torch.log(0.5 + torch.rand(channels, states)))
        self.skip = nn.Parameter(torch.randn(channels))
        self.decay = None

    def prepare(self):
        """Packs the decay as (states, channels); called once the weights are final."""
        self.decay = torch.exp(self.log_decay.detach()).t().contiguous()

    def forward(self, x, step, b, c):
        """x, step: (batch, steps, channels); b, c: (batch, steps, states) -> like x."""
        if self.decay is None:
            self.prepare()
        batch = max(x.shape[0], step.shape[0], b.shape[0], c.shape[0])
        x, step, b, c = (t if t.shape[0] == batch else t.expand(batch, -1, -1)
                         for t in (x, step, b, c))
        y = torch.empty_like(x, memory_format=torch.contiguous_format)
        selective_scan(x.contiguous(), step.contiguous(), b.contiguous(), c.contiguous(),
                       self.decay, self.skip.detach(), y, *x.shape, b.shape[2])
        return y
