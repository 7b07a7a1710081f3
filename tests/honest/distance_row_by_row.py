# task: row_distances
# expect: correct
# why: Differences, by torch's own kernel for them.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, queries, rows):
        return torch.cdist(queries, rows, compute_mode="donot_use_mm_for_euclid_dist")
