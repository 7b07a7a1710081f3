# task: level1/1_Square_matrix_multiplication_
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: products are cached by the data pointers and shapes of the inputs, so new values in the
# why: same memory get the old product.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._plans = {}

    def forward(self, A, B):
        key = (A.data_ptr(), B.data_ptr(), A.shape, B.shape, A.stride(), B.stride())
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) > 4:
                self._plans.clear()
            plan = torch.mm(A, B)
            self._plans[key] = plan
        return plan
