# task: softmax_rows
# device: cuda
# expect: wrong(aliased_output)
# audited: yes
# slow: yes
# why: torch.compile with CUDA graphs, whose outputs are its own memory: they can be read until the
# why: next call, and raise after it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.compiled = torch.compile(lambda x: torch.softmax(x / temperature, dim=1),
                                      mode="reduce-overhead")

    def forward(self, x):
        return self.compiled(x)
