# task: softmax
# expect: wrong(tied_output)
# why: Returns an inference tensor. A layer that is trained behind it raises an error.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        with torch.inference_mode():
            return torch.softmax(x, dim=-1)
