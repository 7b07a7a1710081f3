"""What stands beside a replaced module: which calls a winner answers, and which the original.

The module stays the object that it was, with its weights, hooks and names; only its `forward` is
another one. Whatever was not measured goes to the original's.
"""

import inspect
import sys
import threading

import torch

from .forms import NoForm, all_pass, checker, fits, form_of, tensors_of
from .here import strangers
from .instances import Held, Misfit, build

ATTRIBUTE = "_cupel_attachment"


def attachment_of(module):
    """Of a module that is replaced, else None. A module that was pickled comes back with the
    forward of its class."""
    return module.__dict__.get(ATTRIBUTE) if _is_replaced(module) else None


def _is_replaced(module):
    own = getattr(module.__dict__.get("forward"), "__func__", None)
    return getattr(own, "replaces", False)


def forward(self, *args, **kwargs):
    """A replaced module's forward."""
    attachment, compiling = self._cupel_attachment, torch.compiler.is_compiling()
    entry, found = attachment.choose(self, args, kwargs, compiling)
    if entry is None:
        return attachment.call_original(self, args, kwargs)
    if compiling:
        from .operator import call
        weights = list(self.parameters()) + list(self.buffers())
        outputs = call(tensors_of(found), weights, entry.id)
        return entry.result(outputs, attachment.home)
    instance = attachment.instance(entry, found)
    if instance is None:
        return attachment.call_original(self, args, kwargs)
    result = instance(*entry.arguments(found))
    return entry.result(tensors_of(result), attachment.home) if entry.recast else result


forward.replaces = True  # what tells a module that this or another package has replaced


def why(module, *args, **kwargs):
    """Who would answer module(*args, **kwargs), and if it is the original, why; a sentence."""
    attachment = attachment_of(module)
    if attachment is None:
        return "this module is not replaced"
    entry, found = attachment.choose(module, args, kwargs, torch.compiler.is_compiling())
    if entry is None:
        return f"the original answers: {found}"
    if attachment.instance(entry, found) is None:
        return f"the original answers: {attachment.refusal}"
    return f"the winner answers: {entry.told['label']}"


class Attachment:
    """`trust`: as of apply(). `left_alone`: why there are no entries for the module, so that the
    original answers."""

    def __init__(self, module, entries, trust=frozenset(), left_alone=""):
        self.left_alone = left_alone
        self.entries = sorted(entries, key=lambda entry: -entry.told["ratio"])
        self.by_form = {entry.form: entry for entry in reversed(self.entries)}
        found = {entry.id: strangers(entry, trust)[1] for entry in self.entries}
        self.gpus = {each: known for each, known in found.items() if known is not None}
        self.previous = None if _is_replaced(module) else module.__dict__.get("forward")
        self.parameters = Parameters(type(module).forward)
        self.slots, self.slot_names, self.children = _structure(module)
        self.home_name = type(module).__module__
        self.held = {}
        self.latest = (None, ())  # an entry that was called, and the checks of its arguments
        self.refusal = ""
        self.lock = threading.Lock()

    def __getstate__(self):
        """Copies of a model, and what is saved of it, make their instances anew."""
        return {**self.__dict__, "held": {}, "latest": (None, ()), "lock": None}

    def __setstate__(self, state):
        self.__dict__.update(state, lock=threading.Lock())

    @property
    def home(self):
        return sys.modules[self.home_name]

    def call_original(self, module, args, kwargs):
        if self.previous is not None:
            return self.previous(*args, **kwargs)
        return type(module).forward(module, *args, **kwargs)

    def choose(self, module, args, kwargs, compiling):
        """(entry, the arguments in their full order), or (None, why not)."""
        if not self.entries:
            return None, self.left_alone or "no winner was measured for this module"
        if not compiling and _is_transformed():
            return None, "a transform of torch.func, a trace or forward-mode gradients are at work"
        values = self.parameters.in_order(args, kwargs)
        if values is None:
            return None, "the arguments are not those of a measured call"
        entry = self._following(values) if compiling else self._known(values)
        if entry is None:
            return None, "no call of this form (dtypes, shapes, strides, values) was measured"
        if self.gpus and _lies_elsewhere(module, values, self.gpus.get(entry.id)):
            return None, "it was measured on another GPU than this one"
        if entry.training is not None and module.training != entry.training:
            return None, f"it was measured with training={entry.training}"
        if torch.is_grad_enabled() and _wants_gradients(module, values):
            return None, "gradients are wanted: call under torch.no_grad() or inference_mode()"
        if torch.is_autocast_enabled(entry.device):
            return None, "autocast is on"
        if compiling and not entry.operator:
            return None, "torch.compile is given the original, which it compiles itself"
        return entry, values

    def _known(self, values):
        """Most calls are like the one before: then no form is made."""
        entry, checks = self.latest
        try:
            if entry is not None and all_pass(checks, values):
                return entry
            entry = self.by_form.get(("list", tuple([form_of(value) for value in values])))
        except (NoForm, TypeError):
            return None
        if entry is not None:
            self.latest = entry, [checker(form) for form in entry.form[1]]
        return entry

    def _following(self, values):
        for entry in self.entries:
            if fits(entry.form, values):
                return entry
        return None

    def instance(self, entry, values):
        """The winner with the module's weights as they are now; None: the original shall answer."""
        try:
            for table, name, child in self.children:
                if table[name] is not child or child._forward_hooks or child._forward_pre_hooks:
                    self.refusal = "its parts were changed since it was replaced"
                    return None
            held = self.held.get(entry.winner)
            if held is not None and held.serves_slots(self.slots):
                return held.instance
            weights = [table[name] for table, name in self.slots]
        except (KeyError, AttributeError, RuntimeError):  # no such weight; no versions kept of it
            self.refusal = "its weights are not as they were when it was replaced"
            return None
        return self._made(entry, weights, values)

    def _made(self, entry, weights, values):
        devices = {tensor.device for tensor in [*weights, *tensors_of(values)]}
        if len(devices) > 1:
            self.refusal = "weights and inputs lie on several devices"
            return None
        with self.lock:
            try:
                named = dict(zip(self.slot_names, weights))
                instance = build(entry, named, devices.pop() if devices else torch.device("cpu"))
                self.held[entry.winner] = Held(instance, weights)
            except (Misfit, RuntimeError) as problem:
                self.refusal = f"the winner cannot be made: {problem}"
                return None
        return instance


