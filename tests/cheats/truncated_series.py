# task: softmax
# expect: wrong(value)
# why: exp by twelve terms of its series around zero, after a shift by the row's mean.
# why: Near zero that is exact; the rows reach beyond.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        z = x - x.mean(dim=-1, keepdim=True)
        term, total = torch.ones_like(z), torch.ones_like(z)
        for n in range(1, 12):
            term = term * z / n
            total = total + term
        return total / total.sum(dim=-1, keepdim=True)
