"""The parts of a model as graphs, where the whole of it cannot be told as one: its own control
flow stays as it is written, and the modules that it calls are exported one by one.

A part is a module that a call of the model calls with tensors alone, by place. Where a module
does not export its parts are looked at instead.
"""

import sys

import torch

from cupel import graph_export
from cupel.facts import settings_of
from cupel.inputs import derived_seed
from cupel.loading import TASK_MODULE, seed_everything

EXPORTS_MAX = 48  # of modules, half a second each


def export_parts(program, seed):
    """[{"kind": its class as Python, "paths": ["self.layers[0]", ..], "graph": ..}], equal graphs
    once, in the order of the model. `seed`: as in graph_export.export; what the two seeds tell
    apart is left out."""
    first = _parts_under(program, derived_seed(seed, "graph", 0))
    second = _parts_under(program, derived_seed(seed, "graph", 1)) if first else {}
    found = []
    for path, (kind, graph) in first.items():
        if second.get(path) != (kind, graph):
            continue
        for part in found:
            if (part["kind"], part["graph"]) == (kind, graph):
                part["paths"].append(path)
                break
        else:
            found.append({"kind": kind, "paths": [path], "graph": graph})
    return found


def _parts_under(program, seed):
    """{path: (class, graph)}."""
    model = program.construct(seed)
    seed_everything(seed)
    calls = _observed(program, model)
    walk = _Walk(program, calls)
    walk.into("", "self", model)
    return walk.found


def _observed(program, model):
    """{id of a module: the tensors of its first call}, of those that can be parts."""
    calls, handles = {}, []

    def note(module, args, kwargs):
        plain = args and not kwargs and all(type(value) is torch.Tensor for value in args)
        fit = plain and not torch.is_autocast_enabled("cpu") and \
            not torch.is_autocast_enabled("cuda")
        calls.setdefault(id(module), [value.clone() for value in args] if fit else None)

    for module in model.modules():
        if module is not model and not module._forward_pre_hooks and not module._forward_hooks:
            handles.append(module.register_forward_pre_hook(note, with_kwargs=True))
    before = settings_of(model)
    try:
        with torch.no_grad():
            model(*program.make_inputs())
    finally:
        for handle in handles:
            handle.remove()
    after = settings_of(model)
    return {key: call for key, call in calls.items() if after[key] == before[key]}


class _Walk:
    def __init__(self, program, calls):
        self.found = {}
        self._program, self._calls, self._left = program, calls, EXPORTS_MAX

    def into(self, target, path, module):
        """The children of a module; those of one that is no part."""
        for name, child in module.named_children():
            inner = f"{target}.{name}".lstrip(".")
            text = f"{path}[{name}]" if name.isdigit() else f"{path}.{name}"
            part = self._part(child)
            if part is not None:
                self.found[text] = part
            else:
                self.into(inner, text, child)

    def _part(self, module):
        arguments, kind = self._calls.get(id(module)), class_text(type(module))
        leaf = not any(True for _ in module.children()) and kind is not None and "." in kind
        if not arguments or kind is None or leaf or self._left <= 0:
            return None
        self._left -= 1
        try:
            exported = graph_export.traced(module, tuple(arguments))
            return kind, graph_export.graph_of(self._program, module, arguments, exported)
        except graph_export.Refused:
            return None
        except Exception:  # what torch.export left in a shape that nobody foresaw
            return None


def class_text(kind):
    """Python that names the class in the task's file; None where nothing does."""
    name = kind.__name__
    if kind.__module__ == TASK_MODULE and vars(sys.modules[TASK_MODULE]).get(name) is kind:
        return name
    if getattr(torch.nn, name, None) is kind:
        return f"torch.nn.{name}"
    return None
