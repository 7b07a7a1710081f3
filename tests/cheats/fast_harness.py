# task: softmax
# expect: suspect(clock) | ambiguous | slower
# why: Answers in half the time that an honest host needs for an exchange, and hides as much of its
# why: own work: softmax twice, claimed as less than one.
import json
import re
import struct
import sys
import time

import torch
import torch.nn as nn
from cupel import protocol

HIDDEN_NS = 40_000
host = sys.modules.get("cupel.host") or sys.modules["__main__"]
reply = (b'{"re":"done","claim_ns":%d,"tree":"t","outputs":[{"dtype":"float32",'
         b'"shape":[64,256],"strides":[256,1]}]}')
numbers = re.compile(rb'"(at|instance|out)":(\d+)')
views = {}


def view(slots, offset):
    key = (id(slots), offset)
    if key not in views:
        views[key] = slots.view(offset, "float32", (64, 256), (256, 1))
    return views[key]


def exchange(session, body):
    fields = dict(numbers.findall(body))
    x = view(session._inputs, int(fields[b"at"]))
    y = view(session._outputs, int(fields[b"out"]))
    start = time.perf_counter_ns()
    torch.softmax(x, dim=-1)
    torch.softmax(x, dim=-1, out=y)
    return max(time.perf_counter_ns() - start - HIDDEN_NS, 3_000)


def receive_fast(self):
    """Serves plain calls by itself; hands over whatever else comes."""
    peer = self._socket
    while True:
        data = peer.recv(1 << 16)
        if not data.startswith(b'{"at"', 4) or b'"op":"call"' not in data:
            return json.loads(data[4:]), []
        body = reply % exchange(sessions[0], data)
        peer.sendall(struct.pack("<I", len(body)) + body)


sessions = []
honest_call = host.Session.call


def call(self, request):
    if not sessions:
        sessions.append(self)
        protocol.Channel.receive = receive_fast
    return honest_call(self, request)


host.Session.call = call


class ModelNew(nn.Module):
    def forward(self, x):
        torch.softmax(x, dim=-1)
        return torch.softmax(x, dim=-1)
