"""One run of the binary: arguments in, a document or an exception out."""

import json
import os
import subprocess
import threading

from cupel.api import binary
from cupel.api.progress import shower

# Its progress can be asked for as JSON.
_TELLING = {"judge", "lint", "optimize", "resume", "rewrite"}


class CupelError(RuntimeError):
    """The binary could not be run, or ended without an answer. The text says what was wrong, where,
    and what to do. `status` is its exit code (None if it did not start), `hint` what to do, or
    ""."""

    def __init__(self, message, status=None, hint=""):
        super().__init__(message)
        self.status, self.hint = status, hint


def run(command, words, options, progress=None):
    """The document that `cupel COMMAND WORDS --json OPTIONS` prints."""
    options = dict(options)
    show = shower(options.pop("progress", progress)) if command in _TELLING else None
    told = ["--progress-lines"] if show else []
    out, said, status = _outcome([_binary(), command, *map(os.fspath, words), "--json", *told,
                                  *arguments(options)], show)
    answer = _last_object(out)
    if answer is None:
        raise CupelError(said or f"cupel {command} ended with status {status} and no answer",
                         status)
    if answer.get("kind") == "error":
        raise CupelError(_message(answer), status, answer.get("hint") or "")
    return answer


def text_of(command, *words):
    """What the command prints for people."""
    out, said, status = _outcome([_binary(), command, *map(os.fspath, words)], None)
    if status != 0:
        raise CupelError(said.removeprefix("cupel: "), status)
    return out + "\n"


def arguments(options):
    """Options of the command line."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                words.append(flag)
            elif each is not None and each is not False:
                words += [flag, os.fspath(each) if isinstance(each, os.PathLike) else str(each)]
    return words


def _binary():
    try:
        return binary.find()
    except binary.NoBinary as problem:
        raise CupelError(str(problem)) from None


def _outcome(argv, show):
    """(stdout, stderr, exit code). What the binary tells on the way goes to `show`."""
    try:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=binary.environment())
    except OSError as error:
        raise CupelError(f"cannot run {argv[0]}: {error.strerror}") from None
    listener = _Listener(process.stderr, show)
    try:
        out = process.stdout.read()
        process.wait()
    except BaseException:
        # Who is interrupted gives it the time to stop in order: a run that is killed must take
        # what it had asked for at its highest price.
        process.terminate()
        process.stdout.read()
        process.wait()
        raise
    finally:
        said = listener.end()
        process.stdout.close()
    return out.decode("utf-8", "replace").strip(), said, process.returncode


class _Listener:
    """Reads the binary's stderr as it comes: progress is shown, the rest is kept."""

    def __init__(self, stream, show):
        self._stream, self._show, self._kept = stream, show, []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self._stream:
            event = _last_object(line.decode("utf-8", "replace")) if self._show else None
            if event is None:
                self._kept.append(line)
            else:
                self._show(event)

    def end(self):
        self._thread.join()
        self._stream.close()
        if self._show:
            self._show(None)
        return b"".join(self._kept).decode("utf-8", "replace").strip()


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
