"""Lints a task: the reference's own error, what disturbs it, and which mutants can be told apart.

The result is AdmissionEvidence, raw; the judge concludes. Inputs of the lint have indices that no
timed call reaches.
"""

import copy
import functools
import math
import time
import typing

import torch

from cupel import attributes, failures, loading, placement, survey, two_terms
from cupel.alike import close_repeat, differs, same_bits
from cupel.class_samples import ClassSamples, Sample
from cupel.expected import in_half
from cupel.failures import TaskFailure
from cupel.inputs import derived_seed
from cupel.leaves import is_whole
from cupel.mutants import MUTANTS, Case, perturb_weights
from cupel.oracle import Call, half_ways
from cupel.output_errors import worst_of
from cupel.told_values import told
from cupel.trained import USEFUL_RMS_MAX, notes_on
from cupel.value_classes import why_unchanged

FIRST_INDEX = 1 << 40      # of the lint's inputs; a session's count up from 0
NOMINAL_SAMPLES_FACTOR = 2  # nominal is half of what is timed and the base of the tolerances
SAMPLES_MIN = 2            # "other_input" needs another input
KEPT_BYTES_MAX = 1 << 30   # of a GPU's memory, unused between two classes
PROBES = 8                 # elements changed, one at a time, in each input leaf
# Once mutants have taken their time, those that miss by so many spreads on nominal inputs, which is
# twice what any tolerance allows, are not tried on other classes.
TOLD_APART_RMS = 0.2
HALF_ERROR_MAX = 0.08  # of one element, in a half precision that is of use
# The reference computes in TF32 where its error is so many times what it is without. Of one product
# it is 870 times and more; what else a task does may add to both.
TF32_FACTOR = 8.0
FLOAT32_ULP = 2.0 ** -23
# A class on which the reference itself is off by this share of the outputs' spread tells nothing.
OWN_ERROR_MAX = 0.1
GROUPS_NAMED = 3
FINITE_SHARE = 0.5         # of what is finite for nominal inputs, so much must be on other classes
# Two runs on one input may differ by reassociation (threads): in shares of the outputs' spread,
REPEAT_SHARE = 4.0         # times the reference's own largest error,
REPEAT_FLOOR = 1e-7        # or this;
REPEAT_ORACLE = {"float64": 1e-9, "float32": 1e-5}  # and the oracle itself by no more than that.
_PROBE_STD = 32.0


class Seconds(typing.NamedTuple):
    """A task whose samples take long gets fewer of them, fewer probes and fewer mutants, to keep
    within these; what is least needed is made all the same."""
    sampling: float
    probing: float
    mutants: float


CPU_SECONDS = Seconds(40.0, 20.0, 20.0)
# What takes long there has a hundred times the elements: a sample shows a hundred times as many.
GPU_SECONDS = Seconds(12.0, 4.0, 4.0)


