# task: routed_experts
# expect: correct
# why: The gate as a sum of two products: other rounding, and another expert where two are as good.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width, experts, chosen):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.Parameter(torch.randn(experts, width, width) / width ** 0.5)
        self.chosen = chosen

    def forward(self, x):
        half, gate = x.shape[1] // 2, self.gate.weight.t()
        scores = x[:, :half] @ gate[:half] + x[:, half:] @ gate[half:]
        best, places = scores.topk(self.chosen, dim=1)
        shares = torch.zeros_like(scores).scatter_(1, places, best.softmax(dim=1))
        results = torch.einsum("tw,ewv->tev", x, self.experts)
        return (results * shares[:, :, None]).sum(dim=1)
