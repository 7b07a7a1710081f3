# task: model_output
# expect: wrong(structure)
# why: A dictionary, which has no `.total`, where the task's outputs are attributes, too.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return {"total": total, "top": total.amax(dim=1)}
