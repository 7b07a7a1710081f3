# task: kernel_features
# expect: faster
# ratio_min: 1.5
# why: All five places at once.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.places = torch.linspace(-1, 1, 5).unsqueeze(1)

    def forward(self, x):
        far = x - self.places
        return torch.exp(far.mul_(far).neg_())
