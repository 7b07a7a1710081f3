"""Launches kernels of cupel.inline.cuda_kernel through the CUDA driver, on torch's current stream.

A launch packs the arguments into one block of bytes, laid out as a C struct would be, which is how
the driver takes them; that, the checks and the call cost a few microseconds."""

import ctypes
import os
import struct
import threading
import weakref

import torch

from cupel import inline_nvrtc
from cupel.inline_signature import SignatureError, accepted_dtypes, parse_signature

# From cuda.h.
_PARAM_END, _PARAM_POINTER, _PARAM_SIZE = 0, 1, 2
_ATTRIBUTE_LOCAL_BYTES = 3
_ATTRIBUTE_SHARED_BYTES_MAX = 8
_INVALID_CONTEXT = 201
# A block gets so much dynamic shared memory without being asked about it.
SHARED_BYTES_PLAIN = 48 << 10
_FORMATS = {ctypes.c_bool: "?", ctypes.c_char: "b", ctypes.c_int8: "b", ctypes.c_uint8: "B",
            ctypes.c_int16: "h", ctypes.c_uint16: "H", ctypes.c_int32: "i", ctypes.c_uint32: "I",
            ctypes.c_int64: "q", ctypes.c_uint64: "Q", ctypes.c_float: "f", ctypes.c_double: "d",
            ctypes.c_void_p: "P"}


def build(source, name, flags, cache_directory):
    """The kernel as a callable, compiled for torch's current device. Raises SignatureError,
    inline_nvrtc.NvrtcError, or RuntimeError where there is no GPU."""
    signature = parse_signature(source, name)
    if signature.result is not None:
        raise SignatureError(f"{name}: a CUDA kernel returns void")
    architecture = current_architecture()
    path = os.path.join(cache_directory,
                        inline_nvrtc.key(source, architecture, flags) + ".cubin")
    cubin = inline_nvrtc.stored(
        path, lambda: inline_nvrtc.compile_cubin(source, name, architecture, flags))
    launcher = _Launcher(signature, cubin)
    launcher.load(torch.cuda.current_device())  # now, because no module loads inside of a capture
    _launchers.add(launcher)
    return launcher.function()


def local_bytes():
    """{kernel: bytes of local memory of a thread} of the kernels that are there, as the driver
    tells it: registers that were spilled, and arrays that are indexed as the kernel runs."""
    told = {}
    for launcher in list(_launchers):
        for function in launcher.functions.values():
            size = ctypes.c_int()
            status = _driver().cuFuncGetAttribute(ctypes.byref(size), _ATTRIBUTE_LOCAL_BYTES,
                                                  ctypes.c_void_p(function))
            if status == 0:
                told[launcher.signature.name] = size.value
    return told


def current_architecture():
    """ "sm_90a" on a Hopper GPU: with what only that generation has, where NVRTC knows it."""
    if not torch.cuda.is_available():
        raise RuntimeError("cuda_kernel needs an NVIDIA GPU and a torch built for CUDA")
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}" + ("a" if major >= 9 else "")


class _Launcher:
    """A cubin, the function in it for each device, and the block that its arguments go through."""

    def __init__(self, signature, cubin):
        self.signature, self.cubin = signature, cubin
        self.functions = {}  # device index -> address
        self.shared_allowed = {}  # device index -> bytes
        self.lock = threading.Lock()  # one block of arguments: one launch at a time
        self.format = struct.Struct("@" + "".join(
            _FORMATS[parameter.ctype] for parameter in signature.parameters))
        self.block = ctypes.create_string_buffer(max(self.format.size, 1))
        self.block_bytes = ctypes.c_size_t(self.format.size)
        self.extra = (ctypes.c_void_p * 5)(
            _PARAM_POINTER, ctypes.addressof(self.block), _PARAM_SIZE,
            ctypes.addressof(self.block_bytes), _PARAM_END)

    def load(self, device):
        """Puts the cubin on a device, whose context must be current."""
        torch.cuda.current_stream(device)  # makes the context, in a process that has none yet
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        image = ctypes.c_char_p(self.cubin)
        self.call("load", _driver().cuModuleLoadData, ctypes.byref(module), image)
        self.call("find", _driver().cuModuleGetFunction, ctypes.byref(function), module,
                  self.signature.name.encode())
        self.functions[device] = function.value
        self.shared_allowed[device] = SHARED_BYTES_PLAIN

    def call(self, doing, function, *arguments):
        """A driver call that must succeed; tries once more where the thread has no context."""
        status = function(*arguments)
        if status == _INVALID_CONTEXT:
            torch.cuda.set_device(torch.cuda.current_device())
            status = function(*arguments)
        if status != 0:
            raise RuntimeError(f"{self.signature.name}: cannot {doing} the kernel: "
                               f"{_status_text(status)}")

    def allow_shared(self, device, shared):
        """Lifts the limit of a block's dynamic shared memory to `shared` bytes."""
        self.call(f"give {shared} bytes of shared memory to a block of",
                  _driver().cuFuncSetAttribute, ctypes.c_void_p(self.functions[device]),
                  _ATTRIBUTE_SHARED_BYTES_MAX, shared)
        self.shared_allowed[device] = shared

    def launch_slowly(self, device, grid, block, shared, stream):
        """The launch once more, where the quick one failed or had no function; with the reasons."""
        if device not in self.functions:
            self.load(device)
        if shared > self.shared_allowed[device]:
            self.allow_shared(device, shared)
        self.call(f"launch grid {grid}, block {block}, {shared} bytes of shared memory of",
                  _launch(), self.functions[device], *grid, *block, shared, stream, None,
                  self.extra)

    def function(self):
        """A Python function with the kernel's own parameter names; generated, as is that of
        cpp_kernel, because a launch must cost little."""
        names = self.signature.python_names()
        scope = {f"_convert_{name}": converter_for(parameter)
                 for name, parameter in zip(names, self.signature.parameters)}
        scope |= {"_launcher": self, "_functions": self.functions, "_lock": self.lock,
                  "_allowed": self.shared_allowed, "_pack": self.format.pack_into,
                  "_block": self.block, "_extra": self.extra, "_sizes": sizes,
                  "_device": _current_device(), "_stream": _current_stream(),
                  "_launch": _launch(), "_raw": raw_stream}
        passed = "".join(f", _convert_{name}({name}, device)" for name in names)
        parameters = "".join(f"{name}, " for name in names)
        check, used = self.signature.size_check()
        scope |= used
        exec(_FUNCTION.format(name=self.signature.name, parameters=parameters, passed=passed,
                              check=check), scope)
        kernel = scope[self.signature.name]
        kernel.__doc__ = f"CUDA kernel {self.signature}; does not wait for the GPU."
        kernel.__module__ = __name__
        kernel._torchdynamo_disable = True  # torch.compile calls it as it is
        return kernel


