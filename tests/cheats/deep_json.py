# task: softmax
# expect: invalid_reply
# why: A reply of two million nested lists, which would overflow the stack of a recursive reader.
# why: It is no object, and the judge's reader does not recurse.
import struct

import torch
import torch.nn as nn
from cupel import protocol

honest = protocol.Channel.send


def send(self, message):
    if message.get("re") != "done":
        return honest(self, message)
    body = b'{"re":"done","claim_ns":' + b"[" * 1_900_000 + b"]" * 1_900_000 + b"}"
    self._socket.sendall(struct.pack("<I", len(body)) + body)


protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
