# task: softmax
# expect: correct
# why: Prints 64 MB while it is imported: nobody's reply, nobody's problem.
import torch
import torch.nn as nn

for _ in range(64):
    print("x" * (1 << 20))


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
