"""A host's way to the judge's compilers: candidates get none of their own."""

import os
import threading

from cupel import inline


class BuildDoor:
    """Asks the judge to compile, while a request of the judge's is being served."""

    def __init__(self, channel):
        self._channel = channel
        self._one_at_a_time = threading.Lock()
        self._open = False

    def open(self):
        self._open = True

    def close(self):
        """Waits for the answer to what a thread of the program's has asked: it must not be taken
        for a request."""
        with self._one_at_a_time:
            self._open = False

    def cpp(self, name, source, flags):
        """For inline.set_builder."""
        return self._ask("cpp", name, source, list(flags))

    def extension(self, name, request):
        """For light_extension.set_door."""
        return self._ask("extension", name, request, [])

    def _ask(self, kind, name, source, flags):
        """Returns the path of a shared library; raises inline.BuildError."""
        with self._one_at_a_time:
            if not self._open:
                raise inline.BuildError("a kernel can only be built while the program is loaded "
                                        "or called", "")
            self._channel.send({"ask": "build", "kind": kind, "name": name, "source": source,
                                "flags": flags})
            answer, _ = self._channel.receive()
        if answer is None:
            os._exit(0)
        if answer["re"] != "built":
            raise inline.BuildError(inline.first_error(answer["log"], name), answer["log"])
        return answer["path"]
