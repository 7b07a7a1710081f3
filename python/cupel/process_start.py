"""What a process of Cupel's does before it serves the judge, and a referee's second half."""

import gc
import os
import sys

from cupel import namespaces

STANDARD_STREAMS, DESCRIPTORS_MAX = 3, 4096
EXIT_BROKEN = 70  # a fault of Cupel's own, or a request that the protocol does not allow


def forget_preload():
    """This process has its allocator; compilers that it starts need none."""
    os.environ.pop("LD_PRELOAD", None)


def collect_and_freeze():
    gc.collect()
    gc.freeze()


def quiet_streams():
    """What the task prints goes to stderr; nothing is read from stdin."""
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout = sys.stderr


def close_others(descriptors, start=STANDARD_STREAMS):
    """Closes all from `start` on but these."""
    for kept in sorted(descriptors):
        os.closerange(start, kept)
        start = kept + 1
    os.closerange(start, DESCRIPTORS_MAX)


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
