# task: tells_its_shape
# expect: wrong(value)
# why: A float beside the tensor is off by 1e-9.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(96, 96)

    def forward(self, x):
        return {"product": self.project(x), "rows": x.shape[0], "scale": 0.100000001,
                "name": "linear",
                "mask": None}
