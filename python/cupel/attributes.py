"""Tensors that a model's calls leave in attributes, which nobody compares: an auxiliary loss, say,
or the attention of the last call. What lies in buffers is compared (arranged.py)."""

import weakref

import torch
from torch.utils import _pytree as pytree

_OTHERS = {"_parameters", "_buffers", "_modules"}


def held_by(model):
    """{name: tensors} of what a model's parts hold beside their parameters and buffers, as weak
    references. Parts with hooks before their calls are left out: torch's norms of weights make
    these there."""
    return {f"{where}.{name}" if where else name: list(map(weakref.ref, held))
            for where, part in model.named_modules() if not part._forward_pre_hooks
            for name, value in vars(part).items()
            if name not in _OTHERS and (held := _tensors_in(value))}


def _tensors_in(value):
    return [leaf for leaf in pytree.tree_leaves(value) if torch.is_tensor(leaf)]


def notes_on(before, model):
    """Sentences on what holds other tensors than `before` (held_by) a call. A cache that an earlier
    call has filled holds the same ones."""
    return [f"each call leaves a tensor in the attribute {name}, which is not compared"
            for name, held in sorted(held_by(model).items())
            if not _are_the_same(held, before.get(name, []))]


def _are_the_same(held, others):
    return len(held) == len(others) and all(
        one() is other() for one, other in zip(held, others))
