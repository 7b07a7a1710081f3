"""Weights as training leaves them. A constructor's are alike: unit scales, zero biases, identity
and sinusoidal matrices, bands and masks, uniform noise. A program that writes their values or their
pattern into its source, leaves them out, or is exact only as long as none is large, is right under
every seed, and wrong with the weights that its user will load.

So every floating parameter and persistent buffer is varied densely, to these statistics:

  elements  0.4 % are 20 times the tensor's rms: SqueezeLLM (arXiv 2306.07629) keeps 0.45 % of
            LLaMA's weights apart as outliers; all others get noise with tails of exponent 4
  features  one row and one column in 64 are 4 times as large: LLM.int8() (arXiv 2208.07339) finds
            few feature dimensions, up to 20 times as large as the others, in every layer
  scales    of what is positive (norms, variances): log-normal, and one in 64 is 8 times as large;
            that trained layer norms amplify single channels shows Outlier Suppression (arXiv
            2209.13325)
  sparsity  one element in 16 is zero
  shifts    means of vectors (biases, running means) move by half an rms
  signs     one in 16 of scales that are constructed as ones is negative
  slopes    one in 16 of a PReLU's is larger by 1: nothing holds them below that
  growth    scales that are constructed as next to nothing (LayerScale begins at 1e-6, CaiT, arXiv
            2103.17239, and is learned) are no longer
  limits    of fewer than 16 equal numbers (a temperature, the scale of logits) one is 8 times
            further from 1, or its odds are, if it lies between 0 and 1: CLIP (arXiv 2103.00020)
            keeps its scale of logits below a limit that it reaches in training
  dead      one running variance in 64 is smaller than any epsilon, and as many of what else is
            positive and no parameter
  fractions one in 16 of what lies between 0 and 1 (decays, gates) is near 0 or 1
  bounds    one in 16 of what is constructed as positive is negative, or above 1 where it was a
            fraction: nothing holds a parameter within bounds
  lost rows one row in 64 of a matrix is zero: a class that was never seen, a token for padding

Sizes and shares are chosen after these, for layers of some hundred rows: a matrix has a kurtosis of
30 to 100, its rows one of 10 to 60 (uniform noise: 1.8). The rms of each tensor stays what it was,
so that signals neither grow nor fade from layer to layer.
"""

import math
import typing

import torch

from cupel.leaves import ORDERED_MIN, has_one_value, in_order_of
from cupel.loading import seed_everything
from cupel.protocol import is_floating

NOISE = 0.5              # of the tensor's rms, on every element
TAIL_EXPONENT = 4.0
OUTLIER_ONE_IN, OUTLIER_SIZE = 256, 20.0
FEATURE_ONE_IN, FEATURE_SIZE = 64, 4.0
SCALE_SIZE = 8.0
FIRST_SEEN = 64
FEATURES_MIN = 16        # of fewer rows, columns or scales none stands out
SCALE_SPREAD = 0.4       # of a logarithm
FRACTION_SPREAD = 0.5    # of a logit: decays and probabilities stay between 0 and 1
SHIFT = 0.5
SPARSE_ONE_IN = 16
ZERO_SIZE = 0.25         # rms of what was constructed as zeros; of a matrix 1 / sqrt(its columns)
NEGATIVE_ONE_IN = 16
FRACTION_ONE_IN, ODDS = 16, 64.0
BEYOND_ONE_IN = 16
SLOPE_ONE_IN = 16
NOTHING_MAX = 0.1         # scales that are constructed as one number below this grow
DEAD_SIZE = 1e-6         # of a variance: below the usual epsilon, 1e-5


class Variation(typing.NamedTuple):
    """How weights are varied. `strength`: 0 for none; `boldness`: a key of BOLDNESS, or 0."""
    strength: float
    boldness: int


# What goes, too, the least likely to leave a reference of use last.
BOLDNESS = {
    1: "no scale is negative or has grown from nothing, no fraction is near 0 or 1, and no channel "
       "is dead",
    2: "no lone number is far from what it is constructed as",
    3: "nothing that is constructed as positive, or as a fraction, is anything else",
    4: "no row of a matrix is zero",
}
# What makes the reference useless is tried at less than its full strength.
VARIATIONS = tuple(Variation(*each) for each in (
    (1.0, 4), (1.0, 3), (1.0, 2), (1.0, 1), (1.0, 0), (0.5, 0), (0.25, 0), (0.125, 0)))
