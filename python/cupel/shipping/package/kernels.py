"""Kernels that lie in this package as they were built; elsewhere they are built on first use.

A shared object is for one kind of processor, a cubin for one architecture of GPUs. Each lies in
`kernels/` under a name that follows from its source, its flags and that.
"""

import functools
import hashlib
import importlib
import os

from .manifest import HERE
from .sources import CARRIED

FOLDER = os.path.join(HERE, "kernels")


def name_of_library(inline, source, flags):
    """Of a shared object. Unlike the key of Cupel's cache it leaves the compiler out, which need
    not be here."""
    parts = (inline._processor(), "\0".join(flags), source)
    return hashlib.sha256("\1".join(parts).encode()).hexdigest()[:32] + ".so"


@functools.lru_cache(maxsize=None)
def use_prebuilt():
    """Lets the carried cupel.inline look into `kernels/` first."""
    inline = importlib.import_module(f"{CARRIED}.inline")
    nvrtc = importlib.import_module(f"{CARRIED}.inline_nvrtc")
    build, stored = inline._build, nvrtc.stored

    def library(name, source, flags):
        path = os.path.join(FOLDER, name_of_library(inline, source, flags))
        return path if _loads(path) else build(name, source, flags)

    def cubin(path, make):
        there = os.path.join(FOLDER, os.path.basename(path))
        return stored(there if os.path.exists(there) else path, make)

    inline.set_builder(library)
    nvrtc.stored = cubin


def _loads(path):
    """It is there, and this machine's C library is new enough for it."""
    import ctypes
    try:
        ctypes.CDLL(path)
    except OSError:
        return False
    return True
