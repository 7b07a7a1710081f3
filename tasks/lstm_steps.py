"""Recurrent cell: an LSTM cell of torch stepped over a short sequence, all states returned."""

import torch
import torch.nn as nn

BATCH = 8
STEPS = 24
FEATURES = 64
HIDDEN = 128


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.cell = nn.LSTMCell(features, hidden)

    def forward(self, x, state, memory):
        """x: (batch, steps, features), state, memory: (batch, hidden) -> (batch, steps, hidden)."""
        states = []
        for t in range(x.shape[1]):
            state, memory = self.cell(x[:, t], (state, memory))
            states.append(state)
        return torch.stack(states, dim=1)


def get_inputs():
    return [torch.randn(BATCH, STEPS, FEATURES) * 2, torch.randn(BATCH, HIDDEN),
            torch.randn(BATCH, HIDDEN)]


def get_init_inputs():
    return [FEATURES, HIDDEN]
