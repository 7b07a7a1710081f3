"""What an output of integers or booleans hangs on: the floating values behind it.

An index tells a place; which of two nearly equal values lies there is a matter of rounding. So the
reference is watched as it runs: which operation made an output, of what operand. Then an index is
as right as the value that it points to, a comparison as the difference that it looks at, and a
conversion to integers as the number that was converted, before it was rounded if it was. What was
made in another way is compared as it is.

Where the reference's arithmetic rounds nothing (what it computed is what the oracle computed), the
answer is decided, and nothing else is right: a comparison has one answer, and among equals an
operation that promises the first gives the first.
"""

import math

import torch
from torch.overrides import TorchFunctionMode

# Of equals they give the first, by torch's documentation; sort and argsort where they are stable.
_FIRST = {"argmax", "argmin", "max", "min"}
_EACH_ONCE = {"sort", "argsort", "topk"}  # no place twice
_PLACE_OF_DIM = {"topk": 2, "kthvalue": 2}  # among the arguments; else the one after the tensor
_LAST_BY_DEFAULT = {"topk", "sort", "argsort", "kthvalue", "mode"}
_INDICES = _FIRST | _EACH_ONCE | {"median", "nanmedian", "kthvalue", "mode", "cummax", "cummin"}
_COMPARISONS = {name for bare in ("gt", "lt", "ge", "le", "eq", "ne")
                for name in (bare, f"__{bare}__")} | {"greater", "less", "greater_equal",
                                                      "less_equal", "not_equal"}
_CONVERSIONS = {"long", "int", "short", "char", "byte", "to", "type"}
_ARITHMETIC = {"div", "divide", "floor_divide", "__floordiv__", "remainder", "__mod__", "fmod",
               "add", "__add__", "__radd__", "sub", "__sub__", "mul", "__mul__", "__rmul__",
               "__rshift__", "bitwise_right_shift", "__and__", "bitwise_and"}
_SORTED_AT_ONCE = 1 << 22  # numbers of rows
_MOVES = {"squeeze", "unsqueeze", "view", "reshape", "flatten", "unflatten", "permute", "transpose",
          "t", "contiguous", "clone", "__getitem__", "movedim", "select", "narrow", "detach"}


