# task: slow_loop
# expect: slower | wrong(value) | wrong(range)
# why: Remembers results by 64 sampled elements: a sound cache, that never hits.
# why: No input comes twice, so that looking up is all that it does.
import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {}
        self.places = torch.arange(0, 64 * 96, 96)

    def forward(self, x):
        key = tuple(x.flatten()[self.places].tolist())
        if key not in self.known:
            running_sum(x)
            self.known[key] = running_sum(x)
        return self.known[key]
