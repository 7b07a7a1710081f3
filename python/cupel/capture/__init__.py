"""From a user's own model to tasks: runs their code, finds where its time goes, and writes a task
file for each hot module.

    import cupel
    with cupel.capture(model, out="tasks/") as captured:
        for batch in loader:
            model(batch)
    print(captured.table())

The module can be called, so that `cupel.capture(...)` reads as above. `docs/capture.md` says what
is kept, and why some modules are refused.
"""

import pathlib
import sys
import types

import torch

from cupel.capture import table
from cupel.capture.groups import Choice
from cupel.capture.spelling import Unspellable
from cupel.capture.watch import Watch
from cupel.capture.writing import Writer

__all__ = ["Capture"]
GRAIN = 24         # calls of leaf modules within one call of a task
SHARE_MIN = 0.02   # of the time, below which a module is not worth a task
TASKS_MAX = 8


class Capture:
    """A context: what is called within is watched, and tasks are written at its end.

    `model`: the module to look at; None for all that are called. `out`: a directory, made if need
    be. `modules`: paths of those to write, instead of choosing by time. `grain`: how many calls of
    leaf modules one call of a task may hold: larger ones are taken apart. `samples`: calls kept
    of each shape. `whole`: the costliest outermost module becomes a task in any case. If the code
    within raises, nothing is written. Afterwards `rows` and `table()` tell what was found. The
    model is left as it was."""

    def __init__(self, model=None, out="tasks", *, modules=(), grain=GRAIN, share_min=SHARE_MIN,
                 tasks_max=TASKS_MAX, samples=6, whole=False, origin=""):
        if model is not None and not isinstance(model, torch.nn.Module):
            raise TypeError(f"cupel.capture: {type(model).__name__} is no torch.nn.Module; pass "
                            "the model whose calls are to be captured")
        self.out = pathlib.Path(out)
        self.rows, self.groups = [], []
        self._model, self._modules = model, [modules] if isinstance(modules, str) else modules
        self._grain, self._share_min, self._tasks_max = grain, share_min, tasks_max
        self._whole = whole
        self._origin = origin or (type(model).__name__ if model is not None else "a program")
        self._watch = Watch(None if model is None else list(model.modules()), samples)
        self._total = 0.0

    def __enter__(self):
        self._watch.__enter__()
        return self

    def __exit__(self, kind, problem, trace):
        self._watch.__exit__()
        if kind is None or issubclass(kind, SystemExit):
            self.write()

    def write(self):
        """Chooses modules and writes their tasks. Raises ValueError where nothing was called."""
        roots = self._roots()
        if not self._watch.seen:
            raise ValueError("cupel.capture: no module was called; call the model within the "
                             "context, and in this process")
        self._total = sum(map(self._watch.seconds_of, self._watch.roots))
        choice = Choice(self._watch, roots, self._grain)
        self.groups = choice.pick(set(self._modules)) if self._modules else choice.run()
        self._require_found()
        if self._whole:
            self._want_whole(choice)
        self.out.mkdir(parents=True, exist_ok=True)
        self._write_tasks(Writer(self.out, self._watch, self._share_of, self._origin))
        self.rows = table.rows_of(self.groups, self._share_of)
        text = table.manifest_text(self.rows, self._origin, torch.__version__)
        (self.out / table.MANIFEST).write_text(text, encoding="utf-8")

    def table(self):
        """What was found, as text."""
        return table.table_text(self.rows, self.out)

    def next(self):
        """The command that comes next, as text; "" where nothing was captured."""
        return table.next_text(self.rows, self.out)

    def _roots(self):
        if self._model is not None:
            return [("", self._model)]
        names, roots = {}, []
        for root in self._watch.roots:
            name = type(root).__name__
            names[name] = names.get(name, 0) + 1
            roots.append((name if names[name] == 1 else f"{name}_{names[name]}", root))
        return roots

    def _require_found(self):
        if not self.groups and self._modules:
            raise ValueError(f"cupel.capture: none of {', '.join(self._modules)} was called; "
                             "model.named_modules() has the names")

    def _want_whole(self, choice):
        root = max(self._watch.roots, key=self._watch.seconds_of)
        choice.group_of(self._watch.seen[id(root)]).whole = True

    def _share_of(self, group):
        return group.seconds / self._total if self._total else 0.0

    def _write_tasks(self, writer):
        hot = sorted((group for group in self.groups if not group.opened and not group.refusal),
                     key=self._share_of, reverse=True)
        if not self._modules:
            hot = [group for group in hot if self._share_of(group) >= self._share_min]
            hot = hot[:self._tasks_max]
        wanted = [group for group in self.groups
                  if group.whole and not group.refusal and group not in hot]
        for group in [*hot, *wanted]:
            try:
                group.task = writer.write(group)
            except Unspellable as problem:
                group.refusal = str(problem)
                continue
            group.notes += _notes_on(group)


def _notes_on(group):
    parts = group.task.parts
    notes = []
    if parts.training:
        notes.append("was called in training mode: dropout makes a task that no program can equal; "
                     "call model.eval() to capture what is served")
    if group.task.shapes_left_out:
        notes.append(f"{group.task.shapes_left_out} further shapes are not in its task")
    if len({variety.form.key() for member in group.members
            for variety in member.varieties.values()}) > 1:
        notes.append("was called in several forms; the task has the one that takes the most time")
    return notes


class _Callable(types.ModuleType):
    """`cupel.capture(...)` and `import cupel.capture` are the same thing."""

    def __call__(self, *args, **kwargs):
        return Capture(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