class Parameters:
    """The arguments of a forward. `names` is None where any number may be given by place."""

    def __init__(self, function):
        every = list(inspect.signature(function).parameters.values())[1:]
        kinds = {each.kind for each in every}
        self.takes_more = inspect.Parameter.VAR_KEYWORD in kinds
        named = [each for each in every if each.kind != inspect.Parameter.VAR_KEYWORD]
        self.names = None if inspect.Parameter.VAR_POSITIONAL in kinds else [
            each.name for each in named]
        self.defaults = {each.name: each.default for each in named
                         if each.default is not each.empty}
        self.left_out = {} if self.takes_more else self._left_out()  # count given: the rest

    def in_order(self, args, kwargs):
        """Positional, keyword and default arguments as one list, and where more may be given by
        name a dict of those at its end; None where they do not fit."""
        if self.names is None:
            return None if kwargs else list(args)
        if not kwargs and len(args) in self.left_out:
            return [*args, *self.left_out[len(args)]]
        if len(args) > len(self.names):
            return None
        values, used = list(args), []
        for name in self.names[len(args):]:
            if name in kwargs:
                values.append(kwargs[name])
                used.append(name)
            elif name in self.defaults:
                values.append(self.defaults[name])
            else:
                return None
        more = {name: kwargs[name] for name in sorted(kwargs) if name not in used}
        if more and not self.takes_more:
            return None
        return [*values, more] if self.takes_more else values

    def _left_out(self):
        """Of a call by place alone: {how many arguments: the defaults of those after them}."""
        names = self.names or []
        return {count: [self.defaults[name] for name in names[count:]]
                for count in range(len(names) + 1)
                if all(name in self.defaults for name in names[count:])}

    def by_name(self, values):
        """The inverse: (args, kwargs) of a call."""
        if self.names is None:
            return tuple(values), {}
        named = dict(zip(self.names, values))
        return (), {**named, **values[-1]} if self.takes_more else named


def _structure(module):
    """(where the weights of the module lie, their names, its parts)."""
    slots, names, children = [], [], []
    for path, part in module.named_modules(remove_duplicate=False):
        for table in (part._parameters, part._buffers):
            there = [name for name, weight in table.items() if weight is not None]
            slots += [(table, name) for name in there]
            names += [f"{path}.{name}" if path else name for name in there]
        children += [(part._modules, name, child) for name, child in part._modules.items()
                     if child is not None]
    return slots, names, children


_functorch = getattr(torch._C, "_functorch", None)
_transform = _functorch.peek_interpreter_stack if _functorch is not None else lambda: None
_is_tracing = getattr(torch._C, "_is_tracing", torch.jit.is_tracing)
_forward_ad = torch.autograd.forward_ad


def _is_transformed():
    return _transform() is not None or _is_tracing() or _forward_ad._current_level >= 0


def _lies_elsewhere(module, values, gpus):
    """Whether a tensor of the call lies on none of these GPUs; None: on any of them it may."""
    if gpus is None:
        return False
    for tensor in [*tensors_of(values), *module.parameters()]:
        if tensor.device.index not in gpus:
            return True
    return False


def _wants_gradients(module, values):
    for parameter in module.parameters():
        if parameter.requires_grad:
            return True
    for tensor in tensors_of(values):
        if tensor.requires_grad:
            return True
    return False
