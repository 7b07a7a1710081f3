"""The forward of a replaced module as one function without loops, written for the calls that the
module gets.

Between the kernels of a model Python runs cold: a guard costs what it touches in memory more than
what it computes. So each part, weight and argument is looked at once, where it lies. The function
answers calls that attachment.py has answered before, while nothing has changed since. Whatever else
it sees goes there again, to be decided in full.
"""

import functools
import inspect
import types

import torch
from torch import Tensor, strided
from torch.compiler import is_dynamo_compiling
from torch.nn import Parameter
from torch.utils.hooks import RemovableHandle

from .forms import NoForm, class_named, form_of, lie_at, rebuilt, tensors_of

CALLS_MAX = 15  # other kinds of calls that one function knows; the oldest go
_PLAIN = ("bool", "int", "float", "str", "NoneType")
_DEVICES = {"cpu": "is_cpu", "cuda": "is_cuda"}  # asked without making an object

# What the text of each function calls by name; attachment.py fills in the last.
_functorch = getattr(torch._C, "_functorch", None)
transform = _functorch.peek_interpreter_stack if _functorch is not None else lambda: None
tracing = getattr(torch._C, "_is_tracing", torch.jit.is_tracing)
forward_ad = torch.autograd.forward_ad
autocast, grad_enabled = torch.is_autocast_enabled, torch.is_grad_enabled
in_full = None
# A weight that is gone, or keeps no versions; a tensor that has no sizes or strides.
CHANGED = (KeyError, AttributeError, RuntimeError, TypeError, NoForm)

_TEXT = """\
def forward(self, *args, _cupel, **kwargs):
    if is_dynamo_compiling():
        return in_full(self, *args, **kwargs)
    {names}, = _cupel
    call = -1
    try:
        if ({state}):
{calls}
    except CHANGED:
        call = -1
{answers}
    return in_full(self, *args, **kwargs)
"""
_CALL = """\
            if len(args) == {count} and {named}:
                {taken}
                if {conditions}:
                    call = {number}"""
_ANSWER = """\
    if call == {number}:
        {statements}"""


class Unwritable(Exception):
    """A call that only the decision in full can answer."""


class Structure:
    """Where the parts and weights of a module lie. `parts`: [(a table of parts, name, the part)];
    `slots`: [(a table of weights, name)]; `names`: of the weights within the module; `absent`:
    slots that hold None, as a layer's without a bias."""

    def __init__(self, module):
        self.parts, self.slots, self.names, self.absent = [], [], [], []
        for path, part in module.named_modules(remove_duplicate=False):
            for table in (part._parameters, part._buffers):
                there = [name for name, weight in table.items() if weight is not None]
                self.slots += [(table, name) for name in there]
                self.names += [f"{path}.{name}" if path else name for name in there]
                self.absent += [(table, name) for name in table if name not in there]
            self.parts += [(part._modules, name, child) for name, child in part._modules.items()
                           if child is not None]
        self.condition = "\n                and ".join(self._conditions())

    def weights(self):
        """As they are now; KeyError: one is gone."""
        found = [table[name] for table, name in self.slots]
        if any(weight is None for weight in found):
            raise KeyError("a weight is None")
        return found

    def is_kept(self):
        """Whether the parts are those that were there, without hooks, and no weight is new."""
        return all(table.get(name) is None for table, name in self.absent) and all(
            table.get(name) is part and not part._forward_hooks and not part._forward_pre_hooks
            for table, name, part in self.parts)

    def _conditions(self):
        """What holds while the module is as it was, as texts. Hooks of parts are seen by the number
        of handles that torch has given out."""
        at = {table: f"t{i}" for i, table in enumerate(self._tables())}
        weights = [f"w{i}" for i in range(len(self.slots))]
        return [
            "self is owner", "RemovableHandle.next_id == handles", "transform() is None",
            "not tracing()", "forward_ad._current_level < 0",
            *[f"{at[id(table)]}[{name!r}] is p{i}"
              for i, (table, name, _) in enumerate(self.parts)],
            *[f"{at[id(table)]}[{name!r}] is None" for table, name in self.absent],
            *[f"{at[id(table)]}[{name!r}] is w{i}" for i, (table, name) in enumerate(self.slots)],
            f"[{', '.join(f'{weight}._version' for weight in weights)}] == versions",
            f"[{', '.join(f'{weight}.data_ptr()' for weight in weights)}] == addresses",
            _no_gradients(weights)]

    def known(self, state):
        """[(a name in the conditions, what it stands for)]. `state`: of the weights, as Held has
        it."""
        return [("versions", [version for _, version in state]),
                ("addresses", [address for address, _ in state]),
                *[(f"t{i}", table) for i, table in enumerate(self._tables().values())],
                *[(f"p{i}", part) for i, (_, _, part) in enumerate(self.parts)],
                *[(f"w{i}", weight) for i, weight in enumerate(self.weights())]]

    def _tables(self):
        return {id(each[0]): each[0] for each in [*self.parts, *self.slots, *self.absent]}


