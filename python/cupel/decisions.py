"""What a run decides: what its operations make of floats by steps and by choices."""

import functools

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_iter

from cupel.choices import is_view, name_of
from cupel.leaves import is_whole
from cupel.operations import OperationMode, tensors_in
from cupel.protocol import is_floating

# Results that leap, though they are floats. Of other operations whole numbers and truths do.
_STEPS = frozenset((
    "round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside", "floor_divide", "gt",
    "ge", "lt", "le", "eq", "ne", "frexp", "mode"))
# These leap, too, but hold more than what was decided.
_LEAPS = frozenset((
    "hardshrink", "threshold", "fmod", "remainder", "frac", "angle", "atan2", "copysign", "histc",
    "nextafter", "geqrf"))
_LEAPING_KINDS = ("grid_sampler", "cudnn_grid_sampler", "fake_quantize", "linalg")
# Numbers that become Python's, of an operation and of functions.
_READS = frozenset(("_local_scalar_dense", "tolist", "numpy", "__array__", "__dlpack__"))


@functools.cache
def _leaps(func):
    """Of an operation that is not known, who can tell?"""
    name = name_of(func)
    return not name or name in _LEAPS or name.lstrip("_").startswith(_LEAPING_KINDS)


class Decisions(OperationMode):
    """Keeps what operations make of floats by steps and choices, by number, in `made`. `given`:
    those of another run; this one decides as it did.

    What comes beside other results (the places of a pool's largest numbers, what a norm keeps for
    its gradient) decides nothing unless somebody reads it. `count`: all that might have decided.
    `branches`: the program has read a number, and may do another thing on other inputs. `leaps`:
    something else may have leapt."""

    def __init__(self, given=None):
        super().__init__()
        self.made, self.count, self._given = {}, 0, given
        self.branches = self.leaps = False
        self._beside = {}  # by storage: numbers and results that nobody has read
        self._reading = _Reading(self)

    def __enter__(self):
        self._reading.__enter__()
        return super().__enter__()

    def __exit__(self, *problem):
        super().__exit__(*problem)
        self._reading.__exit__(*problem)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        operands = tensors_in((args, kwargs))
        if not is_view(func):
            self.read(operands)
        result = func(*args, **kwargs)
        if any(map(_is_float, operands)):
            self.branches |= name_of(func) in _READS
            self.leaps |= _leaps(func)
            steps = name_of(func) in _STEPS or kwargs.get("rounding_mode") is not None
            given = set(map(id, operands))
            for place, leaf in enumerate(tree_iter(result)):
                if isinstance(leaf, torch.Tensor) and (steps or _is_coarse(leaf.dtype)):
                    self._settle(leaf, beside=place > 0 and id(leaf) not in given)
        return result

    def read(self, leaves):
        """Somebody reads these tensors."""
        for leaf in leaves if self._beside else ():
            for number, one in self._beside.pop(_storage(leaf), ()):
                with _disable_current_modes():  # no operation of the program's
                    self.made[number] = one.clone()

    def _settle(self, leaf, beside):
        number, self.count = self.count, self.count + 1
        if self._given:
            if number >= self._given.count:
                raise RuntimeError("this run decides more often than the one that it follows")
            if number in self._given.made:
                leaf.copy_(self._given.made[number])
        elif beside and _storage(leaf) is not None:
            self._beside.setdefault(_storage(leaf), []).append((number, leaf))
        else:
            self.made[number] = leaf.clone()


class _Reading(TorchFunctionMode):
    """Tells Decisions of what is read past all operations, as by tolist()."""

    def __init__(self, decisions):
        super().__init__()
        self._decisions = decisions

    def __torch_function__(self, func, types, args=(), kwargs=None):
        operands = tensors_in((args, kwargs or {}))
        self._decisions.read(operands)
        if getattr(func, "__name__", "") in _READS and any(map(_is_float, operands)):
            self._decisions.branches = True
        return func(*args, **(kwargs or {}))


def _storage(leaf):
    """None of a tensor that has none of its own, as where torch.func has wrapped one."""
    try:
        return leaf.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None


def _is_float(operand):
    """Of one byte they are decided already."""
    return is_floating(operand.dtype) and not _is_coarse(operand.dtype)


def _is_coarse(dtype):
    """Whole numbers, truths, and floats of one byte."""
    return is_whole(dtype) or dtype.itemsize == 1
