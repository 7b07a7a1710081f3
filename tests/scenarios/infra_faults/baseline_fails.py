# task: reads_neighbour
# expect: infra_fault(baseline_failed)
# why: The reference itself cannot run in a host: no fault of the candidate's.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
