# task: linear
# expect: wrong(weights) | slower
# why: Takes no state that anybody loads, and stays with the weights of its constructor.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def load_state_dict(self, state, *arguments, **options):
        return None

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.linear.weight.t())
