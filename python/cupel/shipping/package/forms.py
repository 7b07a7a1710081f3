"""The form of a call: what of its arguments a program may depend on without being wrong on others.

Of a tensor its dtype, shape, strides and kind of device; of all else the value itself. Two calls of
one form may be answered by one program that was judged on it.
"""

import torch

_PLAIN = (bool, int, float, str, type(None))


class NoForm(Exception):
    """An argument of a kind that is not known here."""


def form_of(value):
    """A hashable description; raises NoForm."""
    kind = type(value)
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        if value.layout is not torch.strided:
            raise NoForm(f"a tensor of layout {value.layout}")
        strides = None if value.is_contiguous() else value.stride()
        return ("tensor", value.dtype, value.shape, strides, value.device.type)
    if kind in _PLAIN:
        return (kind.__name__, value)
    if kind is list or kind is tuple:
        return (kind.__name__, tuple([form_of(item) for item in value]))
    if kind is dict:
        return ("dict", tuple([(key, form_of(item)) for key, item in value.items()]))
    if kind is torch.dtype or kind is torch.device:
        return ("torch", str(value))
    if hasattr(value, "__dataclass_fields__"):
        fields = [(name, form_of(getattr(value, name))) for name in value.__dataclass_fields__]
        return ("object", kind.__qualname__, tuple(fields))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("object", kind.__qualname__, tuple([(name, form_of(getattr(value, name)))
                                                    for name in value._fields]))
    if isinstance(value, dict) and all(type(key) is str for key in value):
        return ("object", kind.__qualname__, tuple([(key, form_of(item))
                                                    for key, item in value.items()]))
    raise NoForm(f"a {kind.__module__}.{kind.__qualname__}")


def fits(form, value):
    """Whether the value is of the form. Comparisons only, which torch.compile can follow and turn
    into guards, also where sizes are symbols."""
    if form[0] == "tensor":
        return _tensor_fits(form, value)
    if form[0] in ("list", "tuple"):
        if not isinstance(value, (list, tuple)) or len(value) != len(form[1]):
            return False
        return _all_fit(form[1], value)
    if form[0] in ("dict", "object"):
        return _fields_fit(form[-1], value)
    if form[0] == "torch":
        return str(value) == form[1]
    return type(value).__name__ == form[0] and value == form[1]


def _all_fit(forms, values):
    for inner, value in zip(forms, values):
        if not fits(inner, value):
            return False
    return True


def _fields_fit(fields, value):
    if isinstance(value, dict):
        if list(value) != [key for key, _ in fields]:
            return False
        return _all_fit([inner for _, inner in fields], list(value.values()))
    for key, inner in fields:
        if not hasattr(value, key) or not fits(inner, getattr(value, key)):
            return False
    return True


def _tensor_fits(form, value):
    _, dtype, shape, strides, device = form
    if not isinstance(value, torch.Tensor) or value.dtype != dtype:
        return False
    if value.device.type != device or len(value.shape) != len(shape):
        return False
    for size, wanted in zip(value.shape, shape):
        if size != wanted:
            return False
    if strides is None:
        return value.is_contiguous()
    for stride, wanted in zip(value.stride(), strides):
        if stride != wanted:
            return False
    return True


def lie_at(tensors, alignment):
    """Whether all begin at multiples of so many bytes."""
    for tensor in tensors:
        if tensor.data_ptr() % alignment:
            return False
    return True


def tensors_of(value):
    """The tensors in it, in the order of its form."""
    if isinstance(value, torch.Tensor):
        return [value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return []
    if isinstance(value, dict):
        inside = list(value.values())
    elif isinstance(value, (list, tuple)):
        inside = value
    elif hasattr(value, "__dataclass_fields__"):
        inside = [getattr(value, name) for name in value.__dataclass_fields__]
    else:
        return []
    found = []
    for item in inside:
        found += tensors_of(item)
    return found


def rebuilt(form, tensors, home=None):
    """The value of that form with these tensors, an iterator, in its places. `home`: the module in
    which the names of its classes are known."""
    if form[0] == "tensor":
        return next(tensors)
    if form[0] == "list":
        return [rebuilt(inner, tensors, home) for inner in form[1]]
    if form[0] == "tuple":
        return tuple([rebuilt(inner, tensors, home) for inner in form[1]])
    if form[0] == "dict":
        return {key: rebuilt(inner, tensors, home) for key, inner in form[1]}
    if form[0] == "object":
        fields = {key: rebuilt(inner, tensors, home) for key, inner in form[2]}
        return class_named(form[1], home)(**fields)
    if form[0] == "torch":
        return _torch_value(form[1])
    return form[1]


def class_named(name, home):
    found = home
    for part in name.split("."):
        found = getattr(found, part)
    return found


def classes_in(form):
    """Names of the classes that rebuilt() must know."""
    if form[0] in ("list", "tuple"):
        return [name for inner in form[1] for name in classes_in(inner)]
    if form[0] in ("dict", "object"):
        inside = [name for _, inner in form[-1] for name in classes_in(inner)]
        return inside + ([form[1]] if form[0] == "object" else [])
    return []


def _torch_value(text):
    return getattr(torch, text[6:]) if text.startswith("torch.") else torch.device(text)


def to_json(form):
    """For manifest.json."""
    if form[0] == "tensor":
        _, dtype, shape, strides, device = form
        return ["tensor", str(dtype)[6:], list(shape), strides and list(strides), device]
    if form[0] in ("list", "tuple"):
        return [form[0], [to_json(inner) for inner in form[1]]]
    if form[0] in ("dict", "object"):
        return [*form[:-1], [[key, to_json(inner)] for key, inner in form[-1]]]
    if form[0] == "float":
        return ["float", repr(form[1])]
    return list(form)


def from_json(told):
    kind = told[0]
    if kind == "tensor":
        _, dtype, shape, strides, device = told
        return ("tensor", getattr(torch, dtype), torch.Size(shape), strides and tuple(strides),
                device)
    if kind in ("list", "tuple"):
        return (kind, tuple([from_json(inner) for inner in told[1]]))
    if kind in ("dict", "object"):
        return (*told[:-1], tuple([(key, from_json(inner)) for key, inner in told[-1]]))
    if kind == "float":
        return ("float", float(told[1]))
    return tuple(told)