class Call:
    """Calls of one entry that are spelled as `args` and `kwargs` are: what is asked of them and how
    they are answered, as texts. `held`: the instance, which returned `result` for such a call;
    `number`: one that no other call of the function has. Raises Unwritable."""

    def __init__(self, number, entry, held, attachment, args, kwargs, result):
        self.number, self.held, self.known = number, held, []
        self._entry, self._count, self._names = entry, len(args), tuple(kwargs)
        self._given = [f"a{i}" for i in range(len(args) + len(kwargs))]
        self._conditions, self._tensors, self._places, self._opaque = [], [], 0, False
        values = self._spelled(attachment.parameters)
        if entry.training is not None:
            self._conditions.append(f"self.training is {entry.training}")
        self._conditions += [_no_gradients(self._tensors), f"not autocast({entry.device!r})"]
        self.condition, self.answer = self._asked(), self._answered(values, result, attachment.home)

    def _asked(self):
        taken = [(self._given[:self._count], "args"),
                 (self._given[self._count:], "kwargs.values()")]
        return _CALL.format(
            count=self._count, number=self.number, conditions=" and ".join(self._conditions),
            named=f"tuple(kwargs) == {self._names!r}" if self._names else "not kwargs",
            taken="; ".join(f"{', '.join(names)}, = {where}"
                            for names, where in taken if names) or "pass")

    def _answered(self, values, result, home):
        run = self._bound(self.held.run)
        if self._opaque:
            arguments = f"*{self._bound(self._entry.arguments)}([{', '.join(values)}])"
        elif self._entry.places is None:
            arguments = ", ".join(values[:self._entry.arity])
        else:
            arguments = ", ".join(self._tensors[place] for place in self._entry.places)
        statements = [f"return {run}({arguments})"]
        if self._entry.recast:
            outputs = [f"o{i}" for i in range(len(tensors_of(result)))]
            made = self._made(self._entry.output_form, iter(self._entry.in_order(outputs)), home)
            statements = [f"out = {run}({arguments})",
                          *[f"{', '.join(outputs)}, = {_flattened(result)}"] * bool(outputs),
                          f"return {made}"]
        return _ANSWER.format(number=self.number, statements="\n        ".join(statements))

    def _made(self, form, names, home):
        """The text of what rebuilt() makes."""
        if form[0] == "tensor":
            return next(names)
        if form[0] in ("list", "tuple"):
            inside = [self._made(inner, names, home) for inner in form[1]]
            return f"{form[0]}(({', '.join(inside)}{',' * bool(inside)}))"
        if form[0] in ("dict", "object"):
            inside = ", ".join(f"{key!r}: {self._made(inner, names, home)}"
                               for key, inner in form[-1])
            return f"{{{inside}}}" if form[0] == "dict" else \
                f"{self._bound(class_named(form[1], home))}(**{{{inside}}})"
        return self._bound(rebuilt(form, names, home))

    def _spelled(self, parameters):
        """The texts of the entry's arguments, whose conditions it notes."""
        marks = [_Mark(name) for name in self._given]
        values = parameters.in_order(marks[:self._count],
                                     dict(zip(self._names, marks[self._count:])))
        more = values.pop() if parameters.takes_more else {}
        *_, form_of_more = self._entry.form[1] if parameters.takes_more else ("dict", ()),
        texts = [self._argument(*each) for each in zip(values, self._entry.form[1])]
        for mark, (_, form) in zip(more.values(), form_of_more[1]):
            self._check(form, mark.name)
        named = ", ".join(f"{key!r}: {mark.name}" for key, mark in more.items())
        return [*texts, f"{{{named}}}"] if parameters.takes_more else texts

    def _argument(self, value, form):
        if type(value) is _Mark:
            self._check(form, value.name)
            return value.name
        if type(value) not in (bool, int, float, str, type(None)):
            raise Unwritable  # a default that could change
        return self._bound(value)

    def _check(self, form, place):
        kind, name, first = form[0], *self._named(place)
        if kind == "tensor":
            self._check_tensor(form, name, first)
        elif kind in ("NoneType", "bool"):
            self._conditions.append(f"{place} is {form[1]}")
        elif kind in _PLAIN:
            self._conditions.append(f"type({first}) is {kind} and {name} == {self._bound(form[1])}")
        elif kind in ("list", "tuple"):
            self._conditions.append(f"type({first}) is {kind} and len({name}) == {len(form[1])}")
            for i, inner in enumerate(form[1]):
                self._check(inner, f"{name}[{i}]")
        else:
            self._conditions.append(f"form_of({place}) == {self._bound(form)}")
            if self._entry.alignment > 1:
                self._conditions.append(f"lie_at(tensors_of({place}), {self._entry.alignment})")
            self._opaque = True

    def _check_tensor(self, form, name, first):
        _, dtype, shape, strides, device = form
        self._tensors.append(name)
        self._conditions += [
            f"((kind := type({first})) is Tensor or kind is Parameter)",
            f"{name}.dtype is {dtype}", f"{name}.shape == {tuple(shape)}",
            f"{name}.layout is strided",
            f"{name}.is_contiguous()" if strides is None else f"{name}.stride() == {strides}",
            f"{name}.{_DEVICES[device]}" if device in _DEVICES
            else f"{name}.device.type == {device!r}"]
        if self._entry.alignment > 1:
            self._conditions.append(f"{name}.data_ptr() % {self._entry.alignment} == 0")

    def _named(self, place):
        """(its name, the text of its first use)."""
        if place.isidentifier():
            return place, place
        self._places += 1
        return f"b{self._places}", f"(b{self._places} := {place})"

    def _bound(self, value):
        """The name under which the function has that object."""
        self.known.append((f"k{self.number}_{len(self.known)}", value))
        return self.known[-1][0]


