# task: softmax
# expect: timeout
# why: Waits for a lock that it holds.
# time_limit_s: 5
import threading

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
