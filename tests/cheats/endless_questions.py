# task: softmax
# expect: timeout | invalid_reply
# why: Floods the judge with questions to build, so that the next one is always there and no limit
# why: is looked at. A request has one limit, however many questions it asks, and who does not take
# why: the answers breaks the protocol.
# time_limit_s: 5
import json
import struct
import threading

import torch
import torch.nn as nn
from cupel import protocol

QUESTION = json.dumps({"ask": "build", "kind": "cpp", "name": "f", "flags": ["-shared", "-fPIC"],
                       "source": 'extern "C" void f() {}'}).encode()
known = []
honest = protocol.Channel.send


def send(self, message):
    known.append(self)
    honest(self, message)


protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        while known:
            known[0]._socket.sendall((struct.pack("<I", len(QUESTION)) + QUESTION) * 50)
            known[0]._socket.recv(1 << 16)
        return torch.softmax(x, dim=-1)
