"""Calls as a user may make them and a task does not: inputs in other memory layouts, outputs that
are written to once they were read; and what a call leaves in a module's buffers and in its inputs.
The winner's audit appends a line to a program, or to a task, that asks for one of these, or for
broadcasts (broadcasts.py).

What lies around an input's elements is what nobody should read: NaN, or the largest number."""

import contextlib

import torch
from torch.utils import _pytree as pytree

from cupel import protocol
from cupel.alike import same_bits

WRITTEN, LOADED_LATER = "written", "loaded_later"


def arrange(program, layout):
    """Has the program's class called with each tensor as a view in `layout`: a key of LAYOUTS, or
    WRITTEN, or LOADED_LATER."""
    if layout == WRITTEN:
        return _write_to_outputs(program)
    if layout == LOADED_LATER:
        return _load_after_a_call(program)
    call, view_of = program.__call__, LAYOUTS[layout]

    def arranged_call(self, *arguments):
        tree, tensors, values = protocol.flatten(list(arguments))
        return call(self, *protocol.unflatten(tree, [view_of(t) for t in tensors], values))
    program.__call__ = arranged_call


def _write_to_outputs(program):
    """Has the program's class return copies, and then lose what it made, as its user's next layer
    may work in place. Who needs it any more has a wrong next call. What lies in an input is the
    user's own already."""
    call = program.__call__

    def written_call(self, *arguments):
        tensors = protocol.flatten(list(arguments))[1]
        of_inputs = {tensor.untyped_storage()._cdata for tensor in tensors}
        result = call(self, *arguments)
        copies = pytree.tree_map_only(torch.Tensor, torch.clone, result)
        for leaf in pytree.tree_leaves(result):
            if torch.is_tensor(leaf) and leaf.untyped_storage()._cdata not in of_inputs:
                _write_to(leaf)
        return copies
    program.__call__ = written_call


def _load_after_a_call(program):
    """Has the program's class called with other weights before it gets its own, as by who trains,
    averages or exchanges them. One that has a prepare() is told there when weights are final."""
    call = program.__call__

    def loaded_call(self, *arguments):
        if "was_loaded" not in vars(self):
            self.was_loaded = True
            if not callable(getattr(self, "prepare", None)):
                _call_with_other_weights(self, call, arguments)
        return call(self, *arguments)
    program.__call__ = loaded_call


def _call_with_other_weights(module, call, arguments):
    held = module.state_dict()
    state = {name: tensor.clone() for name, tensor in held.items()}
    with torch.no_grad():
        for name, tensor in held.items():
            if protocol.is_floating(tensor.dtype) and tensor.dim():
                tensor.copy_(state[name].roll(1, 0) * 0.75)
        call(module, *_copies(arguments))
    module.load_state_dict(state)


def _copies(arguments):
    return pytree.tree_map_only(torch.Tensor, torch.clone, list(arguments))


def _write_to(tensor):
    with contextlib.suppress(RuntimeError), torch.inference_mode():  # an expanded one takes nothing
        if protocol.is_floating(tensor.dtype):
            tensor.fill_(float("nan"))
        else:
            tensor.bitwise_not_()


def tell_state(program, wanted=None):
    """Has the program's class return its buffers, too, as two calls leave them: those that are
    `wanted`, {name: (dtype, shape)}, or else all that a state dict holds, and what else each call
    changes. An average that is right after one call may be an average no more after the next. Both
    begin with what the first call of all began with."""
    call = program.__call__

    def telling_call(self, *arguments):
        if "state_before_calls" in vars(self):
            _restore(self)
        else:
            self.state_before_calls = _copied_buffers(self)
            self.told_buffers = None if wanted is None else list(wanted)
        call(self, *_copies(arguments))
        between = _copied_buffers(self) if self.told_buffers is None else {}
        result = call(self, *arguments)
        if self.told_buffers is None:
            self.told_buffers = _told_buffers(self, between)
        buffers = dict(self.named_buffers())
        return _with_buffers(result, {name: buffers[name] for name in self.told_buffers
                                      if name in buffers}, wanted)
    program.__call__ = telling_call


def _copied_buffers(module):
    return {name: tensor.clone() for name, tensor in module.named_buffers()}


def _restore(module):
    """What is a program's own, and no state, stays: it may be packed by now."""
    before, kept = module.state_before_calls, module.state_dict(keep_vars=True)
    for name, tensor in module.named_buffers():
        if name in before and before[name].shape == tensor.shape and (
                name in kept or name in module.told_buffers):
            tensor.copy_(before[name])