class Admission:
    """Lints the session's task on one instance of its weights. `memory_bytes`: of a GPU's, what
    rounds leave for one input; 0: all."""

    def __init__(self, session, instance, samples, memory_bytes=0):
        self._session, self._instance = session, instance
        self._memory_bytes = memory_bytes
        self._samples = max(SAMPLES_MIN, samples)
        self._policy, self._compare = session.policy, session.comparer
        self._next_index = FIRST_INDEX
        self._notes = []
        self._sample_seconds = 0.0  # of the first one: making, running, the oracle, comparing
        self._seconds = GPU_SECONDS if placement.is_gpu(session.device) else CPU_SECONDS
        self._previous = None       # outputs of a nominal input
        self._idle = self._classes_of_no_use()  # classes that make no difference to the task: why
        self._fully_read = None     # an answer for each input leaf, by the first class that is kept
        self._mutant_seconds = 0.0
        self._told_apart, self._left_out = set(), False  # names of mutants; was one left out?
        self._finite_share = 1.0  # of the outputs for nominal inputs
        self._not_applied = {}      # names of mutants, in order
        self._in_two_terms = []     # multiples of its own error, one an output (two_terms.py)

    def run(self):
        """AdmissionEvidence as a dict."""
        evidence = self._first_look()
        self._settle_half_way()
        evidence["half_way"] = self._session.half_way.name if self._policy == "half" else ""
        evidence["uses_tf32"] = self._uses_tf32()
        if evidence["uses_tf32"]:
            self._session.grain_policy = "tf32"
        evidence["in_half"] = in_half(self._instance.dtypes)
        evidence["classes"], evidence["mutants"] = self._look_at_classes()
        evidence["no_near_ties"] = self._session.own_ties.looked_in_vain(self._session.classes)
        evidence["in_two_terms"] = self._in_two_terms
        evidence["input_fully_read"] = self._fully_read or [True] * self._input_count()
        _, variation = self._session.trained(derived_seed(self._session.seed, "weights"))
        self._notes += notes_on(self._instance.model, variation)
        evidence["oracle"] = self._session.widening.name
        if evidence["oracle"] != "float64":
            self._notes.append("the reference does not run in float64 "
                               f"({self._session.widening.problem}); its float32 outputs stand in")
        evidence["notes"] = self._notes
        return evidence

    def _classes_of_no_use(self):
        dtypes = [getattr(torch, spec["dtype"]) for spec in self._session.facts["outputs"]]
        whole = any(map(is_whole, dtypes))
        return {} if whole else {"ties": "no output is an index, a number or a choice"}

    # -- the first look: determinism, writes, time ------------------------------------------

    def _first_look(self):
        tensors, values = self._make("nominal")
        buffers = list(self._instance.model.buffers())
        before = [buffer.clone() for buffer in buffers]
        first = self._run([tensor.clone() for tensor in tensors], values)
        changes_state = not all(map(same_bits, buffers, before))
        given = [tensor.clone() for tensor in tensors]
        held = attributes.held_by(self._instance.model)
        self._wait()
        started = time.monotonic()
        second = self._run(given, values)
        self._wait()
        reference_ms = (time.monotonic() - started) * 1e3
        self._notes += attributes.notes_on(held, self._instance.model)
        self._look_at_fixed_inputs(tensors)
        return {
            "deterministic": self._agree(tensors, values, first, second),
            "changes_state": changes_state,
            "mutates_inputs": (not all(map(same_bits, tensors, given))
                               or self._fills_containers(tensors, values)),
            "reference_ms": reference_ms,
        }

    def _fills_containers(self, tensors, values):
        """Does a call leave something else in lists and the like that it is given?"""
        tree = self._session.facts["input_tree"]
        if sum(map(tree.count, "[{<")) < 2:  # the arguments are a list themselves
            return False
        found, after, others = self._instance.arguments_after(
            [tensor.clone() for tensor in tensors], values)
        return (found != tree or not all(map(same_bits, tensors, after))
                or list(map(told, others)) != list(map(told, values)))

    def _wait(self):
        placement.synchronize(self._session.program.device)

    def _look_at_fixed_inputs(self, tensors):
        """Notes those, and which classes would make no difference."""
        others, values = self._make("nominal")
        self._notes += [f"input {i} has the same values every time"
                        for i, (one, other) in enumerate(zip(tensors, others))
                        if one.numel() > 1 and same_bits(one, other)]
        self._notes += [f"input {i} of integers or booleans is {tensors[i].reshape(-1)[0].item()} "
                        "everywhere, every time: the reference survives no other value"
                        for i in survey.of_ways(self._session)]
        if not self._session.source.ways:
            self._idle["permuted"] = "no mask, choice or index could be another"
        self._look_at_values(values)
        self._idle |= why_unchanged(tensors)

    def _look_at_values(self, values):
        """Of arguments that are no tensors: which other values would the reference survive?"""
        if not values:
            self._idle["other_values"] = "all arguments are tensors"
            return
        stay = survey.of_values(self._session)
        if not self._session.source.other_values:
            self._idle["other_values"] = "the reference survives no other value of any"
        self._notes += [f"argument {i} that is no tensor is always {values[i]!r}: the reference "
                        "survives no other value" for i in stay]

    def _agree(self, tensors, values, first, second):
        """Bitwise, or else within rounding: of the oracle, and of the reference's own error."""
        if first.values != second.values:
            return False
        if all(map(same_bits, first, second)):
            return True
        one, two = (self._expected(tensors, values) for _ in range(2))
        oracle_gap = REPEAT_ORACLE[self._session.widening.name]
        alike = all(close_repeat(a.want, b.want, a, oracle_gap) for a, b in zip(one, two))
        if not alike or not all(map(self._close_outputs, first, second, one)):
            return False
        self._notes.append("two runs on one input differ by rounding")
        return True

    def _close_outputs(self, first, second, expected):
        own = self._compare.leaf_error(first, expected)["max"]
        gap = max(REPEAT_FLOOR, REPEAT_SHARE * own)
        return close_repeat(first, second, expected, gap)

    # -- the arithmetic of `half` -----------------------------------------------------------

    def _settle_half_way(self):
        """Tolerances of `half` are what half precision does to the reference. Where that is of no
        use on the task's own inputs it tells nothing, so the next kind of it is tried."""
        if self._policy != "half":
            return
        ways = half_ways(self._session.device)
        for self._session.half_way in ways:
            if self._is_useful():
                break
        else:
            self._session.half_way = ways[0]
        if self._session.half_way is not ways[0]:
            self._notes.append(f"in {ways[0].name} the reference's own error is too large to be of "
                               f"use; tolerances are those of {self._session.half_way.name}")

    def _is_useful(self):
        try:
            errors = worst_of([self._sample("nominal").errors for _ in range(SAMPLES_MIN)])
        except TaskFailure as problem:
            _raise_if_too_large(problem)
            return False
        return all(not error["nonfinite"] and error["rms"] <= USEFUL_RMS_MAX
                   and error["max"] <= HALF_ERROR_MAX for error in errors)

    # -- the arithmetic of `eager` ----------------------------------------------------------

    def _uses_tf32(self):
        """Is the reference's own error TF32's, by torch's defaults on a GPU?"""
        if self._policy != "eager" or not placement.is_gpu(self._session.device):
            return False
        try:
            tensors, values = self._make("nominal")
            expected = self._expected(tensors, values)
            own = self._errors(tensors, values, expected)
            with placement.no_tf32():
                without = self._errors(tensors, values, expected)
        except TaskFailure as problem:
            _raise_if_too_large(problem)
            return False
        return any(one["rms"] > TF32_FACTOR * (other["rms"] + FLOAT32_ULP)
                   for one, other in zip(own, without))

    def _errors(self, tensors, values, expected):
        outputs = self._run([tensor.clone() for tensor in tensors], values)
        return [self._compare.leaf_error(got, want) for got, want in zip(outputs, expected)]

    # -- the arithmetic of `exact` ----------------------------------------------------------

    def _find_in_two_terms(self, sample):
        """Of a nominal sample."""
        model = copy.deepcopy(self._instance.model)
        two_terms.round_weights(model)
        short = self._mutate(lambda one: self._run(
            [two_terms.in_two_terms(tensor) for tensor in one.tensors], one.values, model), sample)
        self._in_two_terms = [two_terms.multiple_of_own(self._compare, *each)
                              for each in zip(short or [], sample.expected)]

    # -- value classes ----------------------------------------------------------------------

    def _look_at_classes(self):
        """(class reports, mutant reports). Class by class, so that only one's samples are held."""
        reports, mutants = [], []
        for name in self._session.classes:
            if name in self._idle:
                reports.append({"name": name, "kept": False, "reason": self._idle[name],
                                "outputs": []})
                continue
            samples, reason = self._sample_class(name)
            errors = worst_of(samples.errors)
            reason = reason or self._why_not(name, samples, errors)
            reports.append({"name": name, "kept": not reason, "reason": reason,
                            "outputs": errors})
            if not reason:
                self._fully_read = self._fully_read or self._probe_inputs(samples.first)
                mutants += self._try_mutants(name, samples)
                if name == "nominal" and self._policy == "exact":
                    self._find_in_two_terms(samples.first)
            del samples
            placement.give_back_memory(self._session.device, KEPT_BYTES_MAX)
        self._note_mutants()
        return reports, mutants

    def _sample_class(self, name):
        """(ClassSamples, why the reference did not get through). Raises where memory ran out, but
        for other inputs than the task's own that do not fit beside the programs of a round."""
        samples = ClassSamples()
        while len(samples.errors) < self._samples_of(name):
            started = time.monotonic()
            try:
                samples.add(self._next_of(name, samples))
            except Exception as problem:
                if not isinstance(problem, TaskFailure) and \
                        not failures.is_out_of_memory(problem):
                    raise
                problem = failures.from_exception(problem, "call", self._session.program.path)
                return samples, self._why_no_sample(name, problem)
            self._sample_seconds = self._sample_seconds or time.monotonic() - started
        if samples.overwritten():
            raise TaskFailure("unsupported", f"{self._session.program.path}: Model returns memory "
                              "of its own that its later calls write to, so that its outputs "
                              "cannot be kept; return a copy: tensor.clone()", "call")
        return samples, ""

    def _next_of(self, name, samples):
        """The first one is made in as much memory as there is for it in a round. Beside what is
        held of it there may be none for more than a sample."""
        if samples.first is not None and self._memory_bytes:
            return self._sample(name)
        with placement.bounded_memory(self._session.device, self._memory_bytes):
            return self._with_what_hangs(self._sample(name))

    @staticmethod
    def _with_what_hangs(sample):
        """The sample; what a round may ask of it is found out, so that a class at which the
        reference fails then is not kept."""
        for one in sample.expected:
            one.know_what_hangs()
        return sample

    def _why_no_sample(self, name, problem):
        if problem.kind != "too_large":
            return f"the reference fails: {problem.what}"
        if not self._memory_bytes:
            raise problem
        left = f"{self._memory_bytes / 2 ** 30:.1f} GiB that rounds leave of the GPU's memory"
        if name == "nominal":
            raise TaskFailure("too_large", f"{problem.what}; of such inputs one call and its check "
                              f"in float64 take more than the {left}; use smaller shapes or a GPU "
                              "with more memory", "call") from problem
        return f"its check takes more than the {left}"

    def _samples_of(self, name):
        wanted = self._samples * (NOMINAL_SAMPLES_FACTOR if name == "nominal" else 1)
        classes = set(self._session.classes) - set(self._idle)
        shares = len(classes) + NOMINAL_SAMPLES_FACTOR - 1
        affordable = self._seconds.sampling / shares / max(self._sample_seconds, 1e-9)
        return max(SAMPLES_MIN, int(min(affordable, wanted)))

    def _sample(self, name):
        tensors, values = self._make(name)
        expected, outputs, errors = self._session.own_errors(
            Call(0, name, self._instance, tensors, values))
        return Sample(tensors, values, outputs, expected, errors)

    def _why_not(self, name, samples, errors):
        nonfinite = max(error["nonfinite"] for error in errors)
        if nonfinite:
            return (f"the reference is not finite on {nonfinite} elements where float64 is, or "
                    "the other way round")
        if samples.comparable < 1.0 and (reason := self._why_not_infinite(name, samples)):
            return reason
        if name == "nominal":
            self._note_hopeless(samples.first.expected)
        worst = max(error["rms"] for error in errors)
        if name != "nominal" and worst > OWN_ERROR_MAX:
            return f"the reference's own error is {worst:.2g} of the outputs' spread"
        return ""

    def _note_hopeless(self, expected):
        """What is nothing but cancellation tells nothing of a program."""
        for leaf, one in enumerate(expected):
            names = one.hopeless()
            if names:
                self._notes.append(f"output {leaf}: {len(names)} groups are not compared, since "
                                   "the reference itself is off by as much as they are: "
                                   + ", ".join(names[:GROUPS_NAMED]))

    def _why_not_infinite(self, name, samples):
        """Infinities of the task's own outputs (a mask, a logarithm of 0), what overflows in the
        reference's own type, and what comes of the class `nonfinite` must agree by place, as long
        as there is enough beside them to compare: for the task's own inputs anything, for others
        half as much. Others are outside of the reference's domain."""
        if name == "nominal":
            self._finite_share = samples.comparable
            self._notes.append("the outputs hold NaN or infinities; they must agree by place")
        enough = samples.comparable > 0 and samples.comparable >= FINITE_SHARE * self._finite_share
        return "" if enough else "the outputs hold NaN or infinities"

    # -- mutants ----------------------------------------------------------------------------

    def _try_mutants(self, name, samples):
        started = time.monotonic()
        nominal = name == "nominal"
        if nominal:
            self._previous = samples.last
        case, reports = self._case(samples), []
        for mutant, make in MUTANTS.items():
            if self._mutant_seconds > self._seconds.mutants and mutant in self._told_apart:
                self._left_out = True
                continue
            outputs = self._mutate(make, case)
            if outputs is None:
                self._not_applied[mutant] = True
                continue
            errors = [self._compare.leaf_error(got, want)
                      for got, want in zip(outputs, samples.first.expected)]
            reports.append({"name": mutant, "value_class": name, "outputs": errors})
            if nominal and max(error["rms"] for error in errors) > TOLD_APART_RMS:
                self._told_apart.add(mutant)
        self._mutant_seconds += time.monotonic() - started
        return reports

    def _note_mutants(self):
        if self._not_applied:
            self._notes.append("mutants that do not apply: " + ", ".join(self._not_applied))
        if self._left_out:
            self._notes.append("the task is large: mutants that are far off on its own inputs were "
                               "not tried on every class")

    @staticmethod
    def _mutate(make, case):
        try:
            return make(case)
        except TaskFailure as problem:  # noisy weights can leave the task's own domain
            _raise_if_too_large(problem)
            return None

    def _case(self, samples):
        one, run = samples.first, None
        if self._perturbed is not None:
            def run():
                return self._run([t.clone() for t in one.tensors], one.values, self._perturbed)
        return Case(one.tensors, one.outputs, samples.other, self._previous or samples.last, run)

    @functools.cached_property
    def _perturbed(self):
        """The reference with noisy weights; None where it has none."""
        model = copy.deepcopy(self._instance.model)
        seed = derived_seed(self._session.seed, "perturbation")
        return model if perturb_weights(model, seed) else None

    # -- is every element of the inputs read? -----------------------------------------------

    def _input_count(self):
        return len(self._session.facts["inputs"])

    def _probe_inputs(self, sample):
        affordable = self._seconds.probing / self._input_count() / max(self._sample_seconds, 1e-9)
        probes = max(1, int(min(affordable, PROBES)))
        loading.seed_everything(derived_seed(self._session.seed, "probes"))
        places = [torch.randint(0, max(1, t.numel()), (probes,)).tolist() for t in sample.tensors]
        return [self._all_read(sample, leaf, places[leaf]) for leaf in range(len(sample.tensors))]

    def _all_read(self, sample, leaf, places):
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
            except TaskFailure as problem:
                _raise_if_too_large(problem)
                return True  # it minded
            if any(differs(one.want, two.want) for one, two in zip(expected, sample.expected)):
                return True
        return not values

    # -- shared -----------------------------------------------------------------------------

    def _make(self, name):
        self._next_index += 1
        return self._session.source.make(self._next_index, name)

    def _run(self, tensors, values, model=None):
        return self._instance.run(tensors, values, self._policy, model, self._session.half_way)

    def _expected(self, tensors, values, name="nominal"):
        return self._instance.expected_on(name, tensors, values, self._session.grain_policy)


def _raise_if_too_large(problem):
    """What does not fit this machine's memory says nothing about the task."""
    if problem.kind == "too_large":
        raise problem


def _memory(tensor):
    """A dense leaf's memory in one dimension."""
    return tensor.as_strided((tensor.numel(),), (1,))


def _replacements(tensor, at):
    """To put at one place: far up and far down; of integers another of theirs, or none."""
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
