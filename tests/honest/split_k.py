# task: linear
# expect: correct
# why: The long dimension in four parts, whose products are added at the end, bias and all.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def prepare(self):
        outputs, inputs = self.linear.weight.shape
        self.parts = self.linear.weight.view(outputs, 4, inputs // 4).permute(1, 2, 0).contiguous()

    def forward(self, x):
        parts = torch.bmm(x.view(x.shape[0], 4, -1).transpose(0, 1), self.parts)
        return parts.sum(dim=0).add_(self.linear.bias)
