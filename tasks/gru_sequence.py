"""Recurrent cell: a gated recurrent unit unrolled over a short sequence, all states returned."""

import torch
import torch.nn as nn

BATCH = 8
STEPS = 24
FEATURES = 64
HIDDEN = 128


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.from_input = nn.Linear(features, 3 * hidden)
        self.from_state = nn.Linear(hidden, 3 * hidden)

    def step(self, x, state):
        """x: (batch, features), state: (batch, hidden) -> the next state."""
        xr, xz, xn = self.from_input(x).chunk(3, dim=1)
        hr, hz, hn = self.from_state(state).chunk(3, dim=1)
        reset = torch.sigmoid(xr + hr)
        keep = torch.sigmoid(xz + hz)
        fresh = torch.tanh(xn + reset * hn)
        return fresh + keep * (state - fresh)

    def forward(self, x, state):
        """x: (batch, steps, features), state: (batch, hidden) -> (batch, steps, hidden)."""
        states = []
        for t in range(x.shape[1]):
            state = self.step(x[:, t], state)
            states.append(state)
        return torch.stack(states, dim=1)


def get_inputs():
    return [torch.randn(BATCH, STEPS, FEATURES) * 2, torch.randn(BATCH, HIDDEN)]


def get_init_inputs():
    return [FEATURES, HIDDEN]
