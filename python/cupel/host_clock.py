"""The host's stopwatch: the probe library where the judge names one, else Python's clock."""

import ctypes
import os
import time

import torch

from cupel import placement

PROBE_VERSION = 3
CPU = -1


class GpuError(RuntimeError):
    """The GPU failed while a program ran on it; its context is lost."""


class ProbeClock:
    """Times one span at a time on `device` (-1: the CPU). Not thread-safe."""

    def __init__(self, path, device=CPU):
        # PyDLL keeps the GIL: no other thread of the program gets in between clock and call.
        self.library = path
        library = ctypes.PyDLL(path)
        library.cupel_probe_version.restype = ctypes.c_int32
        if library.cupel_probe_version() != PROBE_VERSION:
            raise OSError(f"{path} has another version than {PROBE_VERSION}")
        self.now_ns = library.cupel_probe_now_ns
        self.now_ns.restype = ctypes.c_int64
        self._begin = library.cupel_probe_begin
        self._begin.argtypes = (ctypes.c_int32,)
        self._end = library.cupel_probe_end
        self._end.argtypes = (ctypes.c_int32, ctypes.c_void_p)
        self._claim = ctypes.c_int64(0)
        self._claim_address = ctypes.addressof(self._claim)
        self._device, self._gate_ns, self._gated = device, 0, False
        self._join = library.cupel_probe_join
        self._open_sealed = library.cupel_probe_open_sealed
        self._open_sealed.argtypes = (ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint64,
                                      ctypes.c_void_p)
        self._mark = library.cupel_probe_mark
        self._close_gate = library.cupel_probe_close_gate
        self._close_gate.argtypes = (ctypes.c_int32, ctypes.c_int64)
        self._device_ns = library.cupel_probe_device_ns
        self._device_ns.restype = ctypes.c_int64
        self._error = library.cupel_probe_error
        self._error.restype = ctypes.c_char_p
        self._check(library.cupel_probe_open(device))

    def gate(self, limit_ns):
        """The GPU does nothing of what `time` times next until that has returned, or for so long:
        queued_ns() is then its own time for it."""
        self._gate_ns = limit_ns

    def returned(self):
        """Called within the program that `time` times: what a GPU is given from here on is not in
        the span, and its end waits for it."""
        self._mark(self._device)

    def time(self, program, arguments):
        """Returns (result, nanoseconds) of program(*arguments), from when the device is idle."""
        self.join()
        if self._gate_ns:
            self._gated = self._close_gate(self._device, self._gate_ns) == 0
            self._gate_ns = 0
        return self.span(program, arguments)

    def span(self, program, arguments):
        """As `time`, with the device as it is."""
        begin, end, device, address = self._begin, self._end, self._device, self._claim_address
        begin(device)
        try:
            result = program(*arguments)
        except BaseException:
            end(device, address)  # opens the gate
            raise
        status = end(device, address)
        if status:
            self._check(status)
        return result, self._claim.value

    def open_sealed(self, address, size, key):
        """Deciphers an input of `size` bytes on the GPU, whose key lies at `key`; queued."""
        self._check(self._open_sealed(self._device, address, size, key))

    def device_ns(self):
        """The GPU's own time of the last span; 0 on the CPU."""
        return self._device_ns()

    def queued_ns(self):
        """The same of a span behind a gate; -1 if not everything of it could be queued."""
        return self._device_ns() if self._gated else -1

    def join(self):
        """Waits for all work on the device; raises GpuError."""
        if self._device != CPU:
            self._check(self._join(self._device))

    def _check(self, status):
        if status:
            said = self._error().decode() or f"the probe cannot time device {self._device}"
            raise GpuError(f"CUDA error: {said}")


class PythonClock:
    """For use where no probe is named: outside Cupel, and where no time counts."""

    library = ""
    now_ns = staticmethod(time.perf_counter_ns)

    def __init__(self, device="cpu"):
        self._device = device

    def gate(self, limit_ns):
        """It has none."""

    def time(self, program, arguments):
        """Returns (result, nanoseconds) of program(*arguments)."""
        now_ns = time.perf_counter_ns
        self.join()
        start = now_ns()
        result = program(*arguments)
        self.join()
        return result, now_ns() - start

    def returned(self):
        """Its time is the judge's alone."""

    @staticmethod
    def queued_ns():
        """Unknown."""
        return -1

    def join(self):
        """Waits for all work on the device."""
        placement.synchronize(self._device)


def open_clock(device="cpu"):
    """The clock for "cpu" or "cuda:N". Takes CUPEL_PROBE out of the environment, which is for the
    programs."""
    path = os.environ.pop("CUPEL_PROBE", "")
    if not path:
        return PythonClock(device)
    ordinal = (torch.device(device).index or 0) if placement.is_gpu(device) else CPU
    return ProbeClock(path, ordinal)
