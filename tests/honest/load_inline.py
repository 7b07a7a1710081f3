# task: hardtanh
# expect: correct
# why: A C++ extension built with torch.utils.cpp_extension.load_inline.
# slow: yes
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>

torch::Tensor clip(torch::Tensor x) { return x.clamp(-1.0, 1.0); }
"""

extension = load_inline(name="clip", cpp_sources=SOURCE, functions=["clip"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.clip(x)
