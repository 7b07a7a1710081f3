"""Switches of a process: of torch, of its backends and compilers, of Python and the C library.

Each is a name and a function that reads it. Limits are read first, since what reads the others may
need what they limit; then the rest, in order. Reads, changes nothing and starts nothing."""

import ctypes
import decimal
import gc
import locale
import logging
import os
import resource
import signal
import sys
import threading
import time
import warnings

import torch
import torch.nn.modules.module as nn_module

NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
# Smallest float32 that is not normal, and so many of them that torch shares them among its threads.
SUBNORMAL, SUBNORMALS = 1e-40, 1 << 17
_GLOBAL_HOOKS = ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_backward_hooks",
                 "_global_backward_pre_hooks", "_global_module_registration_hooks",
                 "_global_parameter_registration_hooks", "_global_buffer_registration_hooks")
_BACKEND_FLAGS = ("enabled", "benchmark", "deterministic", "allow_tf32", "benchmark_limit",
                  "fp32_precision", "flags_frozen", "engine", "strategy")
_KINDS_OF_PRODUCTS = ("matmul", "conv", "rnn")  # of which backends have the precision, each
_libm = ctypes.CDLL(None)
_full = torch.full  # as it is before a program can replace it


def values():
    """{name: what it is} of all of them."""
    found = {}
    for switches in (_limits, _torch_switches, _backend_switches, _python_switches):
        found.update((name, read(ask)) for name, ask in switches().items())
    found.update(_compiler_switches())
    return found


def read(ask):
    """What ask() tells, or what it raises: some switches of some builds cannot be read."""
    try:
        return ask()
    except Exception as problem:
        return type(problem).__name__


def _limits():
    return {
        "sys.getrecursionlimit": sys.getrecursionlimit,
        **{f"resource.{name}": lambda name=name: resource.getrlimit(getattr(resource, name))
           for name in dir(resource) if name.startswith("RLIMIT_")},
        "sys.get_int_max_str_digits": lambda: sys.get_int_max_str_digits(),
        "timers running": lambda: [any(signal.getitimer(which)) for which in
                                   (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)],
        "rounding mode of floating point": _libm.fegetround,
    }


def _torch_switches():
    """What torch's own functions tell of its modes."""
    own = torch._C
    return {
        "dispatch modes entered": own._len_torch_dispatch_stack,
        "function modes entered": own._len_torch_function_stack,
        "overrides of functions": lambda: str(own._get_torch_function_state()),
        "transforms entered": lambda: len(own._functorch.get_interpreter_stack() or ()),
        "hooks of saved tensors": lambda: own._autograd._top_saved_tensors_default_hooks(False),
        "hooks of saved tensors are enabled":
            lambda: own._autograd._saved_tensors_hooks_is_enabled(),
        "subnormals are flushed": flushes_subnormals,
        "torch.get_default_dtype": torch.get_default_dtype,
        "torch.get_default_device": torch.get_default_device,
        "torch.is_grad_enabled": torch.is_grad_enabled,
        "torch.is_inference_mode_enabled": torch.is_inference_mode_enabled,
        "threads of autograd": lambda: own._is_multithreading_enabled(),
        "forward gradients": lambda: own._is_fwd_grad_enabled(),
        **{f"torch.is_autocast_enabled('{kind}')": lambda kind=kind: torch.is_autocast_enabled(kind)
           for kind in ("cpu", "cuda")},
        **{f"torch.get_autocast_dtype('{kind}')": lambda kind=kind: torch.get_autocast_dtype(kind)
           for kind in ("cpu", "cuda")},
        "torch.is_autocast_cache_enabled": torch.is_autocast_cache_enabled,
        "torch.is_anomaly_enabled": torch.is_anomaly_enabled,
        "torch.get_float32_matmul_precision": torch.get_float32_matmul_precision,
        "torch.are_deterministic_algorithms_enabled": torch.are_deterministic_algorithms_enabled,
        "torch.is_deterministic_algorithms_warn_only_enabled":
            torch.is_deterministic_algorithms_warn_only_enabled,
        "torch.utils.deterministic.fill_uninitialized_memory":
            lambda: torch.utils.deterministic.fill_uninitialized_memory,
        "torch.get_num_threads": torch.get_num_threads,
        "torch.get_num_interop_threads": torch.get_num_interop_threads,
        "torch.cuda.current_stream": _of_cuda(lambda: torch.cuda.current_stream().cuda_stream),
        "torch.cuda.current_device": _of_cuda(torch.cuda.current_device),
        "torch.cuda.get_sync_debug_mode": _of_cuda(torch.cuda.get_sync_debug_mode),
        "torch.__future__.get_overwrite_module_params_on_conversion":
            torch.__future__.get_overwrite_module_params_on_conversion,
        "torch.__future__.get_swap_module_params_on_conversion":
            torch.__future__.get_swap_module_params_on_conversion,
        **{f"torch.nn.modules.module.{name}": lambda name=name: len(getattr(nn_module, name, ()))
           for name in _GLOBAL_HOOKS},
    }


