"""What of a process all code in it shares, and what one program has changed of it: a snapshot
before the program's import, one after its calls (docs/audit.md, "Process state").

Standard library and torch. Reads, changes nothing and starts nothing."""

import ctypes
import decimal
import gc
import locale
import logging
import os
import random
import resource
import signal
import sys
import threading
import types
import warnings

import torch
import torch.nn.modules.module as nn_module

from cupel import light_extension

NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
VALUE_CHARACTERS_MAX = 120
FINGERPRINT_ELEMENTS, FINGERPRINT_PERIOD = 1 << 18, 8191  # at a time; a prime
# Smallest float32 that is not normal, and so many of them that torch shares them among its threads.
SUBNORMAL, SUBNORMALS = 1e-40, 1 << 17
_GLOBAL_HOOKS = ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_backward_hooks",
                 "_global_backward_pre_hooks", "_global_module_registration_hooks",
                 "_global_parameter_registration_hooks", "_global_buffer_registration_hooks")
# What replaces functions without the program's doing: torch.compile at its first use, and this
# package, so that extensions build faster.
REPLACING_FILES = (light_extension.__file__, *(
    os.path.join(os.path.dirname(torch.__file__), name)
    for name in ("_dynamo", "_compile", "_functorch", "_inductor")))
_libm = ctypes.CDLL(None)
_full = torch.full  # as it is before a program can replace it


def flushes_subnormals():
    """Whether some thread of torch's or this one takes the smallest numbers for zero."""
    small = _full((SUBNORMALS,), SUBNORMAL, dtype=torch.float32, device="cpu")
    return bool(((small * 1.0) == 0).any()) or sys.float_info.min / 4 == 0.0


def backend_switches():
    """The flags of torch.backends, by their dotted names."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.backends.") and not name.startswith("torch.backends._"):
            for flag in ("enabled", "benchmark", "deterministic", "allow_tf32", "benchmark_limit",
                         "fp32_precision", "flags_frozen"):
                value = _read(lambda module=module, flag=flag: getattr(module, flag))
                if isinstance(value, (bool, int, str)):
                    found[f"{name}.{flag}"] = value
    matmul = torch.backends.cuda.matmul
    for flag in ("allow_tf32", "allow_fp16_reduced_precision_reduction",
                 "allow_bf16_reduced_precision_reduction", "allow_fp16_accumulation"):
        found["torch.backends.cuda.matmul." + flag] = _read(lambda flag=flag: getattr(matmul, flag))
    for which in ("flash", "mem_efficient", "math", "cudnn"):
        ask = getattr(torch.backends.cuda, which + "_sdp_enabled", None)
        if ask:
            found[f"torch.backends.cuda.{which}_sdp_enabled"] = ask()
    found["torch.backends.mha.get_fastpath_enabled"] = torch.backends.mha.get_fastpath_enabled()
    return found


def torch_switches():
    """What torch's own functions tell of its modes."""
    return {
        "torch.get_default_dtype": torch.get_default_dtype(),
        "torch.get_default_device": torch.get_default_device(),
        "torch.is_grad_enabled": torch.is_grad_enabled(),
        "torch.is_inference_mode_enabled": torch.is_inference_mode_enabled(),
        "torch.is_autocast_enabled('cpu')": torch.is_autocast_enabled("cpu"),
        "torch.is_autocast_enabled('cuda')": torch.is_autocast_enabled("cuda"),
        "torch.is_autocast_cache_enabled": torch.is_autocast_cache_enabled(),
        "torch.is_anomaly_enabled": torch.is_anomaly_enabled(),
        "torch.get_float32_matmul_precision": _read(torch.get_float32_matmul_precision),
        "torch.are_deterministic_algorithms_enabled":
            torch.are_deterministic_algorithms_enabled(),
        "torch.is_deterministic_algorithms_warn_only_enabled":
            torch.is_deterministic_algorithms_warn_only_enabled(),
        "torch.get_num_threads": torch.get_num_threads(),
        "torch.cuda.current_stream": _current_stream(),
        "torch.__future__.get_overwrite_module_params_on_conversion":
            torch.__future__.get_overwrite_module_params_on_conversion(),
        "subnormals are flushed": _read(flushes_subnormals),
        "dispatch modes entered": torch._C._len_torch_dispatch_stack(),
        "function modes entered": torch._C._len_torch_function_stack(),
        "operators of torch's replaced": sorted(_replaced_operators()),
        **{f"torch.nn.modules.module.{name}": len(getattr(nn_module, name, ()))
           for name in _GLOBAL_HOOKS},
    }


