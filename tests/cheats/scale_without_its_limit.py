# task: limited_scale
# expect: wrong(weights) | slower
# why: Leaves out the limit of a learned scale, which it is far from as constructed.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))
        self.image = nn.Linear(width, 128, bias=False)
        self.text = nn.Linear(width, 128, bias=False)

    def forward(self, image, text):
        images = F.normalize(self.image(image), dim=-1)
        texts = F.normalize(self.text(text), dim=-1)
        return (images @ texts.t()).mul_(self.logit_scale.exp())
