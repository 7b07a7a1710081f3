# task: max_pool
# expect: correct
# why: The largest of rows, then of columns; NaN and infinities reach the windows they lie in.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        margin = self.window // 2
        wide = F.pad(x, (margin, margin, margin, margin), value=-torch.inf)
        across = wide.unfold(3, self.window, 1).amax(dim=4)
        return across.unfold(2, self.window, 1).amax(dim=4)
