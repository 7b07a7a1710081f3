# task: softmax
# expect: invalid_reply
# why: Finds the judge's socket and writes noise into it.
import os

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for name in os.listdir("/proc/self/fd"):
            try:
                if os.readlink("/proc/self/fd/" + name).startswith("socket:"):
                    os.write(int(name), b"\x07\x00\x00\x00garbage")
            except OSError:
                pass
        return torch.softmax(x, dim=-1)
