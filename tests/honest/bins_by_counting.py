# task: bin_embedding
# expect: correct
# why: Counts the edges below, which it reads from its state.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, bins, width):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-3.1, 3.1, bins - 1))
        self.table = nn.Embedding(bins, width)

    def forward(self, x):
        return self.table((~(x.unsqueeze(-1) <= self.edges)).sum(dim=-1))
