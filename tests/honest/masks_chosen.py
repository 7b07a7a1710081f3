# task: masked_logits
# expect: correct
# why: The product is of another shape, and the mask is chosen, not filled in.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 96)

    def forward(self, x, forbidden):
        logits = (self.project.weight @ x.T).T + self.project.bias
        return torch.where(forbidden, -1e30, logits)
