# task: max_pool
# expect: wrong(range) | wrong(nan) | slower
# why: A maximum that leaves out NaN, as fmaxf does. PyTorch's gives it.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        margin, (rows, columns) = self.window // 2, x.shape[2:]
        wide = F.pad(x, (margin, margin, margin, margin), value=-torch.inf)
        best = wide[:, :, :rows, :columns]
        for at in range(1, self.window**2):
            down, right = divmod(at, self.window)
            best = torch.fmax(best, wide[:, :, down:down + rows, right:right + columns])
        return best
