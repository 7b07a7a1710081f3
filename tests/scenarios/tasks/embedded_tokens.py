"""Words and their places, added and normalized: all in bfloat16, as models are served."""
import torch
import torch.nn as nn

WORDS, PLACES, WIDTH = 1000, 64, 96


class Model(nn.Module):
    def __init__(self, words, places, width):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(places, width)
        self.norm = nn.LayerNorm(width)
        self.bfloat16()

    def forward(self, ids):
        places = torch.arange(ids.shape[1])
        return self.norm(self.words(ids) + self.places(places))


def get_inputs():
    return [torch.randint(0, WORDS, (4, PLACES))]


def get_init_inputs():
    return [WORDS, PLACES, WIDTH]
