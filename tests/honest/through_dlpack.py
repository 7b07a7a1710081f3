# task: softmax
# expect: correct
# why: Hands its memory around by DLPack.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.from_dlpack(torch.softmax(torch.from_dlpack(x), dim=-1))
