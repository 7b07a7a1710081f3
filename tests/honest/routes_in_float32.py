# task: experts_in_bfloat16
# expect: correct
# audited: yes
# why: Scores and shares in float32, each expert for its own tokens: other experts in near ties.
# why: Kernels for so many tokens are kept by their number: memory grows, ever more slowly.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width, experts, chosen):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.Parameter(torch.randn(experts, width, width) / width ** 0.5)
        self.chosen = chosen
        self.bfloat16()

    def forward(self, x):
        scores = x.float() @ self.gate.weight.float().t()
        best, places = scores.topk(self.chosen, dim=1)
        shares = best.softmax(dim=1)
        result = torch.zeros(x.shape)
        for expert, weight in enumerate(self.experts):
            token, place = (places == expert).nonzero(as_tuple=True)
            part = (x[token] @ weight).float() * shares[token, place, None]
            result.index_add_(0, token, part)
        return result.bfloat16()
