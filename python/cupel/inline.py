"""C++ kernels in a Python source, built in well under a second:

    from cupel.inline import cpp_kernel

    scale = cpp_kernel(r'''
    #include <cstdint>
    extern "C" void scale(const float* x, float* y, std::int64_t n, float by) {
      #pragma omp parallel for simd
      for (std::int64_t i = 0; i < n; ++i) y[i] = by * x[i];
    }''', "scale")

    scale(x, y, x.numel(), 2.0)  # contiguous CPU tensors for pointers, numbers for scalars

and CUDA kernels, through NVRTC in some hundredths of a second:

    from cupel.inline import cuda_kernel

    scale = cuda_kernel(r'''
    extern "C" __global__ void scale(const float* x, float* y, int64_t n, float by) {
      int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
      if (i < n) y[i] = by * x[i];
    }''', "scale")

    scale(x, y, x.numel(), 2.0, grid=(x.numel() + 255) // 256, block=256)

No torch headers are included, so nothing of them is compiled. A library is built once for each
source, set of flags, compiler and processor, and kept under $CUPEL_CACHE/inline (else
~/.cache/cupel/inline). Inside a host of Cupel's the judge builds instead (`set_builder`).

OpenMP: `-fopenmp` code runs on torch's own thread pool, so `torch.set_num_threads` counts.
Standard library only; torch is used if the caller has imported it.
"""

import ctypes
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import threading

from cupel.inline_signature import SignatureError, parse_signature

__all__ = ["BuildError", "SignatureError", "cpp_kernel", "cuda_kernel", "set_builder"]

# The whole command is `g++ -x c++ - -o LIBRARY FLAGS`, the source on standard input. Results stay
# IEEE: contraction to FMA rounds once instead of twice, the other two only free the vectorizer
# from errno and floating-point traps. Reassociation (-ffast-math) is the caller's choice.
COMPILER = "g++"
DEFAULT_FLAGS = ("-O3", "-march=native", "-std=c++20", "-fopenmp", "-ffp-contract=fast",
                 "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared", "-fmax-errors=20",
                 "-fdiagnostics-color=never")
BUILD_SECONDS_MAX = 120
_OPENMP_LIBRARY = re.compile(r"/lib(?:gomp|iomp5|omp)[^/]*\.so[^/]*$")

_builder = None
_cuda_kernels = {}  # name -> source of those built in this process, in order
_substitute = {"kernel": "", "body": "own"}
_libraries = {}
_libraries_lock = threading.Lock()


class BuildError(RuntimeError):
    """The source did not compile or load. `log` holds the compiler's lines."""

    def __init__(self, message, log=""):
        super().__init__(message + ("\n" + log if log else ""))
        self.log = log


def cpp_kernel(source, name, flags=()):
    """Builds C++ `source` and returns its function `extern "C" ... name(...)` as a callable.

    Pointers take contiguous CPU tensors of the same element type (None for a null pointer;
    uint16_t* also float16 and bfloat16 bits; void* any), scalars take numbers. Where the comment
    behind a pointer is a product of parameters, `const float* x /* rows * width */`, a tensor of
    more or fewer elements raises ValueError. The function may return void or a scalar. `flags` are
    appended to DEFAULT_FLAGS. Raises SignatureError where the declaration cannot be found or
    understood, BuildError where it does not compile."""
    signature = parse_signature(source, name)
    library = _library(f'#line 1 "{name}.cpp"\n{source}', name, (*DEFAULT_FLAGS, *flags))
    return _callable(library, signature)


def cuda_kernel(source, name, flags=()):
    """Builds CUDA C++ `source` for torch's current device and returns its function
    `extern "C" __global__ void name(...)` as a callable:

        name(*arguments, grid=G, block=B, shared=0, stream=None)

    Pointers take contiguous tensors of the current device with the same element type (None for a
    null pointer, half* and __nv_bfloat16* float16 and bfloat16; float4* and other vectors a tensor
    of their elements at an aligned address), scalars take numbers; comments behind pointers tell
    sizes as for cpp_kernel. `grid` and `block` are one to
    three sizes, `shared` the bytes of dynamic shared memory a block. Without `stream` the launch
    goes to torch's current stream, also while a CUDA graph is captured. It does not wait.

    There is no host code and no C library: <cstdint>, <cmath>, <cfloat> and <climits> hold what a
    kernel can use of them (int64_t and INFINITY need no include), <cuda_fp16.h>, <cuda_bf16.h>
    and <mma.h> are found where torch or the toolkit has them. Code without __host__ or __device__
    is device code. `flags` are NVRTC's, say "--use_fast_math". Raises SignatureError where the
    declaration cannot be found or understood, BuildError with NVRTC's lines where it does not
    compile, TypeError for wrong arguments, RuntimeError where the driver refuses a launch. A fault
    of the running kernel shows at torch's next synchronization."""
    from cupel import inline_cuda, inline_nvrtc
    try:
        kernel = inline_cuda.build(source, name, tuple(flags), cache_directory())
        _cuda_kernels[name] = _cuda_kernels.get(name, "") + source
        return _in_place_of(kernel, name)
    except inline_nvrtc.NvrtcError as error:
        message = first_error(error.log, name) if error.log else f"{name}: {error}"
        raise BuildError(message, error.log) from None


def set_builder(builder):
    """Lets builder(name, source, flags) -> path of a shared library stand in for the compiler;
    None goes back to it. The builder raises BuildError where the source does not compile."""
    global _builder
    _builder = builder


