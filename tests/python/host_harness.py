"""A judge in miniature for the host's tests: a socket pair, three memfds, one real process."""

import base64
import json
import mmap
import os
import pickle
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time

import torch

from cupel import protocol

ARENA_BYTES = 1 << 20
BATON_BYTES, ADDRESSES_AT = 8192, 272
REPLY_SECONDS_MAX = 120
OUTPUT_BYTES_MAX = 48  # that are read of a warm call's outputs


class Memory:
    """A memfd with this side's mapping."""

    def __init__(self, size=ARENA_BYTES):
        self.fd = os.memfd_create("cupel-test")
        os.ftruncate(self.fd, size)
        self.map = mmap.mmap(self.fd, size)

    def put(self, offset, tensor):
        dense = tensor.contiguous()
        view = torch.frombuffer(self.map, dtype=dense.dtype, count=dense.numel(), offset=offset)
        view.copy_(dense.flatten())

    def get(self, offset, dtype, shape):
        count = torch.Size(shape).numel()
        return torch.frombuffer(self.map, dtype=dtype, count=count,
                                offset=offset).view(shape).clone()


class HostProcess:
    """A host and the arenas it was given. `answer_build` serves its questions."""

    def __init__(self, answer_build=None):
        self.inputs, self.outputs, self.weights = Memory(), Memory(), Memory()
        self.baton, self._turn = Memory(BATON_BYTES), 0
        self._answer_build = answer_build
        self.asked = []
        self._ended = None
        self._work = tempfile.TemporaryDirectory()
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(REPLY_SECONDS_MAX)
        package = os.path.dirname(os.path.dirname(os.path.abspath(protocol.__file__)))
        environment = dict(os.environ, PYTHONPATH=package, CUPEL_WORK=self._work.name,
                           PYTHONWARNINGS="ignore", OMP_NUM_THREADS="2")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cupel.host", "--fd", str(theirs.fileno())],
            pass_fds=[theirs.fileno()], env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        theirs.close()
        self.ready = self.receive()

    def send(self, message, fds=()):
        body = json.dumps(message, separators=(",", ":")).encode()
        socket.send_fds(self.socket, [struct.pack("<I", len(body)) + body], list(fds))

    def receive(self):
        """The next reply; None when the host has closed its socket."""
        while True:
            head = self._exactly(4)
            if head is None:
                return None
            message = json.loads(self._exactly(struct.unpack("<I", head)[0]))
            if "ask" not in message:
                return message
            self.asked.append(message)
            self.send(self._answer_build(message))

    def ask(self, message, fds=()):
        self.send(message, fds)
        return self.receive()

    def load(self, source, example, init=(), weights=(), **changes):
        """`example`: the arguments of a call, as the task's get_inputs() would give them."""
        tree, tensors, _ = protocol.flatten(list(example))
        self.leaves, offset = [], 0
        for tensor in tensors:
            self.leaves.append({"dtype": protocol.dtype_name(tensor.dtype), "offset": offset,
                                "shape": list(tensor.shape), "strides": list(tensor.stride())})
            offset += protocol.align(tensor.numel() * tensor.element_size())
        request = {"op": "load", "source": source, "class": "ModelNew", "device": "cpu",
                   "init": base64.b64encode(pickle.dumps(init)).decode(), "input_tree": tree,
                   "inputs": self.leaves, "output_room": 4096, "policy": "eager",
                   "arenas": [ARENA_BYTES] * 3, "import_root": "", "threads": 2,
                   "instances": [{"seed": 1, "weights": list(weights)}], **changes}
        batons = [self.baton.fd] if "CUPEL_PROBE" in os.environ else []
        self._turn = 0
        self.baton.map[:] = bytes(len(self.baton.map))
        return self.ask(request, [self.inputs.fd, self.outputs.fd, self.weights.fd, *batons])

    def call(self, *tensors, at=0, out=0, values="", instance=0, core=-1):
        for leaf, tensor in zip(self.leaves, tensors):
            self.inputs.put(at + leaf["offset"], tensor)
        request = {"op": "call", "instance": instance, "core": core, "at": at, "out": out}
        if values:
            request["values"] = values
        return self.ask(request)

    def row_calls(self, *rows, at=0):
        """A row: one call for each list of input tensors. Returns (reply, for each call its
        outputs' bytes, as they are when it is given back; OUTPUT_BYTES_MAX of each)."""
        self._turn += 4
        armed = self.ask({"op": "row", "instance": 0, "core": -1, "at": [at] * len(rows),
                          "turn": self._turn})
        assert armed == {"re": "armed"}, armed
        taken = [self._warm_call(row, at, self._turn + 4 * i) for i, row in enumerate(rows)]
        self._turn += 4 * (len(rows) - 1)
        return self.receive(), taken

    def burst(self, *rows, places):
        """A burst of one call for each row, whose inputs are gone before its outputs are copied; a
        call's place is that of its inputs and of its outputs. Returns (reply, had the host copied
        before it was to)."""
        self._turn += 4
        armed = self.ask({"op": "burst", "instance": 0, "core": -1, "at": list(places),
                          "out": list(places), "turn": self._turn, "sealed": 0})  # as they are
        assert armed == {"re": "armed"}, armed
        before = bytes(self.outputs.map)
        for row, at in zip(rows, places):
            self._put_row(row, at)
        self._hand_over(self._turn)  # to open the inputs
        self._take_back(self._turn)
        self._turn += 4
        given_back = self._hand_over(self._turn)  # to make the calls
        self._take_back(self._turn)
        if given_back == 0:
            return self.receive(), None
        self._turn += 4
        self._wait_for(lambda: self._baton_word(1) == self._turn or self._has_said_something())
        if self._has_said_something():
            return self.receive(), None
        for row, at in zip(rows, places):
            self._put_row([torch.zeros_like(tensor) for tensor in row], at)
        early = bytes(self.outputs.map) != before
        self._hand_over(self._turn)  # to copy the outputs
        self._take_back(self._turn)
        return self.receive(), early

    def _warm_call(self, tensors, at, turn):
        self._put_row(tensors, at)
        count = self._hand_over(turn)
        addresses = struct.unpack_from(f"<{count}Q", self.baton.map, ADDRESSES_AT)
        outputs = [self._memory_at(address) for address in addresses]
        self._take_back(turn)
        return outputs

    def _put_row(self, tensors, at):
        for leaf, tensor in zip(self.leaves, tensors):
            self.inputs.put(at + leaf["offset"], tensor)

    def _hand_over(self, turn):
        """Waits until it is given back; returns the count of addresses."""
        self._wait_for(lambda: self._baton_word(1) == turn)
        struct.pack_into("<I", self.baton.map, 0, turn)
        self._wait_for(lambda: self._baton_word(0) == turn + 1)
        return self._baton_word(2)

    def _take_back(self, turn):
        struct.pack_into("<I", self.baton.map, 0, turn + 2)

    def _baton_word(self, index):
        return struct.unpack_from("<I", self.baton.map, 4 * index)[0]

    def _wait_for(self, condition):
        end = time.monotonic() + REPLY_SECONDS_MAX
        while not condition():
            assert time.monotonic() < end, "the host keeps the baton"
            time.sleep(0.001)

    def _has_said_something(self):
        return bool(select.select([self.socket], [], [], 0)[0])

    def _memory_at(self, address):
        with open(f"/proc/{self.process.pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return bytearray(memory.read(OUTPUT_BYTES_MAX))

    def deliver(self, named, start=0):
        """Writes tensors into the weights arena; returns their descriptions for `load`."""
        described, offset = [], start
        for name, tensor in named.items():
            size = tensor.numel() * tensor.element_size()
            self.weights.put(offset, tensor)
            described.append({"name": name, "dtype": protocol.dtype_name(tensor.dtype),
                              "shape": list(tensor.shape), "offset": offset, "bytes": size})
            offset += protocol.align(size)
        return described

    def close(self):
        """Closes the socket; returns (exit status, what the host wrote to stderr). Idempotent."""
        if self._ended:
            return self._ended
        self.socket.close()
        said = self.process.stderr.read().decode()
        status = self.process.wait(REPLY_SECONDS_MAX)
        self.process.stderr.close()
        self._work.cleanup()
        self._ended = (status, said)
        return self._ended

    def wipe(self):
        """Zeroes the arenas."""
        for memory in (self.inputs, self.outputs, self.weights):
            memory.map[:] = bytes(ARENA_BYTES)

    def _exactly(self, size):
        body = b""
        while len(body) < size:
            try:
                chunk = self.socket.recv(size - len(body))
            except ConnectionResetError:
                return None
            if not chunk:
                return None
            body += chunk
        return body


def model(forward, init="pass", arguments="", head="import torch"):
    """Source of a ModelNew with these bodies (one line each)."""
    return (f"{head}\nclass ModelNew(torch.nn.Module):\n"
            f"    def __init__(self{arguments}):\n        super().__init__()\n        {init}\n"
            f"    def forward(self, *x):\n        {forward}\n")
