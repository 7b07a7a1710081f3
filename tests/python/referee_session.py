"""A real referee on a real socket with a real vault, for tests."""

import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

from cupel import protocol  # noqa: E402


class RefereeProcess:
    """Speaks docs/protocol.md to a child. `log`: what the child wrote to stdout and stderr."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"),
                           PYTHONWARNINGS="ignore")
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cupel.referee", "--fd", str(theirs.fileno())],
            pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=self._log)
        theirs.close()
        self._socket = ours
        self._channel = protocol.Channel(os.dup(ours.fileno()))
        self.vault = None
        self.ready, _ = self._channel.receive()

    def ask(self, op, descriptors=(), **fields):
        """One request, one reply."""
        message = {"op": op, **fields}
        if not descriptors:
            self._channel.send(message)
        else:
            self._send_with(descriptors, message)
        reply, _ = self._channel.receive()
        return reply

    def _send_with(self, descriptors, message):
        body = protocol.json.dumps(message).encode()
        head = len(body).to_bytes(4, "little")
        socket.send_fds(self._socket, [head], list(descriptors))
        self._socket.sendall(body)

    def share_vault(self, size):
        """Makes a memfd, maps it here as `vault` and hands it over."""
        fd = os.memfd_create("vault")
        os.ftruncate(fd, size)
        self.vault = protocol.Arena(os.dup(fd))
        reply = self.ask("vault", [fd], bytes=size)
        os.close(fd)
        return reply

    def open(self, source="", **fields):
        """Opens a file task whose text is `source`."""
        task = {"kind": "file", "path": "/nowhere/task.py", "source": textwrap.dedent(source)}
        request = {"task": task, "policy": "eager", "device": "cpu", "threads": 1,
                   "memory_bytes": 2 << 30, "input_seed": 7, "value_classes": []}
        return self.ask("open", **{**request, **fields})

    def log(self):
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def close(self):
        """Closes the socket; returns the child's exit status."""
        self._channel._socket.close()
        self._socket.close()
        status = self.process.wait(timeout=60)
        self._log.close()
        return status


class RefereeTest(unittest.TestCase):
    """Tests that share one referee, which opens one task after another."""

    @classmethod
    def setUpClass(cls):
        cls.referee = RefereeProcess()

    @classmethod
    def tearDownClass(cls):
        cls.referee.close()

    def facts_of(self, source, **fields):
        reply = self.referee.open(source, **fields)
        self.assertEqual(reply["re"], "opened", reply)
        return reply["facts"]

    def assert_fails(self, reply, kind, *parts):
        self.assertEqual((reply["re"], reply.get("kind")), ("failed", kind), reply)
        for part in parts:
            self.assertIn(part, reply["what"])
