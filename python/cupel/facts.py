"""TaskFacts: what a task looks like, found out without spending its memory.

The task's code runs for real as long as it allocates little; beyond that on fake tensors, which
know shapes and strides but hold nothing; and only where fakes fail (values decide the shapes)
for real with all the memory that is allowed.
"""

import contextlib
import functools
import resource

import torch

from cupel import failures, placement, protocol, task_sources
from cupel.failures import TaskFailure
from cupel.options import passed_as_none, unpassed
from cupel.ties import ties_of
from cupel.told_values import told
from cupel.tracking import CallTracker

REAL_BYTES_MAX = 256 << 20  # above this a description on fake tensors (1 s) is the cheaper one
# Room for one operation of a call that turns out too large. Generous: oneDNN, once refused
# memory, keeps failing in the same process.
OPERATION_BYTES_MAX = 2 << 30
DESCRIPTION_SEED = 0x6375  # no secret: facts hold no value of any tensor
INSTANCES = 2              # sets of weights that a judgement uses
HOSTS = 3                  # programs of a usual round that live at once
_FLOAT64_GROWTH = 2


class Description:
    """`facts`: TaskFacts as a dict, but for `program`, which program_facts() finds when it is asked
    for."""

    def __init__(self, facts, program_facts):
        self.facts, self.program_facts = facts, program_facts


def describe(program, memory_bytes, hosts=HOSTS):
    """The Description of a Program. `memory_bytes`: what the referee and so many hosts may use, 0
    for no limit. Raises TaskFailure (too_large with the numbers)."""
    ways = [lambda: _within(REAL_BYTES_MAX, program), lambda: _on_fakes(program)]
    if placement.is_gpu(program.device):
        ways = []  # fast enough for real, whatever its size
    for way in ways:
        try:
            description = way()
            break
        except TaskFailure as problem:
            if not _may_be_our_doing(problem):
                raise
    else:
        description = _within(memory_bytes, program)
    if not placement.is_gpu(program.device):  # there a lint finds out
        require_memory(description.facts, memory_bytes, hosts)
    return description


def _may_be_our_doing(problem):
    """True for failures that the memory limit or the fakes can cause."""
    cause = problem.__cause__
    return problem.kind == "too_large" or isinstance(cause, (RuntimeError, NotImplementedError)) \
        or type(cause).__module__.startswith("torch")


def _within(limit_bytes, program):
    return _observe(program, limit_bytes)


def _on_fakes(program):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode(allow_non_fake_inputs=True):
        return _observe(program, 0)


@contextlib.contextmanager
def data_limit(bytes_more):
    """Lets this process allocate `bytes_more` bytes beyond what it holds; 0 for no limit."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    if bytes_more:
        _start_threads()
        wanted = _data_bytes() + bytes_more
        if before[0] == resource.RLIM_INFINITY or wanted < before[0]:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _limit(program, bytes_more):
    """A GPU's own allocator says when there is no more."""
    on_gpu = placement.is_gpu(program.device)
    return contextlib.nullcontext() if on_gpu else data_limit(bytes_more)


def _start_threads():
    """The thread pool must stand before a limit does: OpenMP aborts when a thread cannot start."""
    torch.ones(1 << 18).exp_()


def _data_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 0


def _observe(program, limit_bytes):
    """`limit_bytes`: what inputs and weights, and then the call, may allocate; 0 for no limit."""
    tracker = CallTracker(limit_bytes)
    with torch.no_grad():
        with _limit(program, limit_bytes):
            input_tree, tensors, values = _leaves(program, program.make_inputs())
            tensors = [dense(leaf.to(program.device)) for leaf in tensors]
            model = program.construct(DESCRIPTION_SEED)
        weights = named_weights(model)
        tracker.ignore([*tensors, *(tensor for _, tensor in weights)])
        room = limit_bytes and limit_bytes + OPERATION_BYTES_MAX
        with program.guard("call"), _limit(program, room):
            arguments = protocol.unflatten(input_tree, tensors, values)
            with tracker:
                result = model(*arguments)
        output_tree, outputs, others = protocol.flatten(result)
        _require_outputs(program, outputs, others)
        facts = _facts(tensors, outputs, weights, tracker.peak_bytes)
        facts.update(
            input_tree=input_tree, output_tree=output_tree, has_value_inputs=bool(values),
            options=[name for name, _ in passed_as_none(arguments)
                     + unpassed(model.forward, len(arguments))],
            init_pickle=program.init_pickle,
            parameter_count=sum(parameter.numel() for parameter in model.parameters()))
        return Description(facts, functools.partial(
            task_sources.describe, program, list(map(type, model.modules())),
            task_sources.weight_lines(weights)))


def _leaves(program, arguments):
    tree, tensors, values = protocol.flatten(arguments)
    for tensor in tensors:
        if tensor.layout != torch.strided or tensor.is_quantized:
            raise TaskFailure("unsupported", f"{program.path}: get_inputs() returns a "
                              f"{tensor.layout} tensor; only dense tensors can be judged",
                              "get_inputs")
    return tree, tensors, values


