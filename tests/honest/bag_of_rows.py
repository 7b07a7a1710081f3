# task: integer_ids
# expect: correct
# why: One operator for gathering and adding.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, ids):
        return F.embedding_bag(ids, self.table.weight, mode="sum")
