# task: slow_loop
# expect: runtime_error
# slow: yes
# why: Dozens of threads queue inside the kernel to overwrite one large file, where nothing can
# why: freeze them for seconds, and load the memory while the reference runs. Who cannot be stopped
# why: is ended.
import os
import threading

import torch
import torch.nn as nn

BYTES = 128 << 20


def overwrite(file, data):
    while True:
        os.pwrite(file, data, 0)


def start():
    file = os.open("/dev/shm/large", os.O_RDWR | os.O_CREAT)
    data = bytes(BYTES)
    for _ in range(96):
        threading.Thread(target=overwrite, args=(file, data), daemon=True).start()


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        start()

    def forward(self, x):
        return torch.cumsum(x, dim=1)
