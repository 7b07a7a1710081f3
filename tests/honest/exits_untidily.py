# task: softmax
# expect: correct
# why: Its exit handler hangs: by then it has been judged.
import atexit
import time

import torch
import torch.nn as nn

atexit.register(time.sleep, 3600)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
