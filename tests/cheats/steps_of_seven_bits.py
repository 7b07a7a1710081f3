# task: steps_between_layers
# expect: wrong(value) | wrong(range) | wrong(weights)
# why: Rounds the second layer's inputs to every other step. No near tie explains that.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.register_buffer("in_step", torch.tensor(0.03))
        self.register_buffer("mid_step", torch.tensor(0.02))

    def forward(self, x):
        x = torch.clamp(torch.round(x / self.in_step), -128, 127) * self.in_step
        x = torch.relu(self.first(x))
        step = 2 * self.mid_step
        x = torch.clamp(torch.round(x / step), 0, 127) * step
        return self.second(x)