_FUNCTION = """
def {name}({parameters}*, grid, block, shared=0, stream=None):
{check}    device = _device()
    grid, block = _sizes(grid), _sizes(block)
    stream = _stream(device) if stream is None else _raw(stream)
    with _lock:
        _pack(_block, 0{passed})
        function = _functions.get(device)
        if (function is None or shared > _allowed[device]
                or _launch(function, *grid, *block, shared, stream, None, _extra)):
            _launcher.launch_slowly(device, grid, block, shared, stream)
"""


def sizes(value):
    """(x, y, z) of a grid or a block, from an integer or up to three of them."""
    if type(value) is int:
        return (value, 1, 1)
    value = tuple(value) if isinstance(value, (tuple, list)) else (int(value),)
    if not 1 <= len(value) <= 3:
        raise ValueError(f"a grid or block has one to three sizes, not {value}")
    return (*value, 1, 1)[:3]


def raw_stream(stream):
    """The driver's handle of a torch stream; integers are handles already."""
    return getattr(stream, "cuda_stream", stream)


def converter_for(parameter):
    """A function (value, device) -> number or address; raises TypeError with advice."""
    if parameter.pointer:
        return _tensor_converter(parameter)
    convert = parameter.converter()
    return lambda value, device: convert(value)


def _tensor_converter(parameter):
    accepted = accepted_dtypes(parameter.kind, torch)
    mask = parameter.kind.alignment - 1

    def convert(value, device):
        try:
            if (value.dtype in accepted and value.get_device() == device
                    and value.is_contiguous()):
                address = value.data_ptr()
                if not address & mask:
                    return address
        except (AttributeError, TypeError):
            pass
        if value is None:
            return 0
        raise _wrong_tensor(parameter, accepted, value, device)
    return convert


def _wrong_tensor(parameter, accepted, value, device):
    dtypes = f" of {' or '.join(parameter.kind.dtypes)}" if parameter.kind.dtypes else ""
    needed = f"a contiguous tensor{dtypes} on cuda:{device}"
    if not isinstance(value, torch.Tensor) or value.dtype not in accepted:
        return parameter.wrong(needed, value)
    if value.get_device() != device:
        return parameter.wrong(needed, value, f"; it is on {value.device}")
    if not value.is_contiguous():
        return parameter.wrong(needed, value, "; call .contiguous() on it first")
    return parameter.wrong(f"{needed}, at a multiple of {parameter.kind.alignment} bytes", value,
                           "; call .clone() on it, or read it element by element")


_loaded = {}
_launchers = weakref.WeakSet()


def _driver():
    if "driver" not in _loaded:
        try:
            _loaded["driver"] = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise RuntimeError(f"the CUDA driver cannot be loaded: {error}") from None
    return _loaded["driver"]


def _launch():
    """cuLaunchKernel with its argument types told once, which makes a call cheaper."""
    if "launch" not in _loaded:
        launch = _driver().cuLaunchKernel
        number = ctypes.c_uint
        launch.argtypes = [ctypes.c_void_p, *[number] * 7, ctypes.c_void_p, ctypes.c_void_p,
                           ctypes.c_void_p]
        _loaded["launch"] = launch
    return _loaded["launch"]


def _status_text(status):
    name, text = ctypes.c_char_p(), ctypes.c_char_p()
    _driver().cuGetErrorName(status, ctypes.byref(name))
    _driver().cuGetErrorString(status, ctypes.byref(text))
    return f"{(name.value or b'?').decode()} ({status}), {(text.value or b'').decode()}"


# Torch's own entries, which cost a tenth of the public functions; these stand in where they are
# missing.
def _current_device():
    return getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)


def _current_stream():
    return getattr(torch._C, "_cuda_getCurrentRawStream",
                   lambda device: torch.cuda.current_stream(device).cuda_stream)