NOT_AT_ALL = Variation(0.0, 0)
WORSE_MAX = 4.0           # times the reference's own error with weights as constructed,
ERROR_FLOOR = 2.0 ** -20  # or so many spreads, where that is luckily small
# A reference that is of use is off by no more than this (spreads): four times as much, and what
# further inputs add, must stay below what docs/inputs.md relies on. Where it is off by more anyway,
# by about as much.
USEFUL_RMS_MAX, AS_USEFUL = 0.02, 1.25
GROWTH_MAX = 2.0 ** 20    # of an output's spread: what explodes overflows in one program first
NAMED_MAX = 8             # of one kind, in a note


def vary_weights(model, seed, variation=VARIATIONS[0]):
    """Varies the model in place, alike under the same seed."""
    if not variation.strength:
        return
    seed_everything(seed)
    changes = _changes(model, variation.boldness)
    with torch.no_grad():
        for tensor in _varied(model):
            change = changes.get(id(tensor), _trained)
            made = change(tensor.data, variation.strength)
            tensor.data.copy_(_as_ordered(made, tensor.data))


def _as_ordered(made, was):
    """What ascends or descends as constructed does so with all weights: edges of bins, times."""
    if was.dim() != 1 or was.numel() < ORDERED_MIN or was.dtype.is_complex:
        return made
    steps = was.diff()
    return in_order_of(made, was) if bool((steps > 0).all() | (steps < 0).all()) else made


def trained_instance(make, errors_of, seed):
    """(instance, Variation): made anew, and varied as strongly as leaves the reference of use.
    `errors_of`: the reference's own errors (dicts, one a leaf) with an instance, None for none."""
    made = make()
    if not can_vary(made.model):
        return made, NOT_AT_ALL
    boldnesses = {0, *_boldnesses(made.model)}
    usual = errors_of(made)
    for variation in VARIATIONS if usual else ():
        if variation.boldness not in boldnesses:
            continue
        made = None  # one at a time: each holds its weights in float64 as well
        made = make()
        vary_weights(made.model, seed, variation)
        if _is_of_use(errors_of(made), usual):
            return made, variation
    return make(), NOT_AT_ALL


def _is_of_use(errors, usual):
    """Is the reference right by the standard of the weights as constructed?"""
    return errors is not None and all(
        error["nonfinite"] <= before["nonfinite"]
        and 0 < error["spread"] <= GROWTH_MAX * before["spread"]
        and error["rms"] <= WORSE_MAX * before["rms"] + ERROR_FLOOR
        and error["rms"] <= max(USEFUL_RMS_MAX, AS_USEFUL * before["rms"])
        for error, before in zip(errors, usual))


def can_vary(model):
    return bool(_varied(model))


def unvaried(model):
    """A sentence for each kind of state that is left as constructed; of counters none."""
    persistent = {id(tensor) for tensor in model.state_dict(keep_vars=True).values()}
    kinds = {}
    for name, tensor in model.named_buffers():
        if id(tensor) not in persistent:
            kinds.setdefault("which no state dict holds", []).append(name)
        elif not is_floating(tensor.dtype):
            if tensor.dim():
                kinds.setdefault("which are no floating-point numbers", []).append(name)
        elif is_mask(tensor):
            kinds.setdefault("which have two values, as masks", []).append(name)
    kinds.setdefault("which are no floating-point numbers", []).extend(
        name for name, tensor in model.named_parameters() if not is_floating(tensor.dtype))
    return [f"weights that stay as constructed, {why}: {_some(names)}"
            for why, names in kinds.items() if names]


