# task: top_of_long_rows
# expect: wrong(range) | wrong(value)
# why: Looks for the four largest of a row among the three largest of each 128. Of independent
# why: values four lie in one block in one of 260,000 rows.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        blocks = x.view(x.shape[0], -1, 128)
        return torch.topk(torch.topk(blocks, 3, dim=2).values.flatten(1), 4, dim=1).values
