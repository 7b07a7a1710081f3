# task: knows_its_file
# expect: infra_fault(baseline_wrong)
# why: The reference computes something else in a host than in the referee.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x * 2
