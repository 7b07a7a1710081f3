# task: tells_its_shape
# expect: wrong(type)
# why: An object where a number is due: it could compute when it is compared.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(96, 96)

    def forward(self, x):
        return {"product": self.project(x), "rows": object(), "scale": 0.1, "name": "linear",
                "mask": None}
