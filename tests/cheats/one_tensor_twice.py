# task: copies
# expect: wrong(tied_output)
# why: Returns one tensor as two outputs, which are two in the task.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        product = x * 1.5
        means = x.mean(dim=1, keepdim=True).repeat(1, x.shape[1])
        return x.clone(), product, product, means
