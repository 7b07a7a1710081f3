# task: steps_between_layers
# expect: correct
# why: Folds the steps into the weights, and keeps whole numbers between the layers. Some number in
# why: each few inputs lies next to the middle between two steps, and moves all of its row a little.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.register_buffer("in_step", torch.tensor(0.03))
        self.register_buffer("mid_step", torch.tensor(0.02))

    def prepare(self):
        self.one = (self.first.weight * (self.in_step / self.mid_step)).t().contiguous()
        self.shift = self.first.bias / self.mid_step
        self.two = (self.second.weight * self.mid_step).t().contiguous()

    def forward(self, x):
        whole = x.div(self.in_step).round_().clamp_(-128, 127)
        whole = torch.addmm(self.shift, whole, self.one).round_().clamp_(0, 255)
        return torch.addmm(self.second.bias, whole, self.two)
