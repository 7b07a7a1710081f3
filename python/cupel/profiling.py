"""Where the time of a call goes, told by the process that makes the call (docs/protocol.md,
"profile"). In a candidate's process all of it is a claim.

Times are nanoseconds of one call, the median over several; bytes and flops are of one call.
Operators are those of PyTorch's dispatcher: the time of what an operator calls inside is its own,
and what is under none (Python, kernels of the program's own) is OUTSIDE. Bytes are those of an
operator's tensor arguments and results, each once; views move none."""

import collections
import dataclasses
import itertools
import json
import os
import statistics
import tempfile
import time

import torch
from torch.profiler import ProfilerActivity, record_function
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from cupel import machine_rates, placement
from cupel.kernel_facts import facts_of_kernels

OUTSIDE = "outside of operators"
CALL = "cupel::call"
COMPILED = "Call CompiledFxGraph"  # as torch.compile calls it, with a hash
ROWS_MAX = 12  # operators and kernels that are told of, the longest first
NAME_CHARACTERS_MAX = 160
CALLS_MIN, CALLS_MAX = 3, 40
WARM_CALLS = 3
TIMED_SECONDS = 0.4  # of calls without the profiler, whose own cost they show
TRACED_SECONDS = 0.2
VECTOR_BITS = {"AVX512": 512, "AVX2": 256, "SVE256": 256, "SVE": 256}
DEFAULT_VECTOR_BITS = 128


def reply(call, device, request):
    """To the judge's request."""
    return {"re": "profiled", "profile": profile(call, device, request["measures_machine"])}


def profile(call, device, measures_machine):
    """`call()` makes one call. The dictionary of the reply: docs/protocol.md."""
    on_gpu = placement.is_gpu(device)
    run = _synchronized(call) if on_gpu else call
    for _ in range(WARM_CALLS):
        run()
    found = _timed(run)
    calls = _calls_fitting(TRACED_SECONDS, found["call_ns"])
    events, traced = _traced(run, calls, on_gpu)
    counted = count(run)  # last: a function that torch.compile meets in a mode stays uncompiled
    found |= {
        "threads": torch.get_num_threads(), "traced_calls": calls,
        "vector_bits": VECTOR_BITS.get(torch.backends.cpu.get_cpu_capability(),
                                       DEFAULT_VECTOR_BITS),
        "operators": _longest(operators(events, counted, calls), "ns", "device_ns"),
        "kernels": _longest(facts_of_kernels(kernel_rows(traced, calls), device), "ns"),
    }
    if measures_machine:
        found |= machine_rates.measure(device)
    return found


def _synchronized(call):
    def run():
        call()
        torch.cuda.synchronize()
    return run


def _calls_fitting(seconds, call_ns):
    return max(CALLS_MIN, min(CALLS_MAX, int(seconds * 1e9 / max(call_ns, 1))))


def _timed(run):
    """The median of calls without a profiler, and how many cores they kept busy."""
    walls, cpu_start, start = [], time.process_time_ns(), time.perf_counter_ns()
    while len(walls) < CALLS_MIN or (len(walls) < CALLS_MAX
                                     and time.perf_counter_ns() - start < TIMED_SECONDS * 1e9):
        before = time.perf_counter_ns()
        run()
        walls.append(time.perf_counter_ns() - before)
    cpu_ns = time.process_time_ns() - cpu_start
    return {"call_ns": int(statistics.median(walls)),
            "cores": cpu_ns / max(time.perf_counter_ns() - start, 1)}


def _traced(run, calls, on_gpu):
    """(the profiler's events, its trace as a dictionary where there are kernels)."""
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * on_gpu
    with torch.profiler.profile(activities=activities) as profiler:
        for _ in range(calls):
            with record_function(CALL):
                run()
    return profiler.events(), _trace_of(profiler) if on_gpu else {}


def _trace_of(profiler):
    """Sizes, registers and shared memory of launches are in the exported trace alone."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            return json.load(file)


# --- bytes and operations -------------------------------------------------------------------------

class _Counting(TorchDispatchMode):
    """Bytes and flops of what goes through the dispatcher, by the operator's name."""

    def __init__(self):
        super().__init__()
        from torch.utils.flop_counter import flop_registry
        self._flops = flop_registry
        self.counted = collections.defaultdict(lambda: [0, 0])

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        row = self.counted[func._schema.name]
        if not _is_view(func) and "empty" not in func._schema.name:  # allocations move nothing
            row[0] += _bytes_of((args, kwargs, result))
        count_flops = self._flops.get(func._overloadpacket)
        if count_flops:
            row[1] += int(count_flops(*args, **kwargs, out_val=result))
        else:
            row[1] += _operations_of(func, args, result)
        return result


