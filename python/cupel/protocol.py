"""Frames, arenas and trees: what referee and host share (docs/protocol.md).

Standard library only, except for `tensor_at`, which imports torch when it is called.
"""

import array
import json
import mmap
import os
import socket
import struct

from cupel import trees

FRAME_BYTES_MAX = 4 << 20
LEAF_ALIGNMENT = 64
FDS_MAX = 32  # with one frame
TRACE_BYTES_MAX = 8 << 10
_LENGTH = struct.Struct("<I")
_READ_BYTES = 16 << 10  # at a time; most frames are shorter
_FDS_SPACE = socket.CMSG_SPACE(FDS_MAX * array.array("i").itemsize)
_encode = json.JSONEncoder(separators=(",", ":")).encode


class ProtocolError(Exception):
    """The peer sent something that docs/protocol.md does not allow."""


class Channel:
    """One end of the judge's socket. Not thread-safe."""

    def __init__(self, fd):
        self._socket = socket.socket(fileno=fd)
        self._unread, self._fds = bytearray(), []

    def send(self, message):
        body = _encode(message).encode()
        self._socket.sendall(_LENGTH.pack(len(body)) + body)

    def receive(self):
        """Returns (message, descriptors); (None, []) when the judge closed the socket."""
        while True:
            text = self._take_frame()
            if text is not None:
                fds, self._fds = self._fds, []
                return json.loads(text), fds
            if not self._read():
                if self._unread:
                    raise ProtocolError("the socket closed inside a frame")
                return None, []

    def close(self):
        self._socket.close()

    def _take_frame(self):
        unread = self._unread
        if len(unread) < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack_from(unread)
        if size > FRAME_BYTES_MAX:
            raise ProtocolError(f"a frame of {size} bytes")
        end = _LENGTH.size + size
        if len(unread) < end:
            return None
        text = unread[_LENGTH.size:end].decode()
        del unread[:end]
        return text

    def _read(self):
        """What is there, with one system call; False at the socket's end."""
        data, ancillary, _, _ = self._socket.recvmsg(_READ_BYTES, _FDS_SPACE)
        for level, kind, raw in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds = array.array("i")
                fds.frombytes(raw[: len(raw) - len(raw) % fds.itemsize])
                self._fds += fds
        self._unread += data
        return bool(data)


def open_arena(fd, size, device, populate=False):
    """The arena behind a descriptor that came beside a frame. `size`: bytes, as the frame says;
    `device`: "cpu" or "cuda:N", where it lies. `populate`: maps all of its pages at once, so that
    the process does not grow as it comes to them."""
    if device == "cpu":
        return Arena(fd, populate)
    from cupel.gpu_arena import GpuArena

    try:
        return GpuArena(fd, size, device)
    finally:
        os.close(fd)


class Arena:
    """A memfd of the judge's, mapped shared. Owns the mapping, closes the descriptor."""

    def __init__(self, fd, populate=False):
        flags = mmap.MAP_SHARED | (getattr(mmap, "MAP_POPULATE", 0) if populate else 0)
        self.bytes = os.fstat(fd).st_size
        self.memory = mmap.mmap(fd, self.bytes, flags) if self.bytes else None
        os.close(fd)

    def close(self):
        """Lets go of the memory, which lasts as long as tensors on it."""
        self.memory = None

    def tensor_at(self, offset, dtype, shape, strides=None):
        """A tensor on the arena's memory (no copy). `dtype` is a name such as "float32";
        `strides` in elements, None for dense row-major."""
        import torch

        kind = getattr(torch, dtype)
        count = 1
        for size in shape:
            count *= size
        if count == 0:
            return torch.empty(shape, dtype=kind)
        flat = torch.frombuffer(self.memory, dtype=kind, count=count, offset=offset)
        return flat.as_strided(shape, strides) if strides is not None else flat.view(shape)


def align(size):
    """The next multiple of LEAF_ALIGNMENT."""
    return -(-size // LEAF_ALIGNMENT) * LEAF_ALIGNMENT


def dtype_name(dtype):
    """torch.float32 -> "float32"."""
    return str(dtype).split(".")[-1]


def is_floating(dtype):
    """Of numbers that are rounded, complex ones among them; not of integers or booleans."""
    return dtype.is_floating_point or dtype.is_complex


def is_tensor(leaf):
    import torch

    return isinstance(leaf, torch.Tensor)


def flatten(value):
    """Returns (tree, tensor leaves, other leaves); trees are described in docs/protocol.md."""
    return trees.flatten(value, is_tensor)


def unflatten(tree, tensors, others):
    """What is read as the arguments that `flatten` was given."""
    try:
        return trees.unflatten(tree, tensors, others)
    except (trees.TreeError, IndexError, StopIteration, ValueError) as problem:
        raise ProtocolError(str(problem) or f"malformed tree {tree!r}") from None
