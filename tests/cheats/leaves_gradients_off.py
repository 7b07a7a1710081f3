# task: slow_loop
# expect: wrong(process_state)
# audited: yes
# why: Turns gradients off as it is imported, for a little less work, and leaves it so: whoever
# why: trains another model in that process learns nothing.
import torch
import torch.nn as nn

torch.set_grad_enabled(False)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)
