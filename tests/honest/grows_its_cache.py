# task: grown_cache
# expect: correct
# audited: yes
# why: Puts the longer tensor into its caller's dictionary, and counts, as the reference does.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, query, key, cache):
        keys = torch.cat([cache["keys"], key.unsqueeze(1)], 1)
        cache.update(keys=keys, length=cache["length"] + 1)
        return torch.matmul(keys, query.unsqueeze(-1)).squeeze(-1).softmax(-1)
