"""What of an output must show a NaN or an infinity among the inputs, and what may not.

Two questions that outputs alone do not answer (docs/equality.md, "NaN and infinity"):

Hanging. Other numbers are put in the place of what is not finite; what changes hangs on it. A
choice hangs on more than that: the largest of nine numbers stays what it is whatever small number
stands beside it, but a NaN among the nine is the answer. So two runs go side by side (Twins). At
each choice the second one does what PyTorch does with a NaN where the two differ, so that what
hangs on the choice differs behind it.

Spoiling. Another formula may make a NaN of more than the reference does: sums of many terms, a
Fourier transform, infinity minus infinity. A choice or a move makes none. So one run (Spoils) tells
what is decided, since nothing was computed of what is not finite.
"""

import contextlib
import math
import weakref

import torch
from torch.utils._pytree import tree_iter, tree_map

from cupel import placement
from cupel.choices import is_choice, is_pointwise, keeps_numbers
from cupel.operations import OperationMode, tensors_in, written_by
from cupel.protocol import is_floating

FAR = 1e3  # times the largest number of a tensor
# Of the largest number of a tensor, what two runs differ by that hang on nothing odd: half of its
# digits. Known beforehand, since code under the oracle is told other limits of its types.
ROUNDING = {dtype: math.sqrt(torch.finfo(dtype).eps) for dtype in (
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex128, torch.complex64)}

class _Beside(OperationMode):
    """Looks at each operation, and never fails where the operation does not. `lost`: from some
    operation on nothing more is known."""

    def __init__(self):
        super().__init__()
        self.lost = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        before = self._guarded(self._before, func, args, kwargs)
        result = func(*args, **kwargs)
        if before is not None:
            self._guarded(self._after, func, before, result)
        return result

    def _guarded(self, look, *known):
        if self.lost:
            return None
        try:
            return look(*known)
        except Exception:  # of an operation on operands that nobody foresaw; memory, too
            self.lose()
            return None

    def lose(self):
        """From here on the mode looks at nothing, and holds no memory."""
        self.lost = True


class Twins(_Beside):
    """Two runs in step: the one that is called, and beside it one on other inputs. Memory that
    differs in the second has a twin there."""

    def __init__(self, ones, others):
        """`ones`: the inputs of the first run, `others`: of the second, of the same form."""
        super().__init__()
        self._twins = {}  # by storage: the second run's, and what forgets it
        for one, other in zip(ones, others):
            if one.is_floating_point() and not torch.equal(one, other):
                self._keep(one, other)

    def lose(self):
        super().lose()
        self._twins.clear()

    def second(self, leaves, alone):
        """Results of the second run, in the place of some of the first. `alone`: as they are where
        it runs alone; where those of the run in step are further off, these, if known."""
        if self.lost:
            return alone
        try:
            in_step = [self._twin_of(leaf) for leaf in leaves]
        except NotImplementedError:
            return alone
        return [torch.where(_is_further(twin, two, one), twin, two)
                for one, two, twin in zip(leaves, alone, in_step)]

    def _before(self, func, args, kwargs):
        """What the second run's operation gives, or None where nothing of it differs."""
        if not any(self._has_twin(tensor) for tensor in tensors_in((args, kwargs))):
            return None
        for tensor in written_by(func, args, kwargs):
            if not self._has_twin(tensor):
                self._keep(tensor, tensor)
        if is_choice(func):
            return func(*tree_map(self._with_nan, args), **tree_map(self._with_nan, kwargs))
        with _same_random_numbers(func):
            return func(*tree_map(self._twin_of, args), **tree_map(self._twin_of, kwargs))

    def _after(self, func, other, result):
        for one, two in zip(tree_iter(result), tree_iter(other)):
            if not isinstance(one, torch.Tensor):
                continue
            if is_choice(func):
                self._keep(one, _chosen(one, two))
            elif not self._has_twin(one):
                self._keep(one, two)

    def _with_nan(self, tensor):
        """A copy with NaN where the two runs differ."""
        if not isinstance(tensor, torch.Tensor) or not self._has_twin(tensor):
            return tensor
        if not tensor.is_floating_point():
            return self._twin_of(tensor)
        return tensor.masked_fill(_differing(tensor, self._twin_of(tensor)), torch.nan)

    def _has_twin(self, tensor):
        return tensor.untyped_storage()._cdata in self._twins

    def _twin_of(self, tensor):
        if not isinstance(tensor, torch.Tensor) or not self._has_twin(tensor):
            return tensor
        if tensor.is_conj() or tensor.is_neg():
            raise NotImplementedError("lazy conjugates and negatives")
        storage, _ = self._twins[tensor.untyped_storage()._cdata]
        return torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(
            storage, tensor.storage_offset(), tensor.shape, tensor.stride())

    def _keep(self, one, other):
        """`other` is what `one` is in the second run."""
        storage = one.untyped_storage()
        key = storage._cdata
        if key not in self._twins:
            forgets = weakref.finalize(storage, self._twins.pop, key, None)
            self._twins[key] = storage.clone(), forgets
        self._twin_of(one).copy_(other)


