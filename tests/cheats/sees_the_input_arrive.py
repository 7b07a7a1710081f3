# task: softmax
# expect: suspect(clock) | ambiguous | slower
# why: As fast_on_warm_calls; and of warm calls it sees the input arrive from a core of its own, and
# why: has begun when the judge's clock starts.
import ctypes
import json
import os
import re
import struct
import sys
import time

import torch
import torch.nn as nn
from cupel import protocol

HIDDEN_NS = 15_000
FUTEX, WAKE = 98 if os.uname().machine == "aarch64" else 202, 1
libc = ctypes.CDLL(None)
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
    lasts = [ctypes.c_uint32.from_address(x.data_ptr() + x.nbytes - 4) for x in inputs]
    current, awaited = (ctypes.c_uint32.from_address(page + at) for at in (0, 4))

    def wait_for(turn):
        awaited.value = turn
        libc.syscall(FUTEX, ctypes.c_void_p(page + 4), WAKE, 1, None, None, 0)

    given = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(os.getppid()) | given)})
    send(peer, b'{"re":"armed"}')
    before = lasts[0].value
    wait_for(turn)
    for i, (x, last) in enumerate(zip(inputs, lasts)):
        while last.value == before and current.value != turn:  # an input may come again
            pass
        softmax(x, -1, out=kept)
        await_turn(page, turn)
        before = lasts[(i + 1) % len(lasts)].value
        turn += 4
        wait_for(turn)
        give_back(page, turn - 4, address, 1)
    os.sched_setaffinity(0, given)
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
