"""Whether two outputs of the reference are the same, bit by bit or within rounding."""

import torch

from cupel.slices import in_chunks


def same_bits(one, two):
    """Of one form, and equal to the last bit?"""
    if one.dtype != two.dtype or one.shape != two.shape:
        return False
    return bool(torch.equal(_bytes(one), _bytes(two)))


def _bytes(tensor):
    tensor = tensor.contiguous()
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor)
    return tensor.reshape(-1).view(torch.uint8)


def differs(one, two):
    """Of flat tensors of one length; NaN equals NaN."""
    return not torch.equal(one, two) and not all(
        torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in in_chunks(one, two))


def close_repeat(one, two, expected, gap_max):
    """`gap_max` in spreads of the oracle; integers must be equal."""
    if not expected.is_float:
        return torch.equal(one, two)
    one, two = _reals(one), _reals(two)
    for first, second in in_chunks(one.reshape(-1), two.reshape(-1)):
        finite = torch.isfinite(first)
        if not torch.equal(finite, torch.isfinite(second)):
            return False
        gap = (first - second)[finite].abs_()
        if gap.numel() and float(gap.max()) > gap_max * expected.spread:
            return False
    return True


def _reals(tensor):
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor.contiguous())
    return tensor.double()
