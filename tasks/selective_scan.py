"""Cumulative operation: the input-dependent linear recurrence of a state-space layer."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 2
STEPS = 32
CHANNELS = 256
STATES = 16


class Model(nn.Module):
    def __init__(self, channels, states):
        super().__init__()
        self.log_decay = nn.Parameter(torch.log(0.5 + torch.rand(channels, states)))
        self.skip = nn.Parameter(torch.randn(channels))

    def forward(self, x, step, b, c):
        """x, step: (batch, steps, channels); b, c: (batch, steps, states) -> like x.

        state[t] = exp(-decay * dt[t]) * state[t-1] + dt[t] * b[t] * x[t]; y[t] = c[t] . state[t].
        """
        decay = torch.exp(self.log_decay)
        dt = F.softplus(step)
        state = torch.zeros_like(x[:, 0]).unsqueeze(-1)
        outputs = []
        for t in range(x.shape[1]):
            kept = torch.exp(-dt[:, t].unsqueeze(-1) * decay) * state
            state = kept + (dt[:, t] * x[:, t]).unsqueeze(-1) * b[:, t].unsqueeze(1)
            outputs.append((state * c[:, t].unsqueeze(1)).sum(dim=-1))
        return torch.stack(outputs, dim=1) + x * self.skip


def get_inputs():
    wide = (BATCH, STEPS, CHANNELS)
    narrow = (BATCH, STEPS, STATES)
    return [torch.randn(wide), torch.randn(wide) - 1, torch.randn(narrow), torch.randn(narrow)]


def get_init_inputs():
    return [CHANNELS, STATES]
