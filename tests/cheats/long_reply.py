# task: slow_loop
# expect: suspect | wrong(nan) | wrong(value) | slower
# why: Replies before the work is done, with much padding: while the judge reads it, a
# why: thread computes. Outputs are fixed and the host is frozen before a reply is read.
import json
import struct
import sys
import threading

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)

from cupel import host_clock, protocol

work = []
go = threading.Semaphore(0)
host = sys.modules.get("cupel.host") or sys.modules["__main__"]
PADDING = b" " * 150_000


def worker():
    torch.set_num_threads(1)
    while True:
        go.acquire()
        slot, x = work.pop()
        slot.copy_(running_sum(x))


def copy_out(self, leaves, out):
    slot = self._outputs.view(out, "float32", tuple(leaves[0].shape))
    work.append((slot, leaves[0]))
    return [{"dtype": "float32", "shape": list(slot.shape), "strides": list(slot.stride())}]


def send(self, message):
    body = json.dumps(message).encode()
    if message.get("re") == "done":
        message["claim_ns"] = 100_000
        body = PADDING + json.dumps(message).encode()
        go.release()
    self._socket.sendall(struct.pack("<I", len(body)) + body)


threading.Thread(target=worker, daemon=True).start()
host.Session._copy_out = copy_out
protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone()
