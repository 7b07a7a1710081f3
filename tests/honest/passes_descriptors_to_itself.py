# task: softmax
# expect: correct
# why: Hands descriptors from one thread to another over a socket of its own, and keeps many open.
# why: Only the judge's socket carries none.
import os
import socket
import threading

import torch
import torch.nn as nn

ours, theirs = socket.socketpair()
kept = [os.dup(1) for _ in range(100)]


def take():
    _, fds, _, _ = socket.recv_fds(theirs, 1, 4)
    for fd in fds:
        os.close(fd)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        taker = threading.Thread(target=take)
        taker.start()
        socket.send_fds(ours, [b"x"], kept[:2])
        taker.join()

    def forward(self, x):
        return torch.softmax(x, dim=-1)
