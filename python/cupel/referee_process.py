"""A referee's process before it serves: its streams, its socket, and the second referee."""

import os
import sys

from cupel import namespaces


def quiet_streams():
    """What the task prints goes to stderr; nothing is read from stdin."""
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout = sys.stderr


def own_socket(first, second):
    """The socket to serve. With two of them this process forks, before any thread was started, and
    each half takes one; the second ends with the first. If threads were started already, there is
    no second referee: its socket closes."""
    mine, other = first, second
    alone = second is None or len(os.listdir("/proc/self/task")) > 1
    if not alone and os.fork() == 0:
        namespaces.die_with_parent()
        mine, other = second, first
    if other is not None:
        os.close(other)
    os.set_inheritable(mine, False)
    return mine
