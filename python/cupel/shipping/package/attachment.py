"""What stands beside a replaced module: which calls a winner answers, and which the original.

The module stays the object that it was, with its weights, hooks and names; only its `forward` is
another one. Whatever was not measured goes to the original's.
"""

import inspect
import sys
import threading
import types

import torch
from torch.utils.hooks import RemovableHandle

from . import straight
from .forms import NoForm, fits, form_of, lie_at, tensors_of
from .instances import Held, Misfit, build

ATTRIBUTE = "_cupel_attachment"


def attachment_of(module):
    """Of a module that is replaced, else None. A module that was pickled comes back with the
    forward of its class."""
    return module.__dict__.get(ATTRIBUTE) if is_replaced(module) else None


def is_replaced(module):
    own = getattr(module.__dict__.get("forward"), "__func__", None)
    return getattr(own, "replaces", False)


def forward(self, *args, **kwargs):
    """A replaced module's forward, which decides in full; then one is written that is quick where
    the next call is like this one."""
    attachment, compiling = self._cupel_attachment, torch.compiler.is_compiling()
    entry, found = attachment.choose(self, args, kwargs, compiling)
    if entry is None:
        return type(self).forward(self, *args, **kwargs)
    if compiling:
        from .operator import call
        weights = list(self.parameters()) + list(self.buffers())
        outputs = call(tensors_of(found), weights, entry.id)
        return entry.result(outputs, attachment.home)
    held = attachment.holding(entry, found)
    if held is None:
        return type(self).forward(self, *args, **kwargs)
    result = held.run(*entry.arguments(found))
    attachment.hasten(self, entry, held, args, kwargs, result)
    return entry.result(tensors_of(result), attachment.home) if entry.recast else result


straight.in_full = forward


def take_place(module, attached):
    """Gives the module its Attachment and the forward that decides in full."""
    first = types.FunctionType(forward.__code__, globals(), "forward")
    setattr(module, ATTRIBUTE, attached)
    module.forward = types.MethodType(straight.standing_for(type(module), first), module)


def why(module, *args, **kwargs):
    """Who would answer module(*args, **kwargs), and if it is the original, why; a sentence."""
    attachment = attachment_of(module)
    if attachment is None:
        return "this module is not replaced"
    entry, found = attachment.choose(module, args, kwargs, torch.compiler.is_compiling())
    if entry is None:
        return f"the original answers: {found}"
    if attachment.holding(entry, found) is None:
        return f"the original answers: {attachment.refusal}"
    return f"the winner answers: {entry.told['label']}"


class Attachment:
    """`entries`: [(an entry, the numbers of the GPUs that it holds on, None: any)];
    `left_alone`: why there are none for the module, so that the original answers."""

    def __init__(self, module, entries, left_alone=""):
        self.left_alone = left_alone
        self.entries = sorted([entry for entry, _ in entries],
                              key=lambda entry: -entry.told["ratio"])
        self.by_form = {entry.form: entry for entry in reversed(self.entries)}
        self.gpus = {entry.id: known for entry, known in entries if known is not None}
        self.parameters = Parameters(type(module).forward)
        self.structure = straight.Structure(module)
        self.home_name = type(module).__module__
        self.refusal = ""
        self._begin()

    def _begin(self):
        self.held = {}   # winner -> Held
        self.calls = {}  # an entry, how a call is spelled -> straight.Call
        self.lock = threading.Lock()

    def __getstate__(self):
        """Copies of a model, and what is saved of it, make their instances anew."""
        return {name: value for name, value in vars(self).items()
                if name not in ("held", "calls", "lock")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._begin()

    @property
    def home(self):
        return sys.modules[self.home_name]

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
        if not compiling and entry.alignment > 1 and not lie_at(tensors_of(values),
                                                                entry.alignment):
            return None, ("an input begins at no multiple of "
                          f"{entry.alignment} bytes, which the winner refuses")
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
        try:
            return self.by_form.get(("list", tuple([form_of(value) for value in values])))
        except (NoForm, TypeError, RuntimeError):  # such a value; no hash; no shape or strides
            return None

    def _following(self, values):
        for entry in self.entries:
            if fits(entry.form, values):
                return entry
        return None

    def holding(self, entry, values):
        """Held, the winner with the module's weights as they are now; None: the original shall
        answer."""
        if not self.structure.is_kept():
            self.refusal = "its parts were changed since it was replaced"
            return None
        try:
            weights, held = self.structure.weights(), self.held.get(entry.winner)
            if held is not None and held.serves(weights):
                return held
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
                named = dict(zip(self.structure.names, weights))
                instance = build(entry, named, devices.pop() if devices else torch.device("cpu"))
                self.held[entry.winner] = Held(instance, weights)
            except (Misfit, RuntimeError) as problem:
                self.refusal = f"the winner cannot be made: {problem}"
                return None
        return self.held[entry.winner]

    def hasten(self, module, entry, held, args, kwargs, result):
        """Writes the module a forward for calls like this one, which `held` has answered, and for
        those before it that still hold."""
        if entry.id in self.gpus or not (self.structure.slots or tensors_of([args, kwargs])):
            return  # to be decided in full each time
        handles, key = RemovableHandle.next_id, (entry.id, len(args), tuple(kwargs))
        with self.lock:
            try:
                weights = self.structure.weights()
                calls = [(each, call) for each, call in self.calls.items()
                         if call.held.serves(weights)][-straight.CALLS_MAX:]
                self.calls = dict(calls)
                if key not in self.calls:
                    self.calls[key] = straight.Call(self._free_number(), entry, held, self, args,
                                                    kwargs, result)
                quick = straight.written(module, handles, self.structure, [*self.calls.values()])
                if (held.serves(weights) and self.structure.is_kept()
                        and attachment_of(module) is self):
                    module.forward = types.MethodType(quick, module)
            except (straight.Unwritable, *straight.CHANGED):  # such a call; by another thread
                return

    def _free_number(self):
        taken = {call.number for call in self.calls.values()}
        return next(i for i in range(len(taken) + 1) if i not in taken)


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


def _is_transformed():
    return (straight.transform() is not None or straight.tracing()
            or straight.forward_ad._current_level >= 0)


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
