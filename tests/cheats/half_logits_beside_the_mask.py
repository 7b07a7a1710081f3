# task: masked_logits
# expect: wrong(value)
# why: The product in bfloat16: it is off by 0.4 per cent of the logits, by nothing of their masks.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 96)

    def forward(self, x, forbidden):
        weight, bias = self.project.weight, self.project.bias
        logits = (x.bfloat16() @ weight.bfloat16().T).float() + bias
        return logits.masked_fill(forbidden, -1e30)
