"""What the reference is off by in another order of its sums, looked at where a program might be
refused and an order might explain it.

Where the terms are large and their mean is taken off, as of columns that are shifted, it is chance
what an order makes of one input: 50 times more of the next one. So that of others counts, too.
"""

import collections

from cupel.compare import HIDDEN
from cupel.failures import TaskFailure, is_out_of_memory
from cupel.in_order import ORDERS
from cupel.near_ties import FAILURES_MAX, MULTIPLE
from cupel.output_errors import worst_of

OTHERS_MAX = 8             # further inputs a class: of a layer norm's every fourth is a lucky one
REFUSED = 32               # times what the reference is off by: the judge's largest k for float32
_NOTHING = {"rms": 0.0, "max": 0.0, "group": 0.0}


class OrderErrors:
    """Of one program, until too often no order explained what it was off by. `multiple`: of what
    an order makes, so much is allowed by the judge (0: nothing is looked at), but no more than
    `most` times what the reference is off by as it is, all elements together. `refused`: what is
    off by more of that the judge refuses."""

    def __init__(self, multiple, most, refused=REFUSED):
        self._multiple, self._most, self._refused = multiple, most, refused
        self._failures_left = FAILURES_MAX if multiple else 0

    def look(self, errors, expected, errors_in, others=()):
        """What the reference is off by in the worst of the orders that were looked at, an
        OutputError a leaf; none where an order makes no difference to a program that is off by
        `errors`. `errors_in(order)`: the reference's, added up so; TaskFailure where it fails.
        `others`: its OutputErrors in order on further inputs of the class, looked at last."""
        if not self._failures_left or not self._may_hang_on_order(errors, expected):
            return []
        worst = []
        for order in ORDERS:
            found = _known(expected, order, errors_in)
            if not found:
                return worst
            worst = worst_of([worst, found]) if worst else found
            if not _beyond(errors, expected, MULTIPLE, worst, self._multiple):
                return worst
        others = iter(others)
        while _beyond(errors, expected, self._refused, worst, self._multiple):
            found = next(others, None)
            if not found:
                self._failures_left -= 1
                break
            worst = worst_of([worst, found])
        return worst

    def _may_hang_on_order(self, errors, expected):
        refused = any(error["nonfinite"] or error["mismatched"] for error in errors)
        whole = [{**error, "group": 0.0} for error in errors]  # a group may be what cancelled out
        return not refused and _beyond(errors, expected, MULTIPLE) and \
            not _beyond(whole, expected, self._most)


class OthersInOrder:
    """What the reference is off by on further inputs of each class, its sums in order: one order an
    input. `make(instance, value_class, number, order)`: these OutputErrors of the input of that
    number; called once, when they are asked for; TaskFailure where the reference fails."""

    def __init__(self, make):
        self._make, self._known = make, collections.defaultdict(list)

    def of(self, instance, value_class):
        """They, one after the other; none of an input where the reference fails."""
        known = self._known[instance, value_class]
        for number in range(OTHERS_MAX):
            if number == len(known):
                known.append(self._made(instance, value_class, number))
            yield known[number]

    def _made(self, instance, value_class, number):
        try:
            return self._make(instance, value_class, number, ORDERS[number % len(ORDERS)])
        except TaskFailure:
            return []
        except Exception as problem:
            if not is_out_of_memory(problem):
                raise
            return []


def _known(expected, order, errors_in):
    """Looked at once an input, whatever the program; none where the reference fails."""
    if order not in expected.in_order:
        try:
            expected.in_order[order] = errors_in(order)
        except TaskFailure:
            expected.in_order[order] = []
    return expected.in_order[order]


def _beyond(errors, expected, times, in_order=(), multiple=0.0):
    """Is a leaf off by more than so many times what the reference is, and than that multiple of
    what it is in order?"""
    return any(_is_beyond(error, one.own_error(), times, order, multiple)
               for error, one, order in zip(errors, expected, in_order or [_NOTHING] * len(errors)))


def _is_beyond(error, own, times, in_order, multiple):
    units = {"rms": own["rms"] + HIDDEN, "max": own["max"] + 4 * HIDDEN, "group": 1.0}
    return any(error[key] > max(times * unit, multiple * in_order[key])
               for key, unit in units.items())
