# task: experts_in_bfloat16
# expect: wrong(value) | wrong(range)
# why: Sends one token in 64 to the third best expert in place of the second. In a model of bfloat16
# why: many tokens may go to either, but not these.
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
        best, places = self.gate(x).topk(self.chosen + 1, dim=1)
        odd = (torch.arange(x.shape[0]) % 64 == 0)[:, None]
        best = torch.where(odd, best[:, ::2], best[:, :2])
        places = torch.where(odd, places[:, ::2], places[:, :2])
        shares = x.new_zeros(x.shape[0], self.experts.shape[0])
        shares.scatter_(1, places, best.softmax(dim=1))
        return torch.einsum("te,tw,ewv->tv", shares, x, self.experts)
