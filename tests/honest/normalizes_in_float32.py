# task: embedded_tokens
# expect: correct
# why: Adds and normalizes in float32 where the model rounds to bfloat16 in between.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, words, places, width):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(places, width)
        self.norm = nn.LayerNorm(width)
        self.bfloat16()

    def forward(self, ids):
        rows = self.words(ids).float() + self.places.weight[:ids.shape[1]].float()
        rows = rows - rows.mean(-1, keepdim=True)
        rows = rows * torch.rsqrt(rows.square().mean(-1, keepdim=True) + self.norm.eps)
        return (rows * self.norm.weight + self.norm.bias).bfloat16()
