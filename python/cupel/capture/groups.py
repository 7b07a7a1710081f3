"""Which modules become tasks: the largest ones that are small enough for one kernel writer, equal
ones together."""

import collections
import re

import torch

from cupel.capture.watch import tied_to

# What layers are numbered or named by makes no difference between them.
_NUMBERING = re.compile(r"(^|_)(idx|index|number|name|prefix|layer_id|id)$")
_PLAIN = (bool, int, float, str, type(None), torch.dtype)
_SPREADING = (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)


class Group:
    """Equal modules. `members`: their Seen; `paths`: their places, in that order."""

    def __init__(self, members, paths):
        self.members, self.paths = members, paths
        self.seconds = 0.0   # of all their calls
        self.notes = []      # what a reader should know
        self.refusal = ""    # why there is no task
        self.task = None     # its files' name
        self.opened = False  # are its parts looked at instead?
        self.whole = False   # is it wanted though its parts are tasks of their own?

    @property
    def first(self):
        return self.members[0]

    @property
    def class_name(self):
        return type(self.first.module).__name__

    @property
    def calls(self):
        return sum(member.calls for member in self.members)

    def varieties(self):
        """[[Variety, ...]]: of all members those of one form and one set of shapes together, the
        ones that take the most time first."""
        alike = collections.defaultdict(list)
        for member in self.members:
            for key, variety in member.varieties.items():
                alike[key].append(variety)
        return sorted(alike.values(), key=lambda some: -seconds_of(some))

    def pattern(self):
        """The paths as one: `layers.*.mlp`."""
        if len(self.paths) == 1:
            return self.paths[0] or "(the model)"
        parts = [path.split(".") for path in self.paths]
        if len({len(part) for part in parts}) > 1:
            return f"{self.paths[0]}, ..."
        return ".".join(names[0] if len(set(names)) == 1 else "*" for names in zip(*parts))


def seconds_of(varieties):
    return sum(variety.total_seconds() for variety in varieties)


def paths_of(roots):
    """{id of a module: its first place}. `roots`: [(path, module)]."""
    paths = {}
    for root_path, root in roots:
        for path, part in root.named_modules():
            paths.setdefault(id(part), ".".join(filter(None, (root_path, path))))
    return paths


def kin(module):
    """Equal for modules that are the same but for the values of their weights."""
    state = tuple((name, tuple(t.shape), t.dtype)
                  for name, t in (*module.named_parameters(), *module.named_buffers()))
    return type(module), state, tuple(_traits(path, part) for path, part in module.named_modules())


def _traits(path, part):
    plain = tuple(sorted((name, repr(value)) for name, value in vars(part).items()
                         if _tells(name, value)))
    return path, type(part), part.training, plain, tuple(map(_function_name, vars(part).values()))


def _tells(name, value):
    items = value if isinstance(value, (list, tuple)) else [value]
    return not name.startswith("_") and not _NUMBERING.search(name) and \
        all(isinstance(item, _PLAIN) for item in items)


def _function_name(value):
    return getattr(value, "__qualname__", "") if callable(value) else ""


def problem_of(seen, inside):
    """Why a module cannot be captured, and a way on; "" where it can. `inside`: the Seen of its
    parts, itself among them."""
    module = seen.module
    if isinstance(module, _SPREADING):
        return "spreads its calls over devices; what it wraps is looked at instead"
    if isinstance(module, torch.jit.ScriptModule):
        return "is TorchScript, whose Python source is not known; capture the module that it was " \
               "made of"
    if hasattr(module, "_orig_mod"):
        return "is compiled; what it wraps is looked at instead"
    hooked = [path or "it" for path, part in module.named_modules()
              if part._forward_hooks or part._forward_pre_hooks]
    if hooked:
        return f"has forward hooks ({hooked[0]}), which a copy of its class would not have; " \
               "remove them before the capture, or put what they do into forward()"
    if seen.problem:
        return f"cannot be told: {seen.problem}; call it with tensors, numbers, texts and None, " \
               "and lists, tuples, dictionaries and dataclasses of these (use_cache=False, say)"
    return _writing(inside)


def _writing(inside):
    for part in inside:
        written = sorted(part.writes)
        if written and not part.module.training:
            return f"changes {type(part.module).__name__}.{written[0]} at each call, so that " \
                   "what it returns may hang on the calls before; keep such state outside, as " \
                   "an argument and an output"
    return ""


class Choice:
    """Walks from the roots down. `grain`: calls of leaf modules within one call of a task, at
    most."""

    def __init__(self, watch, roots, grain):
        self._watch, self._roots, self._grain = watch, roots, grain
        self.paths = paths_of(roots)
        self.groups = []
        self._of_kin = {}

    def run(self):
        """The Groups, in the order of the model; opened ones among them where they were refused or
        do work of their own."""
        for _, root in self._roots:
            for seen in self._nearest(root):
                self._visit(seen)
        return self.groups

    def pick(self, wanted):
        """The Groups of the modules at these paths, and of those like them."""
        wanted_kin = {kin(module) for _, root in self._roots for module in root.modules()
                      if self.paths.get(id(module)) in wanted}
        for seen in self._watch.seen.values():
            if id(seen.module) in self.paths and kin(seen.module) in wanted_kin:
                group = self.group_of(seen)
                group.refusal = group.refusal or problem_of(seen, self._inside(seen.module))
        return self.groups

    def _visit(self, seen):
        parts = [inner for child in seen.module.children() for inner in self._nearest(child)]
        problem = problem_of(seen, self._inside(seen.module))
        if (problem or seen.leaves > self._grain) and parts:
            self._open(seen, problem)
            for part in parts:
                self._visit(part)
            return
        group = self.group_of(seen)
        group.refusal = group.refusal or problem

    def _open(self, seen, problem):
        group = self.group_of(seen)
        group.opened = True
        group.refusal = group.refusal or problem

    def group_of(self, seen):
        """The Group of a module, and of those like it; made where there is none."""
        key = kin(seen.module)
        if key not in self._of_kin:
            self._of_kin[key] = Group([], [])
            self.groups.append(self._of_kin[key])
        group = self._of_kin[key]
        if seen not in group.members:
            group.members.append(seen)
            group.seconds += self._watch.seconds_of(seen.module)
            group.paths.append(self.paths.get(id(seen.module), type(seen.module).__name__))
            self._note_ties(group, seen)
        return group

    def _note_ties(self, group, seen):
        for own, elsewhere in tied_to(seen.module, self._roots):
            group.notes.append(f"shares {own} with {elsewhere}: the task has a copy; whatever "
                               "replaces it must go on sharing")

    def _nearest(self, module):
        """The Seen of the module, or else of what was called below it."""
        if id(module) in self._watch.seen:
            return [self._watch.seen[id(module)]]
        return [seen for child in module.children() for seen in self._nearest(child)]

    def _inside(self, module):
        return [self._watch.seen[id(part)] for part in module.modules()
                if id(part) in self._watch.seen]
