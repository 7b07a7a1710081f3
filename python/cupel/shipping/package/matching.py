"""Whether a user's module is what was measured: class, parts, their settings and weights."""

import functools
import hashlib
import inspect
import pickle
import re
import sys
import textwrap
import types

import torch

from .attachment import ATTRIBUTE, is_replaced
from .manifest import ORIGINALS
from .sources import constructed, init_of, matched_class, original_class

# What torch, this package and `transformers` note on a module; none of it enters a computation.
_NOTES = set(vars(torch.nn.Module())) | {"forward", "training", ATTRIBUTE, "_is_hf_initialized"}
READS_OTHERWISE = "does not read as it did when it was measured"
_DEPTH_MAX = 6
_NUMBERING = re.compile(r"(^|_)(idx|index|number|name|prefix|layer_id|id)$")


def refusal(original_id, module):
    """Why the module is not the measured one, a sentence; "" where it is. None: not even its class
    is alike."""
    original = ORIGINALS[original_id]
    if not _same_class(original, type(module)):
        return None
    if isinstance(module, torch.jit.ScriptModule):
        return "it is a scripted module"
    changed = _changed_sources(original, module)
    if changed:
        return f"{changed} {READS_OTHERWISE}"
    reference = _reference(original_id)
    return (_different_parts(reference, module) or _different_weights(reference, module)
            or _hooked(module))


@functools.lru_cache(maxsize=None)
def _reference(original_id):
    """A module as it was measured, with weights of its own."""
    original = ORIGINALS[original_id]
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        return constructed(original_class(original), init_of(original))


def _same_class(original, kind):
    """By name; whether it reads the same is another question."""
    matched = matched_class(original)
    return kind is matched or kind.__qualname__ == matched.__qualname__


def digests(root, module):
    """{name: digest} of what the module computes, as far as it is written in Python: the sources of
    its classes, and the functions and constants of their modules that these name. `root`: the
    class that counts as the module's own."""
    found = {}
    for kind in [root, *[type(part) for path, part in module.named_modules() if path]]:
        for each in kind.__mro__:
            if each.__module__.split(".")[0] not in ("torch", "builtins"):
                _note(each, found)
    return found


def _note(thing, found):
    name = thing.__qualname__
    if name in found:
        return
    try:
        text = textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError):
        text = ""
    found[name] = hashlib.sha256(text.encode()).hexdigest()
    known = vars(sys.modules.get(thing.__module__, types.ModuleType("none")))
    for word in sorted(_words(thing)):
        value = known.get(word)
        if isinstance(value, types.FunctionType) and value.__module__.split(".")[0] != "torch":
            _note(value, found)
        elif isinstance(value, (bool, int, float, str)):
            found[f"{word} ="] = repr(value)


def _words(thing):
    """Names that its code looks up."""
    if isinstance(thing, types.FunctionType):
        return set(_names(thing.__code__))
    return {word for each in vars(thing).values() if isinstance(each, types.FunctionType)
            for word in _names(each.__code__)}


def _names(code):
    inner = [name for each in code.co_consts if isinstance(each, types.CodeType)
             for name in _names(each)]
    return [*code.co_names, *inner]


def _changed_sources(original, module):
    now = digests(type(module), module)
    for name, digest in original["digests"].items():
        if now.get(name) != digest:
            return name.removesuffix(" =")
    return ""


def _different_parts(reference, module):
    ours, theirs = dict(reference.named_modules()), dict(module.named_modules())
    if list(ours) != list(theirs):
        return "it is built of other parts than the measured one"
    for path, mine in ours.items():
        other = theirs[path]
        if path and not _same_kind(type(mine), type(other)):
            return f"its part {path} is a {type(other).__name__}, not a {type(mine).__name__}"
        name = _different_setting(mine, other)
        if name:
            return f"its setting {path + '.' if path else ''}{name} is another one"
    return ""


def _same_kind(one, other):
    """Equal classes; or equal names, where the task's file holds its own copy of the class."""
    return one is other or (one.__qualname__ == other.__qualname__
                            and one.__module__.split(".")[0] != "torch")


