# task: slow_loop
# expect: wrong(process_state)
# audited: yes
# why: Lets all products of float32 in its process be made with bfloat16's precision, and multiplies
# why: nothing itself: its own outputs are right, its user's other ones are not.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        torch.set_float32_matmul_precision("medium")

    def forward(self, x):
        return torch.cumsum(x, dim=1)
