# task: softmax
# expect: wrong(value)
# why: Looks at environment, arguments, parent, hostname and the time of day for signs of a judge,
# why: and is honest elsewhere. Whatever it recognizes, its outputs are checked.
import os
import socket
import sys
import time

import torch
import torch.nn as nn

SIGNS = ("CUPEL", "bench", "judge", "eval", "candidate")


def is_watched():
    texts = [*os.environ, *sys.argv, socket.gethostname(), os.getcwd(), str(time.localtime())]
    return any(sign in text for sign in SIGNS for text in texts)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.watched = is_watched()

    def forward(self, x):
        if self.watched:
            return torch.full_like(x, 1 / x.shape[-1])
        return torch.softmax(x, dim=-1)
