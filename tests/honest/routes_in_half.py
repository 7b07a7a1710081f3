# task: routed_experts
# policy: half
# expect: correct
# why: Router and experts in bfloat16, each expert for its own tokens: other experts in near ties.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width, experts, chosen):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.Parameter(torch.randn(experts, width, width) / width ** 0.5)
        self.chosen = chosen

    def forward(self, x):
        rows = x.bfloat16()
        scores = rows @ self.gate.weight.t().bfloat16()
        best, places = scores.topk(self.chosen, dim=1)
        shares = best.float().softmax(dim=1)
        result = torch.zeros_like(x)
        for expert, weight in enumerate(self.experts.bfloat16()):
            token, place = (places == expert).nonzero(as_tuple=True)
            part = (rows[token] @ weight).float() * shares[token, place, None]
            result.index_add_(0, token, part)
        return result
