"""Python values as source text, for task files."""

import argparse
import collections
import dataclasses
import enum
import functools
import inspect
import keyword
import math
import sys
import types

import torch

ELEMENTS_MAX = 64  # of a tensor that is written out
DEPTH_MAX = 12
CHARS_MAX = 64 << 10
_NAMESPACES = ((torch.nn.functional, "torch.nn.functional"), (torch, "torch"))


class Unspellable(Exception):
    """The value cannot be written as source. The text says what it is."""


class Speller:
    """Spells values; gathers in `needs` what the texts use: pairs of a module and a name in it,
    of a module as a whole ("functools", ""). `construction_of`: a function from a module to the
    (args, kwargs) that made it, or None."""

    def __init__(self, construction_of=lambda module: None):
        self.needs = set()
        self._construction_of = construction_of

    def spell(self, value, depth=0):
        """The text. Raises Unspellable."""
        if depth > DEPTH_MAX:
            raise Unspellable(f"a {type(value).__name__} nested {DEPTH_MAX} deep")
        for kinds, spell in _KINDS:
            if isinstance(value, kinds):
                text = spell(self, value, depth + 1)
                break
        else:
            text = self._object(value, depth + 1)
        if len(text) > CHARS_MAX:
            raise Unspellable(f"a {type(value).__name__} of {len(text)} characters")
        return text

    def call(self, function, args, kwargs, depth=0):
        """`function(args, kwargs)`; `function` is text."""
        parts = [self.spell(arg, depth) for arg in args]
        parts += [f"{_keyword(name)}={self.spell(arg, depth)}" for name, arg in kwargs.items()]
        return f"{function}({', '.join(parts)})"

    def name_of(self, thing):
        """The expression by which a class or function is reached."""
        for namespace, text in _NAMESPACES:
            if getattr(namespace, getattr(thing, "__name__", ""), None) is thing:
                return f"{text}.{thing.__name__}"
        module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", "")
        first = name.split(".")[0]
        if module == "builtins" and getattr(sys.modules["builtins"], name, None) is thing:
            return name
        if module not in sys.modules or "<" in name or not _reaches(module, name, thing):
            raise Unspellable(f"{name or type(thing).__name__}, which cannot be imported by name")
        if module.startswith("torch.nn.modules.") and hasattr(torch.nn, name):
            return f"torch.nn.{name}"
        self.needs.add((module, first))
        return name

    def _number(self, value, _):
        if isinstance(value, enum.Enum):
            return self._enum(value, _)
        if type(value) not in (bool, int, float, complex):
            raise Unspellable(f"a {type(value).__name__}")
        if isinstance(value, float) and not math.isfinite(value):
            return f'float("{value}")'
        return repr(value)

    def _text(self, value, _):
        if isinstance(value, enum.Enum):
            return self._enum(value, _)
        return repr(str(value) if isinstance(value, str) else bytes(value))

    def _enum(self, value, _):
        return f"{self.name_of(type(value))}.{value.name}"

    def _torch(self, value, _):
        return str(value) if isinstance(value, torch.dtype) else f"torch.device({str(value)!r})"

    def _list(self, value, depth):
        if type(value) not in (list, torch.nn.ParameterList):
            raise Unspellable(f"a {type(value).__name__}")
        return "[" + ", ".join(self.spell(item, depth) for item in value) + "]"

    def _tuple(self, value, depth):
        items = [self.spell(item, depth) for item in value]
        if hasattr(value, "_fields"):
            return f"{self.name_of(type(value))}({', '.join(items)})"
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"

    def _set(self, value, depth):
        items = sorted(self.spell(item, depth) for item in value)
        text = "{" + ", ".join(items) + "}" if items else "set()"
        return f"frozenset({text})" if isinstance(value, frozenset) else text

    def _dict(self, value, depth):
        pairs = [(self.spell(key, depth), self.spell(item, depth)) for key, item in value.items()]
        if type(value) is collections.OrderedDict:
            self.needs.add(("collections", ""))
            inner = ", ".join(f"({key}, {item})" for key, item in pairs)
            return f"collections.OrderedDict([{inner}])"
        if type(value) is not dict:
            raise Unspellable(f"a {type(value).__name__}")
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"

    def _slice(self, value, depth):
        parts = (value.start, value.stop, value.step)
        return "slice(" + ", ".join(self.spell(part, depth) for part in parts) + ")"

    def _partial(self, value, depth):
        self.needs.add(("functools", ""))
        args = [value.func, *value.args]
        return self.call("functools.partial", args, value.keywords, depth)

    def _tensor(self, value, _):
        if value.numel() > ELEMENTS_MAX or value.layout != torch.strided or value.is_quantized:
            raise Unspellable(f"a tensor of {value.numel()} elements")
        text = f"torch.tensor({value.detach().cpu().tolist()!r}, dtype={value.dtype})"
        text = text.replace("inf", 'float("inf")').replace("nan", 'float("nan")')
        return f"torch.nn.Parameter({text})" if isinstance(value, torch.nn.Parameter) else text

    def _module(self, value, depth):
        made = self._construction_of(value)
        if made is None:
            raise Unspellable(f"a module {type(value).__name__} of which it is not known how it "
                              "was constructed")
        made = without_defaults(type(value).__init__, *made)
        return self.call(self.name_of(type(value)), *made, depth=depth)

    def _callable(self, value, _):
        return self.name_of(value)

    def _namespace(self, value, depth):
        module = "types" if isinstance(value, types.SimpleNamespace) else "argparse"
        self.needs.add((module, ""))
        return self.call(f"{module}.{type(value).__name__}", [], vars(value), depth)

    def _object(self, value, depth):
        if hasattr(type(value), "from_dict") and hasattr(value, "to_dict"):
            return self._of_dict(value, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, dict):
            fields = {field.name: getattr(value, field.name)
                      for field in dataclasses.fields(value) if field.init}
            return self.call(self.name_of(type(value)), [], fields, depth)
        raise Unspellable(f"a {type(value).__module__}.{type(value).__qualname__}")

    def _of_dict(self, value, depth):
        """Configurations as Hugging Face's: what differs from their class's defaults."""
        whole, chosen = value.to_dict(), {}
        if getattr(value, "_attn_implementation", None):  # which no dictionary of theirs holds
            chosen = {"attn_implementation": value._attn_implementation}
        for told in (getattr(value, "to_diff_dict", value.to_dict)(), whole):
            try:
                if type(value).from_dict(dict(told), **chosen).to_dict() == whole:
                    made = f"{self.name_of(type(value))}.from_dict"
                    return self.call(made, [told], chosen, depth)
            except Exception:  # whatever the class's code does with less than all
                continue
        raise Unspellable(f"a {type(value).__qualname__} that its own from_dict() does not give "
                          "back")


