"""Arenas in GPU memory: CUDA virtual memory of the judge's, which came as a file descriptor.

Mapped through the driver (ctypes), seen as tensors through DLPack, because torch's other door to
foreign memory (`__cuda_array_interface__`) needs numpy.
"""

import ctypes

import torch

_SUCCESS = 0
_POSIX_DESCRIPTOR = 1  # cuda.h: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
_ON_DEVICE, _READ_AND_WRITE = 1, 3
_DLPACK_CUDA = 2
_DLPACK_UNSIGNED = 1
_BYTE_BITS = 8


class _Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _Access(ctypes.Structure):
    _fields_ = [("location", _Location), ("flags", ctypes.c_int)]


class _Tensor(ctypes.Structure):
    """dlpack.h's DLTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _ManagedTensor(ctypes.Structure):
    """dlpack.h's DLManagedTensor."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ManagedTensor))
_ManagedTensor._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p),
                           ("deleter", _Deleter)]
_lent = {}  # what torch still refers to, by address


@_Deleter
def _give_back(managed):
    _lent.pop(ctypes.addressof(managed.contents), None)


class GpuArena:
    """Memory of the judge's, mapped here until close(), or for as long as the process lives. `size`
    in bytes, as the judge told it."""

    def __init__(self, fd, size, device):
        self.bytes = size
        self._device = torch.device(device)
        with torch.cuda.device(self._device):
            torch.cuda.current_stream().synchronize()  # the context must be current
            self._address = _map(fd, size, self._device.index or 0)

    def close(self):
        """Unmaps the memory; no tensor on it may be used any more."""
        torch.cuda.synchronize(self._device)
        driver = ctypes.CDLL("libcuda.so.1")
        address, size = ctypes.c_uint64(self._address), ctypes.c_size_t(self.bytes)
        _call(driver, "cuMemUnmap", address, size)
        _call(driver, "cuMemAddressFree", address, size)

    def tensor_at(self, offset, dtype, shape, strides=None):
        """As protocol.Arena.tensor_at."""
        kind = getattr(torch, dtype)
        count = 1
        for length in shape:
            count *= length
        if count == 0:
            return torch.empty(shape, dtype=kind, device=self._device)
        size = count * kind.itemsize
        if offset < 0 or offset + size > self.bytes:
            raise ValueError(f"{size} bytes at {offset} lie outside the arena of {self.bytes}")
        flat = _bytes_at(self._address + offset, size, self._device.index or 0).view(kind)
        return flat.as_strided(shape, strides) if strides is not None else flat.view(shape)


def _map(fd, size, ordinal):
    """The address of the memory behind `fd` in this process."""
    driver = ctypes.CDLL("libcuda.so.1")
    handle, address = ctypes.c_uint64(), ctypes.c_uint64()
    whole, nothing = ctypes.c_size_t(size), ctypes.c_uint64(0)
    access = _Access(_Location(_ON_DEVICE, ordinal), _READ_AND_WRITE)
    _call(driver, "cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(fd),
          _POSIX_DESCRIPTOR)
    _call(driver, "cuMemAddressReserve", ctypes.byref(address), whole, ctypes.c_size_t(0), nothing,
          nothing)
    _call(driver, "cuMemMap", address, whole, ctypes.c_size_t(0), handle, nothing)
    _call(driver, "cuMemSetAccess", address, whole, ctypes.byref(access), ctypes.c_size_t(1))
    _call(driver, "cuMemRelease", handle)  # the mapping keeps it
    return address.value


def _call(driver, name, *arguments):
    code = getattr(driver, name)(*arguments)
    if code != _SUCCESS:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(code, ctypes.byref(text))
        said = text.value.decode() if text.value else "unknown error"
        raise RuntimeError(f"CUDA error {code} in {name}: {said}")


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


def _bytes_at(address, size, ordinal):
    """A tensor of bytes on memory that nobody frees."""
    shape, strides = (ctypes.c_int64 * 1)(size), (ctypes.c_int64 * 1)(1)
    managed = _ManagedTensor(_Tensor(address, _DLPACK_CUDA, ordinal, 1, _DLPACK_UNSIGNED,
                                     _BYTE_BITS, 1, shape, strides, 0), None, _give_back)
    _lent[ctypes.addressof(managed)] = (managed, shape, strides)
    return torch.from_dlpack(_new_capsule(ctypes.addressof(managed), b"dltensor", None))
