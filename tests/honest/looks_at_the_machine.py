# task: softmax
# expect: correct
# why: Reads /proc and the environment, to choose how many threads it uses.
import os

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        with open("/proc/cpuinfo") as lines:
            cores = sum(line.startswith("processor") for line in lines)
        self.threads = max(1, min(cores, int(os.environ.get("OMP_NUM_THREADS", 1))))

    def forward(self, x):
        return torch.softmax(x, dim=-1) if self.threads else x
