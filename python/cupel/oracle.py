"""The reference under the policy's arithmetic, and in float64: the oracle.

Float64 means: parameters, buffers, plain tensor attributes, inputs, torch's default dtype, and
casts to float32 that the code itself asks for (they would round in the middle). Where that
raises or does not yield float64, casts to half precisions are widened too; where that fails as
well, the code's own casts are left alone; and at last the oracle is the reference in float32.
"""

import collections
import contextlib
import copy
import functools
import math
import typing
import weakref

import torch
from torch.overrides import TorchFunctionMode

from cupel import failures, placement, protocol, roundings
from cupel.behind import Watch
from cupel.expected import Expected, grain_of
from cupel.failures import TaskFailure
from cupel.leaves import is_double
from cupel.swallowing import Spoils, Twins
from cupel.tf32 import arithmetic_of
from cupel.told_values import told

_SINGLE = {torch.float32: torch.float64}
_ALL = {torch.float32: torch.float64, torch.float16: torch.float64, torch.bfloat16: torch.float64}
_CASTS = {torch.float32: torch.Tensor.float, torch.float16: torch.Tensor.half,
          torch.bfloat16: torch.Tensor.bfloat16}
# How to reach float64, in the order of preference: which dtypes the code's casts are widened from.
_ATTEMPTS = (_SINGLE, _ALL, {})
OUTLIERS = ("extremes",)  # value classes that put some among the inputs
FILLERS = (0.5, -1.25)       # any two numbers, to see what hangs on an element
CACHE_BYTES_MAX = 512 << 20  # of expected outputs; what is dropped is computed again
GPU_CACHE_BYTES_MAX = 8 << 30


class HalfWay(typing.NamedTuple):
    """How the reference runs in half precision: all of it cast, or under torch.autocast."""
    name: str
    dtype: torch.dtype
    casts: bool


_HALF_WAYS = (HalfWay("bfloat16", torch.bfloat16, True),
              HalfWay("autocast to bfloat16", torch.bfloat16, False),
              HalfWay("float16", torch.float16, True),
              HalfWay("autocast to float16", torch.float16, False))


def half_ways(device):
    """Those that a device has, the least precise first. On a CPU float16 is no arithmetic of its
    own."""
    return _HALF_WAYS if placement.is_gpu(device) else _HALF_WAYS[:2]


class Call(typing.NamedTuple):
    """Of the reference. `instance`: the number of its weights; `model`: with these."""
    instance: int
    value_class: str
    model: "Instance"
    tensors: list  # leaves of the input
    values: list   # what it holds beside tensors


class Leaves(list):
    """The tensors of an output, or what they must be, and `values`: its other leaves, told."""

    def __init__(self, leaves, values):
        super().__init__(leaves)
        self.values = values
        # Of what must be: the reference's own values in the policy's arithmetic, and whether it is
        # known where the reference as it stands overflows.
        self.own_values, self.knows_plain = [], False
        self.in_order = {}  # by order: OutputErrors of the reference, its sums added up so


