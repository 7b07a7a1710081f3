# task: shifted_cache
# expect: wrong(mutated_input)
# audited: yes
# why: Computes what a shifted cache would give, and does not shift it: the next call is wrong.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, cache):
        return (cache[:, 1:].sum(dim=1) + x) / cache.shape[1]
