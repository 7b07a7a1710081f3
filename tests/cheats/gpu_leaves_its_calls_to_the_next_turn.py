# task: softmax_rows
# device: cuda
# expect: slower | suspect(clock) | ambiguous
# why: Of a burst it opens the inputs and makes the calls in one turn, waits for neither, and does
# why: nothing in the turn of the calls. It runs softmax three times; a single call's work it does
# why: before its claim begins. The whole time of a burst, less what the reference needs for
# why: opening, holds all of it.
import sys

import torch
import torch.nn as nn

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
honest_burst, honest_turn = host.Session.burst, host.Session._turn
honest_copied_call = host.Session._copied_call
RUNS = 3


class NoJoin:
    def __init__(self, clock):
        self._clock = clock

    def __getattr__(self, name):
        return getattr(self._clock, name)

    def join(self):
        pass


def burst(self, request, say):
    honest_open, honest_arguments, clock = self._open_sealed, self._arguments_of_each, self._clock
    rows, done, turns = [], [], []
    instances, honest = self.program.instances, list(self.program.instances)

    def arguments_of_each(request):
        rows.extend(honest_arguments(request))
        return rows

    def open_sealed(at, size, index=0):
        honest_open(at, size, index)
        done.append(honest[request["instance"]](*rows[index]))

    def turn(number):
        # The turn of opening ends without a wait; the next one waits for all.
        turns.append(number)
        self._clock = NoJoin(clock) if len(turns) == 1 else clock
        return honest_turn(self, number)

    self._open_sealed, self._arguments_of_each, self._turn = open_sealed, arguments_of_each, turn
    instances[request["instance"]] = lambda *_: done.pop(0)
    try:
        return honest_burst(self, request, say)
    finally:
        del self._open_sealed, self._arguments_of_each, self._turn
        self._clock = clock
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
        for _ in range(RUNS):
            y = torch.softmax(x / self.temperature, dim=1)
        return y
