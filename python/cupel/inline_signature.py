"""Reads the declaration of an `extern "C"` function out of C++ source: which arguments it takes,
and how Python values become them. Standard library only; torch is looked up when a tensor comes."""

import collections
import ctypes
import keyword
import operator
import re
import sys


class SignatureError(ValueError):
    """The declaration is missing, or holds a type that a kernel cannot take."""


class _Type:
    """A C++ type: how ctypes passes it, which torch dtypes a pointer to it accepts, and at which
    multiple of bytes such a pointer must lie (1: wherever torch puts a tensor)."""

    def __init__(self, ctype, *dtypes, alignment=1):
        self.ctype, self.dtypes, self.alignment = ctype, dtypes, alignment


_INT8 = _Type(ctypes.c_int8, "int8")
_UINT8 = _Type(ctypes.c_uint8, "uint8", "bool")
_INT16 = _Type(ctypes.c_int16, "int16")
_UINT16 = _Type(ctypes.c_uint16, "bfloat16", "float16", "uint16")
_INT32 = _Type(ctypes.c_int32, "int32")
_UINT32 = _Type(ctypes.c_uint32, "uint32")
_INT64 = _Type(ctypes.c_int64, "int64")
_UINT64 = _Type(ctypes.c_uint64, "uint64")
_TYPES = {
    "void": _Type(None), "bool": _Type(ctypes.c_bool, "bool"),
    "float": _Type(ctypes.c_float, "float32"), "double": _Type(ctypes.c_double, "float64"),
    "_Float16": _Type(None, "float16"), "__bf16": _Type(None, "bfloat16"),
    "char": _Type(ctypes.c_char, "int8", "uint8", "bool"),
    "int8_t": _INT8, "int16_t": _INT16, "int32_t": _INT32, "int64_t": _INT64,
    "uint8_t": _UINT8, "uint16_t": _UINT16, "uint32_t": _UINT32, "uint64_t": _UINT64,
    "size_t": _UINT64, "ptrdiff_t": _INT64, "ssize_t": _INT64, "intptr_t": _INT64,
    "uintptr_t": _UINT64,
}
# CUDA's types, known by pointer alone: a kernel that reads float4 reads a float32 tensor.
_TYPES |= {
    "half": _TYPES["_Float16"], "__half": _TYPES["_Float16"],
    "nv_bfloat16": _TYPES["__bf16"], "__nv_bfloat16": _TYPES["__bf16"],
    "half2": _Type(None, "float16", alignment=4), "__half2": _Type(None, "float16", alignment=4),
    "nv_bfloat162": _Type(None, "bfloat16", alignment=4),
    "__nv_bfloat162": _Type(None, "bfloat16", alignment=4),
    "__nv_fp8_e4m3": _Type(None, "float8_e4m3fn"), "__nv_fp8_e5m2": _Type(None, "float8_e5m2"),
    "float2": _Type(None, "float32", alignment=8), "float4": _Type(None, "float32", alignment=16),
    "double2": _Type(None, "float64", alignment=16),
    "int2": _Type(None, "int32", alignment=8), "int4": _Type(None, "int32", alignment=16),
    # Anything may be read in chunks of so many bytes.
    "uint2": _Type(None, alignment=8), "uint4": _Type(None, alignment=16),
}
# Spelled with several words, in any order: (unsigned, shape) -> type.
_WORDS = {"unsigned", "signed", "long", "short", "int", "char"}
_INTEGERS = {
    ("char", False): _INT8, ("char", True): _UINT8, ("short", False): _INT16,
    ("short", True): _UINT16, ("int", False): _INT32, ("int", True): _UINT32,
    ("long", False): _INT64, ("long", True): _UINT64,
}
_IGNORED = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict|register|struct"
                      r"|inline|extern|std|__global__|__grid_constant__)\b|\bstd\s*::|::")
