"""CUDA C++ source to a cubin through NVRTC, the compiler that torch brings along as a library: no
nvcc, no compiler process, no GPU. Standard library only; torch is asked where its libraries lie."""

import ctypes
import functools
import glob
import hashlib
import os
import re
import sys
import tempfile

# Beside --gpu-architecture, the include directories and the caller's own.
DEFAULT_FLAGS = ("--std=c++17", "--device-as-default-execution-space",
                 "--extra-device-vectorization")
_LIBRARY = re.compile(r"libnvrtc\.so[.\d]*$")
# NVRTC has no C library. Sources written for nvcc include these headers all the same; what a kernel
# can use of them is built into NVRTC, but for the names below.
_TYPES = """#pragma once
typedef signed char int8_t; typedef unsigned char uint8_t;
typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t;
typedef long long int64_t; typedef unsigned long long uint64_t;
typedef long long intptr_t; typedef unsigned long long uintptr_t;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::size_t; using ::ptrdiff_t;
}
"""
_FLOATS = """#pragma once
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
"""
_MATH = """#pragma once
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define M_PI 3.14159265358979323846
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_SQRT1_2 0.70710678118654752440
#define M_2_SQRTPI 1.12837916709551257390
#endif
"""
_INTEGERS = """#pragma once
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
"""
_ALGORITHMS = """#pragma once
namespace std {
template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
}
"""
_LIMITS = """#pragma once
#include <cuda/std/limits>
namespace std { using ::cuda::std::numeric_limits; }
"""
_TRAITS = """#pragma once
#include <cuda/std/type_traits>
namespace std { using namespace ::cuda::std; }
"""
_NOTHING = "#pragma once\n"
HEADERS = {"cstdint": _TYPES, "stdint.h": _TYPES, "cstddef": _TYPES, "stddef.h": _TYPES,
           "cmath": _MATH, "math.h": _MATH, "cfloat": _FLOATS, "float.h": _FLOATS,
           "climits": _INTEGERS, "limits.h": _INTEGERS, "algorithm": _ALGORITHMS,
           "limits": _LIMITS, "type_traits": _TRAITS}
HEADERS |= dict.fromkeys(("cuda_runtime.h", "cuda.h", "cuda_runtime_api.h", "cstdio", "stdio.h",
                          "device_launch_parameters.h", "cassert", "assert.h"), _NOTHING)
# Included before every source, so that int64_t and INFINITY need no header.
PRELUDE = "#include <cstdint>\n#include <cmath>\n"


class NvrtcError(RuntimeError):
    """NVRTC is missing or rejected the source. `log` holds the compiler's lines."""

    def __init__(self, message, log=""):
        super().__init__(message)
        self.log = log


def compile_cubin(source, name, architecture, flags=()):
    """Returns the cubin of `source` for an architecture such as "sm_90a", as bytes. Raises
    NvrtcError."""
    nvrtc = library()
    program = ctypes.c_void_p()
    names = [header.encode() for header in HEADERS]
    texts = [text.encode() for text in HEADERS.values()]
    _check(nvrtc, nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), f'{PRELUDE}#line 1 "{name}.cu"\n{source}'.encode(),
        f"{name}.cu".encode(), len(names), (ctypes.c_char_p * len(texts))(*texts),
        (ctypes.c_char_p * len(names))(*names)))
    try:
        options = [option.encode() for option in options_for(architecture, flags)]
        status = nvrtc.nvrtcCompileProgram(program, len(options),
                                           (ctypes.c_char_p * len(options))(*options))
        if status != 0:
            raise NvrtcError(_error_text(nvrtc, status), _log(nvrtc, program))
        return _bytes(nvrtc, program, "CUBIN")
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def options_for(architecture, flags):
    """The full list of options that a source is compiled with."""
    includes = [f"--include-path={path}" for path in include_directories()]
    return [f"--gpu-architecture={architecture}", *DEFAULT_FLAGS, *includes, *flags]


