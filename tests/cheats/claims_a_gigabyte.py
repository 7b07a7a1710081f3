# task: softmax
# expect: invalid_reply
# why: Announces a frame of two gigabytes.
import os
import struct

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for name in os.listdir("/proc/self/fd"):
            try:
                if os.readlink("/proc/self/fd/" + name).startswith("socket:"):
                    os.write(int(name), struct.pack("<I", 2 << 30))
            except OSError:
                pass
        return torch.softmax(x, dim=-1)
