"""OutputError, as the judge is told it: one leaf of an output against the oracle's."""

import math

NUMBER_MAX = 1.7976931348623157e308  # stands for infinities and NaN in JSON, which has neither
_SHOWN = ("worst_got", "worst_want")


def output_error(**known):
    """OutputError with all its fields: errors as finite numbers, and the two values that are
    shown to people as what they are, "nan" and "inf" among them."""
    error = {"rms": 0.0, "max": 0.0, "spread": 0.0, "elements": 0, "nonfinite": 0, "mismatched": 0,
             "poison": 0, "close_1e2": False, "close_1e4": False, "worst_index": 0,
             "worst_got": 0.0, "worst_want": 0.0, "group": 0.0, "group_name": ""}
    error.update(known)
    return {key: _as_shown(value) if key in _SHOWN else _as_number(value)
            if isinstance(value, float) else value for key, value in error.items()}


def _as_shown(value):
    return value if math.isfinite(value) else str(value)


def _as_number(value):
    if math.isfinite(value):
        return value
    return -NUMBER_MAX if value < 0 else NUMBER_MAX


def worst_of(errors):
    """Per output leaf the worst over samples: the sample with the largest error, and the largest
    of every count. `errors`: one list of OutputErrors a sample."""
    merged = []
    for leaf_errors in zip(*errors):
        worst = dict(max(leaf_errors, key=lambda e: (e["nonfinite"], e["max"], e["mismatched"])))
        for key in ("rms", "max", "group", "nonfinite", "mismatched", "poison"):
            worst[key] = max(error[key] for error in leaf_errors)
        worst["group_name"] = max(leaf_errors, key=lambda e: e["group"])["group_name"]
        for key in ("close_1e2", "close_1e4"):
            worst[key] = all(error[key] for error in leaf_errors)
        merged.append(worst)
    return merged
