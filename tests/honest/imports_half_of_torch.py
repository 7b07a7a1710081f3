# task: linear
# expect: correct
# audited: slow
# why: Imports much of torch, sets a variable of the environment, and maps over rows with vmap.
import concurrent.futures
import logging
import os
import subprocess
import multiprocessing
import torch
import torch.nn as nn
import torch.ao.quantization
import torch.distributed
import torch.export
import torch.sparse
import torch.utils.benchmark
import torch.utils.data
import torch.nn.utils.parametrize
import torch.profiler
os.environ['TORCH_CUDA_ARCH_LIST'] = '9.0'
logging.getLogger('mine').setLevel(logging.DEBUG)


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.linear = nn.Linear(*arguments)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        out = torch.func.vmap(lambda row: self.linear.weight @ row)(flat) + self.linear.bias
        return out.reshape(*x.shape[:-1], -1)
