# task: softmax
# expect: invalid_reply
# why: A reply whose kind is two million nested lists, which would overflow the stack of whoever
# why: copies or prints it. What nests so deeply is no message.
import struct

import torch
import torch.nn as nn
from cupel import protocol

honest = protocol.Channel.send


def send(self, message):
    if message.get("re") != "done":
        return honest(self, message)
    body = b'{"re":' + b"[" * 1_900_000 + b"]" * 1_900_000 + b"}"
    self._socket.sendall(struct.pack("<I", len(body)) + body)


protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