class Instance:
    """The reference under one seed of weights. Not thread-safe."""

    def __init__(self, program, facts, seed, widening):
        self._program, self._facts, self._widening = program, facts, widening
        self.seed = seed
        with torch.no_grad():
            self.model = program.construct(seed)
        self._wide = None
        self._cast = None, None  # a HalfWay, and the model as that casts it

    @functools.cached_property
    def dtypes(self):
        """Of its weights, inputs and outputs, as far as they are rounded numbers."""
        specs = [*self._facts["inputs"], *self._facts["outputs"]]
        dtypes = {getattr(torch, spec["dtype"]) for spec in specs}
        dtypes |= {weight.dtype for weight in self.model.state_dict().values()
                   if isinstance(weight, torch.Tensor)}
        return set(filter(protocol.is_floating, dtypes))

    def run(self, tensors, values, policy, model=None, half_way=_HALF_WAYS[0]):
        """The outputs (leaves, in the dtypes of the facts) under the policy's arithmetic. The
        leaves of `tensors` are not copied first."""
        model = model or self.model
        if policy == "half":
            return self._run_half(tensors, values, model, half_way)
        with arithmetic_of(policy, any(tensor.is_cuda for tensor in tensors)):
            return self._call(model, tensors, values)

    def run_apart(self, tensors, values, policy, half_way=_HALF_WAYS[0]):
        """The same on copies of the leaves."""
        return self.run([tensor.clone() for tensor in tensors], values, policy, half_way=half_way)

    def rounded_otherwise(self, leaves, tensors, values, policy, half_way, seed):
        """Its outputs on these inputs as roundings.rounded_otherwise() has them."""
        return roundings.rounded_otherwise(
            leaves, lambda: self.run_apart(tensors, values, policy, half_way), seed)

    def run_watched(self, tensors, values, policy, half_way=_HALF_WAYS[0]):
        """As run(), and what each output hangs on (behind.py; None: nothing, or not known)."""
        with self._watch() as watch:
            leaves = self.run(tensors, values, policy, half_way=half_way)
        return leaves, self._behind(watch, leaves)

    def _watch(self):
        """Only where there is something to be seen."""
        dtypes = [getattr(torch, spec["dtype"]) for spec in self._facts["outputs"]]
        floats = all(map(protocol.is_floating, dtypes))
        return contextlib.nullcontext() if floats else Watch()

    @staticmethod
    def _behind(watch, leaves):
        return [watch.behind(leaf) if watch else None for leaf in leaves]

    def expected(self, tensors, values, policy):
        """What the outputs must be: Leaves, one Expected a tensor, nothing known yet of the
        reference's own errors under the policy. Does not write to `tensors`."""
        with self._watch() as watch:
            leaves = self.oracle(tensors, values)
        exact = self._widening.name == "float64"
        dtypes = [getattr(torch, spec["dtype"]) for spec in self._facts["outputs"]]
        return Leaves([Expected(leaf, dtype, _grain(dtype, policy, exact), behind)
                       for leaf, dtype, behind in zip(leaves, dtypes, self._behind(watch, leaves))],
                      leaves.values)

    def expected_on(self, value_class, tensors, values, policy):
        """The same for inputs of a value class."""
        if value_class == "nonfinite":
            return self._expected_of_nonfinite(tensors, values, policy)
        expected = self.expected(tensors, values, policy)
        for one in expected if value_class in OUTLIERS else ():
            one.round_by_the_largest()
        return expected

    def _expected_of_nonfinite(self, tensors, values, policy):
        expected, threads = self.expected(tensors, values, policy), torch.get_num_threads()
        wants = list(map(weakref.ref, expected))  # else they would hold themselves
        with Spoils() as spoils:
            spoiled = self.oracle(tensors, values)

        def learn(places=()):
            with placement.thread_count(threads):
                self._learn_what_hangs([want() for want in wants], places, tensors, values)

        for leaf, want in enumerate(expected):
            want.must_not_swallow(learn, spoils.decided(spoiled[leaf]))
        doubtful = [want.doubtful(spoils, leaf) for want, leaf in zip(expected, spoiled)]
        del spoiled
        if any(places is not None and bool(places.any()) for places in doubtful):
            learn(doubtful)
        return expected

    def _learn_what_hangs(self, wants, doubtful, tensors, values):
        """Expected.learn_what_hangs() of each leaf, None where nobody asks any more, and
        leave_alone() of the `doubtful` places. Of each run only what is asked of it is kept: all of
        them together would be many times the outputs."""
        def filled(nan, infinity):
            return [_filled(tensor, nan, infinity) for tensor in tensors]

        def truths(ask, *runs):
            return [want and ask(want, *leaves) for want, *leaves in zip(wants, *runs)]

        first, second = FILLERS
        one, two = self._side_by_side(filled(first, first), filled(second, second), values)
        samples = [leaf.shape[0] if leaf.dim() else 1 for leaf in one]
        for want, *known in zip(wants, one, two, doubtful):
            if want:
                want.leave_alone(*known)
        found = [truths(Expected.differ, one, two), truths(Expected.nan_in, one)]
        one, two = self._side_by_side(filled(first, None), filled(second, None), values)
        found.append(truths(lambda want, *pair: want.nan_in(pair[0]) & want.nan_in(pair[1]),
                            one, two))
        found.append(truths(Expected.differ, one, two))
        del one, two
        for number in (first, math.nan):
            found.append(truths(Expected.nan_in, self.oracle(filled(math.nan, number), values)))
        for want, count, *each in zip(wants, samples, *found):
            if want:
                want.learn_what_hangs(count, *each)

    def _side_by_side(self, ones, others, values):
        """The outputs on these inputs and on those. What is equal in both, but hangs on a choice
        between numbers that differ, is another number in the second (Twins), as long as they can be
        run in step: there may be no memory, or an operation that nobody foresaw."""
        twins = Twins(ones, others)
        try:
            with twins:
                one = self.oracle(ones, values)
        except TaskFailure as problem:
            if problem.kind != "too_large":
                raise
            twins.lose()
            one = self.oracle(ones, values)
        return one, twins.second(one, self.oracle(others, values))

    def oracle(self, tensors, values):
        """The outputs in float64, or as near to it as the task's code gets."""
        for attempt in self._widening.attempts():
            leaves = self._try_wide(attempt, tensors, values)
            if leaves is not None:
                self._widening.settle(attempt)
                return leaves
        self._widening.give_up()
        with placement.no_tf32():
            return self._call(self.model, [tensor.clone() for tensor in tensors], values)

    def _try_wide(self, attempt, tensors, values):
        """The outputs in float64; None where this attempt does not get there."""
        if self._wide is None:
            self._wide = converted(self.model, torch.float64)
        wide = [_wide_leaf(tensor) for tensor in tensors]
        try:
            with default_dtype(torch.float64), _Widened(attempt), \
                    _limits_of(_only_dtype(self._facts)):
                result = self._result(self._wide, wide, values)
        except Exception as problem:  # whatever the task's code does in an unusual dtype
            self._raise_if_too_large(problem)
            self._widening.problem = problem
            return None
        return self._checked(result, float64=True)

    def _run_half(self, tensors, values, model, way):
        """Cast throughout, if that is the way; autocast where the code does not survive that."""
        result = self._try_cast(tensors, values, model, way) if way.casts else None
        if result is not None:
            return self._checked(result)
        with torch.autocast(torch.device(self._program.device).type, dtype=way.dtype):
            return self._call(model, tensors, values)

    def _try_cast(self, tensors, values, model, way):
        """The result; None where the code mixes dtypes, mostly since it names float32 itself."""
        narrow = [t.to(way.dtype) if t.dtype == torch.float32 else t for t in tensors]
        try:
            with default_dtype(way.dtype):
                return self._result(self._narrow(model, way), narrow, values)
        except Exception as problem:
            self._raise_if_too_large(problem)
            return None

    def _narrow(self, model, way):
        """The model in the way's dtype; the instance's own is kept."""
        if model is not self.model:
            return converted(model, way.dtype)
        if self._cast[0] is not way:
            self._cast = way, converted(model, way.dtype)
        return self._cast[1]

    def _raise_if_too_large(self, problem):
        """What does not fit the memory is not to be tried in another arithmetic."""
        if failures.is_out_of_memory(problem):
            raise failures.from_exception(problem, "call", self._program.path) from problem

    def _call(self, model, tensors, values):
        with self._program.guard("call"):
            result = self._result(model, tensors, values)
        return self._checked(result)

    def _result(self, model, tensors, values):
        with torch.no_grad():
            return model(*protocol.unflatten(self._facts["input_tree"], tensors, values))

    def arguments_after(self, tensors, values):
        """The arguments as a call leaves them, as protocol.flatten() has them: a list or a
        dictionary may hold others by then. The leaves of `tensors` are not copied first."""
        arguments = protocol.unflatten(self._facts["input_tree"], tensors, values)
        with self._program.guard("call"), torch.no_grad():
            self.model(*arguments)
        return protocol.flatten(list(arguments))

    def _checked(self, result, float64=False):
        tree, leaves, others = protocol.flatten(result)
        specs = self._facts["outputs"]
        want = [spec["shape"] for spec in specs]
        if tree != self._facts["output_tree"] or [list(leaf.shape) for leaf in leaves] != want:
            raise TaskFailure("unsupported", f"{self._program.path}: Model returned "
                              f"{[list(leaf.shape) for leaf in leaves]}, before it was {want}; a "
                              "task's outputs must have the same shapes every time", "call")
        if float64 and not all(map(_is_wide, leaves)):
            return None
        if not float64:
            leaves = [leaf.to(getattr(torch, spec["dtype"])) for leaf, spec in zip(leaves, specs)]
        return Leaves(leaves, list(map(told, others)))


