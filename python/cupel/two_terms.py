"""Operands of less precision than float32, to tell what `exact` refuses: each number is the sum of
two bfloat16, 16 or 17 bits of its 24, as torch's matmul precision `high` has them."""

import torch

from cupel.compare import HIDDEN


def multiples_of_own(comparer, expected, run, tensors, model):
    """For each output: what the reference is off by with such operands, as a multiple of what it is
    off by itself on that input (rms, what is hidden of it added); 0 where that is not known.
    `expected`: of `tensors`; `run(tensors, model=None)`: the outputs; `model`: a copy of the
    reference, whose weights are rounded."""
    own = run([tensor.clone() for tensor in tensors])
    round_weights(model)
    short = run([in_two_terms(tensor) for tensor in tensors], model)
    return [_multiple(comparer, *each) for each in zip(own, short, expected)]


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


def _multiple(comparer, own, short, expected):
    if not expected.is_float:
        return 0.0
    comparer.own_error(own, expected)
    error = comparer.leaf_error(short, expected)
    return 0.0 if error["nonfinite"] else error["rms"] / (expected.own_error()["rms"] + HIDDEN)