def _some(names):
    more = len(names) - NAMED_MAX
    return ", ".join(names[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def notes_on(model, variation):
    """What of the model's weights is not as training leaves it. `model`: as constructed."""
    if not can_vary(model):
        return []
    if not variation.strength:
        return ["weights stay as constructed: with trained ones the reference is of no use"]
    notes = [] if variation.strength == 1.0 else [
        f"weights are varied at {variation.strength:g} of what training does: beyond that the "
        "reference is of no use"]
    notes += [f"{BOLDNESS[boldness]}: with such weights the reference is of no use"
              for boldness in _boldnesses(model) if boldness > variation.boldness]
    return notes + unvaried(model)


def is_mask(tensor):
    """Two values in two dimensions or more. Training moves no mask; a diagonal is none."""
    if tensor.dim() < 2 or tensor.numel() < 2:
        return False
    flat = tensor.reshape(-1)
    first = flat[0]
    others = flat[flat != first]
    if not others.numel() or not bool((others == others[0]).all()):
        return False
    square = tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1]
    return not (square and bool((tensor == torch.diag(tensor.diagonal())).all()))


def _varied(model):
    """Tensors that a state dict holds, tied ones once."""
    persistent = {id(tensor) for tensor in model.state_dict(keep_vars=True).values()}
    buffers = [b for b in model.buffers() if id(b) in persistent and not (is_floating(b.dtype) and
                                                                         is_mask(b))]
    unique = {}
    for tensor in [*model.parameters(), *buffers]:
        if is_floating(tensor.dtype) and tensor.numel():
            unique.setdefault((tensor.data_ptr(), tensor.numel()), tensor)
    return list(unique.values())


def _changes(model, boldness):
    """{id of a tensor: its change}, of what not every model survives."""
    changes = {}
    if boldness >= 4:
        changes.update((id(tensor), _with_lost_rows) for tensor in _varied(model)
                       if tensor.dim() > 1 and len(tensor) >= FEATURES_MIN)
    if boldness >= 3:
        changes.update((id(tensor), _beyond) for tensor in _positive_parameters(model))
        changes.update((id(tensor), _variances) for tensor in _positive_buffers(model))
    if boldness >= 2:
        changes.update((id(tensor), _far) for tensor in _lone_numbers(model))
    if boldness >= 1:
        changes.update((id(tensor), _fractions) for tensor in _varied(model)
                       if id(tensor) not in changes and _are_fractions(tensor))
        changes.update(_changes_of_kinds(model))
    return changes


def _boldnesses(model):
    """Keys of BOLDNESS that change something in another way than what is less bold."""
    changes = [_changes(model, boldness) for boldness in range(len(BOLDNESS) + 1)]
    return [boldness for boldness in BOLDNESS if changes[boldness] != changes[boldness - 1]]


def _changes_of_kinds(model):
    changes = {}
    for parameter in model.parameters():
        if is_floating(parameter.dtype) and parameter.numel() > 1 and has_one_value(parameter):
            value = float(parameter.detach().reshape(-1)[0].abs())
            if value == 1.0:
                changes[id(parameter)] = _scales
            elif 0.0 < value < NOTHING_MAX and parameter.numel() >= FEATURES_MIN:
                changes[id(parameter)] = _grown
    for module in model.modules():
        if isinstance(module, torch.nn.PReLU):
            changes[id(module.weight)] = _slopes
    for name, buffer in model.named_buffers():
        if name.endswith("running_var") and buffer.numel() >= FEATURES_MIN:
            changes[id(buffer)] = _variances
    return changes


def _lone_numbers(model):
    """Few equal numbers: what is learned alone is often held within limits."""
    return [parameter for parameter in model.parameters()
            if parameter.is_floating_point() and 0 < parameter.numel() < FEATURES_MIN
            and has_one_value(parameter) and bool(torch.isfinite(parameter).all())
            and bool(parameter.reshape(-1)[0] != 0)]


def _positive_parameters(model):
    return [parameter for parameter in model.parameters()
            if parameter.is_floating_point() and parameter.numel() > 1
            and _all(parameter, _is_positive)]


def _positive_buffers(model):
    held = {id(tensor) for tensor in _varied(model)}
    return [buffer for buffer in model.buffers()
            if id(buffer) in held and buffer.is_floating_point()
            and buffer.numel() >= FEATURES_MIN
            and _all(buffer, _is_positive)]


def _are_fractions(tensor):
    return tensor.is_floating_point() and tensor.numel() > 1 and \
        _all(tensor, lambda numbers: (numbers > 0) & (numbers < 1))


def _is_positive(numbers):
    return numbers > 0


def _all(tensor, holds):
    """Most large tensors show on a look at their first elements that it does not hold for all."""
    flat = tensor.detach().reshape(-1)
    return bool(holds(flat[:FIRST_SEEN]).all()) and bool(holds(flat).all())


def _fractions(tensor, strength):
    """Some near 0 and some near 1."""
    varied = _trained(tensor, strength)
    places = _some_of(varied.numel(), FRACTION_ONE_IN, varied.device, enough=1)
    odds = ODDS ** strength
    flat = varied.view(-1)
    flat[places[::2]] /= odds
    flat[places[1::2]] = 1 - (1 - flat[places[1::2]]) / odds
    return varied


def _with_lost_rows(tensor, strength):
    varied = _trained(tensor, strength)
    size = torch.linalg.vector_norm(varied)
    varied[_some_of(len(varied), FEATURE_ONE_IN, varied.device)] = 0
    return varied * (size / torch.linalg.vector_norm(varied))


def _beyond(tensor, strength):
    """Some negative, and of fractions some above 1."""
    varied = _fractions(tensor, strength) if _are_fractions(tensor) else _trained(tensor, strength)
    places = _some_of(varied.numel(), BEYOND_ONE_IN, varied.device, enough=1)
    flat = varied.view(-1)
    above = places[::2] if _are_fractions(tensor) else places[:0]
    flat[places] *= -1
    flat[above] = 1 + flat[above].abs()
    return varied


def _far(tensor, strength):
    """One of the numbers moves away from 1, where limits are: a scale above it grows, a temperature
    below it falls. What is 1 does either."""
    varied = _trained(tensor, strength)
    place, larger = int(torch.randint(varied.numel(), ())), bool(torch.rand(()) < 0.5)
    was = float(tensor.reshape(-1)[0])
    factor = SCALE_SIZE ** (strength if abs(was) > 1 or (abs(was) == 1 and larger) else -strength)
    odds = was / (1 - was) * factor if 0 < was < 1 else 0.0
    varied.view(-1)[place] = odds / (1 + odds) if odds else was * factor
    return varied


def _scales(tensor, strength):
    varied = _trained(tensor, strength)
    negative = _some_of(varied.numel(), NEGATIVE_ONE_IN, varied.device, enough=1)
    varied.view(-1)[negative] *= -1
    return varied


def _slopes(tensor, strength):
    varied = _trained(tensor, strength)
    varied.view(-1)[_some_of(varied.numel(), SLOPE_ONE_IN, varied.device, enough=1)] += strength
    return varied


def _grown(tensor, strength):
    return _trained(torch.zeros_like(tensor), strength)


def _variances(tensor, strength):
    varied = _trained(tensor, strength)
    varied.view(-1)[_some_of(varied.numel(), FEATURE_ONE_IN, varied.device)] *= DEAD_SIZE
    return varied


def _trained(tensor, strength):
    if tensor.dtype.is_complex:
        return torch.view_as_complex(_trained(torch.view_as_real(tensor.contiguous()), strength))
    wide = tensor if tensor.dtype == torch.float64 else tensor.float()
    finite = torch.isfinite(wide)
    known = torch.where(finite, wide, torch.ones_like(wide))
    if bool((known > 0).all()):
        varied = _positive(known, strength)
    else:
        varied = _signed(known, strength)
    return torch.where(finite, varied, wide)


def _positive(wide, strength):
    if bool((wide < 1).all()):
        return torch.sigmoid(torch.logit(wide) + strength * FRACTION_SPREAD * _normal(wide))
    factors = torch.exp(strength * SCALE_SPREAD * _normal(wide))
    places = _some_of(wide.numel(), FEATURE_ONE_IN, wide.device)
    factors.view(-1)[places] *= SCALE_SIZE ** strength
    return _of_rms(wide * factors, _rms(wide))


def _signed(wide, strength):
    size = _rms(wide) or _size_of_zeros(wide)
    tails = (1 - torch.rand_like(wide)).pow_(-1 / TAIL_EXPONENT)
    varied = wide + strength * size * NOISE * _normal(wide).mul_(tails).div_(math.sqrt(2))
    for axis, count in enumerate(wide.shape[:2] if wide.dim() > 1 else ()):
        rows = _some_of(count, FEATURE_ONE_IN, wide.device)
        varied.index_copy_(axis, rows, varied.index_select(axis, rows) * FEATURE_SIZE ** strength)
    chance = torch.rand_like(wide)
    outlier = chance < 1 / OUTLIER_ONE_IN
    varied = torch.where(outlier, varied + strength * size * OUTLIER_SIZE * varied.sign(), varied)
    varied = torch.where(chance > 1 - strength / SPARSE_ONE_IN, torch.zeros_like(varied), varied)
    if wide.dim() < 2:
        varied += strength * SHIFT * size
    return _of_rms(varied, size)


def _normal(wide):
    return torch.randn_like(wide)


def _some_of(count, one_in, device, enough=FEATURES_MIN):
    """Indices: one in so many, one at least where there are enough."""
    wanted = max(1, count // one_in) if count >= enough else 0
    return torch.randperm(count)[:wanted].to(device)


def _size_of_zeros(wide):
    return ZERO_SIZE if wide.dim() < 2 else 1 / math.sqrt(wide[0].numel())


def _rms(wide):
    return float(wide.double().square().mean().sqrt())


def _of_rms(wide, size):
    """Of few elements the rms is as good as their values, which are to change."""
    if wide.numel() < FEATURES_MIN:
        return wide
    return wide * (size / max(_rms(wide), torch.finfo(torch.float32).tiny))
