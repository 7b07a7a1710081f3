"""Makes torch.utils.cpp_extension build faster without its caller's knowing: light headers stand in
for torch/extension.h and its kin, which take most of a build's time. What does not compile with
them is built once more as torch does it, so nothing that built before fails to."""

import functools
import inspect
import os

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "light_headers")
_WORDS = ("cpp_extension", "load_inline")


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
    """build() with light headers first, and as it is where that fails."""
    @functools.wraps(build)
    def light_build(*args, **keywords):
        call = inspect.signature(build).bind(*args, **keywords)
        if call.arguments.get("use_pch"):
            return build(*args, **keywords)
        own = call.arguments.get("extra_include_paths") or []
        own = [own] if isinstance(own, str) else list(own)
        call.arguments["extra_include_paths"] = [HEADERS, *own]
        try:
            return build(*call.args, **call.kwargs)
        except (RuntimeError, ImportError):  # does not compile, or lacks a symbol
            return build(*args, **keywords)
    light_build.cupel_plain = build
    return light_build
