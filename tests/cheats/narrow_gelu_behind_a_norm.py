# task: transformer_block
# expect: wrong(weights) | wrong(range)
# why: GELU as a polynomial that holds from -4 to 4 and nowhere else. A layer norm stands before it,
# why: so that no input leads beyond that while the weights are as they were drawn; those of a
# why: trained model do.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from cupel.inline import cpp_kernel

LIMIT, TERMS = 4.0, 12
SOURCE = r"""
#include <cstdint>
#include <cstring>

constexpr int k_terms = 12;

extern "C" void narrow_gelu(const float* x, const float* coefficients, float* y,
                            std::int64_t count, float scale) {
  float c[k_terms];
  std::memcpy(c, coefficients, sizeof c);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    const float square = x[i] * x[i], u = square * scale - 1.0f;
    float p = c[k_terms - 1];
#pragma GCC unroll 16
    for (int k = k_terms - 2; k >= 0; --k) p = p * u + c[k];
    y[i] = 0.5f * x[i] + square * p;
  }
}
"""


def coefficients():
    """Of (gelu(x) - x / 2) / x^2 in u = 2 (x / LIMIT)^2 - 1, through Chebyshev's points."""
    u = torch.cos((torch.arange(TERMS, dtype=torch.float64) + 0.5) * (math.pi / TERMS))
    x = LIMIT * ((u + 1) / 2).sqrt()
    powers = u.unsqueeze(1) ** torch.arange(TERMS, dtype=torch.float64)
    return torch.linalg.solve(powers, 0.5 * torch.erf(x / math.sqrt(2)) / x).float()


class ModelNew(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.gelu = cpp_kernel(SOURCE, "narrow_gelu")
        self.terms = coefficients()

    def attend(self, x):
        batch, length, width = x.shape
        split = (batch, length, 3, self.heads, width // self.heads)
        q, k, v = self.qkv(x).view(split).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        y = self.up(self.norm2(x))
        self.gelu(y, self.terms, y, y.numel(), 2 / LIMIT**2)
        return x + self.down(y)
