"""The value class `captured`: calls that really happened, which a task brings beside its generator.

They are few, and a program must not meet one twice: it could remember the answer. So each draw
makes a call of its own of one of them:

  rows       the leaves that begin with the same axis have their rows changed about, all alike
  numbers    each is moved by normal noise of 1/128 of its size: zeros, signs, infinities stay
  indices    one in 16 takes the value of another place of the same leaf
  masks      (two values, or booleans) and ordered integers (offsets, positions) stay
"""

import torch

from cupel import protocol
from cupel.facts import dense
from cupel.failures import TaskFailure
from cupel.leaves import is_ordered, is_whole
from cupel.trained import is_mask

NOISE = 1 / 128
INDEX_ONE_IN = 16
LARGE = 1e30  # numbers beyond stand for infinity, and noise would make them one


class Captured:
    """The captured calls of a Program, in the form of its facts. False where there are none."""

    def __init__(self, program, facts):
        self._device = program.device
        self._calls = [self._checked(program, facts, call) for call in program.captured_inputs()]

    def __bool__(self):
        return bool(self._calls)

    def draw(self, generator):
        """(tensor leaves, value leaves) of a new call."""
        chosen = int(torch.randint(0, len(self._calls), (), generator=generator))
        tensors, values = self._calls[chosen]
        tensors = _rows_changed_about(tensors, generator)
        return [_moved(tensor, generator) for tensor in tensors], list(values)

    def _checked(self, program, facts, call):
        tree, tensors, values = protocol.flatten(call)
        got = [(protocol.dtype_name(t.dtype), list(t.shape)) for t in tensors]
        want = [(spec["dtype"], spec["shape"]) for spec in facts["inputs"]]
        if tree != facts["input_tree"] or got != want:
            raise TaskFailure("unsupported", f"{program.path}: get_captured_inputs() has a call of "
                              f"{got}, get_inputs() returns {want}; they must have one form",
                              "get_captured_inputs")
        return [dense(tensor.to(self._device)) for tensor in tensors], values


def _rows_changed_about(tensors, generator):
    rows = next((len(tensor) for tensor in tensors if tensor.dim()), 0)
    order = torch.randperm(max(rows, 1), generator=generator)
    return [_reordered(tensor, order) if _has_rows(tensor, rows) else tensor.clone()
            for tensor in tensors]


def _has_rows(tensor, rows):
    return rows > 1 and tensor.dim() > 0 and len(tensor) == rows and not _stays(tensor)


def _reordered(tensor, order):
    return torch.empty_like(tensor).copy_(tensor.index_select(0, order.to(tensor.device)))


def _stays(tensor):
    """Offsets, positions and the like."""
    if not is_whole(tensor.dtype) or tensor.dtype == torch.bool:
        return False
    return tensor.numel() < 2 or (tensor.shape[-1] > 1 and is_ordered(tensor))


def _moved(tensor, generator):
    """In place."""
    if tensor.dtype == torch.bool or not tensor.numel() or _stays(tensor) or is_mask(tensor):
        return tensor
    if protocol.is_floating(tensor.dtype):
        noise = torch.randn(tensor.shape, generator=generator).mul_(NOISE).to(tensor)
        sound = tensor.abs() < LARGE
        return tensor.copy_(torch.where(sound, tensor + tensor * noise, tensor))
    flat = tensor.reshape(-1)
    chosen = torch.rand(flat.shape, generator=generator) < 1 / INDEX_ONE_IN
    others = torch.randint(0, len(flat), flat.shape, generator=generator)
    mixed = torch.where(chosen.to(flat.device), flat[others.to(flat.device)], flat)
    return tensor.copy_(mixed.view(tensor.shape))
