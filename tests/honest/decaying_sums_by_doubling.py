# task: decaying_sums
# expect: correct
# why: Sums over one, two, four steps and so on.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.decay = nn.Parameter(torch.rand(width) * 0.06 + 0.93)

    def forward(self, x):
        steps, decay = 1, self.decay
        while steps < x.shape[1]:
            x = torch.cat([x[:, :steps], x[:, steps:] + decay * x[:, :-steps]], dim=1)
            steps, decay = steps * 2, decay * decay
        return x
