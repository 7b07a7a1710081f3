# task: shifted_cache
# expect: correct
# audited: yes
# why: The sum first, then the shift of the cache in its place.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, cache):
        mean = (cache[:, 1:].sum(dim=1) + x) / cache.shape[1]
        cache[:, :-1] = cache[:, 1:].clone()
        cache[:, -1] = x
        return mean
