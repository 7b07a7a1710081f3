"""How a run goes on, shown where the user is: on a terminal's line, or below a notebook's cell.

The binary tells it as JSON (docs/json.md, "Progress"). `progress=None` shows it in a terminal or a
notebook and nowhere else, True always, False never; a function is given each event, a dict.
"""

import shutil
import sys


def shower(progress):
    """What to call with each event, and with None at the end; None: nobody is to be told."""
    if callable(progress):
        return lambda event: progress(event) if event is not None else None
    if progress is False:
        return None
    notebook = _notebook_display()
    if notebook is not None:
        return NotebookLine(notebook)
    if progress or _is_terminal(sys.stderr):
        return TerminalLine(sys.stderr)
    return None


def line_of(event):
    """(text, whether it stays): a judged program and a note stay, the status is rewritten."""
    if event["kind"] == "judged":
        return f"{event['headline']}  {event['label']}", True
    if event["kind"] == "note":
        return f"note: {event['text']}", True
    return event.get("text", ""), False


class TerminalLine:
    """The status on one line that is rewritten, what stays above it."""

    def __init__(self, stream):
        self._stream, self._shown = stream, False
        self._rewrites = _is_terminal(stream)

    def __call__(self, event):
        text, stays = line_of(event) if event is not None else ("", False)
        if not self._rewrites:
            if stays:
                print(text, file=self._stream, flush=True)
            return
        start = "\r\033[K" if self._shown else ""
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(start + (text + "\n" if stays else text[:width]))
        self._stream.flush()
        self._shown = bool(text) and not stays


class NotebookLine:
    """One output of the cell, rewritten: what stayed, and the status."""

    LINES_MAX = 12  # of what stayed: a notebook is read later

    def __init__(self, display):
        self._stayed = []
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, event):
        text, stays = line_of(event) if event is not None else ("", False)
        if stays:
            self._stayed = [*self._stayed, text][-self.LINES_MAX:]
            text = ""
        lines = [*self._stayed, *([text] if text else [])]
        self._handle.update({"text/plain": "\n".join(lines)}, raw=True)


def _notebook_display():
    """IPython's display, in a kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    return display


def _is_terminal(stream):
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False
