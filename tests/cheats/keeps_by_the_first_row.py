# task: slow_loop
# expect: wrong(changes_later)
# audited: yes
# why: Returns what it returned last where the first row's sum is what it was. No two inputs of a
# why: judgement have equal first rows. In the audit some follow each other but for two rows.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.key = self.last = None

    def forward(self, x):
        key = float(x[0].sum())
        if key != self.key:
            self.key, self.last = key, torch.cumsum(x, dim=1)
        return self.last.clone()
