"""Code that all of a process shares: what modules hold, what their classes hold, and what lies
inside the functions. Taken before a program's import, and again after its calls.

Only replacing tells. What was not there before is no change, unless it stands before something that
was: a name in a module before a builtin, one in a class before what it inherits, a module before
one that an import would find."""

import builtins
import importlib.machinery
import os
import sys
import types

import torch

from cupel import light_extension

OWN = "cupel"  # this package's modules are nobody's business
# What replaces functions without the program's doing: torch.compile at its first use, and this
# package, so that extensions build faster.
REPLACING_FILES = (light_extension.__file__, *(
    os.path.join(os.path.dirname(torch.__file__), name)
    for name in ("_dynamo", "_compile", "_functorch", "_inductor")))
# Modules whose private names are called by others' code, too.
_ALL_NAMES_OF = ("torch", "builtins")
# Constants of these types mean the same everywhere.
_CONSTANTS = (torch.dtype, torch.layout, torch.memory_format, float, complex)
# Written by Python itself, when it pickles an object or looks at a class.
_OF_PYTHON = ("__slotnames__", "__annotations__", "__annotate__", "__annotations_cache__",
              "__abstractmethods__", "__static_attributes__", "__signature__")
_MISSING = object()


class SharedCode:
    """The code at one moment. Holds what it saw, so that nothing can take its place unseen."""

    def __init__(self):
        self.modules = {name: (module, dict(vars(module)))
                        for name, module in list(sys.modules.items())
                        if isinstance(module, types.ModuleType) and name.split(".")[0] != OWN}
        self.classes, self.insides = {}, {}
        for name, (_, held) in self.modules.items():
            for key, value in held.items():
                self._note_inside(f"{name}.{key}", value)
                if isinstance(value, type) and value.__module__ == name and _is_public(name):
                    self._note_class(f"{name}.{key}", value)

    def replaced(self, later):
        """{name: (before, after)} of what is otherwise in `later`. One thing that several names
        held is told under the shortest."""
        names = {}
        for name, was, now in (*self._in_modules(later), *self._in_classes(later)):
            if not _is_no_programs(now):
                pair = id(was), id(now)
                known = names.get(pair, (name, was, now))
                names[pair] = min(known, (name, was, now), key=lambda entry: len(entry[0]))
        found = {name: (was, now) for name, was, now in names.values()}
        for key, (name, function, inside) in self.insides.items():
            now = later.insides.get(key)
            if now is not None and now[1] is function and _differ(inside, now[2]):
                found[name] = ("as it was defined", "another inside")
        return found

    def _note_class(self, name, cls):
        """With those that it inherits from, under their own names if these are public."""
        for owner in cls.__mro__[:-1]:
            if id(owner) not in self.classes or owner is cls:
                held = dict(vars(owner))
                self.classes[id(owner)] = (name, owner, held)
                for key, value in held.items():
                    self._note_inside(f"{name}.{key}", value)

    def _note_inside(self, name, value):
        """What a function computes hangs on these parts, which can be exchanged in place."""
        function = _function_of(value)
        if type(function) is types.FunctionType and id(function) not in self.insides:
            self.insides[id(function)] = (name, function, (
                function.__code__, function.__defaults__, function.__kwdefaults__))

    def _in_modules(self, later):
        for name, (module, held) in self.modules.items():
            now, now_held = later.modules.get(name, (None, {}))
            if now is not module:
                yield f"sys.modules[{name}]", module, now
                continue
            for key, was in held.items():
                replaced = now_held.get(key) is not was
                if replaced and _is_shared(name, key, was):
                    yield f"{name}.{key}", was, now_held.get(key)
            for key in now_held.keys() - held.keys():
                if hasattr(builtins, key) and not key.startswith("__"):
                    yield f"{name}.{key}", getattr(builtins, key), now_held[key]
        for name in later.modules.keys() - self.modules.keys():
            module = later.modules[name][0]
            if found := _shadowed_by(name, module):
                yield f"sys.modules[{name}]", found, module

    def _in_classes(self, later):
        for key, (name, cls, held) in self.classes.items():
            if key not in later.classes:  # no name leads to it any more: its module's is told
                continue
            now_held = later.classes[key][2]
            for attribute, was in held.items():
                now = now_held.get(attribute)
                if now is not was and (callable(was) or hasattr(type(was), "__get__")):
                    yield f"{name}.{attribute}", was, now
            for attribute in now_held.keys() - held.keys():
                now = now_held[attribute]
                was = _stood_behind(cls, attribute, now)
                if was is not _MISSING:
                    yield f"{name}.{attribute}", was, now


def _is_shared(module, key, value):
    if callable(value):
        return not key.startswith("_") or module.split(".")[0] in _ALL_NAMES_OF
    return isinstance(value, _CONSTANTS) and _is_public(f"{module}.{key}")


def _is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


def _stood_behind(cls, attribute, now):
    """What a new attribute of a class stands before: what it inherits, or what its instances hold
    or would answer; _MISSING if that is nothing."""
    if attribute in _OF_PYTHON or not (callable(now) or hasattr(type(now), "__get__")):
        return _MISSING
    for owner in cls.__mro__[1:]:
        if attribute in vars(owner):
            return vars(owner)[attribute]
    is_special = attribute.startswith("__") and attribute.endswith("__")
    is_asked_first = hasattr(type(now), "__set__")  # before what an instance holds
    is_declared = any(attribute in vars(owner).get("__annotations__", ()) for owner in cls.__mro__)
    return None if is_special or is_asked_first or is_declared else _MISSING


def _shadowed_by(name, module):
    """The file of the module that an import of this name would have found, if this one is of no
    file. (Setuptools has its own distutils found in the place of Python's.)"""
    if os.path.isfile(getattr(module, "__file__", None) or ""):
        return None
    parent = name.rpartition(".")[0]
    place = getattr(sys.modules.get(parent), "__path__", None) if parent else None
    if parent and not isinstance(place, list):
        return None
    try:
        found = importlib.machinery.PathFinder.find_spec(name, place)
    except Exception:  # a path entry that cannot be read
        return None
    return found.origin if found is not None and found.has_location else None


def _function_of(value):
    """The function that a method, a property or a wrapper of these holds."""
    if isinstance(value, (staticmethod, classmethod)):
        return value.__func__
    return value.fget if isinstance(value, property) else value


def _is_no_programs(value):
    code = getattr(_function_of(value), "__code__", None)
    return isinstance(code, types.CodeType) and code.co_filename.startswith(REPLACING_FILES)


def _differ(before, after):
    return any(was is not now for was, now in zip(before, after))
