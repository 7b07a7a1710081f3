"""A run with other roundings: every operation is given operands that are off by a few units of
float32, each number by its own. So an answer that hangs on how something was rounded on the way
comes out now one way, now the other: Monte Carlo arithmetic (Parker, *Monte Carlo Arithmetic*,
1997), in operands, whose errors reach the result as those of a sum in another order do.

What chooses, moves or rounds to whole numbers gets what it would get: a comparison of inputs, which
rounds nothing, has one answer.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from cupel.choices import keeps_numbers, name_of

_EXACT = frozenset((
    "round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "neg", "abs", "detach", "alias",
    "heaviside", "signbit", "bernoulli", "native_dropout"))


class OtherRoundings(TorchDispatchMode):
    """`rounding`: by how much of itself an operand is off at most. `seed`: of 64 bits; the same one
    gives the same numbers on one device."""

    def __init__(self, seed, rounding):
        super().__init__()
        self._seed, self._rounding, self._generators = seed, rounding, {}

    @classmethod
    def _should_skip_dynamo(cls):
        """As of tracking.CallTracker."""
        return False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if keeps_numbers(func) or name_of(func) in _EXACT:
            return func(*args, **kwargs)
        written = {i for i, argument in enumerate(func._schema.arguments)
                   if argument.alias_info is not None and argument.alias_info.is_write}
        args = [self._off_in_place(arg) if i in written else tree_map(self._off, arg)
                for i, arg in enumerate(args)]
        return func(*args, **kwargs)

    def _off(self, operand):
        if not _is_real(operand):
            return operand
        return (operand * self._factors(operand)).to(operand.dtype)

    def _off_in_place(self, operand):
        if _is_real(operand):
            operand.mul_(self._factors(operand))
        return operand

    def _factors(self, operand):
        device = operand.device  # of the same, so that nothing large is drawn elsewhere
        if device not in self._generators:
            self._generators[device] = torch.Generator(device).manual_seed(self._seed)
        by = torch.rand(operand.shape, dtype=operand.dtype, device=device,
                        generator=self._generators[device])
        return by.mul_(2).sub_(1).mul_(self._rounding).add_(1)


def _is_real(operand):
    return isinstance(operand, torch.Tensor) and operand.dtype in (torch.float32, torch.float64)
