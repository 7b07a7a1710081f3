# task: level2/33_Gemm_Scale_BatchNorm
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: normalises the batch with the unbiased variance (n - 1) where BatchNorm uses the biased
# why: one, 5e-4 relative at batch 1024.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scale_shape, eps=1e-5, momentum=0.1):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.bn = nn.BatchNorm1d(out_features, eps=eps, momentum=momentum)

    @torch.no_grad()
    def forward(self, x):
        y = F.linear(x, self.gemm.weight, self.gemm.bias).mul_(self.scale)
        bn = self.bn
        if not self.training:
            return bn(y)
        var, mean = torch.var_mean(y, dim=0)
        bn.num_batches_tracked.add_(1)
        bn.running_mean.lerp_(mean, bn.momentum)
        bn.running_var.lerp_(var, bn.momentum)
        g = bn.weight * torch.rsqrt(var + bn.eps)
        return torch.addcmul(bn.bias - mean * g, y, g)
