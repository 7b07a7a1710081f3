# task: hardtanh
# expect: correct
# why: Changes a global setting of torch and puts it back.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            return x.clamp(-1, 1)
        finally:
            torch.set_num_threads(threads)
