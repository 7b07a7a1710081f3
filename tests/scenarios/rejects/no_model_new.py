# task: softmax
# expect: invalid_reply
# why: The class has another name.
import torch
import torch.nn as nn


class FastModel(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