_WITH_BRACKETS = re.compile(r"__(?:attribute__|launch_bounds__|cluster_dims__|maxnreg__)\s*\(")
_COMMENT_OR_STRING = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"([^()\s\\]*)\(.*?\)\1\""
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.S)
# What a comment behind a pointer may say: how many elements it needs, in terms of other parameters.
_SIZE = re.compile(r"/\*\s*(\w+(?:\s*\*\s*\w+)*)\s*\*/")
_SIZE_MARK = re.compile(r"\[\[cupel_size ([^\]]*)\]\]")
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.M)


class Parameter:
    """One argument: its declaration and how a Python value becomes it."""

    def __init__(self, kernel, position, declaration):
        self.kernel, self.position = kernel, position
        size = _SIZE_MARK.search(declaration)
        self.size = re.sub(r"\s+", "", size[1]).split("*") if size else []
        declaration = _SIZE_MARK.sub(" ", declaration)
        self.declaration = " ".join(declaration.split())
        kind, pointers, name = _read_declaration(declaration, kernel)
        self.name = name or f"argument {position + 1}"
        self.kind, self.pointer = kind, pointers > 0
        if pointers > 1 or (not self.pointer and kind.ctype is None):
            raise SignatureError(f"{kernel}: a kernel cannot take `{self.declaration}`; use a "
                                 "pointer to a number type, or a number")
        self.ctype = ctypes.c_void_p if self.pointer else kind.ctype

    def converter(self):
        """A function from a Python value to what ctypes passes; raises TypeError with advice."""
        if self.pointer:
            return _TensorConverter(self).convert
        if self.ctype is ctypes.c_bool:
            return bool
        if self.ctype in (ctypes.c_float, ctypes.c_double):
            return self._to_float
        return self._integer_converter()

    def _to_float(self, value):
        if type(value) is float:
            return value
        try:
            return float(value)
        except (TypeError, ValueError):
            raise self.wrong("a number", value) from None

    def _integer_converter(self):
        bits = 8 * ctypes.sizeof(self.ctype)
        signed = self.ctype(-1).value < 0 if self.ctype is not ctypes.c_char else True
        low, high = (-1 << (bits - 1), 1 << (bits - 1)) if signed else (0, 1 << bits)

        def convert(value):
            try:
                number = operator.index(value)
            except TypeError:
                raise self.wrong("an integer", value) from None
            if not low <= number < high:
                raise OverflowError(f"{self.kernel}: `{self.declaration}` cannot hold {number}")
            return number
        return convert

    def wrong(self, needed, value, advice=""):
        return TypeError(f"{self.kernel}: `{self.declaration}` (argument {self.position + 1}) "
                         f"needs {needed}, got {_describe(value)}{advice}")


class _TensorConverter:
    """Tensor -> address, with the checks that keep a kernel from reading wrong memory."""

    def __init__(self, parameter):
        self._parameter = parameter
        self._accepted = None

    def convert(self, value):
        try:
            if value.dtype in self._accepted and value.is_contiguous() and value.is_cpu:
                return value.data_ptr()
        except (AttributeError, TypeError):
            pass
        return self._slowly(value)

    def _slowly(self, value):
        torch = sys.modules.get("torch")
        if value is None:
            return None
        needed = self._needed()
        if torch is None or not isinstance(value, torch.Tensor):
            raise self._parameter.wrong(needed, value)
        if self._accepted is None:
            self._accepted = accepted_dtypes(self._parameter.kind, torch)
            return self.convert(value)
        if value.device.type != "cpu":
            raise self._parameter.wrong(needed, value, "; move it with .cpu()")
        if value.dtype not in self._accepted:
            raise self._parameter.wrong(needed, value)
        raise self._parameter.wrong(needed, value, "; call .contiguous() on it first")

    def _needed(self):
        dtypes = self._parameter.kind.dtypes
        return "a contiguous CPU tensor" + (f" of {' or '.join(dtypes)}" if dtypes else "")


