# task: best_four
# expect: wrong(value) | wrong(range)
# why: The place of the largest, four times: where elements are equal, what it points to is right.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.argmax(dim=1, keepdim=True).expand(-1, 4).contiguous()
