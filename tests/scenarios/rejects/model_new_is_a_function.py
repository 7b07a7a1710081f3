# task: softmax
# expect: invalid_reply
# why: ModelNew is no class.
import torch


def ModelNew():
    return lambda x: torch.softmax(x, dim=-1)
