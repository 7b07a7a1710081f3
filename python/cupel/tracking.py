"""Watches the operations of one call: how many bytes it holds."""

import weakref

from cupel.operations import OperationMode, tensors_in


class CallTracker(OperationMode):
    """`peak_bytes`: most bytes of storages that the call itself made and held at once."""

    def __init__(self, bytes_max=0):
        """The call ends with a MemoryError when it holds more than `bytes_max`; 0: no limit."""
        super().__init__()
        self._bytes_max = bytes_max
        self.live_bytes = 0
        self.peak_bytes = 0
        self._known = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for leaf in tensors_in(result):
            self._saw(leaf)
        return result

    def ignore(self, tensors):
        """Storages that were there before the call."""
        for tensor in tensors:
            self._known[tensor.untyped_storage()._cdata] = None

    def _saw(self, tensor):
        try:
            storage = tensor.untyped_storage()
        except NotImplementedError:  # sparse and the like: no storage to count
            return
        key = storage._cdata
        if key in self._known:
            return
        size = storage.nbytes()
        self._known[key] = weakref.finalize(storage, self._freed, key, size)
        self.live_bytes += size
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        if self._bytes_max and self.live_bytes > self._bytes_max:
            raise MemoryError(f"the call holds more than {self._bytes_max} bytes")

    def _freed(self, key, size):
        self._known.pop(key, None)
        self.live_bytes -= size
