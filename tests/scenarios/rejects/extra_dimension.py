# task: softmax
# expect: wrong(shape)
# why: A leading dimension of one too many.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1).unsqueeze(0)
