"""What came before a call on a GPU: work that its stream has yet to do, and what that leaves in the
shared memory of all multiprocessors. Nothing clears it between two kernels of a process, so that a
kernel which reads what it never wrote finds zeros as long as nobody else used it."""

import itertools

import torch

from cupel import inline, inline_cuda

CYCLES = 1 << 20  # of a GPU's clock: half a millisecond and more
# NaN in float16, bfloat16, float32 and float64 alike, which a maximum drops; the largest numbers of
# both signs, which it does not.
_WORDS = (0x7F7F7F7F, 0x7FFF7FFF, 0xFF7F7F7F)
# How a multiprocessor divides its memory hangs on what the blocks of a kernel ask for, and so where
# these lie in it: bytes each, beside the most that a device gives.
_BLOCK_BYTES = (48 << 10, 8 << 10, 1 << 10)
_BLOCKS_EACH = 8  # of a multiprocessor, where so many fit
_THREADS = 128
_SOURCE = r"""
extern "C" __global__ void fill_shared_memory(unsigned words, unsigned word) {
  extern __shared__ volatile unsigned memory[];
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) memory[i] = word;
}
"""
_turn = itertools.cycle(_WORDS)
_kernels = {}  # by device


def queue():
    """Queues all of that on the current stream and waits for nothing."""
    torch.cuda._sleep(CYCLES)
    fill_shared_memory(next(_turn))


def fill_shared_memory(word):
    """Leaves a word of 32 bits everywhere in shared memory, as far as it can be reached."""
    device = torch.cuda.current_device()
    if device not in _kernels:
        _kernels[device] = inline_cuda.build(_SOURCE, "fill_shared_memory", (),
                                             inline.cache_directory())
    facts = torch.cuda.get_device_properties(device)
    for size in (facts.shared_memory_per_block_optin, *_BLOCK_BYTES):
        _kernels[device](size // 4, word, grid=facts.multi_processor_count * _BLOCKS_EACH,
                         block=_THREADS, shared=size)