def _grain(dtype, policy, exact):
    return grain_of(dtype if protocol.is_floating(dtype) else torch.float32, policy, exact)


def _filled(tensor, nan, infinity):
    """A copy with these numbers in place of NaN and of infinities, which stay where it is None."""
    if not tensor.dtype.is_floating_point:
        return tensor
    if infinity is None:
        return tensor.masked_fill(tensor.isnan(), nan)
    return tensor.nan_to_num(nan, infinity, infinity)


def _is_wide(leaf):
    return is_double(leaf) or not protocol.is_floating(leaf.dtype)


def _wide_leaf(tensor):
    """A copy, in float64 where it is floating."""
    if tensor.dtype.is_floating_point:
        return tensor.to(torch.float64, copy=True)
    return tensor.to(torch.complex128, copy=True) if tensor.dtype.is_complex else tensor.clone()


class Widening:
    """Which way to float64 works for a task; shared by its instances."""

    def __init__(self):
        self._settled = None
        self._hopeless = False
        self.problem = None  # the last exception on the way, for the report

    @property
    def name(self):
        """"float64" or "float32"."""
        return "float32" if self._hopeless else "float64"

    def attempts(self):
        if self._hopeless:
            return ()
        return _ATTEMPTS if self._settled is None else (self._settled,)

    def settle(self, attempt):
        self._settled = attempt

    def give_up(self):
        """Only before any attempt worked: a task's oracle does not change its precision."""
        if self._settled is not None:
            raise TaskFailure("raised", "the reference fails in float64 on this input though it "
                              f"worked before: {self.problem}", "call")
        self._hopeless = True


