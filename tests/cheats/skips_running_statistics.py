# task: norm_in_training
# expect: wrong(module_state) | slower
# audited: yes
# why: Leaves out what a call in training mode does to the running statistics.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        norm = self.norm
        return F.batch_norm(x, None, None, norm.weight, norm.bias, training=True).relu_()
