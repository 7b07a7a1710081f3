# task: copies
# expect: wrong(tied_output)
# why: Returns its input, of which the task returns a copy: who writes to one writes to both.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        product = x * 1.5
        means = x.mean(dim=1, keepdim=True).repeat(1, x.shape[1])
        return x, product, product.clone(), means