def _differing(one, two):
    """Where two results are not the same number, but for rounding: of two runs of a Fourier
    transform on numbers that differ in one place all others differ a little."""
    if one.dtype not in ROUNDING:
        return one != two
    least = ROUNDING[one.dtype] * one.abs().nan_to_num_(0.0, 0.0, 0.0).max() if one.numel() else 0.0
    same = (one == two) | (one.isnan() & two.isnan())
    return same.logical_or_((one - two).abs() <= least).logical_not_()


def _is_further(one, two, middle):
    """Where the first is further from `middle` than the second; a NaN is, where that is none."""
    if one.dtype not in ROUNDING:
        return two == middle
    away = (one - middle).abs() > (two - middle).abs()
    return away | (one.isnan() & ~middle.isnan() & ~two.isnan())


def _chosen(one, two):
    """The second run's result of a choice: another number where a NaN would be the answer."""
    if not one.is_floating_point():
        return two
    places, chosen = two.isnan() & ~one.isnan(), two.clone()
    chosen[places] = one[places] + 1 + one[places].abs()
    return chosen


def _same_random_numbers(func):
    """What the operation draws inside it draws once more outside."""
    draws = torch.Tag.nondeterministic_seeded in getattr(func, "tags", ())
    return torch.random.fork_rng() if draws else contextlib.nullcontext()


class Spoils(_Beside):
    """A run in which NaN stands for what another formula might make of what is not finite: at its
    place, of a function of one number. Where several numbers are computed with, among them one that
    is not finite, nothing is `decided` any more: a loop over steps may be a product of matrices
    elsewhere, which spoils earlier steps as well. From there on an infinity may be NaN in another
    formula, so that places and truths that are found among infinities are found otherwise here:
    what these make of a result is `doubtful`."""

    def __init__(self):
        super().__init__()
        self._decides = True
        self._generator = torch.Generator().manual_seed(0)  # of numbers unlike any others

    def decided(self, leaf):
        """Which numbers of a result have one answer, whatever the formula."""
        return ~leaf.isnan() if self._decides and not self.lost else torch.zeros_like(
            leaf, dtype=torch.bool)

    def doubtful(self, leaf, want):
        """Where a result (`leaf`: of this run, `want`: as it is) hangs on a place or a truth that
        another formula may find otherwise; None for nowhere."""
        if self._decides or self.lost:
            return None
        return _differing(leaf, want) & ~leaf.isnan()

    def _before(self, func, args, kwargs):
        """Where an operand is not finite, or what to find in the place of places and truths; None
        where nothing is to be done."""
        if not self._decides:
            return self._found_otherwise(func, args, kwargs) if is_choice(func) else None
        if keeps_numbers(func):
            return None
        operands = [leaf for leaf in tensors_in((args, kwargs)) if is_floating(leaf.dtype)]
        odd = [~torch.isfinite(leaf) for leaf in operands]
        if not any(bool(each.any()) for each in odd):
            return None
        many = [each for each in odd if each.numel() > 1]
        single = any(bool(each.any()) for each in odd if each.numel() <= 1)
        self._decides = is_pointwise(func) and len(many) == 1 and not single
        return many[0] if self._decides else None

    def _after(self, func, found, result):
        if self._decides:
            for leaf in tensors_in(result):
                if is_floating(leaf.dtype):
                    leaf.masked_fill_(found, torch.nan)
            return
        for leaf, *others in zip(tree_iter(result), *map(tree_iter, found)):
            if isinstance(leaf, torch.Tensor) and not is_floating(leaf.dtype):
                leaf.copy_(torch.where(others[0] != leaf, *others))

    def _found_otherwise(self, func, args, kwargs):
        if any(True for _ in written_by(func, args, kwargs)):
            return None  # in place it makes numbers, neither places nor truths
        return [func(*tree_map(change, args), **tree_map(change, kwargs))
                for change in (_without_infinities, self._drawn)]

    def _drawn(self, tensor):
        """With numbers beyond all others, of either sign, in the place of infinities."""
        if not isinstance(tensor, torch.Tensor):
            return tensor
        numbers = torch.randn(tensor.shape, device=tensor.device,
                              generator=placement.drawing_on(tensor.device, self._generator))
        return _without_infinities(tensor, numbers.mul_(FAR))


def _without_infinities(tensor, numbers=torch.nan):
    """A copy with numbers, times the largest finite one, in the place of infinities."""
    if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
        return tensor
    finite = tensor.abs().nan_to_num(0.0, 0.0, 0.0)
    size = 1 + finite.max() if finite.numel() else 1.0
    return torch.where(tensor.isinf(), size * numbers, tensor).to(tensor.dtype)
