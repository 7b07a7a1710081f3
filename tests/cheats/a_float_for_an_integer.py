# task: tells_its_shape
# expect: wrong(value)
# why: A number of another type.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(96, 96)

    def forward(self, x):
        return {"product": self.project(x), "rows": float(x.shape[0]), "scale": 0.1,
                "name": "linear",
                "mask": None}
