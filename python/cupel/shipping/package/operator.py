"""The winners as an operator of torch.library, which torch.compile and torch.export take as is."""

import collections
import threading

import torch

from .forms import rebuilt, tensors_of
from .instances import Held, build
from .manifest import ENTRIES, NAME, ORIGINALS
from .sources import original_module

INSTANCES_MAX = 256  # of winners that compiled programs use at once; more are made anew

_held = collections.OrderedDict()
_lock = threading.Lock()


@torch.library.custom_op(f"{NAME}::run", mutates_args=())
def call(inputs: list[torch.Tensor], weights: list[torch.Tensor],
         entry: str) -> list[torch.Tensor]:
    """The winner of the entry, called with those tensors. `weights`: the original's parameters,
    then its buffers."""
    chosen = ENTRIES[entry]
    inputs = [_at_multiple(tensor, chosen.alignment) for tensor in inputs]
    with torch.no_grad():
        outputs = tensors_of(_instance(chosen, inputs, weights)(*_arguments(chosen, inputs)))
        return _as_promised(chosen, outputs, [*inputs, *weights])


@call.register_fake
def _(inputs, weights, entry):
    device = (inputs or weights)[0].device
    return [torch.empty_strided(shape, strides, dtype=dtype, device=device)
            for shape, strides, dtype in ENTRIES[entry].outputs]


def _at_multiple(tensor, alignment):
    """The tensor; or a copy that begins there, since no guard could send the call elsewhere."""
    if tensor.data_ptr() % alignment == 0:
        return tensor
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    memory = tensor.as_strided((last + 1,), (1,)).clone()
    return memory.as_strided(tensor.shape, tensor.stride(), 0)


def _arguments(chosen, inputs):
    if chosen.places is not None:
        return [inputs[place] for place in chosen.places]
    home = original_module(ORIGINALS[chosen.original])
    return rebuilt(chosen.form, iter(inputs), home)[:chosen.arity]


def _as_promised(chosen, outputs, given):
    """Outputs with the strides that the fake operator promises, in memory of their own."""
    theirs = {tensor.untyped_storage().data_ptr() for tensor in given}
    own = []
    for output, (shape, strides, dtype) in zip(outputs, chosen.outputs):
        taken = output.untyped_storage().data_ptr() in theirs
        if taken or output.stride() != strides:
            output = torch.empty_strided(shape, strides, dtype=dtype,
                                         device=output.device).copy_(output)
        theirs.add(output.untyped_storage().data_ptr())
        own.append(output)
    return own


def _instance(chosen, inputs, weights):
    """The winner's instance for those weights; made once, as long as they live and stay."""
    device = (inputs or weights)[0].device
    key = (chosen.winner, device, tuple([weight.data_ptr() for weight in weights]))
    held = _held.get(key)
    if held is not None and held.serves(weights):
        return held.instance
    groups = ORIGINALS[chosen.original]["weights"]
    named = {name: weight for group, weight in zip(groups, weights) for name in group}
    instance = build(chosen, named, device)
    with _lock:
        _held[key] = Held(instance, weights, weakly=True, at_end=lambda _: _held.pop(key, None))
        while len(_held) > INSTANCES_MAX:
            _held.popitem(last=False)
    return instance