def _current_stream():
    """Whoever works after the program works there, and its inputs were not made there."""
    return torch.cuda.current_stream().cuda_stream if torch.cuda.is_initialized() else 0


def _replaced_operators():
    """Kernels that torch.library put in the place of torch's own for tensors' devices."""
    return {entry for entry in getattr(torch.library, "_impls", ())
            if entry.startswith("aten/") and entry.rsplit("/", 1)[-1] in
            ("CPU", "CUDA", "CompositeImplicitAutograd", "CompositeExplicitAutograd",
             "AutogradCPU", "AutogradCUDA", "Autograd")}


def python_switches():
    """The same of the interpreter and the C library."""
    return {
        "rounding mode of floating point": _libm.fegetround(),
        "locale": locale.setlocale(locale.LC_ALL),
        "os.getcwd": _read(os.getcwd),
        "umask": _umask(),
        "os.getpriority": os.getpriority(os.PRIO_PROCESS, 0),
        "errors of numpy": _numpy_errors(),
        "decimal.getcontext": (decimal.getcontext().prec, decimal.getcontext().rounding),
        "logging.root.manager.disable": logging.root.manager.disable,
        **{f"resource.{name}": resource.getrlimit(getattr(resource, name))
           for name in dir(resource) if name.startswith("RLIMIT_")},
        "sys.getrecursionlimit": sys.getrecursionlimit(),
        "sys.getswitchinterval": sys.getswitchinterval(),
        "sys.gettrace": sys.gettrace(),
        "sys.getprofile": sys.getprofile(),
        "sys.stdout": sys.stdout, "sys.stderr": sys.stderr,
        "sys.excepthook": sys.excepthook, "sys.displayhook": sys.displayhook,
        "sys.unraisablehook": sys.unraisablehook, "threading.excepthook": threading.excepthook,
        "sys.meta_path": list(map(repr, sys.meta_path)), "sys.path_hooks": list(sys.path_hooks),
        "sys.path": _ends(sys.path),
        "gc.isenabled": gc.isenabled(), "gc.get_threshold": gc.get_threshold(),
        "gc.callbacks": len(gc.callbacks),
        "warnings.filters": _ends([str(one) for one in warnings.filters]),
        "warnings.showwarning": warnings.showwarning,
        "timers running": [signal.getitimer(which)[1] for which in
                           (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)],
        **{f"handler of {number.name}": _read(lambda number=number: signal.getsignal(number))
           for number in signal.Signals},
        **{f"environment variable {name}": value for name, value in os.environ.items()},
    }


def _ends(entries):
    """A list in few words, so that what was added to it shows."""
    return f"{len(entries)} entries, {entries[:1]} to {entries[-1:]}"


def _numpy_errors():
    """What numpy does about errors of arithmetic; its own defaults as long as nobody imports it."""
    numpy = sys.modules.get("numpy")
    return numpy.geterr() if hasattr(numpy, "geterr") else NUMPY_ERRORS


def _umask():
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        return next((line.split()[1] for line in status if line.startswith("Umask:")), "")


def compiler_switches():
    """Settings of torch.compile, where it was imported."""
    found = {}
    for name in ("torch._dynamo.config", "torch._inductor.config"):
        values = _read(lambda name=name: sys.modules[name].get_config_copy())
        for key, value in (values if isinstance(values, dict) else {}).items():
            if isinstance(value, (bool, int, float, str, type(None))):
                found[f"{name}.{key}"] = value
    return found


