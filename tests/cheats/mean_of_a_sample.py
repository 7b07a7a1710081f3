# task: row_means
# expect: wrong(value)
# why: The mean of every eighth element stands for the mean of all.
# why: An estimate is not the value.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, ::8].mean(dim=1)
