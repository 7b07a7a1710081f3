# task: slow_loop
# expect: invalid_reply | suspect(late_write) | wrong(nan) | wrong(value)
# why: Puts the reply to the next call into the socket right after the reply to this one, so that
# why: it is there as soon as it is asked for. Whoever speaks unasked breaks the protocol.
import json
import struct

import torch
import torch.nn as nn
from cupel import protocol

honest = protocol.Channel.send


def send(self, message):
    honest(self, message)
    if message.get("re") == "done":
        body = json.dumps({**message, "claim_ns": 5_000}).encode()
        self._socket.sendall(struct.pack("<I", len(body)) + body)


protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)
