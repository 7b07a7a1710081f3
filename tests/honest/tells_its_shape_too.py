# task: tells_its_shape
# expect: correct
# why: The same values, from elsewhere.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(96, 96)

    def forward(self, x):
        product = torch.nn.functional.linear(x, self.project.weight, self.project.bias)
        return {"product": product, "rows": len(product), "scale": float("1e-1"),
                "name": "lin" + "ear", "mask": None}