def _told_buffers(module, between):
    """The names of those that a state dict holds, and of what changed in both of two calls: what
    changes in the first alone is a cache that was filled."""
    before, kept = module.state_before_calls, module.state_dict(keep_vars=True)

    def counts(name, tensor):
        states = [before.get(name), between.get(name), tensor]
        return all(one is not None and one.shape == tensor.shape for one in states) and not (
            same_bits(states[0], states[1]) or same_bits(states[1], states[2]))
    return [name for name, tensor in module.named_buffers() if name in kept or counts(name, tensor)]


def tell_inputs(program, wanted=None):
    """Has the program's class return its inputs, too, as a call leaves them: the tensors whose
    numbers are `wanted`, or else all; what else they hold; and the form of it all, since a call may
    put other things into a list or a dictionary."""
    call = program.__call__

    def telling_call(self, *arguments):
        result = call(self, *arguments)
        tree, tensors, others = protocol.flatten(list(arguments))
        told = {str(i): tensor.clone() for i, tensor in enumerate(tensors)
                if wanted is None or str(i) in wanted}
        return {"inputs": told, "others": [tree, *others], "result": result}
    program.__call__ = telling_call


def _with_buffers(result, buffers, wanted):
    if wanted is None:
        wanted = {name: (str(buffers[name].dtype).split(".")[-1], list(buffers[name].shape))
                  for name in sorted(buffers)}
    told = {name: buffers[name].to(getattr(torch, dtype), copy=True)
            for name, (dtype, shape) in wanted.items()
            if name in buffers and list(buffers[name].shape) == shape}
    return {**whole_or_part("state", told, wanted), "result": result}


def whole_or_part(name, told, wanted):
    """{name: what is told}, if it is all that is wanted; else by the numbers that things have in
    `wanted`: the judge then knows for which of them it can ask (src/model/evidence.h)."""
    if len(told) == len(wanted):
        return {name: told}
    return {"kept": {str(number): told[thing] for number, thing in enumerate(wanted)
                     if thing in told}}


def around(shape, tensor):
    """Memory that no element of the input's is in."""
    if protocol.is_floating(tensor.dtype):
        filler = float("nan")
    else:
        filler = True if tensor.dtype == torch.bool else torch.iinfo(tensor.dtype).max
    return torch.full(shape, filler, dtype=tensor.dtype, device=tensor.device)


def _offset(tensor):
    """One element after where a tensor of its own would begin."""
    memory = around((tensor.numel() + 2,), tensor)
    return memory.as_strided(tensor.shape, tensor.stride(), 1).copy_(tensor)


def _sliced(tensor):
    """Part of each row of a wider tensor."""
    if not tensor.dim():
        return tensor
    width = tensor.shape[-1]
    return around((*tensor.shape[:-1], width + 3), tensor)[..., 1:width + 1].copy_(tensor)


def _stepped(tensor):
    """Every second element of each row of a tensor twice as wide."""
    if not tensor.dim():
        return tensor
    return around((*tensor.shape[:-1], 2 * tensor.shape[-1]), tensor)[..., ::2].copy_(tensor)


def _longer(tensor):
    """Part of a tensor that is longer in all dimensions but the first and the last, as tokens or
    heads taken out of a longer sequence."""
    if tensor.dim() < 3:
        return tensor
    memory = around((tensor.shape[0], *(size + 3 for size in tensor.shape[1:-1]),
                     tensor.shape[-1]), tensor)
    return memory[(slice(None), *(slice(1, size + 1) for size in tensor.shape[1:-1]))].copy_(tensor)


def _channels_last(tensor):
    """The second dimension lies innermost in memory."""
    if tensor.dim() < 3:
        return tensor
    return tensor.movedim(1, -1).contiguous().movedim(-1, 1)


def _transposed(tensor):
    """The last two dimensions lie in memory the other way round."""
    if tensor.dim() < 2:
        return tensor
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def _late(tensor):
    """Not there before the current stream has come to it, as from a layer before."""
    if not tensor.is_cuda:
        return tensor
    from cupel import layer_before  # needs a GPU
    layer_before.queue()
    return tensor.clone()


LAYOUTS = {"offset": _offset, "sliced": _sliced, "stepped": _stepped, "transposed": _transposed,
           "longer": _longer, "channels_last": _channels_last, "late": _late}
