"""A host's side of src/probe/baton.h: waits for a call's turn, tells where its outputs lie."""

import ctypes
import functools
import mmap
import os

PAGE_BYTES = 8192
OUTPUTS_MAX = 500
KEYS_AT, KEY_BYTES = 16, 32
TURNS = 4  # from one call to the next


class Baton:
    """The judge's page behind the descriptor `fd`, which is closed. `probe`: the library's path."""

    def __init__(self, fd, probe):
        self._page = mmap.mmap(fd, PAGE_BYTES)
        os.close(fd)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._page))
        # CDLL gives up the GIL while it waits: whoever watches the judge's socket needs it.
        library = ctypes.CDLL(probe)
        self._await_turn = library.cupel_probe_await_turn
        self._give_back = library.cupel_probe_give_back
        self._await_turn.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
        self._give_back.argtypes = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p,
                                    ctypes.c_uint32)
        self._await_turn.restype = self._give_back.restype = None
        self._outputs = (ctypes.c_uint64 * OUTPUTS_MAX)()
        # await_turn(turn). Whatever runs between a turn's beginning and its end is timed, and slow
        # since the judge's work has taken the caches: no frame of Python's here, and few below.
        self.await_turn = functools.partial(self._await_turn, self._address)

    def key(self, index):
        """Where the key lies of the turn's input number `index`, if that is sealed."""
        return self._address + KEYS_AT + index * KEY_BYTES

    def give_back(self, turn, tensors):
        """Returns when the judge has looked at them."""
        self.tell(turn, [tensor.data_ptr() for tensor in tensors])

    def tell(self, turn, addresses):
        """The same, where only the outputs' addresses are known."""
        outputs = self._outputs
        for i, address in enumerate(addresses[:OUTPUTS_MAX]):
            outputs[i] = address
        self._give_back(self._address, turn, outputs, len(addresses))
