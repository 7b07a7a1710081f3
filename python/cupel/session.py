"""One task that a referee has open: its inputs, what its outputs must be, comparisons."""

import collections
import functools

import torch

from cupel import placement, protocol, survey
from cupel.admission import Admission
from cupel.compare import Comparer
from cupel.decided_ties import DecidedOtherwise, DecidedTies
from cupel.expected import LeafPrecedents, coarse_unit
from cupel.facts import HOSTS, describe, named_weights, spec_of, weight_key
from cupel.failures import TaskFailure
from cupel.in_order import added_up
from cupel.inputs import (USUAL, InputSource, derived_seed, draw_classes, enabled_classes,
                          pack_values)
from cupel.loading import load
from cupel.near_ties import MULTIPLE, Nearby, NearTies, OwnTies
from cupel.oracle import (GPU_CACHE_BYTES_MAX, Call, ExpectedCache, Instance, Widening,
                          half_ways)
from cupel.order_errors import REFUSED, OrderErrors, OthersInOrder
from cupel.outputs import laid_out
from cupel.supported import require_supported
from cupel.told_values import difference
from cupel.trained import notes_on, trained_instance

FIRST_FURTHER = 1 << 41  # indices of inputs that only show what the reference is off by
PRECEDENTS_MAX = 8       # such inputs a class, at most, beside those of other orders
OWN_LOOKED_AT = 4        # of the task's own inputs, to see whether their outputs are finite
_MAY_BE_ODD = (*USUAL, "nonfinite")  # classes for which that has an answer
KEPT_BYTES_MAX = 8 << 30  # of a GPU's memory, between requests; programs need the rest
TRAINED = 2  # the second instance as hosts load it: see Session._delivered


# Where an input lies in the vault, and what belongs to it.
PreparedInput = collections.namedtuple("PreparedInput", "offset value_class values")


