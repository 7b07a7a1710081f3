# task: beam_step
# expect: correct
# why: The best words of each beam first, then the best of these. Of equal scores it names others.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, beams):
        super().__init__()
        self.beams = beams

    def forward(self, scores, sums):
        rows = scores.shape[0]
        best, word = scores.topk(self.beams, dim=-1)
        best, at = (best + sums.unsqueeze(-1)).view(rows, -1).topk(self.beams, dim=-1)
        return best, at // self.beams, word.view(rows, -1).gather(1, at)
