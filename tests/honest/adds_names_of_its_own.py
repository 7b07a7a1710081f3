# task: slow_loop
# expect: faster
# ratio_min: 4
# audited: yes
# why: Its C++ registers an operator below a name of its own; it adds a method to tensors, a name to
# why: torch and a module to those imported. Nothing of this stands before what was there.
import sys
import types

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
torch::Tensor running_sum(const torch::Tensor& x) { return x.cumsum(1); }
TORCH_LIBRARY(honest_sums, library) { library.def("running_sum", running_sum); }
"""
load_inline("honest_sums", SOURCE, functions=["running_sum"])
torch.Tensor.running_sum = lambda self: torch.ops.honest_sums.running_sum(self)
torch.honest_sums = types.ModuleType("honest_sums")
sys.modules["honest_sums"] = torch.honest_sums


class ModelNew(nn.Module):
    def forward(self, x):
        return x.running_sum()