def substitute(kernel="", body="own"):
    """Gives the CUDA kernel of that name another body from now on, as the judge does where it looks
    for decoys: "returns" launches nothing, "traps" raises. (In place of what cpp_kernel asks for,
    the builder hands out a library whose function has that body.)"""
    _substitute.update(kernel=kernel, body=body)


def cuda_kernels_built():
    """{name: source} of the CUDA kernels that were built in this process, in order."""
    return dict(_cuda_kernels)


def _in_place_of(kernel, name):
    """The kernel, or what stands for it by `substitute`."""
    if _substitute["kernel"] != name or _substitute["body"] == "own":
        return kernel

    def stand_in(*_arguments, **_launch):
        if _substitute["body"] == "traps":
            raise RuntimeError(f"the kernel {name} was called")

    stand_in._torchdynamo_disable = True
    return stand_in


def _callable(library, signature):
    """A Python function with the kernel's own parameter names. Its code is generated: a call of a
    fixed number of arguments costs half of one that loops over them."""
    function = getattr(library, signature.name)
    function.restype = signature.result
    function.argtypes = [parameter.ctype for parameter in signature.parameters]
    names = signature.python_names()
    scope = {f"_convert_{name}": parameter.converter()
             for name, parameter in zip(names, signature.parameters)}
    scope["_function"] = function
    passed = ", ".join(f"_convert_{name}({name})" for name in names)
    check, used = signature.size_check()
    scope |= used
    exec(f"def {signature.name}({', '.join(names)}):\n{check}    return _function({passed})\n",
         scope)
    kernel = scope[signature.name]
    kernel.__doc__ = f"C++ kernel {signature}; releases the GIL while it runs."
    kernel.__module__ = __name__
    kernel._torchdynamo_disable = True  # torch.compile calls it as it is, without tracing into it
    return kernel


def first_error(log, name):
    """One sentence out of a compiler's log."""
    for line in log.splitlines():
        if " error: " in line or "undefined reference" in line:
            return f"{name} does not compile: {line.strip()}"
    return f"{name} does not compile"


def _library(source, name, flags):
    with _libraries_lock:
        key = (source, flags)
        if key not in _libraries:
            path = (_builder or _build)(name, source, flags)
            _libraries[key] = _load(path, name)
        return _libraries[key]


def _load(path, name):
    """Loads in a thread that ends at once: what -ffast-math of older compilers does to the
    loading thread's denormals (crtfastmath) must not outlive the loading."""
    outcome = []

    def load():
        try:
            _share_openmp()
            outcome.append(ctypes.CDLL(path))
        except OSError as error:
            outcome.append(BuildError(f"{name} was built but cannot be loaded: {error}"))

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    if isinstance(outcome[0], BuildError):
        raise outcome[0]
    return outcome[0]


def _share_openmp():
    """Makes the OpenMP runtime that torch brought serve kernels too, whatever it is called: two
    thread pools would spin against each other for the same cores."""
    path = _mapped_openmp()
    if path:
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)


def _mapped_openmp():
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            mapped = [line.split(maxsplit=5)[-1].strip() for line in maps]
    except OSError:
        return ""
    runtimes = [path for path in mapped if _OPENMP_LIBRARY.search(path)]
    of_torch = [path for path in runtimes if "/torch" in path]
    return (of_torch or runtimes or [""])[0]


def _build(name, source, flags):
    compiler = shutil.which(COMPILER)
    if compiler is None:
        raise BuildError(f"no {COMPILER} on PATH: apt-get install g++")
    directory = cache_directory()
    path = os.path.join(directory, _key(compiler, source, flags) + ".so")
    if not os.path.exists(path):
        os.makedirs(directory, exist_ok=True)
        _compile(compiler, name, source, flags, path)
    return path


def _compile(compiler, name, source, flags, path):
    handle, partial = tempfile.mkstemp(suffix=".part", dir=os.path.dirname(path))
    os.close(handle)
    try:
        ran = subprocess.run([compiler, "-x", "c++", "-", "-o", partial, *flags],
                             input=source.encode(), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=BUILD_SECONDS_MAX, check=False)
        log = ran.stdout.decode("utf-8", "replace")
        if ran.returncode != 0:
            raise BuildError(first_error(log, name), log)
        os.replace(partial, path)  # two builders of one key write the same bytes: either may win
    except subprocess.TimeoutExpired:
        raise BuildError(f"{name} took more than {BUILD_SECONDS_MAX} s to compile") from None
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


def cache_directory():
    """Where what is built here is kept."""
    root = os.environ.get("CUPEL_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cupel")
    return os.path.join(root, "inline")


def _key(compiler, source, flags):
    parts = (_compiler_identity(compiler), _processor(), "\0".join(flags), source)
    return hashlib.sha256("\1".join(parts).encode()).hexdigest()


_identities = {}


def _compiler_identity(compiler):
    if compiler not in _identities:
        ran = subprocess.run([compiler, "-dumpfullversion", "-dumpmachine"], timeout=30,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        _identities[compiler] = compiler + "\n" + ran.stdout.decode("utf-8", "replace")
    return _identities[compiler]


def _processor():
    """What -march=native may depend on."""
    wanted = ("vendor_id", "cpu family", "model", "flags", "Features", "CPU part")
    lines = []
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.strip():
                    break
                if line.split(":")[0].strip() in wanted:
                    lines.append(line)
    except OSError:
        pass
    return platform.machine() + "\n" + "".join(lines)
