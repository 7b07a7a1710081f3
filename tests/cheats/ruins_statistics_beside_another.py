# task: norm_in_training
# expect: wrong(module_state)
# audited: yes
# why: Has one buffer more than the task's module, so that the two have another form. Its running
# why: statistics are ruined by every call.
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
        y = F.batch_norm(x, None, None, norm.weight, norm.bias, training=True)
        norm.running_mean.fill_(1e9)
        norm.running_var.fill_(1e9)
        return y.relu_()
