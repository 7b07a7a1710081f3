# task: padded_rows
# expect: wrong(range)
# why: Takes the number of tokens for the place of the last one. The task's own rows are filled up
# why: at their ends alone; a user's may have a zero between tokens.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.hidden = nn.Linear(width, width)

    def forward(self, tokens):
        count = (tokens != 0).sum(1, keepdim=True)
        kept = (torch.arange(tokens.shape[1]) < count).float()
        hidden = torch.nn.functional.gelu(self.hidden(self.embedding(tokens)))
        total = torch.bmm(kept.unsqueeze(1), hidden).squeeze(1)
        return total / count.clamp(min=1)
