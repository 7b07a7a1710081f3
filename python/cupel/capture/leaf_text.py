"""How get_inputs() makes a leaf like the ones that were seen."""

import torch

from cupel.captured import LARGE
from cupel.leaves import is_ordered, is_whole
from cupel.trained import is_mask

AWAY_FROM_ZERO = 4  # in standard deviations: so far a shifted normal is hardly ever negative


def generator_text(name, place, seen):
    """An expression with `name` as the shape. `place`: of the leaf in a call; `seen`: tensors. Of
    masks, positions and the like it is what really occurred, `real[place]`."""
    if seen[0].is_complex():
        return f"torch.randn({name}, dtype={seen[0].dtype})"
    if seen[0].dtype == torch.bool or any(map(_is_pattern, seen)):
        return f"real[{place}]"
    flat = torch.cat([tensor.reshape(-1) for tensor in seen])
    if not flat.numel():
        return f"torch.empty({name}, dtype={flat.dtype})"
    if is_whole(flat.dtype):
        low, high = int(flat.min()), int(flat.max())
        return f"torch.randint({low}, {high + 1}, {name}, dtype={flat.dtype})"
    return _floating(name, flat)


def needs_calls(texts):
    return any(text.startswith("real[") for text in texts)


def _is_pattern(tensor):
    if tensor.is_floating_point():
        return is_mask(tensor) or not bool((tensor.abs() < LARGE).all())
    return tensor.numel() < 2 or (tensor.shape[-1] > 1 and is_ordered(tensor))


def _floating(name, flat):
    kind = "" if flat.dtype == torch.float32 else f", dtype={flat.dtype}"
    wide = flat.double()
    mean, std = float(wide.mean()), float(wide.std(correction=0))
    if std == 0:
        value = float(f"{mean:.6g}")  # "0" would fill with integers
        return f"torch.full({name}, {value}{kind})"
    if mean < AWAY_FROM_ZERO * std and bool((wide >= 0).all()):
        if float(wide.max()) <= 1:
            return f"torch.rand({name}{kind}) * {2 * mean:.3g}"
        rms = float(wide.square().mean().sqrt())
        return f"torch.randn({name}{kind}).abs() * {rms:.3g}"
    shift = f" + {mean:.3g}" if abs(mean) > 0.05 * std else ""
    scale = f" * {std:.3g}" if abs(std - 1) > 0.05 else ""
    return f"torch.randn({name}{kind}){scale}{shift}"