class Watch(TorchFunctionMode):
    """Sees the operations that make integers and booleans of floating tensors."""

    def __init__(self):
        super().__init__()
        self._made = {}  # by id: (the tensor, so that its id stays its own; what it hangs on)

    def behind(self, leaf):
        """What hangs behind an output; None where that is not known."""
        return self._made.get(id(leaf), (None, None))[1]

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func.__name__
        in_place = name.endswith("_") and not name.endswith("__")
        source = args[0] if args else kwargs.get("input")
        is_read = name[:-1] in _STEPS or isinstance(self.behind(source), Pointed)
        given = source.clone() if in_place and is_read else source
        result = func(*args, **kwargs)
        try:
            known = self._made.pop(id(source), None) if in_place else self._made.get(id(source))
            self._look(name[:-1] if in_place else name, func, args, kwargs, given,
                       known[1] if known else None, result)
        except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
            pass  # a form of the operation that is not known here: compared as it is
        return result

    def _look(self, name, func, args, kwargs, source, known, result):
        if not isinstance(source, torch.Tensor):
            return
        if known is not None and isinstance(result, torch.Tensor):
            self._follow(name, func, (source, *args[1:]), kwargs, known, result)
        elif name in _INDICES and source.is_floating_point():
            self._see_index(name, source, args, kwargs, result)
        elif name in _COMPARISONS and isinstance(result, torch.Tensor) and result is not source:
            other = args[1] if len(args) > 1 else kwargs["other"]
            if source.is_floating_point() or getattr(other, "is_floating_point", bool)():
                self._keep(result, Difference(source - other))
        elif name in _CONVERSIONS and source.is_floating_point() and _is_whole(result):
            self._keep(result, Stepped(source, "trunc"))
        elif name in _STEPS and source.is_floating_point() and len(args) + len(kwargs) == 1:
            self._keep(result, Stepped(source, name))

    def _keep(self, result, behind):
        self._made[id(result)] = result, behind

    def _follow(self, name, func, args, kwargs, known, result):
        def again(values):
            return func(values, *args[1:], **kwargs)
        if kwargs.get("out") is not None:
            self._made.pop(id(result), None)
        elif name in _MOVES:
            self._keep(result, known.moved(again))
        elif name in _CONVERSIONS and _is_whole(result):
            self._keep(result, known.converted(args[0], again, result.dtype))
        elif isinstance(known, (Pointed, MadeOfPlaces)) and name in _ARITHMETIC:
            if _is_whole(result) and all(map(self._is_one_for_all, (*args[1:], *kwargs.values()))):
                self._keep(result, known.made(args[0], again))
        elif isinstance(known, Stepped) and result.is_floating_point():
            changed = known.changed(name, args, kwargs)
            if changed is not None:
                self._keep(result, changed)

    def _is_one_for_all(self, other):
        """An operand that is the same whole number for each element, and in each run; or the name
        of a rounding."""
        if isinstance(other, torch.Tensor):
            return other.dim() == 0 and _is_whole(other) and id(other) not in self._made
        return isinstance(other, (int, str))

    def _see_index(self, name, source, args, kwargs, result):
        at = _PLACE_OF_DIM.get(name, 1)
        dim = args[at] if len(args) > at else kwargs.get("dim")
        if dim is None and name in _LAST_BY_DEFAULT:
            dim = -1
        index = result if isinstance(result, torch.Tensor) else result[1]
        if index.dtype != torch.int64:
            return
        first = name in _FIRST or bool(kwargs.get("stable"))
        self._keep(index, Pointed.of(source, dim, index, first, name in _EACH_ONCE))


