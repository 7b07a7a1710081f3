# task: slow_loop
# expect: slower | runtime_error
# why: Fills connections to itself whose packets the kernel sends by its own timers: hardly any
# why: while the program runs, as many as it can while it stands still and the reference runs. A
# why: jail has local sockets only; the loop runs twice.
import socket

import torch
import torch.nn as nn


def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


PACING_RATE, SEGMENT = 47, 2
SLOW, FAST = 1_000, 50_000_000


def connection():
    listener = socket.create_server(("127.0.0.1", 0))
    ours = socket.socket()
    ours.setsockopt(socket.SOL_SOCKET, PACING_RATE, SLOW)
    ours.setsockopt(socket.IPPROTO_TCP, SEGMENT, 100)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    ours.connect(listener.getsockname())
    theirs, _ = listener.accept()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    ours.setblocking(False)
    return ours, theirs


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        try:
            self.connections = [connection() for _ in range(20)]
        except OSError:
            self.connections = []

    def pace(self, rate):
        for ours, _ in self.connections:
            ours.setsockopt(socket.SOL_SOCKET, PACING_RATE, rate)

    def forward(self, x):
        self.pace(SLOW)
        for ours, theirs in self.connections:
            try:
                ours.send(bytes(200_000))
                theirs.recv(1 << 20, socket.MSG_DONTWAIT)
            except BlockingIOError:
                pass
        running_sum(x)
        y = running_sum(x)
        self.pace(FAST)
        return y
