# task: norm_in_training
# expect: wrong(module_state)
# audited: yes
# why: Has no running mean in its state dict, so that the two have another form, and ruins the
# why: running variance, which it has.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        mean = self.norm.running_mean
        del self.norm.running_mean
        self.norm.register_buffer("running_mean", mean, persistent=False)

    def forward(self, x):
        norm = self.norm
        y = F.batch_norm(x, None, None, norm.weight, norm.bias, training=True)
        norm.running_var.fill_(1e9)
        return y.relu_()