def dense(tensor):
    """The tensor as an arena holds it: no gaps, no overlap, the order of its dimensions kept."""
    wanted = torch.empty_like(tensor, memory_format=torch.preserve_format, device="meta").stride()
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.stride() == wanted:
        return tensor
    return torch.empty_strided(tensor.shape, wanted, dtype=tensor.dtype,
                               device=tensor.device).copy_(tensor)


def spec_of(tensor):
    """TensorSpec as a dict; `bytes` is the dense size."""
    return {"dtype": protocol.dtype_name(tensor.dtype), "shape": list(tensor.shape),
            "strides": list(tensor.stride()), "bytes": tensor.numel() * tensor.element_size()}


def _output_specs(leaves, inputs):
    """As spec_of(), with what ties each to other tensors."""
    storages = {tensor.untyped_storage()._cdata for tensor in inputs}
    ties = ties_of(leaves, lambda leaf: leaf.untyped_storage()._cdata in storages)
    return [{**spec_of(leaf), "ties": tied}
            for leaf, tied in zip(leaves, ties or [()] * len(leaves))]


def named_weights(model):
    """[(name, tensor)] of all parameters, then all buffers, persistent or not. A tied tensor
    appears under each of its names."""
    named = [*model.named_parameters(remove_duplicate=False),
             *model.named_buffers(remove_duplicate=False)]
    for name, tensor in named:
        if torch.nn.parameter.is_lazy(tensor):
            raise TaskFailure("unsupported", f"parameter {name!r} is lazy: it has no value until "
                              "the first call; construct it with its size", "construct")
    return [(name, tensor.detach()) for name, tensor in named]


def weight_key(tensor):
    """Equal for tensors that are the same memory seen the same way."""
    return (tensor.untyped_storage()._cdata, tensor.storage_offset(), tuple(tensor.shape),
            tuple(tensor.stride()), tensor.dtype)


def _unique_weights(weights):
    return list({weight_key(tensor): tensor for _, tensor in weights}.values())


def _require_outputs(program, outputs, others):
    if not outputs:
        raise TaskFailure("no_tensor_output", f"{program.path}: Model returns no tensor; return "
                          "what is to be computed", "call")
    untold = [type(other) for other in others if told(other) is None]
    if untold:
        raise TaskFailure("unsupported", f"{program.path}: Model returns a {untold[0].__module__}."
                          f"{untold[0].__qualname__}, which cannot be compared; return tensors, "
                          "numbers, texts, None, and lists, tuples and dictionaries of these",
                          "call")


def _facts(inputs, outputs, weights, call_bytes):
    unique = _unique_weights(weights)
    facts = {
        "inputs": [spec_of(leaf) for leaf in inputs],
        "outputs": _output_specs(outputs, inputs),
        "weight_bytes": sum(protocol.align(t.numel() * t.element_size()) for t in unique),
    }
    facts["input_bytes"] = sum(protocol.align(spec["bytes"]) for spec in facts["inputs"])
    facts["output_bytes"] = sum(protocol.align(spec["bytes"]) for spec in facts["outputs"])
    facts["peak_bytes"] = facts["weight_bytes"] + facts["input_bytes"] + call_bytes
    return facts


def memory_needed(facts, hosts=HOSTS):
    """(referee, hosts) in bytes. The referee holds every instance in float32 and float64 and runs
    one call in float64; each host holds every instance and runs one call."""
    weights = facts["weight_bytes"]
    call = facts["peak_bytes"] - weights
    slots = facts["input_bytes"] + facts["output_bytes"]
    held = INSTANCES * weights
    referee = held * (1 + _FLOAT64_GROWTH) + call * _FLOAT64_GROWTH + slots * 4
    return referee, hosts * (held + call + slots * 2)


def require_memory(facts, memory_bytes, hosts=HOSTS):
    """Raises TaskFailure when a judgement of this task, or its lint, would not fit
    `memory_bytes`."""
    referee, programs = memory_needed(facts, hosts)
    if not memory_bytes or referee + programs <= memory_bytes:
        return
    what = "judging" if hosts else "linting"
    raise TaskFailure(
        "too_large", f"{what} needs about {_gib(referee + programs)} of memory ({_gib(referee)} "
        f"for the float64 oracle, {_gib(programs)} for the programs; one call holds "
        f"{_gib(facts['peak_bytes'])}, {_gib(facts['weight_bytes'])} of it weights), but only "
        f"{_gib(memory_bytes)} may be used; use smaller shapes or a larger machine", "open")


def _gib(size):
    return f"{size / (1 << 30):.2f} GiB"


def settings_of(model):
    """{id of a module: the numbers, words and flags that it keeps}: a graph holds those of one
    call."""
    return {id(module): {name: value for name, value in vars(module).items()
                         if isinstance(value, (bool, int, float, str, type(None)))}
            for module in model.modules()}
