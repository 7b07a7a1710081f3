# task: padded_rows
# expect: wrong(range)
# why: A row without tokens is 0 / 0. The task's own rows have 20 tokens at least.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.hidden = nn.Linear(width, width)

    def forward(self, tokens):
        kept = (tokens != 0).float()
        hidden = torch.nn.functional.gelu(self.hidden(self.embedding(tokens)))
        return torch.bmm(kept.unsqueeze(1), hidden).squeeze(1) / kept.sum(1, keepdim=True)
