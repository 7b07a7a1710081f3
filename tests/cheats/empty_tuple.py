# task: two_outputs
# expect: wrong(structure)
# why: Returns (): a loop over pairs of outputs finds no difference.
# why: The structure is compared first.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return ()
