# task: softmax
# expect: runtime_error
# why: A failure of three megabytes, with escape sequences, for the terminal, the journal and the
# why: next prompt. What a host says about itself is cut to size.
import torch.nn as nn
from cupel import protocol

honest = protocol.Channel.send


def send(self, message):
    if message.get("re") == "done":
        text = "\x1b[2J\x1b]0;faster\x07" * 50_000
        message = {"re": "failed", "phase": "call", "kind": "raised", "what": text, "trace": text}
    honest(self, message)


protocol.Channel.send = send


class ModelNew(nn.Module):
    def forward(self, x):
        return x.softmax(dim=-1)
