# task: linear
# expect: wrong(weights) | wrong(value) | slower
# why: Makes the weights of every instance from the first one's seed, to need no parameters.
# why: They are the first instance's own, and wrong for any other.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    seed = None

    def __init__(self, inputs, outputs):
        super().__init__()
        ModelNew.seed = ModelNew.seed or torch.initial_seed()
        torch.manual_seed(ModelNew.seed)
        layer = nn.Linear(inputs, outputs)
        self.matrix, self.offset = layer.weight.detach().t().contiguous(), layer.bias.detach()

    def forward(self, x):
        return torch.addmm(self.offset, x, self.matrix)