class _Widened(TorchFunctionMode):
    """Replaces dtypes that the code names by wider ones."""

    def __init__(self, wider):
        super().__init__()
        self._wider = wider
        self._casts = frozenset(cast for dtype, cast in _CASTS.items() if dtype in wider)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in self._casts:
            return args[0].to(torch.float64)
        if torch.dtype in map(type, args):
            args = map(self._widen, args)
        if kwargs:
            kwargs = {key: self._widen(value) for key, value in kwargs.items()}
            return func(*args, **kwargs)
        return func(*args)

    def _widen(self, value):
        return self._wider.get(value, value) if type(value) is torch.dtype else value


def _only_dtype(facts):
    """The floating dtype of a task's tensors; float32 where there are several, None for float64."""
    dtypes = {getattr(torch, spec["dtype"]) for spec in [*facts["inputs"], *facts["outputs"]]}
    floating = {dtype for dtype in dtypes if dtype.is_floating_point}
    if torch.float64 in floating:
        return None
    return floating.pop() if len(floating) == 1 else torch.float32


@contextlib.contextmanager
def _limits_of(dtype):
    """Code that asks for the limits of its type (a mask of the least number, an epsilon) gets
    those that it has outside the oracle. None: leaves them alone."""
    given = torch.finfo

    def limits(asked=None):
        asked = asked or torch.get_default_dtype()
        return given(dtype if asked == torch.float64 else asked)

    torch.finfo = limits if dtype is not None else given
    try:
        yield
    finally:
        torch.finfo = given


@contextlib.contextmanager
def default_dtype(dtype):
    """torch's default dtype inside the context."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def converted(model, dtype):
    """A copy of the model with its floating parameters, buffers and plain tensor attributes in
    `dtype`."""
    with torch.no_grad():
        model = copy.deepcopy(model).to(dtype)
        for module in model.modules():
            for name, value in list(vars(module).items()):
                if name not in ("_parameters", "_buffers", "_modules"):
                    vars(module)[name] = _convert_attribute(value, dtype)
    return model


def _convert_attribute(value, dtype):
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if value.dtype.is_floating_point else value
    if type(value) in (list, tuple):
        return type(value)(_convert_attribute(item, dtype) for item in value)
    if type(value) is dict:
        return {key: _convert_attribute(item, dtype) for key, item in value.items()}
    return value


class ExpectedCache:
    """Expected outputs by (input, instance), the least recently used dropped beyond a size."""

    def __init__(self, bytes_max=CACHE_BYTES_MAX):
        self._entries = collections.OrderedDict()
        self._bytes, self._bytes_max = 0, bytes_max
        self._largest = 0  # of any entry so far: the next one may be as large

    def get(self, key, compute):
        """The entry, computed when it is not held."""
        if key not in self._entries:
            self._make_room(self._largest)
            self._add(key, compute())
        self._entries.move_to_end(key)
        return self._entries[key]

    def _add(self, key, expected):
        self._entries[key] = expected
        self._bytes += _bytes_of(expected)
        self._largest = max(self._largest, _bytes_of(expected))
        self._make_room(0)

    def _make_room(self, bytes_more):
        """The last entry is kept, whatever its size, once it is made."""
        while self._bytes + bytes_more > self._bytes_max and len(self._entries) > (not bytes_more):
            self._bytes -= _bytes_of(self._entries.popitem(last=False)[1])

    def release(self, index):
        """Forgets an input under all instances."""
        for key in [key for key in self._entries if key[0] == index]:
            self._bytes -= _bytes_of(self._entries.pop(key))


def _bytes_of(expected):
    return sum(leaf.bytes for leaf in expected)
