"""Inputs as a function of (input_seed, index, class), and the value classes.

All classes are deterministic in the seed, and keep dtype, shape and strides:

  nominal        as generated
  captured       a call that really happened, of those that the task brings (captured.py)
  large, small, shifted, ... ties
                 the floating leaves change (value_classes.py)
  permuted       those of integers and booleans change (other_choices.py)
  other_values   of the arguments that are no tensors one has another value, of those that the
                 reference survives: a flag turned, a number more or less, something for None
"""

import base64
import collections
import functools
import hashlib
import itertools
import pickle
import random

import torch

from cupel import protocol
from cupel.captured import Captured
from cupel.facts import dense
from cupel.failures import TaskFailure
from cupel.loading import seed_everything
from cupel.other_choices import in_another_way
from cupel.value_classes import (CHANGES, CHANGES_IN_HALF, changed, with_rows_moved,
                                 with_shared_rows, with_two_rows_exchanged)


def derived_seed(seed, *words):
    """64 bits that tell nothing about `seed`; different words give unrelated ones."""
    text = ":".join([str(seed), *map(str, words)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class InputSource:
    """Makes the inputs of one task under one policy."""

    def __init__(self, program, facts, seed, policy="eager"):
        self._program, self._seed = program, seed
        self.other_values = []  # lists of value leaves that the reference survives
        self.ways = None  # {tensor leaf: other_choices.ways() that the reference survives}
        self._numbers = {}  # {input of a class BY_TURNS: how many of its class came before it}
        self._counts = collections.Counter()  # by class
        self._changes = CHANGES_IN_HALF if policy == "half" else CHANGES
        self._specs, self._tree = facts["inputs"], facts["input_tree"]
        self._captured = Captured(program, facts)

    def has_captured(self):
        """Does the task bring calls that really happened?"""
        return bool(self._captured)

    def number(self, first, classes):
        """Notes the classes of inputs number `first` and on: of those BY_TURNS each input differs
        by the next one of several things, so that a few inputs show all."""
        for index, name in enumerate(classes, first):
            if name in BY_TURNS:
                self._numbers[index] = self._counts[name]
                self._counts[name] += 1

    def make(self, index, value_class):
        """Returns (tensor leaves in the strides of the facts, value leaves)."""
        with torch.no_grad():
            seed_everything(derived_seed(self._seed, "input", index))
            generator = self._drawing("class", index)
            if value_class == "captured":
                return self._captured.draw(generator)
            tree, tensors, values = protocol.flatten(self._program.make_inputs())
            tensors = [dense(tensor.to(self._program.device)) for tensor in tensors]
            self._require_form(tree, tensors)
            if value_class == "permuted":
                tensors = self._permuted(tensors, index, generator)
            elif value_class == "shared_rows":
                tensors = with_shared_rows(tensors, generator)
            elif value_class in self._changes:
                changes = self._changes_at(index, value_class, generator)
                tensors = [changed(tensor, value_class, changes, generator)
                           if protocol.is_floating(tensor.dtype) and tensor.numel() else tensor
                           for tensor in tensors]
            if value_class == "other_values" and self.other_values:
                values = self._next_of(self.other_values, index, generator)
        return tensors, values

    def make_again(self, earlier, value_class, index, is_twin=False):
        """What make() gave for the input `earlier`, as an input of its own: its rows have changed
        places, so that what hangs on how many of them there are of a kind is as it was. `is_twin`:
        as input index - 1 was made so, but two rows are in each other's place. Who tells inputs
        apart by a part of them, or by a sum, takes it for that one."""
        tensors, values = self.make(earlier, value_class)
        tensors = with_rows_moved(tensors, self._drawing("again", index - is_twin))
        if is_twin:
            tensors = with_two_rows_exchanged(tensors, self._drawing("twin", index))
        return tensors, values

    def _drawing(self, word, index):
        return torch.Generator().manual_seed(derived_seed(self._seed, word, index))

    def _turn(self, index, generator):
        """The input's number; of one without, as in a lint, by chance."""
        number = self._numbers.get(index)
        return int(torch.randint(0, TURNS, (), generator=generator)) if number is None else number

    def _next_of(self, choices, index, generator):
        return choices[self._turn(index, generator) % len(choices)]

    def _changes_at(self, index, name, generator):
        if name not in BY_TURNS:
            return self._changes
        turn = self._turn(index, generator)
        return {name: functools.partial(self._changes[name], turn=turn)}

    def _permuted(self, tensors, index, generator):
        tensors = list(tensors)
        for place, ways in (self.ways or {}).items():
            way = self._next_of(ways, index, generator)
            tensors[place] = in_another_way(tensors[place], way, generator)
        return tensors

    def _require_form(self, tree, tensors):
        got = [(protocol.dtype_name(t.dtype), list(t.shape)) for t in tensors]
        want = [(spec["dtype"], spec["shape"]) for spec in self._specs]
        if tree != self._tree or got != want:
            raise TaskFailure("unsupported", f"{self._program.path}: get_inputs() does not return "
                              f"the same shapes every time ({want}, then {got}); fix the shapes",
                              "get_inputs")


CLASSES = ("nominal", "captured", *CHANGES, "shared_rows", "permuted", "other_values")
USUAL = ("nominal", "captured")  # as a user's inputs are: is_usual_class() of src/model/samples.h
BY_TURNS = ("shifted_columns", "spikes", "extremes", "permuted", "other_values")  # number()
TURNS = 1 << 30  # a draw of these is any of a few
USUAL_TO_OTHERS = 3              # inputs that tell a time, to each that does not


def enabled_classes(names, has_captured=False):
    """The classes that the settings name, nominal first; all of them where none is named, but for
    those with a minus before. `captured` is none where the task brings no such inputs."""
    left_out = {name[1:] for name in names if name.startswith("-")}
    wanted = {name for name in names if not name.startswith("-")}
    unknown = sorted(name for name in wanted | left_out if name not in CLASSES)
    if unknown:
        raise TaskFailure("unsupported", f"unknown value class {unknown[0]!r}; one of: "
                          + ", ".join(CLASSES), "open")
    if "nominal" in left_out:
        raise TaskFailure("unsupported", "nominal inputs are the task's own, and cannot be left "
                          "out of its value classes", "open")
    idle = {"nominal", *left_out} if has_captured else {"nominal", "captured", *left_out}
    return ["nominal", *(name for name in CLASSES
                         if name not in idle and (not wanted or name in wanted))]


def draw_classes(kept, mix, count, seed, at=0):
    """The classes of `count` sets, from number `at` of an order on. nominal: nominal. timed: an
    order that `seed` draws (_order)."""
    if mix == "nominal":
        return ["nominal"] * count
    return list(itertools.islice(_order(kept, random.Random(seed)), at, at + count))


def _order(kept, rng):
    """Endless: first each other class once among as many usual ones, so that a short round meets
    all; then three usual ones, which tell a time, to one other. Shuffled within each stretch."""
    usual = [name for name in kept if name in USUAL]
    others = [name for name in kept if name not in USUAL]
    if not usual or not others:
        yield from _again_and_again(kept, rng)
    next_usual, next_other = _again_and_again(usual, rng), _again_and_again(others, rng)

    def stretch(of_usual, of_others):
        drawn = [*itertools.islice(next_usual, of_usual), *itertools.islice(next_other, of_others)]
        rng.shuffle(drawn)
        return drawn

    yield from stretch(len(others), len(others))
    while True:
        yield from stretch(USUAL_TO_OTHERS, 1)


def _again_and_again(names, rng):
    """All of the names in one order after the other."""
    names = list(names)
    while True:
        rng.shuffle(names)
        yield from names


def pack_values(values):
    """Base64 of the pickled value leaves; empty for none."""
    return base64.b64encode(pickle.dumps(values)).decode() if values else ""
