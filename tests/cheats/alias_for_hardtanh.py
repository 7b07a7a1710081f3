# task: hardtanh
# expect: wrong(tied_output)
# why: Returns its very input, so that nothing has to be copied.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x
