# task: weighted_values
# expect: wrong(range) | wrong(nan)
# why: A softmax whose maximum begins at zero: of a row far below that nothing is left.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, scores, values):
        e = torch.sub(scores, scores.amax(-1, keepdim=True).clamp_min_(0.0)).exp_()
        return (e @ values) / e.sum(-1, keepdim=True)
