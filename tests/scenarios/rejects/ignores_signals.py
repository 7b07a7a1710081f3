# task: softmax
# expect: timeout
# why: Blocks every signal that can be blocked and hangs.
# time_limit_s: 5
import signal

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True:
            pass
