# task: softmax
# expect: timeout
# why: Spins forever while it is constructed.
# time_limit_s: 5
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        while True:
            pass
