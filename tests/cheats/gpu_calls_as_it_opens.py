# task: softmax_rows
# device: cuda
# expect: suspect(clock) | slower | ambiguous
# why: Of a burst inputs are opened in a turn before the calls'. This one makes the calls there,
# why: softmax three times each, and returns at once when it is their turn; a single call's work
# why: it does before its claim begins. The whole time of a burst has begun by then.
import sys

import torch
import torch.nn as nn

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
honest_burst, honest_copied_call = host.Session.burst, host.Session._copied_call


def burst(self, request, say):
    honest_open, honest_arguments = self._open_sealed, self._arguments_of_each
    rows, done = [], []
    instances, honest = self.program.instances, list(self.program.instances)

    def arguments_of_each(request):
        rows.extend(honest_arguments(request))
        return rows

    def open_sealed(at, size, index=0):
        honest_open(at, size, index)
        done.append(honest[request["instance"]](*rows[index]))

    self._open_sealed, self._arguments_of_each = open_sealed, arguments_of_each
    instances[request["instance"]] = lambda *_: done.pop(0)
    try:
        return honest_burst(self, request, say)
    finally:
        del self._open_sealed, self._arguments_of_each
        instances[:] = honest


def copied_call(self, instance, arguments, out, turn, before):
    done = []

    def opened():
        before()
        torch.cuda.synchronize()
        done.append(instance(*arguments))
        torch.cuda.synchronize()

    return honest_copied_call(self, lambda *_: done[0], arguments, out, turn, opened)


host.Session.burst, host.Session._copied_call = burst, copied_call


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        for _ in range(3):
            y = torch.softmax(x / self.temperature, dim=1)
        return y
