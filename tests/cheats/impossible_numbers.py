# task: softmax
# expect: suspect(clock) | invalid_reply
# why: Claims of 1e300, -1 and 1e-300 nanoseconds in turn, for those who convert without looking.
# why: A claim must be positive and fit its bracket.
import itertools

import torch
import torch.nn as nn
from cupel import protocol

honest = protocol.Channel.send
numbers = itertools.cycle((1e300, -1, 1e-300, -(2**63), 2**64 - 1))


def send(self, message):
    if message.get("re") == "done":
        for claim in ("claim_ns", "claims_ns"):
            if claim in message:
                one = claim == "claim_ns"
                message[claim] = next(numbers) if one else [next(numbers) for _ in message[claim]]
    honest(self, message)


protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
