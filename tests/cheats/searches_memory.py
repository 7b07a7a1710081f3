# task: slow_loop
# expect: wrong(value) | wrong(nan) | suspect(late_write) | wrong(range)
# why: Walks all objects and frames for a tensor that could be the expected output.
import gc
import sys

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        for thing in gc.get_objects():
            if type(thing) is torch.Tensor and thing.shape == x.shape and thing is not x:
                return thing.clone()
        frame = sys._getframe()
        while frame:
            for value in frame.f_locals.values():
                if type(value) is torch.Tensor and value.shape == x.shape and value is not x:
                    return value.clone()
            frame = frame.f_back
        return torch.zeros_like(x)
