"""The source of a module's class, as a task file has it."""

import sys

from cupel.capture.inlining import Inliner
from cupel.capture.spelling import Unspellable

# What a task file defines itself.
OURS = {"Model", "ModelNew", "SHAPE", "SHAPES", "SKELETON", "OWN", "_Reviver",
        "get_inputs", "get_init_inputs", "get_state", "get_captured_inputs", "_load", "_read"}


class ClassSource:
    """`imports`: lines; `blocks`: texts below them; `name`: the class, in that file."""

    def __init__(self, name, imports, blocks):
        self.name, self.imports, self.blocks = name, imports, blocks


def source_of(cls, needs):
    """The ClassSource of a class, and of all else that the file's texts use, `needs`: pairs of a
    module and a name. Raises Unspellable."""
    inliner = Inliner()
    for module, name in sorted(needs):
        inliner.add(module, name)
    first, _, nested = cls.__qualname__.partition(".")
    if cls.__module__.startswith("torch.nn.modules."):
        return ClassSource(f"torch.nn.{cls.__qualname__}", inliner.lines, inliner.blocks)
    _require_reachable(cls)
    inliner.add(cls.__module__, first)
    name = f"{first}.{nested}" if nested else first
    if first in OURS:  # before the file's own Model takes the name
        name = f"Captured{first}"
        inliner.blocks.append(f"{name} = {first}" + (f".{nested}" if nested else ""))
    return ClassSource(name, inliner.lines, inliner.blocks)


def _require_reachable(cls):
    found = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not cls:
        raise Unspellable(f"its class {cls.__qualname__} cannot be reached from {cls.__module__}, "
                          "so that its source cannot be found; define it at the top of a file")
