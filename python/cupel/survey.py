"""Arguments that could be others: which other values does the reference survive? Tensors of
integers or booleans, and what is no tensor. The classes `permuted` and `other_values` draw from
what is found.
"""

import functools
import itertools

import torch

from cupel.inputs import derived_seed
from cupel.leaves import has_one_value, is_choice
from cupel.options import alternatives, tensors_for_none
from cupel.other_choices import between, in_another_way, ways

DRAWS = 4  # of steps between those that the reference survives


def of_classes(session, classes):
    """What these classes need and nobody has looked for. Needs the first instance."""
    if session.facts["has_value_inputs"] and not session.source.other_values and \
            "other_values" in classes:
        of_values(session)
    if session.source.ways is None and "permuted" in classes:
        of_ways(session)


def of_values(session):
    """Finds the other values of arguments that are no tensors. Returns the places of those that
    have none. Where None stands for a tensor that a user may pass, a number is no value: a right
    program need not take one. An audit tries tensors there (options.py)."""
    tensors, values = session.source.make(derived_seed(session.seed, "values"), "nominal")
    found, fixed = [], []
    for i, value in enumerate(values):
        in_its_place = functools.partial(_surviving, session, tensors, values, i)
        if value is None and any(in_its_place(tensors_for_none(tensors))):
            continue
        others = list(in_its_place(other for other in alternatives(value)
                                   if other != value or type(other) is not type(value)))
        found += others
        fixed += [] if others else [i]
    session.source.other_values = found
    return fixed


def of_ways(session):
    """Finds how integers and booleans may be others. Returns the places of those that have one
    value everywhere, every time, and may have no other."""
    tensors, values = session.source.make(derived_seed(session.seed, "ways"), "nominal")
    session.source.ways, fixed = {}, []
    choices = [i for i, leaf in enumerate(tensors) if is_choice(leaf) and leaf.numel()]
    if not choices:
        return fixed
    others, _ = session.source.make(derived_seed(session.seed, "other ways"), "nominal")
    for i in choices:
        one, is_fixed = tensors[i], torch.equal(tensors[i], others[i])
        def survives(way, draw=0):
            made = _in_way(session, tensors[i], way, draw)
            return _survives(session, [*tensors[:i], made, *tensors[i + 1:]], values)
        found = _found(ways(one, is_fixed), survives)
        if found:
            session.source.ways[i] = found
        elif is_fixed and has_one_value(one):
            fixed.append(i)
    return fixed


def _found(possible, survives):
    """The boldest way. Of steps all, or those in between, where they are survived, too: so many
    values tell more in a few inputs."""
    if not possible or possible[0].kind != "step":
        return list(itertools.islice(filter(survives, possible), 1))
    steps = list(filter(survives, possible))
    spans = between(steps)
    return spans if all(survives(way, draw) for way in spans for draw in range(DRAWS)) else steps


def _in_way(session, leaf, way, draw):
    seed = derived_seed(session.seed, "way", way, draw)
    return in_another_way(leaf, way, torch.Generator().manual_seed(seed))


def _surviving(session, tensors, values, place, possible):
    """The values with each of the possible ones in that place, if the reference survives it."""
    for other in possible:
        changed = [*values[:place], other, *values[place + 1:]]
        if _survives(session, tensors, changed):
            yield changed


def _survives(session, tensors, values):
    """Finite, with outputs of the same form, and of use to the oracle?"""
    got, errors = session.own_call(session.instances[0], tensors, values) or ((), None)
    return errors is not None and all(bool(torch.isfinite(leaf).all()) for leaf in got) and \
        all(error["nonfinite"] == 0 for error in errors)
