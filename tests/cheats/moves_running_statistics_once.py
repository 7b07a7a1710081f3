# task: norm_in_training
# expect: wrong(module_state) | slower
# audited: yes
# why: Moves the running statistics of the first call, and then only counts its calls.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        norm = self.norm
        if norm.num_batches_tracked == 0:
            return self.norm(x).relu_()
        norm.num_batches_tracked += 1
        return F.batch_norm(x, None, None, norm.weight, norm.bias, training=True).relu_()
