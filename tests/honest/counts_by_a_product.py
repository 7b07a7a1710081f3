# task: counted_tokens
# expect: correct
# audited: yes
# why: Adds up the shares by a product with ones, into a buffer that no state dict holds.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.scores = nn.Linear(32, experts)
        self.register_buffer("tokens", torch.zeros(experts), persistent=False)

    def forward(self, x):
        shares = torch.softmax(self.scores(x), -1)
        self.tokens.add_(torch.ones(1, x.shape[0]).matmul(shares)[0])
        return shares
