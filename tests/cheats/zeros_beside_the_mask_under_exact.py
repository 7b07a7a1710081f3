# task: masked_logits
# policy: exact
# expect: wrong(value)
# why: All logits are zero. Beside masks of -1e30 that is nothing, by the spread of all values.
# why: Elements of a size are held to what the reference is off by among them.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 96)

    def forward(self, x, forbidden):
        return forbidden.float() * -1e30
