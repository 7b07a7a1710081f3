"""What kind of values a leaf holds."""

import torch

ORDERED_MIN = 8  # numbers in a row; fewer may be in order by chance


def is_whole(dtype):
    """Of integers or booleans?"""
    return not dtype.is_floating_point and not dtype.is_complex


def is_double(leaf):
    """Of float64, or complex numbers of two?"""
    return leaf.dtype in (torch.float64, torch.complex128)


def is_choice(leaf):
    """Of integers or booleans?"""
    return is_whole(leaf.dtype)


def has_one_value(leaf):
    """Are all elements equal, and is there one?"""
    return leaf.numel() > 0 and bool((leaf == leaf.reshape(-1)[0]).all())


def is_ordered(leaf):
    """Integers that ascend or descend along the last axis, or too few of anything to tell."""
    if leaf.dim() == 0 or leaf.shape[-1] < 2:
        return True
    if leaf.dtype == torch.bool:
        return False
    before, after = leaf[..., :-1], leaf[..., 1:]
    return bool((before <= after).all()) or bool((before >= after).all())


def in_order_of(made, leaf):
    """`made`, sorted along the last axis as `leaf` is, which is ordered."""
    falls = bool((leaf[..., 0] > leaf[..., -1]).all())
    return made.sort(dim=-1, descending=falls).values


def has_one_sign(leaf):
    """Is no element of a floating leaf negative, or none positive?"""
    return leaf.numel() > 0 and bool((leaf >= 0).all() | (leaf <= 0).all())
