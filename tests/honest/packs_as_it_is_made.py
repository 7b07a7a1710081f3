# task: linear
# expect: correct
# why: The reference's names, and a packed copy of a weight that the constructor makes. Trained
# why: weights would not reach the copy, so that it is judged as it is constructed, with a note.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.register_buffer("packed", self.linear.weight.detach().t().contiguous())

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.packed)
