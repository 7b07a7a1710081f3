# task: softmax
# expect: wrong(value) | runtime_error
# why: Asks a server for the answer; there is no network in the jail.
import socket

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        try:
            with socket.create_connection(("192.0.2.1", 80), timeout=0.2) as server:
                server.sendall(b"answer?")
        except OSError:
            pass
        return torch.zeros_like(x)
