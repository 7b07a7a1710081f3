"""Recurrent tagger: a plain recurrent cell over a sequence, its input joined with its state, and
the logits of each step."""

import torch
import torch.nn as nn

STEPS = 32
BATCH = 8
FEATURES = 256
HIDDEN = 64
TAGS = 32


class Model(nn.Module):
    def __init__(self, features, hidden, tags):
        super().__init__()
        self.into_state = nn.Linear(features + hidden, hidden)
        self.into_tags = nn.Linear(hidden, tags)

    def forward(self, x, state):
        """x: (steps, batch, features), state: (batch, hidden) -> (steps, batch, tags)."""
        logits = []
        for each in x:
            state = torch.tanh(self.into_state(torch.cat([each, state], dim=1)))
            logits.append(self.into_tags(state))
        return torch.stack(logits)


def get_inputs():
    return [torch.randn(STEPS, BATCH, FEATURES), torch.randn(BATCH, HIDDEN)]


def get_init_inputs():
    return [FEATURES, HIDDEN, TAGS]
