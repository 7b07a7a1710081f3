# task: softmax_rows
# device: cuda
# expect: wrong(value)
# why: Computes in fp16 under `eager`, whose arithmetic is fp32.
# why: The tolerance is a multiple of the reference's own error.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return torch.softmax((x / self.temperature).half(), dim=1).float()