class Session:
    """One open task. Methods take a request's fields and return the reply's."""

    def __init__(self, request):
        task = request["task"]
        require_supported(request)
        self.threads = max(1, request.get("threads") or 1)
        torch.set_num_threads(self.threads)
        self.policy = request.get("policy", "eager")
        self.grain_policy = self.policy  # until a lint finds that torch's defaults are TF32
        self.seed = request["input_seed"]
        self.device = request.get("device", "cpu")
        self.program = load(task, self.device)
        placement.settle_precision(self.policy, reference=True)  # whatever the task asked for
        self.description = describe(self.program, request.get("memory_bytes") or 0,
                                    0 if request.get("lint_only") else HOSTS)
        self.facts = self.description.facts
        if request.get("for_prompts"):
            self.facts["program"] = self.description.program_facts()
        self.source = InputSource(self.program, self.facts, self.seed, self.policy)
        self.classes = enabled_classes(request.get("value_classes") or [],
                                       self.source.has_captured())
        self.widening = Widening()
        self.half_way = half_ways(self.device)[0]  # until a lint settles on another
        self.instances, self.unmade = {}, {}
        self.variation = None  # of the second instance's weights
        self.vault = None
        self.prepared = {}
        on_gpu = placement.is_gpu(self.device)
        self.cache = ExpectedCache(GPU_CACHE_BYTES_MAX) if on_gpu else ExpectedCache()
        self.comparer = Comparer(self.device, request.get("least_multiple", 0.0))
        self._order_multiples = [request.get(key, 0.0)
                                 for key in ("order_multiple", "order_multiple_max")]
        outputs = len(self.facts["outputs"])
        # By (instance, class), for each output leaf: what the reference was off by (groups.py).
        self.precedents = collections.defaultdict(
            lambda: [LeafPrecedents() for _ in range(outputs)])
        self.own_ties = OwnTies(self._new_ties)
        self._ties_behind = OwnTies(self._new_ties)
        self._undecided = set()  # classes of whose inputs nothing hangs on a decision
        self._own_are_finite = None  # the outputs for the task's own inputs; when that is asked
        self._learned = collections.Counter()  # inputs that were made for precedents alone
        self._others_in_order = OthersInOrder(self._errors_on_another)

    def weights(self, instance, seed, offset, check=False):
        """Constructs an instance and writes its state at `offset` of the vault. `check`: finds it
        there as another process wrote it."""
        at, places, entries = 0, {}, []
        for name, tensor in named_weights(self._delivered(instance, seed).model):
            spec, key = spec_of(tensor), weight_key(tensor)
            if key not in places:
                places[key], at = at, at + protocol.align(spec["bytes"])
                self._settle_weight(offset + places[key], name, tensor, spec, check)
            entries.append({"name": name, "dtype": spec["dtype"], "shape": spec["shape"],
                            "offset": places[key], "bytes": spec["bytes"]})
        notes = notes_on(self.instances[0].model, self.variation) if instance else []
        return {"re": "weights", "tensors": entries, "notes": notes}

    def _delivered(self, instance, seed):
        """The instance whose state hosts are given. Of the second one it is another, TRAINED:
        programs that load it are compared with that. Programs that make their weights themselves,
        from the seed, are compared with the second one, which is made when the first of them
        comes."""
        if instance == 0:
            self.instances[0] = self.make_instance(seed)
            return self.instances[0]
        self.instances.pop(instance, None)
        self.unmade[instance] = seed
        self.instances[TRAINED], self.variation = self.trained(seed)
        return self.instances[TRAINED]

    def make_instance(self, seed):
        return Instance(self.program, self.facts, seed, self.widening)

    def own_call(self, instance, tensors, values):
        """(the reference's outputs on an input, what they are off by); None where it fails."""
        try:
            got = instance.run([tensor.clone() for tensor in tensors], values, self.policy,
                               half_way=self.half_way)
            want = instance.expected(tensors, values, self.grain_policy)
        except TaskFailure as problem:
            if problem.kind == "too_large":
                raise
            return None
        return got, list(map(self.comparer.leaf_error, got, want))

    def trained(self, seed):
        """(an instance with weights as training leaves them, how they are varied)."""
        return trained_instance(lambda: self.make_instance(seed), self._own_errors_on(seed),
                                derived_seed(seed, "trained"))

    def _own_errors_on(self, seed):
        """A function from an instance to the reference's own errors with it, on an input of this
        seed's that nobody else gets; None where it fails."""
        tensors, values = self.source.make(derived_seed(seed, "trial"), "nominal")

        def errors_of(instance):
            called = self.own_call(instance, tensors, values)
            return called and called[1]
        return errors_of

    def _instance(self, number):
        """None for one that nobody asked for."""
        if number in self.unmade:
            self.instances[number] = self.make_instance(self.unmade.pop(number))
        return self.instances.get(number)

    def _settle_weight(self, offset, name, tensor, spec, check):
        place = self._place(offset, spec, None)
        if not check:
            place.copy_(tensor)
        elif not torch.equal(place, tensor.contiguous()):
            raise TaskFailure("unsupported", f"{name} comes out different under the same seed")

    def share(self, classes, threads, half_way="", uses_tf32=False, no_near_ties=()):
        """The terms of working with a lint that another process or an earlier sitting made: the
        classes to draw (none: as before), threads to use, the arithmetic of `half` ("": as before),
        whether torch's defaults are TF32 for this task, and where it has no near ties."""
        self.own_ties.none = frozenset(no_near_ties)
        self.classes = list(classes) or self.classes
        if uses_tf32:
            self.grain_policy = "tf32"
        self.half_way = next((way for way in half_ways(self.device) if way.name == half_way),
                             self.half_way)
        self.threads = threads
        torch.set_num_threads(threads)
        return {"re": "ok"}

    def admit(self, samples, memory_bytes=0):
        """Lints the task; from then on only the classes that it keeps are drawn. `memory_bytes`: of
        a GPU's, what rounds leave for one input."""
        if 0 not in self.instances:
            seed = derived_seed(self.seed, "weights")
            self.instances[0] = self.make_instance(seed)
        evidence = Admission(self, self.instances[0], samples, memory_bytes).run()
        self.classes = [report["name"] for report in evidence["classes"] if report["kept"]]
        self.classes = self.classes or ["nominal"]
        placement.give_back_memory(self.device)
        return {"re": "admitted", "evidence": evidence}

    def prepare(self, first, count, offset, stride, instance=0, mix="timed", order=0, at=0,
                again=-1, part=(0, 1)):
        """Makes inputs first..first+count-1 and writes them to the vault: of a timed mix numbers
        `at` and on of the order. `again`: as the inputs from that one on were, their rows moved, if
        it is no less than 0; those of odd numbers are the ones before but for two rows. `part`:
        (k, n) makes only those whose index leaves k when divided by n."""
        if mix not in ("timed", "nominal"):
            raise TaskFailure("unsupported", f"unknown mix {mix!r}; timed or nominal")
        if 0 in self.instances:
            survey.of_classes(self, self.classes)
        seed = derived_seed(self.seed, "order", order)
        twins = [(at + j) % 2 if again >= 0 else 0 for j in range(count)]
        before = at % 2 if again >= 0 else 0  # a twin has the class of the one before it
        drawn = draw_classes(self.classes, mix, before + count, seed, at - before)
        classes = [drawn[before + j - twin] for j, twin in enumerate(twins)]
        if again < 0:
            self.source.number(first, classes)
        with placement.thread_count(1):
            sets = [self._prepare_one(first + j, offset + j * stride, classes[j],
                                      (again + j - twin, twin) if again >= 0 else None)
                    for j, twin in enumerate(twins) if (first + j) % part[1] == part[0]]
        return {"re": "prepared", "sets": sets}

    def _prepare_one(self, index, offset, value_class, again):
        if again is None:
            tensors, values = self.source.make(index, value_class)
        else:
            earlier, is_twin = again
            tensors, values = self.source.make_again(earlier, value_class, index, is_twin)
        for place, tensor in zip(self._input_leaves(offset), tensors):
            place.copy_(tensor)
        self.cache.release(index)
        self.prepared[index] = PreparedInput(offset, value_class, values)
        return {"input": index, "class": value_class, "values": pack_values(values)}

    def compare(self, items):
        """Compares outputs in the vault; items of one input are handled together."""
        replies = [None] * len(items)
        ties = collections.defaultdict(self._new_ties)  # of each program, as is the next
        orders = collections.defaultdict(self._new_orders)
        order = sorted(range(len(items)), key=lambda i: (items[i]["input"], items[i]["instance"]))
        for i in order:
            replies[i] = self._compare_one(ties, orders, **items[i])
        return {"re": "compared", "items": replies}

    def _compare_one(self, ties, orders, program, input, instance, outputs, values=()):
        specs = self.facts["outputs"]
        if len(outputs) != len(specs):
            raise TaskFailure("unsupported",
                              f"{len(outputs)} outputs to compare, the task has {len(specs)}")
        places = [self._place(out["offset"], spec, laid_out(spec["shape"], out.get("strides", ())))
                  for out, spec in zip(outputs, specs)]
        call = self._call_of(input, instance)
        expected = self.cache.get((input, instance), lambda: self._expect_on(call))
        learn = functools.partial(self._learn, instance, call.value_class)
        errors = self._errors(places, expected, learn)
        if any(error["nonfinite"] for error in errors) and not expected.knows_plain:
            self._know_overflows(call, expected)
            errors = self._errors(places, expected, learn)
        odd = any(error["nonfinite"] for error in errors)
        if odd and self._is_outside(call.value_class, expected):
            for one in expected:
                one.leave_odd_alone()
            errors = self._errors(places, expected, learn)
        if ties[program].may_settle(errors, expected):
            settled = self._settled(ties[program], places, expected, call)
            if settled is not places:
                errors = self._errors(settled, expected, learn)
        in_order = functools.partial(self._errors_in_order, call, expected)
        others = self._others_in_order.of(instance, call.value_class)
        return {"input": input, "outputs": errors,
                "own": [one.own_error() for one in expected],
                "in_order": orders[program].look(errors, expected, in_order, others),
                "wrong": difference(values, expected.own_values, expected.values)}

    def _settled(self, ties, leaves, expected, call, is_own=False):
        if call.value_class in self._undecided:
            return leaves
        return ties.settle(leaves, expected, self._nearby(call, is_own), is_own)

    def _new_ties(self, looks=True):
        return DecidedTies(looks) if self._coarse_unit() else NearTies(looks)

    def _new_orders(self):
        multiples = [0.0, 0.0] if self._coarse_unit() else self._order_multiples
        return OrderErrors(*multiples, MULTIPLE if self.policy == "exact" else REFUSED)

    def _errors_in_order(self, call, expected, order):
        """The reference's own, with its sums added up in that order."""
        with added_up(order, self.policy == "exact"):
            leaves = call.model.run_apart(call.tensors, call.values, self.policy)
        leaves = self._settled(self._new_ties(), leaves, expected, call)
        return self._errors(leaves, expected, None)

    def _errors_on_another(self, instance, value_class, number, order):
        """The same on a further input of the class."""
        call = self._further_call(instance, value_class, PRECEDENTS_MAX + number)
        known = [leaf.copied() for leaf in self.precedents[instance, value_class]]
        expected, _, _ = self.own_errors(call, known)
        return self._errors_in_order(call, expected, order)

    def _further_call(self, instance, value_class, number):
        """On an input that no program gets."""
        tensors, values = self.source.make(FIRST_FURTHER + number, value_class)
        return Call(instance, value_class, self._instance(instance), tensors, values)

    def _coarse_unit(self):
        return coarse_unit(self.grain_policy, next(iter(self.instances.values())).dtypes)

    def _nearby(self, call, is_known=False):
        """Of programs, and of the reference itself: whether a near tie is found is chance, and is
        to be the same for both. `is_known`: what the reference gives as it is."""
        instance, value_class, model, tensors, values = call
        seed = derived_seed(self.seed, "tie", instance, value_class)
        unit = self._coarse_unit()
        learn_none = functools.partial(self._undecided.add, value_class)
        if unit:
            return DecidedOtherwise(lambda: model.oracle(tensors, values), unit, seed, learn_none)
        return Nearby(lambda moved: model.run_watched(moved, values, self.policy), tensors, seed,
                      is_known, learn_none)

    def _errors(self, leaves, expected, learn):
        with placement.thread_count(1):
            return [self.comparer.leaf_error(leaf, one, learn)
                    for leaf, one in zip(leaves, expected)]

    def _learn(self, instance, value_class):
        """Adds one more input's to the precedents; False where that was done often enough."""
        done = self._learned[instance, value_class]
        if done == PRECEDENTS_MAX:
            return False
        self._learned[instance, value_class] += 1
        with placement.thread_count(self.threads):
            self._expect_on(self._further_call(instance, value_class, done))
        return True

    def _know_overflows(self, call, expected):
        """The policy's arithmetic may have another range than the reference as it stands."""
        plain = call.model.run_apart(call.tensors, call.values, "eager")
        expected.knows_plain = True
        for leaf, one in zip(plain, expected):
            if one.is_float:
                one.know_odd(leaf)

    def _is_outside(self, value_class, expected):
        """Is there no answer on such an input? So it is where the oracle is NaN or infinite, and is
        neither for the task's own inputs; not where NaN is put among the inputs. A class on which
        that is usual is none that a lint keeps."""
        if value_class in _MAY_BE_ODD or all(one.finite for one in expected):
            return False
        if self._own_are_finite is None:
            own = [self._further_call(0, "nominal", number) for number in range(OWN_LOOKED_AT)]
            self._own_are_finite = all(
                bool(torch.isfinite(leaf).all()) for call in own
                for leaf in call.model.oracle(call.tensors, call.values))
        return self._own_are_finite

    def _expect_on(self, call):
        """What the outputs must be, and what the reference itself is off by under the policy."""
        expected, own, _ = self.own_errors(call)
        expected.own_values = own.values
        expected.knows_plain = self.policy in ("eager", "exact")
        return expected

    def own_errors(self, call, precedents=None):
        """What the outputs must be; the reference's own on these inputs, under the policy; and what
        these are off by, one OutputError a leaf, near ties left out. `precedents`: to which they
        are added, in place of the session's."""
        instance, value_class, model, tensors, values = call
        own, behind = model.run_watched([tensor.clone() for tensor in tensors], values,
                                        self.policy, self.half_way)
        expected = model.expected_on(value_class, tensors, values, self.grain_policy)
        ties = self.own_ties.of(instance, value_class)
        settled = self._settled(ties, own, expected, call, is_own=True)
        numbers = self._ties_behind.of(instance, value_class).settle_behind(
            expected, behind, self._nearby(call, True))
        settled = model.rounded_otherwise(settled, tensors, values, self.policy, self.half_way,
                                          derived_seed(self.seed, "rounding", value_class))
        with placement.thread_count(1):
            precedents = precedents or self.precedents[instance, value_class]
            errors = [self.comparer.own_error(*each)
                      for each in zip(settled, expected, behind, precedents, numbers)]
        for one, got in zip(expected, own):
            one.settle_own(got)
        return expected, own, errors

    def _call_of(self, index, instance):
        """On an input as it lies in the vault."""
        model = self._instance(instance)
        if index not in self.prepared or model is None:
            raise TaskFailure("unsupported", f"input {index} or instance {instance} of the weights "
                              "was never prepared")
        offset, value_class, values = self.prepared[index]
        return Call(instance, value_class, model, list(self._input_leaves(offset)), values)

    def graph(self):
        """The program as a graph of operators, or why there is none."""
        from cupel import graph_export  # what torch.export needs takes a second to import
        from cupel.graph_parts import export_parts

        exported = graph_export.export(self.program, self.seed)
        if "refused" in exported:
            exported["parts"] = export_parts(self.program, self.seed)
        return {"re": "graph", **exported}

    def release(self, first, count):
        """Forgets inputs and what their outputs must be."""
        for index in range(first, first + count):
            self.prepared.pop(index, None)
            self.cache.release(index)
        placement.give_back_memory(self.device, KEPT_BYTES_MAX)
        return {"re": "ok"}

    def _input_leaves(self, offset):
        for spec in self.facts["inputs"]:
            yield self._place(offset, spec, spec["strides"])
            offset += protocol.align(spec["bytes"])

    def _place(self, offset, spec, strides):
        """The vault's memory as a tensor; row-major without strides."""
        if self.vault is None:
            raise TaskFailure("unsupported", "no vault was given")
        if offset < 0 or offset + spec["bytes"] > self.vault.bytes:
            raise TaskFailure("unsupported", f"{spec['bytes']} bytes at {offset} lie outside the "
                              f"vault of {self.vault.bytes}")
        return self.vault.tensor_at(offset, spec["dtype"], spec["shape"], strides)
