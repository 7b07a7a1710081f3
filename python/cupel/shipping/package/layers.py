"""The winners as layers for Hugging Face's `kernels`, which gives layers another forward by name:

    with kernels.use_kernel_mapping(PACKAGE.layers.mapping()):
        kernels.kernelize(model, mode=kernels.Mode.INFERENCE, device="cpu")

A layer there has no state: its forward is bound to the user's module, and finds out at the first
call whether that is what was measured. From then on it is as after apply(), guards and all.
"""

import inspect
import os

import torch

from . import attachment
from .attachment import ATTRIBUTE, Attachment
from .manifest import ENTRIES, HERE, ORIGINALS
from .replacing import measured_entries
from .kernels import use_prebuilt
from .sources import matched_class

REPOSITORY = os.path.join(HERE, "repository")


def mapping():
    """What `use_kernel_mapping` and `register_kernel_mapping` take: this package's layers, by the
    names of their classes and those that `transformers` gives them."""
    import pathlib

    from kernels import LocalLayerRepository
    devices = {}
    for entry in ENTRIES.values():
        for name in names_of(entry.original):
            devices.setdefault(name, set()).add(entry.device)
    return {name: {device: LocalLayerRepository(pathlib.Path(REPOSITORY), layer_name=name)
                   for device in sorted(some)} for name, some in devices.items()}


def names_of(original_id):
    """Under which names `kernelize` may look for it."""
    kind = matched_class(ORIGINALS[original_id])
    return {kind.__name__, getattr(kind, "kernel_layer_name", kind.__name__)}


def __getattr__(name):
    """The layer of that name: `kernels` looks for an attribute."""
    for original_id, original in ORIGINALS.items():
        if not name.startswith("_") and name in names_of(original_id):
            return _layer(name, matched_class(original))
    raise AttributeError(f"no winner of this package stands for a layer {name!r}")


def _layer(name, original):
    """A class without a constructor, whose forward takes what the original's does."""
    def forward(self, *args, **kwargs):
        if ATTRIBUTE not in self.__dict__:
            if torch.compiler.is_compiling():  # what it is cannot be found out there
                return type(self).forward(self, *args, **kwargs)
            attach(self)
        return attachment.forward(self, *args, **kwargs)

    forward.replaces = True
    forward.__signature__ = inspect.signature(original.forward)
    return type(name, (torch.nn.Module,), {"forward": forward, "__module__": __name__,
                                           "can_torch_compile": False, "has_backward": True})


def attach(module):
    """As apply() does; where nothing was measured, the original answers every call."""
    use_prebuilt()
    entries, reason = measured_entries(module, frozenset())
    setattr(module, ATTRIBUTE, Attachment(module, entries, left_alone=reason))
