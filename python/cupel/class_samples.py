"""What a lint holds of the inputs of one value class."""

import math

from cupel.alike import same_bits

WATCHED = 1 << 16  # elements of an output that are looked at again after later calls


class Sample:
    """One input of the lint, the reference's outputs on it, the oracle's, and the errors."""

    def __init__(self, tensors, values, outputs, expected, errors):
        self.tensors, self.values, self.outputs = tensors, values, outputs
        self.expected, self.errors = expected, errors

    def parts(self):
        """Copies of some elements of each output, and of what is expected."""
        return [_some_of(leaf) for leaf in [*self.outputs, *(one.want for one in self.expected)]]


class ClassSamples:
    """What is kept of a class's samples: the first one whole, and of others what mutants show, so
    that a task of gigabytes can be linted."""

    def __init__(self):
        self.first, self.other, self.last = None, None, None  # a Sample, outputs, outputs
        self._first_parts = []
        self.errors = []          # one list of OutputErrors a sample
        self.comparable = math.inf  # the least share of a leaf that is finite, of the worst sample

    def add(self, sample):
        self.errors.append(sample.errors)
        self.comparable = min([self.comparable, *(leaf.comparable() for leaf in sample.expected)])
        if self.first is None:
            self.first, self._first_parts = sample, sample.parts()
        elif self.other is None:
            self.other = sample.outputs
        self.last = sample.outputs

    def overwritten(self):
        """Have later calls written to what the first one returned?"""
        return not all(map(same_bits, self.first.parts(), self._first_parts))


def _some_of(leaf):
    flat = leaf.reshape(-1)
    return flat[::leaf.numel() // WATCHED | 1].clone()
