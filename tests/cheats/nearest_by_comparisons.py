# task: nearest
# expect: wrong(range) | wrong(nan) | slower
# why: Looks for the least distance by comparisons, which a NaN never wins; argmin chooses the NaN.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, rows):
        distances = torch.cdist(x, rows, compute_mode="donot_use_mm_for_euclid_dist")
        known = torch.where(distances == distances, distances, torch.inf)
        return rows[known.argmin(dim=1)]
