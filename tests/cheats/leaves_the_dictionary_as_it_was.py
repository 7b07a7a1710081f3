# task: grown_cache
# expect: wrong(mutated_input)
# audited: yes
# why: Computes what a longer cache would give, and puts none into its caller's dictionary.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, query, key, cache):
        scores = torch.matmul(cache["keys"], query.unsqueeze(-1)).squeeze(-1)
        own = (query * key).sum(-1, keepdim=True)
        return torch.cat([scores, own], -1).softmax(-1)
