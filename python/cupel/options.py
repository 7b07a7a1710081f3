"""Arguments of `forward` that have a default and that a task does not pass, or that it passes as
None, as a user may pass them: a scale, a flag, a mask.

A form is `NAME.VALUE`, or `PLACE.VALUE` of what the task passes by its place: Python's text of a
number or of a truth; or, for what is None, `tensor.N`, the input of that number with its elements
in reverse, `mask.N`, truths in its shape, `square.N`, truths for each two of its rows, and
`sums.N`, numbers for each two of its rows, as they are added to scores. What counts is what the
reference takes and answers otherwise then. All forms are tried in one call of the task that has
them as its outputs."""

import ast
import inspect

import torch

from cupel import protocol
from cupel.answers import alike, answer_of, tell as tell_answers

# In the place of None; the reference says whether it is one of these.
OTHERS_OF_NONE = (True, 1, 0.5)
OF_INPUTS = ("sums", "square", "tensor", "mask")
TRUTHS = ("square", "mask")
OF_ONE_MAX = 2     # forms of one argument
FALSE_ONE_IN = 3   # of a mask's places, along each axis
ADDED = -4.0       # where it is false: a fiftieth is left of a share of attention


def alternatives(value):
    """Other values that an argument which is no tensor could have, the likelier ones first."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, 2 * value]
    if isinstance(value, float):
        return [value * 0.5, value * 1.5 + 0.25]
    return list(OTHERS_OF_NONE) if value is None else []


def tensors_for_none(tensors):
    """Tensors that could stand in the place of None, beside these."""
    texts = [text for text in _values(None, tensors) if text.partition(".")[0] in OF_INPUTS]
    return [one for one in (_value(text, tensors) for text in texts) if one is not None]


def passed_as_none(arguments):
    """[(place, None)] of those."""
    return [(str(place), None) for place, value in enumerate(arguments) if value is None]


def unpassed(forward, passed):
    """[(name, default)] of a function's arguments behind the first so many that are passed."""
    try:
        arguments = list(inspect.signature(forward).parameters.values())
    except (TypeError, ValueError):  # of what is no function of Python's
        return []
    given_by_place = [one for one in arguments if one.kind in (
        one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)][:passed]
    return [(one.name, one.default) for one in arguments if one not in given_by_place
            and one.default is not one.empty and one.kind != one.POSITIONAL_ONLY]


def tell(program, wanted=None, most=1):
    """Has the program's class return what it answers in each form: in those that are `wanted`, a
    dictionary of their names, or else in as many as `most` that it takes."""
    forward = program.forward

    def find(call, arguments):
        # The signature is that of a method: itself comes first.
        options = passed_as_none(arguments) + unpassed(forward, 1 + len(arguments))
        return _taken(call, arguments, options, most)
    tell_answers(program, wanted, find, _answer)


def _taken(call, arguments, options, most):
    forms, usual = [], call(*arguments)
    for name, default in options:
        kinds = []
        for value in _values(default, arguments):
            if len(forms) == most or len(kinds) == OF_ONE_MAX:
                break
            kind = value.partition(".")[0]
            if kind in TRUTHS and "sums" in kinds:
                continue  # what adds numbers can add truths, but nobody means that
            form = f"{name}.{value}"
            answer = _answer(call, arguments, form)
            if answer is not None and _is_of_use(answer) and not alike(answer, usual):
                forms.append(form)
                kinds.append(kind)
    return forms


def _values(default, arguments):
    """Texts of values, the likelier ones first."""
    texts = [repr(value).replace("+", "") for value in alternatives(default)]  # 1e+20 is 1e20
    if default is None:
        tensors = protocol.flatten(list(arguments))[1]
        texts = [f"{kind}.{i}" for kind in OF_INPUTS
                 for i in range(len(tensors)) if kind == "tensor" or _is_first(tensors, i)] + texts
    return texts


def _is_first(tensors, number):
    """Of its shape and type: others would give the same masks."""
    one = tensors[number]
    return not any(one.shape == other.shape and one.dtype == other.dtype
                   for other in tensors[:number])


def _is_of_use(answer):
    tensors = protocol.flatten(answer)[1]
    return bool(tensors) and all(bool(torch.isfinite(tensor).all()) for tensor in tensors)


def _answer(call, arguments, form):
    """By name, as such arguments are mostly given, unless the task passes something in its
    place."""
    name, _, text = form.partition(".")
    value = _value(text, arguments)
    if value is None:
        return None
    if not name.isdigit():
        return answer_of(call, *arguments, **{name: value})
    place = int(name)
    return answer_of(call, *arguments[:place], value, *arguments[place + 1:])


def _value(text, arguments):
    kind, _, number = text.partition(".")
    if kind not in OF_INPUTS:
        return ast.literal_eval(text)
    tensor = protocol.flatten(list(arguments))[1][int(number)]
    if kind == "tensor":
        return tensor.flip(tuple(range(tensor.dim())))
    if kind == "mask":
        return _truths(tensor.shape, tensor.device)
    if tensor.dim() < 2 or (kind == "sums" and not tensor.dtype.is_floating_point):
        return None
    truths = _truths((tensor.shape[-2],) * 2, tensor.device)
    return truths if kind == "square" else (~truths).to(tensor.dtype) * ADDED


def _truths(shape, device):
    """No row and no column of two and more is all true, or all false."""
    places = sum(torch.arange(size, device=device).view(-1, *[1] * (len(shape) - 1 - axis))
                 for axis, size in enumerate(shape))
    return torch.as_tensor(places, device=device) % FALSE_ONE_IN != 0
