# task: best_four
# expect: correct
# why: Of equal elements it takes others than torch.topk() does, which promises nothing.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        order = x.flip(1).sort(dim=1, descending=True, stable=True).indices[:, :4]
        return x.shape[1] - 1 - order
