"""Cupel: faster PyTorch programs, proved faster and proved the same.

    import cupel
    verdict = cupel.judge("task.py", "candidate.py", policy="exact")

The functions lie in cupel.api, which is imported when the first of them is asked for: the processes
that run a task's programs import this package too, and should be given no more than they need.
"""

import importlib

__all__ = ["CupelError", "judge", "lint", "optimize", "recheck", "rewrite", "ship"]


def __getattr__(name):
    if name == "capture":  # a module that is called
        return importlib.import_module("cupel.capture")
    if name not in __all__:
        raise AttributeError(f"module 'cupel' has no attribute {name!r}")
    from cupel import api
    return getattr(api, name)


def __dir__():
    return sorted([*globals(), *__all__])
