"""Makes torch.utils.cpp_extension build faster without its caller's knowing.

Light headers stand in for torch/extension.h and its kin, which take most of a build's time; what
does not compile with them is built once more as torch does it, so nothing that built before fails
to. Inside a host the judge builds what load_inline() asks for (`set_door`), once for all hosts."""

import functools
import importlib.machinery
import importlib.util
import inspect
import json
import os
import sys

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "light_headers")
_WORDS = ("cpp_extension", "load_inline")
# What a build elsewhere can be told; paths of this process mean nothing there.
_TOLD = ("name", "cpp_sources", "cuda_sources", "functions", "extra_cflags", "extra_cuda_cflags",
         "extra_ldflags", "with_cuda", "with_pytorch_error_handling", "no_implicit_headers")
_UNTOLD = ("verbose", "keep_intermediates", "is_python_module")
_door = None
_cuda_sources = []


def cuda_sources_built():
    """What extensions of this process were to have of CUDA, as text; None what could not be read:
    a file that is gone, or headers of the caller's own."""
    return list(_cuda_sources)


def set_door(door):
    """Lets door(name, request) -> path of the built module stand in for building here, for what
    can be built elsewhere; None goes back to building here. It raises an error with a `log`."""
    global _door
    _door = door


def accelerate_for(source):
    """Replaces cpp_extension's load() and load_inline() if a candidate's source speaks of them; the
    module takes a while to import. Idempotent."""
    if any(word in source for word in _WORDS):
        from torch.utils import cpp_extension
        for name in ("load", "load_inline"):
            plain = getattr(cpp_extension, name)
            if not hasattr(plain, "cupel_plain"):
                setattr(cpp_extension, name, lightly(plain))


def lightly(build):
    """build() through the door where that can be, else with light headers first, and as it is
    where that fails."""
    @functools.wraps(build)
    def light_build(*args, **keywords):
        call = inspect.signature(build).bind(*args, **keywords)
        _cuda_sources.extend(_cuda_of(call.arguments))
        if call.arguments.get("use_pch"):
            return build(*args, **keywords)
        request = request_of(call.arguments) if _door else None
        if request:
            return through_the_door(call.arguments["name"], request)
        own = call.arguments.get("extra_include_paths") or []
        own = [own] if isinstance(own, str) else list(own)
        call.arguments["extra_include_paths"] = [HEADERS, *own]
        try:
            return build(*call.args, **call.kwargs)
        except (RuntimeError, ImportError):  # does not compile, or lacks a symbol
            forget(call.arguments["name"])
            return build(*args, **keywords)
    light_build.cupel_plain = build
    return light_build


def _cuda_of(arguments):
    """Of load_inline() its sources, of load() those of the files that nvcc takes."""
    texts, files = (arguments.get(name) or [] for name in ("cuda_sources", "sources"))
    found = [texts] if isinstance(texts, str) else list(texts)
    for path in [files] if isinstance(files, str) else files:
        if str(path).endswith(".cu"):
            found.append(_text_of(path))
    return found + [None] if found and arguments.get("extra_include_paths") else found


def _text_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def forget(name):
    """Lets the next build have this name again, where cpp_extension would call it NAME_v1."""
    from torch.utils import cpp_extension
    versions = getattr(cpp_extension, "JIT_EXTENSION_VERSIONER", None)
    getattr(versions, "entries", {}).pop(name, None)


def request_of(arguments):
    """The arguments of load_inline() as text for another process, or None where they name what is
    only here: files, directories, or a library that is not a Python module."""
    told = {name: value for name, value in arguments.items() if name in _TOLD and value is not None}
    rest = [name for name, value in arguments.items() if value and name not in _TOLD + _UNTOLD]
    if rest or "cpp_sources" not in told or not arguments.get("is_python_module", True):
        return None
    if not str(told["name"]).isidentifier():
        return None
    try:
        return json.dumps({"arguments": told, "architectures": architectures()}, sort_keys=True)
    except TypeError:
        return None


def architectures():
    """What TORCH_CUDA_ARCH_LIST would say of this process's GPU; the builder has none."""
    import torch
    if os.environ.get("TORCH_CUDA_ARCH_LIST"):
        return os.environ["TORCH_CUDA_ARCH_LIST"]
    if not torch.cuda.is_available():
        return ""
    major, minor = torch.cuda.get_device_capability()
    return f"{major}.{minor}+PTX"


def through_the_door(name, request):
    """The module that the door builds, imported; a failure is told as cpp_extension tells it."""
    try:
        path = _door(name, request)
    except RuntimeError as error:
        log = getattr(error, "log", "") or str(error)
        first = next((line for line in log.splitlines() if "error: " in line), "")
        raise RuntimeError(f"Error building extension '{name}': {first}\n{log}") from None
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules.setdefault(name, module)
    return module
