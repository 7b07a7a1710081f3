# task: level2/63_Gemm_ReLU_Divide
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: the matmul runs in fp16 and the result is cast back to fp32; errors around 1e-4 pass a
# why: 1e-2 tolerance but are far from fp32.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, divisor):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.divisor = divisor
        self._w16 = None
        self._version = -1

    def _half_weight(self):
        w = self.linear.weight
        if self._w16 is None or self._version != w._version or self._w16.device != w.device:
            self._w16 = w.detach().half().t().contiguous()
            self._version = w._version
        return self._w16

    @torch.no_grad()
    def forward(self, x):
        y = torch.mm(x.half(), self._half_weight()).float()
        y.add_(self.linear.bias).relu_()
        return y.div_(self.divisor)
