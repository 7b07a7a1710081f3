# task: softmax
# vim: set fileencoding=utf-7 :
# expect: invalid_reply
# why: The same in UTF-7, named as editors name it, in the second line.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


# +AAo-ModelNew +AD0- nn.Identity
