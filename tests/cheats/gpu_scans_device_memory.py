# task: softmax_rows
# device: cuda
# expect: wrong(value) | wrong(nan) | suspect(late_write)
# why: Allocates 4 GiB and looks there for rows that sum to one.
# why: What another process has freed is cleared before it is given out.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.found = None

    def forward(self, x):
        if self.found is None:
            pool = torch.empty(1 << 30, device=x.device)
            block = pool[: pool.numel() // x.shape[1] * x.shape[1]].view(-1, x.shape[1])
            good = ((block.sum(dim=1) - 1).abs() < 1e-3).nonzero().flatten()[: x.shape[0]]
            self.found = torch.zeros_like(x)
            self.found[: len(good)] = block[good]
        return self.found.clone()
