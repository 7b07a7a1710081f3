# task: slow_loop
# expect: slower
# why: A kernel that cannot work, in a try whose except computes as the reference does.
# why: Right, and judged by its time: what was tried first costs.
import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


def fast_kernel(x):
    partial = running_sum(x)
    raise RuntimeError(f"no kernel for {tuple(partial.shape)}")


class ModelNew(nn.Module):
    def forward(self, x):
        try:
            return fast_kernel(x)
        except RuntimeError:
            return running_sum(x)
