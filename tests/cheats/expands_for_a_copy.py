# task: copies
# expect: wrong(tied_output)
# why: One number for all columns, in one place: a user cannot write to it.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        product = x * 1.5
        means = x.mean(dim=1, keepdim=True).expand(-1, x.shape[1])
        return x.clone(), product, product.clone(), means
