"""The measured modules as layers for Hugging Face's `kernels` package:

    from kernels import LocalLayerRepository, use_kernel_mapping, kernelize
    {"SiluAndMul": {"cpu": LocalLayerRepository(FOLDER, package_name=PACKAGE, layer_name=LAYER)}}

A layer lends its `forward` to a module of the user's and has no state of its own. As after apply(),
the original answers what was not measured, and all calls of a module that does not match.
"""

import inspect
import threading

import torch

from .attachment import ATTRIBUTE, Attachment, forward
from .manifest import MANIFEST, ORIGINALS
from .replacing import measured_entries
from .sources import matched_class

_lock = threading.Lock()


def _layer(original_id):
    original = ORIGINALS[original_id]
    measured = matched_class(original)

    def lent_forward(self, *args, **kwargs):
        if ATTRIBUTE not in self.__dict__:
            with _lock:
                entries, _ = measured_entries(self, set())
                found = Attachment(self, entries)
                found.previous = None  # it is this function
                setattr(self, ATTRIBUTE, found)
        return forward(self, *args, **kwargs)

    lent_forward.__signature__ = inspect.signature(measured.forward)
    lent_forward.__name__ = "forward"
    return type(original["layer"], (torch.nn.Module,),
                {"forward": lent_forward, "has_backward": True, "can_torch_compile": False,
                 "__module__": __name__, "__doc__": MANIFEST["name"] + ": " + original["layer"]})


for _id, _told in ORIGINALS.items():
    globals()[_told["layer"]] = _layer(_id)
