"""What a program's exception becomes in a failure reply (docs/protocol.md, "Failure reply")."""

import traceback

from cupel.protocol import TRACE_BYTES_MAX

WHAT_CHARACTERS_MAX = 400
# The last one is what torch says of a full GPU where it cannot ask NVML about the others on it.
_ALLOCATION_FAILURES = ("can't allocate memory", "out of memory", "cannot allocate memory",
                        "nvmlinit_v2")
_EXTENSION_FAILURES = ("Error building extension", "Ninja is required to load C++ extensions")


class ProgramFault(Exception):
    """The program broke a rule. `phase` and `kind` are those of the protocol."""

    def __init__(self, phase, kind, what, trace=""):
        super().__init__(what)
        self.phase, self.kind, self.what, self.trace = phase, kind, what, trace

    def reply(self):
        return {"re": "failed", "phase": self.phase, "kind": self.kind, "what": self.what,
                "trace": self.trace}


def fault_of(error, phase, hidden_files):
    """The ProgramFault for an exception that left the program's code. Frames of `hidden_files`
    (the host's own, which called the program) are dropped from the head of its trace."""
    if isinstance(error, ProgramFault):
        return error
    try:
        frames = _program_frames(error.__traceback__, hidden_files)
        what = _one_sentence(error, frames)
        trace = "".join(traceback.format_exception(type(error), error, frames))
    except BaseException:  # a hostile __str__, or a stack too deep to print
        what, trace = f"{type(error).__name__} (its message cannot be printed)", ""
    return ProgramFault(phase, _kind_of(error, what), what, tail(trace))


def tail(text):
    """The last TRACE_BYTES_MAX bytes, from a line's start where one is near."""
    body = text.encode("utf-8", "replace")
    if len(body) <= TRACE_BYTES_MAX:
        return body.decode("utf-8", "replace")
    body = body[-TRACE_BYTES_MAX:]
    newline = body.find(b"\n", 0, 512)
    return body[newline + 1:].decode("utf-8", "ignore")


def _program_frames(frames, hidden_files):
    while frames is not None and frames.tb_frame.f_code.co_filename in hidden_files:
        frames = frames.tb_next
    return frames


def _one_sentence(error, frames):
    message = str(error).strip()
    first = message.splitlines()[0].strip() if message else ""
    name = type(error).__name__
    if isinstance(error, SystemExit):
        name, first = "the program called sys.exit", str(error)
    where = _last_program_line(frames)
    sentence = f"{name}: {first}" if first else name
    return sentence[:WHAT_CHARACTERS_MAX] + (f" ({where})" if where else "")


def _last_program_line(frames):
    """The deepest line of the candidate's file: the one that its author can mend."""
    where = ""
    for frame, line in traceback.walk_tb(frames):
        if frame.f_code.co_filename.endswith("candidate.py"):
            where = f"candidate.py, line {line}"
    return where


def _kind_of(error, what):
    if type(error).__module__ == "cupel.inline" and type(error).__name__ == "BuildError":
        return "build"
    if isinstance(error, RuntimeError) and any(text in what for text in _EXTENSION_FAILURES):
        return "build"
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return "out_of_memory"
    if isinstance(error, RuntimeError) and any(t in what.lower() for t in _ALLOCATION_FAILURES):
        return "out_of_memory"
    return "raised"
