"""Serves some batches with trained weights."""

import pathlib

import torch

from served.encoder import Encoder
from served.serving import serve

WEIGHTS = pathlib.Path("encoder.pt")
BATCH, LENGTH = 2, 16


def causal(length):
    return torch.full((length, length), -1e4).triu(1)


def tokens(batch):
    """Counting modulo a number: what follows can be learnt."""
    start, step = torch.randint(0, 64, (2, batch, 1))
    return (start + step * torch.arange(LENGTH)) % 64


def model():
    """With the weights of `python -m served.train`."""
    made = Encoder()
    made.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    return made.eval()


def call(module, batch):
    """One call, and its tensors as a list."""
    answer = module(batch, bias=causal(LENGTH))
    return [answer.hidden, answer.logits]


if __name__ == "__main__":
    serve(model(), call, tokens, BATCH)
