"""Arguments that are always the same: which other values does the reference survive? Tensors of
integers or booleans, all of one value, and what is no tensor. The classes `permuted` and
`other_values` draw from what is found.
"""

import torch

from cupel.inputs import alternatives, derived_seed, step_some, steps
from cupel.leaves import has_one_value, is_choice


def of_classes(session, classes):
    """What these classes need and nobody has looked for. Needs the first instance."""
    if session.facts["has_value_inputs"] and not session.source.other_values and \
            "other_values" in classes:
        of_values(session)
    if session.source.steps is None and "permuted" in classes:
        of_steps(session)


def of_values(session):
    """Finds the other values of arguments that are no tensors. Returns the places of those that
    have none."""
    tensors, values = session.source.make(derived_seed(session.seed, "values"), "nominal")
    found, fixed = [], []
    for i, value in enumerate(values):
        others = [[*values[:i], other, *values[i + 1:]] for other in alternatives(value)
                  if other != value or type(other) is not type(value)]
        others = [other for other in others if _survives(session, tensors, other)]
        found += others
        fixed += [] if others else [i]
    session.source.other_values = found
    return fixed


def of_steps(session):
    """Finds by what some elements of tensors that have one value everywhere, every time, may differ
    from it. Returns the places of those that have none."""
    tensors, values = session.source.make(derived_seed(session.seed, "steps"), "nominal")
    session.source.steps, fixed = {}, []
    constant = [i for i, leaf in enumerate(tensors) if is_choice(leaf) and has_one_value(leaf)]
    if not constant:
        return fixed
    others, _ = session.source.make(derived_seed(session.seed, "other steps"), "nominal")
    for i in constant:
        one = tensors[i]
        if not torch.equal(one, others[i]):
            continue
        found = [step for step in steps(one) if _survives(
            session, [*tensors[:i], _stepped(session, one, step), *tensors[i + 1:]], values)]
        if found:
            session.source.steps[i] = found
        else:
            fixed.append(i)
    return fixed


def _stepped(session, leaf, step):
    leaf = leaf.clone()
    seed = derived_seed(session.seed, "step", step)
    step_some(leaf, step, torch.Generator().manual_seed(seed))
    return leaf


def _survives(session, tensors, values):
    """Finite, with outputs of the same form, and of use to the oracle?"""
    got, errors = session.own_call(session.instances[0], tensors, values) or ((), None)
    return errors is not None and all(bool(torch.isfinite(leaf).all()) for leaf in got) and \
        all(error["nonfinite"] == 0 for error in errors)
