# task: softmax
# expect: correct
# why: Installs handlers of signals, for its own crashes.
import faulthandler
import signal

import torch
import torch.nn as nn

faulthandler.enable()
signal.signal(signal.SIGUSR1, lambda number, frame: None)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
