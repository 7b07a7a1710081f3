"""Arguments and results as a flat list of leaves and a text that tells how they were nested.

The text, docs/protocol.md, "Trees", says all that a user can read a result by: places, names,
keys. Standard library only.
"""

import ast
import collections
import dataclasses
import types

_PLAIN = frozenset("_-.")  # in the text of a key, beside letters and digits


class TreeError(Exception):
    """A text that is none."""


def flatten(value, is_tensor):
    """Returns (tree, tensor leaves, other leaves)."""
    tensors, others = [], []
    return _Flattening(is_tensor, tensors, others).text_of(value), tensors, others


class _Flattening:
    def __init__(self, is_tensor, tensors, others):
        self._is_tensor, self._tensors, self._others = is_tensor, tensors, others

    def text_of(self, value):
        if self._is_tensor(value):
            self._tensors.append(value)
            return "t"
        if isinstance(value, (list, tuple)):
            names = _names_of_places(value)
            if names:
                return "(" + self._entries(zip(names, value)) + ")"
            return "[" + ",".join(map(self.text_of, value)) + "]"
        if hasattr(value, "items") and hasattr(value, "keys"):
            mark = "@" if _reads_as_attributes(value) else ""
            return "{" + mark + self._entries(value.items()) + "}"
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [(field.name, getattr(value, field.name)) for field in
                      dataclasses.fields(value)]
            return "<" + self._entries(fields) + ">"
        self._others.append(value)
        return "v"

    def _entries(self, pairs):
        return ",".join(f"{text_of_key(key)}:{self.text_of(item)}" for key, item in pairs)


def _names_of_places(value):
    """The names of a tuple's places: of a named tuple, and of what torch.max() returns."""
    kind = type(value)
    if kind in (list, tuple):
        return ()
    names = getattr(kind, "_fields", None)
    if names is None and kind.__module__ == "torch.return_types":
        names = [name for name, member in vars(kind).items()
                 if isinstance(member, types.MemberDescriptorType)]
    return names if names and len(names) == len(value) else ()


def _reads_as_attributes(mapping):
    """Has it its entries as attributes, too, like the outputs of Hugging Face's models?"""
    return len(mapping) > 0 and all(
        isinstance(key, str) and getattr(mapping, key, None) is item
        for key, item in mapping.items())


def text_of_key(key):
    """No two keys have one text. What is no text itself begins with "="."""
    text = key if isinstance(key, str) else repr(key)
    safe = "".join(c if c.isalnum() or c in _PLAIN else f"%{ord(c):x};" for c in text)
    return safe if isinstance(key, str) else "=" + safe


def _key_of(text):
    parts = text.removeprefix("=").split("%")
    key = parts[0]
    for part in parts[1:]:
        code, _, rest = part.partition(";")
        key += chr(int(code, 16)) + rest
    if not text.startswith("="):
        return key
    try:
        return ast.literal_eval(key)
    except (ValueError, SyntaxError):  # an object that cannot be told: its repr
        return key


def unflatten(tree, tensors, others):
    """Something that is read as what `flatten` was given: lists for tuples, dictionaries for
    mappings, and for what has names classes that have them."""
    value, end = _Reading(tree, iter(tensors), iter(others)).value(0)
    if end != len(tree):
        raise TreeError(f"malformed tree {tree!r}")
    return value


class _Reading:
    """Methods take a place in the text; they return what is there and where it ends."""

    def __init__(self, tree, tensors, others):
        self._tree, self._tensors, self._others = tree, tensors, others

    def value(self, at):
        opens = self._tree[at:at + 1]
        if opens == "t":
            return next(self._tensors), at + 1
        if opens == "v":
            return next(self._others), at + 1
        if opens == "[":
            return self._items(at + 1)
        if opens == "{" and self._tree[at + 1:at + 2] == "@":
            pairs, end = self._pairs(at + 2, "}")
            return Attributes(pairs), end
        if opens in _MADE_OF_PAIRS:
            closes, make = _MADE_OF_PAIRS[opens]
            pairs, end = self._pairs(at + 1, closes)
            return make(pairs), end
        raise TreeError(f"malformed tree {self._tree!r} at {at}")

    def _items(self, at):
        items = []
        while self._tree[at] != "]":
            item, at = self.value(at)
            items.append(item)
            at += self._tree[at] == ","
        return items, at + 1

    def _pairs(self, at, closes):
        pairs = []
        while self._tree[at] != closes:
            colon = self._tree.index(":", at)
            item, end = self.value(colon + 1)
            pairs.append((_key_of(self._tree[at:colon]), item))
            at = end + (self._tree[end] == ",")
        return pairs, at + 1


class Attributes(dict):
    """A mapping whose entries are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _named_tuple(pairs):
    return collections.namedtuple("Named", [name for name, _ in pairs])(
        *(item for _, item in pairs))


def _data(pairs):
    return dataclasses.make_dataclass("Data", [name for name, _ in pairs])(
        *(item for _, item in pairs))


_MADE_OF_PAIRS = {"(": (")", _named_tuple), "{": ("}", dict), "<": (">", _data)}
