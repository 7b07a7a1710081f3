# task: softmax_rows
# device: cuda
# expect: slower | wrong(value) | wrong(nan) | suspect(late_write)
# why: Three times the work on a non-blocking stream that the driver makes, which torch knows
# why: nothing of.
# why: The probe waits for the context, not for streams that it knows.
import torch
import torch.nn as nn
import ctypes


def driver_stream():
    stream = ctypes.c_void_p()
    ctypes.CDLL("libcuda.so.1").cuStreamCreate(ctypes.byref(stream), 1)
    return torch.cuda.ExternalStream(stream.value)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or driver_stream()
        with torch.cuda.stream(self.side):
            for _ in range(3):
                y = torch.softmax(x / self.temperature, dim=1)
        return y
