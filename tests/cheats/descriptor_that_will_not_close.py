# task: softmax
# expect: invalid_reply | runtime_error
# why: Sends a socket beside its reply whose last close() waits a day for a peer that never reads.
# why: A jail has no such sockets; descriptors are not the host's to send, end it, and are closed
# why: where nobody waits.
import socket
import struct

import torch
import torch.nn as nn
from cupel import protocol

kept = []


def lingering():
    listener = socket.create_server(("127.0.0.1", 0))
    ours = socket.create_connection(listener.getsockname())
    theirs, _ = listener.accept()
    ours.setblocking(False)
    try:
        while True:
            ours.send(bytes(1 << 16))
    except BlockingIOError:
        pass
    ours.setblocking(True)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 86400))
    kept.extend((listener, theirs))
    return ours


def send(self, message):
    body = protocol.json.dumps(message).encode()
    frame = struct.pack("<I", len(body)) + body
    if message.get("re") != "done":
        return self._socket.sendall(frame)
    with lingering() as descriptor:
        socket.send_fds(self._socket, [frame], [descriptor.fileno()])


protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