def flushes_subnormals():
    """Whether some thread of torch's or this one takes the smallest numbers for zero."""
    small = _full((SUBNORMALS,), SUBNORMAL, dtype=torch.float32, device="cpu")
    return bool(((small * 1.0) == 0).any()) or sys.float_info.min / 4 == 0.0


def _of_cuda(ask):
    """Zero as long as nobody has started CUDA, which is what it begins with. Whoever works after
    the program works on the stream that is current there."""
    return lambda: ask() if torch.cuda.is_initialized() else 0


def _backend_switches():
    """The flags of torch.backends, by their dotted names."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.backends") and not name.startswith("torch.backends._"):
            for flag in _BACKEND_FLAGS:
                value = read(lambda module=module, flag=flag: getattr(module, flag))
                if isinstance(value, (bool, int, str)):
                    found[f"{name}.{flag}"] = lambda value=value: value
            for kind in _KINDS_OF_PRODUCTS:
                value = read(lambda module=module, kind=kind: getattr(module, kind).fp32_precision)
                if value != "AttributeError":
                    found[f"{name}.{kind}.fp32_precision"] = lambda value=value: value
    matmul = torch.backends.cuda.matmul
    for flag in ("allow_tf32", "allow_fp16_reduced_precision_reduction",
                 "allow_bf16_reduced_precision_reduction", "allow_fp16_accumulation"):
        found["torch.backends.cuda.matmul." + flag] = lambda flag=flag: getattr(matmul, flag)
    for which in ("flash", "mem_efficient", "math", "cudnn"):
        if ask := getattr(torch.backends.cuda, which + "_sdp_enabled", None):
            found[f"torch.backends.cuda.{which}_sdp_enabled"] = ask
    found["torch.backends.mha.get_fastpath_enabled"] = torch.backends.mha.get_fastpath_enabled
    return found


def _python_switches():
    """The same of the interpreter and the C library."""
    def of(owner, *names):
        return {f"{owner.__name__}.{name}": lambda name=name: getattr(owner, name)
                for name in names}
    return {
        "locale": lambda: locale.setlocale(locale.LC_ALL),
        "time.tzname": lambda: time.tzname,
        "os.getcwd": os.getcwd,
        "umask": _umask,
        "os.getpriority": lambda: os.getpriority(os.PRIO_PROCESS, 0),
        "errors of numpy": _numpy_errors,
        "decimal.getcontext": lambda: (decimal.getcontext().prec, decimal.getcontext().rounding),
        "logging.root.manager.disable": lambda: logging.root.manager.disable,
        "warnings are logged": lambda: logging.root.isEnabledFor(logging.WARNING),
        "logging.root.filters": lambda: list(logging.root.filters),
        "sys.getswitchinterval": sys.getswitchinterval,
        "sys.gettrace": sys.gettrace, "sys.getprofile": sys.getprofile,
        "tracing of new threads": lambda: threading._trace_hook,
        "profiling of new threads": lambda: threading._profile_hook,
        **of(sys, "stdin", "stdout", "stderr", "excepthook", "displayhook", "unraisablehook",
             "breakpointhook"),
        "threading.excepthook": lambda: threading.excepthook,
        "threading.stack_size": threading.stack_size,
        "sys.meta_path": lambda: list(map(repr, sys.meta_path)),
        "sys.path_hooks": lambda: list(sys.path_hooks), "sys.path": lambda: tuple(sys.path),
        "gc.isenabled": gc.isenabled, "gc.get_threshold": gc.get_threshold,
        "gc.callbacks": lambda: len(gc.callbacks),
        "warnings.filters": lambda: tuple(map(str, warnings.filters)),
        "warnings.showwarning": lambda: warnings.showwarning,
        **{f"handler of {number.name}": lambda number=number: signal.getsignal(number)
           for number in signal.Signals},
        **{f"environment variable {name}": lambda value=value: value
           for name, value in os.environ.items()},
    }


def _numpy_errors():
    """What numpy does about errors of arithmetic; its own defaults as long as nobody imports it."""
    numpy = sys.modules.get("numpy")
    return numpy.geterr() if hasattr(numpy, "geterr") else NUMPY_ERRORS


def _umask():
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        return next((line.split()[1] for line in status if line.startswith("Umask:")), "")


def _compiler_switches():
    """Settings of torch.compile, where it was imported."""
    found = {}
    for name in ("torch._dynamo.config", "torch._inductor.config"):
        settings = read(lambda name=name: sys.modules[name].get_config_copy())
        for key, value in (settings if isinstance(settings, dict) else {}).items():
            if isinstance(value, (bool, int, float, str, type(None))):
                found[f"{name}.{key}"] = value
    return found