def is_plain(value):
    """Numbers, texts, None, dtypes, and lists, tuples and dictionaries of these: what travels to a
    candidate as it is."""
    if isinstance(value, (list, tuple)):
        return type(value) in (list, tuple) and all(map(is_plain, value))
    if isinstance(value, dict):
        return type(value) is dict and all(is_plain(item) for pair in value.items()
                                           for item in pair)
    return value is None or type(value) in (bool, int, float, complex, str, bytes) or \
        isinstance(value, torch.dtype)


def _reaches(module, name, thing):
    found = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is thing


def _keyword(name):
    if not name.isidentifier() or keyword.iskeyword(name):
        raise Unspellable(f"an argument named {name!r}")
    return name


_KINDS = (
    ((type(None), type(Ellipsis)), lambda speller, value, _: repr(value)),
    ((bool, int, float, complex), Speller._number),
    ((str, bytes), Speller._text),
    (enum.Enum, Speller._enum),
    ((torch.dtype, torch.device), Speller._torch),
    (torch.Tensor, Speller._tensor),
    ((list, torch.nn.ParameterList), Speller._list),
    (tuple, Speller._tuple),
    ((set, frozenset), Speller._set),
    (dict, Speller._dict),
    (slice, Speller._slice),
    (functools.partial, Speller._partial),
    (torch.nn.Module, Speller._module),
    ((type, types.FunctionType, types.BuiltinFunctionType), Speller._callable),
    ((types.SimpleNamespace, argparse.Namespace), Speller._namespace),
)


def parameters_of(function):
    """The parameters of a function as inspect tells them, `self` left out; empty where it cannot
    tell."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def without_defaults(function, args, kwargs):
    """(args, kwargs) of a call of a method, less what its defaults say anyway."""
    parameters = parameters_of(function)[1:]
    args = list(args)
    if len(args) <= len(parameters):
        while args and _is_default(parameters[len(args) - 1], args[-1]):
            args.pop()
    known = {parameter.name: parameter for parameter in parameters}
    return args, {name: value for name, value in kwargs.items()
                  if name not in known or not _is_default(known[name], value)}


def _is_default(parameter, value):
    default = parameter.default
    return parameter.kind != parameter.VAR_POSITIONAL and type(value) is type(default) and \
        is_plain(value) and value == default