def functions():
    """Every public function and class of every module, methods of public modules' classes, and the
    modules as an import finds them, by their dotted names: the object, which stays alive. Of this
    package none."""
    found = {}
    for name, module in list(sys.modules.items()):
        parts = name.split(".")
        if not isinstance(module, types.ModuleType) or parts[0] == "cupel":
            continue
        found[f"sys.modules[{name}]"] = module
        is_public = not any(part.startswith("_") for part in parts)
        for key, value in list(vars(module).items()):
            if callable(value) and not key.startswith("_"):
                found[f"{name}.{key}"] = value
                if is_public and isinstance(value, type) and value.__module__ == name:
                    found.update(_methods(f"{name}.{key}", value))
    return found


def _methods(name, owner):
    """Of a class: those that it inherits as well, since a replacement may lie in front of them."""
    return {f"{name}.{key}": value for place in reversed(owner.__mro__[:-1])
            for key, value in list(vars(place).items())
            if callable(value) or hasattr(type(value), "__get__")}


def _read(ask):
    """What ask() tells, or what it raises: some flags of some builds cannot be read."""
    try:
        return ask()
    except Exception as problem:
        return type(problem).__name__


class Snapshot:
    """The state at one moment. Holds what it saw, so that nothing can take its place unseen."""

    def __init__(self):
        self.values = {**torch_switches(), **backend_switches(), **python_switches(),
                       **compiler_switches()}
        self.functions = functions()

    def changes_to(self, later):
        """[{"what", "before", "after"}] for what is otherwise in the `later` snapshot. What was not
        there before is no change, but for variables of the environment and switches turned from
        nothing; of functions only those that were replaced or taken away."""
        replaced = {}  # (before, after) -> name: one that many inherit is told once
        for name, was in self.functions.items():
            now = later.functions.get(name)
            if now is not was and not _is_no_programs(now):
                pair = id(was), id(now)
                replaced[pair] = min(replaced.get(pair, name), name, key=self._ancestors)
        return ([_change(name, self.values.get(name), later.values.get(name))
                 for name in sorted(self.values.keys() | later.values.keys())
                 if self._differs(name, later)]
                + [_change(name, self.functions[name], later.functions.get(name))
                   for name in replaced.values()])

    def _ancestors(self, method):
        """How many its class has: the one that others take it from has the fewest."""
        owner = self.functions.get(method.rpartition(".")[0])
        return len(owner.__mro__) if isinstance(owner, type) else 0

    def _differs(self, name, later):
        if name not in self.values:
            return name.startswith("environment variable ")
        if name not in later.values:
            return True
        was, now = self.values[name], later.values[name]
        return was is not now and was != now


def _is_no_programs(function):
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename.startswith(REPLACING_FILES)


def _change(name, before, after):
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
        self._seed = None
        self._drawn = None
        self._state, self._weights = dict, {}
        self._gradients = True

    def program_made(self, seed, state=dict, gradients=True):
        """The program stands; `seed`: the last one that this process gave torch's generator;
        `state`: a function that tells its weights by name, as they are when it is called;
        `gradients`: whether they were on when it stood. Calls find them off."""
        self._gradients = gradients
        self._before.values["torch.is_grad_enabled"] = torch.is_grad_enabled()
        self._seed = seed
        self._drawn = _generators()
        self._state = state
        self._weights = {name: _fingerprint(tensor) for name, tensor in state().items()}

    def changes(self):
        """As Snapshot.changes_to(), up to now, with what was done to random numbers."""
        found = self._before.changes_to(Snapshot())
        if not self._gradients:
            found.append(_change("torch.is_grad_enabled", True, False))
        if self._seed is not None and torch.initial_seed() != self._seed:
            found.append({"what": "seed of torch's generator", "before": "the judge's",
                          "after": "its own"})
        found += [{"what": f"weight {name}, written to in calls", "before": "as loaded",
                   "after": "otherwise"} for name, tensor in self._state().items()
                  if self._written(name, tensor)]
        names = [name for name, state in _generators().items() if state != self._drawn.get(name)]
        if names:
            found.append({"what": "random numbers drawn in calls", "before": "none",
                          "after": ", ".join(names)})
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


def _generators():
    """Hashes of the states of generators."""
    return {"torch": hash(bytes(torch.get_rng_state().tolist())), "random": hash(random.getstate())}
