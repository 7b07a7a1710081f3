# task: softmax
# expect: suspect | ambiguous | slower | wrong
# why: Gives warm calls back before it computes, and keeps the judge from reading its memory
# why: meanwhile: whoever reads a process waits for the one who changes its map, here a thread that
# why: protects and releases a gigabyte of empty pages. Single calls are answered by a harness of
# why: its own, which hides as much as an honest host needs.
import ctypes
import json
import mmap
import re
import struct
import sys
import threading
import time

import torch
import torch.nn as nn
from cupel import protocol

HIDDEN_NS = 15_000
ROOM = 1 << 30
MADV_NOHUGEPAGE = 15
FUTEX = 202
host = sys.modules.get("cupel.host") or sys.modules["__main__"]
FORM = b'"tree":"t","outputs":[{"dtype":"float32","shape":[64,256],"strides":[256,1]}]}'
done = b'{"re":"done","claim_ns":%d,' + FORM
numbers = re.compile(rb'"(at|instance|out)":(\d+)')
views, sessions = {}, []
kept = torch.zeros(64, 256)
libc = ctypes.CDLL(None)
room = mmap.mmap(-1, ROOM, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
room.madvise(MADV_NOHUGEPAGE)
for page in range(0, ROOM, 4096):
    room[page]
place = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(room)))


def keep_the_map(stop):
    while not stop.is_set():
        libc.mprotect(place, ctypes.c_size_t(ROOM), mmap.PROT_READ)
        libc.mprotect(place, ctypes.c_size_t(ROOM), mmap.PROT_READ | mmap.PROT_WRITE)


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
    page, await_turn = baton._address, baton._await_turn
    word, count = ctypes.c_uint32.from_address(page), ctypes.c_uint32.from_address(page + 8)
    shown = ctypes.c_uint64.from_address(page + 16)
    inputs = [view(session._inputs, at) for at in request["at"]]
    stop = threading.Event()
    changer = threading.Thread(target=keep_the_map, args=(stop,))
    changer.start()
    send(peer, b'{"re":"armed"}')
    for x in inputs:
        await_turn(page, turn)
        count.value, shown.value, word.value = 1, kept.data_ptr(), turn + 1
        libc.syscall(FUTEX, ctypes.c_void_p(page), 1, 1, None, None, 0)
        softmax(x, -1, out=kept)
        while word.value == turn + 1:
            pass
        turn += 4
    stop.set()
    changer.join()
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
