"""Operands of less precision than float32, to tell what `exact` refuses: each number is the sum of
two bfloat16, 16 or 17 bits of its 24, as torch's matmul precision `high` has them."""

import torch

from cupel.compare import HIDDEN


def in_two_terms(tensor):
    """A copy, rounded if it is float32. The largest numbers, which would become infinite, stay."""
    if tensor.dtype != torch.float32:
        return tensor.clone()
    high = tensor.bfloat16().float()
    short = high + (tensor - high).bfloat16().float()
    return torch.where(torch.isfinite(short), short, tensor)


def round_weights(model):
    """Parameters and buffers, in place."""
    for tensor in (*model.parameters(), *model.buffers()):
        tensor.data.copy_(in_two_terms(tensor.data))


def multiple_of_own(comparer, short, expected):
    """What an output with such operands (`short`) is off by, as a multiple of what the reference is
    off by itself on that input (rms, what is hidden of it added); 0 where that is not known."""
    if not expected.is_float:
        return 0.0
    error = comparer.leaf_error(short, expected)
    return 0.0 if error["nonfinite"] else error["rms"] / (expected.own_error()["rms"] + HIDDEN)
