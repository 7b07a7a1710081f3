"""State dicts that a user names: files that torch.save or safetensors wrote.

Nothing in such a file is run. safetensors' format is read here: a length of 8 bytes, a header of
JSON, then the tensors' bytes.
"""

import functools
import hashlib
import json
import math
import struct

import torch

from cupel.failures import TaskFailure

NESTED_UNDER = ("state_dict", "model_state_dict", "model")  # where training loops keep it
WRAPPED_BY = ("module.", "_orig_mod.")                      # DataParallel, torch.compile
HEADER_BYTES_MAX = 100 << 20  # safetensors' own limit
_DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16,
           "BF16": torch.bfloat16, "I64": torch.int64, "I32": torch.int32, "I16": torch.int16,
           "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool}


@functools.lru_cache(maxsize=1)
def read_state(path, digest):
    """{name: tensor on the CPU} of the file whose SHA-256 is `digest`. Raises TaskFailure."""
    with open(path, "rb") as file:
        data = file.read()
    if hashlib.sha256(data).hexdigest() != digest:
        raise _refused(path, "it was changed since the run began; begin another run")
    state = _safetensors(path, data) if path.endswith(".safetensors") else _saved(path)
    del data
    return _unwrapped(_state_in(path, state))


def _saved(path):
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as problem:  # of what is no such file, torch's reader raises anything
        raise _refused(path, "it holds no tensors alone; write it with "
                       f"torch.save(model.state_dict(), ...) ({_first_line(problem)})") from problem


def _first_line(problem):
    return (str(problem).splitlines() or [type(problem).__name__])[0]


def _state_in(path, value):
    """The state dict itself, or the one that a checkpoint holds under a usual name."""
    for name in NESTED_UNDER:
        if isinstance(value, dict) and isinstance(value.get(name), dict):
            value = value[name]
    if not isinstance(value, dict) or not value or \
            not all(isinstance(name, str) for name in value) or \
            not any(isinstance(tensor, torch.Tensor) for tensor in value.values()):
        raise _refused(path, "it holds no state dict, also under none of "
                       + ", ".join(NESTED_UNDER))
    return value


def _unwrapped(state):
    for prefix in WRAPPED_BY:
        if all(name.startswith(prefix) for name in state):
            state = {name.removeprefix(prefix): value for name, value in state.items()}
    return state


def _safetensors(path, data):
    try:
        size, = struct.unpack_from("<Q", data)
        if size > HEADER_BYTES_MAX:
            raise ValueError(f"a header of {size} bytes")
        header = json.loads(data[8:8 + size])
        header.pop("__metadata__", None)
        return {name: _tensor(data, 8 + size, entry) for name, entry in header.items()}
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise _refused(path, f"it is not in safetensors' format ({_first_line(problem)})") \
            from problem


def _tensor(data, start, entry):
    """Of a header's {"dtype", "shape", "data_offsets"}; `start`: where the bytes begin."""
    dtype, shape = _DTYPES[entry["dtype"]], entry["shape"]
    begin, end = entry["data_offsets"]
    count = math.prod(shape)
    if end - begin != count * dtype.itemsize or start + end > len(data):
        raise ValueError("offsets and sizes do not agree")
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(data[start + begin:start + end]), dtype=dtype).view(shape)


def _refused(path, why):
    return TaskFailure("unsupported", f"{path}: {why}", "weights")
