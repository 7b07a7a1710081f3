"""Lints a task: the reference's own error, what disturbs it, and which mutants can be told apart.

The result is AdmissionEvidence, raw; the judge concludes. Inputs of the lint have indices that no
timed call reaches.
"""

import copy
import math
import time

import torch

from cupel import loading, placement
from cupel.compare import worst_of
from cupel.failures import TaskFailure
from cupel.inputs import derived_seed
from cupel.mutants import MUTANTS, Case, perturb_weights

FIRST_INDEX = 1 << 40      # of the lint's inputs; a session's count up from 0
NOMINAL_SAMPLES_FACTOR = 2  # nominal is half of what is timed and the base of the tolerances
SAMPLES_MIN = 2            # "other_input" needs another input
PROBES = 8                 # elements changed, one at a time, in each input leaf
# A task whose samples take long gets fewer of them, and fewer probes, to keep within these; what
# is least needed is made all the same.
SAMPLING_SECONDS = 40.0
PROBING_SECONDS = 20.0
# A class on which the reference itself is off by this share of the outputs' spread tells nothing.
OWN_ERROR_MAX = 0.1
# Two runs on one input may differ by reassociation (threads): in shares of the outputs' spread,
REPEAT_SHARE = 4.0         # times the reference's own largest error,
REPEAT_FLOOR = 1e-7        # or this;
REPEAT_ORACLE = {"float64": 1e-9, "float32": 1e-5}  # and the oracle itself by no more than that.
_PROBE_STD = 32.0


class Sample:
    """One input of the lint, the reference's outputs on it, the oracle's, and the errors."""

    def __init__(self, tensors, values, outputs, expected, errors):
        self.tensors, self.values, self.outputs = tensors, values, outputs
        self.expected, self.errors = expected, errors


