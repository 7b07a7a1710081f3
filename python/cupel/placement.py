"""Where tensors are made: "cpu", or a GPU as "cuda:N". Shared by referee and host, which must
construct the same weights from the same seed."""

import contextlib
import pickle

import torch

# What code that insists on the CPU raises when its tensors are made elsewhere: numpy(), mixed
# devices, CPU-only operators.
_INSISTS_ON_CPU = (RuntimeError, TypeError, NotImplementedError)


def is_gpu(device):
    return device.startswith("cuda")


def synchronize(device):
    """Waits for the GPU's work; nothing on the CPU."""
    if is_gpu(device):
        torch.cuda.synchronize(device)


def bound_memory(device, share):
    """Holds torch's allocator in this process to a share of the GPU's memory."""
    torch.cuda.set_per_process_memory_fraction(share, device)


@contextlib.contextmanager
def bounded_memory(device, bytes_max):
    """Holds torch's allocator to so much of a GPU's memory inside the context; 0: to all of it."""
    if not bytes_max or not is_gpu(device):
        yield
        return
    give_back_memory(device)
    bound_memory(device, min(1.0, bytes_max / torch.cuda.mem_get_info(device)[1]))
    try:
        yield
    finally:
        bound_memory(device, 1.0)


def give_back_memory(device, unused_bytes_min=0):
    """What torch's allocator keeps of a GPU's memory for later goes back to the others on it, if
    that is as much."""
    if is_gpu(device):
        unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        if unused >= unused_bytes_min:
            torch.cuda.empty_cache()


def drawing_on(device, generator):
    """A generator for tensors on the device, which the CPU's decides: what is of gigabytes a CPU
    draws for many seconds."""
    if not is_gpu(str(device)):
        return generator
    seed = int(torch.randint(0, 2 ** 62, (), generator=generator))
    return torch.Generator(device).manual_seed(seed)


def make_on(device, make, before=None):
    """make(), after `before()`, with `device` as the place of new tensors. Code that cannot do with
    that is run once more on the CPU; the caller moves what it gets."""
    if before is not None:
        before()
    if not is_gpu(device):
        return make()
    try:
        with torch.device(device):
            return make()
    except torch.OutOfMemoryError:
        raise
    except _INSISTS_ON_CPU:
        pass
    if before is not None:
        before()
    return make()


def construct(cls, init_pickle, seed, device, seed_all=torch.manual_seed):
    """A new instance on `device` under `seed`; its arguments are unpickled anew each time, since a
    constructor may keep or change them. `seed_all` seeds the generators."""
    def make():
        init = pickle.loads(init_pickle)
        return cls(**moved(init, device)) if isinstance(init, dict) else cls(*moved(init, device))

    instance = make_on(device, make, lambda: seed_all(seed))
    return instance.to(device) if is_gpu(device) else instance


def moved(value, device):
    """The tensors in lists, tuples and mappings moved to `device`."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if type(value) in (list, tuple):
        return type(value)(moved(item, device) for item in value)
    if type(value) is dict:
        return {key: moved(item, device) for key, item in value.items()}
    return value


def settle_precision(policy, reference=False):
    """Sets what torch's float32 arithmetic may do. `eager` and `half` leave torch's defaults;
    `exact` forbids TF32, whatever the code asks for later in its own imports; `tf32` allows it to
    the reference, whose error sets the tolerance, and leaves the programs torch's defaults."""
    if policy == "exact":
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False
    if policy == "tf32" and reference:
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True


@contextlib.contextmanager
def no_tf32():
    """Full float32 inside the context."""
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    before = matmul.allow_tf32, cudnn.allow_tf32
    matmul.allow_tf32 = cudnn.allow_tf32 = False
    try:
        yield
    finally:
        matmul.allow_tf32, cudnn.allow_tf32 = before


@contextlib.contextmanager
def thread_count(count):
    """torch's threads inside the context. One is enough for passes over memory, and steadier."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
