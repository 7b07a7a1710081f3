"""Operations by what they do to NaN and infinities: those that choose, those that only move.

By the names of aten's operators, as a TorchDispatchMode sees them.
"""

import functools

import torch

# The answer hangs on all that there is to choose from. What PyTorch does with a NaN there (max
# gives it, fmax does not, sort puts it last) is part of what the operation is.
CHOICES = frozenset((
    "relu", "relu6", "clamp", "clamp_min", "clamp_max", "hardtanh", "threshold", "maximum",
    "minimum", "fmax", "fmin", "max", "min", "amax", "amin", "aminmax", "_aminmax", "argmax",
    "argmin", "sort", "argsort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode",
    "cummax", "cummin", "_cummax_helper", "_cummin_helper", "searchsorted", "bucketize",
    "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices",
    "mkldnn_max_pool2d", "mkldnn_max_pool3d", "adaptive_max_pool2d", "adaptive_max_pool3d",
    "fractional_max_pool2d", "fractional_max_pool3d", "gt", "ge", "lt", "le", "eq", "ne", "isnan",
    "isinf", "isfinite", "isposinf", "isneginf", "nan_to_num"))

# Each number of the result is one of an operand, or a constant; where it comes from is told by
# places, masks and integers.
_MOVES = frozenset((
    "where", "masked_fill", "masked_scatter", "masked_select", "clone", "contiguous", "copy",
    "_to_copy", "to", "cat", "stack", "index", "index_select", "index_copy", "index_fill",
    "gather", "take", "take_along_dim", "embedding", "constant_pad_nd", "reflection_pad1d",
    "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d",
    "replication_pad3d", "roll", "flip", "rot90", "repeat", "repeat_interleave", "tril", "triu",
    "slice_scatter", "select_scatter", "diagonal_scatter", "as_strided_scatter",
    "channel_shuffle", "pixel_shuffle", "pixel_unshuffle", "im2col", "fill", "zero", "zeros_like",
    "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full", "new_empty",
    "new_empty_strided", "lift_fresh", "lift_fresh_copy"))


@functools.cache
def name_of(func):
    """"relu" of aten.relu_.default; nothing of what another library defines."""
    library, _, name = func._schema.name.rpartition("::")
    return name.rstrip("_") if library == "aten" else ""


def is_choice(func):
    return name_of(func) in CHOICES


def keeps_numbers(func):
    """Does each number of the result come from one of the operands', as it is, by a choice or by
    its place?"""
    return is_choice(func) or name_of(func) in _MOVES or is_view(func)


def is_view(func):
    """Does it only look at what is there in another shape?"""
    return bool(getattr(func, "is_view", False))


def is_pointwise(func):
    """Does each number of the result hang on those at its own place alone?"""
    return torch.Tag.pointwise in getattr(func, "tags", ())
