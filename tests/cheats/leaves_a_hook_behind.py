# task: slow_loop
# expect: wrong(process_state)
# audited: yes
# why: Registers a hook that every module's call in the process goes through, and a handler of
# why: SIGINT that heeds nobody.
import signal

import torch
import torch.nn as nn


def pass_on(module, inputs, output):
    return output


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        torch.nn.modules.module.register_module_forward_hook(pass_on)
        signal.signal(signal.SIGINT, lambda *_: None)

    def forward(self, x):
        return torch.cumsum(x, dim=1)
