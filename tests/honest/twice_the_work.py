# task: slow_loop
# expect: slower
# why: Right, but it runs the loop three times over.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(3):
            total = torch.zeros_like(x[:, 0])
            sums = []
            for column in x.unbind(dim=1):
                total = total + column
                sums.append(total)
        return torch.stack(sums, dim=1)
