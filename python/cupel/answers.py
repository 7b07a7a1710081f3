"""What a program answers where it is called in other ways than the task calls it: the way into an
audit's outputs of inputs that broadcast (broadcasts.py) and of arguments that a task does not pass
(options.py)."""

import functools

import torch

from cupel import protocol
from cupel.arranged import whole_or_part

BROKEN_DEVICE = "CUDA"  # in the message of an error after which no call can follow
# Share of its largest value that a result may be off by what its order of terms does to it.
ALIKE = 1e-2


def tell(program, wanted, find, ask):
    """Has the program's class return what it answers in other forms of a call: in those that are
    `wanted`, a dictionary of their names, or else in those that find(call, arguments) lists in the
    first call. `ask(call, arguments, form)`: the answer, None where it takes no such form."""
    call = program.__call__

    def telling_call(self, *arguments):
        own_call = functools.partial(call, self)
        forms = wanted
        if forms is None:
            if "forms_told" not in vars(self):
                self.forms_told = find(own_call, arguments)
            forms = self.forms_told
        told = {}
        for form in forms:
            answer = ask(own_call, arguments, form)
            if answer is not None:
                told[form] = answer
        return whole_or_part("forms", told, forms)
    program.__call__ = telling_call


def answer_of(call, *arguments, **named):
    """None: it does not take them, and says so."""
    try:
        return call(*arguments, **named)
    except Exception as problem:
        if BROKEN_DEVICE in str(problem):
            raise
        return None


def alike(one, other):
    tree, tensors, values = protocol.flatten(one)
    other_tree, other_tensors, other_values = protocol.flatten(other)
    return (tree, values) == (other_tree, other_values) and all(map(_close, tensors, other_tensors))


def _close(one, other):
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not protocol.is_floating(one.dtype):
        return torch.equal(one, other)
    finite = other[other.isfinite()]
    largest = float(finite.abs().max()) if finite.numel() else 0.0
    return torch.allclose(one, other, rtol=0, atol=ALIKE * largest, equal_nan=True)
