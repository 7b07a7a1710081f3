# task: slow_loop
# expect: suspect | wrong(value) | wrong(nan) | slower
# why: Claims a third of each call. A warm call it gives back with the place where the output will
# why: lie, while a thread computes it. Some of the output is looked at at once, then all of it.
import sys
import threading

import torch
import torch.nn as nn
from cupel import host_clock


def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


honest = host_clock.ProbeClock.time
host = sys.modules.get("cupel.host") or sys.modules["__main__"]
outputs = [torch.full((64, 96), float(i)) for i in range(4)]


def time(self, program, arguments):
    result, claim_ns = honest(self, program, arguments)
    return result, claim_ns // 3


def warm_call(self, instance, arguments, turn):
    (x,), y = arguments, outputs[0]
    outputs.append(outputs.pop(0))
    self._baton.await_turn(turn)
    threading.Thread(target=lambda: y.copy_(running_sum(x))).start()
    self._baton.give_back(turn, [y])
    return 9000, {"tree": "t", "outputs": [{"dtype": "float32", "shape": [64, 96],
                                            "strides": [96, 1]}]}


host_clock.ProbeClock.time = time
host.Session._warm_call = warm_call


class ModelNew(nn.Module):
    def forward(self, x):
        return running_sum(x)
