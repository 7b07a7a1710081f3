"""Cupel's Python API: each function runs the `cupel` binary and returns what it found.

    import cupel
    verdict = cupel.judge("task.py", "candidate.py", policy="exact")

Options are the command line's, spelled with underscores: `value="x"` becomes `--value x`,
`flag=True` becomes `--flag`, a list repeats the option, None and False leave it out. Importing this
package imports neither torch nor anything else of it.
"""

import importlib
import json
import os
import shutil
import subprocess

__all__ = ["CupelError", "judge", "lint", "optimize"]


class CupelError(RuntimeError):
    """The binary could not be run or ended without an answer. `status` is its exit code (None if
    it did not start)."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


def judge(task_path, candidate_path, **options):
    """Is the candidate faster than the task's program, and the same? Returns the answer of
    `cupel judge --json` as a dict; a rejected candidate is an answer, not an error."""
    return _run("judge", [task_path, candidate_path], options)


def optimize(task_path, **options):
    """Searches for a faster program. Returns the summary of `cupel optimize --json` as a dict."""
    return _run("optimize", [task_path], options)


def lint(task_path, **options):
    """Can the task be judged? Returns the admission report of `cupel lint --json` as a dict."""
    return _run("lint", [task_path], options)


def __getattr__(name):
    """`cupel.capture(model, out="tasks/")` imports torch only when it is asked for."""
    if name == "capture":
        return importlib.import_module("cupel.capture")
    raise AttributeError(f"module 'cupel' has no attribute {name!r}")


def _run(command, paths, options):
    argv = [_binary(), command, *map(os.fspath, paths), "--json", *_arguments(options)]
    try:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise CupelError(f"cannot run {argv[0]}: {error.strerror}") from None
    out, said = (text.decode("utf-8", "replace").strip() for text in _outputs(process))
    answer, status = _last_object(out), process.returncode
    if answer is None:
        raise CupelError(said or f"cupel {command} ended with status {status} and no answer",
                         status)
    if answer.get("kind") == "error":
        raise CupelError(_message(answer), status)
    return answer


def _outputs(process):
    """(stdout, stderr) of the process, once it has ended. Who is interrupted gives it the time to
    stop in order: a run that is killed must take what it had asked for at its highest price."""
    try:
        return process.communicate()
    except BaseException:
        process.terminate()
        process.communicate()
        raise


def _message(error):
    """Of an error document (docs/json.md): "where: what (hint)"."""
    where, what, hint = (error.get(key) or "" for key in ("where", "what", "hint"))
    return (f"{where}: " if where else "") + what + (f" ({hint})" if hint else "")


def _last_object(text):
    """The whole text as JSON, or else its last line: progress may come before the answer."""
    for part in (text, *text.strip().splitlines()[-1:]):
        try:
            answer = json.loads(part)
        except ValueError:
            continue
        if isinstance(answer, dict):
            return answer
    return None


def _arguments(options):
    arguments = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                arguments.append(flag)
            elif each is not None and each is not False:
                arguments += [flag, os.fspath(each) if isinstance(each, os.PathLike) else str(each)]
    return arguments


def _binary():
    """$CUPEL_BINARY, else `cupel` on PATH, else the one that this package was built or bundled
    with."""
    chosen = os.environ.get("CUPEL_BINARY") or shutil.which("cupel")
    if chosen:
        return chosen
    here = os.path.dirname(os.path.abspath(__file__))
    for near in (("..", "..", "build", "cupel"), ("..", "..", "bin", "cupel")):
        path = os.path.normpath(os.path.join(here, *near))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise CupelError("there is no cupel binary: build it (cmake --preset dev && cmake --build "
                     "build), put it on PATH, or set CUPEL_BINARY")
