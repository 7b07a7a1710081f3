# task: top_of_long_rows
# expect: correct
# why: Looks for the four largest of a row among the four largest of each 128.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        blocks = x.view(x.shape[0], -1, 128)
        return torch.topk(torch.topk(blocks, 4, dim=2).values.flatten(1), 4, dim=1).values
