"""What ties an output to other tensors: what a user meets who writes to it, or differentiates.

The words are those of TensorSpec (docs/protocol.md).
"""

import collections
import functools

import torch
from torch.utils._python_dispatch import _disable_current_modes

LOOKED_AT_MAX = 1 << 26  # bytes that two outputs lie in: beyond, only equal places count


def ties_of(leaves, lies_in_input):
    """A list of words for each leaf, or () where no leaf has any. `lies_in_input`: a function of a
    leaf. Outputs may be views of one buffer, as long as no element is of both."""
    found = [_of_itself(leaf, lies_in_input) for leaf in leaves]
    in_storage = collections.defaultdict(list)  # places of leaves
    for at, leaf in enumerate(leaves):
        earlier = in_storage[leaf.untyped_storage()._cdata]
        for before in earlier:
            if _share(leaf, leaves[before]):
                found[at] = [*found[at], "output"]
                found[before] = [*found[before], "output"]
        earlier.append(at)
    return found if any(found) else ()


def _of_itself(leaf, lies_in_input):
    ties = []
    if lies_in_input(leaf):
        ties.append("input")
    if leaf.requires_grad:
        ties.append("gradients")
    if leaf.is_inference():
        ties.append("inference")
    if not leaf.is_contiguous() and _meets_itself(leaf.shape, leaf.stride()):
        ties.append("itself")
    return ties


def _meets_itself(shape, strides):
    """Do several elements lie in one place? Of strides that no dense tensor's view has, a few that
    happen to miss each other count as well."""
    reach = 0
    for stride, size in sorted(zip(strides, shape)):
        if size > 1:
            if stride <= reach:
                return True
            reach += (size - 1) * stride
    return False


def _share(one, two):
    """Is some byte of both? They lie in one storage."""
    if not one.numel() or not two.numel():
        return False
    places = [(leaf.storage_offset() * leaf.element_size(), leaf.element_size(),
               tuple(leaf.shape), leaf.stride()) for leaf in (one, two)]
    start = min(place[0] for place in places)
    return _meet(*((offset - start, *form) for offset, *form in places))


@functools.lru_cache(maxsize=64)
def _meet(one, two):
    """Of two (first byte, bytes an element, shape, strides)."""
    ends = [place[0] + _span(*place[1:]) for place in (one, two)]
    if one[0] >= ends[1] or two[0] >= ends[0]:
        return False
    if max(ends) > LOOKED_AT_MAX:
        return one == two
    with _disable_current_modes():  # for real, where outputs are fake tensors
        taken = torch.zeros(max(ends), dtype=torch.bool, device="cpu")
        _bytes_at(taken, *two).fill_(True)
        return bool(_bytes_at(taken, *one).any())


def _span(size, shape, strides):
    return size * (1 + sum((count - 1) * stride for count, stride in zip(shape, strides)))


def _bytes_at(memory, start, size, shape, strides):
    return memory.as_strided((*shape, size), (*(stride * size for stride in strides), 1), start)