class Admission:
    """Lints the session's task on one instance of its weights."""

    def __init__(self, session, instance, samples):
        self._session, self._instance = session, instance
        self._samples = max(SAMPLES_MIN, samples)
        self._policy, self._compare = session.policy, session.comparer
        self._next_index = FIRST_INDEX
        self._notes = []
        self._sample_seconds = 0.0  # of the first one: making, running, the oracle, comparing

    def run(self):
        """AdmissionEvidence as a dict."""
        evidence = self._first_look()
        reports, kept = self._look_at_classes()
        evidence["classes"] = reports
        evidence["mutants"] = self._try_mutants(kept)
        evidence["input_fully_read"] = self._probe_inputs(kept)
        evidence["oracle"] = self._session.widening.name
        if evidence["oracle"] != "float64":
            self._notes.append("the reference does not run in float64 "
                               f"({self._session.widening.problem}); its float32 outputs stand in")
        evidence["notes"] = self._notes
        return evidence

    # -- the first look: determinism, writes, time ------------------------------------------

    def _first_look(self):
        tensors, values = self._make("nominal")
        first = self._run([tensor.clone() for tensor in tensors], values)
        given = [tensor.clone() for tensor in tensors]
        self._wait()
        started = time.monotonic()
        second = self._run(given, values)
        self._wait()
        reference_ms = (time.monotonic() - started) * 1e3
        self._note_fixed_inputs(tensors)
        return {
            "deterministic": self._agree(tensors, values, first, second),
            "mutates_inputs": not all(map(_same_bits, tensors, given)),
            "reduction_length": int(self._session.description.reduction_length),
            "reference_ms": reference_ms,
        }

    def _wait(self):
        placement.synchronize(self._session.program.device)

    def _note_fixed_inputs(self, tensors):
        others, _ = self._make("nominal")
        for i, (one, other) in enumerate(zip(tensors, others)):
            if one.numel() > 1 and _same_bits(one, other):
                self._notes.append(f"input {i} has the same values every time")

    def _agree(self, tensors, values, first, second):
        """Bitwise, or else within rounding: of the oracle, and of the reference's own error."""
        if all(map(_same_bits, first, second)):
            return True
        one, two = (self._expected(tensors, values) for _ in range(2))
        oracle_gap = REPEAT_ORACLE[self._session.widening.name]
        alike = all(_close_repeat(a.want, b.want, a, oracle_gap) for a, b in zip(one, two))
        if not alike or not all(map(self._close_outputs, first, second, one)):
            return False
        self._notes.append("two runs on one input differ by rounding")
        return True

    def _close_outputs(self, first, second, expected):
        own = self._compare.leaf_error(first, expected)["max"]
        gap = max(REPEAT_FLOOR, REPEAT_SHARE * own)
        return _close_repeat(first, second, expected, gap)

    # -- value classes ----------------------------------------------------------------------

    def _look_at_classes(self):
        reports, kept = [], {}
        for name in self._session.classes:
            samples, reason = self._sample_class(name)
            errors = worst_of([sample.errors for sample in samples])
            reason = reason or self._why_not(name, samples, errors)
            reports.append({"name": name, "kept": not reason, "reason": reason,
                            "outputs": errors})
            if not reason:
                kept[name] = samples
        return reports, kept

    def _sample_class(self, name):
        """(samples, why the reference did not get through)."""
        samples = []
        while len(samples) < self._samples_of(name):
            started = time.monotonic()
            try:
                samples.append(self._sample(name))
            except TaskFailure as problem:
                return samples, f"the reference fails: {problem.what}"
            self._sample_seconds = self._sample_seconds or time.monotonic() - started
        return samples, ""

    def _samples_of(self, name):
        wanted = self._samples * (NOMINAL_SAMPLES_FACTOR if name == "nominal" else 1)
        shares = len(self._session.classes) + NOMINAL_SAMPLES_FACTOR - 1
        affordable = SAMPLING_SECONDS / shares / max(self._sample_seconds, 1e-9)
        return max(SAMPLES_MIN, int(min(affordable, wanted)))

    def _sample(self, name):
        tensors, values = self._make(name)
        outputs = self._run([tensor.clone() for tensor in tensors], values)
        expected = self._expected(tensors, values)
        errors = [self._compare.leaf_error(got, want) for got, want in zip(outputs, expected)]
        return Sample(tensors, values, outputs, expected, errors)

    def _why_not(self, name, samples, errors):
        nonfinite = max(error["nonfinite"] for error in errors)
        if nonfinite:
            return (f"the reference is not finite on {nonfinite} elements where float64 is, or "
                    "the other way round")
        if not all(leaf.finite for sample in samples for leaf in sample.expected):
            return self._why_not_infinite(name, samples)
        worst = max(error["rms"] for error in errors)
        if name != "nominal" and worst > OWN_ERROR_MAX:
            return f"the reference's own error is {worst:.2g} of the outputs' spread"
        return ""

    def _why_not_infinite(self, name, samples):
        """Agreed infinities (a mask, a logarithm of 0) are part of a task's nominal outputs as
        long as something finite is left to compare."""
        some = all(bool(torch.isfinite(leaf.want).any())
                   for sample in samples for leaf in sample.expected if leaf.is_float)
        if name == "nominal" and some:
            self._notes.append("the outputs hold NaN or infinities; they must agree by place")
            return ""
        return "the outputs hold NaN or infinities"

    # -- mutants ----------------------------------------------------------------------------

    def _try_mutants(self, kept):
        reports, skipped = [], {}
        perturbed = self._perturbed_model() if kept else None
        for name, samples in kept.items():
            case = self._case(samples, kept, perturbed)
            for mutant, make in MUTANTS.items():
                outputs = self._mutate(make, case)
                if outputs is None:
                    skipped.setdefault(mutant, name)
                    continue
                errors = [self._compare.leaf_error(got, want)
                          for got, want in zip(outputs, samples[0].expected)]
                reports.append({"name": mutant, "value_class": name, "outputs": errors})
        if skipped:
            self._notes.append("mutants that do not apply: " + ", ".join(skipped))
        return reports

    @staticmethod
    def _mutate(make, case):
        try:
            return make(case)
        except TaskFailure:  # noisy weights can leave the task's own domain
            return None

    def _case(self, samples, kept, perturbed):
        one = samples[0]
        nominal = kept.get("nominal", samples)
        run = None
        if perturbed is not None:
            def run():
                return self._run([t.clone() for t in one.tensors], one.values, perturbed)
        return Case(one.tensors, one.outputs, samples[1].outputs, nominal[-1].outputs,
                    one.expected, run)

    def _perturbed_model(self):
        model = copy.deepcopy(self._instance.model)
        seed = derived_seed(self._session.seed, "perturbation")
        return model if perturb_weights(model, seed) else None

    # -- is every element of the inputs read? -----------------------------------------------

    def _probe_inputs(self, kept):
        specs = self._session.facts["inputs"]
        if not kept:
            return [True] * len(specs)
        sample = next(iter(kept.values()))[0]
        affordable = PROBING_SECONDS / len(specs) / max(self._sample_seconds, 1e-9)
        probes = max(1, int(min(affordable, PROBES)))
        loading.seed_everything(derived_seed(self._session.seed, "probes"))
        places = [torch.randint(0, max(1, t.numel()), (probes,)).tolist() for t in sample.tensors]
        return [self._fully_read(sample, leaf, places[leaf]) for leaf in range(len(specs))]

    def _fully_read(self, sample, leaf, places):
        tensor = sample.tensors[leaf]
        if not tensor.numel():
            return True
        return all(self._is_read(sample, leaf, at, _replacements(tensor, at)) for at in places)

    def _is_read(self, sample, leaf, at, values):
        """True when some replacement of one element changes some output."""
        for value in values:
            tensors = list(sample.tensors)
            tensors[leaf] = tensors[leaf].clone()
            _memory(tensors[leaf])[at] = value
            try:
                expected = self._expected(tensors, sample.values)
            except TaskFailure:
                return True  # it minded
            if any(_differs(one.want, two.want) for one, two in zip(expected, sample.expected)):
                return True
        return not values

    # -- shared -----------------------------------------------------------------------------

    def _make(self, name):
        self._next_index += 1
        return self._session.source.make(self._next_index, name)

    def _run(self, tensors, values, model=None):
        return self._instance.run(tensors, values, self._policy, model)

    def _expected(self, tensors, values):
        return self._instance.expected(tensors, values)


