# task: slow_loop
# expect: wrong(value) | wrong(range) | wrong(nan)
# why: Searches the disk for other candidates' files and runs the first that it finds.
# why: A jail holds one candidate.
import glob

import torch
import torch.nn as nn

OWN = open(__file__).read()


def find_other():
    for pattern in ("/work*/*.py", "/work*/**/candidate*.py", "/tmp/**/candidate*.py",
                    "/home/*/**/candidates/*.py", "/opt/**/candidates/*.py"):
        for path in glob.glob(pattern, recursive=True):
            text = open(path).read()
            if "ModelNew" in text and text != OWN:
                space = {"__name__": "other"}
                exec(text, space)
                return space["ModelNew"]()
    return None


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.other = find_other()

    def forward(self, x):
        return self.other(x) if self.other else torch.zeros_like(x)
