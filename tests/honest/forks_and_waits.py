# task: softmax
# expect: correct
# why: Forks one child while it is imported and waits for it.
import os

import torch
import torch.nn as nn

child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
