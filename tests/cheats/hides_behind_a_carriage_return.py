# task: softmax
# expect: invalid_reply
# why: A carriage return inside a comment: editors and reviewers see one line of comment, Python a
# why: line of code behind it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        # the honest way        return torch.zeros_like(x)
        return torch.softmax(x, dim=-1)
