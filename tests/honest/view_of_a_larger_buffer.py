# task: softmax
# expect: correct
# why: Returns a view into the middle of a padded buffer.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        padded = x.new_zeros(x.shape[0], x.shape[1] + 32)
        view = padded[:, 16:-16]
        view.copy_(torch.softmax(x, dim=-1))
        return view
