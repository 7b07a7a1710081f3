"""Failures of a task's own code, as values that the judge can print.

Every failure says what was wrong, where (the user's file and line) and what to do.
"""

import linecache
import sys
import traceback

from cupel import protocol

# Import names whose package has another name; everything else installs under its own.
_PACKAGE_OF_IMPORT = {
    "cv2": "opencv-python", "PIL": "pillow", "sklearn": "scikit-learn", "skimage": "scikit-image",
    "yaml": "pyyaml", "bs4": "beautifulsoup4",
}
_OUT_OF_MEMORY_MARKS = ("can't allocate memory", "not enough memory", "Cannot allocate memory",
                        "CUDA out of memory")


class TaskFailure(Exception):
    """A request that failed: `kind` is one of docs/protocol.md, `what` one sentence."""

    def __init__(self, kind, what, phase="", trace=""):
        super().__init__(what)
        self.kind, self.what, self.phase, self.trace = kind, what, phase, trace

    def reply(self, default_phase):
        """The reply frame."""
        return {"re": "failed", "phase": self.phase or default_phase, "kind": self.kind,
                "what": self.what, "trace": self.trace[-protocol.TRACE_BYTES_MAX:]}


def from_exception(problem, phase, path=""):
    """The TaskFailure for an exception that the code in `path` raised in `phase`."""
    if isinstance(problem, TaskFailure):
        problem.phase = problem.phase or phase
        return problem
    where = _where(problem, path)
    text = _one_line(problem)
    kind, what = _classify(problem, phase, where, text)
    return TaskFailure(kind, what, phase, _trace(problem, path))


def is_out_of_memory(problem):
    """True for MemoryError and for what torch's allocators raise."""
    return isinstance(problem, MemoryError) or (
        isinstance(problem, RuntimeError)
        and any(mark in str(problem) for mark in _OUT_OF_MEMORY_MARKS))


def _classify(problem, phase, where, text):
    if is_out_of_memory(problem):
        return "too_large", f"{where}ran out of memory in {phase}: {text}"
    if isinstance(problem, SyntaxError):
        return "parse", f"{problem.filename}:{problem.lineno}: {problem.msg}"
    if isinstance(problem, ModuleNotFoundError) and problem.name:
        package, _, inside = problem.name.partition(".")
        if inside and package in sys.modules:
            return "raised", f"{where}{text}: {package} is there, and has no module of that name"
        return "missing_package", f"{where}{text}; {install_hint(problem.name)}"
    return "raised", f"{where}{phase} raised {text}"


def install_hint(module):
    """What to type for a module that is not installed."""
    name = module.split(".")[0]
    return f"pip install {_PACKAGE_OF_IMPORT.get(name, name)}"


def _one_line(problem):
    lines = str(problem).strip().splitlines() or [""]
    return f"{type(problem).__name__}: {lines[0]}"[:400]


def _where(problem, path):
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if f.filename == path]
    return f"{path}:{frames[-1].lineno}: " if frames else ""


def _trace(problem, path):
    """The traceback from the user's file on (the frames above are ours)."""
    tb = problem.__traceback__
    while path and tb is not None and tb.tb_frame.f_code.co_filename != path:
        tb = tb.tb_next
    lines = traceback.format_exception(type(problem), problem, tb or problem.__traceback__)
    return "".join(lines)


def remember_source(path, source):
    """Lets tracebacks and inspect.getsource show `source`, whatever lies on the disk."""
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)


def log(text):
    """One line to stderr; stdout belongs to nobody here."""
    print(f"referee: {text}", file=sys.stderr, flush=True)
