# task: row_means
# expect: correct
# why: Means of means of blocks.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.view(x.shape[0], 64, 64).mean(dim=2).mean(dim=1)