def key(source, architecture, flags):
    """Hex digits that differ wherever a cubin may."""
    major, minor = version()
    parts = (f"nvrtc {major}.{minor}", *options_for(architecture, flags), PRELUDE,
             *HEADERS.values(), source)
    return hashlib.sha256("\1".join(parts).encode()).hexdigest()


def stored(path, make):
    """The bytes at `path`, or else what make() returns, which is stored there if that is possible:
    a read-only or full cache costs time, not the kernel."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        pass
    content = make()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle, partial = tempfile.mkstemp(suffix=".part", dir=os.path.dirname(path))
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(partial, path)
    except OSError:
        pass
    return content


@functools.cache
def library():
    """The NVRTC library, loaded; raises NvrtcError where there is none."""
    for path in _library_candidates():
        # NVRTC looks for this one by its bare name, so it must be in the process before.
        for builtins in glob.glob(os.path.join(os.path.dirname(path), "libnvrtc-builtins.so*")):
            ctypes.CDLL(builtins)
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise NvrtcError("there is no libnvrtc: install a torch built for CUDA, or the CUDA toolkit")


@functools.cache
def version():
    """(major, minor) of NVRTC."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(library(), library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return major.value, minor.value


@functools.cache
def include_directories():
    """Where cuda_fp16.h and its like lie: torch's NVIDIA packages, else the toolkit; at most one
    of them, and the C++ core library. cooperative_groups.h needs it, and some of torch's packages
    have the one without the other."""
    candidates = list(_include_candidates())
    runtime = _first_with("cuda_fp16.h", candidates)
    if not runtime:
        return []
    near = [os.path.join(path, "cccl") for path in runtime] + runtime
    beside = [os.path.join(path, "cccl") for path in candidates] + candidates
    core = _first_with("nv/target", near + beside)
    return runtime + [path for path in core if path not in runtime]


def _first_with(name, directories):
    """A list of the first of them in which that file lies, or of none."""
    return [path for path in directories if os.path.exists(os.path.join(path, name))][:1]


def _library_candidates():
    """Paths to try: what this process has mapped, torch's packages, the toolkit, the loader."""
    yield from _mapped()
    for root in _nvidia_packages():
        yield from _sorted(os.path.join(root, "*", "lib", "libnvrtc.so*"))
    for root in _toolkits():
        yield from _sorted(os.path.join(root, "lib64", "libnvrtc.so*"))
        yield from _sorted(os.path.join(root, "targets", "*", "lib", "libnvrtc.so*"))
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


def _mapped():
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = {line.split(maxsplit=5)[-1].strip() for line in maps}
    except OSError:
        return []
    return sorted(path for path in paths if _LIBRARY.search(path))


def _sorted(pattern):
    """The libraries of that pattern, newest first."""
    return sorted((path for path in glob.glob(pattern) if _LIBRARY.search(path)), reverse=True)


def _include_candidates():
    for root in _nvidia_packages():
        yield from sorted(glob.glob(os.path.join(root, "*", "include")), reverse=True)
    for root in _toolkits():
        yield os.path.join(root, "include")


def _nvidia_packages():
    """The `nvidia` folders beside torch and on the path."""
    torch = sys.modules.get("torch")
    near = [os.path.dirname(os.path.dirname(torch.__file__))] if torch is not None else []
    roots = [os.path.join(path, "nvidia") for path in (*near, *sys.path) if path]
    return [root for root in dict.fromkeys(roots) if os.path.isdir(root)]


def _toolkits():
    named = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    return [root for root in dict.fromkeys(named) if root]


def _check(nvrtc, status):
    if status != 0:
        raise NvrtcError(_error_text(nvrtc, status))


def _error_text(nvrtc, status):
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    return nvrtc.nvrtcGetErrorString(status).decode()


def _log(nvrtc, program):
    return _bytes(nvrtc, program, "ProgramLog").rstrip(b"\0").decode("utf-8", "replace").strip()


def _bytes(nvrtc, program, what):
    """nvrtcGetX() into a buffer of nvrtcGetXSize() bytes."""
    size = ctypes.c_size_t()
    _check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, buffer))
    return buffer.raw
