"""Which of a program's tensors is which of the reference's, so that it can be given its weights.

A user loads weights by name. A program that has other names makes its weights from the seed, and
then it is never seen with trained ones: what it leaves out, such as scales that are constructed as
ones, nobody misses. So what is left over of both, by name, is matched by value: under one seed both
construct the same.
"""

import collections

import torch

from cupel.protocol import is_floating

FEW = 64  # elements

def names_for(instances, delivered, arena):
    """{a name of the program's own: the reference's} of all that can be loaded; None where some
    weight of the reference has no counterpart, or something of the program's own may hang on
    weights that would no longer be there. `instances`: the program under each seed, as
    constructed; `delivered`: what the reference has under the first one's, in `arena`."""
    mine = _state_of(instances[0])
    if any(torch.nn.parameter.is_lazy(tensor) for tensor in mine.values()):
        return None
    names = {tensor["name"]: tensor["name"] for tensor in delivered if _fits(tensor, mine)}
    reached = {id(mine[name]) for name in names}
    covered = {tensor["offset"] for tensor in delivered if tensor["name"] in names}
    own = [(name, tensor) for name, tensor in _once(mine) if id(tensor) not in reached]
    theirs = [tensor for tensor in delivered if tensor["offset"] not in covered]
    found, missing = _by_value(own, theirs, arena)
    if missing or not _stay(instances, own, found):
        return None
    return {**names, **found}


def load(instance, names, delivered, arena):
    """What is delivered as a state dict of the instance's. What a state dict does not hold is
    copied."""
    mine, state = _state_of(instance), instance.state_dict()
    places = {tensor["name"]: tensor for tensor in delivered}
    for name, theirs in names.items():
        place = places[theirs]
        source = arena.tensor_at(place["offset"], place["dtype"], place["shape"])
        if name in state:
            state[name] = source
        else:
            with torch.no_grad():
                mine[name].copy_(source)
    return state


def _state_of(instance):
    return {**dict(instance.named_parameters(remove_duplicate=False)),
            **dict(instance.named_buffers(remove_duplicate=False))}


def _once(named):
    """[(name, tensor)], each tensor under the first of its names."""
    return list({id(tensor): (name, tensor) for name, tensor in
                 reversed(named.items())}.values())[::-1]


def _fits(tensor, mine):
    own = mine.get(tensor["name"])
    return own is not None and list(own.shape) == list(tensor["shape"])


def _by_value(own, theirs, arena):
    """({own name: the reference's}, is a weight of the reference's left?). Of several that are
    equal, those whose names end alike belong together; else they do in their order."""
    found, missing, wanted = {}, False, collections.OrderedDict()
    for place in theirs:
        wanted.setdefault(place["offset"], place)
    free = list(own)
    for last_part_counts in (True, False):
        for offset, place in list(wanted.items()):
            value = arena.tensor_at(offset, place["dtype"], place["shape"])
            alike = [(name, tensor) for name, tensor in free if _equal(tensor, value)
                     and (not last_part_counts or _last(name) == _last(place["name"]))]
            if alike:
                free.remove(alike[0])
                found[alike[0][0]] = place["name"]
                del wanted[offset]
    for place in wanted.values():
        missing = missing or is_floating(getattr(torch, place["dtype"]))
    return found, missing


def _equal(one, two):
    """A few elements tell most that differ: large weights are many, and of few shapes."""
    return one.dtype == two.dtype and one.shape == two.shape and \
        torch.equal(one.reshape(-1)[:FEW], two.reshape(-1)[:FEW]) and torch.equal(one, two)


def _last(name):
    return name.rpartition(".")[2]


def _stay(instances, own, found):
    """Is what has no counterpart the same under each seed, so that it hangs on no weight?"""
    persistent = set(instances[0].state_dict(keep_vars=True))
    left = [(name, tensor) for name, tensor in own if name not in found and name in persistent]
    if left and len(instances) < 2:
        return False
    others = [_state_of(instance) for instance in instances[1:]]
    return all(name in other and _equal(tensor, other[name])
               for name, tensor in left for other in others)
