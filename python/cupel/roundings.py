"""A run with other roundings: every operation is given operands that are off by a few units of
float32, each number by its own. So an answer that hangs on how something was rounded on the way
comes out now one way, now the other: Monte Carlo arithmetic (Parker, *Monte Carlo Arithmetic*,
1997), in operands, whose errors reach the result as those of a sum in another order do.

What chooses, moves or rounds to whole numbers gets what it would get: a comparison of inputs, which
rounds nothing, has one answer.
"""

import torch
from torch.utils._pytree import tree_iter, tree_map

from cupel.choices import keeps_numbers, name_of
from cupel.leaves import is_double
from cupel.operations import OperationMode, written_by

_REALS = (torch.float32, torch.float64)
_EXACT = frozenset((
    "round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "neg", "abs", "detach", "alias",
    "heaviside", "signbit", "bernoulli", "native_dropout"))


_FLOAT64_UNITS = 4  # that operands are off by, as of float32 where near ties are looked for
_RUNS = 3           # the furthest of which counts for each element


def rounded_otherwise(leaves, run, seed):
    """Outputs of a reference: of float64 ones each element as far from where it is as some run with
    other roundings takes it. There the oracle has the reference's own roundings, and what it is off
    by (a system that is nearly singular) would not show. `run()` gives them anew."""
    double = [i for i, leaf in enumerate(leaves) if is_double(leaf)]
    if not double:
        return leaves
    found = list(leaves)
    for draw in range(_RUNS):
        with OtherRoundings(seed ^ draw, _FLOAT64_UNITS * 2.0 ** -52):
            others = run()
        for i in double:
            further = (others[i] - leaves[i]).abs() > (found[i] - leaves[i]).abs()
            found[i] = torch.where(further, others[i], found[i])
    return found


class OtherRoundings(OperationMode):
    """`rounding`: by how much of itself an operand is off at most. `seed`: of 64 bits; the same one
    gives the same numbers on one device. `results`: they are off, too, as where something is chosen
    among them right after they were rounded."""

    def __init__(self, seed, rounding, results=False):
        super().__init__()
        self._seed, self._rounding, self._results = seed, rounding, results
        self._generators = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if keeps_numbers(func) or name_of(func) in _EXACT:
            return func(*args, **kwargs)
        written = {id(operand) for operand in written_by(func, args, kwargs)}
        result = func(*tree_map(lambda operand: self._off(operand, written), args), **kwargs)
        for leaf in tree_iter(result) if self._results else ():
            self._off(leaf, {id(leaf)})
        return result

    def _off(self, operand, written):
        """In place where the operation writes to it."""
        if not isinstance(operand, torch.Tensor) or operand.dtype not in _REALS:
            return operand
        factors = self._factors(operand)
        return operand.mul_(factors) if id(operand) in written else operand * factors

    def _factors(self, operand):
        device = operand.device  # of the same, so that nothing large is drawn elsewhere
        if device not in self._generators:
            self._generators[device] = torch.Generator(device).manual_seed(self._seed)
        # Float32 is drawn in half of the time, where its numbers around 1 lie close enough.
        coarse = self._rounding > torch.finfo(torch.float32).eps
        by = torch.empty(operand.shape, dtype=torch.float32 if coarse else operand.dtype,
                         device=device)
        return by.uniform_(1 - self._rounding, 1 + self._rounding,
                           generator=self._generators[device])
