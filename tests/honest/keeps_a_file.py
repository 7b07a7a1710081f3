# task: softmax
# expect: correct
# why: Writes a table to its own directory and reads it back.
import os
import tempfile

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "table.pt")
            torch.save(torch.zeros(256), path)
            self.table = torch.load(path, weights_only=True)

    def forward(self, x):
        return torch.softmax(x + self.table, dim=-1)
