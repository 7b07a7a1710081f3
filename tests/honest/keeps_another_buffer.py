# task: norm_in_training
# expect: correct
# audited: yes
# why: Has one buffer more than the task's module, and moves the running statistics as that does.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        norm = self.norm
        y = F.batch_norm(x, norm.running_mean, norm.running_var, norm.weight, norm.bias,
                         training=True, momentum=norm.momentum, eps=norm.eps)
        norm.num_batches_tracked += 1
        self.calls += 1
        return y.relu_()
