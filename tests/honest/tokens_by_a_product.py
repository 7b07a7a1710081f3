# task: padded_rows
# expect: correct
# why: Sums by a product with the mask, and no row of none divided by nothing.
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
        total = torch.bmm(kept.unsqueeze(1), hidden).squeeze(1)
        return total / kept.sum(1, keepdim=True).clamp(min=1.0)