def _operations_of(func, args, result):
    """One an element of what an operator by elements makes, or of what a reduction reads."""
    counted = ()
    if torch.Tag.pointwise in func.tags:
        counted = _pytree.tree_leaves(result)[:1]
    elif getattr(torch.Tag, "reduction", None) in func.tags:
        counted = args[:1]
    return sum(leaf.numel() for leaf in counted if isinstance(leaf, torch.Tensor))


def count(run):
    """{operator: (bytes, flops)} of one call; of what an operator that fails here does, nothing."""
    mode = _Counting()
    try:
        with mode:
            run()
    except Exception:  # a program that does not bear a mode still has times
        pass
    return {name: tuple(row) for name, row in mode.counted.items()}


def _is_view(func):
    returns = func._schema.returns
    return bool(returns) and all(one.alias_info is not None and not one.alias_info.is_write
                                 for one in returns)


def _bytes_of(tree):
    """Of each storage's part once: an argument that is written is the result, too."""
    seen = {}
    for leaf in _pytree.tree_leaves(tree):
        if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided:
            key = (leaf.data_ptr(), leaf.dtype, tuple(leaf.shape))
            seen[key] = _extent(leaf)
    return sum(seen.values())


def _extent(tensor):
    """Bytes of the memory that it shows: an expanded dimension is read from one place."""
    elements = 1
    for size, stride in zip(tensor.shape, tensor.stride()):
        elements *= size if stride else min(size, 1)
    return elements * tensor.element_size()


# --- operators ------------------------------------------------------------------------------------

def operators(events, counted, calls):
    """A row an operator: name, calls, ns of the processor, device_ns, bytes, flops."""
    each = collections.defaultdict(lambda: [_Row() for _ in range(calls)])
    numbers = {}  # of the traced calls, by their events
    for event in sorted(events, key=lambda one: one.time_range.start):
        call = _call_of(event)
        if call is None:
            continue
        operator, name = _operator_of(event, counted)
        row = each[name][numbers.setdefault(id(call), len(numbers))]
        row.ns += event.self_cpu_time_total * 1e3
        row.device_ns += sum(kernel.duration for kernel in event.kernels) * 1e3
        row.calls += event is operator
    return [{"name": OUTSIDE if name == CALL else name,
             "calls": statistics.mean(row.calls for row in rows),
             "ns": statistics.median(row.ns for row in rows),
             "device_ns": statistics.median(row.device_ns for row in rows),
             "bytes": counted.get(name, (0, 0))[0], "flops": counted.get(name, (0, 0))[1]}
            for name, rows in each.items()]


@dataclasses.dataclass
class _Row:
    calls: int = 0
    ns: float = 0.0
    device_ns: float = 0.0


def _ancestry(event):
    """The event, and what called it, outermost last."""
    while event is not None:
        yield event
        event = event.cpu_parent


def _call_of(event):
    """The traced call that it is of, or None."""
    if event.device_type != torch.autograd.DeviceType.CPU:
        return None
    return next((one for one in _ancestry(event) if one.name == CALL), None)


def _operator_of(event, counted):
    """(event, name): the outermost that was counted, since what an operator calls inside is its own
    time; else itself."""
    outermost = [one for one in _ancestry(event) if one.name in counted][-1:]
    operator = outermost[0] if outermost else event
    return operator, _plain(operator.name)


def _plain(name):
    """Without what names one compilation alone."""
    return COMPILED if name.startswith(f"## {COMPILED}") else name


# --- kernels --------------------------------------------------------------------------------------

def kernel_rows(trace, calls):
    """A row a kernel: name, launches, ns, and where they are known registers of a thread, shared
    bytes of a block, threads of a block, blocks."""
    rows = {}
    for event in trace.get("traceEvents", ()):
        if event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        row = rows.setdefault(event["name"], {"launches": 0, "ns": 0,
                                              **_launch_of(event.get("args", {}))})
        row["launches"] += 1 / calls
        row["ns"] += event["dur"] * 1e3 / calls
    return [{"name": name, **row} for name, row in rows.items()]


def _launch_of(told):
    """Of the first launch; CUPTI tells these of kernels, not of copies."""
    if "registers per thread" not in told:
        return {}
    return {"registers": told["registers per thread"], "shared_bytes": told["shared memory"],
            "block_threads": _product(told["block"]), "blocks": _product(told["grid"])}


def _product(sizes):
    return list(itertools.accumulate(sizes, lambda left, right: left * right))[-1]


def _longest(rows, *keys):
    rows.sort(key=lambda row: -max(row.get(key, 0) for key in keys))
    return [{**row, "name": row["name"][:NAME_CHARACTERS_MAX]} for row in rows[:ROWS_MAX]]