def _different_setting(mine, other):
    """Its name. What only numbers or names a layer does not count, nor what somebody noted on it
    that its class never speaks of."""
    ours = {name: value for name, value in vars(mine).items() if name not in _NOTES}
    theirs = {name: value for name, value in vars(other).items() if name not in _NOTES}
    for name in ours.keys() | theirs.keys():
        if name not in ours or name not in theirs:
            if name in _spoken_of(type(other)):
                return name
            continue
        one, two = ours[name], theirs[name]
        numbers = _NUMBERING.search(name) and type(one) is type(two) and type(one) in (int, str)
        if not numbers and not same(one, two):
            return name
    return ""


@functools.lru_cache(maxsize=None)
def _spoken_of(kind):
    """Names and texts in the code of a class: the settings that it can look up."""
    return {word for each in kind.__mro__ if each is not torch.nn.Module and each is not object
            for value in vars(each).values() for code in _codes(value)
            for word in (*_names(code), *_texts(code))}


def _codes(value):
    """Of a function, a property's getter, a class's or a static method."""
    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
    function = inspect.unwrap(function) if callable(function) else function
    return [function.__code__] if isinstance(function, types.FunctionType) else []


def _texts(code):
    for each in code.co_consts:
        if isinstance(each, str):
            yield each
        elif isinstance(each, types.CodeType):
            yield from _texts(each)


def same(one, other, depth=0):
    """Whether two settings are equal, as far as can be told; what cannot is not."""
    if one is other:
        return True
    if type(one) is not type(other) and type(one).__qualname__ != type(other).__qualname__:
        return False
    if isinstance(one, torch.Tensor):
        return one.shape == other.shape and one.dtype == other.dtype and torch.equal(
            one.cpu(), other.cpu())
    if isinstance(one, (bool, int, float, str, bytes, complex, torch.dtype, torch.device)):
        return one == other or one != one and other != other
    if isinstance(one, (types.FunctionType, types.BuiltinFunctionType, type)):
        return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__) \
            and "<lambda>" not in one.__qualname__
    if depth >= _DEPTH_MAX:
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(
            same(a, b, depth + 1) for a, b in zip(one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            same(one[key], other[key], depth + 1) for key in one)
    return _same_object(one, other, depth)


def _same_object(one, other, depth):
    if isinstance(one, torch.nn.Module):
        return True  # a part with another name for it: the parts are compared by themselves
    if callable(getattr(one, "to_dict", None)):  # a configuration, whose private parts are notes
        return same(one.to_dict(), other.to_dict(), depth + 1)
    if hasattr(one, "__dict__"):
        return same(vars(one), vars(other), depth + 1)
    try:
        return pickle.dumps(one) == pickle.dumps(other)
    except Exception:  # whatever an object's own code raises: it cannot be compared
        return False


def weight_groups(module):
    """Names of each parameter, then of each buffer, in the order of parameters() and buffers(); a
    tied one has several."""
    groups = []
    for deduplicated, every in ((module.named_parameters(), module.named_parameters),
                                (module.named_buffers(), module.named_buffers)):
        everything = list(every(remove_duplicate=False))
        groups += [[name for name, other in everything if other is weight]
                   for _, weight in deduplicated]
    return groups


def _different_weights(reference, module):
    if weight_groups(reference) != weight_groups(module):
        return "its weights have other names, or other ones are tied"
    ours = [*reference.parameters(), *reference.buffers()]
    theirs = [*module.parameters(), *module.buffers()]
    for group, mine, other in zip(weight_groups(reference), ours, theirs):
        if mine.shape != other.shape or mine.dtype != other.dtype:
            return (f"its {group[0]} is {other.dtype} {tuple(other.shape)}, measured was "
                    f"{mine.dtype} {tuple(mine.shape)}")
        if other.is_inference():
            return "its weights were made under inference_mode, which keeps no versions of them"
    return ""


def _has_own_forward(part):
    """Another one than its class's, which a module that was pickled has for its own."""
    own = vars(part).get("forward")
    return own is not None and getattr(own, "__func__", own) is not getattr(type(part), "forward",
                                                                            None)


def _hooked(module):
    for path, part in module.named_modules():
        if _has_own_forward(part) and not is_replaced(part):
            return f"{f'its part {path}' if path else 'it'} has a forward of its own"
        if path and (part._forward_hooks or part._forward_pre_hooks or part._backward_hooks):
            return f"its part {path} has hooks, which a winner would not call"
    return ""
