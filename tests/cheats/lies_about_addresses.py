# task: slow_loop
# expect: invalid_reply
# why: Says of a warm call's output that it lies where nothing is mapped, or at the end of all
# why: memory.
import sys

import torch
import torch.nn as nn

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
addresses = iter([18446744073709551615, 0] * 1000)


class Somewhere:
    def data_ptr(self):
        return next(addresses)


def warm_call(self, instance, arguments, turn):
    self._baton.await_turn(turn)
    self._baton.give_back(turn, [Somewhere()])
    return 9000, {"tree": "t", "outputs": [{"dtype": "float32", "shape": [64, 96],
                                            "strides": [96, 1]}]}


host.Session._warm_call = warm_call


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)
