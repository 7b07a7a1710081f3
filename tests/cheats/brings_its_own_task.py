# task: linear
# expect: wrong(value)
# why: Defines the reference, its inputs and its sizes anew, and puts them in the place of every
# why: other module's, for evaluators that load both programs into one process, where nothing would
# why: be left to do. The reference lives elsewhere, and inputs are made there.
import sys

import torch
import torch.nn as nn

ROWS = INPUTS = OUTPUTS = BATCH = batch_size = in_features = out_features = 1


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.outputs = outputs

    def forward(self, x):
        return x.new_zeros(x.shape[0], self.outputs)


def get_inputs():
    return [torch.zeros(ROWS, INPUTS)]


def get_init_inputs():
    return [INPUTS, OUTPUTS]


MINE = {"Model": Model, "get_inputs": get_inputs, "get_init_inputs": get_init_inputs, "ROWS": 1,
        "BATCH": 1, "batch_size": 1, "in_features": 1, "out_features": 1}
for module in list(sys.modules.values()):
    for name, value in MINE.items():
        if name in getattr(module, "__dict__", {}):
            setattr(module, name, value)


class ModelNew(Model):
    pass
