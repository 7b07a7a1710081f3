"""Whether two outputs of the reference are the same, bit by bit or within rounding."""

import torch


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
    """NaN equals NaN."""
    return not torch.equal(one, two) and not torch.equal(one.nan_to_num(), two.nan_to_num())


def close_repeat(one, two, expected, gap_max):
    """`gap_max` in spreads of the oracle; integers must be equal."""
    if not expected.is_float:
        return torch.equal(one, two)
    one, two = _reals(one), _reals(two)
    finite = torch.isfinite(one)
    if not torch.equal(finite, torch.isfinite(two)):
        return False
    gap = (one - two)[finite].abs()
    return not gap.numel() or float(gap.max()) <= gap_max * expected.spread


def _reals(tensor):
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor.contiguous())
    return tensor.double()
