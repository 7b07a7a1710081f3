# task: softmax
# expect: runtime_error
# why: Calls itself forever.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return self.forward(x)