def _is_whole(tensor):
    return isinstance(tensor, torch.Tensor) and tensor.dtype in (
        torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


class _AnyWholeNumber:
    """What is as right in whole numbers of another type."""

    def converted(self, *_):
        return self


class Difference(_AnyWholeNumber):
    """A comparison hangs on what the two sides differ by: a wrong answer is off by that."""

    def __init__(self, values):
        self._values = values

    def moved(self, move):
        """The same after an operation that moves elements."""
        return Difference(move(self._values))

    def wanted(self, _):
        """The values behind the wanted outputs; all are flat, float64."""
        return self._values.reshape(-1).double()

    def given(self, got, want):
        """Behind a program's outputs."""
        return torch.where(got == want, self.wanted(want), 0.0)

    def broken(self, got, want, own):
        """Which outputs are wrong, whatever the values. `own`: as seen in the reference's own
        arithmetic."""
        values = self.wanted(want)
        decided = (own.wanted(want) == values) | ~torch.isfinite(values)
        return (got != want) & decided


class Stepped(_AnyWholeNumber):
    """A number that was rounded to a whole one hangs on what it was: another whole number is off by
    how far that is from where it would have been rounded so. `step`: "round", "floor", "ceil" or
    "trunc"; `first`: the numbers as they were rounded, where `values` have been shifted since."""

    def __init__(self, values, step, first=None):
        self._values, self._step = values, step
        self._first = values if first is None else first

    def moved(self, move):
        return Stepped(move(self._values), self._step, move(self._first))

    def changed(self, name, args, kwargs):
        """The same after an operation on whole numbers that changes the unrounded ones alike: a
        limit, or a shift; None after any other."""
        others = [*args[1:], *kwargs.values()]
        if name not in _WHOLE_CHANGES or not others or not all(map(_is_whole_number, others)):
            return None
        values = getattr(torch.Tensor, name)(self._values, *args[1:], **kwargs)
        return Stepped(values, self._step, self._first.expand_as(values))

    def count(self):
        """Of its numbers."""
        return self._values.numel()

    def wanted(self, _):
        return self._values.reshape(-1).double()

    def given(self, got, want):
        low, high = _STEPS[self._step](got.double())
        return torch.where(got == want, self.wanted(want), self.wanted(want).clamp(low, high))

    def broken(self, got, want, own):
        """A shift loses digits: decided is what was the same before it. But of many quotients one
        may be 42.5 to the last bit by chance; so most must be the same."""
        exact = (own._first == self._first).reshape(-1)
        others = exact[self._first.reshape(-1) != 0]
        if not others.numel() or 2 * int(others.sum()) <= others.numel():
            return torch.zeros_like(exact)
        return (got != want) & exact & (own.wanted(want) == self.wanted(want))


# From where to where numbers are rounded to a whole one.
_STEPS = {
    "round": lambda whole: (whole - 0.5, whole + 0.5),
    "floor": lambda whole: (whole, whole + 1),
    "ceil": lambda whole: (whole - 1, whole),
    "trunc": lambda whole: (torch.where(whole > 0, whole, whole - 1),
                            torch.where(whole < 0, whole, whole + 1)),
}
_WHOLE_CHANGES = {"clamp", "clip", "clamp_min", "clamp_max", "add", "__add__", "__radd__", "sub",
                  "__sub__"}


def _is_whole_number(other):
    """A number, or a tensor of numbers, without a fraction; or None, for no limit. What is not
    finite has none: a shift that came of a NaN among the inputs is no other operation."""
    if isinstance(other, torch.Tensor):
        if not other.is_floating_point():
            return True
        return bool(((other == other.round()) | other.isnan()).all())
    return other is None or not math.isfinite(other) or other == int(other)


class Pointed:
    """Indices hang on what they point to. `rows`: what they point into, one row for each of
    `row_of`, which says of each index which row is its own."""

    def __init__(self, rows, row_of, first, each_once):
        self._rows, self._row_of = rows, row_of
        self.gives_the_first, self.each_once = first, each_once

    @staticmethod
    def of(source, dim, index, first, each_once):
        """`dim`: of the operation, None for all elements at once."""
        if dim is None:
            source, dim = source.reshape(-1), 0
            row_of = torch.zeros_like(index)
            return Pointed(source.reshape(1, -1), row_of, first, each_once)
        lead = source.movedim(dim, -1)
        rows = lead.reshape(-1, lead.shape[-1])
        numbers = torch.arange(len(rows), device=index.device).view(lead.shape[:-1])
        if index.dim() == source.dim():
            numbers = numbers.unsqueeze(-1).movedim(-1, dim).expand(index.shape)
        return Pointed(rows, numbers.reshape(index.shape), first, each_once)

    def moved(self, move):
        return Pointed(self._rows, move(self._row_of.detach()), self.gives_the_first,
                       self.each_once)

    def converted(self, index, change, dtype):
        """The same in another type, which may not hold all places."""
        return self if torch.iinfo(dtype).max >= self._rows.shape[1] else self.made(index, change)

    def made(self, index, change):
        """Of whole numbers that `change` makes of `index`, of whose elements this tells."""
        return MadeOfPlaces(self, index.clone(), (change,))

    def wanted(self, want):
        return self._at(want)

    def given(self, got, want):
        return self._at(got)

    def broken(self, got, want, own):
        broken = (got < 0) | (got >= self._rows.shape[1])
        if self.gives_the_first:
            broken |= others_of_equals(self, got, want, own)
        if self.each_once:
            broken |= self.repeated(got)
        return broken

    def columns(self):
        """All places of a row."""
        return torch.arange(self._rows.shape[1], device=self._rows.device)

    def nearest(self, places, values, groups, names):
        """Of these outputs, that number of their rows which is nearest to `values`, among the
        columns whose group, of `groups`, is the output's of `names`; NaN where there is none."""
        rows, row_of = self._row_of.reshape(-1)[places].unique(return_inverse=True)
        ascending = groups.sort().values
        low, high = (torch.searchsorted(ascending, names, right=right) for right in (False, True))
        found, step = torch.empty_like(values), max(1, _SORTED_AT_ONCE // len(groups))
        for start in range(0, len(rows), step):
            numbers, order = self._rows[rows[start:start + step]].double().sort(1)
            by_group = groups[order].argsort(dim=1, stable=True)  # and in each by size
            at = ((row_of >= start) & (row_of < start + step)).nonzero().view(-1)
            found[at] = _nearest_in(numbers.gather(1, by_group), row_of[at] - start, low[at],
                                    high[at], values[at])
        return found

    def _at(self, index):
        columns = self._rows.shape[1]
        flat = self._row_of.reshape(-1) * columns + index.long().clamp(0, columns - 1)
        return self._rows.reshape(-1)[flat].double()

    def repeated(self, got):
        """Places of a row that came before."""
        keys = self._row_of.reshape(-1) * self._rows.shape[1] + got.long()
        order = keys.sort(stable=True)
        again = torch.zeros_like(keys, dtype=torch.bool)
        again[order.indices[1:]] = order.values[1:] == order.values[:-1]
        return again


def others_of_equals(behind, got, want, own):
    """Which of the outputs are not what is wanted, but hang on a number that is equal to it, in
    `own`, of the reference's own arithmetic, as well."""
    values, theirs = behind.wanted(want), own.wanted(want)
    tied = (behind.given(got, want) == values) & (own.given(got, want) == theirs)
    return (got != want) & tied & (theirs == values)


def _nearest_in(numbers, row_of, low, high, values):
    """In the columns from `low` to before `high` of its row, which ascend: what lies next to each
    of the values."""
    first, last, end = low, high - 1, high
    for _ in range(numbers.shape[1].bit_length()):  # where numbers as large begin
        middle = (low + high) // 2
        less = (low < high) & (numbers[row_of, middle.clamp(max=numbers.shape[1] - 1)] < values)
        low, high = torch.where(less, middle + 1, low), torch.where(less, high, middle)
    def at(column):
        return numbers[row_of, torch.maximum(torch.minimum(column, last), first).clamp(
            max=numbers.shape[1] - 1)]
    below, above = at(low - 1), at(torch.where(values.isnan(), last, low))
    nearest = torch.where(_apart(below, values) < _apart(above, values), below, above)
    return nearest.masked_fill_(first >= end, math.nan)


def _apart(one, other):
    alike = (one == other) | (one.isnan() & other.isnan())
    return (one - other).abs_().nan_to_num_(math.inf).masked_fill_(alike, 0.0)


class MadeOfPlaces:
    """What was made of indices, each by itself, as the beam and the word of a flattened place are
    (index // words, index % words): as right as the best place that it can be made of. `index`:
    the places; `changes`: what was done to them, one after the other."""

    def __init__(self, pointed, index, changes):
        self._pointed, self._index, self._changes = pointed, index, changes

    def moved(self, move):
        return MadeOfPlaces(self._pointed.moved(move), move(self._index.detach()), self._changes)

    def converted(self, index, change, _):
        return self.made(index, change)

    def made(self, _, change):
        return MadeOfPlaces(self._pointed, self._index, (*self._changes, change))

    def wanted(self, _):
        return self._pointed.wanted(self._index.reshape(-1))

    def given(self, got, want):
        values = self.wanted(want)
        places = (got != want).nonzero().view(-1)
        if places.numel():
            values[places] = self._pointed.nearest(places, values[places], self._of_each(),
                                                   got[places].long())
        return values

    def broken(self, got, want, own):
        differs = got != want
        if not bool(differs.any()):
            return differs
        made, order = self._of_each().sort()
        at = torch.searchsorted(made, got.long()).clamp(max=len(made) - 1)
        broken = made[at] != got.long()
        if self._pointed.gives_the_first:
            broken |= others_of_equals(self, got, want, own)
        elif self._pointed.each_once and bool((made.diff() > 0).all()):
            broken |= self._pointed.repeated(order[at])
        return broken

    def _of_each(self):
        """What is made of each place of a row."""
        made = self._pointed.columns()
        for change in self._changes:
            made = change(made.clone())
        return made.long()