def accepted_dtypes(kind, torch):
    """The torch dtypes that a pointer to this type may be given; void* takes all."""
    if not kind.dtypes:
        return {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return {getattr(torch, name) for name in kind.dtypes if hasattr(torch, name)}


_NO_SIZES = (ctypes.c_bool, ctypes.c_float, ctypes.c_double)


class Signature:
    """`name`, `result` (a ctypes type or None) and `parameters` of a kernel."""

    def __init__(self, name, result, parameters):
        self.name, self.result, self.parameters = name, result, parameters

    def python_names(self):
        """The parameters' names, or argument_N where one has none or Python reserves it."""
        names = [parameter.name for parameter in self.parameters]
        return [name if name.isidentifier() and not keyword.iskeyword(name)
                and name[0] != "_" and names.count(name) == 1 else f"argument_{i + 1}"
                for i, name in enumerate(names)]

    def sized(self):
        """[(index, factors)] of the pointers whose comment is a product of numbers and integer
        parameters: the elements that each needs."""
        integers = {parameter.name for parameter in self.parameters
                    if not parameter.pointer and parameter.ctype not in _NO_SIZES}
        return [(i, parameter.size) for i, parameter in enumerate(self.parameters)
                if parameter.pointer and parameter.size
                and all(word.isdigit() or word in integers for word in parameter.size)]

    def size_check(self):
        """(lines of a function's body, what they refer to): raises ValueError before a kernel is
        given a tensor that has fewer or more elements than it reads."""
        sized, names = self.sized(), self.python_names()
        if not sized:
            return "", {}
        of_parameter = {parameter.name: name for parameter, name in zip(self.parameters, names)}
        wanted = ["*".join(of_parameter.get(word, word) for word in factors)
                  for _, factors in sized]
        fits = " and ".join(f"{names[i]}.numel() == {size}"
                            for (i, _), size in zip(sized, wanted))
        given = ", ".join(f"({i}, {names[i]}, lambda: {size})"
                          for (i, _), size in zip(sized, wanted))
        lines = (f"    try:\n        fits = {fits}\n    except (AttributeError, TypeError):\n"
                 f"        fits = False\n    if not fits:\n        _refuse_sizes([{given}])\n")
        return lines, {"_refuse_sizes": self._refuse_sizes}

    def _refuse_sizes(self, given):
        """Of what is no tensor, or no number, the converters say more."""
        torch = sys.modules.get("torch")
        for index, value, wanted in given:
            try:
                needed = operator.index(wanted())
            except TypeError:
                continue
            if torch is None or not isinstance(value, torch.Tensor) or value.numel() == needed:
                continue
            parameter = self.parameters[index]
            raise ValueError(
                f"{self.name}: `{parameter.declaration}` (argument {index + 1}) needs "
                f"{' * '.join(parameter.size)} = {needed} elements, got {_describe(value)}; bring "
                "it to the full shape with .expand(..).contiguous()")

    def __str__(self):
        inside = ", ".join(parameter.declaration for parameter in self.parameters)
        return f"{self.name}({inside})"


def parse_signature(source, name):
    """The Signature of `extern "C" ... name(...)` in the source; raises SignatureError."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise SignatureError(f"{name!r} is not a function's name")
    declared = _declarations(_bare(source), name)
    if not declared:
        raise SignatureError(f"the source defines no function {name}: write extern \"C\" void "
                             f"{name}(...)")
    if not any(each.extern for each in declared):
        raise SignatureError(f"{name} is not declared extern \"C\": write extern \"C\" void "
                             f"{name}(...)")
    best = max(declared, key=lambda each: (each.defines, each.extern))
    return _signature(name, best.prefix, best.inside)


_Declaration = collections.namedtuple("_Declaration", "prefix inside defines extern")


def _declarations(text, name):
    """Where the text declares or defines `name`; calls of it are left out."""
    declared = []
    for match in re.finditer(rf"\b{name}\s*\(", text):
        close = _closing(text, match.end() - 1)
        after = re.match(r"\s*(?:noexcept\s*)?([{;])", text[close + 1:]) if close >= 0 else None
        prefix = _without_attributes(re.split(r"[;{}]", text[:match.start()])[-1])
        if after and re.search(r"\w\W*$", prefix) and not re.search(r"\breturn\s*$|[=,(]", prefix):
            extern = 'extern "C"' in prefix or _inside_extern_block(text, match.start())
            declared.append(_Declaration(prefix, text[match.end():close], after[1] == "{", extern))
    return declared


def _signature(name, prefix, inside):
    result = prefix.replace('extern "C"', " ")
    kind, pointers, rest = _read_declaration(result, name)
    if pointers or rest or (kind.ctype is None and kind is not _TYPES["void"]):
        raise SignatureError(f"{name}: a kernel returns void or a number, not "
                             f"`{' '.join(result.split())}`")
    declared = [] if inside.strip() in ("", "void") else _split(inside)
    return Signature(name, kind.ctype, [Parameter(name, i, each)
                                        for i, each in enumerate(declared)])


def _bare(source):
    """The source without comments (but sizes), strings (but "C") and preprocessor lines."""
    def replace(match):
        if match.group() == '"C"':
            return match.group()
        size = _SIZE.fullmatch(match.group())
        if size:
            return f" [[cupel_size {size[1]}]] "
        return '""' if match.group()[0] in "R\"'" else " "
    text = _COMMENT_OR_STRING.sub(replace, source)
    return re.sub(r'extern\s+"C"', 'extern "C"', _PREPROCESSOR.sub(";", text))


def _without_attributes(text):
    text = re.sub(r"\[\[.*?\]\]", " ", text, flags=re.S)
    match = _WITH_BRACKETS.search(text)
    while match:
        close = _closing(text, match.end() - 1)
        text = text[:match.start()] + " " + text[max(close, match.end() - 1) + 1:]
        match = _WITH_BRACKETS.search(text)
    return text


def _closing(text, opening):
    """Index of the bracket that closes the one at `opening`, -1 if there is none."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    if opening < 0:
        return -1
    depth, open_mark, close_mark = 0, text[opening], pairs[text[opening]]
    for at in range(opening, len(text)):
        depth += (text[at] == open_mark) - (text[at] == close_mark)
        if depth == 0:
            return at
    return -1


def _inside_extern_block(text, position):
    for match in re.finditer(r'extern "C"\s*\{', text):
        if match.end() <= position < _closing(text, match.end() - 1):
            return True
    return False


def _split(text):
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _read_declaration(text, kernel):
    """Returns (type, count of pointers, name or "")."""
    shown = " ".join(text.split())
    text = _IGNORED.sub(" ", _without_attributes(text).split("=")[0])
    array = re.search(r"\[[^\]]*\]\s*$", text)
    text = text[:array.start()] if array else text
    pointers = text.count("*") + (1 if array else 0)
    words = text.replace("*", " * ").split()
    kind, used = _read_type([word for word in words if word != "*"])
    rest = [word for word in words if word != "*"][used:]
    if kind is None or len(rest) > 1 or (rest and not rest[0].isidentifier()):
        raise SignatureError(f"{kernel}: a kernel cannot take or return `{shown}`; use pointers to "
                             "number types (float*, int64_t*, uint16_t* for bf16 bits) and numbers")
    return kind, pointers, rest[0] if rest else ""


def _read_type(words):
    """Returns (type or None, how many words name it)."""
    if not words:
        return None, 0
    if words[0] not in _WORDS:
        return _TYPES.get(words[0]), 1
    used = next((i for i, word in enumerate(words) if word not in _WORDS), len(words))
    spelled = words[:used]
    if spelled == ["char"]:
        return _TYPES["char"], 1
    if used < len(words) and words[used] == "double":
        return None, 0  # long double
    shape = next((word for word in ("char", "short", "long") if word in spelled), "int")
    return _INTEGERS[shape, "unsigned" in spelled], used


def _describe(value):
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        dtype = str(value.dtype).rpartition(".")[2]
        layout = "" if value.is_contiguous() else f" with strides {tuple(value.stride())}"
        return f"a {value.device.type} tensor of {dtype} {tuple(value.shape)}{layout}"
    return f"{type(value).__name__} {value!r}"[:120]
