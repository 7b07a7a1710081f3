# task: softmax
# expect: invalid_reply
# why: Puts two hundred descriptors beside every byte that it sends, to use up the judge's.
import os
import socket
import struct

import torch
import torch.nn as nn
from cupel import protocol

descriptors = [os.dup(0) for _ in range(200)]


def send(self, message):
    body = protocol.json.dumps(message).encode()
    frame = struct.pack("<I", len(body)) + body
    for at in range(len(frame)):
        socket.send_fds(self._socket, [frame[at:at + 1]], descriptors)


class ModelNew(nn.Module):
    def forward(self, x):
        protocol.Channel.send = send
        return torch.softmax(x, dim=-1)
