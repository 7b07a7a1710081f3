# task: linear
# expect: wrong(value) | runtime_error
# why: Looks for the task's file, to call the reference; there is none in the jail.
import glob
import sys

import torch
import torch.nn as nn


def find_reference():
    for root in [*sys.path, "/work", "/tmp", "/home", "/root", "/opt"]:
        for path in glob.glob(root + "/**/tasks/linear.py", recursive=True):
            space = {}
            exec(open(path).read(), space)
            return space["Model"]
    return None


class ModelNew(nn.Module):
    def __init__(self, *args):
        super().__init__()
        reference = find_reference()
        self.model = reference(*args) if reference else None

    def forward(self, x):
        return self.model(x) if self.model else torch.zeros(x.shape[0], 96)
