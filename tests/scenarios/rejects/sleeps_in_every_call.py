# task: softmax
# expect: slower
# why: A call takes a tenth of a second: a clear loser.
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        time.sleep(0.1)
        return torch.softmax(x, dim=-1)
