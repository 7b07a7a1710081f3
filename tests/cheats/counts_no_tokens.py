# task: counted_tokens
# expect: wrong(module_state)
# audited: yes
# why: Leaves out the count, which lies in a buffer that no state dict holds.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.scores = nn.Linear(32, experts)
        self.register_buffer("tokens", torch.zeros(experts), persistent=False)

    def forward(self, x):
        return torch.softmax(torch.addmm(self.scores.bias, x, self.scores.weight.t()), -1)
