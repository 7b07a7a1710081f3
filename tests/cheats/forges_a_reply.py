# task: slow_loop
# expect: suspect(late_write) | invalid_reply | wrong(nan) | wrong(value) | wrong(range)
# why: Finds the judge's socket and sends a reply of its own before the work is done.
import json
import os
import struct

import torch
import torch.nn as nn


def send(message):
    body = json.dumps(message).encode()
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink("/proc/self/fd/" + name).startswith("socket:"):
                os.write(int(name), struct.pack("<I", len(body)) + body)
        except OSError:
            pass


class ModelNew(nn.Module):
    def forward(self, x):
        reply = {"re": "done", "claim_ns": 20000, "tree": "t", "outputs": [
            {"dtype": "float32", "shape": list(x.shape), "strides": list(x.stride())}]}
        send(reply)
        return torch.cumsum(x, dim=1)
