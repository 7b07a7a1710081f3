# task: softmax
# expect: runtime_error
# why: os._exit(0) in a call.
import os

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os._exit(0)
