import torch
import torch.nn as nn


class Model(nn.Module):
    """Attention with a padding mask and token types. Full batches: all is real, all of one type."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(64, 192)
        self.types = nn.Embedding(2, 64)

    def forward(self, x, mask, token_type):
        x = x + self.types(token_type)
        q, k, v = self.qkv(x).view(4, 64, 3, 4, 16).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / 4.0
        scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(4, 64, 64)


def get_inputs():
    return [torch.randn(4, 64, 64), torch.ones(4, 64, dtype=torch.bool),
            torch.zeros(4, 64, dtype=torch.long)]
