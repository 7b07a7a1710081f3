"""What of a process all code in it shares, and what one program has changed of it: a snapshot
before the program's import, one after its calls (docs/audit.md, "Process state"). The kinds of
what is shared are in `traces`.

Standard library and torch. Reads, changes nothing but generators' places, and starts nothing."""

import torch

from cupel.traces import operators, switches
from cupel.traces.random_state import Generators
from cupel.traces.shared_code import SharedCode

VALUE_CHARACTERS_MAX = 120
FINGERPRINT_ELEMENTS, FINGERPRINT_PERIOD = 1 << 18, 8191  # at a time; a prime
OPERATORS_TOLD_MAX = 3  # by name


class Snapshot:
    """The state at one moment."""

    def __init__(self):
        self.values = switches.values()
        self.code = SharedCode()
        self.operators = operators.operators()
        self.replaced_operators = operators.replaced_in(torch.ops.aten)

    def changes_to(self, later):
        """[{"what", "before", "after"}] for what is otherwise in the `later` snapshot. What was not
        there before is no change, but for variables of the environment and switches turned from
        nothing; of code only what was replaced or taken away."""
        return ([_change(name, self.values.get(name), later.values.get(name))
                 for name in sorted(self.values.keys() | later.values.keys())
                 if self._differs(name, later)]
                + [_change(name, was, now)
                   for name, (was, now) in self.code.replaced(later.code).items()]
                + self._operators_to(later))

    def _operators_to(self, later):
        changed = operators.changed(self.operators, later.operators)
        changed += [name for name in later.replaced_operators
                    if name not in self.replaced_operators]
        if not changed:
            return []
        told = ", ".join(changed[:OPERATORS_TOLD_MAX])
        return [{"what": "operators of torch's replaced", "before": "none",
                 "after": f"{len(changed)}: {told}"}]

    def _differs(self, name, later):
        if name not in self.values:
            return name.startswith("environment variable ")
        if name not in later.values:
            return True
        was, now = self.values[name], later.values[name]
        return was is not now and was != now


def _change(name, before, after):
    if isinstance(before, tuple) and isinstance(after, tuple) and len(before) > 3:
        before, after = ([one for one in before if one not in after],
                         [one for one in after if one not in before])
    return {"what": name, "before": _told(before), "after": _told(after)}


def _told(value):
    try:
        text = repr(value)
    except BaseException:  # of a program's own object
        text = f"<{type(value).__name__}>"
    return "not set" if value is None else text[:VALUE_CHARACTERS_MAX]


class Watch:
    """One program's traces: begun before its import."""

    def __init__(self):
        self._before = Snapshot()
        self._generators = Generators()
        self._state, self._weights = dict, {}
        self._gradients = True

    def program_made(self, seed, state=dict, gradients=True):
        """The program stands; `seed`: the last one that this process gave torch's generator;
        `state`: a function that tells its weights by name, as they are when it is called;
        `gradients`: whether they were on when it stood. Calls find them off."""
        self._gradients = gradients
        self._before.values["torch.is_grad_enabled"] = torch.is_grad_enabled()
        self._generators.begin(seed)
        self._state = state
        self._weights = {name: _fingerprint(tensor) for name, tensor in state().items()}

    def between_calls(self):
        """To be called now and then; never in a call that is timed."""
        self._generators.look()

    def changes(self):
        """As Snapshot.changes_to(), up to now, with what was done to random numbers."""
        self._generators.look()
        found = self._before.changes_to(Snapshot())
        if not self._gradients:
            found.append(_change("torch.is_grad_enabled", True, False))
        found += [{"what": f"seed of {name}'s generator", "before": "the judge's",
                   "after": "its own"} for name in self._generators.reseeded()]
        found += [{"what": f"random numbers of {name}", "before": "go on from call to call",
                   "after": "begin anew in each"} for name in sorted(self._generators.put)]
        found += [{"what": f"weight {name}, written to in calls", "before": "as loaded",
                   "after": "otherwise"} for name, tensor in self._state().items()
                  if self._written(name, tensor)]
        if self._generators.drawn:
            found.append({"what": "random numbers drawn in calls", "before": "none",
                          "after": ", ".join(sorted(self._generators.drawn))})
        return found

    def _written(self, name, tensor):
        """What has another shape or type is not the state dict's any more, but packed."""
        before, now = self._weights.get(name), _fingerprint(tensor)
        return before is not None and before[:2] == now[:2] and before != now


def _fingerprint(tensor):
    """(dtype, shape, sums of the bits as they are and by their places)."""
    flat = tensor.detach().resolve_conj().resolve_neg().contiguous().view(-1)
    bits = (torch.view_as_real(flat) if flat.is_complex() else flat).view(torch.uint8).view(-1)
    if bits.numel() % 4 == 0 and bits.storage_offset() % 4 == 0:
        bits = bits.view(torch.int32)
    sums = [0, 0]
    for part in bits.split(FINGERPRINT_ELEMENTS):
        wide = part.to(torch.int64)
        places = torch.arange(wide.numel(), device=wide.device) % FINGERPRINT_PERIOD + 1
        sums = [sums[0] + int(wide.sum()), sums[1] * 31 + int((wide * places).sum())]
    return tensor.dtype, tensor.shape, sums

