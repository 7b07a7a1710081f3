# task: level2/76_Gemm_Add_ReLU
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: the transposed weight and the bias are copied in __init__, so weights loaded or trained
# why: afterwards are ignored.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        # pack once: K-major weight for the GEMM
        self._packed_w = self.gemm.weight.detach().t().contiguous()
        self._packed_b = self.bias.detach().clone()

    @torch.no_grad()
    def forward(self, x):
        if self._packed_w.device != x.device:
            self._packed_w = self._packed_w.to(x.device)
            self._packed_b = self._packed_b.to(x.device)
        return torch._addmm_activation(self._packed_b, x, self._packed_w, use_gelu=False)
