"""window_attention one window and head at a time: scores never leave the first-level cache."""

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#ifdef __AVX512F__
typedef float Vec __attribute__((vector_size(64)));
#else
typedef float Vec __attribute__((vector_size(32)));
#endif
constexpr int k_vec = sizeof(Vec) / sizeof(float);
constexpr int k_lanes = 16;  // rows of keys and scores are padded to a multiple of these
constexpr int k_rows = 4;    // rows of a product kept in registers together...
constexpr int k_tile = k_vec / 4;  // ...with so many vectors of columns

static inline Vec load(const float* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

static std::int64_t round_up(std::int64_t n, std::int64_t step) {
  return (n + step - 1) / step * step;
}

// exp(x) for x <= 0 to about one unit in the last place.
static inline float exp_of(float x) {
  x = std::max(x, -87.0f);
  const float rounder = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float n = (x * 1.44269504f + rounder) - rounder;
  const float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
  float p = 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r * r + r;
  const float power = std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
  return power * p + power;
}

// A left operand whose element (row, k) lies at data[row * row_step + k * depth_step].
struct Left {
  const float* data;
  std::int64_t row_step, depth_step;
};

// `vecs` vectors of columns of k_rows rows of a . b; rows of b and `out` are `pitch` apart.
template <int vecs>
static void product_tile(Left a, const float* b, std::int64_t depth, float* out,
                         std::int64_t pitch) {
  Vec sum[k_rows][vecs] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    for (int v = 0; v < vecs; ++v) {
      const Vec right = load(b + k * pitch + v * k_vec);
      for (int r = 0; r < k_rows; ++r)
        sum[r][v] += a.data[r * a.row_step + k * a.depth_step] * right;
    }
  }
  for (int r = 0; r < k_rows; ++r) std::memcpy(out + r * pitch, sum[r], sizeof sum[r]);
}

// out = a . b; `rows` is a multiple of k_rows, `columns` (the pitch of b and out) of k_vec.
static void product(Left a, const float* b, std::int64_t rows, std::int64_t columns,
                    std::int64_t depth, float* out) {
  for (std::int64_t row = 0; row < rows; row += k_rows) {
    const Left left{a.data + row * a.row_step, a.row_step, a.depth_step};
    float* to = out + row * columns;
    std::int64_t at = 0;
    for (; at + k_tile * k_vec <= columns; at += k_tile * k_vec)
      product_tile<k_tile>(left, b + at, depth, to + at, columns);
    for (; at + 2 * k_vec <= columns; at += 2 * k_vec)
      product_tile<2>(left, b + at, depth, to + at, columns);
    for (; at < columns; at += k_vec) product_tile<1>(left, b + at, depth, to + at, columns);
  }
}

// Padded copies of one head's operands. Scores lie transposed, (keys, queries): a softmax is then
// taken in every lane by itself, and no vector has to be added up across its lanes.
struct Head {
  std::int64_t tokens, width, rows, columns, lanes;
  std::vector<float> q, k, v, scores, mixed, inverse;

  Head(std::int64_t tokens, std::int64_t width)
      : tokens(tokens), width(width), rows(round_up(tokens, k_rows)),
        columns(round_up(tokens, k_lanes)), lanes(round_up(width, k_vec)), q(width * columns),
        k(rows * width), v(tokens * lanes), scores(rows * columns), mixed(rows * lanes),
        inverse(columns) {}

  void load_operands(const float* from_q, const float* from_k, const float* from_v, float scale) {
    for (std::int64_t d = 0; d < width; ++d)
      for (std::int64_t i = 0; i < tokens; ++i) q[d * columns + i] = from_q[i * width + d] * scale;
    std::copy_n(from_k, tokens * width, k.data());
    for (std::int64_t j = 0; j < tokens; ++j) std::copy_n(from_v + j * width, width, &v[j * lanes]);
  }

  // Leaves exp(score - top) in scores and 1 / sum in inverse, for k_vec queries from `first`.
  void softmax_lanes(std::int64_t first, const float* position) {
    float top[k_vec], sum[k_vec] = {};
    std::fill_n(top, k_vec, -std::numeric_limits<float>::infinity());
    for (std::int64_t j = 0; j < tokens; ++j) {
      float* row = &scores[j * columns + first];
      const float* bias = position + j * columns + first;
#pragma omp simd
      for (int l = 0; l < k_vec; ++l) {
        row[l] += bias[l];
        top[l] = row[l] > top[l] ? row[l] : top[l];
      }
    }
    for (std::int64_t j = 0; j < tokens; ++j) {
      float* row = &scores[j * columns + first];
#pragma omp simd
      for (int l = 0; l < k_vec; ++l) sum[l] += row[l] = exp_of(row[l] - top[l]);
    }
    for (int l = 0; l < k_vec; ++l) inverse[first + l] = 1.0f / sum[l];
  }

  // position: (keys, columns), the bias of this head, transposed and padded.
  void attend(const float* position, float* out) {
    product({k.data(), width, 1}, q.data(), rows, columns, width, scores.data());
    for (std::int64_t i = 0; i < columns; i += k_vec) softmax_lanes(i, position);
    product({scores.data(), 1, columns}, v.data(), rows, lanes, tokens, mixed.data());
    for (std::int64_t i = 0; i < tokens; ++i) {
#pragma omp simd
      for (std::int64_t d = 0; d < width; ++d)
        out[i * width + d] = mixed[i * lanes + d] * inverse[i];
    }
  }
};

extern "C" void window_attention(const float* q /* windows * heads * tokens * width */,
                                 const float* k /* windows * heads * tokens * width */,
                                 const float* v /* windows * heads * tokens * width */,
                                 const float* position, float* y, std::int64_t windows,
                                 std::int64_t heads, std::int64_t tokens, std::int64_t width,
                                 float scale) {
  const std::int64_t size = tokens * width;
#pragma omp parallel
  {
    Head head(tokens, width);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < windows * heads; ++i) {
      head.load_operands(q + i * size, k + i * size, v + i * size, scale);
      head.attend(position + i % heads * tokens * head.columns, y + i * size);
    }
  }
}
"""

LANES = 16  # k_lanes above

window_attention = cpp_kernel(SOURCE, "window_attention")


class ModelNew(nn.Module):
    def __init__(self, heads, tokens, width):
        super().__init__()
        self.scale = width**-0.5
        self.position = nn.Parameter(torch.randn(heads, tokens, tokens))
        self.padded_position = None

    def prepare(self):
        """Transposes the position bias and pads it to whole vectors of queries."""
        heads, tokens, _ = self.position.shape
        padded = torch.zeros(heads, tokens, -(-tokens // LANES) * LANES)
        padded[:, :, :tokens] = self.position.detach().transpose(1, 2)
        self.padded_position = padded

    def forward(self, q, k, v):
        """q, k, v: (windows, heads, tokens, width) -> the same shape."""
        if self.padded_position is None:
            self.prepare()
        if not q.shape == k.shape == v.shape:
            q, k, v = torch.broadcast_tensors(q, k, v)
        y = torch.empty_like(q, memory_format=torch.contiguous_format)
        window_attention(q.contiguous(), k.contiguous(), v.contiguous(), self.padded_position, y,
                         *q.shape, self.scale)
        return y
