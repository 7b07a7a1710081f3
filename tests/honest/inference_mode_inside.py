# task: softmax
# expect: correct
# why: Returns an inference tensor.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        with torch.inference_mode():
            return torch.softmax(x, dim=-1)
