"""One step of a decoder whose caller keeps the keys in a dictionary: a call puts a longer tensor
there, and counts."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, query, key, cache):
        cache["keys"] = torch.cat([cache["keys"], key.unsqueeze(1)], 1)
        cache["length"] += 1
        return torch.einsum("bd,btd->bt", query, cache["keys"]).softmax(-1)


def get_inputs():
    return [torch.randn(8, 32), torch.randn(8, 32),
            {"keys": torch.randn(8, 40, 32), "length": 40}]
