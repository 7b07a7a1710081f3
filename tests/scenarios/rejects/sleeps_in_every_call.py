# task: softmax
# expect: slower
# why: A call takes a fiftieth of a second: a clear loser.
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        time.sleep(0.02)
        return torch.softmax(x, dim=-1)
