"""The memory that a call returned, overwritten before the allocator has it back.

A program that leaves a part of its output unwritten is right as long as that part happens to hold
what it should: zeros of a fresh page, or the last call's answer. Its user finds there whatever lay
in that memory before. So half of what a call returned, from a place that is drawn, is NaN when the
next call may be given it: no element tells a program whether it was.
"""

import os
import typing

import torch

NAN_IN_EACH = 0x7fff  # 16 bits; NaN as float16, bfloat16, and repeated as float32 and float64
# torch before 2.8 has it in builds with CUDA alone.
_use_count = getattr(torch._C, "_storage_Use_Count", None)


class Part(typing.NamedTuple):
    """The bytes of a storage from a tensor's first element to its last one."""
    storage: torch.UntypedStorage
    first: int
    end: int


def part_of(leaf):
    """Of a tensor, without holding it."""
    reach = sum((size - 1) * stride for size, stride in zip(leaf.shape, leaf.stride()))
    first, size = leaf.storage_offset(), leaf.element_size()
    elements = reach + 1 if leaf.data_ptr() else 0  # none, or zeros that are nowhere
    return Part(leaf.untyped_storage(), first * size, (first + elements) * size)


def overwrite(parts):
    """Takes the parts out of a list whose tensors are gone. A storage that somebody else holds, or
    that cannot be resized, since its memory is not the allocator's, stays as it is."""
    taken = parts[:]
    parts.clear()
    for storage, first, end in taken:
        free = _use_count and storage.resizable() and _use_count(storage._cdata) == 1
        words = (end - first) // 2
        if free and words:
            _overwrite_half(storage, first // 2, words)


def _overwrite_half(storage, first, words):
    """Of a stretch, in words of 16 bits: from a place in it on, and on from its beginning."""
    whole = torch.empty(0, dtype=torch.int16, device=storage.device).set_(storage, first, (words,))
    start = int.from_bytes(os.urandom(8), "little") % words
    end = start + (words + 1) // 2
    whole[start:end].fill_(NAN_IN_EACH)
    whole[:max(0, end - words)].fill_(NAN_IN_EACH)
