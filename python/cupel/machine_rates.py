"""How fast this machine moves bytes and multiplies, measured with PyTorch's own operators: what a
program's own rates stand beside."""

import time

import torch

from cupel import placement

# By whether it is a GPU. Far beyond its caches; so large that libraries reach their best.
COPY_BYTES = {False: 128 << 20, True: 1 << 30}
MATRIX_SIZE = {False: 1024, True: 8192}
REPETITIONS = 5


def measure(device):
    """{copied_bytes_per_s, float32_flops_per_s}: bytes read and written; under the policy that the
    process keeps."""
    on_gpu = placement.is_gpu(device)
    return {"copied_bytes_per_s": copy_rate(device, COPY_BYTES[on_gpu]),
            "float32_flops_per_s": matmul_rate(device, MATRIX_SIZE[on_gpu])}


def copy_rate(device, size):
    source = torch.ones(size // 8, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    return 2 * source.numel() * 4 / _least_seconds(lambda: target.copy_(source), device)


def matmul_rate(device, size):
    left, right = (torch.rand(size, size, device=device) for _ in range(2))
    result = torch.empty_like(left)
    return 2 * size ** 3 / _least_seconds(lambda: torch.matmul(left, right, out=result), device)


def _least_seconds(work, device):
    """The best of a few: whoever else works here only adds to it."""
    least = float("inf")
    for _ in range(REPETITIONS + 1):
        placement.synchronize(device)
        start = time.perf_counter()
        work()
        placement.synchronize(device)
        least = min(least, time.perf_counter() - start)
    return least
