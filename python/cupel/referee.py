"""The referee: makes inputs from secret seeds, knows what outputs must be, compares.

Trusted; runs only the task's own code; times nothing that counts. One process a session on one
task, driven by the judge over one socket: docs/protocol.md, "Referee".
"""

import argparse
import contextlib
import os
import platform
import sys

# Idle OpenMP threads must sleep, not spin: they would take cores from the hosts that are timed,
# and on a busy machine a spinning barrier waits for whole scheduler slices. Read by torch's
# OpenMP when it loads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

from cupel import failures, labels, placement, protocol
from cupel.facts import data_limit
from cupel.failures import TaskFailure
from cupel.loading import TASK_MODULE
from cupel.own_files import imported_files
from cupel.process_start import close_others, forget_preload, own_socket, quiet_streams
from cupel.read_files import read_files, watch
from cupel.session import Session


class Referee:
    """The loop: one request, one reply."""

    def __init__(self, channel):
        self._channel = channel
        self._session = self._vault = None
        self._limits = contextlib.ExitStack()

    def serve(self):
        """Runs until `bye` or until the judge closes the socket."""
        self._channel.send({"re": "ready", "torch": torch.__version__.split("+")[0],
                            "python": platform.python_version()})
        while True:
            request, descriptors = self._channel.receive()
            if request is None or request.get("op") == "bye":
                return
            self._channel.send(self._answer(request, descriptors))

    def _answer(self, request, descriptors):
        op = request.pop("op", "")
        try:
            with torch.no_grad():
                reply = self._dispatch(op, request, descriptors)
                if self._session is not None:  # the judge reads the vault from now on
                    placement.synchronize(self._session.device)
                return reply
        except TaskFailure as problem:
            return problem.reply(op)
        except (Exception, SystemExit) as problem:
            return failures.from_exception(problem, op, self._path()).reply(op)
        finally:
            program = self._session.program if self._session else None
            torch.set_default_dtype(program.default_dtype if program else torch.float32)

    def _path(self):
        return self._session.program.path if self._session else ""

    def _dispatch(self, op, request, descriptors):
        if op == "vault":
            return self._take_vault(request, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        if op == "open":
            return self._open(request)
        if op == "labels":
            return labels.reply(request["source"])
        if op not in ("weights", "share", "admit", "prepare", "compare", "graph", "release"):
            raise TaskFailure("unsupported", f"unknown request {op!r}")
        return getattr(self._require_session(), op)(**request)

    def _open(self, request):
        self._session = None
        watch()
        self._limits.close()
        torch.set_default_dtype(torch.float32)
        self._session = Session(request)
        self._session.vault = self._vault
        self._limits.enter_context(data_limit(request.get("memory_bytes") or 0))
        task = request["task"]
        root = "" if task.get("module") else task.get("import_root") or ""
        return {"re": "opened", "facts": self._session.facts,
                "own_files": imported_files(TASK_MODULE, left_out=root),
                "read_files": read_files()}

    def _require_session(self):
        if self._session is None:
            raise TaskFailure("unsupported", "no task is open")
        return self._session

    def _take_vault(self, request, descriptors):
        """Of no bytes: there is none any more."""
        if len(descriptors) != (request["bytes"] > 0):
            for descriptor in descriptors:
                os.close(descriptor)
            raise TaskFailure("unsupported", f"{len(descriptors)} descriptors came with the vault")
        self._use_vault(None)
        if request["bytes"]:
            self._use_vault(protocol.open_arena(descriptors[0], request["bytes"],
                                                request.get("device", "cpu")))
        if request["bytes"] and self._vault.bytes < request["bytes"]:
            raise TaskFailure("unsupported", f"a vault of {self._vault.bytes} bytes, not of "
                              f"{request['bytes']}")
        return {"re": "ok"}

    def _use_vault(self, vault):
        if self._vault is not None:
            self._vault.close()
        self._vault = vault
        if self._session is not None:
            self._session.vault = vault


def main():
    parser = argparse.ArgumentParser(description="Cupel's referee; the judge starts it.")
    parser.add_argument("--fd", type=int, required=True, help="the judge's socket")
    parser.add_argument("--second-fd", type=int, help="its socket to a second referee")
    arguments = parser.parse_args()
    forget_preload()
    sys.exit(live(arguments.fd, arguments.second_fd))


def forked(fd, second_fd=None):
    """The life of one that the fork server forked."""
    close_others([fd] if second_fd is None else [fd, second_fd])
    os._exit(live(fd, second_fd))


def live(fd, second_fd):
    """A referee's whole life, on the judge's sockets. Returns the exit status."""
    quiet_streams()
    try:
        Referee(protocol.Channel(own_socket(fd, second_fd))).serve()
    except (ConnectionError, protocol.ProtocolError) as problem:
        failures.log(f"the judge is gone: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    main()
