"""The text of a task file, from what was seen of a group of equal modules."""

import textwrap

from cupel.capture.leaf_text import generator_text, needs_calls

COLUMNS = 100

_LOADING = '''
def get_state():
    return _load("{name}.state.pt", "{state_digest}")
'''
_CALLS = '''
def get_captured_inputs():
    return _load("{name}.calls.pt", "{calls_digest}")[SHAPE]
'''
_LOAD = '''
def _load(name, digest):
    return torch.load(io.BytesIO(_read(name, digest)), weights_only=True)


@functools.lru_cache(maxsize=1)
def _read(name, digest):
    data = (pathlib.Path(__file__).parent / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError(f"{name} is not the file that was captured")
    return data
'''


class Parts:
    """What a task's text is made of."""

    dtype = None  # that the module was cast to after it was constructed

    def __init__(self, form, shapes, samples, output_text, training):
        self.form = form              # of a call
        self.shapes = shapes          # [(shapes, calls)], the first one the task's own
        self.samples = samples        # [[tensors of a call, ...], ...], one list a shape
        self.output_text = output_text
        self.training = training


def task_text(docstring, source, constructor, parts, files):
    """`files`: {"name", "state_digest", "calls_digest"}; a digest is "" where there is no file."""
    generators = _generators(parts)
    blocks = ['"""' + docstring + '"""\n', _imports(source, constructor, files),
              _shapes(parts), _model(source, constructor, parts),
              _get_inputs(parts, generators),
              f"\ndef get_init_inputs():\n    return {constructor.init}\n"]
    blocks += [_LOADING.format(**files)] if files["state_digest"] else []
    blocks += [_CALLS.format(**files)] if files["calls_digest"] else []
    blocks += [_LOAD] if files["state_digest"] or files["calls_digest"] else []
    return "\n".join(blocks)


def _generators(parts):
    """Of the leaves; KeyError-free even where no call of a shape was kept."""
    calls = [call for calls in parts.samples for call in calls]
    return [generator_text(f"{name}_shape", place, [call[place] for call in calls])
            for place, name in enumerate(parts.form.names)]


def _imports(source, constructor, files):
    lines = set(source.imports)
    if files["state_digest"] or files["calls_digest"]:
        lines |= {"import functools", "import hashlib", "import io", "import pathlib"}
    if files["calls_digest"]:
        lines.add("import random")
    future = sorted(line for line in lines if line.startswith("from __future__"))
    plain = sorted(line for line in lines - set(future) if line.startswith("import "))
    named = sorted(lines - set(future) - set(plain))
    text = "\n".join([*future, *[""] * bool(future), *[line for line in plain
                                                      if line != "import torch"],
                      "", "import torch", *named]) + "\n"
    blocks = [*source.blocks, "\n".join(constructor.top)]
    return text + "".join(_spaced(block) for block in blocks if block)


def _spaced(block):
    large = block.startswith(("class ", "def ", "@"))
    return "\n" * (2 if large else 1) + block + "\n"


def _shapes(parts):
    names = ", ".join(parts.form.names)
    lines = ["", f"SHAPE = 0  # which of SHAPES, those of {names}; the first takes the most time",
             "SHAPES = ["]
    lines += [f"    {list(shapes)!r},  # {calls} call{'s' * (calls != 1)}"
              for shapes, calls in parts.shapes]
    return "\n".join([*lines, "]\n"])


def _model(source, constructor, parts):
    arguments = "".join(f", {name}" for name in constructor.parameters)
    tensors = "".join(f", {name}" for name in parts.form.names)
    lines = ["", f"class Model({source.name}):", f"    def __init__(self{arguments}):"]
    lines += [f"        {line}" for text in constructor.body for line in _wrapped(text)]
    lines += [f"        self.to({parts.dtype})"] if parts.dtype else []
    lines += [f"        self.{'train' if parts.training else 'eval'}()", "",
              f"    def forward(self{tensors}):"]
    return "\n".join([*lines, *_call(parts)]) + "\n"


def _call(parts):
    """The lines of forward()."""
    call, margin, lines = f"super().forward({parts.form.text})", " " * 8, []
    if parts.form.autocast:
        device, dtype = parts.form.autocast
        lines.append(f'{margin}with torch.autocast("{device}", dtype={dtype}):')
    inner = margin + " " * 4 * len(lines)
    if parts.output_text == "out":
        return lines + [inner + line for line in _wrapped(f"return {call}")]
    lines += [inner + line for line in _wrapped(f"out = {call}")]
    return lines + [margin + line for line in _wrapped(f"return {parts.output_text}")]


def _wrapped(text):
    """In lines, broken after commas: the text lies in brackets there."""
    if len(text) <= COLUMNS - 8 or "\n" in text or "'" in text or '"' in text:
        return [text]
    return textwrap.wrap(text, COLUMNS - 8, subsequent_indent="    ", break_long_words=False,
                         break_on_hyphens=False)


def _get_inputs(parts, generators):
    names = [f"{name}_shape" for name in parts.form.names]
    lines = ["", "def get_inputs():"]
    if names:
        lines.append(f"    {', '.join(names)}{',' * (len(names) == 1)} = SHAPES[SHAPE]")
    if needs_calls(generators):
        lines.append("    real = random.choice(get_captured_inputs())")
    lines.append("    return [")
    lines += [f"        {text}," for text in generators] + ["    ]\n"]
    return "\n".join(lines)
