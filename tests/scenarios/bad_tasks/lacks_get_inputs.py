# expect_error: defines no get_inputs()
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * 2
