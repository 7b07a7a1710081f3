"""What a winner refuses, as its audit saw it, and what a package makes of it."""

import torch
from torch.utils import _pytree as pytree

ALIGNMENT_MEASURED = 64  # bytes: inputs that were timed begin at multiples of it

# What is noted of a program that raises an error (src/judge/audit/endurance.cpp), and who answers.
_ANSWERS = {
    "layout_refused": "In this package the original answers such a call.",
    "option_refused": "In this package the original answers such a call.",
    "load_refused": "This package makes the winner anew when weights change.",
}


def refusals(verdict):
    """Sentences, of the reasons of the verdict of an audit."""
    return [_sentence(reason) for reason in verdict.get("reasons", ())
            if reason["code"] in _ANSWERS]


def _sentence(reason):
    what, _, said = " ".join(reason["text"].split()).partition(": ")
    said = said.rstrip(".")
    raised = f", which says: {said}" if said and not said.startswith("it raises an error") else ""
    return f"With {what} the winner raises an error{raised}. {_ANSWERS[reason['code']]}"


def alignment_of(instance, inputs):
    """Bytes at whose multiples tensors must begin for the winner to answer; 1: they may begin
    anywhere."""
    sizes = [leaf.itemsize for leaf in pytree.tree_leaves(inputs) if torch.is_tensor(leaf)]
    step = ALIGNMENT_MEASURED // 2
    while sizes and step >= min(sizes):
        moved = pytree.tree_map_only(torch.Tensor, lambda value: beginning_at(step, value), inputs)
        try:
            instance(*moved)
        except Exception:  # the winner's own code may raise anything
            return 2 * step
        step //= 2
    return 1


def beginning_at(step, tensor):
    """A copy that begins so many bytes after where an allocation does, where that can be."""
    if not tensor.is_contiguous() or step % tensor.itemsize:
        return tensor.clone()
    before = step // tensor.itemsize
    memory = torch.empty(tensor.numel() + before, dtype=tensor.dtype, device=tensor.device)
    return memory[before:].view(tensor.shape).copy_(tensor)