class _Mark:
    """Stands for an argument while its place is found."""

    def __init__(self, name):
        self.name = name


def _no_gradients(tensors):
    wanting = " or ".join(f"{tensor}.requires_grad" for tensor in tensors)
    return f"not (grad_enabled() and ({wanting}))" if wanting else "True"


def _flattened(result):
    """The text of the tensors in `out`, which is like the result."""
    for kind, text in ((dict, "out.values()"), (tuple, "out"), (list, "out")):
        inside = list(result.values()) if type(result) is dict else result
        if type(result) is kind and all(isinstance(each, Tensor) for each in inside):
            return f"{text} if type(out) is {kind.__name__} else tensors_of(out)"
    return "tensors_of(out)"


@functools.lru_cache(maxsize=256)
def _compiled(text):
    """Modules that are built alike have one code, so that torch.compile takes them for one."""
    space = {}
    exec(compile(text, f"<{__package__}>", "exec"), globals(), space)
    return space["forward"].__code__


def written(owner, handles, structure, calls):
    """The function for a module whose parts had no hooks when torch had given out that many
    handles. All calls are held for the weights as they are."""
    known = [("owner", owner), ("handles", handles), *structure.known(calls[0].held.state),
             *[pair for call in calls for pair in call.known]]
    text = _TEXT.format(
        names=", ".join(name for name, _ in known),
        state=structure.condition,
        calls="\n".join(call.condition for call in calls),
        answers="\n".join(call.answer for call in calls))
    made = types.FunctionType(_compiled(text), globals(), "forward")
    made.__kwdefaults__ = {"_cupel": tuple([value for _, value in known])}
    return standing_for(type(owner), made)


def standing_for(kind, made):
    """The function, which looks like the forward of that class; its mark tells a module that this
    or another package has replaced."""
    made.replaces, made.__signature__ = True, inspect.signature(kind.forward)
    return made
