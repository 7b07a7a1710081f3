# task: slow_loop
# expect: wrong(process_state)
# audited: yes
# why: Silences all logging of its process, the user's errors as well.
import logging

import torch
import torch.nn as nn

logging.disable(logging.CRITICAL)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)
