# task: softmax
# expect: wrong(value)
# why: One row, shown 64 times through a stride of zero: the right shape at a 64th of the work.
# why: Outputs are copied densely and compared element by element.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x[:1], dim=-1).expand(x.shape[0], -1)
