"""Writes the task of a group: the file itself, and beside it weights, calls and settings."""

import collections
import hashlib
import io
import re

import torch

from cupel.capture.check import problem_with
from cupel.capture.classes import source_of
from cupel.capture.construct import constructors
from cupel.capture.groups import seconds_of
from cupel.capture.spelling import Unspellable
from cupel.capture.task_text import Parts, task_text

SHAPES_MAX = 4           # of a task: the one that is timed, and others for the winner's audit
CALLS_BYTES_MAX = 64 << 20  # of the file of calls: the referee reads it again and again


class Written:
    """A task on the disk. `parts`, `constructor`: what it was made of; `files`: names."""

    def __init__(self, name, parts, constructor, files, shapes_left_out):
        self.name, self.parts, self.constructor, self.files = name, parts, constructor, files
        self.shapes_left_out = shapes_left_out


class Writer:
    """Writes into a directory. `watch`: what was seen; `share_of`: a function from a Group to its
    share of the time, 0 to 1; `origin`: what was run, in words."""

    def __init__(self, directory, watch, share_of, origin):
        self._directory, self._watch = directory, watch
        self._share_of, self._origin = share_of, origin
        self._names = set()

    def write(self, group):
        """The Written of a Group. Raises Unspellable, saying why there is none."""
        family = _family(group)
        parts, left_out = _parts(family)
        parts.dtype = _cast_dtype(group.first.module)
        name = self._unused(_snake(group.class_name))
        problems = []
        for constructor in constructors(group.first.module, self._watch.construction_of):
            if isinstance(constructor, Unspellable):
                problems.append(str(constructor))
                continue
            files = self._write_files(name, group, constructor, parts)
            problem = problem_with(self._directory / files[0], _sample_of(group.first, parts),
                                   _device_of(group.first.module))
            if not problem:
                return Written(name, parts, constructor, files, left_out)
            problems.append(f"by {constructor.way}: {problem}")
            self._remove(files)
        self._names.discard(name)
        raise Unspellable("no copy of it can be made (" + "; ".join(problems) + "); give it a "
                          "constructor of plain arguments, and capture where it is constructed")

    def _unused(self, wanted):
        name, number = wanted, 2
        while name in self._names:
            name, number = f"{wanted}_{number}", number + 1
        self._names.add(name)
        return name

    def _write_files(self, name, group, constructor, parts):
        source = source_of(type(group.first.module), constructor.needs | parts.form.needs)
        state = {key: tensor.detach().cpu().clone()
                 for key, tensor in group.first.module.state_dict().items()
                 if isinstance(tensor, torch.Tensor)}
        calls = [[list(call) for call in calls] for calls in parts.samples]
        kept = parts.form.names and all(calls)
        digests = {"name": name,
                   "state_digest": self._save(f"{name}.state.pt", state) if state else "",
                   "calls_digest": self._save(f"{name}.calls.pt", calls) if kept else ""}
        text = task_text(self._docstring(group), source, constructor, parts, digests)
        (self._directory / f"{name}.py").write_text(text, encoding="utf-8")
        files = [f"{name}.py", f"{name}.state.pt", f"{name}.calls.pt", f"{name}.toml"]
        self._write_settings(name, len(parts.shapes))
        return [file for file in files if (self._directory / file).exists()]

    def _save(self, file, value):
        buffer = io.BytesIO()
        torch.save(value, buffer)
        data = buffer.getvalue()
        (self._directory / file).write_bytes(data)
        return hashlib.sha256(data).hexdigest()

    def _write_settings(self, name, shapes):
        path = self._directory / f"{name}.toml"
        path.unlink(missing_ok=True)
        if shapes > 1:
            entries = ", ".join(f'"SHAPE = {i}"' for i in range(1, shapes))
            path.write_text("# The other shapes that occurred: a winner must be right on them too."
                            f"\nheld_out = [{entries}]\n", encoding="utf-8")

    def _remove(self, files):
        for file in files:
            (self._directory / file).unlink(missing_ok=True)

    def _docstring(self, group):
        cls = type(group.first.module)
        others = f" and {len(group.members) - 1} equal ones" if len(group.members) > 1 else ""
        path = group.paths[0] or "the model"
        return (f"{path}{others}: {cls.__module__}:{cls.__qualname__}, as it was called.\n\n"
                f"Captured from {self._origin}: {group.calls} calls, "
                f"{self._share_of(group):.0%} of the time.\n")


def _family(group):
    """[[Variety, ...], ...] of one form of call: the form that takes the most time."""
    forms = collections.defaultdict(list)
    for alike in group.varieties():
        forms[alike[0].form.key()].append(alike)
    return max(forms.values(), key=lambda some: sum(map(seconds_of, some)))


def _parts(family):
    """(Parts, how many shapes are left out)."""
    known = [alike for alike in family if any(variety.samples for variety in alike)]
    if not known and family[0][0].form.names:
        size = max(variety.too_large for variety in family[0])
        raise Unspellable(f"its inputs take {size >> 20} MiB a call, more than is kept; call it on "
                          "a smaller batch")
    used = (known or family)[:SHAPES_MAX]
    samples, room = [], CALLS_BYTES_MAX // len(used)
    for alike in used:
        samples.append(_within(room, [sample.tensors for variety in alike
                                      for sample in variety.samples]))
    first = used[0][0]
    shapes = [([tuple(shape) for shape in alike[0].shapes],
               sum(variety.calls for variety in alike)) for alike in used]
    return Parts(first.form, shapes, samples, first.output.text, first.training), \
        len(family) - len(used)


def _within(room, calls):
    """The first calls that fit, one at least. Those of several members are kept in turn."""
    kept, size = [], 0
    for call in calls:
        size += sum(tensor.nbytes for tensor in call)
        if kept and size > room:
            break
        kept.append(call)
    return kept


def _sample_of(seen, parts):
    """A call of this very module, whose outputs are known."""
    return next((sample for variety in seen.varieties.values()
                 if variety.form.key() == parts.form.key()
                 for sample in variety.samples if sample.outputs is not None), None)


def _cast_dtype(module):
    """The one floating dtype of its state, if it is not the default."""
    dtypes = {tensor.dtype for tensor in (*module.parameters(), *module.buffers())
              if tensor.is_floating_point()}
    return dtypes.pop() if len(dtypes) == 1 and torch.get_default_dtype() not in dtypes else None


def _device_of(module):
    """Where it lies, and its task is tried: "cpu" or "cuda:N"."""
    tensor = next((t for t in (*module.parameters(), *module.buffers())), None)
    return str(tensor.device) if tensor is not None and tensor.is_cuda else "cpu"


def _snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
