# task: routed_experts
# policy: half
# expect: wrong(value) | wrong(range)
# why: Sends one token in 64 to the third best expert in place of the second, as no rounding does.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width, experts, chosen):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.Parameter(torch.randn(experts, width, width) / width ** 0.5)
        self.chosen = chosen

    def forward(self, x):
        best, places = self.gate(x).topk(self.chosen + 1, dim=1)
        odd = (torch.arange(x.shape[0]) % 64 == 0)[:, None]
        best = torch.where(odd, best[:, ::2], best[:, :2])
        places = torch.where(odd, places[:, ::2], places[:, :2])
        shares = torch.zeros(x.shape[0], self.experts.shape[0])
        shares.scatter_(1, places, best.softmax(dim=1))
        results = torch.einsum("tw,ewv->tev", x.bfloat16(), self.experts.bfloat16()).float()
        return (results * shares[:, :, None]).sum(dim=1)
