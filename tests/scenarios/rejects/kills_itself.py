# task: softmax
# expect: runtime_error
# why: SIGKILL to its own process.
import os
import signal

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.kill(os.getpid(), signal.SIGKILL)
