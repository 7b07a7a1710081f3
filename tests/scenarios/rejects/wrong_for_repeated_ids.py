# task: integer_ids
# expect: wrong(value)
# why: Counts an id once, however often it occurs in its bag.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, ids):
        hits = torch.zeros(ids.shape[0], self.table.weight.shape[0])
        hits.scatter_(1, ids, 1.0)
        return hits @ self.table.weight
