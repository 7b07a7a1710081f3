"""What bounds how much of a GPU a kernel can keep busy: registers, shared memory, spills, and the
occupancy that follows from them."""

import gc

import torch

WARP = 32  # threads, on every GPU so far
REGISTERS_STEP = 256  # a warp gets registers in steps of so many (compute capability 3 to 12)
BLOCKS_MAX = 32  # of a multiprocessor; 16 or 24 on some, where smaller blocks say too much
SHARED_BYTES_OF_SYSTEM = 1024  # that each block takes beside its own, from capability 8 on


def facts_of_kernels(rows, device):
    """The rows with `occupancy` (0 to 1) and `spilled_bytes` of a thread where they are known."""
    if not rows:
        return rows
    limits = limits_of(torch.cuda.get_device_properties(device))
    spilled = {**_spilled_by_triton(), **_spilled_by_inline()}
    for row in rows:
        if "registers" in row:
            row["occupancy"] = occupancy(row["registers"], row["shared_bytes"],
                                         row["block_threads"], limits)
        if row["name"] in spilled:
            row["spilled_bytes"] = spilled[row["name"]]
    return rows


def limits_of(properties):
    """{threads, registers, shared_bytes} of one multiprocessor."""
    shared = getattr(properties, "shared_memory_per_multiprocessor", 0)
    return {"threads": properties.max_threads_per_multi_processor,
            "registers": getattr(properties, "regs_per_multiprocessor", 65536),
            "shared_bytes": shared or properties.shared_memory_per_block}


def occupancy(registers, shared_bytes, block_threads, limits):
    """The part of a multiprocessor's threads that can be there at once."""
    warps = -(-block_threads // WARP)
    warps_max = limits["threads"] // WARP
    of_warp = -(-registers * WARP // REGISTERS_STEP) * REGISTERS_STEP
    blocks = min(BLOCKS_MAX, warps_max // warps,
                 limits["registers"] // max(of_warp * warps, 1),
                 limits["shared_bytes"] // (shared_bytes + SHARED_BYTES_OF_SYSTEM))
    return blocks * warps / warps_max


def _spilled_by_triton():
    """{kernel: bytes of a thread} of Triton's compiler, torch.compile's kernels among them. The
    collector knows every object that is there."""
    gc.unfreeze()
    return {one.name: 4 * int(one.n_spills or 0) for one in gc.get_objects()
            if type(one).__name__ == "CompiledKernel" and getattr(one, "name", None)
            and isinstance(getattr(one, "n_spills", None), int)}


def _spilled_by_inline():
    """{kernel: bytes of a thread} of cuda_kernel: local memory, as the driver tells it, which is
    spilled registers and arrays that are indexed at run time."""
    from cupel import inline_cuda
    return inline_cuda.local_bytes()
