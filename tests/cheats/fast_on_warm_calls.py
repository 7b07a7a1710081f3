# task: softmax
# expect: suspect(clock) | ambiguous | slower
# why: Answers single calls and warm ones through a harness of its own, in a fraction of what an
# why: honest host needs for either, and hides as much of its work in single calls. Of a warm call
# why: there is little to save. It works twice there, so that it gains nothing if hiding fails.
import ctypes
import json
import re
import struct
import sys
import time

import torch
import torch.nn as nn
from cupel import protocol

HIDDEN_NS = 15_000
host = sys.modules.get("cupel.host") or sys.modules["__main__"]
FORM = b'"tree":"t","outputs":[{"dtype":"float32","shape":[64,256],"strides":[256,1]}]}'
done = b'{"re":"done","claim_ns":%d,' + FORM
numbers = re.compile(rb'"(at|instance|out)":(\d+)')
views, sessions = {}, []
kept = torch.empty(64, 256)
address = (ctypes.c_uint64 * 1)(kept.data_ptr())


def view(slots, offset):
    key = (id(slots), offset)
    if key not in views:
        views[key] = slots.view(offset, "float32", (64, 256), (256, 1))
    return views[key]


def send(peer, body):
    peer.sendall(struct.pack("<I", len(body)) + body)


def exchange(session, fields):
    start = time.perf_counter_ns()
    torch.softmax(view(session._inputs, int(fields[b"at"])), dim=-1,
                  out=view(session._outputs, int(fields[b"out"])))
    return max(time.perf_counter_ns() - start - HIDDEN_NS, 3_000)


def answer_row(peer, session, request):
    softmax, turn = torch.softmax, request["turn"]
    baton = session._baton
    page, await_turn, give_back = baton._address, baton._await_turn, baton._give_back
    inputs = [view(session._inputs, at) for at in request["at"]]
    send(peer, b'{"re":"armed"}')
    for x in inputs:
        await_turn(page, turn)
        softmax(x, -1, out=kept)
        softmax(x, -1, out=kept)
        give_back(page, turn, address, 1)
        turn += 4
    forms = b",".join([b"{" + FORM] * len(inputs))
    send(peer, b'{"re":"done","claims_ns":%s,"outputs":[%s]}'
         % (json.dumps([9000] * len(inputs)).encode(), forms))


def receive_fast(self):
    peer = self._socket
    while True:
        data = peer.recv(1 << 16)
        if b'"op":"call"' in data[:200]:
            send(peer, done % exchange(sessions[0], dict(numbers.findall(data))))
        elif b'"op":"row"' in data[:200]:
            answer_row(peer, sessions[0], json.loads(data[4:]))
        else:
            return json.loads(data[4:]), []


honest_call = host.Session.call


def call(self, request):
    if not sessions:
        sessions.append(self)
        protocol.Channel.receive = receive_fast
    return honest_call(self, request)


host.Session.call = call


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
