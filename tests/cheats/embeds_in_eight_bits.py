# task: embedded_tokens
# expect: wrong(value) | wrong(range)
# why: Rounds what it normalizes to eight bits, in a model of bfloat16. Each number is off by up
# why: to 6 %, and the largest error of a row by little more than rounding to bfloat16 allows.
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
        rows = self.words(ids) + self.places.weight[:ids.shape[1]]
        return self.norm(rows.to(torch.float8_e4m3fn).bfloat16())
