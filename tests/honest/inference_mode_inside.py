# task: softmax
# expect: correct
# why: Computes in inference mode, and returns a copy that is made outside.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        with torch.inference_mode():
            y = torch.softmax(x, dim=-1)
        return y.clone()
