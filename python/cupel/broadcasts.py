"""Inputs of size 1 where they broadcast against others, as a user may give them and a task does
not: a gate of one column, a mask for all heads, a number for a tensor.

A form is `LEAF.AXIS`: the tensor of that number with size 1 there; `LEAF.lead`, without its first
dimension; `LEAF.all`, one number without dimensions. What counts is what the reference takes. All
forms are tried in one call of the task that has them as its outputs."""

from cupel import protocol
from cupel.answers import alike, answer_of, tell as tell_answers
from cupel.arranged import around

TRIED_MAX = 32  # calls of the reference that find out what it takes
LEAD, ALL = "lead", "all"


def tell(program, wanted=None, most=1):
    """Has the program's class return what it answers in each form: in those that are `wanted`, a
    dictionary of their names, or else in as many as `most` that it takes."""
    tell_answers(program, wanted, lambda call, arguments: _taken(call, arguments, most),
                 lambda call, arguments, form: answer_of(call, *given(arguments, form)))


def given(arguments, form, expanded=False):
    """The arguments with one tensor in a form, in memory as large as it was, the rest of which
    holds what nobody should read. `expanded`: in its own shape, with the same values."""
    tree, tensors, values = protocol.flatten(list(arguments))
    leaf, kind = form.split(".")
    tensor = tensors[int(leaf)]
    narrow = _narrow(tensor, kind)
    if expanded:
        given_tensor = narrow.expand(tensor.shape).contiguous()
    else:
        given_tensor = around((tensor.numel(),), tensor)[:narrow.numel()].view(narrow.shape)
        given_tensor.copy_(narrow)
    tensors[int(leaf)] = given_tensor
    return protocol.unflatten(tree, tensors, values)


def _narrow(tensor, kind):
    if kind == ALL:
        return tensor.reshape(-1)[0]
    return tensor[0] if kind == LEAD else tensor.narrow(int(kind), 0, 1)


def forms_of(tensors):
    """Names of the forms of each tensor that has another one to broadcast against; the last tensor
    first, since what comes first mostly gives the result its shape."""
    names = []
    for leaf in reversed(range(len(tensors))):
        shape = tensors[leaf].shape
        beside = [other.shape for index, other in enumerate(tensors) if index != leaf]
        axes = [axis for axis in range(len(shape)) if shape[axis] > 1
                and any(_has_there(other, len(shape) - axis, shape[axis]) for other in beside)]
        names += [f"{leaf}.{axis}" for axis in axes]
        if axes and len(shape) > 1 and any(_has_there(other, len(shape)) for other in beside) and (
                shape[0] == 1 or axes[0] == 0):
            names.append(f"{leaf}.{LEAD}")
        if axes:
            names.append(f"{leaf}.{ALL}")
    return names


def _has_there(shape, from_the_right, size=None):
    there = len(shape) >= from_the_right
    return there and size in (None, shape[len(shape) - from_the_right])


def _taken(call, arguments, most):
    """Those of the forms in which the program answers as it does with the tensor expanded."""
    forms = []
    for form in forms_of(protocol.flatten(list(arguments))[1])[:TRIED_MAX]:
        if len(forms) == most:
            break
        whole = call(*given(arguments, form, expanded=True))
        answer = answer_of(call, *given(arguments, form))
        if answer is not None and alike(answer, whole):
            forms.append(form)
    return forms
