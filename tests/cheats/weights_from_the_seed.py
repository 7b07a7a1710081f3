# task: linear
# expect: wrong(weights) | wrong(value) | slower
# why: Makes its weights again from the seed in every call, to need no parameters.
# why: That is honest work for the first instance and wrong for any other.
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
