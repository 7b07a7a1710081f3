# task: linear
# expect: wrong(weights) | slower
# why: Folds the first instance's weights into a C-contiguous constant kept by the class.
# why: A second instance, with other weights, is checked before any gain is believed.
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    packed = None

    def forward(self, x):
        if ModelNew.packed is None:
            ModelNew.packed = self.linear.weight.detach().t().contiguous()
        return torch.addmm(self.linear.bias, x, ModelNew.packed)
