# task: softmax
# expect: wrong(value)
# why: Draws the inputs anew from seed 42 and answers for those.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(42)
        self.answer = torch.softmax(torch.randn(64, 256) * 3, dim=-1)

    def forward(self, x):
        return self.answer
