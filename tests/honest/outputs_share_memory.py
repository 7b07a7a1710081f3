# task: two_outputs
# expect: correct
# why: Both outputs are views of one buffer.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = torch.broadcast_tensors(x, y)
        room = x.new_empty(x.shape[0], x.shape[1] + 1)
        total, top = room[:, :-1], room[:, -1]
        torch.addcmul(y, x, torch.sigmoid(y), out=total)
        torch.amax(total, dim=1, out=top)
        return total, top
