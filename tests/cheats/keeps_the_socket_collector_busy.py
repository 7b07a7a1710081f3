# task: slow_loop
# expect: slower | runtime_error
# why: Puts thousands of sockets into each other's queues, where the kernel looks for garbage each
# why: time that one is closed, on a thread of its own that nobody freezes. How many may lie there
# why: is bounded; the loop runs twice.
import resource
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


def sockets_in_sockets(count):
    """The open end of a chain: each socket lies in the queue of the next one."""
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
    except (OSError, ValueError):
        pass
    inner, inner_peer = socket.socketpair()
    for _ in range(count):
        outer, peer = socket.socketpair()
        try:
            socket.send_fds(peer, [b"x"], [inner.fileno(), inner_peer.fileno()])
        except OSError:
            break
        inner.close()
        inner_peer.close()
        inner, inner_peer = outer, peer
    socket.send_fds(inner_peer, [b"x"], [inner.fileno()])
    return inner, inner_peer


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.chain = sockets_in_sockets(100_000)

    def forward(self, x):
        running_sum(x)
        y = running_sum(x)
        socket.socket(socket.AF_UNIX).close()
        return y
