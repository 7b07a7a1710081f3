"""What a call of a module looks like: its arguments as text with names for the tensors in it."""

import collections
import copy
import dataclasses

import torch

from cupel.capture.spelling import Speller, Unspellable, parameters_of

_PLAIN = (bool, int, float, str, type(None))


class Form:
    """Of a call. `text`: the arguments as they stand between the brackets, tensors by `names`;
    constants are spelled. `needs`: see Speller. `autocast`: (device, dtype) that it runs under, or
    None."""

    def __init__(self, text, names, tensors, speller):
        self.text, self.names, self.tensors = text, names, tensors
        self.needs = set(speller.needs)
        self.autocast = _autocast()

    def key(self):
        """Equal for calls that one task can stand for, whatever their sizes."""
        return self.text, self.autocast, tuple((t.dtype, t.dim()) for t in self.tensors)

    def emptied(self):
        """The same without the tensors' memory."""
        other = copy.copy(self)
        other.tensors = [tensor.detach().to("meta") for tensor in self.tensors]
        return other

    def shapes(self):
        return tuple(tuple(tensor.shape) for tensor in self.tensors)


def _autocast():
    for device in ("cuda", "cpu"):
        if torch.is_autocast_enabled(device):
            return device, torch.get_autocast_dtype(device)
    return None


class _Arguments:
    """Gives tensors names. A tensor that comes twice has one."""

    def __init__(self, construction_of):
        self.speller = Speller(construction_of)
        self.names, self.tensors = [], []
        self._known = {}

    def spell(self, value, name):
        if isinstance(value, torch.Tensor):
            return self._tensor(value, name)
        if type(value) in (list, tuple) or hasattr(value, "_fields"):
            return self._sequence(value, name)
        if type(value) is dict:
            inner = (f"{self.speller.spell(key)}: {self.spell(item, f'{name}_{key}')}"
                     for key, item in value.items())
            return "{" + ", ".join(inner) + "}"
        if _holds_tensors(value):
            inner = (f"{field.name}={self.spell(getattr(value, field.name), field.name)}"
                     for field in dataclasses.fields(value) if field.init)
            return f"{self.speller.name_of(type(value))}({', '.join(inner)})"
        return self.speller.spell(value)

    def _sequence(self, value, name):
        inner = [self.spell(item, f"{name}_{i}") for i, item in enumerate(value)]
        if hasattr(value, "_fields"):
            return f"{self.speller.name_of(type(value))}({', '.join(inner)})"
        if isinstance(value, list):
            return "[" + ", ".join(inner) + "]"
        return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"

    def _tensor(self, value, name):
        if value.layout != torch.strided or value.is_quantized or value.is_nested:
            raise Unspellable(f"{name} is a tensor of layout {value.layout}")
        if id(value) not in self._known:
            self._known[id(value)] = self._unused(name)
            self.names.append(self._known[id(value)])
            self.tensors.append(value)
        return self._known[id(value)]

    def _unused(self, name):
        name = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
        name = name if name.isidentifier() and name not in ("self", "out") else "x_" + name
        while name in self.names:
            name += "_"
        return name


def _holds_tensors(value):
    return dataclasses.is_dataclass(value) and not isinstance(value, type) and any(
        isinstance(getattr(value, field.name), torch.Tensor)
        for field in dataclasses.fields(value))


def form_of(module, args, kwargs, construction_of=lambda module: None):
    """The Form of `module(*args, **kwargs)`. Raises Unspellable, naming the argument."""
    arguments, parts = _Arguments(construction_of), []
    for name, value in [*zip(_positional_names(module, len(args)), args), *kwargs.items()]:
        try:
            text = arguments.spell(value, name)
        except Unspellable as problem:
            raise Unspellable(f"its argument {name} is or holds {problem}") from None
        parts.append(f"{name}={text}" if len(parts) >= len(args) else text)
    return Form(", ".join(parts), arguments.names, arguments.tensors, arguments.speller)


def _positional_names(module, count):
    names = []
    for parameter in parameters_of(type(module).forward)[1:]:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind == parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}_{i}" for i in range(count - len(names))]
    return names[:count] + [f"x_{i}" for i in range(len(names), count)]


class Output:
    """Of a call: `tensors`, flat; `text` makes plain containers of `out`, and is "out" where it
    consists of them; `type`: the class that was returned, "" where it is plain."""

    def __init__(self, value):
        self.tensors = []
        self.type = ""
        plain = isinstance(value, (torch.Tensor, *_PLAIN)) or type(value) in (list, tuple, dict)
        if not plain:
            self.type = f"{type(value).__module__}:{type(value).__qualname__}"
        self.text = self._plain(value, "out")

    def _plain(self, value, text):
        if isinstance(value, torch.Tensor):
            self.tensors.append(value)
            return text
        if isinstance(value, _PLAIN):
            return text
        if isinstance(value, (list, tuple)):
            return self._sequence(value, text)
        if isinstance(value, collections.abc.Mapping):
            inner = {key: self._plain(item, f"{text}[{key!r}]") for key, item in value.items()}
            untouched = type(value) is dict and all(
                item == f"{text}[{key!r}]" for key, item in inner.items())
        elif dataclasses.is_dataclass(value):
            inner = {field.name: self._plain(getattr(value, field.name), f"{text}.{field.name}")
                     for field in dataclasses.fields(value)}
            untouched = False
        else:
            raise Unspellable(f"a {type(value).__module__}.{type(value).__qualname__}")
        return text if untouched else _dictionary(inner)

    def _sequence(self, value, text):
        inner = [self._plain(item, f"{text}[{i}]") for i, item in enumerate(value)]
        if inner == [f"{text}[{i}]" for i in range(len(inner))]:
            return text
        comma = "," if len(inner) == 1 and isinstance(value, tuple) else ""
        brackets = "()" if isinstance(value, tuple) else "[]"
        return brackets[0] + ", ".join(inner) + comma + brackets[1]


def _dictionary(items):
    return "{" + ", ".join(f"{key!r}: {text}" for key, text in items.items()) + "}"