def _memory(tensor):
    """A dense leaf's memory in one dimension."""
    return tensor.as_strided((tensor.numel(),), (1,))


def _replacements(tensor, at):
    """Values to put at one place: far up and far down, or another value of an integer leaf
    (others may be out of range). Empty where no other value is known."""
    flat = _memory(tensor)
    if tensor.dtype.is_floating_point:
        wide = flat.double()
        size = float(wide.std(correction=0)) if flat.numel() > 1 else float(wide.abs().max())
        size = _PROBE_STD * (size if 0 < size < math.inf else 1.0)
        return [float(wide[at]) + size, float(wide[at]) - size]
    if tensor.dtype == torch.bool:
        return [not bool(flat[at])]
    others = flat[flat != flat[at]]
    return [others[0].item()] if others.numel() else []


def _same_bits(one, two):
    if one.dtype != two.dtype or one.shape != two.shape:
        return False
    return bool(torch.equal(_bytes(one), _bytes(two)))


def _bytes(tensor):
    tensor = tensor.contiguous()
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor)
    return tensor.reshape(-1).view(torch.uint8)


def _differs(one, two):
    return not torch.equal(one, two) and not torch.equal(one.nan_to_num(), two.nan_to_num())


def _close_repeat(one, two, expected, gap_max):
    """`gap_max` in spreads of the oracle; integers must be equal."""
    if not expected.is_float:
        return torch.equal(one, two)
    one, two = _reals(one), _reals(two)
    finite = torch.isfinite(one)
    if not torch.equal(finite, torch.isfinite(two)):
        return False
    gap = (one - two)[finite].abs()
    return not gap.numel() or float(gap.max()) <= gap_max * expected.spread


def _reals(tensor):
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor.contiguous())
    return tensor.double()
