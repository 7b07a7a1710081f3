"""Numbers, texts and other leaves of an output that are no tensors: told as text, and compared.

A host tells them as texts, since nothing that it says may be unpickled. Equal texts are equal
values of one type: 1, 1.0 and True are three. A float is told to its last bit, and NaN is NaN.
"""

import hashlib
import math

TEXT_BYTES_MAX = 256  # of a string; of a longer one a digest tells
ROUNDING = 2.0 ** -23
MULTIPLE = 32.0       # of what the reference's own float is off by, as of tensors
_PLAIN = {"dtype", "device", "Size", "layout", "memory_format"}


def told(value):
    """The value as text; None for what cannot be told (an object that may hold anything)."""
    if value is None or isinstance(value, bool) or type(value) is int:
        return f"{type(value).__name__} {value}"
    if type(value) is float:
        return "float " + value.hex()
    if type(value) is complex:
        return f"complex {value.real.hex()} {value.imag.hex()}"
    if type(value) in (str, bytes):
        return f"{type(value).__name__} {_short(value)}"
    if type(value).__module__ == "torch" and type(value).__name__ in _PLAIN:
        return f"{type(value).__name__} {value}"
    return None


def _short(value):
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if len(data) > TEXT_BYTES_MAX:
        return "of " + hashlib.sha256(data).hexdigest()
    return ascii(value)


def difference(got, own, wide):
    """(a program's value, what it must be) of the first that is wrong, as text; () if none is.
    `own`: those of the reference; `wide`: of the oracle. Where these two differ they hang on
    rounding."""
    if len(got) != len(own):
        return f"{len(got)} values beside the tensors", str(len(own))
    for each, mine, true in zip(got, own, wide):
        if each != mine and not _within_rounding(each, mine, true):
            return _shown(each), _shown(mine)
    return ()


def _within_rounding(got, own, wide):
    numbers = [_number(text) for text in (got, own, wide)]
    if None in numbers:
        return own != wide and got == wide
    got, own, wide = numbers
    if own == wide:
        return got == own  # 0.0 and -0.0
    return abs(got - wide) <= MULTIPLE * (abs(own - wide) + ROUNDING * abs(wide))


def _number(text):
    return float.fromhex(text[6:]) if text.startswith("float ") else None


def _shown(text):
    number = _number(text[:64])
    if number is None:
        return text
    return f"float {number!r}" if math.isfinite(number) else f"float {number}"
