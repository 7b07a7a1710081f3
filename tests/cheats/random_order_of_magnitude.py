# task: row_means
# expect: wrong(value)
# why: Draws random elements with torch's generator and answers with their mean.
# why: Right on average is wrong.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        drawn = torch.randint(0, x.shape[1], (512,))
        return x[:, drawn].mean(dim=1)
