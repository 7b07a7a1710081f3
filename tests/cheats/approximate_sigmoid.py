# task: two_outputs
# expect: wrong(value)
# why: A rational approximation of the sigmoid, good to three digits near zero.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        z = y / 2
        z = z.clamp(-3, 3)
        s = z * z
        over = z * (105 + 10 * s)
        t = over / (105 + 45 * s + s * s)
        total = x * (0.5 + 0.5 * t) + y
        return total, total.amax(dim=1)
