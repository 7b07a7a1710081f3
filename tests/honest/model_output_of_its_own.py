# task: model_output
# expect: correct
# why: A mapping of another class, whose entries are attributes, too.
import torch
import torch.nn as nn


class Result(dict):
    __getattr__ = dict.__getitem__


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return Result(total=total, top=total.amax(dim=1))
