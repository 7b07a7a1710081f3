# task: beam_step
# expect: wrong(value)
# why: The words are right, and of each the beam next to its own.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, beams):
        super().__init__()
        self.beams = beams

    def forward(self, scores, sums):
        rows, beams, words = scores.shape
        best, at = (scores + sums.unsqueeze(-1)).view(rows, -1).topk(self.beams, dim=-1)
        return best, (at // words + 1) % beams, at % words
