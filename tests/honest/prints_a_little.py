# task: softmax
# expect: correct
# why: Prints a line at import and one for each of the first calls.
import torch
import torch.nn as nn

print("imported")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls < 5:
            print("call", self.calls)
        return torch.softmax(x, dim=-1)
