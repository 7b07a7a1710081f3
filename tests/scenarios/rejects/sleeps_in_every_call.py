# task: softmax
# expect: slower | timeout
# why: A call takes a second: a clear loser, or out of time.
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        time.sleep(1)
        return torch.softmax(x, dim=-1)
